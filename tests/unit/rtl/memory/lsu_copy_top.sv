// SPDX-License-Identifier: Apache-2.0
// lsu_copy with the fields of operations as ports.
module lsu_copy_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              note_i,
  input  logic [7:0]        note_entry_i,
  input  logic [2:0]        note_size_i,
  input  logic [7:0]        note_warp_i,
  input  logic [15:0]       note_seq_i,
  input  logic [31:0]       note_lanes_i,
  input  logic [31:0][31:0] note_addr_i,
  output logic              room_o,
  input  logic              read_i,
  input  logic              row_valid_i,
  input  logic [7:0]        row_entry_i,
  input  logic [1:0]        row_index_i,
  input  logic              row_last_i,
  input  logic [31:0][31:0] row_i,
  output logic              valid_o,
  input  logic              taken_i,
  output logic [7:0]        entry_o,
  output logic [2:0]        size_o,
  output logic [7:0]        warp_o,
  output logic [15:0]       seq_o,
  output logic [31:0]       lanes_o,
  output logic [2:0]        cls_o,
  output logic              others_o,      // any other field of the operation is set
  output logic [31:0][31:0] addr_o,
  output logic [3:0][31:0][31:0] data_o
);

  lsu_pkg::op_t   noted, rest;
  lsu_pkg::copy_t copy;
  always_comb begin
    noted = '1;  // the copy's own fields are not the store's
    noted.entry = note_entry_i[lsu_pkg::EntryW-1:0];
    noted.size = note_size_i;
    noted.warp = note_warp_i[config_pkg::WarpW-1:0];
    noted.seq = note_seq_i;
    rest = copy.op;
    rest.cls = lsu_pkg::ClassLoad;
    rest.entry = '0;
    rest.size = '0;
    rest.warp = '0;
    rest.seq = '0;
  end
  assign entry_o = 8'(copy.op.entry);
  assign size_o = copy.op.size;
  assign warp_o = 8'(copy.op.warp);
  assign seq_o = copy.op.seq;
  assign lanes_o = copy.lanes;
  assign cls_o = copy.op.cls;
  assign others_o = valid_o && rest != '0;
  assign addr_o = copy.addr;
  assign data_o = copy.data;

  lsu_copy u_lsu_copy (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .note_i       (note_i),
    .note_op_i    (noted),
    .note_lanes_i (note_lanes_i),
    .note_addr_i  (note_addr_i),
    .room_o       (room_o),
    .read_i       (read_i),
    .row_valid_i  (row_valid_i),
    .row_entry_i  (row_entry_i[lsu_pkg::EntryW-1:0]),
    .row_index_i  (row_index_i),
    .row_last_i   (row_last_i),
    .row_i        (row_i),
    .valid_o      (valid_o),
    .taken_i      (taken_i),
    .copy_o       (copy)
  );

endmodule
