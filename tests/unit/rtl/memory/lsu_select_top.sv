// SPDX-License-Identifier: Apache-2.0
// lsu_select with the fields of operations and passes as ports.
module lsu_select_top #(
  parameter bit Shared = 1'b1,
  parameter bit Device = 1'b1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  output logic               busy_o,
  output logic               taken_o,
  input  logic [2:0]         cls_i,
  input  logic [2:0]         size_i,
  input  logic               reduces_i,
  input  logic               konst_i,
  input  logic               bypass_i,
  input  logic [3:0]         atom_op_i,
  input  logic [15:0]        seq_i,
  input  logic [7:0]         slice_i,
  input  logic               final_i,
  input  logic [31:0]        lanes_i,
  input  logic [31:0]        shared_i,
  input  logic [31:0][31:0]  addr_i,
  input  logic [31:0][7:0]   addr_hi_i,
  input  logic [3:0][31:0][31:0] data_i,
  output logic               pass_valid_o,
  input  logic               pass_ready_i,
  output logic [2:0]         cls_o,
  output logic [2:0]         size_o,
  output logic [15:0]        seq_o,
  output logic               shared_o,
  output logic               first_o,
  output logic               last_o,
  output logic [31:0]        lanes_o,
  output logic [31:0]        told_o,
  output logic [31:0]        join_lanes_o,
  output logic [31:0][7:0]   join_offset_o,
  output logic [31:0][31:0]  join_data_o,
  output logic [3:0][31:0]   sector_lanes_o,
  output logic [3:0][63:0]   line_o,
  output logic [3:0][31:0]   line_lanes_o,
  output logic [31:0][1:0]   bank_line_o,
  output logic [31:0][7:0]   offset_o,
  output logic [31:0]        bank_used_o,
  output logic [31:0][15:0]  bank_row_o,
  output logic [3:0][31:0][31:0] data_o,
  output logic [7:0]         slice_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         words_o,
  output logic [7:0]         lines_o,        // of a pass
  output logic               bank_atomics_o, // of integers: all atomics here are
  output logic               serves_shared_o,
  output logic               serves_device_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign words_o = 8'(lsu_pkg::Words);
  assign bank_atomics_o = lsu_pkg::BankAtomics;
  assign serves_shared_o = Shared;
  assign serves_device_o = Device;

  lsu_pkg::op_t   op;
  lsu_pkg::pass_t pass;
  always_comb begin
    op = '0;
    op.cls = lsu_pkg::class_e'(cls_i);
    op.size = size_i;
    op.reduces = reduces_i;
    op.konst = konst_i;
    op.bypass = bypass_i;
    op.atom_op = atom_op_i;
    op.seq = seq_i;
  end
  assign cls_o = pass.op.cls;
  assign size_o = pass.op.size;
  assign seq_o = pass.op.seq;
  assign shared_o = pass.shared;
  assign first_o = pass.first;
  assign last_o = pass.last;
  assign lanes_o = 32'(pass.lanes);
  assign told_o = 32'(pass.told);
  lsu_pkg::join_t joined;
  assign join_lanes_o = 32'(joined.lanes);
  assign join_offset_o = 256'(joined.offset);
  assign join_data_o = 1024'(joined.data);
  assign slice_o = 8'(pass.slice);
  lsu_pkg::offsets_t   offset;
  lsu_pkg::banks_t     bank_used;
  lsu_pkg::bank_rows_t bank_row;
  sm_pkg::row_t [3:0]  data_in, data;
  assign offset_o = 256'(offset);
  assign bank_used_o = 32'(bank_used);
  always_comb begin
    sector_lanes_o = '0;
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++)
      sector_lanes_o[pass.sector | 2'(s)] = 32'(pass.sector_lanes[s]);
    line_o = '0;
    line_lanes_o = '0;
    for (int unsigned n = 0; n < lsu_pkg::PassLines; n++) begin
      line_o[n] = 64'(pass.line[n]);
      line_lanes_o[n] = 32'(pass.line_lanes[n]);
    end
    bank_line_o = '0;
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) bank_line_o[bank] = 2'(pass.bank_line[bank]);
    bank_row_o = '0;
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) bank_row_o[bank] = 16'(bank_row[bank]);
    for (int unsigned w = 0; w < 4; w++) begin
      data_in[w] = data_i[w][Lanes-1:0];
      data_o[w] = 1024'(data[w]);
    end
  end
  assign lines_o = 8'(lsu_pkg::PassLines);

  lsu_select #(.Shared(Shared), .Device(Device)) u_lsu_select (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .valid_i      (valid_i),
    .busy_o       (busy_o),
    .taken_o      (taken_o),
    .op_i         (op),
    .slice_i      (sm_pkg::slice_t'(slice_i)),
    .final_i      (final_i),
    .lanes_i      (lanes_i[Lanes-1:0]),
    .shared_i     (shared_i[Lanes-1:0]),
    .addr_i       (addr_i[Lanes-1:0]),
    .addr_hi_i    (addr_hi_i[Lanes-1:0]),
    .data_i       (data_in),
    .pass_valid_o (pass_valid_o),
    .pass_ready_i (pass_ready_i),
    .pass_o       (pass),
    .offset_o     (offset),
    .bank_used_o  (bank_used),
    .bank_row_o   (bank_row),
    .data_o       (data),
    .join_o       (joined)
  );

endmodule
