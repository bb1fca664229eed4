// SPDX-License-Identifier: Apache-2.0
// The writeback with the fields of its structs as ports, a slice in the lower lanes of a row; sources by isa_pkg::unit_e.
module writeback_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic [31:0]       sizes_o,        // {slices a row, warps of a sub-partition, sub-partitions} of the preset
  input  logic              start_valid_i,
  input  logic [7:0]        start_warp_i,
  input  logic [15:0]       start_row_i,
  input  logic [core_pkg::Units-1:0] now_i,          // whole rows: whose cycle it is
  input  logic [core_pkg::Units-1:0] valid_i,
  output logic [core_pkg::Units-1:0] ready_o,
  input  logic [core_pkg::Units-1:0] apart_i,
  input  logic [core_pkg::Units-1:0][95:0]  tag_i,
  input  logic [core_pkg::Units-1:0] we_i,
  input  logic [core_pkg::Units-1:0] wide_i,
  input  logic [core_pkg::Units-1:0][1:0]   index_i,
  input  logic [core_pkg::Units-1:0] last_i,
  input  logic [core_pkg::Units-1:0] p_we_i,
  input  logic [core_pkg::Units-1:0][31:0]  p_i,
  input  logic [core_pkg::Units-1:0][31:0]  q_i,
  input  logic [1024*core_pkg::Units-1:0] d_i,
  input  logic [1024*core_pkg::Units-1:0] d_hi_i,
  output logic              row_valid_o,
  output logic [15:0]       row_row_o,
  output logic [7:0]        slice_o,
  output logic [31:0]       lanes_o,
  output logic [1023:0]     row_o,
  output logic              pair_o,
  output logic [1023:0]     row_hi_o,
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
  output logic              trace_pair_o,
  output logic [1023:0]     trace_row_hi_o,
  output logic              trace_p_we_o,
  output logic [31:0]       trace_p_o,
  output logic [31:0]       trace_q_o,
  output logic              trace_last_o
);

  localparam int unsigned TagW = $bits(sm_pkg::tag_t);
  localparam int unsigned RowW = config_pkg::RowW;

  assign sizes_o = {8'd0, 8'(sm_pkg::RowSlices), 8'(core_pkg::Warps), 8'(config_pkg::SubPartitions)};

  logic [core_pkg::Units-1:0] turn;
  logic                 apart;
  logic                 upper;
  sm_pkg::exec_rsp_t    rsp;
  sm_pkg::tag_t         end_tag;
  trace_pkg::retire_t   trace;
  core_pkg::warp_t      end_warp;
  logic [RowW-1:0]      row_row;
  sm_pkg::slice_t       slice;
  sm_pkg::row_t         row, row_hi;
  sm_pkg::lanes_t       lanes, p, q;
  always_comb begin
    apart = 1'b0;
    rsp = '1;  // of nobody
    for (int unsigned s = 0; s < core_pkg::Units; s++) begin
      if (turn[s]) begin
        apart = apart_i[s];
        rsp = '{tag: sm_pkg::tag_t'(tag_i[s][TagW-1:0]), we: we_i[s], wide: wide_i[s], index: index_i[s], last: last_i[s],
                p_we: p_we_i[s], d: sm_pkg::row_t'(d_i[1024*s+:1024]), d_hi: sm_pkg::row_t'(d_hi_i[1024*s+:1024]),
                p: sm_pkg::lanes_t'(p_i[s]), q: sm_pkg::lanes_t'(q_i[s])};
      end
    end
  end
  assign row_row_o = 16'(row_row);
  assign end_warp_o = 8'(end_warp);
  assign end_tag_o = 96'(end_tag);
  assign {trace_valid_o, trace_row_we_o, trace_index_o, trace_p_we_o, trace_last_o} =
    {trace.valid, trace.row_we, trace.index, trace.p_we, trace.last};
  assign {trace_pair_o, trace_row_hi_o} = {trace.pair, 1024'(trace.row_hi)};
  assign trace_tag_o = 96'(trace.tag);
  assign {trace_row_o, trace_p_o, trace_q_o} = {1024'(trace.row), 32'(trace.p), 32'(trace.q)};
  assign {slice_o, lanes_o, row_o, row_hi_o, p_o, q_o} = {8'(slice), 32'(lanes), 1024'(row), 1024'(row_hi), 32'(p), 32'(q)};

  writeback u_writeback (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_warp_i    (core_pkg::warp_t'(start_warp_i)),
    .start_row_i     (RowW'(start_row_i)),
    .now_i           (now_i),
    .valid_i         (valid_i),
    .turn_o          (turn),
    .ready_o         (ready_o),
    .upper_o         (upper),
    .result_i        (sm_pkg::result_of(rsp, upper)),
    .row_hi_i        (rsp.d_hi),
    .apart_i         (apart),
    .row_valid_o     (row_valid_o),
    .row_row_o       (row_row),
    .slice_o         (slice),
    .lanes_o         (lanes),
    .row_o           (row),
    .pair_o          (pair_o),
    .row_hi_o        (row_hi),
    .p_valid_o       (p_valid_o),
    .p_o             (p),
    .q_o             (q),
    .end_valid_o     (end_valid_o),
    .end_warp_o      (end_warp),
    .end_tag_o       (end_tag),
    .trace_retire_o  (trace)
  );

endmodule
