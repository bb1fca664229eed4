// SPDX-License-Identifier: Apache-2.0
// Where rows move whole: which pipelined unit's result is written in which cycle. A unit takes an instruction only if the
// cycle of its result is still free, and the next one, too, for a pair; then it is booked. So no result waits, and no unit
// is ever held up behind its first beat.
//
//   INT (3 cycles), FP16 (5)     cycle  0     1     2     3     4     5     6
//   FP16 takes HFMA2 R4                 book                          R4
//   INT asks for IADD R5                      -     no    book              R5     in cycle 2 its result would come with R4
//
// Units ask in the order of core_pkg::lanes_e; the first that was refused asks before all others from then on, and alone
// when it has asked in vain for some time. Nothing is booked while the sources that take free cycles (load/store unit,
// warp unit, control) have waited for long.
// The scoreboard hears of a result's last row WakeAhead cycles before it is written.
module result_cycles (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  input  logic [core_pkg::LaneUnits-1:0]             ask_i,    // the unit would take an instruction
  input  logic [core_pkg::LaneUnits-1:0]             wide_i,   // that has a pair as its result
  input  logic [core_pkg::LaneUnits-1:0]             wakes_i,  // and whose readers may issue before it is written
  input  core_pkg::lane_warps_t                      warp_i,
  input  core_pkg::lane_entries_t                    entry_i,  // of the scoreboard
  output logic [core_pkg::LaneUnits-1:0]             take_o,
  input  logic                                       wait_i,   // another source waits
  output logic [core_pkg::LaneUnits-1:0]             now_o,    // whose result is written now
  output logic                                       upper_o,  // of a pair
  output core_pkg::wake_t                            wake_o
);

  localparam int unsigned Units = core_pkg::LaneUnits;
  localparam int unsigned PlaceW = $clog2(core_pkg::LongestLatency + 2);
  localparam int unsigned Places = 2**PlaceW;
  localparam int unsigned PatienceW = 3;
  typedef logic [PlaceW-1:0] place_t;
  typedef logic [Units-1:0]  units_t;

  typedef struct packed {
    units_t         unit;
    logic           upper;
    logic           wakes;  // it is the last row, of which the scoreboard hears before
    core_pkg::warp_t warp;
    sm_pkg::entry_t entry;
  } row_t;

  // A ring: place now_q is this cycle's.
  place_t               now_q;
  logic [Places-1:0]    busy_q, busy;
  row_t                 row_q [Places];
  row_t                 written, comes;
  units_t               first_q, first, rest, refused, above;
  logic [PatienceW-1:0] others_q, refused_q;  // cycles in vain

  function automatic place_t place_of(input place_t now, input int unsigned cycles);
    return now + place_t'(cycles);
  endfunction

  function automatic row_t row_of(input int unsigned u, input logic upper);
    return '{unit: units_t'(1) << u, upper: upper, wakes: wakes_i[u] && upper == wide_i[u], warp: warp_i[u], entry: entry_i[u]};
  endfunction

  assign first = others_q == '1 ? '0 : ask_i & first_q;
  assign rest = others_q == '1 || refused_q == '1 ? '0 : ask_i & ~first_q;
  always_comb begin
    busy = busy_q;
    take_o = '0;
    comes = row_q[place_of(now_q, core_pkg::WakeAhead)];
    if (ask_i != '0) begin
      for (int unsigned turn = 0; turn < 2; turn++) begin
        for (int unsigned u = 0; u < Units; u++) begin
          if ((turn == 0 ? first[u] : rest[u]) && !busy[place_of(now_q, core_pkg::LaneLatency[u])] &&
              !(wide_i[u] && busy[place_of(now_q, core_pkg::LaneLatency[u] + 1)])) begin
            take_o[u] = 1'b1;
            busy[place_of(now_q, core_pkg::LaneLatency[u])] = 1'b1;
            if (wide_i[u]) busy[place_of(now_q, core_pkg::LaneLatency[u] + 1)] = 1'b1;
            // What is booked for that very cycle; the row of that place is an old one.
            if (core_pkg::LaneLatency[u] == core_pkg::WakeAhead) comes = row_of(u, 1'b0);
            if (wide_i[u] && core_pkg::LaneLatency[u] + 1 == core_pkg::WakeAhead) comes = row_of(u, 1'b1);
          end
        end
      end
    end
  end
  assign refused = ask_i & ~take_o;
  assign above = refused & ~(first_q | (first_q - units_t'(1)));

  assign written = row_q[now_q];
  assign now_o = busy_q[now_q] ? written.unit : '0;
  assign upper_o = busy_q[now_q] && written.upper;
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
      if (ask_i != '0 || first_q != '0) begin
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
    if (take_o != '0) begin
      for (int unsigned u = 0; u < Units; u++) begin
        if (take_o[u]) begin
          row_q[place_of(now_q, core_pkg::LaneLatency[u])] <= row_of(u, 1'b0);
          if (wide_i[u]) row_q[place_of(now_q, core_pkg::LaneLatency[u] + 1)] <= row_of(u, 1'b1);
        end
      end
    end
  end

endmodule
