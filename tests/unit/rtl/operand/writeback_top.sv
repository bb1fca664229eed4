// SPDX-License-Identifier: Apache-2.0
// The writeback with the fields of its structs as ports, a slice in the lower lanes of a row. Sources: 0 LSU, 1 INT,
// 2 FP32, 3 CVT, 4 warp, 5 FP64, 6 SFU, 7 FP16, 8 control, 9 tensor, whose rows are tensor_i and, the second, tensor_hi_i.
module writeback_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic [31:0]       sizes_o,        // {slices a row, warps of a sub-partition, sub-partitions} of the preset
  input  logic              start_valid_i,
  input  logic [7:0]        start_warp_i,
  input  logic [15:0]       start_row_i,
  input  logic [9:0]        now_i,          // whole rows: whose cycle it is, by core_pkg::unit_e
  input  logic              upper_i,
  input  logic [9:0]        valid_i,
  output logic [9:0]        ready_o,
  input  logic [9:0][95:0]  tag_i,
  input  logic [9:0]        we_i,
  input  logic [9:0]        wide_i,
  input  logic [9:0]        p_we_i,
  input  logic [5:0][31:0]  p_i,            // INT, FP32, CVT, warp, FP64, FP16
  input  logic [5:0][31:0]  q_i,
  input  logic [1:0]        lsu_index_i,
  input  logic              lsu_last_i,
  input  logic [31:0]       control_value_i,
  input  logic              control_ends_i,
  input  logic              tensor_step_i,
  input  logic              tensor_last_i,
  input  logic [1023:0]     tensor_i,
  input  logic [1023:0]     tensor_hi_i,
  input  logic [1023:0]     lsu_i,
  input  logic [1023:0]     int_i,
  input  logic [1023:0]     int_hi_i,
  input  logic [1023:0]     fp32_i,
  input  logic [1023:0]     cvt_i,
  input  logic [1023:0]     cvt_hi_i,
  input  logic [1023:0]     warp_i,
  input  logic [1023:0]     fp64_i,
  input  logic [1023:0]     fp64_hi_i,
  input  logic [1023:0]     sfu_i,
  input  logic [1023:0]     fp16_i,
  output logic              row_valid_o,
  output logic [15:0]       row_row_o,
  output logic [7:0]        slice_o,
  output logic [31:0]       lanes_o,
  output logic [1023:0]     row_o,
  output logic              p_valid_o,
  output logic [31:0]       p_o,
  output logic [31:0]       q_o,
  output logic              end_valid_o,
  output logic [7:0]        end_warp_o,
  output logic [95:0]       end_tag_o,
  // The retire event, a cycle later.
  output logic              trace_valid_o,
  output logic [95:0]       trace_tag_o,
  output logic              trace_row_we_o,
  output logic [1:0]        trace_index_o,
  output logic [1023:0]     trace_row_o,
  output logic              trace_p_we_o,
  output logic [31:0]       trace_p_o,
  output logic [31:0]       trace_q_o,
  output logic              trace_last_o
);

  localparam int unsigned TagW = $bits(sm_pkg::tag_t);
  localparam int unsigned RowW = config_pkg::RowW;

  assign sizes_o = {8'd0, 8'(sm_pkg::RowSlices), 8'(core_pkg::Warps), 8'(config_pkg::SubPartitions)};

  sm_pkg::tag_t         tag [10];
  sm_pkg::tag_t         end_tag;
  sm_pkg::exec_rsp_t    int_rsp, fp32_rsp, cvt_rsp, warp_rsp, fp64_rsp, sfu_rsp, fp16_rsp;
  sm_pkg::lsu_rsp_t     lsu_rsp;
  mma_pkg::result_t     tensor_rsp;
  trace_pkg::retire_t   trace;
  core_pkg::warp_t      end_warp;
  logic [RowW-1:0]      row_row;
  sm_pkg::slice_t       slice;
  sm_pkg::row_t         row;
  sm_pkg::lanes_t       lanes, p, q;
  always_comb for (int unsigned s = 0; s < 10; s++) tag[s] = sm_pkg::tag_t'(tag_i[s][TagW-1:0]);
  assign lsu_rsp = '{tag: tag[0], we: we_i[0], index: lsu_index_i, last: lsu_last_i, row: sm_pkg::row_t'(lsu_i)};
  assign int_rsp = '{tag: tag[1], we: we_i[1], wide: wide_i[1], p_we: p_we_i[1], d: sm_pkg::row_t'(int_i), d_hi: sm_pkg::row_t'(int_hi_i), p: sm_pkg::lanes_t'(p_i[0]), q: sm_pkg::lanes_t'(q_i[0])};
  assign fp32_rsp = '{tag: tag[2], we: we_i[2], wide: wide_i[2], p_we: p_we_i[2], d: sm_pkg::row_t'(fp32_i), d_hi: sm_pkg::row_t'(int_hi_i), p: sm_pkg::lanes_t'(p_i[1]),
                      q: sm_pkg::lanes_t'(q_i[1])};
  assign cvt_rsp = '{tag: tag[3], we: we_i[3], wide: wide_i[3], p_we: p_we_i[3], d: sm_pkg::row_t'(cvt_i), d_hi: sm_pkg::row_t'(cvt_hi_i), p: sm_pkg::lanes_t'(p_i[2]), q: sm_pkg::lanes_t'(q_i[2])};
  assign warp_rsp = '{tag: tag[4], we: we_i[4], wide: 1'b0, p_we: p_we_i[4], d: sm_pkg::row_t'(warp_i), d_hi: '0, p: sm_pkg::lanes_t'(p_i[3]), q: sm_pkg::lanes_t'(q_i[3])};
  assign fp64_rsp = '{tag: tag[5], we: we_i[5], wide: wide_i[5], p_we: p_we_i[5], d: sm_pkg::row_t'(fp64_i),
                      d_hi: sm_pkg::row_t'(fp64_hi_i), p: sm_pkg::lanes_t'(p_i[4]), q: sm_pkg::lanes_t'(q_i[4])};
  assign sfu_rsp = '{tag: tag[6], we: we_i[6], wide: wide_i[6], p_we: p_we_i[6], d: sm_pkg::row_t'(sfu_i), d_hi: sm_pkg::row_t'(int_hi_i), p: '0, q: '0};
  assign fp16_rsp = '{tag: tag[7], we: we_i[7], wide: 1'b0, p_we: p_we_i[7], d: sm_pkg::row_t'(fp16_i), d_hi: '0, p: sm_pkg::lanes_t'(p_i[5]), q: sm_pkg::lanes_t'(q_i[5])};
  assign tensor_rsp = '{tag: tag[9], step: tensor_step_i, last: tensor_last_i, row: {sm_pkg::row_t'(tensor_hi_i), sm_pkg::row_t'(tensor_i)}};
  assign row_row_o = 16'(row_row);
  assign end_warp_o = 8'(end_warp);
  assign end_tag_o = 96'(end_tag);
  assign {trace_valid_o, trace_row_we_o, trace_index_o, trace_p_we_o, trace_last_o} =
    {trace.valid, trace.row_we, trace.index, trace.p_we, trace.last};
  assign trace_tag_o = 96'(trace.tag);
  assign {trace_row_o, trace_p_o, trace_q_o} = {1024'(trace.row), 32'(trace.p), 32'(trace.q)};
  assign {slice_o, lanes_o, row_o, p_o, q_o} = {8'(slice), 32'(lanes), 1024'(row), 32'(p), 32'(q)};

  writeback u_writeback (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_warp_i    (core_pkg::warp_t'(start_warp_i)),
    .start_row_i     (RowW'(start_row_i)),
    .now_i           (now_i),
    .upper_i         (upper_i),
    .int_valid_i     (valid_i[1]),
    .int_ready_o     (ready_o[1]),
    .int_rsp_i       (int_rsp),
    .fp32_valid_i    (valid_i[2]),
    .fp32_ready_o    (ready_o[2]),
    .fp32_rsp_i      (fp32_rsp),
    .cvt_valid_i     (valid_i[3]),
    .cvt_ready_o     (ready_o[3]),
    .cvt_rsp_i       (cvt_rsp),
    .fp64_valid_i    (valid_i[5]),
    .fp64_ready_o    (ready_o[5]),
    .fp64_rsp_i      (fp64_rsp),
    .tensor_valid_i  (valid_i[9]),
    .tensor_ready_o  (ready_o[9]),
    .tensor_rsp_i    (tensor_rsp),
    .lsu_valid_i     (valid_i[0]),
    .lsu_ready_o     (ready_o[0]),
    .lsu_rsp_i       (lsu_rsp),
    .warp_valid_i    (valid_i[4]),
    .warp_ready_o    (ready_o[4]),
    .warp_rsp_i      (warp_rsp),
    .control_valid_i (valid_i[8]),
    .control_ready_o (ready_o[8]),
    .control_tag_i   (tag[8]),
    .control_ends_i  (control_ends_i),
    .control_we_i    (we_i[8]),
    .control_p_we_i  (p_we_i[8]),
    .fp16_valid_i    (valid_i[7]),
    .fp16_ready_o    (ready_o[7]),
    .fp16_rsp_i      (fp16_rsp),
    .sfu_valid_i     (valid_i[6]),
    .sfu_ready_o     (ready_o[6]),
    .sfu_rsp_i       (sfu_rsp),
    .control_value_i (control_value_i),
    .row_valid_o     (row_valid_o),
    .row_row_o       (row_row),
    .slice_o         (slice),
    .lanes_o         (lanes),
    .row_o           (row),
    .p_valid_o       (p_valid_o),
    .p_o             (p),
    .q_o             (q),
    .end_valid_o     (end_valid_o),
    .end_warp_o      (end_warp),
    .end_tag_o       (end_tag),
    .trace_retire_o  (trace)
  );

endmodule
