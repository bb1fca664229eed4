// SPDX-License-Identifier: Apache-2.0
// Write-combining buffer of an SM, before its link to L2, where rows and sectors move whole. A warp's stores to a line are joined
// while the line waits here, so that pieces of a line leave together; all else passes by, in order.
//
//   st X[0:16) of line 5     opens a line
//   st X[16:32) of line 5    joined: one write, for which L2 sends one acknowledgement
//   ld of line 5             the line leaves first
//
// A line leaves
// - when somebody else comes to it: a read, an atomic, another warp's store, another pass of the last store's instruction;
// - when its warp waits for its stores to be acknowledged (a fence, a barrier, its end);
// - when another one needs its place;
// - when all of its bytes are there, while the link has nothing else to do;
// - 256 to 512 cycles after it was opened, at the latest.
// So requests to a sector stay in order. A line with sectors that are not whole takes a cycle more on the link where the preset says so
// (latency class Mask): for the bytes that are written.
//
//   cycle   0          1          2      3      4      5
//   in      st 5       ld 5       ld 5   ld 5   ld 5   -
//   out     -          -          5.0    5.1    ld 5   -         // it had sectors 0 and 1, whole
module write_combine #(
  parameter int unsigned Lines = config_pkg::WriteCombineLines == 0 ? 4 : config_pkg::WriteCombineLines,
  parameter bit          MaskTurn = config_pkg::Latency[isa_pkg::LatMask] != '0,
  parameter int unsigned TickW = 8  // of a counter of cycles; a line sees it run over once before it must leave
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              in_valid_i,
  output logic                              in_ready_o,
  input  lsu_pkg::line_req_t                in_i,
  input  lsu_pkg::line_data_t               in_data_i,
  input  logic [config_pkg::WarpsPerSm-1:0] wanted_i,       // warps that wait for their stores
  // A store was joined: so many of its sectors are acknowledged with those that were there.
  output logic [2:0]                        joined_o,
  output logic [config_pkg::WarpW-1:0]      joined_warp_o,

  output logic                              out_valid_o,
  output lsu_pkg::line_req_t                out_o,
  input  logic                              out_done_i,     // its last beat leaves
  input  lsu_pkg::sector_t                  out_sector_i,   // of which these are
  output logic [mem_pkg::PieceBytes-1:0]    out_mask_o,
  output logic [mem_pkg::PieceBits-1:0]     out_data_o,
  output logic [gpu_pkg::SeqW-1:0]          out_seq_o       // in place of out_o.seq
);

  localparam int unsigned LineW = $clog2(Lines);
  localparam int unsigned Sectors = lsu_pkg::PassSectors;
  localparam int unsigned Words = lsu_pkg::PieceWords;
  typedef logic [LineW-1:0] place_t;
  typedef logic [Lines-1:0] places_t;

  typedef struct packed {
    lsu_pkg::line_t               line;
    lsu_pkg::sectors_t            sectors;
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;      // the last store
    logic [Sectors-1:0][gpu_pkg::SeqW-1:0] seqs;  // of each sector the last one, for the trace ports
  } open_t;

  open_t                 open_q [Lines];
  lsu_pkg::line_data_t   data_q [Lines];
  // Lines that are there; that are whole; with sectors that are not; old by one tick, by two.
  places_t               used_q, whole_q, parts_q, old_q, due_q;
  logic [TickW-1:0]      tick_q;
  logic                  leaves_q, masked_q;                // masked_q: the bytes of what leaves have been told
  place_t                leaving_q, next_q;                 // next_q: from here on one is chosen
  logic [config_pkg::WarpsPerSm-1:0] wanted_q;

  function automatic place_t lowest(input places_t places);
    return place_t'(prim_pkg::first64(64'(places)));
  endfunction

  // ---- what comes: is its line here? ------------------------------------------------------------------------
  places_t there, leaving;
  logic    hit, joinable, joins, opens, passes, frees;  // frees: what leaves has gone
  place_t  at, place;
  lsu_pkg::sectors_t again;
  assign leaving = leaves_q ? places_t'(1) << leaving_q : '0;
  always_comb begin
    there = '0;
    if (in_valid_i && used_q != '0)
      for (int unsigned n = 0; n < Lines; n++) there[n] = used_q[n] && open_q[n].line == in_i.line;
  end
  assign hit = there != '0;
  assign at = lowest(there);
  assign frees = leaves_q && out_done_i;
  assign joinable = in_valid_i && in_i.kind == mem_pkg::ReqWrite && in_i.joins;
  assign joins = joinable && hit && (there & leaving) == '0 && open_q[at].warp == in_i.warp && open_q[at].seq != in_i.seq;
  assign opens = joinable && (hit ? frees && there == leaving : !(&used_q) || frees);
  assign passes = in_valid_i && !joinable && !hit && !leaves_q;
  assign place = joins ? at : hit || (&used_q) ? leaving_q : lowest(~used_q);
  assign in_ready_o = joins || opens || (passes && out_done_i);
  assign again = in_i.sectors & open_q[at].sectors;
  assign joined_o = joins ? 3'(prim_pkg::popcount32(32'(again))) : '0;
  assign joined_warp_o = in_i.warp;

  // ---- what leaves next ---------------------------------------------------------------------------------------
  places_t due, leave, after;
  logic    chooses;
  always_comb begin
    due = '0;
    leave = '0;
    if (used_q != '0) begin
      for (int unsigned n = 0; n < Lines; n++) due[n] = used_q[n] && (due_q[n] || wanted_q[open_q[n].warp]);
      due &= ~leaving;
      if (due != '0) leave = due;
      else if (hit && !joins) leave = there;
      else if (joinable && !hit && (&used_q)) leave = used_q;
      else if (!in_valid_i || joinable) leave = whole_q & used_q;
      leave &= ~leaving;
    end
  end
  assign after = leave & ({Lines{1'b1}} << next_q);
  assign chooses = leaves_q ? out_done_i : !passes || out_done_i;

  // ---- to the link ---------------------------------------------------------------------------------------------
  logic tells;   // the turn in which a link without place for them is told the bytes
  assign tells = MaskTurn && leaves_q && parts_q[leaving_q] && !masked_q;
  assign out_valid_o = leaves_q ? !tells : passes;
  always_comb begin
    out_o = in_i;
    if (leaves_q) begin
      out_o = '0;
      out_o.kind = mem_pkg::ReqWrite;
      out_o.id = mem_pkg::IdW'(open_q[leaving_q].warp);
      out_o.line = open_q[leaving_q].line;
      out_o.sectors = open_q[leaving_q].sectors;
      out_o.last = 1'b1;
      out_o.warp = open_q[leaving_q].warp;
    end
  end
  always_comb begin
    out_mask_o = '0;
    out_data_o = '0;
    out_seq_o = in_i.seq;
    if (leaves_q) begin
      out_mask_o = data_q[leaving_q].mask[Words*out_sector_i+:Words];
      out_data_o = data_q[leaving_q].data[Words*out_sector_i+:Words];
      out_seq_o = open_q[leaving_q].seqs[out_sector_i];
    end else if (passes) begin
      out_mask_o = in_data_i.mask[Words*out_sector_i+:Words];
      out_data_o = in_data_i.data[Words*out_sector_i+:Words];
    end
  end

  // ---- what is kept ----------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin : keep
    automatic lsu_pkg::line_data_t merged;
    automatic lsu_pkg::sectors_t   sectors;
    automatic logic                parts;
    automatic open_t               now;
    if (joins || opens) begin
      merged = data_q[place];
      sectors = in_i.sectors;
      now = open_q[place];
      now.line = in_i.line;
      now.warp = in_i.warp;
      now.seq = in_i.seq;
      for (int unsigned s = 0; s < Sectors; s++) if (in_i.sectors[s]) now.seqs[s] = in_i.seq;
      if (opens) merged.mask = '0;
      else sectors |= open_q[place].sectors;
      for (int unsigned w = 0; w < Sectors * Words; w++) begin
        if (in_i.sectors[w/Words]) begin
          for (int unsigned b = 0; b < 4; b++) if (in_data_i.mask[w][b]) merged.data[w][8*b+:8] = in_data_i.data[w][8*b+:8];
          merged.mask[w] |= in_data_i.mask[w];
        end
      end
      parts = 1'b0;
      for (int unsigned s = 0; s < Sectors; s++) if (sectors[s] && !(&merged.mask[s*Words+:Words])) parts = 1'b1;
      data_q[place] <= merged;
      now.sectors = sectors;
      open_q[place] <= now;
      whole_q[place] <= &merged.mask;
      parts_q[place] <= parts;
    end
  end

  always_ff @(posedge clk_i) begin
    wanted_q <= wanted_i;
    if (used_q != '0) begin
      tick_q <= tick_q + 1'b1;
      if (&tick_q) begin
        due_q <= due_q | old_q;
        old_q <= used_q;
      end
    end
    if (frees) used_q[leaving_q] <= 1'b0;
    if (opens) begin
      used_q[place] <= 1'b1;
      old_q[place] <= 1'b0;
      due_q[place] <= 1'b0;
    end
    masked_q <= leaves_q && !out_done_i;
    if (chooses) begin
      leaves_q <= leave != '0;
      if (leave != '0) begin
        leaving_q <= lowest(after != '0 ? after : leave);
        next_q <= lowest(after != '0 ? after : leave) + 1'b1;
      end
    end
    if (!rst_ni) begin
      used_q <= '0;
      tick_q <= '0;
      leaves_q <= 1'b0;
      masked_q <= 1'b0;
      next_q <= '0;
      wanted_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_one: assert ((there & (there - 1'b1)) == '0) else $error("write_combine: a line is here twice");
      a_leaving: assert (!leaves_q || used_q[leaving_q]) else $error("write_combine: a line leaves that is not here");
    end
  end

endmodule
