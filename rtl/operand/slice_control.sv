// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of slice_collector: which entry reads which slice of which row, and which slice goes to its unit.
//
// The rows of an entry are read slice by slice, each bank at its own pace, for the oldest entry that wants
// that bank; the special registers are one source more, of row 2 alone. A slice that all sources have
// delivered can go: the first ones go while later ones are read.
//
//   IADD R4, R5, R6 in two banks, four slices:   bank 0 reads  b0 b1 b2 b3
//                                                bank 1 reads  a0 a1 a2 a3
//                                                goes                0  1  2  3
//
// The memory of an operand row takes one slice a cycle: where two sources would read the same row of two
// entries, the younger waits. Orders that are kept: an entry is held back while an older one of its warp has slices
// left to read, so no result can overtake a read; memory instructions go in order of issue; the slices of
// an instruction follow each other with nothing else for that unit between.
module slice_control #(
  localparam int unsigned Collectors = config_pkg::Collectors,
  localparam int unsigned Banks      = config_pkg::RegisterBanks,
  localparam int unsigned RowW       = config_pkg::RowW,
  localparam int unsigned Units      = core_pkg::Units,
  localparam int unsigned Rows       = core_pkg::OperandRows,
  localparam int unsigned EntryW     = Collectors > 1 ? $clog2(Collectors) : 1,
  localparam int unsigned SourceW    = $clog2(Banks + 1)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Issue; only to units with room.
  output logic [Units-1:0]           room_o,
  input  logic                       issue_valid_i,
  input  core_pkg::unit_e            issue_to_i,
  input  core_pkg::warp_t            issue_warp_i,
  input  core_pkg::rows_t            issue_reads_i,   // rows that come from registers
  input  logic [RowW-1:0]            issue_row_i [3], // register rows of a, b, c
  input  logic                       issue_special_i, // row 2 comes from the special registers
  output logic [EntryW-1:0]          issue_entry_o,
  // Sources read these slices; the data is there a cycle later.
  output logic [Banks-1:0]           bank_valid_o,
  output logic [Banks-1:0][RowW-1:0] bank_row_o,
  output sm_pkg::slice_t [Banks-1:0] bank_slice_o,
  output logic                       special_valid_o,
  output sm_pkg::slice_t             special_slice_o,
  // Data that is there now, by operand row: whose, which slice, from which bank (Banks: the special registers).
  output core_pkg::rows_t            put_o,
  output logic [SourceW-1:0]         put_source_o [Rows],
  output logic [EntryW-1:0]          put_entry_o [Rows],
  output sm_pkg::slice_t             put_slice_o [Rows],
  // The slice that goes now: one is chosen for a unit that is open, and goes where there is place for it (late: this
  // follows from the units' readiness, and only enables).
  input  logic [Units-1:0]           open_i,
  input  logic                       vacant_i,
  output logic [Units-1:0]           go_o,           // at most one
  output logic [EntryW-1:0]          go_entry_o,
  output sm_pkg::slice_t             go_slice_o,
  output logic                       busy_o
);

  localparam int unsigned Sources = Banks + 1;
  localparam int unsigned BankW = $clog2(Banks);
  localparam int unsigned CountW = sm_pkg::SliceW + 1;
  // Entries that one kind of instruction may take, so that a slow unit does not block the others.
  localparam int unsigned Share = Collectors > 1 ? Collectors / 2 : 1;
  typedef logic [Collectors-1:0] entries_t;
  typedef logic [CountW-1:0]     count_t;  // of slices
  typedef core_pkg::rows_t       rows_t;
  localparam count_t All = count_t'(sm_pkg::RowSlices);

  entries_t        busy_q;
  entries_t        to_q [Units];             // busy, for this unit
  entries_t        older_q [Collectors];     // busy entries issued before this one
  entries_t        elder_q [Collectors];     // those of the same warp
  entries_t        started_q;                // the first slice has gone
  core_pkg::warp_t warp_q [Collectors];
  rows_t           rows_q [Collectors][Sources];  // rows to read from this source
  rows_t           left_q [Collectors][Sources];  // those of the slice it is at
  count_t          read_q [Collectors][Sources];  // slices read
  count_t          there_q [Collectors];     // slices that all sources have delivered
  count_t          gone_q [Collectors];      // slices that have gone
  logic [RowW-1:0] base_q [Collectors*4];    // register rows of a, b, c; 3 is not used

  function automatic logic [EntryW-1:0] index(input entries_t onehot);
    return EntryW'(prim_pkg::index32(32'(onehot)));
  endfunction

  // ---- each source reads for the oldest entry that wants it ------------------------------------------------
  entries_t wants [Sources], reader [Sources];  // one bit
  rows_t    row [Sources];                      // one bit
  count_t   slice [Sources];
  logic     last_row [Sources];
  logic     reads [Sources];
  entries_t asking;                             // entries with slices left to read
  always_comb begin
    asking = '0;
    for (int unsigned s = 0; s < Sources; s++) begin
      rows_t left;
      left = '0;
      slice[s] = '0;
      for (int unsigned e = 0; e < Collectors; e++) wants[s][e] = read_q[e][s] != All;
      for (int unsigned e = 0; e < Collectors; e++) begin
        reader[s][e] = wants[s][e] && (older_q[e] & wants[s]) == '0;
        if (reader[s][e]) begin
          left |= left_q[e][s];
          slice[s] |= read_q[e][s];
        end
      end
      asking |= wants[s];
      row[s] = left & (~left + rows_t'(1));
      last_row[s] = (left & ~row[s]) == '0;
    end
    for (int unsigned s = 0; s < Sources; s++) begin
      entries_t ahead;
      ahead = '0;
      for (int unsigned e = 0; e < Collectors; e++) if (reader[s][e]) ahead |= older_q[e];
      reads[s] = wants[s] != '0;
      for (int unsigned t = 0; t < Sources; t++)
        if (t != s && (row[t] & row[s]) != '0 && (reader[t] & ahead) != '0) reads[s] = 1'b0;
    end
  end

  always_comb begin
    for (int unsigned b = 0; b < Banks; b++) begin
      logic [2:0] r;
      r = 3'(prim_pkg::index32(32'(row[b])));
      bank_valid_o[b] = reads[b];
      bank_row_o[b] = base_q[{index(reader[b]), r[2:1]}] | RowW'(r[0]);  // pairs are aligned
      bank_slice_o[b] = sm_pkg::slice_t'(slice[b]);
    end
    special_valid_o = reads[Banks];
    special_slice_o = sm_pkg::slice_t'(slice[Banks]);
  end

  // What was read goes to the memory of its operand row a cycle later.
  always_ff @(posedge clk_i) begin
    put_o <= '0;
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned s = 0; s < Sources; s++) begin
        if (reads[s] && row[s][r]) begin
          put_o[r] <= rst_ni;
          put_source_o[r] <= SourceW'(s);
          put_entry_o[r] <= index(reader[s]);
          put_slice_o[r] <= sm_pkg::slice_t'(slice[s]);
        end
      end
    end
  end

  // ---- the oldest entry with a slice that can go -----------------------------------------------------------
  entries_t can, choice, pick, gone;
  count_t   at;
  always_comb begin
    can = '0;
    for (int unsigned u = 0; u < Units; u++) begin
      entries_t mine;
      mine = to_q[u];
      if ((mine & started_q) != '0) mine &= started_q;
      else if (u == 32'(core_pkg::ToLsu)) begin
        for (int unsigned e = 0; e < Collectors; e++) if ((older_q[e] & to_q[u]) != '0) mine[e] = 1'b0;
      end
      if (open_i[u]) can |= mine;
    end
    for (int unsigned e = 0; e < Collectors; e++)
      if (there_q[e] == gone_q[e] || (elder_q[e] & asking) != '0) can[e] = 1'b0;
    at = '0;
    for (int unsigned e = 0; e < Collectors; e++) begin
      choice[e] = can[e] && (older_q[e] & can) == '0;
      if (choice[e]) at |= gone_q[e];
    end
    pick = vacant_i ? choice : '0;
    gone = at == All - count_t'(1) ? pick : '0;
    for (int unsigned u = 0; u < Units; u++) go_o[u] = (to_q[u] & pick) != '0;
  end
  assign go_entry_o = index(choice);
  assign go_slice_o = sm_pkg::slice_t'(at);
  assign busy_o = busy_q != '0;

  // The special registers remember one instruction until its last slice is read.
  always_comb begin
    for (int unsigned u = 0; u < Units; u++)
      room_o[u] = busy_q != '1 && prim_pkg::popcount32(32'(to_q[u])) < 6'(Share);
    if (wants[Banks] != '0) room_o[core_pkg::ToInt] = 1'b0;
  end

  // ---- state -------------------------------------------------------------------------------------------------
  entries_t new_entry, same_warp;
  rows_t    new_rows [Sources];
  assign new_entry = issue_valid_i ? ~busy_q & (busy_q + entries_t'(1)) : '0;
  assign issue_entry_o = index(new_entry);
  always_comb begin
    for (int unsigned e = 0; e < Collectors; e++) same_warp[e] = warp_q[e] == issue_warp_i;
    for (int unsigned s = 0; s < Sources; s++) new_rows[s] = '0;
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned b = 0; b < Banks; b++)
        new_rows[b][r] = issue_reads_i[r] && (issue_row_i[r/2][BankW-1:0] | BankW'(r % 2)) == BankW'(b);
    end
    new_rows[Banks][2] = issue_special_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= '0;
      started_q <= '0;
      for (int unsigned u = 0; u < Units; u++) to_q[u] <= '0;
      for (int unsigned e = 0; e < Collectors; e++)
        for (int unsigned s = 0; s < Sources; s++) read_q[e][s] <= All;
    end else begin
      busy_q <= (busy_q & ~gone) | new_entry;
      started_q <= (started_q | pick) & ~gone;
      for (int unsigned u = 0; u < Units; u++)
        to_q[u] <= (to_q[u] & ~gone) | (issue_to_i == core_pkg::unit_e'(u) ? new_entry : '0);
      for (int unsigned e = 0; e < Collectors; e++) begin
        for (int unsigned s = 0; s < Sources; s++) begin
          if (new_entry[e]) read_q[e][s] <= new_rows[s] != '0 ? '0 : All;
          else if (reads[s] && reader[s][e] && last_row[s]) read_q[e][s] <= read_q[e][s] + count_t'(1);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < Collectors; e++) begin
      logic delivered;
      delivered = there_q[e] != All;
      for (int unsigned s = 0; s < Sources; s++) begin
        if (read_q[e][s] == there_q[e]) delivered = 1'b0;
        if (new_entry[e]) begin
          rows_q[e][s] <= new_rows[s];
          left_q[e][s] <= new_rows[s];
        end else if (reads[s] && reader[s][e]) begin
          left_q[e][s] <= last_row[s] ? rows_q[e][s] : left_q[e][s] & ~row[s];
        end
      end
      there_q[e] <= new_entry[e] ? '0 : there_q[e] + count_t'(delivered);
      gone_q[e] <= new_entry[e] ? '0 : gone_q[e] + count_t'(pick[e]);
      older_q[e] <= (new_entry[e] ? busy_q : older_q[e]) & ~gone;
      elder_q[e] <= (new_entry[e] ? busy_q & same_warp : elder_q[e]) & ~gone;
    end
    if (issue_valid_i) begin
      warp_q[issue_entry_o] <= issue_warp_i;
      for (int unsigned r = 0; r < 3; r++) base_q[{issue_entry_o, 2'(r)}] <= issue_row_i[r];
    end
  end

endmodule
