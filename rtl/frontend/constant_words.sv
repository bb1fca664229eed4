// SPDX-License-Identifier: Apache-2.0
// Constants that a sub-partition has asked for lately, one a place, so that an instruction that is decoded has its constant at once: direct
// mapped words of constant banks. Only what the constant cache answered without error is kept, until a kernel starts.
//
//   cycle    0                        1
//   write    bank 0, 0x10: 7
//   look                              bank 0, 0x10: found, 7
module constant_words #(
  parameter int unsigned Words = 16   // a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        empty_i,

  input  logic        look_i,
  input  logic [1:0]  look_bank_i,
  input  logic [15:2] look_word_i,
  output logic        found_o,        // in the same cycle
  output logic [31:0] data_o,

  input  logic        write_i,
  input  logic [1:0]  write_bank_i,
  input  logic [15:2] write_word_i,
  input  logic [31:0] write_data_i
);

  localparam int unsigned PlaceW = $clog2(Words);
  typedef struct packed {
    logic [1:0]         bank;
    logic [15:2+PlaceW] high;
  } tag_t;

  logic [Words-1:0] valid_q;
  tag_t             tag_q [Words];
  logic [31:0]      word_q [Words];

  logic [PlaceW-1:0] look, write;
  assign look = look_word_i[2+:PlaceW];
  assign write = write_word_i[2+:PlaceW];
  always_comb begin
    found_o = 1'b0;
    data_o = '0;
    if (look_i) begin
      found_o = valid_q[look] && tag_q[look] == {look_bank_i, look_word_i[15:2+PlaceW]};
      data_o = word_q[look];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || empty_i) valid_q <= '0;
    else if (write_i) valid_q[write] <= 1'b1;
    if (write_i) begin
      tag_q[write] <= {write_bank_i, write_word_i[15:2+PlaceW]};
      word_q[write] <= write_data_i;
    end
  end

endmodule
