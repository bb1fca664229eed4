// SPDX-License-Identifier: Apache-2.0
// The link between a client (an SM, the copy engine) and L2: 32-byte sectors. Requests and answers go in beats, one a
// cycle each way, with as much data as a beat holds: a piece of a sector. To an SM of a large machine answers come on two links,
// each from the L2's slices of its own (l2_pkg::link_of).
//
//   request   read: one beat, where sectors travel whole also for several of a line. Write: a beat for each piece, from the
//             lowest on, those without bytes too. Atomic, reduction: AtomicBeats, operand and new value of a cas as one number of 128 bits
//   answer    of a read: for each sector a beat for each piece, from the lowest on. Of an atomic: one beat
//   acknowledgement   of a write, of a reduction: beside a beat of an answer to another request, or alone
//
//   request   read 8 of sectors 0, 2    write 5       -            -            -
//   answer    -                         -             8.0          8.2          -
//   ack       -                         -             -            5            -
//
// Beats of one request, and of one answer, follow each other on their link: nothing comes between, idle cycles may.
// All but `piece`, `last`, `mask` and `data` is the same in each beat.
// Requests of a client to the same sector are performed in the order sent; others may overtake (hit
// under miss): who needs more waits for the answers. Responses come in any order, told apart by id.
package mem_pkg;

  localparam int unsigned SectorBytes = 32;
  localparam int unsigned SectorW = 8 * SectorBytes;
  localparam int unsigned LineBytes = 128;  // four sectors
  // The client's own numbering: of an SM's load/store unit {MSHR, sector} or, of atomics, {instruction, lane}, above them the caches'
  // (mem_hub). Where atomics go by sectors each memory instruction in flight may be one.
  localparam int unsigned FillIdW = config_pkg::L1Mshrs > 32 ? $clog2(config_pkg::L1Mshrs) + 3 : 8;
  localparam int unsigned AtomicIdW = config_pkg::RowLanes == 32 && config_pkg::AxiDataBits >= SectorW ? $clog2(config_pkg::LsuEntries) + 6 : 0;
  localparam int unsigned IdW = FillIdW > AtomicIdW ? FillIdW : AtomicIdW;
  // Where the memory port is narrow, sectors travel and are worked on in pieces as wide as it (64 bits or more: an atomic's
  // word), one a cycle; elsewhere whole.
  localparam int unsigned PieceBits = config_pkg::AxiDataBits >= SectorW ? SectorW :
                                      config_pkg::AxiDataBits < 64 ? 64 : config_pkg::AxiDataBits;
  localparam int unsigned PieceBytes = PieceBits / 8;
  localparam int unsigned Pieces = SectorW / PieceBits;   // of a sector, at most 4
  localparam int unsigned PieceW = (Pieces > 1) ? $clog2(Pieces) : 1;
  localparam int unsigned AtomicBeats = PieceBits < 128 ? 2 : 1;
  // A small chip keeps what waits for a link in block RAM; elsewhere a cycle counts more.
  localparam bit RamQueues = config_pkg::RowLanes < 32;

  localparam int unsigned Links = config_pkg::L2Links;   // on which answers come to an SM: 1, or with whole sectors 2
  typedef logic [(Links > 1 ? $clog2(Links) : 1)-1:0] link_t;

  typedef enum logic [1:0] {
    ReqRead   = 2'd0,  // answered with the sector
    ReqWrite  = 2'd1,  // bytes of mask; answered when performed
    ReqAtomic = 2'd2,  // words of 32 or 64 bits, see SectorAtomics; answered with what was there
    ReqReduce = 2'd3   // as an atomic whose old values nobody reads; answered as a write, when performed
  } req_kind_e;
  // Where sectors travel whole an atomic is on all words whose bytes are in `mask`, each with its operand at its place in
  // `data`, and answered with the sector. Of a cas the words lie in one half of the sector, their new values at the same places of
  // the other. Elsewhere it is on the word at `offset`: its operand in data[63:0], a cas' new value in data[127:64], its answer
  // in data[63:0].
  localparam bit SectorAtomics = Pieces == 1;
  function automatic logic is_atomic(input req_kind_e kind);
    return kind == ReqAtomic || kind == ReqReduce;
  endfunction
  // What answers it.
  function automatic req_kind_e answer_kind(input req_kind_e kind);
    return kind == ReqReduce ? ReqWrite : kind;
  endfunction
  typedef logic [PieceW-1:0] piece_t;
  // isa_pkg AtomType*; of integers' a bit says whether min and max are signed.
  localparam bit FloatAtomics = config_pkg::FloatAtomics != 0;
  typedef logic [(FloatAtomics ? 3 : 1)-1:0] atom_type_t;

  typedef struct packed {
    req_kind_e                     kind;
    logic [IdW-1:0]                id;
    logic [gpu_pkg::AddrW-1:5]     sector;     // address / 32
    piece_t                        piece;      // the beat's number
    logic                          last;       // of the request's beats
    logic [PieceBytes-1:0]         mask;       // write, atomic: bytes; read: further sectors of the line, see more_sectors
    logic [PieceBits-1:0]          data;       // write; atomic
    logic [4:0]                    offset;     // atomic: byte in the sector, of its first word
    logic                          wide;       // atomic: words of 64 bits
    logic [3:0]                    atom_op;    // isa_pkg AtomOp*
    atom_type_t                    atom_type;
    // For the trace ports only: who asked.
    logic [config_pkg::WarpW-1:0]  warp;
    logic [gpu_pkg::SeqW-1:0]      seq;
    logic [4:0]                    lane;       // the lowest
  } req_t;

  // A read asks for `sector` and, where sectors travel whole, for those above it in its line. The answers to these have its
  // id, but for the two lowest bits, which are the sector's number.
  localparam bit LineReads = Pieces == 1;
  function automatic logic [3:0] more_sectors(input req_t req);
    return LineReads && req.kind == ReqRead ? req.mask[3:0] : '0;
  endfunction

  typedef struct packed {
    req_kind_e            kind;   // ReqWrite: there is none
    logic [IdW-1:0]       id;
    logic                 error;  // the memory port answered with an error
    piece_t               piece;  // read: which
    logic                 last;   // of the answer's beats
    logic [PieceBits-1:0] data;
  } answer_t;

  typedef struct packed {
    logic                 valid;
    logic                 error;  // as an answer's
    logic [IdW-1:0]       id;
  } ack_t;

  // A beat to the client: an answer, an acknowledgement or both.
  typedef struct packed {
    ack_t                 ack;
    answer_t              answer;
  } rsp_t;

  // What is performed, as a beat.
  function automatic rsp_t alone(input answer_t answer);
    return '{ack: '{valid: answer.kind == ReqWrite, error: answer.error, id: answer.id}, answer: answer};
  endfunction

  // Where two share a client's link: what of a beat is for one of them.
  function automatic rsp_t share(input rsp_t rsp, input logic answer, input logic ack);
    rsp_t r;
    r = rsp;
    if (!answer) r.answer.kind = ReqWrite;
    r.ack.valid = rsp.ack.valid && ack;
    return r;
  endfunction

  // The link to host memory: sectors in the same beats, answered in order. All but `piece`, `last`, `mask` and `data` is the
  // same in each beat.
  typedef struct packed {
    logic                  write;
    logic [63:5]           sector;
    piece_t                piece;
    logic                  last;
    logic [PieceBytes-1:0] mask;   // write: bytes
    logic [PieceBits-1:0]  data;
  } host_req_t;

  typedef struct packed {
    logic                  write;
    logic                  error;
    piece_t                piece;  // read: which
    logic                  last;   // of the answer's beats
    logic [PieceBits-1:0]  data;   // read
  } host_rsp_t;

endpackage
