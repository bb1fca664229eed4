// SPDX-License-Identifier: Apache-2.0
// Operand collectors for rows that move whole (one slice): when all rows of an entry are there it goes to its
// unit's request register.
//
//   cycle 0  issue FFMA R4, R5, R6, R7: entry 1; rows in banks 1, 2, 3
//         1  all three banks read (oldest entry first)
//         2  the rows go straight from the banks' outputs to the FP32 request register
//         3  the unit sees the request
//
// A row that arrives while its instruction cannot go yet waits in the entry. Immediates, constants and
// special registers take the place of row b here; addresses of memory instructions are added here.
module row_collector #(
  localparam int unsigned Collectors = config_pkg::Collectors,
  localparam int unsigned Banks      = config_pkg::RegisterBanks,
  localparam int unsigned RowW       = config_pkg::RowW
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Where each warp's block lives, for memory instructions.
  input  logic                       start_valid_i,
  input  core_pkg::start_t           start_i,
  // Issue; only to units with room.
  output logic [core_pkg::Units-1:0] room_o,
  input  logic                       issue_valid_i,
  input  core_pkg::collect_t         issue_i,
  // Special registers of the last instruction issued that reads them: a row comes a cycle after issue, its
  // slices, where there are several, a cycle after they are asked for.
  output logic                       special_valid_o,
  output sm_pkg::slice_t             special_slice_o,
  input  sm_pkg::row_t               special_row_i,
  // Register file.
  output logic [Banks-1:0]           bank_valid_o,
  output logic [Banks-1:0][RowW-1:0] bank_row_o,
  output sm_pkg::slice_t [Banks-1:0] bank_slice_o,
  input  core_pkg::bank_rows_t       bank_data_i,
  // What is written to it now, which a row at a bank's output lacks.
  input  logic                       wr_valid_i,
  input  logic [RowW-1:0]            wr_row_i,
  input  sm_pkg::lanes_t             wr_lanes_i,
  input  sm_pkg::row_t               wr_data_i,
  // Units.
  output logic                       int_valid_o,
  input  logic                       int_ready_i,
  output sm_pkg::exec_req_t          int_req_o,
  output sm_pkg::exec_hi_t           int_hi_o,
  output logic                       fp32_valid_o,
  input  logic                       fp32_ready_i,
  output sm_pkg::exec_req_t          fp32_req_o,
  output logic                       cvt_valid_o,
  input  logic                       cvt_ready_i,
  output sm_pkg::exec_req_t          cvt_req_o,
  output sm_pkg::exec_hi_t           cvt_hi_o,
  output logic                       warp_valid_o,
  input  logic                       warp_ready_i,
  output sm_pkg::exec_req_t          warp_req_o,
  output logic                       fp64_valid_o,
  input  logic                       fp64_ready_i,
  output sm_pkg::exec_req_t          fp64_req_o,
  output sm_pkg::exec_hi_t           fp64_hi_o,
  output logic                       lsu_valid_o,
  input  logic                       lsu_ready_i,
  output sm_pkg::lsu_req_t           lsu_req_o,
  output logic                       control_valid_o,  // one cycle; always taken
  output core_pkg::control_t         control_o,
  input  sm_pkg::slice_t             control_slice_i,  // of its row a, at any time until the next
  output sm_pkg::row_t               control_row_o,
  output logic                       busy_o
);

  localparam int unsigned Units = core_pkg::Units;
  localparam int unsigned EntryW = Collectors > 1 ? $clog2(Collectors) : 1;
  localparam int unsigned BankW = Banks > 1 ? $clog2(Banks) : 1;
  localparam int unsigned LaneW = $clog2(sm_pkg::RowLanes);
  typedef logic [EntryW-1:0] entry_t;

  core_pkg::collect_t info_q [Collectors];
  sm_pkg::row_t       row_q [Collectors*8];  // {entry, operand row}; 6 and 7 are not used
  logic [config_pkg::BlockSlotW-1:0] block_slot_q [core_pkg::Warps];
  logic [config_pkg::SharedW-1:0]    shared_base_q [core_pkg::Warps];

  logic [Banks-1:0]      got;
  entry_t                got_entry [Banks];
  logic [2:0]            got_row [Banks];
  logic                  special;
  entry_t                special_entry, issue_entry;
  logic [Units-1:0]      unit_free, go;
  entry_t                go_entry [Units];
  logic [Collectors-1:0] gone;
  logic [RowW-1:0]       issue_row [3];
  logic                  control_busy;

  assign special_valid_o = 1'b0;  // comes unasked
  assign special_slice_o = '0;
  assign bank_slice_o = '0;
  assign unit_free = {1'b1, !lsu_valid_o || lsu_ready_i, !fp64_valid_o || fp64_ready_i, !warp_valid_o || warp_ready_i,
                      !cvt_valid_o || cvt_ready_i,
                      !fp32_valid_o || fp32_ready_i, !int_valid_o || int_ready_i};
  assign issue_row[0] = issue_i.row + RowW'(issue_i.d.ra);
  assign issue_row[1] = issue_i.row + RowW'(issue_i.d.rb);
  assign issue_row[2] = issue_i.row + RowW'(issue_i.d.rc);

  collector_control u_collector_control (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .room_o          (room_o),
    .issue_valid_i   (issue_valid_i),
    .issue_to_i      (issue_i.d.to),
    .issue_warp_i    (issue_i.warp),
    .issue_reads_i   (issue_i.d.reads),
    .issue_row_i     (issue_row),
    .issue_special_i (issue_i.lanes),
    .issue_entry_o   (issue_entry),
    .bank_valid_o    (bank_valid_o),
    .bank_row_o      (bank_row_o),
    .got_o           (got),
    .got_entry_o     (got_entry),
    .got_row_o       (got_row),
    .special_o       (special),
    .special_entry_o (special_entry),
    .unit_free_i     (unit_free),
    .go_o            (go),
    .go_entry_o      (go_entry),
    .gone_o          (gone),
    .busy_o          (control_busy)
  );
  assign busy_o = control_busy || int_valid_o || fp32_valid_o || cvt_valid_o || warp_valid_o || fp64_valid_o || lsu_valid_o;

  // A row at a bank's output, with what is written to it in this cycle.
  logic [RowW-1:0]  read_q [Banks];  // which row that is
  logic [Banks-1:0] merges;
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Banks; b++) if (bank_valid_o[b]) read_q[b] <= bank_row_o[b];
  end
  always_comb begin
    merges = '0;
    if (wr_valid_i) for (int unsigned b = 0; b < Banks; b++) merges[b] = got[b] && read_q[b] == wr_row_i;
  end
  function automatic sm_pkg::row_t of_bank(input logic [BankW-1:0] bank);
    sm_pkg::row_t row;
    row = bank_data_i[bank];
    if (merges[bank])
      for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) if (wr_lanes_i[lane]) row[lane] = wr_data_i[lane];
    return row;
  endfunction

  // An operand row of an entry that goes: from a bank's output, from the entry, or an immediate. One value, assigned
  // by cases: each early return would cost synthesis multiplexers of its own (docs/synthesis.md).
  function automatic sm_pkg::row_t operand(input entry_t entry, input core_pkg::collect_t info, input logic [2:0] row);
    sm_pkg::row_t     value;
    logic             hit;
    logic [BankW-1:0] bank;
    hit = 1'b0;
    bank = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      if (got[b] && got_entry[b] == entry && got_row[b] == row) begin
        hit = 1'b1;
        bank = BankW'(b);
      end
    end
    if (info.d.reads[row]) value = hit ? of_bank(bank) : row_q[{entry, row}];
    else if (row == 3'd2 && info.lanes) value = special && special_entry == entry ? special_row_i : row_q[{entry, row}];
    else if (row == 3'd2 && info.d.b_imm) value = {sm_pkg::RowLanes{info.d.imm}};
    else if (row == 3'd3 && info.d.b_imm) value = {sm_pkg::RowLanes{info.imm_hi}};
    else value = '0;  // RZ
    return value;
  endfunction

  function automatic sm_pkg::row_t add(input sm_pkg::row_t a, input logic [31:0] offset);
    sm_pkg::row_t sum;
    for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) sum[lane] = a[lane] + offset;
    return sum;
  endfunction

  // Upper half of a 64-bit sum whose lower half is `low` = a + offset (sign-extended).
  function automatic sm_pkg::row_t add_hi(input sm_pkg::row_t low, input sm_pkg::row_t a_hi, input logic [31:0] offset);
    sm_pkg::row_t sum;
    for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++)
      // a + offset overflows when the low sum is below the offset.
      sum[lane] = a_hi[lane] + {32{offset[31]}} + 32'(low[lane] < offset);
    return sum;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      int_valid_o <= 1'b0;
      fp32_valid_o <= 1'b0;
      cvt_valid_o <= 1'b0;
      warp_valid_o <= 1'b0;
      fp64_valid_o <= 1'b0;
      lsu_valid_o <= 1'b0;
      control_valid_o <= 1'b0;
    end else begin
      if (unit_free[core_pkg::ToInt]) int_valid_o <= go[core_pkg::ToInt];
      if (unit_free[core_pkg::ToFp32]) fp32_valid_o <= go[core_pkg::ToFp32];
      if (unit_free[core_pkg::ToCvt]) cvt_valid_o <= go[core_pkg::ToCvt];
      if (unit_free[core_pkg::ToWarp]) warp_valid_o <= go[core_pkg::ToWarp];
      if (unit_free[core_pkg::ToFp64]) fp64_valid_o <= go[core_pkg::ToFp64];
      if (unit_free[core_pkg::ToLsu]) lsu_valid_o <= go[core_pkg::ToLsu];
      control_valid_o <= go[core_pkg::ToCtl];
    end
  end

  // Entries.
  always_ff @(posedge clk_i) begin
    if (start_valid_i) begin
      block_slot_q[start_i.warp] <= start_i.block_slot;
      shared_base_q[start_i.warp] <= start_i.shared_base;
    end
    if (issue_valid_i) info_q[issue_entry] <= issue_i;
    for (int unsigned b = 0; b < Banks; b++) begin
      if (got[b] && !gone[got_entry[b]]) row_q[{got_entry[b], got_row[b]}] <= of_bank(BankW'(b));
    end
    if (special && !gone[special_entry]) row_q[{special_entry, 3'd2}] <= special_row_i;
  end

  // Requests.
  always_ff @(posedge clk_i) begin
    if (go[core_pkg::ToInt]) begin
      core_pkg::collect_t info;
      info = info_q[go_entry[core_pkg::ToInt]];
      int_req_o.tag <= info.tag;
      int_req_o.op <= info.d.op;
      int_req_o.mod <= info.d.mod;
      int_req_o.wide <= info.d.rd_log2 != 2'd0;
      int_req_o.pc <= info.d.pc;
      int_req_o.p <= sm_pkg::lanes_t'(info.p);
      int_req_o.p2 <= sm_pkg::lanes_t'(info.p2);
      if (info.d.uses[0]) int_req_o.a <= operand(go_entry[core_pkg::ToInt], info, 3'd0);
      if (info.d.uses[2]) int_req_o.b <= operand(go_entry[core_pkg::ToInt], info, 3'd2);
      if (info.d.uses[4]) int_req_o.c <= operand(go_entry[core_pkg::ToInt], info, 3'd4);
      if (info.d.hi) begin
        if (info.d.uses[1]) int_hi_o.a_hi <= operand(go_entry[core_pkg::ToInt], info, 3'd1);
        if (info.d.uses[3]) int_hi_o.b_hi <= operand(go_entry[core_pkg::ToInt], info, 3'd3);
        if (info.d.uses[5]) int_hi_o.c_hi <= operand(go_entry[core_pkg::ToInt], info, 3'd5);
      end
    end
    if (go[core_pkg::ToFp32]) begin
      core_pkg::collect_t info;
      info = info_q[go_entry[core_pkg::ToFp32]];
      fp32_req_o.tag <= info.tag;
      fp32_req_o.op <= info.d.op;
      fp32_req_o.mod <= info.d.mod;
      fp32_req_o.wide <= 1'b0;
      fp32_req_o.pc <= info.d.pc;
      fp32_req_o.p <= sm_pkg::lanes_t'(info.p);
      fp32_req_o.p2 <= sm_pkg::lanes_t'(info.p2);
      if (info.d.uses[0]) fp32_req_o.a <= operand(go_entry[core_pkg::ToFp32], info, 3'd0);
      if (info.d.uses[2]) fp32_req_o.b <= operand(go_entry[core_pkg::ToFp32], info, 3'd2);
      if (info.d.uses[4]) fp32_req_o.c <= operand(go_entry[core_pkg::ToFp32], info, 3'd4);
    end
    if (go[core_pkg::ToCvt]) begin
      core_pkg::collect_t info;
      info = info_q[go_entry[core_pkg::ToCvt]];
      cvt_req_o.tag <= info.tag;
      cvt_req_o.op <= info.d.op;
      cvt_req_o.mod <= info.d.mod;
      cvt_req_o.wide <= info.d.rd_log2 != 2'd0;
      cvt_req_o.pc <= info.d.pc;
      cvt_req_o.p <= '0;
      cvt_req_o.p2 <= '0;
      if (info.d.uses[0]) cvt_req_o.a <= operand(go_entry[core_pkg::ToCvt], info, 3'd0);
      cvt_req_o.b <= operand(go_entry[core_pkg::ToCvt], info, 3'd2);
      cvt_req_o.c <= '0;
      if (info.d.hi) begin
        cvt_hi_o.a_hi <= '0;
        cvt_hi_o.b_hi <= operand(go_entry[core_pkg::ToCvt], info, 3'd3);
        cvt_hi_o.c_hi <= '0;
      end
    end
    if (go[core_pkg::ToWarp]) begin
      core_pkg::collect_t info;
      info = info_q[go_entry[core_pkg::ToWarp]];
      warp_req_o.tag <= info.tag;
      warp_req_o.op <= info.d.op;
      warp_req_o.mod <= info.d.mod;
      warp_req_o.wide <= 1'b0;
      warp_req_o.pc <= info.d.pc;
      warp_req_o.p <= sm_pkg::lanes_t'(info.p);
      warp_req_o.p2 <= '0;
      if (info.d.uses[0]) warp_req_o.a <= operand(go_entry[core_pkg::ToWarp], info, 3'd0);
      if (info.d.uses[2]) warp_req_o.b <= operand(go_entry[core_pkg::ToWarp], info, 3'd2);
      if (info.d.uses[4]) warp_req_o.c <= operand(go_entry[core_pkg::ToWarp], info, 3'd4);
    end
    if (core_pkg::HasFp64 && go[core_pkg::ToFp64]) begin
      core_pkg::collect_t info;
      info = info_q[go_entry[core_pkg::ToFp64]];
      fp64_req_o.tag <= info.tag;
      fp64_req_o.op <= info.d.op;
      fp64_req_o.mod <= info.d.mod;
      fp64_req_o.wide <= info.d.rd_log2 != 2'd0;
      fp64_req_o.pc <= info.d.pc;
      fp64_req_o.p <= sm_pkg::lanes_t'(info.p);
      fp64_req_o.p2 <= '0;
      if (info.d.uses[0]) fp64_req_o.a <= operand(go_entry[core_pkg::ToFp64], info, 3'd0);
      fp64_req_o.b <= operand(go_entry[core_pkg::ToFp64], info, 3'd2);
      if (info.d.uses[4]) fp64_req_o.c <= operand(go_entry[core_pkg::ToFp64], info, 3'd4);
      if (info.d.uses[1]) fp64_hi_o.a_hi <= operand(go_entry[core_pkg::ToFp64], info, 3'd1);
      if (info.d.uses[3]) fp64_hi_o.b_hi <= operand(go_entry[core_pkg::ToFp64], info, 3'd3);
      if (info.d.uses[5]) fp64_hi_o.c_hi <= operand(go_entry[core_pkg::ToFp64], info, 3'd5);
    end
    if (go[core_pkg::ToLsu]) begin
      core_pkg::collect_t info;
      sm_pkg::row_t       low;
      info = info_q[go_entry[core_pkg::ToLsu]];
      lsu_req_o.tag <= info.tag;
      lsu_req_o.op <= info.d.op;
      lsu_req_o.mod <= info.d.mod;
      lsu_req_o.pc <= info.d.pc;
      lsu_req_o.block_slot <= block_slot_q[info.warp];
      lsu_req_o.shared_base <= shared_base_q[info.warp];
      low = operand(go_entry[core_pkg::ToLsu], info, 3'd0);
      if (info.d.imm != '0) low = add(low, info.d.imm);
      lsu_req_o.addr <= low;
      if (info.d.uses[1]) lsu_req_o.addr_hi <= add_hi(low, operand(go_entry[core_pkg::ToLsu], info, 3'd1), info.d.imm);
      if (info.d.uses[2]) lsu_req_o.data[0] <= operand(go_entry[core_pkg::ToLsu], info, 3'd2);
      if (info.d.uses[3]) lsu_req_o.data[1] <= operand(go_entry[core_pkg::ToLsu], info, 3'd3);
      if (info.d.uses[4]) lsu_req_o.data[2] <= operand(go_entry[core_pkg::ToLsu], info, 3'd4);
      if (info.d.uses[5]) lsu_req_o.data[3] <= operand(go_entry[core_pkg::ToLsu], info, 3'd5);
    end
    if (go[core_pkg::ToCtl]) begin
      core_pkg::collect_t info;
      sm_pkg::row_t       b, c;
      info = info_q[go_entry[core_pkg::ToCtl]];
      b = operand(go_entry[core_pkg::ToCtl], info, 3'd2);
      c = operand(go_entry[core_pkg::ToCtl], info, 3'd4);
      control_o.warp <= info.warp;
      control_o.seq <= info.tag.seq;
      control_o.pc <= info.d.pc;
      control_o.op <= info.d.op;
      control_o.mod <= info.d.mod;
      control_o.rd <= info.tag.rd;
      control_o.pd <= info.tag.pd;
      control_o.bar <= info.d.ra[3:0];
      control_o.imm <= info.d.imm;
      control_o.taken <= info.tag.mask;
      control_o.p <= info.p;
      control_o.b <= b[LaneW'(info.lane)];
      control_o.c <= c[LaneW'(info.lane)][10:0];
      control_row_o <= operand(go_entry[core_pkg::ToCtl], info, 3'd0);
    end
  end

endmodule
