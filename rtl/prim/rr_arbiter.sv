// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter for N requesters, N <= 64: the first request above the last one served, else the
// lowest. A requester that keeps asking is served within N grants.
//
//   N = 4, last served 1: req 1011 -> gnt 1000 (3), then 0001 (0), then 0010 (1)
//
// The grant is combinational. The turn moves on only when advance_i is set (the grant was used).
module rr_arbiter #(
  parameter int unsigned  N      = 4,
  localparam int unsigned IndexW = (N > 1) ? $clog2(N) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [N-1:0]      req_i,
  input  logic              advance_i,  // the grant of this cycle is taken
  output logic              valid_o,    // there is a request
  output logic [N-1:0]      gnt_o,      // one bit, or 0
  output logic [IndexW-1:0] index_o     // of the bit in gnt_o
);

  logic [N-1:0] above_q;  // requesters after the last one served
  logic [N-1:0] first;

  assign valid_o = |req_i;
  always_comb begin
    {first, gnt_o, index_o} = '0;
    if (req_i != '0) begin
      first = |(req_i & above_q) ? (req_i & above_q) : req_i;
      gnt_o = first & (~first + N'(1));
      index_o = N <= 32 ? IndexW'(prim_pkg::index32(32'(gnt_o))) : IndexW'(prim_pkg::index64(64'(gnt_o)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) above_q <= '0;
    else if (advance_i) above_q <= ~(gnt_o | (gnt_o - N'(1)));
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Advancing without a grant would clear the turn for nobody.
      a_advance: assert (!advance_i || valid_o) else $error("rr_arbiter: advance without request");
      a_onehot: assert ((gnt_o & (gnt_o - N'(1))) == '0 && (gnt_o & ~req_i) == '0)
        else $error("rr_arbiter: grant is not one of the requests");
    end
  end

endmodule
