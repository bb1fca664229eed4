// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of the operand collectors: which entry waits for which rows, which bank reads what, which
// entry moves into the operand register: of those whose rows are all there and whose unit takes them, the oldest. The rows
// themselves are in row_collector.
//
// Two orders are kept. An entry is held back while an older one of its warp has rows left to read: so no
// result can overtake a read (write-after-read). Memory instructions go in order of issue, and so do the steps of tensor
// instructions.
module collector_control #(
  localparam int unsigned Collectors = config_pkg::Collectors,
  localparam int unsigned Banks      = config_pkg::RegisterBanks,
  localparam int unsigned RowW       = config_pkg::RowW,
  localparam int unsigned Units      = core_pkg::Units,
  localparam int unsigned EntryW     = Collectors > 1 ? $clog2(Collectors) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Issue; only to units with room.
  output logic [Units-1:0]           room_o,
  input  logic                       issue_valid_i,
  input  isa_pkg::unit_e            issue_to_i,
  input  core_pkg::warp_t            issue_warp_i,
  input  core_pkg::rows_t            issue_reads_i,   // rows that come from registers
  input  logic [RowW-1:0]            issue_row_i [3], // register rows of a, b, c
  input  logic                       issue_special_i, // row 2 comes from the special registers
  input  logic                       issue_waits_i,   // for predicates: it goes in the second cycle after this at the earliest
  output logic [EntryW-1:0]          issue_entry_o,
  // Banks read these rows; the data is there a cycle later.
  output logic [Banks-1:0]           bank_valid_o,
  output logic [Banks-1:0][RowW-1:0] bank_row_o,
  // Data that is there now.
  output logic [Banks-1:0]           got_o,
  output logic [EntryW-1:0]          got_entry_o [Banks],
  output logic [2:0]                 got_row_o [Banks],
  output logic                       special_o,
  output logic [EntryW-1:0]          special_entry_o,
  // Units for which an entry has all its rows; the unit takes it in the next cycle.
  output logic [Units-1:0]           wants_o,
  input  logic [Units-1:0]           soon_i,
  // The entry that moves into the operand register now, and for which unit (one bit).
  output logic [Units-1:0]           go_o,
  output logic [EntryW-1:0]          go_entry_o,
  output logic                       busy_o
);

  localparam int unsigned BankW = $clog2(Banks);
  // Entries that one kind of instruction may take, so that a slow unit does not block the others.
  localparam int unsigned Share = Collectors > 1 ? Collectors / 2 : 1;
  typedef logic [Collectors-1:0] entries_t;
  typedef core_pkg::rows_t rows_t;

  entries_t          busy_q;
  entries_t          to_q [Units];            // busy, for this unit
  entries_t          older_q [Collectors];    // busy entries issued before this one
  entries_t          elder_q [Collectors];    // those of the same warp
  core_pkg::warp_t   warp_q [Collectors];
  rows_t             left_q [Collectors];     // rows not yet arrived
  entries_t          wants_q [Banks];         // entries with rows left to read in this bank
  rows_t             ask_q [Collectors*Banks];  // those rows
  logic [RowW-1:0]   base_q [Collectors*4];   // register rows of a, b, c; 3 is not used
  logic [Banks-1:0]  got_q;
  logic              special_q;
  entries_t          waits_q;
  logic [EntryW-1:0] got_entry_q [Banks];
  logic [2:0]        got_row_q [Banks];
  logic [EntryW-1:0] special_entry_q;

  assign got_o = got_q;
  assign special_o = special_q;
  assign special_entry_o = special_entry_q;
  assign busy_o = busy_q != '0;
  for (genvar b = 0; b < Banks; b++) begin : g_got
    assign got_entry_o[b] = got_entry_q[b];
    assign got_row_o[b] = got_row_q[b];
  end

  function automatic logic [EntryW-1:0] index(input entries_t onehot);
    return EntryW'(prim_pkg::index32(32'(onehot)));
  endfunction

  // ---- each bank reads for the oldest entry that wants it ------------------------------------------------
  entries_t          asking;            // entries with rows left to read
  entries_t          read_entry [Banks];  // one bit
  logic [EntryW-1:0] read_index [Banks];  // its number
  rows_t             read_row [Banks];    // one bit
  logic [Banks-1:0]  read_last;           // the entry has no more rows here
  logic [2:0] row;
  rows_t      ask;
  always_comb begin
    asking = '0;
    bank_valid_o = '0;
    read_last = '0;
    row = '0;
    ask = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      asking |= wants_q[b];
      read_entry[b] = '0;
      read_index[b] = '0;
      read_row[b] = '0;
      bank_row_o[b] = '0;
      if (wants_q[b] != '0) begin
        for (int unsigned e = 0; e < Collectors; e++)
          read_entry[b][e] = wants_q[b][e] && (older_q[e] & wants_q[b]) == '0;
        read_index[b] = index(read_entry[b]);
        ask = ask_q[{read_index[b], BankW'(b)}];
        read_row[b] = ask & (~ask + rows_t'(1));
        read_last[b] = ask == read_row[b];
        row = 3'(prim_pkg::index32(32'(read_row[b])));
        bank_valid_o[b] = 1'b1;
        bank_row_o[b] = base_q[{read_index[b], row[2:1]}] | RowW'(row[0]);  // pairs are aligned
      end
    end
  end

  // ---- entries that can go: the oldest of each unit; of those whose unit takes one the oldest ---------------
  rows_t    arrive [Collectors];
  entries_t complete;
  always_comb begin
    complete = '0;
    for (int unsigned e = 0; e < Collectors; e++) arrive[e] = '0;
    if (busy_q != '0) begin
      for (int unsigned b = 0; b < Banks; b++) begin
        if (got_q[b]) arrive[got_entry_q[b]][got_row_q[b]] = 1'b1;
      end
      if (special_q) arrive[special_entry_q][2] = 1'b1;
      for (int unsigned e = 0; e < Collectors; e++)
        complete[e] = busy_q[e] && (left_q[e] & ~arrive[e]) == '0 && (elder_q[e] & asking) == '0 && !waits_q[e];
    end
  end

  entries_t first [Units];
  entries_t rivals;
  always_comb begin
    wants_o = '0;
    rivals = '0;
    for (int unsigned u = 0; u < Units; u++) first[u] = '0;
    if (complete != '0) begin
      for (int unsigned u = 0; u < Units; u++) begin
        if ((to_q[u] & complete) != '0) begin
          rivals = to_q[u] & (u == 32'(isa_pkg::UnitLsu) || u == 32'(isa_pkg::UnitTensor) ? busy_q : complete);
          for (int unsigned e = 0; e < Collectors; e++)
            first[u][e] = complete[e] && to_q[u][e] && (older_q[e] & rivals) == '0;
          wants_o[u] = first[u] != '0;
        end
      end
    end
  end

  entries_t can, gone;
  always_comb begin
    can = '0;
    go_o = '0;
    gone = '0;
    if (wants_o != '0) begin
      for (int unsigned u = 0; u < Units; u++) if (soon_i[u]) can |= first[u];
      for (int unsigned e = 0; e < Collectors; e++) gone[e] = can[e] && (older_q[e] & can) == '0;
      for (int unsigned u = 0; u < Units; u++) go_o[u] = (first[u] & gone) != '0;
    end
  end
  assign go_entry_o = index(gone);

  // Nothing is left without the lowest ones, one less than a share: cheaper to tell than a count.
  function automatic logic below_share(input entries_t taken);
    entries_t rest;
    rest = taken;
    for (int unsigned n = 1; n < Share; n++) rest = rest & (rest - entries_t'(1));
    return rest == '0;
  endfunction
  for (genvar u = 0; u < int'(Units); u++) begin : g_room
    assign room_o[u] = busy_q != '1 && below_share(to_q[u]);
  end

  // ---- state -------------------------------------------------------------------------------------------------
  entries_t new_entry, same_warp;
  rows_t    new_ask [Banks];
  assign new_entry = issue_valid_i ? ~busy_q & (busy_q + entries_t'(1)) : '0;
  assign issue_entry_o = index(new_entry);
  logic [BankW-1:0] bank;
  always_comb begin
    same_warp = '0;
    bank = '0;
    for (int unsigned b = 0; b < Banks; b++) new_ask[b] = '0;
    if (issue_valid_i) begin
      for (int unsigned e = 0; e < Collectors; e++) same_warp[e] = warp_q[e] == issue_warp_i;
      for (int unsigned r = 0; r < sm_pkg::OperandRows; r++) begin
        bank = issue_row_i[r/2][BankW-1:0] | BankW'(r % 2);
        if (issue_reads_i[r]) new_ask[bank][r] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= '0;
      got_q <= '0;
      special_q <= 1'b0;
      waits_q <= '0;
      for (int unsigned u = 0; u < Units; u++) to_q[u] <= '0;
      for (int unsigned b = 0; b < Banks; b++) wants_q[b] <= '0;
    end else if (busy_q != '0 || issue_valid_i) begin
      got_q <= bank_valid_o;
      special_q <= issue_valid_i && issue_special_i;
      waits_q <= issue_waits_i ? new_entry : '0;
      busy_q <= (busy_q & ~gone) | new_entry;
      for (int unsigned u = 0; u < Units; u++)
        to_q[u] <= (to_q[u] & ~gone) | (issue_to_i == isa_pkg::unit_e'(u) ? new_entry : '0);
      for (int unsigned b = 0; b < Banks; b++) begin
        wants_q[b] <= (wants_q[b] & ~(read_last[b] ? read_entry[b] : '0)) | (new_ask[b] != '0 ? new_entry : '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (busy_q != '0 || issue_valid_i) begin
      for (int unsigned b = 0; b < Banks; b++) begin
        if (bank_valid_o[b]) begin
          got_entry_q[b] <= read_index[b];
          got_row_q[b] <= 3'(prim_pkg::index32(32'(read_row[b])));
          ask_q[{read_index[b], BankW'(b)}] <= ask_q[{read_index[b], BankW'(b)}] & ~read_row[b];
        end
        if (issue_valid_i) ask_q[{issue_entry_o, BankW'(b)}] <= new_ask[b];
      end
      for (int unsigned e = 0; e < Collectors; e++) begin
        older_q[e] <= (new_entry[e] ? busy_q : older_q[e]) & ~gone;
        elder_q[e] <= (new_entry[e] ? busy_q & same_warp : elder_q[e]) & ~gone;
        left_q[e] <= new_entry[e] ? issue_reads_i | (issue_special_i ? rows_t'(4) : '0) : left_q[e] & ~arrive[e];
      end
      if (issue_valid_i) begin
        warp_q[issue_entry_o] <= issue_warp_i;
        special_entry_q <= issue_entry_o;
        for (int unsigned r = 0; r < 3; r++) base_q[{issue_entry_o, 2'(r)}] <= issue_row_i[r];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Issue without a free entry would overwrite an instruction.
      a_room: assert (!issue_valid_i || new_entry != '0) else $error("collector_control: no entry free");
    end
  end

endmodule
