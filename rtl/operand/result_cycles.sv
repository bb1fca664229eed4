// SPDX-License-Identifier: Apache-2.0
// Where rows move whole: which pipelined unit's result is written in which cycle. An instruction moves into the operand
// register only if the cycle of its result is still free; as it enters its unit, a cycle later, that is booked. So no
// result waits, and no unit is ever held up behind its first beat.
//
//   INT (3 cycles), FP64 (6)     cycle  0     1     2     3     4     5     6
//   FP64 takes DADD R4                  book                                R4, R5
//   INT would take IADD R6 next         open  open  no    open    in cycle 3 its result would come with R4
//
// A unit that has been refused for some time is the only one that is open, until its turn comes. None is open while the
// sources that take free cycles (load/store unit, warp unit, control) have waited for long.
// The scoreboard hears of a result WakeAhead cycles before it is written.
module result_cycles (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Units that can take an instruction in the next cycle, and for which one is there; and those that may. Those whose
  // results are not booked go along.
  input  core_pkg::units_t      wants_i,
  output core_pkg::units_t      open_o,
  // The instruction that a unit takes now (one bit).
  input  core_pkg::units_t      take_i,
  input  logic                  wakes_i,  // its readers may issue before it is written
  input  core_pkg::warp_t       warp_i,
  input  sm_pkg::entry_t        entry_i,  // of the scoreboard
  input  logic                  wait_i,   // another source waits
  output core_pkg::units_t      now_o,    // whose result is written now
  output core_pkg::wake_t       wake_o
);

  localparam int unsigned Units = core_pkg::Units;
  localparam int unsigned PlaceW = $clog2(core_pkg::LongestLatency + 2);
  localparam int unsigned Places = 2**PlaceW;
  localparam int unsigned PatienceW = 3;
  typedef logic [PlaceW-1:0]     place_t;
  typedef core_pkg::units_t units_t;

  typedef struct packed {
    units_t          unit;
    logic            wakes;  // the scoreboard hears of it before
    core_pkg::warp_t warp;
    sm_pkg::entry_t  entry;
  } result_t;

  // A ring: place now_q is this cycle's.
  place_t               now_q;
  logic [Places-1:0]    busy_q, busy;
  result_t              result_q [Places];
  result_t              written, comes, taken;
  units_t               first_q, allowed, refused, above;
  logic [PatienceW-1:0] others_q, refused_q;  // cycles in vain
  logic                 clash;

  function automatic place_t place_of(input place_t now, input int unsigned cycles);
    return now + place_t'(cycles);
  endfunction

  // ---- booking: the only instruction that enters a unit now ----------------------------------------------
  assign taken = '{unit: take_i, wakes: wakes_i, warp: warp_i, entry: entry_i};
  always_comb begin
    busy = busy_q;
    clash = 1'b0;
    comes = result_q[place_of(now_q, core_pkg::WakeAhead)];
    if (take_i != '0) begin
      for (int unsigned u = 0; u < Units; u++) begin
        if (take_i[u] && core_pkg::Latency[u] != 0) begin
          clash = busy_q[place_of(now_q, core_pkg::Latency[u])];
          busy[place_of(now_q, core_pkg::Latency[u])] = 1'b1;
          // What is booked for that very cycle; the result of that place is an old one.
          if (core_pkg::Latency[u] == core_pkg::WakeAhead) comes = taken;
        end
      end
    end
  end

  // ---- who may come next: taken a cycle later ---------------------------------------------------------------
  assign allowed = others_q == '1 ? '0 : refused_q == '1 ? wants_i & first_q : wants_i;
  always_comb begin
    open_o = allowed;
    if (allowed != '0) begin
      for (int unsigned u = 0; u < Units; u++) begin
        if (core_pkg::Latency[u] != 0 && busy[place_of(now_q, core_pkg::Latency[u] + 1)]) open_o[u] = 1'b0;
      end
    end
  end
  assign refused = wants_i & ~open_o;
  assign above = refused & ~(first_q | (first_q - units_t'(1)));

  assign written = result_q[now_q];
  assign now_o = busy_q[now_q] ? written.unit : '0;
  assign wake_o = '{valid: busy[place_of(now_q, core_pkg::WakeAhead)] && comes.wakes, warp: comes.warp, entry: comes.entry};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      now_q <= '0;
      busy_q <= '0;
      first_q <= '0;
      refused_q <= '0;
      others_q <= '0;
    end else begin
      if (busy != '0) begin  // else time may stand still
        now_q <= now_q + place_t'(1);
        busy_q <= busy & ~(Places'(1) << now_q);
      end
      if (wants_i != '0 || first_q != '0) begin
        if ((first_q & refused) != '0) begin
          if (refused_q != '1) refused_q <= refused_q + PatienceW'(1);
        end else begin
          refused_q <= '0;
          first_q <= above != '0 ? above & -above : refused & -refused;
        end
      end
      if (!wait_i || now_o == '0) others_q <= '0;
      else if (others_q != '1) others_q <= others_q + PatienceW'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (take_i != '0) begin
      for (int unsigned u = 0; u < Units; u++) begin
        if (take_i[u] && core_pkg::Latency[u] != 0) begin
          result_q[place_of(now_q, core_pkg::Latency[u])] <= taken;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Two results in one cycle: one of them would be lost.
      a_free: assert (!clash) else $error("result_cycles: a result's cycle is another's");
    end
  end

endmodule
