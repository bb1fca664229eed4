// SPDX-License-Identifier: Apache-2.0
// The collectors' bookkeeping with packed ports for up to four banks and eight entries.
module collector_control_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic [31:0]       sizes_o,        // {warps, banks, entries} of the preset
  output core_pkg::units_t  room_o,
  input  logic              issue_valid_i,
  input  logic [3:0]        issue_to_i,
  input  logic [7:0]        issue_warp_i,
  input  logic [5:0]        issue_reads_i,
  input  logic [2:0][15:0]  issue_row_i,
  input  logic              issue_special_i,
  input  logic              issue_waits_i,
  output logic [7:0]        issue_entry_o,
  output logic [3:0]        bank_valid_o,
  output logic [3:0][15:0]  bank_row_o,
  output logic [3:0]        got_o,
  output logic [3:0][7:0]   got_entry_o,
  output logic [3:0][7:0]   got_row_o,
  output logic              special_o,
  output logic [7:0]        special_entry_o,
  output core_pkg::units_t  wants_o,
  input  core_pkg::units_t  soon_i,
  output core_pkg::units_t  go_o,
  output logic [7:0]        go_entry_o,
  output logic              busy_o
);

  localparam int unsigned Collectors = config_pkg::Collectors;
  localparam int unsigned Banks = config_pkg::RegisterBanks;
  localparam int unsigned EntryW = $clog2(Collectors);
  localparam int unsigned RowW = config_pkg::RowW;

  assign sizes_o = {8'd0, 8'(core_pkg::Warps), 8'(Banks), 8'(Collectors)};

  logic [RowW-1:0]            issue_row [3];
  logic [EntryW-1:0]          issue_entry, special_entry, go_entry, got_entry [Banks];
  logic [2:0]                 got_row [Banks];
  logic [Banks-1:0]           bank_valid, got;
  logic [Banks-1:0][RowW-1:0] bank_row;
  always_comb begin
    for (int unsigned r = 0; r < 3; r++) issue_row[r] = RowW'(issue_row_i[r]);
    bank_row_o = '0;
    got_entry_o = '0;
    got_row_o = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      bank_row_o[b] = 16'(bank_row[b]);
      got_entry_o[b] = 8'(got_entry[b]);
      got_row_o[b] = 8'(got_row[b]);
    end
  end
  assign issue_entry_o = 8'(issue_entry);
  assign special_entry_o = 8'(special_entry);
  assign bank_valid_o = 4'(bank_valid);
  assign got_o = 4'(got);
  assign go_entry_o = 8'(go_entry);

  collector_control u_collector_control (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .room_o          (room_o),
    .issue_valid_i   (issue_valid_i),
    .issue_to_i      (isa_pkg::unit_e'(issue_to_i)),
    .issue_warp_i    (core_pkg::warp_t'(issue_warp_i)),
    .issue_reads_i   (issue_reads_i),
    .issue_row_i     (issue_row),
    .issue_special_i (issue_special_i),
    .issue_waits_i   (issue_waits_i),
    .issue_entry_o   (issue_entry),
    .bank_valid_o    (bank_valid),
    .bank_row_o      (bank_row),
    .got_o           (got),
    .got_entry_o     (got_entry),
    .got_row_o       (got_row),
    .special_o       (special_o),
    .special_entry_o (special_entry),
    .wants_o         (wants_o),
    .soon_i          (soon_i),
    .go_o            (go_o),
    .go_entry_o      (go_entry),
    .busy_o          (busy_o)
  );

endmodule
