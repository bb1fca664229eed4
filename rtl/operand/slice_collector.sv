// SPDX-License-Identifier: Apache-2.0
// Operand collectors for rows that move in slices: one slice a time goes from the banks' outputs to the operand register,
// in as many cycles as its rows need.
//
//   cycle 0  issue FFMA R4, R5, R6, R7 in two banks
//         1  the first read is planned
//         2  R6 and R5, slice 0, are read
//         3  they go to the operand register; R7, slice 0, is read
//         4  R7 joins them; R6 and R5, slice 1, are read
//         5  the unit sees slice 0; two cycles later the next one
//
// A unit keeps the operand register until it is through with the slice.
module slice_collector #(
  localparam int unsigned Collectors = config_pkg::Collectors,
  localparam int unsigned Banks      = config_pkg::RegisterBanks,
  localparam int unsigned RowW       = config_pkg::RowW
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Issue; only to units with room.
  output core_pkg::units_t           room_o,
  input  logic                       issue_valid_i,
  input  core_pkg::collect_t         issue_i,
  input  sm_pkg::mask_t              p_i,             // the predicates that are its data
  input  sm_pkg::mask_t              p2_i,
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
  // The operand register, and for which unit it is (one bit).
  output core_pkg::units_t           valid_o,
  input  core_pkg::units_t           ready_i,
  output sm_pkg::exec_req_t          req_o,
  output core_pkg::collect_t         info_o,  // of memory and control instructions
  input  logic                       lsu_takes_i,  // from the register behind this one
  output logic                       busy_o
);

  localparam int unsigned Units = core_pkg::Units;
  localparam int unsigned Rows = sm_pkg::OperandRows;
  localparam int unsigned EntryW = Collectors > 1 ? $clog2(Collectors) : 1;
  localparam int unsigned BankW = $clog2(Banks);
  typedef logic [EntryW-1:0] entry_t;

  logic [RowW-1:0]    issue_row [3];
  entry_t             issue_entry, entry;
  logic               move, first, vacant, control_busy;
  core_pkg::rows_t    rows;
  logic [BankW-1:0]   bank [Rows];
  sm_pkg::slice_t     slice;
  logic [Units-1:0]   at, open, go;
  core_pkg::collect_t info_q [Collectors];
  sm_pkg::mask_t      p_in_q [Collectors], p2_in_q [Collectors];
  assign issue_row[0] = issue_i.row + RowW'(issue_i.d.ra);
  assign issue_row[1] = issue_i.row + RowW'(issue_i.d.rb);
  assign issue_row[2] = issue_i.row + RowW'(issue_i.d.rc);

  slice_control u_slice_control (
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
    .bank_slice_o    (bank_slice_o),
    .special_valid_o (special_valid_o),
    .special_slice_o (special_slice_o),
    .vacant_i        (vacant),
    .move_o          (move),
    .first_o         (first),
    .rows_o          (rows),
    .bank_o          (bank),
    .entry_o         (entry),
    .slice_o         (slice),
    .at_o            (at),
    .open_i          (open),
    .go_o            (go),
    .busy_o          (control_busy)
  );

  // ---- operand register ------------------------------------------------------------------------------------
  logic [Units-1:0]   valid_q;  // for this unit, at most one
  logic [Units-1:0]   open_q;          // had nothing and could take something, a cycle ago
  core_pkg::collect_t info;            // of what is at the banks' outputs
  sm_pkg::row_t       row_q [Rows];
  sm_pkg::lanes_t     p_q, p2_q;
  logic               lsu_flows_q;     // the load/store unit has begun the instruction

  // A unit keeps the register until its last beat on the slice. One that needs more than two cycles for that is not given
  // the next slice before: it would keep the others from the register; the warp unit and the tensor core are such units. So would the
  // load/store unit when it is full, but not in the middle of an instruction.
  function automatic core_pkg::units_t slow();
    core_pkg::units_t units;
    units = '1;
    for (int unsigned u = 0; u < core_pkg::ExecUnits; u++)
      if (core_pkg::Pipelined[u]) units[u] = 2 * core_pkg::Unit[u].lanes < sm_pkg::RowLanes;
    return units;
  endfunction
  localparam core_pkg::units_t Slow = slow();
  assign vacant = (valid_q & ~ready_i) == '0;
  always_ff @(posedge clk_i) open_q <= ready_i & ~valid_q & ~at;
  always_comb begin
    open = (open_q & ~at) | ~Slow;
    open[isa_pkg::UnitLsu] |= lsu_flows_q;
  end

  always_comb begin
    info = info_q[entry];
    info.tag.slice = slice;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      lsu_flows_q <= 1'b0;
    end else begin
      valid_q <= (valid_q & ~ready_i) | go;
      if (lsu_takes_i) lsu_flows_q <= 1'b1;
      if (go[isa_pkg::UnitLsu] && slice == sm_pkg::LastSlice) lsu_flows_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_valid_i) begin
      info_q[issue_entry] <= issue_i;
      p_in_q[issue_entry] <= p_i;
      p2_in_q[issue_entry] <= p2_i;
    end
    if (move) begin
      info_o <= info;
      p_q <= sm_pkg::lanes_of(p_in_q[entry], slice);
      p2_q <= sm_pkg::lanes_of(p2_in_q[entry], slice);
    end
  end

  // The first rows clear the others (RZ), or set them to immediates.
  for (genvar r = 0; r < int'(Rows); r++) begin : g_row
    sm_pkg::row_t data;
    logic         imm, special;
    assign special = r == 2 && info.lanes;
    assign imm = (r == 2 || r == 3) && info.d.b_imm;
    always_comb begin
      data = bank_data_i[bank[r] | BankW'(r % 2)];  // upper halves of pairs are odd rows, in odd banks
      if (imm && !rows[r]) data = {sm_pkg::RowLanes{r == 2 ? info.d.imm : info.imm_hi}};
      if (special) data = special_row_i;
    end
    always_ff @(posedge clk_i) begin
      if (move && (first || rows[r])) row_q[r] <= rows[r] || imm || special ? data : '0;
    end
  end

  // ---- the request -------------------------------------------------------------------------------------------
  assign req_o = '{tag: info_o.tag, op: info_o.d.op, mod: info_o.d.mod, step: info_o.step, early: 1'b0,
                   pc: info_o.d.pc, p: p_q, p2: p2_q, row: {row_q[5], row_q[4], row_q[3], row_q[2], row_q[1], row_q[0]}};
  assign valid_o = valid_q;
  assign busy_o = control_busy || valid_q != '0;

endmodule
