// SPDX-License-Identifier: Apache-2.0
// The operand collectors with the fields of their structs as ports. A tag travels as one word; only its width
// matters here. Rows are slices in the low lanes of their ports, zero above.
module operand_collector_top (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic [31:0]        sizes_o,       // {lanes of a slice, warps, banks} of the preset
  input  logic               start_valid_i,
  input  logic [7:0]         start_warp_i,
  input  logic [7:0]         start_block_i,
  input  logic [31:0]        start_shared_i,
  output core_pkg::units_t   room_o,
  input  logic               issue_valid_i,
  input  logic [31:0]        pc_i,
  input  logic [7:0]         op_i,
  input  logic [3:0]         to_i,
  input  logic [17:0]        mod_i,
  input  logic [7:0]         ra_i,
  input  logic [7:0]         rb_i,
  input  logic [7:0]         rc_i,
  input  logic [5:0]         uses_i,
  input  logic [5:0]         reads_i,
  input  logic [3:0]         psrc_i,
  input  logic [3:0]         psrc2_i,
  input  logic               b_imm_i,
  input  logic               early_i,
  input  logic [31:0]        imm_i,
  input  logic [31:0]        imm_hi_i,
  input  logic [95:0]        tag_i,
  input  logic [31:0]        p_i,
  input  logic [31:0]        p2_i,
  input  logic [15:0]        row_i,
  input  logic               lanes_i,
  input  logic [4:0]         lane_i,
  input  logic [7:0]         warp_i,
  output logic               special_valid_o,
  output logic [7:0]         special_slice_o,
  input  logic [1023:0]      special_row_i,
  output logic [3:0]         bank_valid_o,
  output logic [3:0][15:0]   bank_row_o,
  output logic [3:0][7:0]    bank_slice_o,
  input  logic [1023:0]      bank0_i,
  input  logic [1023:0]      bank1_i,
  input  logic [1023:0]      bank2_i,
  input  logic [1023:0]      bank3_i,
  input  logic               wr_valid_i,
  input  logic [15:0]        wr_row_i,
  input  logic [31:0]        wr_lanes_i,
  input  logic [1023:0]      wr_data_i,
  input  logic               wr_pair_i,
  input  logic [1023:0]      wr_data_hi_i,
  output core_pkg::units_t   valid_o,       // control: one cycle
  input  core_pkg::units_t   ready_i,
  input  core_pkg::units_t   soon_i,
  // Of the operand register, the load/store unit's request, the control instruction: tag, {mod, op}, pc.
  output logic [2:0][95:0]   tag_o,
  output logic [2:0][7:0]    slice_o,       // 0 for control: it comes whole
  output logic [2:0][31:0]   op_o,
  output logic [2:0][31:0]   pc_o,
  output logic               early_o,       // whole rows
  output logic [31:0]        p_o,
  output logic [31:0]        p2_o,
  output logic [5:0][1023:0] row_o,
  output logic [1023:0]      lsu_addr_o,
  output logic [1023:0]      lsu_addr_hi_o,
  output logic [1023:0]      lsu_data0_o,
  output logic [1023:0]      lsu_data1_o,
  output logic [1023:0]      lsu_data2_o,
  output logic [1023:0]      lsu_data3_o,
  output logic [7:0]         lsu_block_o,
  output logic [31:0]        lsu_shared_o,
  input  logic [7:0]         control_slice_i,
  output logic [1023:0]      control_row_o,
  output logic [7:0]         control_warp_o,
  output logic [3:0]         control_bar_o,
  output logic [31:0]        control_imm_o,
  output logic [31:0]        control_p_o,
  output logic [31:0]        control_b_o,
  output logic [31:0]        control_c_o,
  output logic               busy_o
);

  localparam int unsigned Banks = config_pkg::RegisterBanks;
  localparam int unsigned RowW = config_pkg::RowW;
  localparam int unsigned TagW = $bits(sm_pkg::tag_t);

  assign sizes_o = {8'd0, 8'(sm_pkg::RowLanes), 8'(core_pkg::Warps), 8'(Banks)};

  core_pkg::start_t     start;
  core_pkg::collect_t   issue;
  core_pkg::bank_rows_t bank_data;
  logic [3:0][1023:0]   banks;
  logic [Banks-1:0]     bank_valid;
  logic [Banks-1:0][RowW-1:0] bank_row;
  sm_pkg::slice_t [Banks-1:0] bank_slice;
  sm_pkg::slice_t       special_slice;
  sm_pkg::exec_req_t    req;
  core_pkg::units_t     valid;
  logic                 lsu_valid, control_valid;
  sm_pkg::lsu_req_t     lsu_req;
  core_pkg::control_t   control;
  sm_pkg::row_t         control_row;
  sm_pkg::tag_t         control_tag;
  assign banks = {bank3_i, bank2_i, bank1_i, bank0_i};
  always_comb begin
    start = '0;
    start.warp = core_pkg::warp_t'(start_warp_i);
    start.block_slot = config_pkg::BlockSlotW'(start_block_i);
    start.shared_base = config_pkg::SharedW'(start_shared_i);
    issue = '0;
    issue.d.pc = pc_i;
    issue.d.op = op_i;
    issue.d.to = isa_pkg::unit_e'(to_i);
    issue.d.mod = mod_i;
    issue.d.ra = ra_i;
    issue.d.rb = rb_i;
    issue.d.rc = rc_i;
    issue.d.uses = uses_i;
    issue.d.reads = reads_i;
    issue.d.psrc = psrc_i;
    issue.d.psrc2 = psrc2_i;
    issue.d.b_imm = b_imm_i;
    issue.early = early_i;
    issue.d.imm = imm_i;
    issue.imm_hi = imm_hi_i;
    issue.tag = sm_pkg::tag_t'(TagW'(tag_i));
    issue.row = RowW'(row_i);
    issue.lanes = lanes_i;
    issue.lane = lane_i;
    issue.warp = core_pkg::warp_t'(warp_i);
    bank_row_o = '0;
    bank_slice_o = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      bank_data[b] = sm_pkg::row_t'(banks[b]);
      bank_row_o[b] = 16'(bank_row[b]);
      bank_slice_o[b] = 8'(bank_slice[b]);
    end
    // The control instruction keeps only parts of its tag.
    control_tag = '0;
    control_tag.seq = control.seq;
    control_tag.rd = control.rd;
    control_tag.pd = control.pd;
    control_tag.mask = control.taken;
  end
  assign bank_valid_o = 4'(bank_valid);
  // The slice has a port of its own.
  function automatic logic [95:0] plain(input sm_pkg::tag_t tag);
    sm_pkg::tag_t t;
    t = tag;
    t.slice = '0;
    return 96'(t);
  endfunction
  assign tag_o = {plain(control_tag), plain(lsu_req.tag), plain(req.tag)};
  assign slice_o = {8'd0, 8'(lsu_req.tag.slice), 8'(req.tag.slice)};
  assign special_slice_o = 8'(special_slice);
  assign op_o = {6'd0, control.mod, control.op, 6'd0, lsu_req.mod, lsu_req.op, 6'd0, req.mod, req.op};
  assign pc_o = {control.pc, lsu_req.pc, req.pc};
  assign early_o = req.early;
  assign p_o = 32'(req.p);
  assign p2_o = 32'(req.p2);
  always_comb begin
    for (int unsigned r = 0; r < 6; r++) row_o[r] = 1024'(req.row[r]);
    // Of memory and control instructions what has left the operand register.
    valid_o = valid;
    valid_o[isa_pkg::UnitLsu] = lsu_valid;
    valid_o[isa_pkg::UnitCtl] = control_valid;
  end
  assign lsu_addr_o = 1024'(lsu_req.addr);
  assign lsu_addr_hi_o = 1024'(lsu_req.addr_hi);
  assign lsu_data0_o = 1024'(lsu_req.data[0]);
  assign lsu_data1_o = 1024'(lsu_req.data[1]);
  assign lsu_data2_o = 1024'(lsu_req.data[2]);
  assign lsu_data3_o = 1024'(lsu_req.data[3]);
  assign control_row_o = 1024'(control_row);
  assign lsu_block_o = 8'(lsu_req.block_slot);
  assign lsu_shared_o = 32'(lsu_req.shared_base);
  assign control_warp_o = 8'(control.warp);
  assign {control_bar_o, control_imm_o, control_p_o} = {control.bar, control.imm, control.p};
  assign {control_b_o, control_c_o} = {control.b, 32'(control.c)};

  operand_collector u_operand_collector (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_i         (start),
    .room_o          (room_o),
    .issue_valid_i   (issue_valid_i),
    .issue_i         (issue),
    .p_i             (p_i),
    .p2_i            (p2_i),
    .special_valid_o (special_valid_o),
    .special_slice_o (special_slice),
    .special_row_i   (sm_pkg::row_t'(special_row_i)),
    .bank_valid_o    (bank_valid),
    .bank_row_o      (bank_row),
    .bank_slice_o    (bank_slice),
    .bank_data_i     (bank_data),
    .wr_valid_i      (wr_valid_i),
    .wr_row_i        (RowW'(wr_row_i)),
    .wr_lanes_i      (sm_pkg::lanes_t'(wr_lanes_i)),
    .wr_data_i       (sm_pkg::row_t'(wr_data_i)),
    .wr_pair_i       (wr_pair_i),
    .wr_data_hi_i    (sm_pkg::row_t'(wr_data_hi_i)),
    .valid_o         (valid),
    .ready_i         (ready_i),
    .req_o           (req),
    .wants_o         (),
    .soon_i          (soon_i),
    .lsu_valid_o     (lsu_valid),
    .lsu_ready_i     (ready_i[isa_pkg::UnitLsu]),
    .lsu_req_o       (lsu_req),
    .control_valid_o (control_valid),
    .control_o       (control),
    .control_slice_i (sm_pkg::slice_t'(control_slice_i)),
    .control_row_o   (control_row),
    .busy_o          (busy_o)
  );

endmodule
