// SPDX-License-Identifier: Apache-2.0
// Groups of asynchronous copies (LDGSTS) of each warp of a sub-partition, and which warps' decoded instruction waits for them.
//
//   LDGSTS LDGSTS LDGDEPBAR  LDGSTS LDGDEPBAR  DEPBAR 1
//   group 0                  group 1           group 2 is open: the warp waits until both copies of group 0 have ended
//
// A warp has one group that is open, to which its copies belong, and up to seven that are closed and not complete, so DEPBAR 7
// waits for none. Where parts of a warp close groups by turns each waits for what it closed itself, and perhaps for more: a
// group that others closed since counts as one of the latest.
module copy_groups #(
  parameter int unsigned Most = 16,  // copies under way a warp, as on an H200
  parameter int unsigned Lag = 32'(config_pkg::Latency[isa_pkg::LatCopy])
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_valid_i,  // a warp begins with nothing under way
  input  core_pkg::warp_t    start_warp_i,
  // A newly decoded instruction.
  input  logic               check_valid_i,
  input  core_pkg::warp_t    check_warp_i,
  input  logic [7:0]         check_op_i,
  input  logic               check_all_i,    // DEPBAR: for all copies
  input  logic [15:0]        check_most_i,   // else until so many closed groups are left
  // An instruction is issued.
  input  logic               issue_valid_i,
  input  core_pkg::warp_t    issue_warp_i,
  input  logic [7:0]         issue_op_i,
  output sm_pkg::entry_t     group_o,        // of a copy that is
  // A copy has ended.
  input  logic               end_valid_i,
  input  core_pkg::warp_t    end_warp_i,
  input  sm_pkg::entry_t     end_group_i,

  output core_pkg::warps_t   held_o          // the decoded instruction waits
);

  localparam int unsigned Warps = core_pkg::Warps;
  localparam int unsigned Groups = 8;
  localparam int unsigned CountW = $clog2(Most + 1);
  typedef logic [$clog2(Groups)-1:0] group_t;
  typedef logic [Groups-1:0]  groups_t;
  typedef logic [CountW-1:0]  count_t;

  // What the decoded instruction asks for.
  typedef struct packed {
    logic   copies;
    logic   closes;
    logic   waits;
    logic   all;
    group_t most;
  } asks_t;

  group_t           open_q [Warps];
  count_t           count_q [Warps][Groups];  // copies under way
  groups_t          busy_q [Warps];           // groups with some
  count_t           total_q [Warps];
  asks_t            asks_q [Warps];
  core_pkg::warps_t asking_q, held_q;
  assign group_o = sm_pkg::entry_t'(open_q[issue_warp_i]);
  assign held_o = held_q;

  // ---- ends, by the preset's lag later -----------------------------------------------------------------
  logic            end_valid;
  core_pkg::warp_t end_warp;
  group_t          end_group;
  if (Lag == 0) begin : g_at_once
    assign {end_valid, end_warp, end_group} = {end_valid_i, end_warp_i, group_t'(end_group_i)};
  end else begin : g_later
    // A ring: place now_q is this cycle's.
    typedef logic [$clog2(Lag + 1)-1:0] place_t;
    typedef struct packed {
      core_pkg::warp_t warp;
      group_t          group;
    } ended_t;
    logic [Lag:0] ends_q;
    ended_t       ended_q [Lag+1];
    place_t       now_q, place;
    assign place = now_q == '0 ? place_t'(Lag) : now_q - 1'b1;
    assign end_valid = ends_q[now_q];
    assign {end_warp, end_group} = ended_q[now_q];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        now_q <= '0;
        ends_q <= '0;
      end else if (end_valid_i || ends_q != '0) begin  // else time may stand still
        now_q <= now_q == place_t'(Lag) ? '0 : now_q + 1'b1;
        ends_q[now_q] <= 1'b0;
        if (end_valid_i) ends_q[place] <= 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      if (end_valid_i) ended_q[place] <= '{warp: end_warp_i, group: group_t'(end_group_i)};
    end
  end

  // ---- what waits ----------------------------------------------------------------------------------------
  // Group `open` - k in bit k.
  function automatic groups_t by_age(input groups_t busy, input group_t open);
    groups_t aged;
    for (int unsigned k = 0; k < Groups; k++) aged[k] = busy[open-group_t'(k)];
    return aged;
  endfunction

  function automatic logic waits(input asks_t asks, input group_t open, input groups_t busy, input count_t total);
    groups_t aged;
    aged = by_age(busy, open);
    if (asks.copies) return total == count_t'(Most);
    if (asks.closes) return aged[Groups-1];
    return asks.waits && (asks.all ? aged != '0 : (aged >> asks.most) >> 1 != '0);
  endfunction

  asks_t checked;
  logic  copies, closes;
  always_comb begin
    checked.copies = check_op_i == isa_pkg::OpLdgsts;
    checked.closes = check_op_i == isa_pkg::OpLdgdepbar;
    checked.waits = check_op_i == isa_pkg::OpDepbar;
    checked.all = check_all_i;
    checked.most = check_most_i >= 16'(Groups - 1) ? '1 : group_t'(check_most_i);
  end
  assign copies = issue_valid_i && issue_op_i == isa_pkg::OpLdgsts;
  assign closes = issue_valid_i && issue_op_i == isa_pkg::OpLdgdepbar;

  logic asks_now;
  assign asks_now = check_valid_i && (checked.copies || checked.closes || checked.waits);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      asking_q <= '0;
      held_q <= '0;
    end else if (asks_now || (check_valid_i && asking_q[check_warp_i]) || copies || closes || end_valid) begin
      for (int unsigned w = 0; w < Warps; w++) begin
        automatic logic checks = check_valid_i && check_warp_i == core_pkg::warp_t'(w);
        automatic logic begins = copies && issue_warp_i == core_pkg::warp_t'(w);
        automatic logic ends = end_valid && end_warp == core_pkg::warp_t'(w);
        automatic logic shuts = closes && issue_warp_i == core_pkg::warp_t'(w);
        automatic logic same = begins && ends && end_group == open_q[w];
        if (checks || begins || ends || shuts) begin
          automatic asks_t   asks = checks ? checked : asks_q[w];
          automatic group_t  open = shuts ? open_q[w] + group_t'(1) : open_q[w];
          automatic groups_t busy = busy_q[w];
          automatic count_t  total = total_q[w];
          if (begins) busy[open_q[w]] = 1'b1;
          if (ends && !same) busy[end_group] = count_q[w][end_group] != count_t'(1);
          if (begins && !ends) total = total_q[w] + count_t'(1);
          if (ends && !begins) total = total_q[w] - count_t'(1);
          if (begins && !same) count_q[w][open_q[w]] <= count_q[w][open_q[w]] + count_t'(1);
          if (ends && !same) count_q[w][end_group] <= count_q[w][end_group] - count_t'(1);
          open_q[w] <= open;
          busy_q[w] <= busy;
          total_q[w] <= total;
          asks_q[w] <= asks;
          asking_q[w] <= asks.copies || asks.closes || asks.waits;
          held_q[w] <= waits(asks, open, busy, total);
        end
      end
    end
    if (start_valid_i) begin
      open_q[start_warp_i] <= '0;
      busy_q[start_warp_i] <= '0;
      total_q[start_warp_i] <= '0;
      asks_q[start_warp_i] <= '0;
      for (int unsigned g = 0; g < Groups; g++) count_q[start_warp_i][g] <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_end: assert (!end_valid || count_q[end_warp][end_group] != '0) else $error("copy_groups: end of a copy that is not under way");
      a_begin: assert (!copies || total_q[issue_warp_i] != count_t'(Most)) else $error("copy_groups: more copies than are counted");
      a_open: assert (!closes || !busy_q[issue_warp_i][open_q[issue_warp_i]+group_t'(1)]) else $error("copy_groups: a group opens that is not complete");
    end
  end

endmodule
