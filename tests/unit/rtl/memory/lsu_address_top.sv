// SPDX-License-Identifier: Apache-2.0
// lsu_address with the fields of requests, settings and operations as ports.
module lsu_address_top (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [63:0]        mem_end_i,
  input  logic               l1_enable_i,
  input  logic [31:0]        shared_bytes_i,
  input  logic [31:0]        local_bytes_i,
  input  logic [63:0]        local_base_i,
  input  logic [63:0]        param_base_i,
  input  logic [31:0]        param_bytes_i,
  input  logic [63:0]        const_base_i,
  input  logic [7:0]         sm_id_i,
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  logic [7:0]         slice_i,       // of the rows below that is given
  input  logic [7:0]         warp_i,
  input  logic [15:0]        seq_i,
  input  logic [7:0]         rd_i,
  input  logic [31:0]        mask_i,
  input  logic [7:0]         op_i,
  input  logic [17:0]        mod_i,
  input  logic [31:0]        pc_i,
  input  logic [31:0]        shared_base_i,
  input  logic [3:0]         rank_i,        // of the block in its cluster
  input  logic [4:0]         cluster_blocks_i,
  output logic               clusters_o,    // the preset has them
  input  logic [31:0][31:0]  addr_i,
  input  logic [31:0][31:0]  addr_hi_i,
  input  logic [3:0][31:0][31:0] data_i,
  input  logic [7:0]         entry_i,
  output logic               fault_valid_o,
  output logic [7:0]         fault_warp_o,
  output logic [31:0]        fault_pc_o,
  output logic [4:0]         fault_lane_o,
  output logic [3:0]         fault_kind_o,
  output logic [7:0]         fault_code_o,
  output logic [63:0]        fault_address_o,
  output logic               valid_o,
  input  logic               taken_i,
  output logic [2:0]         cls_o,
  output logic [7:0]         entry_o,
  output logic [2:0]         size_o,
  output logic [3:0]         matrix_o,        // lsu_pkg::matrix_t
  output logic               bypass_o,
  output logic               waits_o,
  output logic               stores_too_o,
  output logic               invalidate_o,
  output logic [3:0]         atom_op_o,
  output logic [2:0]         atom_type_o,
  output logic               reduces_o,
  output logic               copies_o,
  output logic [31:0][31:0]  copy_addr_o,
  output logic [7:0]         warp_o,
  output logic [15:0]        seq_o,
  output logic [31:0]        lanes_o,      // of the slice, as those below
  output logic [31:0]        shared_o,
  output logic [31:0][31:0]  addr_o,
  output logic [31:0][7:0]   addr_hi_o,
  output logic [3:0][31:0][31:0] data_o,
  output logic               acquire_o,
  output logic               last_o,
  output logic [7:0]         slice_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         beat_lanes_o,
  // Sizes of the preset.
  output logic [15:0]        warps_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign beat_lanes_o = 8'(lsu_pkg::BeatLanes);
  assign warps_o = 16'(config_pkg::WarpsPerSm);

  assign clusters_o = gpu_pkg::HasClusters;
  gpu_pkg::settings_t settings;
  gpu_pkg::kernel_t   kernel;
  sm_pkg::lsu_req_t   req;
  sm_pkg::lsu_fault_t fault;
  lsu_pkg::op_t       op;

  always_comb begin
    settings = '0;
    settings.mem_end = mem_end_i[gpu_pkg::AddrW-1:0];
    settings.l1_enable = l1_enable_i;
    kernel = '0;
    kernel.shared_bytes = shared_bytes_i[17:0];
    kernel.cluster_blocks = cluster_blocks_i;
    kernel.local_bytes = local_bytes_i;
    kernel.local_base = local_base_i[gpu_pkg::AddrW-1:0];
    kernel.param_base = param_base_i[gpu_pkg::AddrW-1:0];
    kernel.param_bytes = param_bytes_i[16:0];
    kernel.const_base = const_base_i[gpu_pkg::AddrW-1:0];
    req = '0;
    req.tag.warp = warp_i[config_pkg::WarpW-1:0];
    req.tag.seq = seq_i;
    req.tag.rd = rd_i;
    req.tag.mask = mask_i;
    req.op = op_i;
    req.mod = mod_i;
    req.pc = pc_i;
    req.shared_base = shared_base_i[config_pkg::SharedW-1:0];
    req.rank = rank_i;
    req.tag.slice = sm_pkg::slice_t'(slice_i);
    req.addr = addr_i[Lanes*req.tag.slice+:Lanes];
    req.addr_hi = addr_hi_i[Lanes*req.tag.slice+:Lanes];
    for (int unsigned w = 0; w < 4; w++) req.data[w] = data_i[w][Lanes*req.tag.slice+:Lanes];
  end

  sm_pkg::slice_t slice;
  sm_pkg::lanes_t lanes, shared;
  sm_pkg::row_t   addr, copy_addr;
  sm_pkg::row_t [3:0] data;
  logic [Lanes-1:0][7:0] addr_hi;
  assign slice_o = 8'(slice);
  assign lanes_o = 32'(lanes);
  assign shared_o = 32'(shared);
  assign addr_o = 1024'(addr);
  assign addr_hi_o = 256'(addr_hi);
  assign copy_addr_o = 1024'(copy_addr);
  always_comb for (int unsigned w = 0; w < 4; w++) data_o[w] = 1024'(data[w]);

  assign fault_warp_o = 8'(fault.warp);
  assign fault_pc_o = fault.pc;
  assign fault_lane_o = fault.lane;
  assign fault_kind_o = fault.kind;
  assign fault_code_o = fault.code;
  assign fault_address_o = fault.address;
  assign cls_o = op.cls;
  assign entry_o = 8'(op.entry);
  assign size_o = op.size;
  assign matrix_o = op.matrix;
  assign bypass_o = op.bypass;
  assign waits_o = op.waits;
  assign stores_too_o = op.stores_too;
  assign invalidate_o = op.invalidate;
  assign atom_op_o = op.atom_op;
  assign atom_type_o = 3'(op.atom_type);
  assign reduces_o = op.reduces;
  assign copies_o = op.copies;
  assign warp_o = 8'(op.warp);
  assign seq_o = op.seq;
  assign acquire_o = op.acquire;

  lsu_address u_lsu_address (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .settings_i    (settings),
    .kernel_i      (kernel),
    .sm_id_i       (sm_id_i[config_pkg::SmW-1:0]),
    .req_valid_i   (req_valid_i),
    .req_ready_o   (req_ready_o),
    .req_i         (req),
    .entry_i       (entry_i[lsu_pkg::EntryW-1:0]),
    .fault_valid_o (fault_valid_o),
    .fault_o       (fault),
    .valid_o       (valid_o),
    .taken_i       (taken_i),
    .op_o          (op),
    .last_o        (last_o),
    .slice_o       (slice),
    .lanes_o       (lanes),
    .shared_o      (shared),
    .addr_o        (addr),
    .addr_hi_o     (addr_hi),
    .data_o        (data),
    .copy_addr_o   (copy_addr)
  );

endmodule
