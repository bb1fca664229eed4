// SPDX-License-Identifier: Apache-2.0
// Scoreboard of a sub-partition: which results are still under way, and which warps' decoded instruction
// must wait for one.
//
//   warp 3 has FFMA R4 in entry 0 and LDG.64 R6 in entry 1; decoded now: IADD R8, R7, R1
//   -> rows = 0b10 (R7 is of the pair at R6); the load's end clears bit 1: the warp is free to issue
//
// Results of lane units wake their readers before they are written (core_pkg::WakeAhead): those of rows, and of predicates
// as data. A guard is read at issue and waits for the end, as does who writes the same predicate.
// Where Crosses, who reads a result of another pipe than its own (core_pkg::pipe_of) waits a cycle longer:
//
//   cycle       0              1           2
//   wake_i      of IADD R4
//   clear_o                    IADD R4     FFMA R4
//
// Each warp has sm_pkg::Results destinations under way: a register, aligned pair or quad, and up to two predicates.
// A decoded instruction is compared with them once; later only ends of results clear bits, so a
// waiting warp costs nothing. Write-after-read is no hazard here: operand collectors keep that order.
// BAR.RED is not known here, for other parts of its warp go on meanwhile, and may wait for the same barrier: the
// convergence unit holds its lanes until their result is written.
module scoreboard #(
  parameter bit Crosses = core_pkg::Crosses
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_valid_i,  // a warp begins with nothing under way
  input  core_pkg::warp_t    start_warp_i,
  // A newly decoded instruction.
  input  logic               check_valid_i,
  input  core_pkg::warp_t    check_warp_i,
  input  core_pkg::decoded_t check_i,
  // An instruction is issued to a unit and has this destination (rd 255, pd and pq 7: none).
  input  logic               issue_valid_i,
  input  core_pkg::warp_t    issue_warp_i,
  input  core_pkg::pipe_e    issue_pipe_i,
  input  logic               issue_blocks_i, // nothing else of the warp issues before its end
  input  logic [7:0]         issue_rd_i,
  input  logic [1:0]         issue_rd_log2_i,
  input  logic [2:0]         issue_pd_i,
  input  logic [2:0]         issue_pq_i,
  output sm_pkg::entry_t     issue_entry_o,  // where that is kept; 0 for the only result of a warp
  // An instruction has ended.
  input  logic               end_valid_i,
  input  core_pkg::warp_t    end_warp_i,
  input  logic               end_has_i,      // a destination
  input  sm_pkg::entry_t     end_entry_i,    // in this entry
  // A result is on its way: who reads it, or writes its rows, may issue from the next cycle on.
  input  core_pkg::wake_t    wake_i,

  output core_pkg::warps_t   clear_o,        // the decoded instruction depends on nothing
  output core_pkg::warps_t   room_o,         // there is an entry for its result
  output core_pkg::warps_t   blocked_o,      // an instruction that blocks is under way
  output core_pkg::warps_t   idle_o          // nothing of the warp is under way
);

  localparam int unsigned Entries = sm_pkg::Results;
  localparam int unsigned Warps = core_pkg::Warps;
  localparam int unsigned CountW = 6;
  // Where rows move whole, what rests costs nothing to simulate; a small multiprocessor saves the gates.
  localparam bit Gated = sm_pkg::RowSlices == 1;
  localparam bit Wakes = core_pkg::WakeAhead > 0;
  localparam bit Late = Crosses && Wakes;
  localparam bit Refills = sm_pkg::RowSlices == 1;  // an instruction is decoded in the cycle in which the one before it issues
  typedef logic [Entries-1:0] entries_t;

  typedef struct packed {
    logic [7:0] rd;
    logic [1:0] log2;
    logic [2:0] pd;
    logic [2:0] pq;
    core_pkg::pipe_e pipe;
  } result_t;

  entries_t          valid_q [Warps];
  entries_t          depends_q [Warps];  // for whose end the decoded instruction waits
  entries_t          early_q [Warps];    // for which to come it waits
  entries_t          woken_q [Warps];    // which come: who may have them early waits no more
  entries_t          crosses_q [Warps];  // of early_q those of other pipes
  logic [CountW-1:0] count_q [Warps];  // instructions under way
  core_pkg::warps_t  clear_q;          // depends_q and early_q are 0
  core_pkg::warps_t  held_q;           // they are, but what was told last came from another pipe
  core_pkg::warps_t  room_q;           // an entry is free
  core_pkg::warps_t  idle_q;           // count_q is 0
  core_pkg::warps_t  blocked_q;        // an instruction that blocks is under way

  assign clear_o = clear_q;
  assign room_o = room_q;
  assign blocked_o = blocked_q;
  assign idle_o = idle_q;

  // Do the register ranges share a register? Ranges are aligned to their size.
  function automatic logic overlap(input logic [7:0] a, input logic [1:0] a_log2, input logic [7:0] b,
                                   input logic [1:0] b_log2);
    logic [7:0] differ;
    logic [1:0] log2;
    differ = a ^ b;
    log2 = a_log2 | b_log2;  // 0, 1, 2: the wider one, or 3 for 1 and 2
    return log2[1] ? differ[7:2] == 6'd0 : log2[0] ? differ[7:1] == 7'd0 : differ == 8'd0;
  endfunction

  function automatic logic [7:0] predicate_bit(input logic [2:0] index);
    return (8'd1 << index) & 8'h7f;  // PT falls off
  endfunction

  // Does the decoded instruction need the result's rows, as a source or as a place for its own, or its predicates as data?
  function automatic logic needs_early(input core_pkg::decoded_t instr, input result_t r);
    logic       hit;
    logic [7:0] data;
    data = predicate_bit(instr.psrc[2:0]) | predicate_bit(instr.psrc2[2:0]);
    hit = data[r.pd] || data[r.pq];
    if (r.rd != 8'd255) begin
      hit = hit || (instr.reads[0] && overlap(instr.ra, instr.ra_log2 | {1'b0, instr.reads[1]}, r.rd, r.log2));
      hit = hit || (instr.reads[2] && overlap(instr.rb, instr.rb_log2 | {1'b0, instr.reads[3]}, r.rd, r.log2));
      hit = hit || (instr.reads[4] && overlap(instr.rc, instr.rc_log2 | {1'b0, instr.reads[5]}, r.rd, r.log2));
      hit = hit || (instr.steps == 2'd2 && overlap(instr.re, 2'd0, r.rd, r.log2));
      hit = hit || (instr.rd != 8'd255 && overlap(instr.rd, instr.rd_log2, r.rd, r.log2));
    end
    return hit;
  endfunction

  result_t result;  // what is issued
  assign result = '{rd: issue_rd_i, log2: issue_rd_log2_i, pd: issue_pd_i, pq: issue_pq_i, pipe: Late ? issue_pipe_i : core_pkg::PipeBits};

  // One memory an entry: all entries of a warp are compared at once.
  result_t [Entries-1:0] check_results;
  entries_t              place;
  for (genvar e = 0; e < int'(Entries); e++) begin : g_entry
    result_t result_q [Warps];
    always_comb begin
      check_results[e] = '0;
      if (!Gated || check_valid_i) check_results[e] = result_q[check_warp_i];
    end
    always_ff @(posedge clk_i) begin
      if (place[e]) result_q[issue_warp_i] <= result;
    end
  end

  logic              has_result, same;
  entries_t          ended;
  assign has_result = issue_rd_i != 8'd255 || issue_pd_i != 3'd7 || issue_pq_i != 3'd7;
  assign same = issue_valid_i && end_valid_i && issue_warp_i == end_warp_i;

  always_comb begin
    place = '0;
    if (issue_valid_i && has_result) place = ~valid_q[issue_warp_i] & (valid_q[issue_warp_i] + entries_t'(1));
    ended = end_valid_i && end_has_i ? entries_t'(1) << end_entry_i : '0;
  end
  entries_t woken, told;  // by wake_i; of end_warp_i: by that or by its end
  logic     both;         // tell one warp
  assign woken = Wakes && wake_i.valid ? entries_t'(1) << wake_i.entry : '0;
  assign both = wake_i.valid && end_valid_i && wake_i.warp == end_warp_i;
  assign told = ended | (both ? woken : '0);
  assign issue_entry_o = sm_pkg::entry_t'(prim_pkg::index32(32'(place)));

  core_pkg::pipe_e check_pipe;
  assign check_pipe = Late && check_valid_i ? core_pkg::pipe_of(check_i.op) : core_pkg::PipeBits;
  always_ff @(posedge clk_i) begin : keep
    automatic entries_t   hits, early, crosses, now;
    automatic logic [7:0] predicates;
    automatic logic       free, late;
    if (!rst_ni) begin
      clear_q <= '0;
      room_q <= '0;
      idle_q <= '1;
      blocked_q <= '0;
      held_q <= '0;
    end else begin
      if (Late) begin
        clear_q <= clear_q | held_q;
        held_q <= '0;
      end
      if (start_valid_i) begin
        valid_q[start_warp_i] <= '0;
        depends_q[start_warp_i] <= '0;
        if (Wakes) early_q[start_warp_i] <= '0;
        count_q[start_warp_i] <= '0;
        clear_q[start_warp_i] <= 1'b1;
        room_q[start_warp_i] <= 1'b1;
      end
      if (issue_valid_i) begin
        valid_q[issue_warp_i] <= valid_q[issue_warp_i] | place;
        if (Wakes) woken_q[issue_warp_i] <= woken_q[issue_warp_i] & ~place;
        if (!same) begin
          count_q[issue_warp_i] <= count_q[issue_warp_i] + CountW'(1);
          room_q[issue_warp_i] <= (~(valid_q[issue_warp_i] | place)) != '0 &&
                                  count_q[issue_warp_i] < CountW'(2**CountW - 3);
        end
        idle_q[issue_warp_i] <= 1'b0;
        if (issue_blocks_i) blocked_q[issue_warp_i] <= 1'b1;
      end
      if (end_valid_i) begin
        valid_q[end_warp_i] <= (valid_q[end_warp_i] & ~ended) | (same ? place : '0);
        room_q[end_warp_i] <= (~((valid_q[end_warp_i] & ~ended) | (same ? place : '0))) != '0;
        if (!same) begin
          count_q[end_warp_i] <= count_q[end_warp_i] - CountW'(1);
          if (count_q[end_warp_i] == CountW'(1)) begin
            idle_q[end_warp_i] <= 1'b1;
            blocked_q[end_warp_i] <= 1'b0;
          end
        end
        depends_q[end_warp_i] <= depends_q[end_warp_i] & ~ended;
        if (Wakes) early_q[end_warp_i] <= early_q[end_warp_i] & ~told;
        free = (depends_q[end_warp_i] & ~ended) == '0 && (!Wakes || (early_q[end_warp_i] & ~told) == '0);
        late = Late && (early_q[end_warp_i] & crosses_q[end_warp_i] & told) != '0;
        clear_q[end_warp_i] <= free && !late;
        if (Late) held_q[end_warp_i] <= free && late;
      end
      if (Wakes && wake_i.valid) begin
        woken_q[wake_i.warp] <= (issue_valid_i && issue_warp_i == wake_i.warp ? woken_q[wake_i.warp] & ~place
                                                                              : woken_q[wake_i.warp]) | woken;
        if (!both) begin
          early_q[wake_i.warp] <= early_q[wake_i.warp] & ~woken;
          free = depends_q[wake_i.warp] == '0 && (early_q[wake_i.warp] & ~woken) == '0;
          late = Late && (early_q[wake_i.warp] & crosses_q[wake_i.warp] & woken) != '0;
          clear_q[wake_i.warp] <= free && !late;
          if (Late) held_q[wake_i.warp] <= free && late;
        end
      end
      if (check_valid_i) begin
        hits = '0;
        early = '0;
        crosses = '0;
        predicates = predicate_bit(check_i.guard[2:0]) | predicate_bit(check_i.pd) | predicate_bit(check_i.pq);
        for (int unsigned e = 0; e < Entries; e++) begin
          if (valid_q[check_warp_i][e]) begin
            hits[e] = predicates[check_results[e].pd] || predicates[check_results[e].pq];
            early[e] = needs_early(check_i, check_results[e]);
            crosses[e] = Late && check_results[e].pipe != check_pipe;
          end
        end
        // A result that ends in this very cycle is no hazard, and its end comes only once; so with those who wake.
        now = end_valid_i && end_warp_i == check_warp_i ? ended : '0;
        hits = hits & ~now;
        if (Wakes) begin
          early = early & ~woken_q[check_warp_i];
          if (wake_i.valid && wake_i.warp == check_warp_i) now = now | woken;
        end
        late = (early & crosses & now) != '0;
        early = early & ~now;
        if (!Wakes) begin  // one kind will do
          hits = hits | early;
          early = '0;
        end
        // The instruction before it issues in this very cycle, so that its result is not kept yet, nor woken.
        if (Refills && issue_valid_i && issue_warp_i == check_warp_i) begin
          if (predicates[issue_pd_i] || predicates[issue_pq_i]) hits = hits | place;
          if (needs_early(check_i, result)) early = early | place;
          if (Late && result.pipe != check_pipe) crosses = crosses | place;
        end
        depends_q[check_warp_i] <= hits;
        if (Wakes) early_q[check_warp_i] <= early;
        free = hits == '0 && early == '0;
        clear_q[check_warp_i] <= free && !late;
        if (Late) begin
          crosses_q[check_warp_i] <= crosses;
          held_q[check_warp_i] <= free && late;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An end without an entry means that a result was lost or doubled on the way.
      a_end: assert (!(end_valid_i && end_has_i) || (ended & valid_q[end_warp_i]) != '0) else $error("scoreboard: end of nothing");
      a_wake: assert (!wake_i.valid || (Wakes && (woken & valid_q[wake_i.warp]) != '0)) else $error("scoreboard: no such rows");
      a_count: assert (!end_valid_i || !idle_q[end_warp_i]) else $error("scoreboard: more ends than issues");
      a_room: assert (!(issue_valid_i && has_result) || place != '0) else $error("scoreboard: no entry free");
      // The check must see every older instruction of its warp.
      a_check: assert (Refills || !(check_valid_i && issue_valid_i) || check_warp_i != issue_warp_i)
        else $error("scoreboard: check and issue of one warp in one cycle");
    end
  end

endmodule
