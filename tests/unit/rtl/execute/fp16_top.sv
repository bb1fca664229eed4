// SPDX-License-Identifier: Apache-2.0
// fp16_unit with a port for each field.
module fp16_top #(
  parameter int unsigned Lanes = 16
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          req_valid_i,
  output logic          req_ready_o,
  input  logic [15:0]   seq_i,
  input  logic [3:0]    slice_i,
  input  sm_pkg::mask_t mask_i,
  input  logic [7:0]    op_i,
  input  logic [17:0]   mod_i,
  input  sm_pkg::lanes_t p_i,
  input  sm_pkg::lanes_t p2_i,
  input  sm_pkg::row_t  a_i,
  input  sm_pkg::row_t  b_i,
  input  sm_pkg::row_t  c_i,
  output logic          rsp_valid_o,
  input  logic          rsp_ready_i,
  output logic [15:0]   seq_o,
  output logic [3:0]    slice_o,
  output sm_pkg::mask_t mask_o,
  output logic          we_o,
  output logic          wide_o,
  output logic          p_we_o,
  output sm_pkg::row_t  d_o,
  output sm_pkg::row_t  d_hi_o,
  output sm_pkg::lanes_t p_o,
  output sm_pkg::lanes_t q_o,
  output logic          busy_o
);
  sm_pkg::exec_req_t req;
  sm_pkg::exec_rsp_t rsp;

  always_comb begin
    req = '0;
    req.tag.seq = seq_i;
    req.tag.slice = sm_pkg::slice_t'(slice_i);
    req.tag.mask = mask_i;
    req.op = op_i;
    req.mod = mod_i;
    req.p = p_i;
    req.p2 = p2_i;
    req.a = a_i;
    req.b = b_i;
    req.c = c_i;
  end

  fp16_unit #(.Lanes(Lanes)) u_fp16_unit (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .req_i       (req),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .rsp_o       (rsp),
    .busy_o      (busy_o)
  );

  assign seq_o = rsp.tag.seq;
  assign slice_o = 4'(rsp.tag.slice);
  assign mask_o = rsp.tag.mask;
  assign we_o = rsp.we;
  assign wide_o = rsp.wide;
  assign p_we_o = rsp.p_we;
  assign d_o = rsp.d;
  assign d_hi_o = rsp.d_hi;
  assign p_o = rsp.p;
  assign q_o = rsp.q;
endmodule
