// SPDX-License-Identifier: Apache-2.0
// Predicates P0..P6 of every warp of a sub-partition: one bit a lane each, read by the issuing instruction (guard
// and two sources), written by results. A warp begins with all of them false.
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
  // Write lanes of mask: p to pd, q to pq (7: none).
  input  logic            wr_valid_i,
  input  core_pkg::warp_t wr_warp_i,
  input  sm_pkg::mask_t   wr_mask_i,
  input  logic [2:0]      pd_i,
  input  logic [2:0]      pq_i,
  input  sm_pkg::mask_t   p_i,
  input  sm_pkg::mask_t   q_i
);

  // Eight places a warp; the last is not used.
  sm_pkg::mask_t mem_q [8*core_pkg::Warps];
  logic [7:0]    valid_q [core_pkg::Warps];  // written since the warp began

  function automatic sm_pkg::mask_t read(input logic [3:0] source, input logic [7:0] valid, input sm_pkg::mask_t value);
    sm_pkg::mask_t v;
    v = source[2:0] == 3'd7 ? '1 : valid[source[2:0]] ? value : '0;
    return source[3] ? ~v : v;
  endfunction

  always_comb begin
    guard_o = '0;
    p_o = '0;
    p2_o = '0;
    if (rd_valid_i) begin
      guard_o = read(guard_i, valid_q[rd_warp_i], mem_q[{rd_warp_i, guard_i[2:0]}]);
      p_o = read(psrc_i, valid_q[rd_warp_i], mem_q[{rd_warp_i, psrc_i[2:0]}]);
      p2_o = read(psrc2_i, valid_q[rd_warp_i], mem_q[{rd_warp_i, psrc2_i[2:0]}]);
    end
  end

  function automatic sm_pkg::mask_t merge(input sm_pkg::mask_t mask, input sm_pkg::mask_t value, input logic valid,
                                          input sm_pkg::mask_t old);
    return (value & mask) | (valid ? old & ~mask : '0);
  endfunction

  always_ff @(posedge clk_i) begin
    if (wr_valid_i) begin
      // pq first: where both name one predicate, p wins.
      if (pq_i != 3'd7) begin
        mem_q[{wr_warp_i, pq_i}] <= merge(wr_mask_i, q_i, valid_q[wr_warp_i][pq_i], mem_q[{wr_warp_i, pq_i}]);
        valid_q[wr_warp_i][pq_i] <= 1'b1;
      end
      if (pd_i != 3'd7) begin
        mem_q[{wr_warp_i, pd_i}] <= merge(wr_mask_i, p_i, valid_q[wr_warp_i][pd_i], mem_q[{wr_warp_i, pd_i}]);
        valid_q[wr_warp_i][pd_i] <= 1'b1;
      end
    end
    if (start_valid_i) valid_q[start_warp_i] <= '0;
  end

endmodule
