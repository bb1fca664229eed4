// SPDX-License-Identifier: Apache-2.0
// coalescer with ports for 32 lanes, of which a narrower machine uses the first.
module coalescer_top (
  input  logic               en_i,
  input  logic [31:0]        lanes_i,
  input  logic [31:0][31:0]  addr_i,
  input  logic [31:0][7:0]   addr_hi_i,
  input  logic               lines_i,
  input  logic [2:0]         words_i,
  output logic [3:0][63:0]   line_o,
  output logic [3:0][31:0]   line_lanes_o,
  output logic [31:0][1:0]   bank_line_o,
  output logic [7:0]         lines_o,       // of a pass
  output logic [3:0][31:0]   sector_lanes_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         words_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign words_o = 8'(lsu_pkg::Words);

  lsu_pkg::line_t [lsu_pkg::PassLines-1:0] line;
  sm_pkg::lanes_t [lsu_pkg::PassLines-1:0] line_lanes;
  lsu_pkg::bank_lines_t bank_line;
  logic [1:0]     sector;
  sm_pkg::lanes_t [lsu_pkg::PassSectors-1:0] sector_lanes;
  assign lines_o = 8'(lsu_pkg::PassLines);
  always_comb begin
    line_o = '0;
    line_lanes_o = '0;
    bank_line_o = '0;
    for (int unsigned n = 0; n < lsu_pkg::PassLines; n++) begin
      line_o[n] = 64'(line[n]);
      line_lanes_o[n] = 32'(line_lanes[n]);
    end
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) bank_line_o[bank] = 2'(bank_line[bank]);
    sector_lanes_o = '0;
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) sector_lanes_o[sector | 2'(s)] = 32'(sector_lanes[s]);
  end

  coalescer u_coalescer (
    .en_i           (en_i),
    .lanes_i        (lanes_i[Lanes-1:0]),
    .addr_i         (addr_i[Lanes-1:0]),
    .addr_hi_i      (addr_hi_i[Lanes-1:0]),
    .lines_i        (lines_i),
    .words_i        (words_i),
    .line_o         (line),
    .line_lanes_o   (line_lanes),
    .bank_line_o    (bank_line),
    .sector_o       (sector),
    .sector_lanes_o (sector_lanes)
  );

endmodule
