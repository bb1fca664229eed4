// SPDX-License-Identifier: Apache-2.0
// The decode slots with a decoded instruction as one vector (core_pkg::decoded_t) and arrays packed.
module decode_slots_top (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [7:0]             registers_i,
  input  logic                   empty_i,
  input  logic                   fetch_valid_i,
  input  core_pkg::warp_t        fetch_warp_i,
  input  logic [31:0]            fetch_pc_i,
  input  logic [63:0]            fetch_word_i,
  input  logic [1:0]             fetch_error_i,
  output core_pkg::warps_t       free_o,
  output logic [186:0]           decoded_o,
  output core_pkg::warps_t       ready_o,
  output core_pkg::warps_t [core_pkg::Units-1:0] to_o,
  output core_pkg::warps_t       drain_o,
  output core_pkg::warps_t       ordered_o,
  input  logic                   issue_valid_i,
  input  core_pkg::warp_t        issue_warp_i,
  output logic [186:0]           issue_o,
  output logic                   konst_valid_o,
  input  logic                   konst_ready_i,
  output logic [1:0]             konst_bank_o,
  output logic [15:0]            konst_offset_o,
  input  logic                   konst_rsp_valid_i,
  input  logic                   konst_rsp_error_i,
  input  logic [31:0]            konst_rsp_data_i,
  output logic                   busy_o
);

  core_pkg::decoded_t decoded, issue;
  core_pkg::warps_t   to [core_pkg::Units];
  assign decoded_o = decoded;
  assign issue_o = issue;
  for (genvar u = 0; u < int'(core_pkg::Units); u++) assign to_o[u] = to[u];
  // The test takes the vector apart.
  if ($bits(core_pkg::decoded_t) != 187) begin : g_width
    $error("decode_slots_top: decoded_t has changed");
  end

  core_pkg::warps_t valid, constant;
  assign ready_o = valid & ~constant;
  decode_slots u_decode_slots (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .registers_i       (registers_i),
    .empty_i           (empty_i),
    .fetch_valid_i     (fetch_valid_i),
    .fetch_warp_i      (fetch_warp_i),
    .fetch_pc_i        (fetch_pc_i),
    .fetch_word_i      (fetch_word_i),
    .fetch_error_i     (core_pkg::fetch_error_e'(fetch_error_i)),
    .free_o            (free_o),
    .decoded_o         (decoded),
    .valid_o           (valid),
    .constant_o        (constant),
    .to_o              (to),
    .drain_o           (drain_o),
    .ordered_o         (ordered_o),
    .pick_valid_i      (issue_valid_i),
    .pick_warp_i       (issue_warp_i),
    .pick_o            (issue),
    .issue_valid_i     (issue_valid_i),
    .issue_warp_i      (issue_warp_i),
    .konst_valid_o     (konst_valid_o),
    .konst_ready_i     (konst_ready_i),
    .konst_bank_o      (konst_bank_o),
    .konst_offset_o    (konst_offset_o),
    .konst_rsp_valid_i (konst_rsp_valid_i),
    .konst_rsp_error_i (konst_rsp_error_i),
    .konst_rsp_data_i  (konst_rsp_data_i),
    .busy_o            (busy_o)
  );

endmodule
