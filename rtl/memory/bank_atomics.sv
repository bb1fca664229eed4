// SPDX-License-Identifier: Apache-2.0
// Atomics of integers on shared memory at every bank, a pass a cycle: each bank changes its word, or two of them a doubleword.
//
//   cycle 0  the banks of pass A are read (go)
//   cycle 1  A's new values are written, and shown is what A found; the banks of B are read
//   cycle 2  where B reads a word that A was writing, it finds A's value, kept here
module bank_atomics (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                go_i,         // a pass of atomics has its banks read now
  input  logic                read_i,       // any pass has
  input  lsu_pkg::banks_t     used_i,       // its words
  input  lsu_pkg::bank_rows_t row_i,
  input  logic [2:0]          size_i,
  input  logic [3:0]          op_i,
  input  mem_pkg::atom_type_t type_i,
  input  lsu_pkg::words_t     operands_i,   // at their banks, as lsu_scatter has them
  input  lsu_pkg::words_t     others_i,     // new values of a cas
  input  lsu_pkg::words_t     data_i,       // of the banks, from the cycle after they were read on
  output lsu_pkg::words_t     found_o,      // that, with what was being written then
  output logic                write_o,      // to these words
  output lsu_pkg::banks_t     used_o,
  output lsu_pkg::bank_rows_t row_o,
  output lsu_pkg::words_t     value_o
);

  logic [2:0]          size_q;
  logic [3:0]          op_q;
  mem_pkg::atom_type_t type_q;
  lsu_pkg::words_t     operands_q, others_q;
  always_ff @(posedge clk_i) begin
    write_o <= go_i && rst_ni;
    if (go_i) begin
      used_o <= used_i;
      row_o <= row_i;
      size_q <= size_i;
      op_q <= op_i;
      type_q <= type_i;
      operands_q <= operands_i;
      if (op_i == 4'(isa_pkg::AtomOpCas)) others_q <= others_i;
    end
  end

  always_comb begin : change
    value_o = '0;
    if (write_o && size_q == 3'(isa_pkg::MemSizeB64)) begin
      for (int unsigned n = 0; n < lsu_pkg::Words; n += 2)
        value_o[n+:2] = atomic_pkg::integer_atomic(op_q, type_q, 1'b1, found_o[n+:2], operands_q[n+:2], others_q[n+:2]);
    end else if (write_o) begin
      for (int unsigned n = 0; n < lsu_pkg::Words; n++)
        value_o[n] = 32'(atomic_pkg::integer_atomic(op_q, type_q, 1'b0, 64'(found_o[n]), 64'(operands_q[n]), 64'(others_q[n])));
    end
  end

  // ---- words that are read in the cycle in which they are written ----------------------------------------
  lsu_pkg::banks_t meets, kept_q;
  lsu_pkg::words_t value_q;
  always_comb begin
    meets = '0;
    if (write_o && read_i)
      for (int unsigned b = 0; b < lsu_pkg::Banks; b++) meets[b] = used_o[b] && used_i[b] && row_o[b] == row_i[b];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) kept_q <= '0;
    else if (read_i) kept_q <= meets;
    if (meets != '0) value_q <= value_o;
  end
  always_comb begin
    found_o = data_i;
    if (kept_q != '0)
      for (int unsigned b = 0; b < lsu_pkg::Banks; b++) found_o[b] = kept_q[b] ? value_q[b] : data_i[b];
  end

endmodule
