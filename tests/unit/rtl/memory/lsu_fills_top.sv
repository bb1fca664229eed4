// SPDX-License-Identifier: Apache-2.0
// lsu_fills with an answer's fields as ports.
module lsu_fills_top (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         wr_valid_i,
  output logic         wr_ready_o,
  input  logic         atomic_i,
  input  logic         error_i,
  input  logic [7:0]   id_i,
  input  logic [1:0]   piece_i,
  input  logic         last_i,
  input  logic [255:0] data_i,
  output logic         head_valid_o,
  input  logic         head_ready_i,
  output logic         head_atomic_o,
  output logic         head_error_o,
  output logic [7:0]   head_id_o,
  output logic         beat_valid_o,
  input  logic         beat_take_i,
  input  logic         beat_last_i,
  input  logic         beat_again_i,
  output logic [255:0] beat_o,
  output logic [7:0]   pieces_o
);

  mem_pkg::rsp_t rsp;
  always_comb begin
    rsp = '0;
    rsp.kind = atomic_i ? mem_pkg::ReqAtomic : mem_pkg::ReqRead;
    rsp.error = error_i;
    rsp.id = id_i;
    rsp.piece = mem_pkg::piece_t'(piece_i);
    rsp.last = last_i;
    rsp.data = data_i[mem_pkg::PieceBits-1:0];
  end

  logic [mem_pkg::PieceBits-1:0] beat;
  assign beat_o = 256'(beat);
  assign pieces_o = 8'(mem_pkg::Pieces);

  lsu_fills #(.Depth(4)) u_lsu_fills (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .wr_valid_i    (wr_valid_i),
    .wr_ready_o    (wr_ready_o),
    .wr_data_i     (rsp),
    .head_valid_o  (head_valid_o),
    .head_ready_i  (head_ready_i),
    .head_atomic_o (head_atomic_o),
    .head_error_o  (head_error_o),
    .head_id_o     (head_id_o),
    .beat_valid_o  (beat_valid_o),
    .beat_take_i   (beat_take_i),
    .beat_last_i   (beat_last_i),
    .beat_again_i  (beat_again_i),
    .beat_o        (beat)
  );

endmodule
