// SPDX-License-Identifier: Apache-2.0
// Picks the lanes of a shared-memory access that the 32 banks can serve in one cycle: word a lies in bank
// a mod 32, a bank gives one word a cycle, and all lanes that want that word get it (broadcast).
// Combinational, asleep unless en_i.
//
//   lane l reads word l:      no conflict, all 32 lanes
//   lane l reads word 2l:     lanes 0..15 (banks 0, 2, ...), then 16..31
//   all lanes read word 5:    broadcast, all 32 lanes
//   64 bits a lane, word 2l:  a half-warp a pass; 128 bits: a quarter-warp
//
// Each bank serves its lowest lane and those that want the same word: one look-up per lane instead of
// comparing lanes with each other.
module bank_conflict (
  input  logic                 en_i,
  input  sm_pkg::mask_t        lanes_i,   // still to be served
  input  logic [2:0]           words_i,   // 1, 2 or 4 words a lane
  input  sm_pkg::row_t         addr_i,    // byte address in shared memory
  output sm_pkg::mask_t        lanes_o,   // served now
  output logic [31:0]          used_o,    // banks
  output logic [31:0][15:0]    row_o      // word = 32 * row + bank
);

  typedef struct packed {
    sm_pkg::mask_t     lanes;
    logic [31:0]       used;
    logic [31:0][15:0] row;
  } choice_t;

  function automatic choice_t choose(input sm_pkg::mask_t lanes, input logic [2:0] words,
                                     input sm_pkg::row_t addr);
    choice_t       c;
    logic [15:0]   row [32];
    sm_pkg::mask_t group;
    logic [4:0]    first;
    c = '0;
    for (int unsigned bank = 0; bank < 32; bank++) row[bank] = '0;
    // Half- and quarter-warps: the lane that begins the pass picks the group.
    first = prim_pkg::first32(lanes);
    case (words)
      3'd2:    group = first[4] ? 32'hffff0000 : 32'h0000ffff;
      3'd4:    group = 32'h000000ff << {first[4:3], 3'b000};
      default: group = '1;
    endcase
    group &= lanes;
    // The lowest lane of a bank comes last and stays.
    for (int unsigned n = 32; n > 0; n--) begin
      if (group[n-1]) begin
        row[addr[n-1][6:2]] = addr[n-1][22:7];
        c.used[addr[n-1][6:2]] = 1'b1;
      end
    end
    for (int unsigned lane = 0; lane < 32; lane++)
      c.lanes[lane] = group[lane] && row[addr[lane][6:2]] == addr[lane][22:7];
    for (int unsigned bank = 0; bank < 32; bank++) c.row[bank] = row[bank];
    // Wider words: the neighbours of the bank that holds the first one.
    if (words != 3'd1) begin
      for (int unsigned bank = 1; bank < 32; bank += 2) c.row[bank] = c.row[bank-1];
      c.used |= (c.used & 32'h55555555) << 1;
      if (words == 3'd4) begin
        for (int unsigned bank = 2; bank < 32; bank += 4) begin
          c.row[bank] = c.row[bank-2];
          c.row[bank+1] = c.row[bank-2];
        end
        c.used |= (c.used & 32'h33333333) << 2;
      end
    end
    return c;
  endfunction

  choice_t choice;
  always_comb begin
    choice = '0;
    if (en_i) choice = choose(lanes_i, words_i, addr_i);
  end
  assign lanes_o = choice.lanes;
  assign used_o = choice.used;
  assign row_o = choice.row;

endmodule
