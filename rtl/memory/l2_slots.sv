// SPDX-License-Identifier: Apache-2.0
// Slots of the L2's requests: a ring of those that are free.
//
//   ring 5, 2, 9: the next request has slot 5; slot 7 is given back: 2, 9, 7
//
// After reset all slots but one become free, one a cycle while clear_i is set.
module l2_slots (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        free_o,
  output logic [l2_pkg::SlotW-1:0]    slot_o,          // the one that take_i takes
  input  logic                        take_i,
  input  logic                        give_valid_i,    // a slot is free again, or its turn has come in clear_i
  input  logic [l2_pkg::SlotW-1:0]    give_slot_i,
  input  logic                        clear_i
);

  localparam int unsigned Slots = l2_pkg::Slots;
  localparam int unsigned SlotW = l2_pkg::SlotW;

  logic [SlotW-1:0] free_q [Slots];
  logic [SlotW-1:0] free_head_q, free_tail_q;

  assign free_o = free_head_q != free_tail_q;
  assign slot_o = free_q[free_head_q];

  always_ff @(posedge clk_i) begin
    if (give_valid_i) free_q[free_tail_q] <= clear_i ? free_tail_q : give_slot_i;
    if (give_valid_i) free_tail_q <= free_tail_q + 1'b1;
    if (take_i) free_head_q <= free_head_q + 1'b1;
    if (!rst_ni) begin
      free_tail_q <= '0;
      free_head_q <= SlotW'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_slots: assert (!(give_valid_i && !clear_i) || free_tail_q + 1'b1 != free_head_q)
        else $error("l2_slots: a slot is freed twice");
    end
  end

  // A set's turn to be cleared after reset is also a slot's turn to become free.
  if (l2_pkg::Sets < Slots) $error("l2_slots: more slots than sets");

endmodule
