// SPDX-License-Identifier: Apache-2.0
// Picks the warp that issues in this cycle.
//
//   ready = 1011 0000, last issued: warp 4
//   loose round robin   -> 5: the next one after the last
//   greedy then oldest  -> 4: the same again; when it is not ready, the warp that began first
//   two-level           -> 5: round robin within a group of Group warps; another group only
//                             when no warp of this one is ready
//
// Whatever the policy, every Fair-th pick goes round all ready warps: warps that spin on something which a warp
// outside their group must do would else keep it from running for ever.
module warp_scheduler #(
  parameter int unsigned Group = 8,  // warps of a group (two-level)
  parameter int unsigned Fair  = 64  // a power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0]       policy_i,       // device_pkg::RegSchedPolicy
  input  logic             start_valid_i,  // a warp begins: it is the youngest
  input  core_pkg::warp_t  start_warp_i,
  input  core_pkg::warps_t ready_i,
  output logic             valid_o,        // issue is never refused
  output core_pkg::warp_t  warp_o
);

  localparam int unsigned Warps = core_pkg::Warps;
  localparam logic [1:0] Greedy = 2'd1;
  localparam logic [1:0] TwoLevel = 2'd2;
  localparam core_pkg::warps_t FirstGroup = Warps > Group ? core_pkg::warps_t'((64'd1 << Group) - 64'd1) : '1;

  core_pkg::warp_t  last_q;
  core_pkg::warp_t  fair_q;           // the last pick made by turns
  logic [$clog2(Fair)-1:0] picks_q;
  logic             fair_now_q;       // picks_q is 0: a pick by turns
  core_pkg::warps_t group_q;          // warps of the current group
  logic [Warps-1:0][Warps-1:0] older_q;  // [w]: warps that began before w

  function automatic core_pkg::warps_t group_of(input core_pkg::warp_t warp);
    return FirstGroup << (32'(warp) / Group * Group);
  endfunction

  // Of the ready warps, the one with none older among them.
  function automatic core_pkg::warp_t oldest(input core_pkg::warps_t set);
    for (int unsigned w = 0; w < Warps; w++) begin
      if (set[w] && (older_q[w] & set) == '0) return core_pkg::warp_t'(w);
    end
    return core_pkg::first_warp(set);
  endfunction

  assign valid_o = ready_i != '0;
  always_comb begin
    core_pkg::warps_t set;
    set = ready_i;
    warp_o = last_q;
    if (ready_i != '0) begin
      if (policy_i == Greedy && !fair_now_q) begin
        if (!ready_i[last_q]) warp_o = oldest(ready_i);
      end else begin
        if (Warps > Group && policy_i == TwoLevel && !fair_now_q && (ready_i & group_q) != '0) set &= group_q;
        warp_o = core_pkg::next_warp(set, fair_now_q ? fair_q : last_q);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      last_q <= '0;
      group_q <= FirstGroup;
      picks_q <= '0;
      fair_now_q <= 1'b1;
      fair_q <= '0;
    end else if (ready_i != '0) begin
      last_q <= warp_o;
      picks_q <= picks_q + 1'b1;
      fair_now_q <= picks_q == '1;
      if (fair_now_q) fair_q <= warp_o;
      if (policy_i == TwoLevel) group_q <= group_of(warp_o);
    end
  end

  // Ages: the newcomer is younger than all, and no longer older than anyone.
  core_pkg::warps_t newcomer;
  assign newcomer = core_pkg::warps_t'(1) << start_warp_i;
  always_ff @(posedge clk_i) begin
    if (start_valid_i) begin : start
      automatic logic [Warps-1:0][Warps-1:0] older = older_q;
      for (int unsigned w = 0; w < Warps; w++) older[w] = newcomer[w] ? ~newcomer : older[w] & ~newcomer;
      older_q <= older;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_ready: assert (!valid_o || ready_i[warp_o]) else $error("warp_scheduler: picked a warp that is not ready");
    end
  end

endmodule
