// SPDX-License-Identifier: Apache-2.0
// Slots of the L2's requests: none is given to two requests at a time, and none is lost: a slot that nobody has is in the
// ring, once. Any slot is followed.
module l2_slots_proof (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic                       take_i,
  input logic                       give_valid_i,
  input logic [l2_pkg::SlotW-1:0]   give_slot_i,
  input logic [l2_pkg::SlotW-1:0]   mine_i         // any slot but 0, which is left out; always the same
);

  localparam int unsigned Slots = l2_pkg::Slots;
  localparam int unsigned SlotW = l2_pkg::SlotW;

  logic             slot_free, clear_q, out_q;
  logic [SlotW-1:0] slot, mine_q;
  logic [SlotW:0]   cleared_q;   // places of the ring that have their slot
  logic             first_q = 1'b1;
  logic             take, give;
  assign take = take_i && slot_free && !clear_q;
  assign give = clear_q || give_valid_i;
  l2_slots u_dut (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .free_o         (slot_free),
    .slot_o         (slot),
    .take_i         (take),
    .give_valid_i   (give),
    .give_slot_i    (give_slot_i),
    .clear_i        (clear_q)
  );

  // How many requests have a slot; whether one has `mine_i`.
  logic [SlotW:0] held_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    mine_q <= mine_i;
    if (!rst_ni) begin
      clear_q <= 1'b1;
      cleared_q <= '0;
      out_q <= 1'b0;
      held_q <= '0;
    end else if (clear_q) begin
      clear_q <= cleared_q != (SlotW + 1)'(Slots - 1);
      cleared_q <= cleared_q + 1'b1;
    end else begin
      held_q <= held_q + (SlotW + 1)'(take) - (SlotW + 1)'(give);
      if (take && slot == mine_i) out_q <= 1'b1;
      else if (give && give_slot_i == mine_i) out_q <= 1'b0;
    end
  end

  // How often the ring has it.
  logic [SlotW-1:0] head, tail, length;
  logic [SlotW:0]   found;
  assign head = u_dut.free_head_q;
  assign tail = u_dut.free_tail_q;
  assign length = tail - head;
  always_comb begin
    found = '0;
    for (int unsigned p = 0; p < Slots; p++)
      if (SlotW'(p) - head < length && u_dut.free_q[p] == mine_i) found += 1'b1;
  end

  always_comb begin
    assume (first_q == !rst_ni);
    assume (mine_i != '0 && (first_q || mine_i == mine_q));
    // A slot is given back by who has it.
    assume (!give_valid_i || clear_q || (held_q != '0 && (give_slot_i != mine_i || out_q)));
    if (rst_ni) begin
      assert (!(take && slot == mine_i) || !out_q);
      assert (clear_q || found == (SlotW + 1)'(!out_q));
      // What makes it so, in the hardware's state.
      assert (!clear_q || (held_q == '0 && !out_q));
      assert (clear_q ? head == SlotW'(1) && tail == SlotW'(cleared_q) && cleared_q < (SlotW + 1)'(Slots)
                      : (SlotW + 1)'(length) + held_q == (SlotW + 1)'(Slots - 1));
      if (clear_q)
        for (int unsigned p = 0; p < Slots; p++) assert (p >= 32'(cleared_q) || u_dut.free_q[p] == SlotW'(p));
    end
  end

endmodule
