// SPDX-License-Identifier: Apache-2.0
// The special registers with the fields of kernel and warp as ports.
module special_registers_top (
  input  logic          clk_i,
  input  logic          rst_ni,
  output logic [31:0]   sizes_o,         // {lanes of a slice, SMs, warps of an SM, warps of a sub-partition} of the preset
  input  logic [7:0]    sm_id_i,
  input  logic          kernel_start_i,
  input  logic [10:0]   block_x_i,
  input  logic [10:0]   block_y_i,
  input  logic [6:0]    block_z_i,
  input  logic [31:0]   grid_x_i,
  input  logic [15:0]   grid_y_i,
  input  logic [15:0]   grid_z_i,
  input  logic [17:0]   dynamic_shared_i,
  input  logic [17:0]   shared_bytes_i,
  input  logic [31:0]   local_bytes_i,
  input  logic [31:0]   envreg0_i,
  input  logic [31:0]   envreg1_i,
  input  logic [31:0]   grid_id_i,
  output logic          clusters_o,       // the preset has them
  input  logic [20:0]   cluster_i,        // the launch's: 20 asked for, 19:15 blocks, 14:10 z, 9:5 y, 4:0 x
  output logic          ready_o,
  input  logic [63:0]   cycle_i,
  input  logic          start_valid_i,
  input  logic [7:0]    start_warp_i,
  input  logic [10:0]   tid_x_i,
  input  logic [10:0]   tid_y_i,
  input  logic [6:0]    tid_z_i,
  input  logic [31:0]   ctaid_x_i,
  input  logic [15:0]   ctaid_y_i,
  input  logic [15:0]   ctaid_z_i,
  input  logic [15:0]   cluster_ctaid_i,  // 15:12 rank, 11:8 z, 7:4 y, 3:0 x
  input  logic          issue_valid_i,
  input  logic [7:0]    issue_warp_i,
  input  logic [7:0]    issue_slot_i,
  input  logic [7:0]    issue_index_i,
  input  logic [31:0]   issue_active_i,
  output logic          lanes_o,
  output logic [63:0]   value_o,
  input  logic          slice_valid_i,
  input  logic [7:0]    slice_i,
  output logic [1023:0] row_o
);

  assign sizes_o = {8'(sm_pkg::RowLanes), 8'(config_pkg::Sms), 8'(config_pkg::WarpsPerSm), 8'(core_pkg::Warps)};

  assign clusters_o = gpu_pkg::HasClusters;
  gpu_pkg::kernel_t kernel;
  core_pkg::start_t start;
  always_comb begin
    kernel = '0;
    {kernel.block_x, kernel.block_y, kernel.block_z} = {block_x_i, block_y_i, block_z_i};
    {kernel.grid_x, kernel.grid_y, kernel.grid_z} = {grid_x_i, grid_y_i, grid_z_i};
    kernel.dynamic_shared = dynamic_shared_i;
    kernel.shared_bytes = shared_bytes_i;
    kernel.local_bytes = local_bytes_i;
    {kernel.envreg0, kernel.envreg1, kernel.grid_id} = {envreg0_i, envreg1_i, grid_id_i};
    {kernel.clusters, kernel.cluster_blocks, kernel.cluster_z, kernel.cluster_y, kernel.cluster_x} = cluster_i;
    start = '0;
    start.warp = core_pkg::warp_t'(start_warp_i);
    {start.tid_x, start.tid_y, start.tid_z} = {tid_x_i, tid_y_i, tid_z_i};
    {start.rank, start.cluster_z, start.cluster_y, start.cluster_x} = cluster_ctaid_i;
    {start.ctaid_x, start.ctaid_y, start.ctaid_z} = {ctaid_x_i, ctaid_y_i, ctaid_z_i};
  end

  sm_pkg::row_t row;
  assign row_o = 1024'(row);

  special_registers u_special_registers (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .sm_id_i        (config_pkg::SmW'(sm_id_i)),
    .kernel_i       (kernel),
    .kernel_start_i (kernel_start_i),
    .ready_o        (ready_o),
    .cycle_i        (cycle_i),
    .start_valid_i  (start_valid_i),
    .start_i        (start),
    .issue_valid_i  (issue_valid_i),
    .issue_warp_i   (core_pkg::warp_t'(issue_warp_i)),
    .issue_slot_i   (config_pkg::WarpW'(issue_slot_i)),
    .issue_index_i  (issue_index_i),
    .issue_active_i (issue_active_i),
    .lanes_o        (lanes_o),
    .value_o        (value_o),
    .slice_valid_i  (slice_valid_i),
    .slice_i        (sm_pkg::slice_t'(slice_i)),
    .row_o          (row)
  );

endmodule
