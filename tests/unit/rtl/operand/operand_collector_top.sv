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
  output logic [6:0]         room_o,
  input  logic               issue_valid_i,
  input  logic [31:0]        pc_i,
  input  logic [7:0]         op_i,
  input  logic [2:0]         to_i,
  input  logic [17:0]        mod_i,
  input  logic [7:0]         ra_i,
  input  logic [7:0]         rb_i,
  input  logic [7:0]         rc_i,
  input  logic [5:0]         uses_i,
  input  logic [5:0]         reads_i,
  input  logic               b_imm_i,
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
  output logic [6:0]         valid_o,       // by unit; control: one cycle
  input  logic [5:0]         ready_i,
  // Of every unit: tag, {mod, op}, pc.
  output logic [6:0][95:0]   tag_o,
  output logic [6:0][7:0]    slice_o,       // 0 for control: it comes whole
  output logic [6:0][31:0]   op_o,
  output logic [6:0][31:0]   pc_o,
  output logic [4:0][31:0]   p_o,
  output logic [4:0][31:0]   p2_o,
  output logic [1023:0]      int_a_o,
  output logic [1023:0]      int_b_o,
  output logic [1023:0]      int_c_o,
  output logic [1023:0]      int_a_hi_o,
  output logic [1023:0]      int_b_hi_o,
  output logic [1023:0]      int_c_hi_o,
  output logic [1023:0]      fp32_a_o,
  output logic [1023:0]      fp32_b_o,
  output logic [1023:0]      fp32_c_o,
  output logic [1023:0]      cvt_a_o,
  output logic [1023:0]      cvt_b_o,
  output logic [1023:0]      cvt_b_hi_o,
  output logic [1023:0]      warp_a_o,
  output logic [1023:0]      warp_b_o,
  output logic [1023:0]      warp_c_o,
  output logic [1023:0]      fp64_a_o,
  output logic [1023:0]      fp64_b_o,
  output logic [1023:0]      fp64_c_o,
  output logic [1023:0]      fp64_a_hi_o,
  output logic [1023:0]      fp64_b_hi_o,
  output logic [1023:0]      fp64_c_hi_o,
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
  sm_pkg::exec_req_t    int_req, fp32_req, cvt_req, warp_req, fp64_req;
  sm_pkg::exec_hi_t     int_hi, cvt_hi, fp64_hi;
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
    issue.d.to = core_pkg::unit_e'(to_i);
    issue.d.mod = mod_i;
    issue.d.ra = ra_i;
    issue.d.rb = rb_i;
    issue.d.rc = rc_i;
    issue.d.uses = uses_i;
    issue.d.reads = reads_i;
    issue.d.hi = uses_i[1] || uses_i[3] || uses_i[5];
    issue.d.b_imm = b_imm_i;
    issue.d.imm = imm_i;
    issue.imm_hi = imm_hi_i;
    issue.tag = sm_pkg::tag_t'(TagW'(tag_i));
    issue.p = p_i;
    issue.p2 = p2_i;
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
  assign tag_o = {plain(control_tag), plain(lsu_req.tag), plain(fp64_req.tag), plain(warp_req.tag),
                  plain(cvt_req.tag), plain(fp32_req.tag), plain(int_req.tag)};
  assign slice_o = {8'd0, 8'(lsu_req.tag.slice), 8'(fp64_req.tag.slice), 8'(warp_req.tag.slice),
                    8'(cvt_req.tag.slice), 8'(fp32_req.tag.slice), 8'(int_req.tag.slice)};
  assign special_slice_o = 8'(special_slice);
  assign op_o = {6'd0, control.mod, control.op, 6'd0, lsu_req.mod, lsu_req.op, 6'd0, fp64_req.mod, fp64_req.op,
                 6'd0, warp_req.mod, warp_req.op, 6'd0, cvt_req.mod, cvt_req.op, 6'd0, fp32_req.mod, fp32_req.op,
                 6'd0, int_req.mod, int_req.op};
  assign pc_o = {control.pc, lsu_req.pc, fp64_req.pc, warp_req.pc, cvt_req.pc, fp32_req.pc, int_req.pc};
  assign p_o = {32'(fp64_req.p), 32'(warp_req.p), 32'(cvt_req.p), 32'(fp32_req.p), 32'(int_req.p)};
  assign p2_o = {32'(fp64_req.p2), 32'(warp_req.p2), 32'(cvt_req.p2), 32'(fp32_req.p2), 32'(int_req.p2)};
  assign int_a_o = 1024'(int_req.a);
  assign int_b_o = 1024'(int_req.b);
  assign int_c_o = 1024'(int_req.c);
  assign int_a_hi_o = 1024'(int_hi.a_hi);
  assign int_b_hi_o = 1024'(int_hi.b_hi);
  assign int_c_hi_o = 1024'(int_hi.c_hi);
  assign fp32_a_o = 1024'(fp32_req.a);
  assign fp32_b_o = 1024'(fp32_req.b);
  assign fp32_c_o = 1024'(fp32_req.c);
  assign cvt_a_o = 1024'(cvt_req.a);
  assign cvt_b_o = 1024'(cvt_req.b);
  assign cvt_b_hi_o = 1024'(cvt_hi.b_hi);
  assign warp_a_o = 1024'(warp_req.a);
  assign warp_b_o = 1024'(warp_req.b);
  assign warp_c_o = 1024'(warp_req.c);
  assign fp64_a_o = 1024'(fp64_req.a);
  assign fp64_b_o = 1024'(fp64_req.b);
  assign fp64_c_o = 1024'(fp64_req.c);
  assign fp64_a_hi_o = 1024'(fp64_hi.a_hi);
  assign fp64_b_hi_o = 1024'(fp64_hi.b_hi);
  assign fp64_c_hi_o = 1024'(fp64_hi.c_hi);
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
    .int_valid_o     (valid_o[0]),
    .int_ready_i     (ready_i[0]),
    .int_req_o       (int_req),
    .int_hi_o        (int_hi),
    .fp32_valid_o    (valid_o[1]),
    .fp32_ready_i    (ready_i[1]),
    .fp32_req_o      (fp32_req),
    .cvt_valid_o     (valid_o[2]),
    .cvt_ready_i     (ready_i[2]),
    .cvt_req_o       (cvt_req),
    .cvt_hi_o        (cvt_hi),
    .warp_valid_o    (valid_o[3]),
    .warp_ready_i    (ready_i[3]),
    .warp_req_o      (warp_req),
    .fp64_valid_o    (valid_o[4]),
    .fp64_ready_i    (ready_i[4]),
    .fp64_req_o      (fp64_req),
    .fp64_hi_o       (fp64_hi),
    .lsu_valid_o     (valid_o[5]),
    .lsu_ready_i     (ready_i[5]),
    .lsu_req_o       (lsu_req),
    .control_valid_o (valid_o[6]),
    .control_o       (control),
    .control_slice_i (sm_pkg::slice_t'(control_slice_i)),
    .control_row_o   (control_row),
    .busy_o          (busy_o)
  );

endmodule
