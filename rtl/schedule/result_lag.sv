// SPDX-License-Identifier: Apache-2.0
// A preset's latencies (section [latency]): what the scoreboard hears of a result comes later by the lag of the instruction's
// class, and by more for each further pass of the load/store unit. The result itself is written when the unit has it. Only there where
// some class has a lag.
//
//   lag 4        cycle  0       1    2    3    4       5
//   wake_i, of W        valid
//   wake_o              -       -    -    -    valid
//
// An instruction without a result has no entry: its end comes later by the lag of the last one of its warp. That is a fence's, behind
// which nothing is issued, or a store's. A fence may take longer than the rings are; a warp has one, so its end waits apart.
//
// One result a cycle comes and one goes. Of two ends that are due in one cycle the one that came later waits for the next
// cycle that is free; a wake whose cycle is taken is dropped, for the end follows.
module result_lag (
  input  logic               clk_i,
  input  logic               rst_ni,
  // An instruction is issued whose result the scoreboard keeps in this entry; or one without a result.
  input  logic               issue_valid_i,
  input  logic               issue_has_i,
  input  core_pkg::warp_t    issue_warp_i,
  input  sm_pkg::entry_t     issue_entry_i,
  input  sm_pkg::lag_t       issue_lag_i,
  input  sm_pkg::lag_t       issue_each_i,   // more for each pass beyond the first
  // The rows of a result are on their way; an instruction has ended, without an entry if it had no result.
  input  core_pkg::wake_t    wake_i,
  input  logic               end_valid_i,
  input  core_pkg::warp_t    end_warp_i,
  input  logic               end_has_i,
  input  sm_pkg::entry_t     end_entry_i,
  input  sm_pkg::passes_t    end_passes_i,   // beyond its first
  // The same, later.
  output core_pkg::wake_t    wake_o,
  output logic               end_valid_o,
  output core_pkg::warp_t    end_warp_o,
  output logic               end_has_o,
  output sm_pkg::entry_t     end_entry_o
);

  localparam int unsigned PlaceW = 9;
  localparam int unsigned Places = 2**PlaceW;
  typedef logic [PlaceW-1:0] place_t;
  typedef logic [Places-1:0] places_t;

  typedef struct packed {
    logic            has;
    core_pkg::warp_t warp;
    sm_pkg::entry_t  entry;
  } ended_t;

  typedef logic [$bits(core_pkg::warp_t)+$bits(sm_pkg::entry_t)-1:0] at_t;

  sm_pkg::lag_t lag_q [2**$bits(at_t)];
  sm_pkg::lag_t each_q [2**$bits(at_t)];
  sm_pkg::lag_t bare_lag_q [core_pkg::Warps];

  // Rings: place now_q is this cycle's.
  place_t          now_q, end_place, wake_place, end_lag, wake_lag;
  places_t         ends_q, wakes_q, ends, wakes;
  ended_t          ended_q [Places];
  ended_t          ended, end_now;
  core_pkg::wake_t woken_q [Places];
  core_pkg::wake_t wake_now;
  logic            wake_taken;

  // The first cycle from `after` on that is free: there are as many places as results that can be late.
  function automatic place_t first_free(input places_t busy, input place_t now, input place_t after);
    places_t from_now;
    from_now = places_t'({busy, busy} >> now);
    from_now = ~from_now & ({Places{1'b1}} << after);
    if (from_now[255:0] != '0) return place_t'(prim_pkg::first256(from_now[255:0]));
    return place_t'(prim_pkg::first256(from_now[511:256])) | place_t'(256);
  endfunction

  // A lag that is longer than the ring is as long as the ring.
  function automatic place_t lag_with(input sm_pkg::lag_t lag, input sm_pkg::lag_t each, input sm_pkg::passes_t passes);
    logic [15:0] sum;
    sum = 16'(lag) + 16'(passes) * 16'(each);
    return sum > 16'(Places - 1) ? '1 : place_t'(sum);
  endfunction
  assign end_lag = end_has_i ? lag_with(lag_q[{end_warp_i, end_entry_i}], each_q[{end_warp_i, end_entry_i}], end_passes_i)
                             : place_t'(bare_lag_q[end_warp_i]);
  assign wake_lag = place_t'(lag_q[{wake_i.warp, wake_i.entry}]);
  assign ended = '{has: end_has_i, warp: end_warp_i, entry: end_entry_i};

  // ---- ends behind a long fence: of each warp how many wait, and for how long, which the last of them says; they go in cycles that
  // others leave
  localparam int unsigned BareW = $clog2(config_pkg::LsuEntries + 1);
  sm_pkg::lag_t     bare_left_q [core_pkg::Warps];
  logic [BareW-1:0] bare_count_q [core_pkg::Warps];
  core_pkg::warps_t bare_q, bare_due;
  core_pkg::warp_t  bare_warp;
  logic             bare_waits, bare_goes;
  assign bare_waits = end_valid_i && !end_has_i && 32'(bare_lag_q[end_warp_i]) >= Places;
  always_comb begin
    bare_due = '0;
    if (bare_q != '0) for (int unsigned w = 0; w < core_pkg::Warps; w++) bare_due[w] = bare_q[w] && bare_left_q[w] == '0;
  end
  assign bare_warp = core_pkg::warp_t'(prim_pkg::first32(32'(bare_due)));
  assign bare_goes = bare_due != '0 && !ends[now_q];
  always_ff @(posedge clk_i) begin : bare
    if (bare_q != '0)
      for (int unsigned w = 0; w < core_pkg::Warps; w++) if (bare_left_q[w] != '0) bare_left_q[w] <= bare_left_q[w] - 1'b1;
    if (bare_goes) begin
      bare_count_q[bare_warp] <= bare_count_q[bare_warp] - 1'b1;
      bare_q[bare_warp] <= bare_count_q[bare_warp] != BareW'(1);
    end
    if (bare_waits) begin
      bare_left_q[end_warp_i] <= bare_lag_q[end_warp_i] - 1'b1;
      bare_q[end_warp_i] <= 1'b1;
      bare_count_q[end_warp_i] <= (bare_q[end_warp_i] ? bare_count_q[end_warp_i] : '0) +
                                  BareW'(!(bare_goes && bare_warp == end_warp_i));
    end
    if (!rst_ni) bare_q <= '0;
  end

  always_comb begin
    ends = ends_q;
    end_place = now_q;
    if (end_valid_i && !bare_waits) begin
      end_place = now_q + first_free(ends_q, now_q, end_lag);
      ends[end_place] = 1'b1;
    end
    end_now = ends_q[now_q] ? ended_q[now_q] : ended;
    wakes = wakes_q;
    wake_place = now_q + wake_lag;
    wake_taken = wakes_q[wake_place];
    if (wake_i.valid) wakes[wake_place] = 1'b1;
    wake_now = wakes_q[now_q] ? woken_q[now_q] : wake_i;
  end

  assign end_valid_o = ends[now_q] || bare_due != '0;
  assign {end_has_o, end_warp_o, end_entry_o} = ends[now_q] ? end_now : ended_t'{has: 1'b0, warp: bare_warp, entry: '0};
  assign wake_o = '{valid: wakes[now_q], warp: wake_now.warp, entry: wake_now.entry};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      now_q <= '0;
      ends_q <= '0;
      wakes_q <= '0;
    end else if (ends != '0 || wakes != '0) begin  // else time may stand still
      now_q <= now_q + place_t'(1);
      ends_q <= ends & ~(places_t'(1) << now_q);
      wakes_q <= wakes & ~(places_t'(1) << now_q);
    end
  end
  always_ff @(posedge clk_i) begin
    if (issue_valid_i && issue_has_i) begin
      lag_q[{issue_warp_i, issue_entry_i}] <= issue_lag_i;
      each_q[{issue_warp_i, issue_entry_i}] <= issue_each_i;
    end
    if (issue_valid_i && !issue_has_i) bare_lag_q[issue_warp_i] <= issue_lag_i;
    if (end_valid_i && !bare_waits) ended_q[end_place] <= ended;
    if (wake_i.valid && !wake_taken) woken_q[wake_place] <= wake_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Else a result would be lost.
      a_place: assert (!end_valid_i || bare_waits || !ends_q[end_place]) else $error("result_lag: no cycle is free for an end");
    end
  end

endmodule
