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

  // By cases, which synthesis makes a sum of products: cheaper than a tree of multiplexers.
  function automatic sm_pkg::lanes_t pick(input logic [3:0] source, input logic valid, input word_t word);
    sm_pkg::lanes_t value;
    unique case (source[2:0])
      3'd0:    value = word[0];
      3'd1:    value = word[1];
      3'd2:    value = word[2];
      3'd3:    value = word[3];
      3'd4:    value = word[4];
      3'd5:    value = word[5];
      3'd6:    value = word[6];
      default: value = '0;
    endcase
    return (value & {Lanes{valid}}) ^ {Lanes{source[3] != (source[2:0] == 3'd7)}};
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

  for (genvar s = 0; s < int'(sm_pkg::RowSlices); s++) begin : g_slice
    word_t            mem_q [core_pkg::Warps];
    core_pkg::warps_t valid_q;  // written since the warp began; else all false

    always_comb begin
      guard_o[s*Lanes+:Lanes] = '0;
      p_o[s*Lanes+:Lanes] = '0;
      p2_o[s*Lanes+:Lanes] = '0;
      if (rd_valid_i) begin
        {guard_o[s*Lanes+:Lanes], p_o[s*Lanes+:Lanes], p2_o[s*Lanes+:Lanes]} =
            pick3({guard_i, psrc_i, psrc2_i}, valid_q[rd_warp_i], mem_q[rd_warp_i]);
      end
    end

    always_ff @(posedge clk_i) begin
      if (wr_valid_i && wr_slice_i == sm_pkg::slice_t'(s)) begin
        mem_q[wr_warp_i] <= merge(valid_q[wr_warp_i] ? mem_q[wr_warp_i] : '0, wr_lanes_i, pd_i, pq_i, p_i, q_i);
      end
    end
    always_ff @(posedge clk_i) begin
      if (wr_valid_i && wr_slice_i == sm_pkg::slice_t'(s)) valid_q[wr_warp_i] <= 1'b1;
      if (start_valid_i) valid_q[start_warp_i] <= 1'b0;
    end
  end

endmodule
