// SPDX-License-Identifier: Apache-2.0
// coalescer with ports for 32 lanes, of which a narrower machine uses the first.
module coalescer_top (
  input  logic               en_i,
  input  logic [31:0]        lanes_i,
  input  logic [31:0][31:0]  addr_i,
  input  logic [31:0][7:0]   addr_hi_i,
  output logic [63:0]        line_o,
  output logic [3:0][31:0]   sector_lanes_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         words_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign words_o = 8'(lsu_pkg::Words);

  lsu_pkg::line_t line;
  logic [1:0]     sector;
  sm_pkg::lanes_t [lsu_pkg::PassSectors-1:0] sector_lanes;
  assign line_o = 64'(line);
  always_comb begin
    sector_lanes_o = '0;
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) sector_lanes_o[sector | 2'(s)] = 32'(sector_lanes[s]);
  end

  coalescer u_coalescer (
    .en_i           (en_i),
    .lanes_i        (lanes_i[Lanes-1:0]),
    .addr_i         (addr_i[Lanes-1:0]),
    .addr_hi_i      (addr_hi_i[Lanes-1:0]),
    .line_o         (line),
    .sector_o       (sector),
    .sector_lanes_o (sector_lanes)
  );

endmodule
