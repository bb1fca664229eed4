// SPDX-License-Identifier: Apache-2.0
// Operations of the L2 on their way to its data stage: a waiter whose sector came, else who stands aside, else the request that
// is looked up.
//
// A request that finds the data stage taken by a waiter stands aside, so that the reads behind it are looked up meanwhile; it goes
// next. Waiters keep it there for a few cycles at most (`urgent_o`). With a narrow memory port nobody stands aside, the look-up
// waits instead; and operations are l2_pkg::Apart cycles apart.
module l2_operations (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  // A waiter.
  input  logic                        drain_i,
  input  logic                        drain_first_i,
  input  l2_pkg::fill_t               drain_fill_i,
  input  logic [l2_pkg::SlotW-1:0]    drain_slot_i,
  input  logic [l2_pkg::PlaceW-1:0]   drain_place_i,
  input  logic                        drain_dirty_i,   // its sector, before

  // The request is performed, or sectors of its victim are evicted. With a waiter neither is evicted.
  input  logic                        perform_i,
  input  logic                        error_i,
  input  logic                        evict_i,
  input  logic                        evict_first_i,
  input  l2_pkg::line_t               evict_line_i,
  input  logic [l2_pkg::SlotW-1:0]    slot_i,
  input  logic [l2_pkg::PlaceW-1:0]   place_i,         // that is looked at, whether or not one of them is done
  input  logic [1:0]                  sector_i,
  input  logic [3:0]                  dirty_i,

  output logic                        rest_o,          // no operation now: the one before is still under way
  output logic                        aside_any_o,     // some stand aside,
  output logic                        aside_full_o,    // as many as may: no waiter, and no request, may be performed
  output logic                        aside_urgent_o,  // for so long that no waiter may be
  output logic                        aside_place_o,   // one on the place
  output logic                        just_used_o,     // nothing may be evicted from the place

  output logic                        ends_o,          // op_o's slot has been read
  output logic                        op_valid_o,
  input  logic                        op_ready_i,      // with a narrow port always
  output l2_pkg::op_t                 op_o
);

  localparam int unsigned Aside = l2_pkg::Aside;
  localparam int unsigned AsideW = $clog2(Aside);

  typedef struct packed {
    logic                       error;
    logic                       dirty;
    logic [1:0]                 sector;
    logic [l2_pkg::SlotW-1:0]   slot;
    logic [l2_pkg::PlaceW-1:0]  place;
  } aside_t;
  aside_t            aside_q [Aside];
  logic [AsideW-1:0] head_q, tail;
  logic [AsideW:0]   count_q;
  logic [2:0]        age_q;      // cycles that waiters have kept the head waiting
  logic              push, pop;
  aside_t            head;

  if (l2_pkg::Narrow) begin : g_apart
    logic [l2_pkg::Apart-2:0] since_q;
    always_ff @(posedge clk_i) since_q <= (l2_pkg::Apart - 1)'({since_q, op_valid_o});
    assign rest_o = op_valid_o || since_q[l2_pkg::Apart-3:0] != '0;
    assign ends_o = since_q[l2_pkg::Apart-2];
    logic unused_ready;
    assign unused_ready = op_ready_i;
  end else begin : g_every_cycle
    assign rest_o = op_valid_o && !op_ready_i;
    assign ends_o = op_valid_o && op_ready_i;
  end

  assign aside_any_o = !l2_pkg::Narrow && count_q != '0;
  assign aside_full_o = count_q[AsideW];
  assign aside_urgent_o = age_q == '1;
  always_comb begin
    aside_place_o = 1'b0;
    if (aside_any_o)
      for (int unsigned n = 0; n < Aside; n++)
        if ((AsideW + 1)'(n) < count_q && aside_q[head_q + AsideW'(n)].place == place_i) aside_place_o = 1'b1;
  end
  // The data stage evicts no line in the cycle before it writes it: not behind an operation on it, nor as long as one waits
  // there.
  assign just_used_o = !l2_pkg::Narrow && (!op_ready_i || (op_valid_o && !op_o.evict && op_o.place == place_i));

  assign tail = head_q + count_q[AsideW-1:0];
  assign head = aside_q[head_q];
  assign push = !l2_pkg::Narrow && perform_i && (drain_i || aside_any_o);
  assign pop = aside_any_o && !drain_i && !rest_o;

  always_ff @(posedge clk_i) begin
    op_valid_o <= drain_i || pop || perform_i || evict_i || (!l2_pkg::Narrow && rest_o);
    if (drain_i || pop || perform_i || evict_i) begin
      op_o.evict <= evict_i;
      op_o.first <= evict_first_i;
      op_o.fill <= drain_i && drain_first_i && !drain_fill_i.error;
      op_o.fill_id <= drain_fill_i.id;
      op_o.line <= evict_line_i;
      if (drain_i) begin
        op_o.error <= drain_fill_i.error;
        op_o.slot <= drain_slot_i;
        op_o.place <= drain_place_i;
        op_o.sector <= drain_fill_i.id[1:0];
        op_o.dirty <= {4{drain_dirty_i}};
      end else if (aside_any_o) begin
        op_o.error <= head.error;
        op_o.slot <= head.slot;
        op_o.place <= head.place;
        op_o.sector <= head.sector;
        op_o.dirty <= {4{head.dirty}};
      end else begin
        op_o.error <= error_i;
        op_o.slot <= slot_i;
        op_o.place <= place_i;
        op_o.sector <= sector_i;
        op_o.dirty <= dirty_i;
      end
    end
    if (!rst_ni) op_valid_o <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (push) aside_q[tail] <= '{error: error_i, dirty: dirty_i[sector_i], sector: sector_i, slot: slot_i, place: place_i};
    if (aside_any_o || push) begin
      if (pop) head_q <= head_q + 1'b1;
      count_q <= count_q + (AsideW + 1)'(push) - (AsideW + 1)'(pop);
      age_q <= drain_i && aside_any_o ? age_q + 3'd1 : '0;
    end
    if (!rst_ni) begin
      count_q <= '0;
      age_q <= '0;
      head_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_aside: assert (count_q <= (AsideW + 1)'(Aside)) else $error("l2_operations: too many stand aside");
      // It would be lost.
      a_evict: assert (!evict_i || !(drain_i || aside_any_o || rest_o)) else $error("l2_operations: an eviction out of its turn");
    end
  end

endmodule
