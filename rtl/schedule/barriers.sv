// SPDX-License-Identifier: Apache-2.0
// Barriers of an SM: those of its blocks, and one of each cluster. A sub-partition's message goes to whom it concerns,
// the end of threads to both, and is taken when all have it. Releases come to a sub-partition one at a time.
//
// A cluster's blocks lie in slots that follow each other, and so do their warps: its barrier is that of a large block.
//   cluster of 2 blocks of 3 warps in slots 4, 5: warps 12 to 14, 15 to 17; its barrier is in slot 4, of warps 12 to 17
module barriers #(
  localparam int unsigned Parts  = config_pkg::SubPartitions,
  localparam int unsigned WarpW  = config_pkg::WarpW
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  gpu_pkg::kernel_t             kernel_i,
  // A block begins; a warp of it.
  input  logic                         block_valid_i,
  input  gpu_pkg::block_t              block_i,
  input  logic                         warp_valid_i,
  input  logic [WarpW-1:0]             warp_i,
  input  core_pkg::start_t             start_i,
  // From the sub-partitions, and to them.
  input  logic [Parts-1:0]             arrive_valid_i,
  output logic [Parts-1:0]             arrive_ready_o,
  input  core_pkg::arrive_t            arrive_i [Parts],
  output logic [Parts-1:0]             release_valid_o,
  input  logic [Parts-1:0]             release_ready_i,
  output core_pkg::release_t           release_o [Parts],
  output logic                         busy_o
);

  localparam int unsigned SlotW = config_pkg::BlockSlotW;

  logic [Parts-1:0]   block_valid, block_ready, opened_valid, opened_ready;
  core_pkg::release_t opened [Parts];
  logic               block_busy;
  block_barrier u_block_barrier (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .block_valid_i   (block_valid_i),
    .block_slot_i    (block_i.slot),
    .block_first_i   (block_i.first_warp),
    .block_threads_i (kernel_i.block_threads),
    .block_warps_i   (kernel_i.block_warps),
    .warp_valid_i    (warp_valid_i),
    .warp_i          (warp_i),
    .warp_slot_i     (start_i.block_slot),
    .arrive_valid_i  (block_valid),
    .arrive_ready_o  (block_ready),
    .arrive_i        (arrive_i),
    .release_valid_o (opened_valid),
    .release_ready_i (opened_ready),
    .release_o       (opened),
    .busy_o          (block_busy)
  );

  if (!gpu_pkg::HasClusters) begin : g_blocks
    assign block_valid = arrive_valid_i;
    assign arrive_ready_o = block_ready;
    assign release_valid_o = opened_valid;
    assign opened_ready = release_ready_i;
    for (genvar p = 0; p < int'(Parts); p++) begin : g_release
      assign release_o[p] = opened[p];
    end
    assign busy_o = block_busy;
  end else begin : g_clusters
    logic [Parts-1:0]   cluster_valid, cluster_ready, open_valid, open_ready;
    core_pkg::release_t open [Parts];
    logic               cluster_busy;
    block_barrier #(.Clusters(1'b1)) u_cluster_barrier (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .block_valid_i   (block_valid_i && block_i.rank == '0),
      .block_slot_i    (block_i.slot),
      .block_first_i   (block_i.first_warp),
      .block_threads_i (15'(kernel_i.block_threads) * 15'(kernel_i.cluster_blocks)),
      .block_warps_i   (10'(kernel_i.block_warps) * 10'(kernel_i.cluster_blocks)),
      .warp_valid_i    (warp_valid_i),
      .warp_i          (warp_i),
      .warp_slot_i     (start_i.block_slot - SlotW'(start_i.rank)),
      .arrive_valid_i  (cluster_valid),
      .arrive_ready_o  (cluster_ready),
      .arrive_i        (arrive_i),
      .release_valid_o (open_valid),
      .release_ready_i (open_ready),
      .release_o       (open),
      .busy_o          (cluster_busy)
    );
    assign busy_o = block_busy || cluster_busy;

    for (genvar p = 0; p < int'(Parts); p++) begin : g_part
      // Who has the message that waits here for the other.
      logic block_has_q, cluster_has_q, block_wants, cluster_wants, cluster_turn, held_q, turn_q;
      assign block_wants = !arrive_i[p].cluster && !block_has_q;
      assign cluster_wants = (arrive_i[p].cluster || arrive_i[p].ends) && !cluster_has_q;
      assign block_valid[p] = arrive_valid_i[p] && block_wants;
      assign cluster_valid[p] = arrive_valid_i[p] && cluster_wants;
      assign arrive_ready_o[p] = (!block_wants || block_ready[p]) && (!cluster_wants || cluster_ready[p]);
      // A release stays until it is taken.
      assign cluster_turn = held_q ? turn_q : open_valid[p];
      assign release_valid_o[p] = cluster_turn ? open_valid[p] : opened_valid[p];
      assign release_o[p] = cluster_turn ? open[p] : opened[p];
      assign open_ready[p] = release_ready_i[p] && cluster_turn;
      assign opened_ready[p] = release_ready_i[p] && !cluster_turn;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          {block_has_q, cluster_has_q, held_q} <= '0;
        end else begin
          held_q <= release_valid_o[p] && !release_ready_i[p];
          turn_q <= cluster_turn;
          if (arrive_valid_i[p]) begin
            block_has_q <= !arrive_ready_o[p] && (block_has_q || (block_wants && block_ready[p]));
            cluster_has_q <= !arrive_ready_o[p] && (cluster_has_q || (cluster_wants && cluster_ready[p]));
          end
        end
      end
    end
  end

endmodule
