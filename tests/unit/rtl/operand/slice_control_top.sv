// SPDX-License-Identifier: Apache-2.0
// The slice collectors' bookkeeping with packed ports for up to four banks and eight entries.
module slice_control_top (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic [31:0]                    sizes_o,         // {slices of a row, warps, banks, entries} of the preset
  output logic [core_pkg::Units-1:0]     room_o,
  input  logic                           issue_valid_i,
  input  logic [3:0]                     issue_to_i,
  input  logic [7:0]                     issue_warp_i,
  input  logic [5:0]                     issue_reads_i,
  input  logic [2:0][15:0]               issue_row_i,
  input  logic                           issue_special_i,
  output logic [7:0]                     issue_entry_o,
  output logic [3:0]                     bank_valid_o,
  output logic [3:0][15:0]               bank_row_o,
  // One port a bank: all say the same, and a vector on gates whose parts are each other would be a loop to Verilator.
  output logic [7:0]                     bank0_slice_o,
  output logic [7:0]                     bank1_slice_o,
  output logic [7:0]                     bank2_slice_o,
  output logic [7:0]                     bank3_slice_o,
  output logic                           special_valid_o,
  output logic [7:0]                     special_slice_o,
  input  logic                           vacant_i,
  output logic                           move_o,
  output logic                           first_o,
  output logic [5:0]                     rows_o,
  output logic [5:0][7:0]                bank_o,
  output logic [7:0]                     entry_o,
  output logic [7:0]                     slice_o,
  output logic [core_pkg::Units-1:0]     at_o,
  input  logic [core_pkg::Units-1:0]     open_i,
  output logic [core_pkg::Units-1:0]     go_o,
  output logic                           busy_o
);

  localparam int unsigned Banks = config_pkg::RegisterBanks;
  localparam int unsigned BankW = $clog2(Banks);
  localparam int unsigned RowW = config_pkg::RowW;
  localparam int unsigned EntryW = config_pkg::Collectors > 1 ? $clog2(config_pkg::Collectors) : 1;

  assign sizes_o = {8'(sm_pkg::RowSlices), 8'(core_pkg::Warps), 8'(Banks), 8'(config_pkg::Collectors)};

  logic [RowW-1:0]            issue_row [3];
  logic [EntryW-1:0]          issue_entry, entry;
  logic [BankW-1:0]           bank [6];
  logic [Banks-1:0]           bank_valid;
  logic [Banks-1:0][RowW-1:0] bank_row;
  sm_pkg::slice_t [Banks-1:0] bank_slice;
  sm_pkg::slice_t             special_slice, slice;
  always_comb begin
    for (int unsigned r = 0; r < 3; r++) issue_row[r] = RowW'(issue_row_i[r]);
    for (int unsigned r = 0; r < 6; r++) bank_o[r] = 8'(bank[r]);
    bank_row_o = '0;
    for (int unsigned b = 0; b < Banks; b++) bank_row_o[b] = 16'(bank_row[b]);
  end
  assign bank0_slice_o = 8'(bank_slice[0]);
  assign bank1_slice_o = 8'(bank_slice[1]);
  assign bank2_slice_o = 8'(bank_slice[Banks>2?2:0]);
  assign bank3_slice_o = 8'(bank_slice[Banks>2?3:1]);
  assign bank_valid_o = 4'(bank_valid);
  assign issue_entry_o = 8'(issue_entry);
  assign entry_o = 8'(entry);
  assign special_slice_o = 8'(special_slice);
  assign slice_o = 8'(slice);

  slice_control u_slice_control (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .room_o          (room_o),
    .issue_valid_i   (issue_valid_i),
    .issue_to_i      (isa_pkg::unit_e'(issue_to_i)),
    .issue_warp_i    (core_pkg::warp_t'(issue_warp_i)),
    .issue_reads_i   (issue_reads_i),
    .issue_row_i     (issue_row),
    .issue_special_i (issue_special_i),
    .issue_entry_o   (issue_entry),
    .bank_valid_o    (bank_valid),
    .bank_row_o      (bank_row),
    .bank_slice_o    (bank_slice),
    .special_valid_o (special_valid_o),
    .special_slice_o (special_slice),
    .vacant_i        (vacant_i),
    .move_o          (move_o),
    .first_o         (first_o),
    .rows_o          (rows_o),
    .bank_o          (bank),
    .entry_o         (entry),
    .slice_o         (slice),
    .at_o            (at_o),
    .open_i          (open_i),
    .go_o            (go_o),
    .busy_o          (busy_o)
  );

endmodule
