// SPDX-License-Identifier: Apache-2.0
// A sub-partition with plain ports: caches and load/store unit are the test's. Rows are slices in the low lanes of
// their ports, and slices of tags have ports of their own.
module sub_partition_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic [31:0]       sizes_o,           // {lanes of a slice, warps, sub-partitions} of the preset
  input  logic [7:0]        part_i,
  input  logic [1:0]        policy_i,
  input  logic [31:0]       code_size_i,
  input  logic [7:0]        registers_i,
  input  logic [10:0]       block_x_i,
  input  logic              kernel_start_i,
  output logic              ready_o,
  output logic              busy_o,
  input  logic              start_valid_i,
  input  logic [7:0]        start_warp_i,
  input  logic [31:0]       start_mask_i,
  input  logic [15:0]       start_row_i,
  input  logic [10:0]       start_tid_x_i,
  input  logic [31:0]       start_ctaid_x_i,
  output logic              ended_valid_o,
  input  logic              ended_ready_i,
  output logic [7:0]        ended_warp_o,
  output logic              arrive_valid_o,
  output logic              arrive_ends_o,
  output logic [5:0]        arrive_threads_o,
  output logic              fetch_valid_o,
  input  logic              fetch_ready_i,
  output logic [7:0]        fetch_warp_o,
  output logic [31:0]       fetch_sector_o,
  input  logic              fetched_valid_i,
  input  logic [7:0]        fetched_warp_i,
  input  logic [7:0]        fetched_piece_i,
  input  logic [255:0]      fetched_data_i,  // a piece, in the lowest bits
  output logic [7:0]        pieces_o,        // of a sector
  output logic              konst_valid_o,
  input  logic              konst_ready_i,
  output logic [15:0]       konst_offset_o,
  input  logic              konst_rsp_valid_i,
  input  logic [31:0]       konst_rsp_data_i,
  output logic              lsu_valid_o,
  input  logic              lsu_ready_i,
  output logic [95:0]       lsu_tag_o,
  output logic [7:0]        lsu_slice_o,
  output logic [7:0]        lsu_op_o,
  output logic [17:0]       lsu_mod_o,
  output logic [1023:0]     lsu_addr_o,
  output logic [1023:0]     lsu_addr_hi_o,
  output logic [1023:0]     lsu_data0_o,
  output logic [1023:0]     lsu_data1_o,
  input  logic              lsu_rsp_valid_i,
  output logic              lsu_rsp_ready_o,
  input  logic [95:0]       lsu_rsp_tag_i,
  input  logic [7:0]        lsu_rsp_slice_i,
  input  logic              lsu_rsp_we_i,
  input  logic [1:0]        lsu_rsp_index_i,
  input  logic              lsu_rsp_last_i,
  input  logic [1023:0]     lsu_rsp_row_i,
  output logic              fault_valid_o,
  output logic              issue_valid_o,
  output logic [7:0]        issue_warp_o,
  output logic [15:0]       issue_seq_o,
  output logic [31:0]       issue_pc_o,
  output logic [31:0]       issue_active_o,
  output logic              retire_valid_o,
  output logic [95:0]       retire_tag_o,
  output logic [7:0]        retire_slice_o,
  output logic              retire_row_we_o,
  output logic [1:0]        retire_index_o,
  output logic [1023:0]     retire_row_o,
  output logic              retire_pair_o,
  output logic [1023:0]     retire_row_hi_o,
  output logic              retire_p_we_o,
  output logic [31:0]       retire_p_o,
  output logic [31:0]       retire_q_o,
  output logic              retire_last_o
);

  localparam int unsigned TagW = $bits(sm_pkg::tag_t);

  assign pieces_o = 8'(mem_pkg::Pieces);
  assign sizes_o = {8'd0, 8'(sm_pkg::RowLanes), 8'(core_pkg::Warps), 8'(config_pkg::SubPartitions)};

  gpu_pkg::settings_t  settings;
  gpu_pkg::kernel_t    kernel;
  core_pkg::start_t    start;
  core_pkg::warp_t     ended_warp, fetch_warp;
  core_pkg::arrive_t   arrive;
  sm_pkg::lsu_req_t    lsu_req;
  sm_pkg::lsu_rsp_t    lsu_rsp;
  trace_pkg::issue_t   issue;
  trace_pkg::retire_t  retire;
  logic [31:5]         fetch_sector;
  logic [63:0]         cycle_q;
  always_ff @(posedge clk_i) cycle_q <= rst_ni ? cycle_q + 64'd1 : 64'd0;
  always_comb begin
    settings = '0;
    settings.sched_policy = policy_i;
    settings.code_size = code_size_i;
    settings.yield_branches = 16'd8;
    kernel = '0;
    kernel.registers = registers_i;
    kernel.block_x = block_x_i;
    kernel.block_y = 11'd1;
    kernel.block_z = 7'd1;
    start = '0;
    start.warp = core_pkg::warp_t'(start_warp_i);
    start.mask = start_mask_i;
    start.row = config_pkg::RowW'(start_row_i);
    start.tid_x = start_tid_x_i;
    start.ctaid_x = start_ctaid_x_i;
    lsu_rsp = '{passes: '0, copies: 1'b0, tag: sm_pkg::tag_t'(lsu_rsp_tag_i[TagW-1:0]), we: lsu_rsp_we_i, index: lsu_rsp_index_i, last: lsu_rsp_last_i,
                row: sm_pkg::row_t'(lsu_rsp_row_i)};
    lsu_rsp.tag.slice = sm_pkg::slice_t'(lsu_rsp_slice_i);
    lsu_rsp.tag.entry = lsu_rsp_tag_i[95:93];
  end
  assign ended_warp_o = 8'(ended_warp);
  assign fetch_warp_o = 8'(fetch_warp);
  assign fetch_sector_o = 32'(fetch_sector);
  assign {arrive_ends_o, arrive_threads_o} = {arrive.ends, arrive.threads};
  function automatic logic [95:0] plain(input sm_pkg::tag_t tag);
    sm_pkg::tag_t t;
    t = tag;
    t.slice = '0;
    t.entry = '0;
    return 96'(t) | {tag.entry, 93'd0};
  endfunction
  assign lsu_tag_o = plain(lsu_req.tag);
  assign lsu_slice_o = 8'(lsu_req.tag.slice);
  assign {lsu_op_o, lsu_mod_o} = {lsu_req.op, lsu_req.mod};
  assign lsu_addr_o = 1024'(lsu_req.addr);
  assign lsu_addr_hi_o = 1024'(lsu_req.addr_hi);
  assign lsu_data0_o = 1024'(lsu_req.data[0]);
  assign lsu_data1_o = 1024'(lsu_req.data[1]);
  assign {issue_valid_o, issue_seq_o, issue_pc_o, issue_active_o} = {issue.valid, issue.seq, issue.pc, issue.active};
  assign issue_warp_o = 8'(issue.warp);
  assign retire_tag_o = plain(retire.tag);
  assign retire_slice_o = 8'(retire.tag.slice);
  assign {retire_valid_o, retire_row_we_o, retire_index_o} = {retire.valid, retire.row_we, retire.index};
  assign retire_row_o = 1024'(retire.row);
  assign {retire_pair_o, retire_row_hi_o} = {retire.pair, 1024'(retire.row_hi)};
  assign {retire_p_we_o, retire_last_o} = {retire.p_we, retire.last};
  assign {retire_p_o, retire_q_o} = {32'(retire.p), 32'(retire.q)};

  sub_partition u_sub_partition (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .sm_id_i           ('0),
    .part_i            (config_pkg::SubPartitionW'(part_i)),
    .settings_i        (settings),
    .kernel_i          (kernel),
    .kernel_start_i    (kernel_start_i),
    .empty_i           (kernel_start_i),
    .cycle_i           (cycle_q),
    .halt_i            (1'b0),
    .ready_o           (ready_o),
    .busy_o            (busy_o),
    .start_valid_i     (start_valid_i),
    .start_i           (start),
    .ended_valid_o     (ended_valid_o),
    .ended_ready_i     (ended_ready_i),
    .ended_warp_o      (ended_warp),
    .store_pending_i   ('0),
    .stores_wanted_o   (),
    .waiting_o         (),
    .arrive_valid_o    (arrive_valid_o),
    .arrive_ready_i    (1'b1),
    .arrive_o          (arrive),
    .release_valid_i   (1'b0),
    .release_ready_o   (),
    .release_i         ('0),
    .fetch_valid_o     (fetch_valid_o),
    .fetch_ready_i     (fetch_ready_i),
    .fetch_warp_o      (fetch_warp),
    .fetch_sector_o    (fetch_sector),
    .fetched_valid_i   (fetched_valid_i),
    .fetched_warp_i    (core_pkg::warp_t'(fetched_warp_i)),
    .fetched_error_i   (core_pkg::FetchOk),
    .fetched_piece_i   (mem_pkg::piece_t'(fetched_piece_i)),
    .fetched_data_i    (fetched_data_i[mem_pkg::PieceBits-1:0]),
    .konst_valid_o     (konst_valid_o),
    .konst_ready_i     (konst_ready_i),
    .konst_bank_o      (),
    .konst_offset_o    (konst_offset_o),
    .konst_rsp_valid_i (konst_rsp_valid_i),
    .konst_rsp_error_i (1'b0),
    .konst_rsp_data_i  (konst_rsp_data_i),
    .lsu_valid_o       (lsu_valid_o),
    .lsu_ready_i       (lsu_ready_i),
    .lsu_req_o         (lsu_req),
    .lsu_rsp_valid_i   (lsu_rsp_valid_i),
    .lsu_rsp_ready_o   (lsu_rsp_ready_o),
    .lsu_rsp_i         (lsu_rsp),
    .fault_valid_o     (fault_valid_o),
    .fault_o           (),
    .count_warp_o      (),
    .count_thread_o    (),
    .trace_issue_o     (issue),
    .trace_retire_o    (retire)
  );

endmodule
