// SPDX-License-Identifier: Apache-2.0
// Predicates P0..P6 of every warp of a sub-partition: one bit a lane each, read by the issuing instruction (guard
// and two sources), written by results a slice at a time. A warp begins with all of them false.
//
// A memory's word holds all predicates of a warp's slice: the three sources are picked from one read word, and
// a write replaces the bits of its lanes in one or two predicates of the word that is there.
module predicate_file (
  input  logic            clk_i,
  input  logic            start_valid_i,
  input  core_pkg::warp_t start_warp_i,
  // Read, combinational. 3: negate; PT reads all ones.
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

  function automatic logic [2:0][Lanes-1:0] pick3(input logic [2:0][3:0] sources, input logic valid, input word_t word);
    return {pick(sources[2], valid, word), pick(sources[1], valid, word), pick(sources[0], valid, word)};
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
      p_o[s*Lanes+:Lanes] = '0;
      p2_o[s*Lanes+:Lanes] = '0;
      if (Slices > 1 || rd_valid_i) begin  // at rest costs nothing to simulate
        {guard_o[s*Lanes+:Lanes], p_o[s*Lanes+:Lanes], p2_o[s*Lanes+:Lanes]} =
            pick3({guard_i, psrc_i, psrc2_i}, valid_q[s][rd_warp_i], mem_q[rd_warp_i]);
      end
    end

    always_ff @(posedge clk_i) begin
      if (wr_valid_i && wr_slice_i == sm_pkg::slice_t'(s)) mem_q[wr_warp_i] <= word;
    end
  end

endmodule
