// SPDX-License-Identifier: Apache-2.0
// A preset's latency class Guard: how much later than the scoreboard hears of a predicate its warp may issue what that
// predicate guards, branches among it. Data (of SEL, VOTE, another ISETP) it is at once. Only there where the class has a lag.
//
//   lag 5        cycle  0               1 ... 5            6
//   end_valid_i         of ISETP P0
//   held_o              -               @P0 BRA waits      @P0 BRA issues
//
// A warp's predicate that is written again within the lag counts from the later end.
module guard_lag #(
  parameter int unsigned Lag = config_pkg::Latency[isa_pkg::LatGuard] == '0 ? 1 : 32'(config_pkg::Latency[isa_pkg::LatGuard])
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_valid_i,  // a warp begins: no predicate of it is late
  input  core_pkg::warp_t    start_warp_i,
  // A newly decoded instruction.
  input  logic               check_valid_i,
  input  core_pkg::warp_t    check_warp_i,
  input  logic [2:0]         check_guard_i,  // 7: none
  // An instruction is issued that writes these predicates (7: none); the scoreboard keeps its result in this entry.
  input  logic               issue_valid_i,
  input  core_pkg::warp_t    issue_warp_i,
  input  sm_pkg::entry_t     issue_entry_i,
  input  logic [2:0]         issue_pd_i,
  input  logic [2:0]         issue_pq_i,
  // The scoreboard hears that it has ended.
  input  logic               end_valid_i,    // with a result
  input  core_pkg::warp_t    end_warp_i,
  input  sm_pkg::entry_t     end_entry_i,
  output core_pkg::warps_t   held_o          // the decoded instruction's guard is late
);

  localparam int unsigned Warps = core_pkg::Warps;
  localparam int unsigned PlaceW = $clog2(Lag + 1);
  localparam int unsigned Places = 2**PlaceW;
  typedef logic [PlaceW-1:0] place_t;
  typedef logic [6:0] predicates_t;

  function automatic predicates_t bits_of(input logic [2:0] pd, input logic [2:0] pq);
    return 7'((8'd1 << pd) | (8'd1 << pq));  // PT falls off
  endfunction

  typedef struct packed {
    core_pkg::warp_t warp;
    predicates_t     predicates;
  } late_t;

  predicates_t       written_q [Warps * sm_pkg::Results];  // by what is under way
  // Ends of the last cycles, a ring: place now_q is this cycle's.
  late_t             ring_q [Places];
  logic [Places-1:0] valid_q;
  place_t            now_q, due;
  // Of each warp: which predicates are late, since which place, and the decoded instruction's guard.
  predicates_t       late_q [Warps];
  place_t [6:0]      since_q [Warps];
  logic [2:0]        guard_q [Warps];
  core_pkg::warps_t  held_q;
  assign held_o = held_q;

  typedef logic [$bits(core_pkg::warp_t)+$bits(sm_pkg::entry_t)-1:0] at_t;

  predicates_t come, go;  // become late, of end_warp_i; are so no more, of leaving.warp
  late_t       leaving;
  assign due = now_q - place_t'(Lag);
  always_comb begin
    {come, go, leaving} = '0;
    if (end_valid_i) come = written_q[at_t'({end_warp_i, end_entry_i})];
    if (valid_q != '0) begin
      leaving = ring_q[due];
      for (int unsigned p = 0; p < 7; p++)
        go[p] = valid_q[due] && leaving.predicates[p] && since_q[leaving.warp][p] == due && !(come[p] && end_warp_i == leaving.warp);
    end
  end

  always_ff @(posedge clk_i) begin
    automatic predicates_t late;
    automatic logic [7:0]  late_or_pt;
    if (!rst_ni) begin
      now_q <= '0;
      valid_q <= '0;
      held_q <= '0;
      for (int unsigned w = 0; w < Warps; w++) late_q[w] <= '0;
    end else begin
      if (valid_q != '0 || come != '0) begin  // else time may stand still
        now_q <= now_q + place_t'(1);
        valid_q[due] <= 1'b0;
        valid_q[now_q] <= come != '0;
      end
      if (come != '0) begin
        late_q[end_warp_i] <= late_q[end_warp_i] | come;
        if (|(8'(come) & (8'd1 << guard_q[end_warp_i]))) held_q[end_warp_i] <= 1'b1;
      end
      if (go != '0) begin
        if (end_warp_i == leaving.warp && come != '0) late_q[leaving.warp] <= (late_q[leaving.warp] | come) & ~go;
        else late_q[leaving.warp] <= late_q[leaving.warp] & ~go;
        if (|(8'(go) & (8'd1 << guard_q[leaving.warp]))) held_q[leaving.warp] <= 1'b0;
      end
      if (check_valid_i) begin
        late = late_q[check_warp_i];
        if (leaving.warp == check_warp_i) late = late & ~go;
        if (end_warp_i == check_warp_i) late = late | come;
        late_or_pt = {1'b0, late};
        held_q[check_warp_i] <= late_or_pt[check_guard_i];
      end
      if (start_valid_i) begin
        late_q[start_warp_i] <= '0;
        held_q[start_warp_i] <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (issue_valid_i) written_q[at_t'({issue_warp_i, issue_entry_i})] <= bits_of(issue_pd_i, issue_pq_i);
    if (check_valid_i) guard_q[check_warp_i] <= check_guard_i;
    if (come != '0) begin
      ring_q[now_q] <= '{warp: end_warp_i, predicates: come};
      for (int unsigned p = 0; p < 7; p++) if (come[p]) since_q[end_warp_i][p] <= now_q;
    end
  end

endmodule
