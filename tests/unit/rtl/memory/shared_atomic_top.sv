// SPDX-License-Identifier: Apache-2.0
// shared_atomic with ports for 32 banks, of which a narrower machine uses the first, and with all four operand words: the
// piece is taken out here.
module shared_atomic_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              valid_i,
  input  logic              done_i,
  input  logic [2:0]        size_i,
  input  logic [3:0]        op_i,
  input  logic [2:0]        type_i,
  input  logic [7:0]        offset_i,
  input  logic [31:0][31:0] operands_i,  // at the banks; else the first four
  output logic              read_o,
  input  logic [31:0][31:0] data_i,
  output logic              ready_o,
  output logic [1:0][31:0]  value_o,
  output logic [7:0]        words_o,
  output logic [7:0]        last_o,         // step
  output logic              float_atomics_o,
  output logic              bank_atomics_o
);

  assign words_o = 8'(lsu_pkg::Words);
  assign last_o = mem_pkg::Pieces == 1 && sm_pkg::RowSlices == 1 ? 8'd2 : 8'd3;
  assign float_atomics_o = mem_pkg::FloatAtomics;
  assign bank_atomics_o = lsu_pkg::BankAtomics;

  mem_pkg::piece_t       piece;
  lsu_pkg::piece_words_t operands;
  always_comb begin
    operands = '0;
    if (lsu_pkg::BankAtomics) operands = operands_i[$bits(operands)/32-1:0];
    else
      for (int unsigned n = 0; n < lsu_pkg::PieceWords && n < 4; n++)
        operands[n] = operands_i[2'(lsu_pkg::PieceWords < 4 ? 32'(piece) * lsu_pkg::PieceWords + n : n)];
  end

  shared_atomic u_shared_atomic (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .valid_i    (valid_i),
    .done_i     (done_i),
    .size_i     (size_i),
    .op_i       (op_i),
    .type_i     (mem_pkg::atom_type_t'(type_i)),
    .offset_i   (offset_i[lsu_pkg::OffsetW-1:0]),
    .piece_o    (piece),
    .operands_i (operands),
    .read_o     (read_o),
    .data_i     (data_i[lsu_pkg::Words-1:0]),
    .ready_o    (ready_o),
    .value_o    (value_o)
  );

endmodule
