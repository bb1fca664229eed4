// SPDX-License-Identifier: Apache-2.0
// Picks the lanes of an access that one look at device memory can serve: all that fall where the lowest
// lane left falls, in the same 128-byte line; where slices have fewer lanes than 32, in the part of the
// line that a pass reaches. Combinational, asleep unless en_i.
//
//   32 lanes x 4 bytes from 0x...80: one pass, sector s has lanes 8s .. 8s+7
//   32 lanes x 8 bytes:             two passes, lanes 0..15, then 16..31 (half-warps)
//   32 lanes, stride 128:           32 passes
//   slices of 8 lanes x 4 bytes:    one pass a slice, of one sector
//
// Where rows move whole a load that the L1 may serve has lanes of up to four lines: those of the three lines that follow, in the
// order of their lowest lanes, each if all words of its lanes lie in banks that the lines before it leave.
//
//   32 lanes, stride 132:           8 passes of 4 lines, for lane l has bank l
//
// Accesses are aligned to their size, so none crosses a sector.
module coalescer (
  input  logic                        en_i,
  input  sm_pkg::lanes_t              lanes_i,    // still to be served
  input  sm_pkg::row_t                addr_i,     // bits 31:0
  input  logic [lsu_pkg::Lanes-1:0][7:0] addr_hi_i,  // bits 39:32
  input  logic                        lines_i,    // lanes of several lines may go together
  input  logic [2:0]                  words_i,    // that each lane has there: 1, 2 or 4
  output lsu_pkg::line_t [lsu_pkg::PassLines-1:0] line_o,
  output sm_pkg::lanes_t [lsu_pkg::PassLines-1:0] line_lanes_o,
  output lsu_pkg::bank_lines_t        bank_line_o,
  output logic [1:0]                  sector_o,   // of the line: the first that the pass reaches
  output sm_pkg::lanes_t [lsu_pkg::PassSectors-1:0] sector_lanes_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  localparam int unsigned LaneW = lsu_pkg::LaneW;
  localparam int unsigned Low = lsu_pkg::OffsetW;   // bits below are places in what a pass reaches
  localparam int unsigned PassLines = lsu_pkg::PassLines;

  logic [LaneW-1:0]  first;
  logic [31:Low]     low;
  logic [7:0]        high;
  logic              hit;
  sm_pkg::lanes_t    lowest, chosen, left, same;
  lsu_pkg::banks_t   used, banks;

  // Banks in which words of those lanes lie.
  function automatic lsu_pkg::banks_t banks_of(input sm_pkg::lanes_t lanes, input sm_pkg::row_t addr, input logic [2:0] words);
    lsu_pkg::banks_t each, all;
    each = words[2] ? lsu_pkg::banks_t'(15) : words[1] ? lsu_pkg::banks_t'(3) : lsu_pkg::banks_t'(1);
    all = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++)
      if (lanes[lane]) all |= each << (addr[lane][2+:lsu_pkg::WordW] & ~lsu_pkg::WordW'(words[2] ? 3 : 0));
    return all;
  endfunction

  always_comb begin
    line_o = '0;
    line_lanes_o = '0;
    bank_line_o = '0;
    sector_o = '0;
    sector_lanes_o = '0;
    first = '0;
    low = '0;
    high = '0;
    hit = 1'b0;
    lowest = '0;
    chosen = '0;
    left = '0;
    same = '0;
    used = '0;
    banks = '0;
    if (en_i) begin
      first = LaneW'(prim_pkg::first32(32'(lanes_i)));
      low = addr_i[first][31:Low];
      high = addr_hi_i[first];
      line_o[0] = {high, low[31:7]};
      sector_o = 2'({low, Low'(0)} >> 5) & 2'(~(lsu_pkg::PassSectors - 1));
      lowest = lanes_i & (~lanes_i + 1'b1);
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (sm_pkg::RowSlices == 1) begin
          hit = lanes_i[lane] && addr_i[lane][31:Low] == low && addr_hi_i[lane] == high;
        end else begin
          // Few lanes are compared with each other, while the lowest is found.
          hit = lowest[lane];
          for (int unsigned other = 0; other < lane; other++)
            hit |= lowest[other] && lanes_i[lane] && addr_i[lane][31:Low] == addr_i[other][31:Low] &&
                   addr_hi_i[lane] == addr_hi_i[other];
        end
        chosen[lane] = hit;
      end
      line_lanes_o[0] = chosen;
      left = lanes_i & ~chosen;
      if (PassLines > 1 && lines_i && left != '0) begin
        used = banks_of(chosen, addr_i, words_i);
        for (int unsigned n = 1; n < PassLines; n++) begin
          first = LaneW'(prim_pkg::first32(32'(left)));
          low = addr_i[first][31:Low];
          high = addr_hi_i[first];
          for (int unsigned lane = 0; lane < Lanes; lane++)
            same[lane] = left[lane] && addr_i[lane][31:Low] == low && addr_hi_i[lane] == high;
          left &= ~same;
          banks = banks_of(same, addr_i, words_i);
          if ((banks & used) == '0) begin
            line_o[n] = {high, low[31:7]};
            line_lanes_o[n] = same;
            chosen |= same;
            used |= banks;
            for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++)
              if (banks[bank]) bank_line_o[bank] = lsu_pkg::PassLineW'(n);
          end
        end
      end
      for (int unsigned lane = 0; lane < Lanes; lane++)
        for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++)
          sector_lanes_o[s][lane] = chosen[lane] && lsu_pkg::in_pass(addr_i[lane][6:5]) == lsu_pkg::sector_t'(s);
    end
  end

endmodule
