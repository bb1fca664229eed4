// SPDX-License-Identifier: Apache-2.0
// Picks the lanes of a shared-memory access that the banks can serve in one cycle. There are as many banks as
// a pass reaches words, 32 in a machine of full width: word a lies in bank a mod 32, a bank gives one word a
// cycle, and all lanes that want that word get it (broadcast).
// Combinational, asleep unless en_i.
//
//   lane l reads word l:      no conflict, all 32 lanes
//   lane l reads word 2l:     lanes 0..15 (banks 0, 2, ...), then 16..31
//   all lanes read word 5:    broadcast, all 32 lanes
//   64 bits a lane, word 2l:  a half-warp a pass; 128 bits: a quarter-warp
//   atomics: all lanes add to word 5: a lane a pass, from lane 0 on
//
// Where the banks take a part of a slice, parts with lower lanes go first, but those of a store last: their values stay.
// Each bank serves its lowest lane and those that want the same word. For a whole warp that is one look-up per lane;
// the few lanes of a slice are compared with each other, which takes fewer gates and fewer one behind the other.
module bank_conflict #(
  parameter bit Joins = 1'b0   // some banks have been given to others
) (
  input  logic                 en_i,
  input  sm_pkg::lanes_t       lanes_i,   // still to be served
  input  logic [2:0]           words_i,   // 1, 2 or 4 words a lane
  input  logic                 store_i,
  input  logic                 alone_i,   // lanes of one word go one after the other, too (whole rows)
  input  sm_pkg::row_t         addr_i,    // byte address in shared memory
  input  lsu_pkg::banks_t      busy_i,    // Joins: those banks, whose lanes are not served
  output sm_pkg::lanes_t       lanes_o,   // served now
  output lsu_pkg::banks_t      used_o,    // banks
  output lsu_pkg::bank_rows_t  row_o      // word = Banks * row + bank
);

  localparam int unsigned Banks = lsu_pkg::Banks;
  localparam int unsigned Lanes = lsu_pkg::Lanes;
  localparam int unsigned LaneW = lsu_pkg::LaneW;
  localparam int unsigned BankW = lsu_pkg::WordW;
  localparam int unsigned RowW = $bits(lsu_pkg::bank_rows_t) / Banks;

  // Lanes that the banks can serve with 2 and 4 words each: a half- and a quarter-warp, or all of a short slice.
  localparam int unsigned Half = Lanes < Banks / 2 ? Lanes : Banks / 2;
  localparam int unsigned Quarter = Lanes < Banks / 4 ? Lanes : Banks / 4;

  typedef struct packed {
    sm_pkg::lanes_t      lanes;
    lsu_pkg::banks_t     used;
    lsu_pkg::bank_rows_t row;
  } choice_t;

  function automatic choice_t choose(input sm_pkg::lanes_t lanes, input logic [2:0] words,
                                     input logic store, input logic alone, input sm_pkg::row_t addr, input lsu_pkg::banks_t busy);
    choice_t          c;
    logic [RowW-1:0]  row [Banks];
    sm_pkg::lanes_t   lowest;   // of the lanes of its bank
    lsu_pkg::banks_t  taken;    // by lanes below
    sm_pkg::lanes_t   group;
    logic [LaneW-1:0] first;
    c = '0;
    taken = '0;
    for (int unsigned bank = 0; bank < Banks; bank++) row[bank] = '0;
    // The lane that begins the pass picks the group.
    first = LaneW'(prim_pkg::first32(32'(lanes)));
    if (sm_pkg::RowSlices > 1 && store)
      for (int unsigned lane = 0; lane < Lanes; lane++) if (lanes[lane]) first = LaneW'(lane);
    case (words)
      3'd2:    group = sm_pkg::lanes_t'((64'd1 << Half) - 64'd1) << (first & ~LaneW'(Half - 1));
      3'd4:    group = sm_pkg::lanes_t'((64'd1 << Quarter) - 64'd1) << (first & ~LaneW'(Quarter - 1));
      default: group = '1;
    endcase
    group &= lanes;
    if (Joins) for (int unsigned lane = 0; lane < Lanes; lane++) if (busy[addr[lane][2+:BankW]]) group[lane] = 1'b0;
    if (sm_pkg::RowSlices == 1) begin
      // The lowest lane of a bank comes last and stays.
      for (int unsigned n = Lanes; n > 0; n--) begin
        if (group[n-1]) begin
          row[addr[n-1][2+:BankW]] = addr[n-1][2+BankW+:RowW];
          c.used[addr[n-1][2+:BankW]] = 1'b1;
        end
      end
      lowest = '1;
      if (alone) begin
        for (int unsigned n = 0; n < Lanes; n++) begin
          lowest[n] = !taken[addr[n][2+:BankW]];
          if (group[n]) taken[addr[n][2+:BankW]] = 1'b1;
        end
      end
      for (int unsigned lane = 0; lane < Lanes; lane++)
        c.lanes[lane] = group[lane] && lowest[lane] && row[addr[lane][2+:BankW]] == addr[lane][2+BankW+:RowW];
    end else begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        c.lanes[lane] = group[lane];
        for (int unsigned lower = 0; lower < lane; lower++)
          c.lanes[lane] &= !(c.lanes[lower] && addr[lower][2+:BankW] == addr[lane][2+:BankW] &&
                             addr[lower][2+BankW+:RowW] != addr[lane][2+BankW+:RowW]);
      end
      for (int unsigned bank = 0; bank < Banks; bank++) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (c.lanes[lane] && addr[lane][2+:BankW] == BankW'(bank)) begin
            row[bank] |= addr[lane][2+BankW+:RowW];
            c.used[bank] = 1'b1;
          end
        end
      end
    end
    for (int unsigned bank = 0; bank < Banks; bank++) c.row[bank] = row[bank];
    // Wider words: the neighbours of the bank that holds the first one.
    if (words != 3'd1) begin
      for (int unsigned bank = 1; bank < Banks; bank += 2) c.row[bank] = c.row[bank-1];
      c.used |= (c.used & lsu_pkg::banks_t'(32'h55555555)) << 1;
      if (words == 3'd4) begin
        for (int unsigned bank = 2; bank < Banks; bank += 4) begin
          c.row[bank] = c.row[bank-2];
          c.row[bank+1] = c.row[bank-2];
        end
        c.used |= (c.used & lsu_pkg::banks_t'(32'h33333333)) << 2;
      end
    end
    return c;
  endfunction

  choice_t choice;
  always_comb begin
    choice = '0;
    if (en_i) choice = choose(lanes_i, words_i, store_i, alone_i, addr_i, busy_i);
  end
  assign lanes_o = choice.lanes;
  assign used_o = choice.used;
  assign row_o = choice.row;

endmodule
