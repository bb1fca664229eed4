// SPDX-License-Identifier: Apache-2.0
// The block slots with the fields of their structs as ports.
module block_slots_top (
  input  logic            clk_i,
  input  logic            rst_ni,
  output logic [31:0]     sizes_o,         // {blocks, warps, sub-partitions} of the preset
  input  logic [10:0]     block_x_i,
  input  logic [10:0]     block_y_i,
  input  logic [10:0]     block_threads_i,
  input  logic [5:0]      block_warps_i,
  input  logic [7:0]      registers_i,
  input  logic            kernel_start_i,
  input  logic            hold_i,
  input  logic            block_valid_i,
  output logic            staged_o,        // warps are counted home a cycle later
  output logic            block_ready_o,
  input  logic [7:0]      block_slot_i,
  input  logic [7:0]      block_first_i,
  input  logic [31:0]     block_shared_i,
  input  logic [63:0]     block_ctaid_i,   // z, y: 16 bits, x: 32
  input  logic [15:0]     block_cluster_i, // rank, z, y, x in the cluster: 4 bits
  output logic [3:0]      start_valid_o,
  output logic [7:0]      start_warp_o,
  output logic [31:0]     start_mask_o,
  output logic [7:0]      start_block_o,
  output logic [31:0]     start_shared_o,
  output logic [15:0]     start_row_o,
  output logic [7:0]      start_index_o,
  output logic [10:0]     start_x_o,
  output logic [10:0]     start_y_o,
  output logic [6:0]      start_z_o,
  output logic [63:0]     start_ctaid_o,
  output logic [15:0]     start_cluster_o,
  output logic [7:0]      start_slot_o,
  input  logic [3:0]      ended_valid_i,
  output logic [3:0]      ended_ready_o,
  input  logic [3:0][7:0] ended_warp_i,
  output logic            done_valid_o,
  output logic [7:0]      done_slot_o,
  output logic [63:0]     resident_o,
  input  logic [7:0]      who_warp_i,
  output logic [4:0]      who_index_o,
  output logic [7:0]      who_slot_o,
  output logic [63:0]     who_ctaid_o,
  output logic            busy_o
);

  assign staged_o = sm_pkg::RowSlices > 1;

  localparam int unsigned Parts = config_pkg::SubPartitions;
  localparam int unsigned SlotW = config_pkg::BlockSlotW;
  localparam int unsigned WarpW = config_pkg::WarpW;

  assign sizes_o = {8'd0, 8'(config_pkg::BlocksPerSm), 8'(config_pkg::WarpsPerSm), 8'(Parts)};

  gpu_pkg::kernel_t kernel;
  gpu_pkg::block_t  block, who;
  core_pkg::start_t start;
  core_pkg::warp_t  ended_warp [Parts];
  logic [Parts-1:0] start_valid, ended_ready;
  logic [SlotW-1:0] done_slot;
  logic [WarpW-1:0] start_slot;
  always_comb begin
    kernel = '0;
    kernel.block_x = block_x_i;
    kernel.block_y = block_y_i;
    kernel.block_threads = block_threads_i;
    kernel.block_warps = block_warps_i;
    kernel.registers = registers_i;
    block.slot = SlotW'(block_slot_i);
    block.first_warp = WarpW'(block_first_i);
    block.shared_base = config_pkg::SharedW'(block_shared_i);
    {block.ctaid_z, block.ctaid_y, block.ctaid_x} = block_ctaid_i;
    {block.rank, block.cluster_z, block.cluster_y, block.cluster_x} = block_cluster_i;
  end
  for (genvar p = 0; p < int'(Parts); p++) begin : g_part
    assign ended_warp[p] = core_pkg::warp_t'(ended_warp_i[p]);
  end
  assign start_valid_o = 4'(start_valid);
  assign ended_ready_o = 4'(ended_ready);
  assign start_warp_o = 8'(start.warp);
  assign start_mask_o = start.mask;
  assign start_block_o = 8'(start.block_slot);
  assign start_shared_o = 32'(start.shared_base);
  assign start_row_o = 16'(start.row);
  assign start_index_o = 8'(start.index);
  assign {start_x_o, start_y_o, start_z_o} = {start.tid_x, start.tid_y, start.tid_z};
  assign start_cluster_o = {start.rank, start.cluster_z, start.cluster_y, start.cluster_x};
  assign start_ctaid_o = {start.ctaid_z, start.ctaid_y, start.ctaid_x};
  assign start_slot_o = 8'(start_slot);
  assign done_slot_o = 8'(done_slot);
  assign who_slot_o = 8'(who.slot);
  assign who_ctaid_o = {who.ctaid_z, who.ctaid_y, who.ctaid_x};
  logic [config_pkg::WarpsPerSm-1:0] resident;
  assign resident_o = 64'(resident);

  block_slots u_block_slots (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .kernel_i       (kernel),
    .kernel_start_i (kernel_start_i),
    .hold_i         (hold_i),
    .block_valid_i  (block_valid_i),
    .block_ready_o  (block_ready_o),
    .block_i        (block),
    .start_valid_o  (start_valid),
    .start_o        (start),
    .start_slot_o   (start_slot),
    .ended_valid_i  (ended_valid_i[Parts-1:0]),
    .ended_ready_o  (ended_ready),
    .ended_warp_i   (ended_warp),
    .done_valid_o   (done_valid_o),
    .done_slot_o    (done_slot),
    .resident_o     (resident),
    .who_warp_i     (WarpW'(who_warp_i)),
    .who_index_o    (who_index_o),
    .who_block_o    (who),
    .busy_o         (busy_o)
  );

endmodule
