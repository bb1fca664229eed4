// SPDX-License-Identifier: Apache-2.0
// Picks the lanes of a warp access that one look at one 128-byte line can serve: all that fall into the
// line of the lowest lane left. Combinational, asleep unless en_i.
//
//   32 lanes x 4 bytes from 0x...80: one pass, sector s has lanes 8s .. 8s+7
//   32 lanes x 8 bytes:             two passes, lanes 0..15, then 16..31 (half-warps)
//   32 lanes, stride 128:           32 passes
//
// Accesses are aligned to their size, so none crosses a sector.
module coalescer (
  input  logic                 en_i,
  input  sm_pkg::mask_t        lanes_i,    // still to be served
  input  sm_pkg::row_t         addr_i,     // bits 31:0
  input  logic [31:0][7:0]     addr_hi_i,  // bits 39:32
  output lsu_pkg::line_t       line_o,
  output sm_pkg::mask_t [3:0]  sector_lanes_o
);

  logic [4:0]  first;
  logic [24:0] low;
  logic [7:0]  high;
  logic        hit;

  always_comb begin
    line_o = '0;
    sector_lanes_o = '0;
    first = '0;
    low = '0;
    high = '0;
    hit = 1'b0;
    if (en_i) begin
      first = prim_pkg::first32(lanes_i);
      low = addr_i[first][31:7];
      high = addr_hi_i[first];
      line_o = {high, low};
      for (int unsigned lane = 0; lane < 32; lane++) begin
        hit = lanes_i[lane] && addr_i[lane][31:7] == low && addr_hi_i[lane] == high;
        sector_lanes_o[0][lane] = hit && addr_i[lane][6:5] == 2'd0;
        sector_lanes_o[1][lane] = hit && addr_i[lane][6:5] == 2'd1;
        sector_lanes_o[2][lane] = hit && addr_i[lane][6:5] == 2'd2;
        sector_lanes_o[3][lane] = hit && addr_i[lane][6:5] == 2'd3;
      end
    end
  end

endmodule
