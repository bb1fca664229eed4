// SPDX-License-Identifier: Apache-2.0
// The link between a client (an SM, the copy engine) and L2: 32-byte sectors, one a cycle each way.
// Requests of a client to the same sector are performed in the order sent; others may overtake (hit
// under miss): who needs more waits for the answers. Responses come in any order, told apart by id.
package mem_pkg;

  localparam int unsigned SectorBytes = 32;
  localparam int unsigned SectorW = 8 * SectorBytes;
  localparam int unsigned LineBytes = 128;  // four sectors
  localparam int unsigned IdW = 8;          // the client's own numbering
  // Where the memory port is narrow, sectors are worked on in pieces as wide as it (64 bits or more: an atomic's word), one a
  // cycle; elsewhere whole.
  localparam int unsigned PieceBits = config_pkg::AxiDataBits >= SectorW ? SectorW :
                                      config_pkg::AxiDataBits < 64 ? 64 : config_pkg::AxiDataBits;
  localparam int unsigned PieceBytes = PieceBits / 8;
  localparam int unsigned Pieces = SectorW / PieceBits;   // of a sector, at most 4
  localparam int unsigned PieceW = (Pieces > 1) ? $clog2(Pieces) : 1;
  // A small chip keeps what waits for a link in block RAM; elsewhere a cycle counts more.
  localparam bit RamQueues = config_pkg::RowLanes < 32;

  typedef enum logic [1:0] {
    ReqRead   = 2'd0,  // answered with the sector
    ReqWrite  = 2'd1,  // bytes of mask; answered when performed
    ReqAtomic = 2'd2   // one 32- or 64-bit word at byte offset; answered with the old value in data[63:0]
  } req_kind_e;

  typedef struct packed {
    req_kind_e                     kind;
    logic [IdW-1:0]                id;
    logic [gpu_pkg::AddrW-1:5]     sector;     // address / 32
    logic [SectorBytes-1:0]        mask;       // write
    logic [SectorW-1:0]            data;       // write; atomic: data[63:0] operand, data[127:64] cas new value
    logic [4:0]                    offset;     // atomic: byte in the sector
    logic                          wide;       // atomic: 64 bits
    logic [3:0]                    atom_op;    // isa_pkg AtomOp*
    logic                          atom_sign;  // min and max are signed
    // For the trace ports only: who asked.
    logic [config_pkg::WarpW-1:0]  warp;
    logic [gpu_pkg::SeqW-1:0]      seq;
    logic [4:0]                    lane;
  } req_t;

  typedef struct packed {
    req_kind_e          kind;
    logic [IdW-1:0]     id;
    logic               error;  // the memory port answered with an error
    logic [SectorW-1:0] data;
  } rsp_t;

endpackage
