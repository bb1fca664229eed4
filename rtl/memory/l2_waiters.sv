// SPDX-License-Identifier: Apache-2.0
// Slots of the L2's requests, and who waits for which sector: a ring of free slots, and a list of slots for each
// fill that is under way.
//
//   requests in slots 5, 2, 9 wait for fill {3, 1}: first 5, next of 5 is 2, next of 2 is 9, tail 9; drained in this order
//
// After reset all slots but one become free, one a cycle while clear_i is set.
module l2_waiters (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Slots.
  output logic                        slot_free_o,
  output logic [l2_pkg::SlotW-1:0]    slot_o,          // the one that take_i takes
  input  logic                        take_i,
  input  logic                        give_valid_i,    // a slot is free again, or its turn has come in clear_i
  input  logic [l2_pkg::SlotW-1:0]    give_slot_i,
  input  logic                        clear_i,
  // A request waits for a sector, the first or behind others.
  input  logic                        wait_valid_i,
  input  logic                        wait_first_i,
  input  logic [l2_pkg::FillW-1:0]    wait_id_i,
  input  logic [l2_pkg::SlotW-1:0]    wait_slot_i,
  input  logic                        wait_writes_i,
  input  logic [l2_pkg::ClientW-1:0]  wait_client_i,
  // A sector came: who is served next, until the last.
  input  logic [l2_pkg::FillW-1:0]    drain_id_i,
  input  logic                        drain_i,
  output logic [l2_pkg::SlotW-1:0]    drain_slot_o,
  output logic                        drain_first_o,
  output logic                        drain_last_o,
  output logic                        drain_writes_o,
  output logic [l2_pkg::ClientW-1:0]  drain_client_o
);

  localparam int unsigned Slots = l2_pkg::Slots;
  localparam int unsigned SlotW = l2_pkg::SlotW;
  localparam int unsigned Fills = 1 << l2_pkg::FillW;

  logic [SlotW-1:0]          free_q [Slots];
  logic [SlotW-1:0]          free_head_q, free_tail_q;
  logic [l2_pkg::ClientW:0]  who_q [Slots];     // whether it writes, its client
  logic [SlotW-1:0]          next_q [Slots];
  logic [SlotW-1:0]          first_q [Fills];
  logic [SlotW-1:0]          tail_q [Fills];
  logic [SlotW-1:0]          cursor_q;
  logic                      drain_first_q;

  assign slot_free_o = free_head_q != free_tail_q;
  assign slot_o = free_q[free_head_q];
  assign drain_slot_o = drain_first_q ? first_q[drain_id_i] : cursor_q;
  assign drain_first_o = drain_first_q;
  assign drain_last_o = drain_slot_o == tail_q[drain_id_i];
  assign {drain_writes_o, drain_client_o} = who_q[drain_slot_o];

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
    if (drain_i) begin
      cursor_q <= next_q[drain_slot_o];
      drain_first_q <= drain_last_o;
    end
    if (wait_valid_i) begin
      if (wait_first_i) first_q[wait_id_i] <= wait_slot_i;
      else next_q[tail_q[wait_id_i]] <= wait_slot_i;
      tail_q[wait_id_i] <= wait_slot_i;
      who_q[wait_slot_i] <= {wait_writes_i, wait_client_i};
    end
    if (!rst_ni) drain_first_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_slots: assert (!(give_valid_i && !clear_i) || free_tail_q + 1'b1 != free_head_q)
        else $error("l2_waiters: a slot is freed twice");
    end
  end

  // A set's turn to be cleared after reset is also a slot's turn to become free.
  if (l2_pkg::Sets < Slots) $error("l2_waiters: more slots than sets");

endmodule
