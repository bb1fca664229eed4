// SPDX-License-Identifier: Apache-2.0
// Operand collectors for rows that move whole (one slice): when all rows of an entry are there, and its unit takes it in the
// next cycle, it moves into the operand register, one entry a cycle. Nothing ever waits there.
//
//   cycle 0  issue FFMA R4, R5, R6, R7: entry 1; rows in banks 1, 2, 3
//         1  all three banks read (oldest entry first)
//         2  the rows go straight from the banks' outputs to the operand register
//         3  the unit takes the request
//
// A row that arrives while its instruction cannot go yet waits in the entry, and so do predicates, which come in cycle 2.
// Immediates, constants and
// special registers take the place of row b here. A register that an instruction reads twice is read once:
// FFMA R4, R5, R5, R5 takes bank 1 for one cycle.
module row_collector #(
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
  // The predicates that are data of what issued two cycles ago.
  input  sm_pkg::mask_t              p_i,
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
  // What is written to it now, which a row at a bank's output lacks.
  input  logic                       wr_valid_i,
  input  logic [RowW-1:0]            wr_row_i,
  input  sm_pkg::lanes_t             wr_lanes_i,
  input  sm_pkg::row_t               wr_data_i,
  input  logic                       wr_pair_i,       // the row after it, too
  input  sm_pkg::row_t               wr_data_hi_i,
  // The operand register, and for which unit it is (one bit).
  output core_pkg::units_t           valid_o,
  input  core_pkg::units_t           ready_i,
  output sm_pkg::exec_req_t          req_o,
  output core_pkg::collect_t         info_o,  // of memory and control instructions
  // Whole rows: units for which an instruction has all its rows, and which of them take it if it comes in the next cycle. In
  // slices units keep the register until they are through.
  output core_pkg::units_t           wants_o,
  input  core_pkg::units_t           soon_i,
  output logic                       busy_o
);

  localparam int unsigned EntryW = Collectors > 1 ? $clog2(Collectors) : 1;
  localparam int unsigned BankW = Banks > 1 ? $clog2(Banks) : 1;
  typedef logic [EntryW-1:0] entry_t;

  core_pkg::collect_t info_q [Collectors];
  sm_pkg::row_t       row_q [Collectors*8];  // {entry, operand row}; 6 and 7 are not used

  logic [Banks-1:0]   got;
  entry_t             got_entry [Banks];
  logic [2:0]         got_row [Banks];
  logic               special;
  entry_t             special_entry, issue_entry, go_entry;
  core_pkg::units_t   go;
  logic [RowW-1:0]    issue_row [3];
  logic               control_busy;

  assign special_valid_o = 1'b0;  // comes unasked
  assign special_slice_o = '0;
  assign bank_slice_o = '0;
  assign issue_row[0] = issue_i.row + RowW'(issue_i.d.ra);
  assign issue_row[1] = issue_i.row + RowW'(issue_i.d.rb);
  assign issue_row[2] = issue_i.row + RowW'(issue_i.d.rc);

  // Where an operand row is read: at the first source that reads the same register.
  function automatic logic [2:0] read_as(input core_pkg::decoded_t instr, input logic [2:0] row);
    logic [2:0] as;
    logic       high;
    as = row;
    high = row[0];
    if (row[2] && instr.reads[{2'd1, high}] && instr.rc == instr.rb) as = {2'd1, high};
    if (row[2] && instr.reads[{2'd0, high}] && instr.rc == instr.ra) as = {2'd0, high};
    if (!row[2] && row[1] && instr.reads[{2'd0, high}] && instr.rb == instr.ra) as = {2'd0, high};
    return as;
  endfunction

  core_pkg::rows_t issue_reads;
  always_comb begin
    issue_reads = '0;
    if (issue_valid_i)
      for (int unsigned r = 0; r < sm_pkg::OperandRows; r++)
        issue_reads[r] = issue_i.d.reads[r] && read_as(issue_i.d, 3'(r)) == 3'(r);
  end

  collector_control u_collector_control (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .room_o          (room_o),
    .issue_valid_i   (issue_valid_i),
    .issue_to_i      (issue_i.d.to),
    .issue_warp_i    (issue_i.warp),
    .issue_reads_i   (issue_reads),
    .issue_row_i     (issue_row),
    .issue_special_i (issue_i.lanes),
    .issue_waits_i   (core_pkg::reads_predicates(issue_i.d)),
    .issue_entry_o   (issue_entry),
    .bank_valid_o    (bank_valid_o),
    .bank_row_o      (bank_row_o),
    .got_o           (got),
    .got_entry_o     (got_entry),
    .got_row_o       (got_row),
    .special_o       (special),
    .special_entry_o (special_entry),
    .wants_o         (wants_o),
    .soon_i          (soon_i),
    .go_o            (go),
    .go_entry_o      (go_entry),
    .busy_o          (control_busy)
  );

  // A row at a bank's output, with what is written to it in this cycle.
  logic [RowW-1:0]  read_q [Banks];  // which row that is
  logic [Banks-1:0] merges, merges_hi;
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Banks; b++) if (bank_valid_o[b]) read_q[b] <= bank_row_o[b];
  end
  always_comb begin
    merges = '0;
    merges_hi = '0;
    if (wr_valid_i) for (int unsigned b = 0; b < Banks; b++) merges[b] = got[b] && read_q[b] == wr_row_i;
    if (wr_valid_i && wr_pair_i) for (int unsigned b = 1; b < Banks; b += 2) merges_hi[b] = got[b] && read_q[b] == (wr_row_i | RowW'(1));
  end
  function automatic sm_pkg::row_t of_bank(input logic [BankW-1:0] bank);
    sm_pkg::row_t row;
    row = bank_data_i[bank];
    if (merges[bank])
      for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) if (wr_lanes_i[lane]) row[lane] = wr_data_i[lane];
    if (merges_hi[bank])
      for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) if (wr_lanes_i[lane]) row[lane] = wr_data_hi_i[lane];
    return row;
  endfunction

  // An operand row of an entry that goes: from a bank's output, from the entry, or an immediate. One value, assigned
  // by cases: each early return would cost synthesis multiplexers of its own (docs/synthesis.md).
  function automatic sm_pkg::row_t operand(input entry_t entry, input core_pkg::collect_t info, input logic [2:0] row);
    sm_pkg::row_t     value;
    logic             hit;
    logic [BankW-1:0] bank;
    logic [2:0]       as;
    hit = 1'b0;
    bank = '0;
    as = read_as(info.d, row);
    for (int unsigned b = 0; b < Banks; b++) begin
      if (got[b] && got_entry[b] == entry && got_row[b] == as) begin
        hit = 1'b1;
        bank = BankW'(b);
      end
    end
    if (info.d.reads[row]) value = hit ? of_bank(bank) : row_q[{entry, as}];
    else if (row == 3'd2 && info.lanes) value = special && special_entry == entry ? special_row_i : row_q[{entry, row}];
    else if (row == 3'd2 && info.d.b_imm) value = {sm_pkg::RowLanes{info.d.imm}};
    else if (row == 3'd3 && info.d.b_imm) value = {sm_pkg::RowLanes{info.imm_hi}};
    else value = '0;  // RZ
    return value;
  endfunction

  // Predicates that are data.
  sm_pkg::mask_t p_q [Collectors];
  sm_pkg::mask_t p2_q [Collectors];
  logic          asks_q, comes_q;              // what issued in the last cycle, and before it, has such
  entry_t        asking_entry_q, comes_entry_q;
  always_ff @(posedge clk_i) begin
    asks_q <= rst_ni && issue_valid_i && core_pkg::reads_predicates(issue_i.d);
    comes_q <= rst_ni && asks_q;
    if (issue_valid_i) asking_entry_q <= issue_entry;
    if (asks_q) comes_entry_q <= asking_entry_q;
    if (comes_q) begin
      p_q[comes_entry_q] <= p_i;
      p2_q[comes_entry_q] <= p2_i;
    end
  end
  // PT, or what comes now, or came.
  function automatic sm_pkg::mask_t predicate(input logic [3:0] source, input logic now, input sm_pkg::mask_t comes,
                                              input sm_pkg::mask_t came);
    if (source[2:0] == 3'd7) return {32{!source[3]}};
    return now ? comes : came;
  endfunction

  // Entries.
  always_ff @(posedge clk_i) begin
    if (issue_valid_i) info_q[issue_entry] <= issue_i;
    for (int unsigned b = 0; b < Banks; b++) begin
      if (got[b] && !(go != '0 && go_entry == got_entry[b])) row_q[{got_entry[b], got_row[b]}] <= of_bank(BankW'(b));
    end
    if (special && !(go != '0 && go_entry == special_entry)) row_q[{special_entry, 3'd2}] <= special_row_i;
  end

  // ---- operand register --------------------------------------------------------------------------------------
  core_pkg::units_t valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= go;
  end
  always_ff @(posedge clk_i) begin
    if (go != '0) begin
      core_pkg::collect_t info;
      logic               now;
      info = info_q[go_entry];
      now = comes_q && comes_entry_q == go_entry;
      req_o.tag <= info.tag;
      req_o.op <= info.d.op;
      req_o.mod <= info.d.mod;
      req_o.step <= info.step;
      req_o.early <= info.early;
      req_o.pc <= info.d.pc;
      req_o.p <= sm_pkg::lanes_t'(predicate(info.d.psrc, now, p_i, p_q[go_entry]));
      req_o.p2 <= sm_pkg::lanes_t'(predicate(info.d.psrc2, now, p2_i, p2_q[go_entry]));
      for (int unsigned r = 0; r < sm_pkg::OperandRows; r++)
        if (info.d.uses[r]) req_o.row[r] <= operand(go_entry, info, 3'(r));
    end
  end
  always_ff @(posedge clk_i) begin
    if (go[isa_pkg::UnitLsu] || go[isa_pkg::UnitCtl]) info_o <= info_q[go_entry];
  end
  assign valid_o = valid_q;
  assign busy_o = control_busy || valid_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An instruction that waits in the operand register would keep all others from their units.
      a_taken: assert ((valid_q & ~ready_i) == '0) else $error("row_collector: a unit does not take what it promised to");
    end
  end

endmodule
