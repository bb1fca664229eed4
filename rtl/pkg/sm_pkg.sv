// SPDX-License-Identifier: Apache-2.0
// What travels inside an SM. A row is one register of a whole warp: 32 lanes of 32 bits. It moves in slices
// of RowLanes lanes, lanes 0 .. RowLanes-1 first: one slice in a machine of full width, four in one of 8
// lanes, where datapaths, memories' ports and requests are a quarter as wide. Units narrower than a
// slice work through it in several cycles.
package sm_pkg;

  localparam int unsigned WarpSize = 32;
  localparam int unsigned RowLanes = config_pkg::RowLanes;
  localparam int unsigned RowSlices = WarpSize / RowLanes;
  localparam int unsigned SliceW = RowSlices > 1 ? $clog2(RowSlices) : 1;
  typedef logic [SliceW-1:0]         slice_t;   // which slice; always 0 where there is one
  typedef logic [RowLanes-1:0][31:0] row_t;     // one slice of a register
  typedef logic [RowLanes-1:0][63:0] wide_row_t;  // of a pair
  typedef logic [7:0][63:0]          row_elements_t;     // f64, one for each row of an 8 x 4 matrix
  typedef logic [3:0][63:0]          column_elements_t;  // one for each second column of a 4 x 8 matrix
  typedef logic [RowLanes-1:0]       lanes_t;   // one bit a lane of a slice
  typedef logic [WarpSize-1:0]       mask_t;    // one bit a lane of the warp

  localparam slice_t LastSlice = slice_t'(RowSlices - 1);

  // Stages of the units of half and double precision: where rows move whole a result is soon there, in slices the clock is fast.
  // A unit that takes a whole row in one beat has one more, so that no unit's result comes after less than three cycles.
  localparam int unsigned Fp32Stages = RowSlices > 1 ? 6 : config_pkg::Fp32Lanes == RowLanes ? 3 : 2;
  localparam int unsigned Fp16Stages = RowSlices > 1 ? 4 : config_pkg::Fp16Lanes == RowLanes ? 3 : 2;
  localparam int unsigned Fp64Stages = RowSlices > 1 ? 7 : 3;

  // The slice's part of a mask; and back, zero elsewhere.
  function automatic lanes_t lanes_of(input mask_t mask, input slice_t slice);
    return RowSlices == 1 ? lanes_t'(mask) : lanes_t'(mask >> (32'(slice) * RowLanes));
  endfunction

  function automatic mask_t mask_of(input lanes_t lanes, input slice_t slice);
    return RowSlices == 1 ? mask_t'(lanes) : mask_t'(lanes) << (32'(slice) * RowLanes);
  endfunction

  localparam int unsigned Results = RowSlices > 1 ? 4 : 16;  // of a warp, under way
  typedef logic [$clog2(Results)-1:0] entry_t;               // of them in the scoreboard

  // Who gets a result: carried through a unit untouched.
  typedef struct packed {
    entry_t                       entry;  // that ends with the result
    slice_t                       slice;  // of the rows that travel with this tag
    logic [config_pkg::WarpW-1:0] warp;   // warp slot in the SM
    logic [gpu_pkg::SeqW-1:0]     seq;    // for the trace
    logic [7:0]                   rd;
    logic [2:0]                   pd;     // predicate destinations; 7: none
    logic [2:0]                   pq;
    mask_t                        mask;   // lanes that execute: active and guard holds
  } tag_t;

  // Operand rows of an instruction: a, the odd register of its pair, b, ... For stores and atomics the last four are the data.
  localparam int unsigned OperandRows = 6;
  typedef enum logic [2:0] {A, AHi, B, BHi, C, CHi} operand_e;

  // One slice of a warp instruction given to an execution unit, operands ready (link <producer>_valid/_ready).
  // The slices of an instruction follow each other, 0 first, nothing else between.
  // Rows that an operation does not read may hold anything.
  typedef struct packed {
    tag_t               tag;
    logic [7:0]         op;      // isa_pkg::opcode_e
    logic [17:0]        mod;
    logic [1:0]         step;    // of a tensor instruction's two or three, which follow each other (mma_pkg)
    logic               early;   // whole rows: its readers may issue before its result is written
    logic [31:0]        pc;
    lanes_t             p;       // the predicate source of the op (SEL p, cin, pc, PLOP pa), negation done
    lanes_t             p2;      // PLOP pb
    row_t [OperandRows-1:0] row; // by operand_e
  } exec_req_t;

  // A slice of a result on its way to the register file and predicates: one row, or a pair.
  typedef struct packed {
    tag_t       tag;
    logic       we;      // d is written to tag.rd + index
    logic       wide;    // d_hi goes to the row after it
    logic [1:0] index;   // 0, but where a result comes in several
    logic       last;    // the instruction ends with it
    logic       p_we;    // p is written to tag.pd, q to tag.pq (unless 7)
    row_t       d;
    row_t       d_hi;
    lanes_t     p;
    lanes_t     q;
  } exec_rsp_t;

  // The same with the row that is written now.
  typedef struct packed {
    tag_t       tag;
    logic       we;
    logic       wide;
    logic [1:0] index;
    logic       last;
    logic       p_we;
    row_t       row;
    lanes_t     p;
    lanes_t     q;
  } result_t;

  function automatic result_t result_of(input exec_rsp_t rsp, input logic upper);
    return '{tag: rsp.tag, we: rsp.we, wide: rsp.wide, index: rsp.index, last: rsp.last, p_we: rsp.p_we,
             row: upper ? rsp.d_hi : rsp.d, p: rsp.p, q: rsp.q};
  endfunction

  // One slice of a memory instruction given to the load/store unit; slices as for exec_req_t. addr already holds a + imm16 (64-bit sum in
  // addr_hi:addr for global and generic; 32-bit for shared, local, constant). LDC: addr = a + 4 * offset,
  // and mod[11:10], which form C leaves free, holds the constant bank.
  typedef struct packed {
    tag_t               tag;
    logic [7:0]         op;
    logic [17:0]        mod;
    logic [31:0]        pc;
    logic [config_pkg::BlockSlotW-1:0] block_slot;
    logic [config_pkg::SharedW-1:0]    shared_base;   // of the block
    gpu_pkg::rank_t     rank;    // of the block in its cluster
    row_t               addr;
    row_t               addr_hi;
    row_t [3:0]         data;    // store: rc..rc+3; LDGSTS: data[0] = c, the address in shared memory; atomic: data[1:0] = b, data[3:2] = c
  } lsu_req_t;

  // Cycles by which a result's readers wait longer than the hardware needs: the preset's, by class (config_pkg::Latency).
  typedef logic [$bits(config_pkg::Latency[0])-1:0] lag_t;

  // Where the preset has readers wait longer for each pass that brings lanes: how many more than one an instruction has.
  localparam bit CountsPasses = {config_pkg::Latency[isa_pkg::LatPass], config_pkg::Latency[isa_pkg::LatAddress]} != '0;
  typedef logic [(CountsPasses ? 7 : 1)-1:0] passes_t;

  // One register row of a load, an atomic's old values, or the end of a store or fence (no row).
  // Rows of one instruction come in ascending order, each slice by slice, one a cycle; last (with the last
  // slice of the last row) frees the scoreboard. Where there is no row, one response without slices.
  typedef struct packed {
    passes_t    passes;
    tag_t       tag;
    logic       copies;  // the end of an asynchronous copy, of group tag.entry
    logic       we;      // row goes to tag.rd + index, lanes tag.mask of slice tag.slice
    logic [1:0] index;
    logic       last;
    row_t       row;
  } lsu_rsp_t;

  // A memory fault found by the load/store unit; thread and block are added by the SM.
  typedef struct packed {
    logic [config_pkg::WarpW-1:0] warp;
    logic [31:0]                  pc;
    logic [4:0]                   lane;    // the lowest faulting lane
    logic [3:0]                   kind;
    logic [7:0]                   code;    // FaultSpace* | FaultWrite | FaultAtomic
    logic [63:0]                  address;
  } lsu_fault_t;

endpackage
