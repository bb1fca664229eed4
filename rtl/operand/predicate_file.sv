// SPDX-License-Identifier: Apache-2.0
// Predicates P0..P6 of every warp of a sub-partition: one bit a lane each, read by the issuing instruction (guard
// and two sources), written by results a slice at a time. A warp begins with all of them false.
//
//   cycle 0  an instruction is asked for; its guard is read
//         1  (slices) its sources come
//         2  (whole rows) its sources come, with what is written in this very cycle: a result that its reader
//            did not wait for (core_pkg::WakeAhead)
//
// A younger instruction's result is never written before the third cycle.
// A memory's word holds all predicates of a warp's slice: the sources are picked from one read word, and
// a write replaces the bits of its lanes in one or two predicates of the word that is there.
module predicate_file (
  input  logic            clk_i,
  input  logic            start_valid_i,
  input  core_pkg::warp_t start_warp_i,
  // Read: the guard at once, the sources later. 3: negate; PT reads all ones. Of sources that are both PT, or PT negated,
  // nothing comes where rows move whole.
  input  logic            rd_valid_i,
  input  core_pkg::warp_t rd_warp_i,
  input  logic [3:0]      guard_i,
  input  logic [3:0]      psrc_i,
  input  logic [3:0]      psrc2_i,
  output sm_pkg::mask_t   guard_o,
  output sm_pkg::mask_t   p_o,
  output sm_pkg::mask_t   p2_o,
  // Write lanes of a slice: p to pd, q to pq (7: none). Where both name one predicate, p wins.
  input  logic            wr_valid_i,
  input  core_pkg::warp_t wr_warp_i,
  input  sm_pkg::slice_t  wr_slice_i,
  input  sm_pkg::lanes_t  wr_lanes_i,
  input  logic [2:0]      pd_i,
  input  logic [2:0]      pq_i,
  input  sm_pkg::lanes_t  p_i,
  input  sm_pkg::lanes_t  q_i
);

  localparam int unsigned Lanes = sm_pkg::RowLanes;
  localparam int unsigned Predicates = 7;
  typedef logic [Predicates-1:0][Lanes-1:0] word_t;

  // What is not written yet reads as PT does, before negation.
  function automatic sm_pkg::lanes_t pick(input logic [3:0] source, input logic valid, input word_t word);
    logic [Predicates:0][Lanes-1:0] values;
    logic [2:0]                     place;
    values = {{Lanes{1'b0}}, word};
    place = valid ? source[2:0] : 3'd7;
    return values[place] ^ {Lanes{source[3] != (source[2:0] == 3'd7)}};
  endfunction

  function automatic word_t merge(input word_t old, input sm_pkg::lanes_t lanes, input logic [2:0] pd, input logic [2:0] pq,
                                  input sm_pkg::lanes_t to_pd, input sm_pkg::lanes_t to_pq);
    word_t word;
    for (int unsigned i = 0; i < Predicates; i++) begin
      sm_pkg::lanes_t written;
      written = pd == 3'(i) || pq == 3'(i) ? lanes : '0;
      word[i] = (old[i] & ~written) | ((pd == 3'(i) ? to_pd : to_pq) & written);
    end
    return word;
  endfunction

  // A second copy, for writes: the slices share what puts a word together.
  localparam int unsigned Slices = sm_pkg::RowSlices;
  localparam int unsigned PlaceW = core_pkg::LocalWarpW + $clog2(Slices);
  typedef logic [PlaceW-1:0]            place_t;
  word_t                               copy_q [2**PlaceW];
  logic [Slices-1:0][core_pkg::Warps-1:0] valid_q;  // written since the warp began; else all false
  place_t                              place;
  word_t                               word;
  assign place = Slices == 1 ? place_t'(wr_warp_i) : place_t'({wr_warp_i, wr_slice_i});
  always_comb begin
    word = '0;
    if (Slices > 1 || wr_valid_i)
      word = merge(valid_q[wr_slice_i][wr_warp_i] ? copy_q[place] : '0, wr_lanes_i, pd_i, pq_i, p_i, q_i);
  end

  always_ff @(posedge clk_i) begin
    if (wr_valid_i) begin
      copy_q[place] <= word;
      valid_q[wr_slice_i][wr_warp_i] <= 1'b1;
    end
    if (start_valid_i) begin
      for (int unsigned s = 0; s < Slices; s++) valid_q[s][start_warp_i] <= 1'b0;
    end
  end

  for (genvar s = 0; s < int'(Slices); s++) begin : g_slice
    word_t mem_q [core_pkg::Warps];

    always_comb begin
      guard_o[s*Lanes+:Lanes] = '0;
      if (Slices > 1 || rd_valid_i)  // at rest costs nothing to simulate
        guard_o[s*Lanes+:Lanes] = pick(guard_i, valid_q[s][rd_warp_i], mem_q[rd_warp_i]);
    end

    if (Slices == 1) begin : g_later
      // The instruction whose sources come in the next cycle, and in this one.
      typedef struct packed {
        core_pkg::warp_t warp;
        logic [3:0]      psrc;
        logic [3:0]      psrc2;
      } sources_t;
      sources_t asked_q, sources_q;
      logic     asks_q, comes_q;
      always_ff @(posedge clk_i) begin
        asks_q <= rd_valid_i && (psrc_i[2:0] != 3'd7 || psrc2_i[2:0] != 3'd7);
        comes_q <= asks_q;
        if (rd_valid_i) asked_q <= '{warp: rd_warp_i, psrc: psrc_i, psrc2: psrc2_i};
        if (asks_q) sources_q <= asked_q;
      end
      logic written;
      assign written = wr_valid_i && wr_warp_i == sources_q.warp;
      always_comb begin
        p_o = '0;
        p2_o = '0;
        if (comes_q) begin
          p_o = pick(sources_q.psrc, written || valid_q[0][sources_q.warp], written ? word : mem_q[sources_q.warp]);
          p2_o = pick(sources_q.psrc2, written || valid_q[0][sources_q.warp], written ? word : mem_q[sources_q.warp]);
        end
      end
    end else begin : g_next
      always_ff @(posedge clk_i) begin
        if (rd_valid_i) begin
          p_o[s*Lanes+:Lanes] <= pick(psrc_i, valid_q[s][rd_warp_i], mem_q[rd_warp_i]);
          p2_o[s*Lanes+:Lanes] <= pick(psrc2_i, valid_q[s][rd_warp_i], mem_q[rd_warp_i]);
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (wr_valid_i && wr_slice_i == sm_pkg::slice_t'(s)) mem_q[wr_warp_i] <= word;
    end
  end

endmodule
