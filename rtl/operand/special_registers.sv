// SPDX-License-Identifier: Apache-2.0
// The values of S2R. Those that are the same in all lanes come at once, as an immediate; those that differ
// from lane to lane come a cycle later as a row. Where rows have several slices, the last such instruction is
// remembered, and each of its slices comes a cycle after it is asked for.
module special_registers (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [config_pkg::SmW-1:0]  sm_id_i,
  input  gpu_pkg::kernel_t            kernel_i,
  input  logic                        kernel_start_i,
  output logic                        ready_o,        // the table of thread indices is complete
  input  logic [63:0]                 cycle_i,
  // A warp begins here.
  input  logic                        start_valid_i,
  input  core_pkg::start_t            start_i,
  // Issue of an S2R.
  input  logic                        issue_valid_i,
  input  core_pkg::warp_t             issue_warp_i,
  input  logic [config_pkg::WarpW-1:0] issue_slot_i,  // the warp's slot in the SM
  input  logic [7:0]                  issue_index_i,  // isa_pkg::SpecialReg*
  input  sm_pkg::mask_t               issue_active_i,
  output logic                        lanes_o,        // comes as a row
  output logic [63:0]                 value_o,        // else: the value
  input  logic                        slice_valid_i,
  input  sm_pkg::slice_t              slice_i,
  output sm_pkg::row_t                row_o           // a cycle later
);

  core_pkg::start_t warp_q [core_pkg::Warps];

  core_pkg::start_t info;
  assign lanes_o = issue_index_i <= 8'(isa_pkg::SpecialRegLaneId) ||
                   (issue_index_i >= 8'(isa_pkg::SpecialRegLanemaskEq) && issue_index_i <= 8'(isa_pkg::SpecialRegLanemaskGe));

  always_comb begin
    info = '0;
    value_o = '0;
    if (issue_valid_i) begin
      info = warp_q[issue_warp_i];
      case (issue_index_i)
        8'(isa_pkg::SpecialRegNtidX): value_o[10:0] = kernel_i.block_x;
        8'(isa_pkg::SpecialRegNtidY): value_o[10:0] = kernel_i.block_y;
        8'(isa_pkg::SpecialRegNtidZ): value_o[6:0] = kernel_i.block_z;
        8'(isa_pkg::SpecialRegWarpId): value_o[31:0] = 32'(issue_slot_i);
        8'(isa_pkg::SpecialRegCtaidX): value_o[31:0] = info.ctaid_x;
        8'(isa_pkg::SpecialRegCtaidY): value_o[15:0] = info.ctaid_y;
        8'(isa_pkg::SpecialRegCtaidZ): value_o[15:0] = info.ctaid_z;
        8'(isa_pkg::SpecialRegSmId): value_o[31:0] = 32'(sm_id_i);
        8'(isa_pkg::SpecialRegNctaidX): value_o[31:0] = kernel_i.grid_x;
        8'(isa_pkg::SpecialRegNctaidY): value_o[15:0] = kernel_i.grid_y;
        8'(isa_pkg::SpecialRegNctaidZ): value_o[15:0] = kernel_i.grid_z;
        8'(isa_pkg::SpecialRegNSmId): value_o[31:0] = 32'(config_pkg::Sms);
        8'(isa_pkg::SpecialRegNWarpId): value_o[31:0] = 32'(config_pkg::WarpsPerSm);
        8'(isa_pkg::SpecialRegGridId): value_o[31:0] = kernel_i.grid_id;
        8'(isa_pkg::SpecialRegActiveMask): value_o[31:0] = issue_active_i;
        8'(isa_pkg::SpecialRegClock), 8'(isa_pkg::SpecialRegGlobaltimerLo): value_o = cycle_i;
        8'(isa_pkg::SpecialRegClockHi), 8'(isa_pkg::SpecialRegGlobaltimerHi): value_o[31:0] = cycle_i[63:32];
        8'(isa_pkg::SpecialRegDynSmemSize): value_o[17:0] = kernel_i.dynamic_shared;
        8'(isa_pkg::SpecialRegTotalSmemSize): value_o[17:0] = kernel_i.shared_bytes;
        8'(isa_pkg::SpecialRegLocalSize): value_o[31:0] = kernel_i.local_bytes;
        8'(isa_pkg::SpecialRegEnvreg0): value_o[31:0] = kernel_i.envreg0;
        8'(isa_pkg::SpecialRegEnvreg1): value_o[31:0] = kernel_i.envreg1;
        8'(isa_pkg::SpecialRegClusterCtaidX): if (gpu_pkg::HasClusters) value_o[3:0] = info.cluster_x;
        8'(isa_pkg::SpecialRegClusterCtaidY): if (gpu_pkg::HasClusters) value_o[3:0] = info.cluster_y;
        8'(isa_pkg::SpecialRegClusterCtaidZ): if (gpu_pkg::HasClusters) value_o[3:0] = info.cluster_z;
        8'(isa_pkg::SpecialRegClusterNctaidX): value_o[4:0] = kernel_i.cluster_x;
        8'(isa_pkg::SpecialRegClusterNctaidY): value_o[4:0] = kernel_i.cluster_y;
        8'(isa_pkg::SpecialRegClusterNctaidZ): value_o[4:0] = kernel_i.cluster_z;
        8'(isa_pkg::SpecialRegClusterCtaRank): if (gpu_pkg::HasClusters) value_o[3:0] = info.rank;
        8'(isa_pkg::SpecialRegClusterNctaRank): value_o[4:0] = kernel_i.cluster_blocks;
        8'(isa_pkg::SpecialRegClusterExplicit): value_o[0] = kernel_i.clusters;
        default: ;
      endcase
    end
  end

  // What the lanes' registers are made of.
  typedef struct packed {
    logic [7:0]  index;
    logic [10:0] x;
    logic [10:0] y;
    logic [6:0]  z;
  } source_t;
  localparam bit Whole = sm_pkg::RowSlices == 1;
  source_t issued, issued_q, asked;
  assign issued = '{index: issue_index_i, x: info.tid_x, y: info.tid_y, z: info.tid_z};
  assign asked = Whole ? issued : issued_q;

  lane_registers u_lane_registers (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .kernel_start_i (kernel_start_i),
    .block_x_i      (kernel_i.block_x),
    .block_y_i      (kernel_i.block_y),
    .ready_o        (ready_o),
    .valid_i        (Whole ? issue_valid_i && lanes_o : slice_valid_i),
    .slice_i        (slice_i),
    .index_i        (asked.index),
    .base_x_i       (asked.x),
    .base_y_i       (asked.y),
    .base_z_i       (asked.z),
    .row_o          (row_o)
  );

  always_ff @(posedge clk_i) begin
    if (start_valid_i) warp_q[start_i.warp] <= start_i;
    if (!Whole && issue_valid_i && lanes_o) issued_q <= issued;
  end

endmodule
