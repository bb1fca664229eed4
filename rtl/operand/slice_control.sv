// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of slice_collector: which slice of which entry is read next, and what the banks deliver.
//
// One slice is read at a time, of the oldest entry whose unit is open: a row from every bank a cycle, until all its rows
// are read. Each read is planned a cycle before, so the banks' addresses come from registers and only enables follow from
// the units' readiness. What was read stands at the banks' outputs until the operand register takes it.
//
//   FFMA R4, R5, R6, R7 in two banks:   plans         b0    b1    b2    b3
//                                       bank 0 reads        b0    b1    b2    b3
//                                       bank 1 reads        a0 c0 a1 c1 a2 c2 a3 c3
//                                       goes                      0     1     2     3
//
// Orders that are kept: an entry waits while an older one of its warp has slices left to read, so no result can overtake
// a read; and while an older one of its unit has, so memory instructions go in order of issue and the slices of an
// instruction follow each other with nothing else for that unit between.
module slice_control #(
  localparam int unsigned Collectors = config_pkg::Collectors,
  localparam int unsigned Banks      = config_pkg::RegisterBanks,
  localparam int unsigned RowW       = config_pkg::RowW,
  localparam int unsigned Units      = core_pkg::Units,
  localparam int unsigned Rows       = sm_pkg::OperandRows,
  localparam int unsigned BankW      = $clog2(Banks),
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
  output logic [EntryW-1:0]          issue_entry_o,
  // Banks and special registers read these slices; the data is there from the next cycle until the next read.
  output logic [Banks-1:0]           bank_valid_o,
  output logic [Banks-1:0][RowW-1:0] bank_row_o,
  output sm_pkg::slice_t [Banks-1:0] bank_slice_o,
  output logic                       special_valid_o,
  output sm_pkg::slice_t             special_slice_o,
  // What is there, and moves on where there is place for it (late: this follows from the units' readiness).
  input  logic                       vacant_i,
  output logic                       move_o,
  output logic                       first_o,         // of the slice
  output core_pkg::rows_t            rows_o,          // rows that come from banks
  output logic [BankW-1:0]           bank_o [Rows],   // and from which
  output logic [EntryW-1:0]          entry_o,
  output sm_pkg::slice_t             slice_o,
  output logic [Units-1:0]           at_o,            // something for this unit is planned or there
  // Units that are given slices; the one that has all of its slice with this move.
  input  logic [Units-1:0]           open_i,
  output logic [Units-1:0]           go_o,
  output logic                       busy_o
);

  localparam int unsigned CountW = sm_pkg::SliceW + 1;
  // Entries that one kind of instruction may take, so that a slow unit does not block the others.
  localparam int unsigned Share = Collectors > 1 ? Collectors / 2 : 1;
  typedef logic [Collectors-1:0] entries_t;
  typedef logic [EntryW-1:0]     entry_t;
  typedef logic [CountW-1:0]     count_t;  // of slices
  typedef core_pkg::rows_t       rows_t;
  localparam count_t All = count_t'(sm_pkg::RowSlices);

  entries_t        busy_q;
  entries_t        to_q [Units];            // busy, for this unit
  entries_t        older_q [Collectors];    // busy entries issued before this one
  entries_t        before_q [Collectors];   // those of the same warp or unit
  entries_t        special_q;               // row 2 comes from the special registers
  core_pkg::warp_t warp_q [Collectors];
  rows_t           reads_q [Collectors];
  count_t          planned_q [Collectors];  // slices whose reads are planned, all of them
  logic [RowW-1:0] base_q [Collectors*4];   // register rows of a, b, c; 3 is not used

  function automatic entry_t index(input entries_t onehot);
    return entry_t'(prim_pkg::index32(32'(onehot)));
  endfunction

  // ---- the next read: what is left of the slice under way, or the first of the next one ---------------------
  typedef struct packed {
    logic                       first;      // of the slice
    entry_t                     entry;
    sm_pkg::slice_t             slice;
    rows_t                      now;        // read with this
    rows_t                      rest;       // then left of the slice
    logic [Rows-1:0][BankW-1:0] bank;       // of each row
    logic [Banks-1:0]           used;
    logic [Banks-1:0][RowW-1:0] row;        // of each bank
  } plan_t;

  logic     plan_valid_q, plan_valid;
  plan_t    plan_q, plan;
  entries_t asking, can, choice;  // slices left to plan; may be next; is (one bit)
  logic     middle, reads;        // the slice under way has rows left; what is planned is read
  logic     there_q;              // something waits at the banks' outputs
  assign middle = plan_valid_q && plan_q.rest != '0;
  assign plan_valid = middle || can != '0;
  assign reads = plan_valid_q && (!there_q || vacant_i);
  always_comb begin
    can = '0;
    for (int unsigned e = 0; e < Collectors; e++) asking[e] = busy_q[e] && planned_q[e] != All;
    for (int unsigned u = 0; u < Units; u++) if (open_i[u]) can |= to_q[u];
    for (int unsigned e = 0; e < Collectors; e++) if (!asking[e] || (before_q[e] & asking) != '0) can[e] = 1'b0;
    for (int unsigned e = 0; e < Collectors; e++) choice[e] = can[e] && (older_q[e] & can) == '0;
  end

  // Of each bank the lowest row that is left.
  always_comb begin
    logic [2:0][RowW-1:0] base;
    plan.first = !middle;
    plan.entry = middle ? plan_q.entry : index(choice);
    plan.slice = middle ? plan_q.slice : sm_pkg::slice_t'(planned_q[plan.entry]);
    plan.rest = middle ? plan_q.rest : reads_q[plan.entry];
    plan.now = '0;
    for (int unsigned o = 0; o < 3; o++) base[o] = base_q[{plan.entry, 2'(o)}];
    for (int unsigned r = 0; r < Rows; r++) plan.bank[r] = base[r/2][BankW-1:0] | BankW'(r % 2);  // pairs are aligned
    for (int unsigned b = 0; b < Banks; b++) begin
      rows_t      mine, lowest;
      logic [2:0] number;
      for (int unsigned r = 0; r < Rows; r++) mine[r] = plan.rest[r] && plan.bank[r] == BankW'(b);
      lowest = mine & (~mine + rows_t'(1));
      plan.used[b] = mine != '0;
      plan.now |= lowest;
      number = 3'(prim_pkg::index32(32'(lowest)));
      plan.row[b] = base[number[2:1]] | RowW'(number[0]);
    end
    plan.rest &= ~plan.now;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) plan_valid_q <= 1'b0;
    else if (!plan_valid_q || reads) plan_valid_q <= plan_valid;
  end
  always_ff @(posedge clk_i) begin
    if (plan_valid && (!plan_valid_q || reads)) plan_q <= plan;
  end

  assign bank_valid_o = plan_q.used & {Banks{reads}};
  assign bank_row_o = plan_q.row;
  assign bank_slice_o = {Banks{plan_q.slice}};
  assign special_valid_o = reads && plan_q.first && special_q[plan_q.entry];
  assign special_slice_o = plan_q.slice;

  // ---- what the banks deliver --------------------------------------------------------------------------------
  logic last_q;   // nothing of the slice is left
  entries_t gone;
  assign move_o = there_q && vacant_i;
  always_comb begin
    gone = '0;
    for (int unsigned e = 0; e < Collectors; e++)
      gone[e] = move_o && last_q && slice_o == sm_pkg::LastSlice && entry_o == entry_t'(e);
    for (int unsigned u = 0; u < Units; u++) begin
      at_o[u] = (plan_valid_q && to_q[u][plan_q.entry]) || (there_q && to_q[u][entry_o]);
      go_o[u] = there_q && to_q[u][entry_o] && move_o && last_q;
    end
  end
  assign busy_o = busy_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) there_q <= 1'b0;
    else if (!there_q || vacant_i) there_q <= reads;
  end

  always_ff @(posedge clk_i) begin
    if (reads) begin
      first_o <= plan_q.first;
      last_q <= plan_q.rest == '0;
      entry_o <= plan_q.entry;
      slice_o <= plan_q.slice;
      rows_o <= plan_q.now;
      for (int unsigned r = 0; r < Rows; r++) bank_o[r] <= plan_q.bank[r];
    end
  end

  // ---- entries -------------------------------------------------------------------------------------------------
  // The special registers remember one instruction until its last slice is read.
  always_comb begin
    for (int unsigned u = 0; u < Units; u++)
      room_o[u] = busy_q != '1 && prim_pkg::popcount32(32'(to_q[u])) < 6'(Share);
    if ((busy_q & special_q) != '0) room_o[isa_pkg::UnitInt] = 1'b0;
  end

  entries_t new_entry, same;
  assign new_entry = issue_valid_i ? ~busy_q & (busy_q + entries_t'(1)) : '0;
  assign issue_entry_o = index(new_entry);
  always_comb begin
    same = '0;
    for (int unsigned u = 0; u < Units; u++) if (issue_to_i == isa_pkg::unit_e'(u)) same = to_q[u];
    for (int unsigned e = 0; e < Collectors; e++) if (warp_q[e] == issue_warp_i) same[e] = busy_q[e];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= '0;
      for (int unsigned u = 0; u < Units; u++) to_q[u] <= '0;
    end else begin
      busy_q <= (busy_q & ~gone) | new_entry;
      for (int unsigned u = 0; u < Units; u++)
        to_q[u] <= (to_q[u] & ~gone) | (issue_to_i == isa_pkg::unit_e'(u) ? new_entry : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < Collectors; e++) begin
      if (new_entry[e]) planned_q[e] <= '0;
      else if (plan_valid && (!plan_valid_q || reads) && plan.rest == '0 && plan.entry == entry_t'(e))
        planned_q[e] <= planned_q[e] + count_t'(1);
      older_q[e] <= (new_entry[e] ? busy_q : older_q[e]) & ~gone;
      before_q[e] <= (new_entry[e] ? same : before_q[e]) & ~gone;
    end
    if (issue_valid_i) begin
      warp_q[issue_entry_o] <= issue_warp_i;
      reads_q[issue_entry_o] <= issue_reads_i;
      special_q[issue_entry_o] <= issue_special_i;
      for (int unsigned r = 0; r < 3; r++) base_q[{issue_entry_o, 2'(r)}] <= issue_row_i[r];
    end
  end

endmodule
