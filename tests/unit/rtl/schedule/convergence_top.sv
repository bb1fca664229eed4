// SPDX-License-Identifier: Apache-2.0
// The convergence unit with the fields of its structs as ports.
module convergence_top #(
  parameter bit               BlockRam = 1'b0
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic [7:0]          warps_o,        // of the preset
  output logic                clusters_o,
  input  logic [15:0]         yield_branches_i,
  input  logic [15:0]         cycle_i,
  input  logic                start_valid_i,
  input  core_pkg::warp_t     start_warp_i,
  input  logic [31:0]         start_mask_i,
  input  core_pkg::warp_t     read_warp_i,
  output logic [31:0]         read_active_o,
  input  logic                load_valid_i,
  output logic                ready_o,
  input  logic                valid_i,
  input  core_pkg::warp_t     warp_i,
  input  logic [15:0]         seq_i,
  input  logic [31:0]         pc_i,
  input  logic [7:0]          op_i,
  input  logic [17:0]         mod_i,
  input  logic [7:0]          rd_i,
  input  logic [2:0]          pd_i,
  input  logic [3:0]          bar_i,
  input  logic [31:0]         imm_i,
  input  logic [31:0]         taken_i,
  input  logic [31:0]         p_i,
  input  logic [31:0]         b_i,
  input  logic [31:0]         c_i,
  input  logic [1023:0]       row_i,
  output logic                jump_valid_o,
  output core_pkg::warp_t     jump_warp_o,
  output logic [31:0]         jump_pc_o,
  output logic                result_valid_o,
  input  logic                result_ready_i,
  output core_pkg::warp_t     result_warp_o,
  output logic [15:0]         result_seq_o,
  output logic [7:0]          result_rd_o,
  output logic [2:0]          result_pd_o,
  output logic [31:0]         result_mask_o,
  output logic [31:0]         result_value_o,
  output logic                result_ends_o,
  output logic                arrive_valid_o,
  input  logic                arrive_ready_i,
  output core_pkg::warp_t     arrive_warp_o,
  output logic                arrive_ends_o,
  output logic                arrive_waits_o,
  output logic                arrive_cluster_o,
  output logic                arrive_phase_o,
  output logic [3:0]          arrive_id_o,
  output logic [10:0]         arrive_expected_o,
  output logic [5:0]          arrive_threads_o,
  output logic [5:0]          arrive_ones_o,
  input  logic                release_valid_i,
  output logic                release_ready_o,
  input  core_pkg::warp_t     release_warp_i,
  input  logic [4:0]          release_id_i,
  input  logic [10:0]         release_ones_i,
  input  logic                release_all_i,
  input  logic                release_any_i,
  output core_pkg::warps_t    ended_o,
  output core_pkg::warps_t    waiting_o,
  output logic                trap_valid_o,
  output core_pkg::warp_t     trap_warp_o,
  output logic [31:0]         trap_pc_o
);

  core_pkg::control_t       control, trap;
  core_pkg::arrive_t        arrive;
  core_pkg::release_t       opens;
  convergence_pkg::result_t result;
  sm_pkg::slice_t                       row_slice;
  sm_pkg::row_t [sm_pkg::RowSlices-1:0] rows;
  assign rows = row_i;
  assign warps_o = 8'(core_pkg::Warps);
  assign clusters_o = gpu_pkg::HasClusters;
  assign {arrive_cluster_o, arrive_phase_o} = {arrive.cluster, arrive.phase};
  assign control = '{warp: warp_i, seq: seq_i, pc: pc_i, op: op_i, mod: mod_i, rd: rd_i, pd: pd_i, bar: bar_i, imm: imm_i,
                     taken: taken_i, p: p_i, b: b_i, c: c_i[10:0]};
  assign opens = '{warp: release_warp_i, id: release_id_i, ones: release_ones_i, all: release_all_i, any: release_any_i};
  assign {result_warp_o, result_seq_o, result_rd_o, result_pd_o} = {result.warp, result.seq, result.rd, result.pd};
  assign {result_mask_o, result_value_o, result_ends_o} = {result.mask, result.value, result.ends};
  assign {arrive_ends_o, arrive_waits_o, arrive_id_o} = {arrive.ends, arrive.waits, arrive.id};
  assign {arrive_expected_o, arrive_threads_o, arrive_ones_o} = {arrive.expected, arrive.threads, arrive.ones};
  assign {trap_warp_o, trap_pc_o} = {trap.warp, trap.pc};

  convergence #(.BlockRam(BlockRam)) u_convergence (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .yield_branches_i (yield_branches_i),
    .cycle_i          (cycle_i),
    .start_valid_i    (start_valid_i),
    .start_warp_i     (start_warp_i),
    .start_mask_i     (start_mask_i),
    .read_warp_i      (read_warp_i),
    .read_active_o    (read_active_o),
    .load_valid_i     (load_valid_i),
    .ready_o          (ready_o),
    .valid_i          (valid_i),
    .control_i        (control),
    .row_slice_o      (row_slice),
    .row_i            (rows[row_slice]),
    .jump_valid_o     (jump_valid_o),
    .jump_warp_o      (jump_warp_o),
    .jump_pc_o        (jump_pc_o),
    .result_valid_o   (result_valid_o),
    .result_ready_i   (result_ready_i),
    .result_o         (result),
    .arrive_valid_o   (arrive_valid_o),
    .arrive_ready_i   (arrive_ready_i),
    .arrive_o         (arrive),
    .arrive_warp_o    (arrive_warp_o),
    .release_valid_i  (release_valid_i),
    .release_ready_o  (release_ready_o),
    .release_i        (opens),
    .ended_o          (ended_o),
    .waiting_o        (waiting_o),
    .asleep_o         (),
    .trap_valid_o     (trap_valid_o),
    .trap_o           (trap)
  );

endmodule
