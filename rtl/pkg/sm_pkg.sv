// SPDX-License-Identifier: Apache-2.0
// What travels inside an SM. A row is one register of a whole warp: 32 lanes of 32 bits; units narrower
// than a warp work through it in several cycles.
package sm_pkg;

  localparam int unsigned WarpSize = 32;
  typedef logic [WarpSize-1:0][31:0] row_t;
  typedef logic [WarpSize-1:0]       mask_t;  // one bit a lane

  // Who gets a result: carried through a unit untouched.
  typedef struct packed {
    logic [config_pkg::WarpW-1:0] warp;   // warp slot in the SM
    logic [gpu_pkg::SeqW-1:0]     seq;    // for the trace
    logic [7:0]                   rd;
    logic [2:0]                   pd;     // predicate destinations; 7: none
    logic [2:0]                   pq;
    mask_t                        mask;   // lanes that execute: active and guard holds
  } tag_t;

  // A warp instruction given to an execution unit, operands ready (link <producer>_valid/_ready).
  // Rows that an operation does not read may hold anything. *_hi are the odd registers of pairs.
  typedef struct packed {
    tag_t               tag;
    logic [7:0]         op;      // isa_pkg::opcode_e
    logic [17:0]        mod;
    logic [31:0]        pc;
    mask_t              p;       // the predicate source of the op (SEL p, cin, pc, PLOP pa), negation done
    mask_t              p2;      // PLOP pb
    row_t               a;
    row_t               b;
    row_t               c;
  } exec_req_t;

  // The upper halves, for units that take pairs (INT, CVT).
  typedef struct packed {
    row_t a_hi;
    row_t b_hi;
    row_t c_hi;
  } exec_hi_t;

  // A result row on its way to the register file and predicates. wide: d_hi goes to rd + 1.
  typedef struct packed {
    tag_t  tag;
    logic  we;      // d is written to tag.rd
    logic  wide;
    logic  p_we;    // p is written to tag.pd, q to tag.pq (unless 7)
    row_t  d;
    row_t  d_hi;
    mask_t p;
    mask_t q;
  } exec_rsp_t;

  // A memory instruction given to the load/store unit. addr already holds a + imm16 (64-bit sum in
  // addr_hi:addr for global and generic; 32-bit for shared, local, constant). LDC: addr = a + 4 * offset,
  // and mod[11:10], which form C leaves free, holds the constant bank.
  typedef struct packed {
    tag_t               tag;
    logic [7:0]         op;
    logic [17:0]        mod;
    logic [31:0]        pc;
    logic [config_pkg::BlockSlotW-1:0] block_slot;
    logic [config_pkg::SharedW-1:0]    shared_base;   // of the block
    row_t               addr;
    row_t               addr_hi;
    row_t [3:0]         data;    // store: rc..rc+3; atomic: data[1:0] = b, data[3:2] = c
  } lsu_req_t;

  // One register row of a load, an atomic's old values, or the end of a store or fence (no row).
  // Rows of one instruction come in ascending order, one a cycle; last frees the scoreboard.
  typedef struct packed {
    tag_t       tag;
    logic       we;      // row goes to tag.rd + index, lanes tag.mask
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
