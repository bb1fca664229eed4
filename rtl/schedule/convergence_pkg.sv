// SPDX-License-Identifier: Apache-2.0
// What the convergence unit keeps in memories. Each live lane of a warp is in exactly one place: the running
// split, an entry of the split queue, the arrived lanes of a convergence barrier, or a parked group.
package convergence_pkg;

  // A warp.
  typedef struct packed {
    sm_pkg::mask_t active;   // the running split
    sm_pkg::mask_t live;
    logic [4:0]    head;     // split queue
    logic [5:0]    count;
    logic [15:0]   armed;    // convergence barriers in use
    logic [15:0]   here;     // with arrived lanes
    sm_pkg::mask_t syncs;    // places of groups parked at WARPSYNC
    sm_pkg::mask_t blocks;   // and at block barriers
    logic [21:0]   spins;    // backward branches, in 64ths
  } warp_state_t;

  // A group of lanes that does not run: a split in the queue, the arrived lanes of a convergence barrier, lanes that
  // wait at WARPSYNC or at a block barrier (parked), and the place of a sleeping warp's PC.
  typedef struct packed {
    logic [31:0]              pc;        // goes on here
    sm_pkg::mask_t            mask;
    sm_pkg::mask_t            expected;  // convergence barrier, WARPSYNC: lanes that meet
    logic [3:0]               id;        // block barrier
    logic                     reduces;   // BAR.RED: a result is due
    logic [1:0]               red;       // isa_pkg::BarRed*
    logic [7:0]               rd;
    logic [2:0]               pd;
    logic [gpu_pkg::SeqW-1:0] seq;
  } group_t;

  // Where a warp's groups are kept.
  typedef enum logic [1:0] {Queued, Parked, Barrier, Asleep} kind_e;
  typedef struct packed {
    kind_e      kind;
    logic [4:0] index;  // a queue entry, a place, one of 16 barriers
  } slot_t;
  localparam int unsigned Groups = 128;

  // A result of the convergence unit: the same value in all lanes.
  typedef struct packed {
    core_pkg::warp_t          warp;
    logic [gpu_pkg::SeqW-1:0] seq;
    logic [7:0]               rd;
    logic [2:0]               pd;
    sm_pkg::mask_t            mask;
    logic [31:0]              value;
  } result_t;

  // BAR.RED's value: threads whose predicate holds, or all ones when all, any do.
  function automatic logic [31:0] reduction(input logic [1:0] red, input core_pkg::release_t r);
    case (red)
      2'(isa_pkg::BarRedPopc): return 32'(r.ones);
      2'(isa_pkg::BarRedAnd):  return {32{r.all}};
      default:                 return {32{r.any}};
    endcase
  endfunction

  // Lanes of `lanes` whose element of the row is value.
  function automatic sm_pkg::lanes_t equal_lanes(input sm_pkg::lanes_t lanes, input sm_pkg::row_t row,
                                                 input logic [31:0] value);
    sm_pkg::lanes_t equal;
    for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) equal[lane] = lanes[lane] && row[lane] == value;
    return equal;
  endfunction

endpackage
