// SPDX-License-Identifier: Apache-2.0
// From the operand register to its unit. Execution units see the register itself. Memory and control instructions go on to
// registers of their own: the offset is added to the address on the way to the load/store unit, and of a control
// instruction's slices the lowest active lane's b and c are picked.
//
//   cycle 0  LDG R4, [R2+8] moves into the operand register
//         1  R3:R2 + 8 goes to the load/store unit's request register
//         2  the load/store unit sees the request
module dispatch #(
  localparam bit Slices = sm_pkg::RowSlices > 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Where each warp's block lives, for memory instructions.
  input  logic                  start_valid_i,
  input  core_pkg::start_t      start_i,
  // The operand register, and for which unit it is (one bit). soon: it would be taken if it came in the next cycle.
  input  core_pkg::units_t      valid_i,
  output core_pkg::units_t      ready_o,
  output core_pkg::units_t      soon_o,
  input  sm_pkg::exec_req_t     req_i,
  input  core_pkg::collect_t    info_i,           // of memory and control instructions
  // The same of the execution units.
  input  core_pkg::units_t      ready_i,
  input  core_pkg::units_t      soon_i,
  output logic                  lsu_valid_o,
  input  logic                  lsu_ready_i,
  output sm_pkg::lsu_req_t      lsu_req_o,
  output logic                  control_valid_o,  // one cycle; always taken
  output core_pkg::control_t    control_o,
  input  sm_pkg::slice_t        control_slice_i,  // of its row a, at any time until the next
  output sm_pkg::row_t          control_row_o
);

  localparam int unsigned LaneW = $clog2(sm_pkg::RowLanes);

  logic to_lsu, lsu_free, to_control;
  assign to_lsu = valid_i[isa_pkg::UnitLsu];
  assign to_control = valid_i[isa_pkg::UnitCtl];
  assign lsu_free = !lsu_valid_o || lsu_ready_i;
  always_comb begin
    ready_o = ready_i;
    soon_o = soon_i;
    ready_o[isa_pkg::UnitLsu] = lsu_free;
    soon_o[isa_pkg::UnitLsu] = lsu_free && !to_lsu;
    ready_o[isa_pkg::UnitCtl] = 1'b1;
    soon_o[isa_pkg::UnitCtl] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      lsu_valid_o <= 1'b0;
      control_valid_o <= 1'b0;
    end else begin
      if (lsu_free) lsu_valid_o <= to_lsu;
      control_valid_o <= to_control && req_i.tag.slice == sm_pkg::LastSlice;
    end
  end

  // ---- memory instructions ----------------------------------------------------------------------------------
  logic [config_pkg::BlockSlotW-1:0] block_slot_q [core_pkg::Warps];
  logic [config_pkg::SharedW-1:0]    shared_base_q [core_pkg::Warps];
  gpu_pkg::rank_t                    rank_q [core_pkg::Warps];
  always_ff @(posedge clk_i) begin
    if (start_valid_i) begin
      block_slot_q[start_i.warp] <= start_i.block_slot;
      shared_base_q[start_i.warp] <= start_i.shared_base;
      rank_q[start_i.warp] <= start_i.rank;
    end
  end

  always_ff @(posedge clk_i) begin
    if (to_lsu && lsu_free) begin
      lsu_req_o.tag <= req_i.tag;
      lsu_req_o.op <= req_i.op;
      lsu_req_o.mod <= req_i.mod;
      lsu_req_o.pc <= req_i.pc;
      lsu_req_o.block_slot <= block_slot_q[info_i.warp];
      lsu_req_o.shared_base <= shared_base_q[info_i.warp];
      lsu_req_o.rank <= gpu_pkg::HasClusters ? rank_q[info_i.warp] : '0;
      for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) begin
        logic [63:0] sum;
        sum = {req_i.row[sm_pkg::AHi][lane], req_i.row[sm_pkg::A][lane]} + {{32{info_i.d.imm[31]}}, info_i.d.imm};
        lsu_req_o.addr[lane] <= sum[31:0];
        lsu_req_o.addr_hi[lane] <= sum[63:32];
      end
      // A load moves no data, which costs a simulator time; gates for that cost more than it.
      if (Slices || info_i.d.uses[sm_pkg::B]) lsu_req_o.data[0] <= req_i.row[sm_pkg::B];
      if (Slices || info_i.d.uses[sm_pkg::BHi]) lsu_req_o.data[1] <= req_i.row[sm_pkg::BHi];
      if (Slices || info_i.d.uses[sm_pkg::C]) lsu_req_o.data[2] <= req_i.row[sm_pkg::C];
      if (Slices || info_i.d.uses[sm_pkg::CHi]) lsu_req_o.data[3] <= req_i.row[sm_pkg::CHi];
    end
  end

  // ---- control instructions: all slices of row a; of b and c one lane ---------------------------------------
  logic [LaneW-1:0] lane;
  assign lane = LaneW'(info_i.lane);
  always_ff @(posedge clk_i) begin
    if (to_control) begin
      control_o.warp <= info_i.warp;
      control_o.seq <= req_i.tag.seq;
      control_o.pc <= req_i.pc;
      control_o.op <= req_i.op;
      control_o.mod <= req_i.mod;
      control_o.rd <= req_i.tag.rd;
      control_o.pd <= req_i.tag.pd;
      control_o.bar <= info_i.d.ra[3:0];
      control_o.imm <= info_i.d.imm;
      control_o.taken <= req_i.tag.mask;
      for (int unsigned s = 0; s < sm_pkg::RowSlices; s++) begin
        if (req_i.tag.slice == sm_pkg::slice_t'(s)) control_o.p[s*sm_pkg::RowLanes+:sm_pkg::RowLanes] <= req_i.p;
      end
      if (sm_pkg::slice_t'(32'(info_i.lane) / sm_pkg::RowLanes) == req_i.tag.slice) begin
        control_o.b <= req_i.row[sm_pkg::B][lane];
        control_o.c <= req_i.row[sm_pkg::C][lane][10:0];
      end
    end
  end

  if (Slices) begin : g_slices
    sm_pkg::row_t control_row_q [sm_pkg::RowSlices];
    assign control_row_o = control_row_q[control_slice_i];
    always_ff @(posedge clk_i) begin
      if (to_control) control_row_q[req_i.tag.slice] <= req_i.row[sm_pkg::A];
    end
  end else begin : g_whole
    sm_pkg::row_t control_row_q;
    assign control_row_o = control_row_q;
    always_ff @(posedge clk_i) begin
      if (to_control) control_row_q <= req_i.row[sm_pkg::A];
    end
  end

endmodule
