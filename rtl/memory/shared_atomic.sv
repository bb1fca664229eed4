// SPDX-License-Identifier: Apache-2.0
// An atomic on shared memory, of one lane a pass: while it is in the data stage, its word is read, changed and written; nobody
// comes between. Where rows move whole with whole sectors it is one of floating-point numbers:
//
//   cycle 0  the word's banks are read
//   cycle 1  the numbers are aligned and added
//   cycle 2  the sum is normalised, rounded and ready, until the data stage has written it and shown the old one to the gather stage
//
// Where memory is worked on in pieces or rows move in slices it may be one of integers, and those steps would be too long for a small
// chip's clock:
//
//   cycle 1  the word is picked out of the banks, the operand comes
//   cycle 2  sums and comparisons; a cas' new value comes
//   cycle 3  the new value is ready
module shared_atomic (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        valid_i,     // it is in the data stage, and the banks are free
  input  logic                        done_i,      // and leaves it
  input  logic [2:0]                  size_i,
  input  logic [3:0]                  op_i,
  input  mem_pkg::atom_type_t         type_i,
  input  logic [lsu_pkg::OffsetW-1:0] offset_i,    // of one lane: byte in the row of banks
  output mem_pkg::piece_t             piece_o,     // of the operands, that lsu_scatter shows
  // As lsu_scatter has them: b at its bank's place, or words 0, 1 = b, words 2, 3 = c.
  input  lsu_pkg::piece_words_t       operands_i,
  output logic                        read_o,
  input  lsu_pkg::words_t             data_i,      // of the banks, from the cycle after read_o on
  output logic                        ready_o,
  output logic [63:0]                 value_o      // of each pair of banks; where nothing is written it is anything
);

  typedef logic [lsu_pkg::Words/2-1:0][63:0] doublewords_t;

  logic [1:0] step_q, last;
  assign last = lsu_pkg::BankAtomics ? 2'd2 : 2'd3;
  assign read_o = valid_i && step_q == 2'd0;
  assign ready_o = step_q == last;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) step_q <= '0;
    else if (valid_i) step_q <= done_i ? '0 : ready_o ? step_q : step_q + 2'd1;
  end

  logic wide;
  assign wide = size_i == 3'(isa_pkg::MemSizeB64);

  function automatic logic [63:0] word_at(input lsu_pkg::words_t data, input logic [lsu_pkg::OffsetW-1:0] offset);
    doublewords_t words;
    words = data;
    return words[offset[lsu_pkg::OffsetW-1:3]];
  endfunction

  if (lsu_pkg::BankAtomics) begin : g_banks
    // One floating-point number.
    atomic_pkg::step_t first, first_q;
    logic [63:0]       operand;
    assign piece_o = '0;
    always_comb begin : sum
      first = '0;
      operand = '0;
      if (step_q == 2'd1 && atomic_pkg::is_float(type_i)) begin
        operand = word_at(operands_i, offset_i);
        first = atomic_pkg::first_step(op_i, type_i, 1'b1, wide, offset_i[2], word_at(data_i, offset_i),
                                       atomic_pkg::at_place(wide, offset_i[2],
                                                            wide || !offset_i[2] ? operand : 64'(operand[63:32])));
      end
    end
    always_ff @(posedge clk_i) begin
      if (mem_pkg::FloatAtomics && step_q == 2'd1) first_q <= first;
    end

    assign value_o = atomic_pkg::float_result(type_i, 1'b1, first_q);
  end else begin : g_steps
    localparam int unsigned CasWord = mem_pkg::AtomicBeats > 1 ? 0 : 2;  // in its beat
    logic [63:0]       word_q, operand_q, other_q;
    atomic_pkg::step_t first_q;
    assign piece_o = mem_pkg::piece_t'(step_q == 2'd2 ? mem_pkg::AtomicBeats - 1 : 0);
    assign value_o = atomic_pkg::last_step(op_i, type_i, 1'b1, first_q, word_q, other_q);
    always_ff @(posedge clk_i) begin
      if (step_q == 2'd1) begin
        word_q <= word_at(data_i, offset_i);
        operand_q <= atomic_pkg::at_place(wide, offset_i[2], {operands_i[1], operands_i[0]});
      end
    end
    always_ff @(posedge clk_i) begin
      if (step_q == 2'd2) begin
        first_q <= atomic_pkg::first_step(op_i, type_i, 1'b1, wide, offset_i[2], word_q, operand_q);
        other_q <= atomic_pkg::in_both(wide, {operands_i[CasWord+1], operands_i[CasWord]});
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_done: assert (!(valid_i && done_i) || ready_o) else $error("shared_atomic: leaves before its value is ready");
    end
  end

endmodule
