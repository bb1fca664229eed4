// SPDX-License-Identifier: Apache-2.0
// lsu_requests with the fields of what comes and goes as ports, as wide as any machine's.
module lsu_requests_top #(
  parameter bit MaskTurn = 1'b0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              wr_valid_i,
  input  logic [1:0]        kind_i,
  input  logic [7:0]        id_i,
  input  logic [63:0]       line_i,
  input  logic [1:0]        sector_i,
  input  logic [3:0]        sectors_i,  // of the pass
  input  logic [7:0]        piece_i,
  input  logic              last_i,
  input  logic [31:0][3:0]  mask_i,
  input  logic [31:0][31:0] data_i,
  input  logic              several_i,
  input  logic [63:0]       rest_i,
  output logic              room_o,
  output logic              req_valid_o,
  input  logic              req_ready_i,
  output logic [1:0]        kind_o,
  output logic [7:0]        id_o,
  output logic [63:0]       sector_o,
  output logic [7:0]        piece_o,
  output logic              last_o,
  output logic [31:0]       mask_o,
  output logic [255:0]      data_o,
  output logic [63:0]       rest_o,     // fields that go through as they are
  output logic [7:0]        rest_bits_o,
  output logic [7:0]        pass_sectors_o,
  output logic [7:0]        pieces_o,
  output logic              mask_turn_o
);

  typedef struct packed {
    logic [4:0]                   offset;
    logic                         wide;
    logic [3:0]                   atom_op;
    mem_pkg::atom_type_t          atom_type;
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;
    logic [4:0]                   lane;
  } rest_t;

  lsu_pkg::line_req_t  in;
  lsu_pkg::line_data_t in_data;
  mem_pkg::req_t      out;
  rest_t              rest;
  assign rest = rest_t'(rest_i);
  always_comb begin
    in.kind = mem_pkg::req_kind_e'(kind_i);
    in.id = id_i;
    in.line = line_i[32:0];
    in.sector = sector_i;
    in.sectors = lsu_pkg::sectors_t'(sectors_i);
    in.piece = mem_pkg::piece_t'(piece_i);
    in.last = last_i;
    in_data.mask = ($bits(lsu_pkg::piece_bytes_t))'(mask_i);
    in_data.data = ($bits(lsu_pkg::piece_words_t))'(data_i);
    in.offset = rest.offset;
    in.wide = rest.wide;
    in.atom_op = rest.atom_op;
    in.atom_type = rest.atom_type;
    in.warp = rest.warp;
    in.seq = rest.seq;
    in.lane = rest.lane;
    in.several = several_i;
    in.joins = 1'b0;
  end
  assign kind_o = out.kind;
  assign id_o = out.id;
  assign sector_o = 64'(out.sector);
  assign piece_o = 8'(out.piece);
  assign last_o = out.last;
  assign mask_o = 32'(out.mask);
  assign data_o = 256'(out.data);
  assign rest_o = 64'({out.offset, out.wide, out.atom_op, out.atom_type, out.warp, out.seq, out.lane});
  assign pass_sectors_o = 8'(lsu_pkg::PassSectors);
  assign pieces_o = 8'(mem_pkg::Pieces);
  assign mask_turn_o = MaskTurn;
  assign rest_bits_o = 8'($bits(rest_t));

  lsu_requests #(.MaskTurn(MaskTurn)) u_lsu_requests (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .wr_valid_i      (wr_valid_i),
    .wr_req_i        (in),
    .wr_data_i       (in_data),
    .room_o          (room_o),
    .wanted_i        ('0),
    .joined_o        (),
    .joined_warp_o   (),
    .mem_req_valid_o (req_valid_o),
    .mem_req_ready_i (req_ready_i),
    .mem_req_o       (out)
  );

endmodule
