// SPDX-License-Identifier: Apache-2.0
// lsu_gather of a bank with ports for 32 lanes, of which a narrower machine uses the first. Places are counted in the bank.
module lsu_gather_top #(
  parameter bit Bank = 1'b0
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               note_i,
  input  logic [7:0]         note_place_i,
  input  logic [31:0][7:0]   note_offset_i,
  // What device memory shows, and shared memory.
  input  logic [1:0]         valid_i,
  output logic [1:0]         done_o,
  output logic               gathered_o,
  output logic [7:0]         gathered_place_o,
  output logic [31:0]        gathered_lanes_o,
  input  logic [1:0]         other_bank_i,
  input  logic [1:0][7:0]    place_i,
  input  logic [1:0][2:0]    size_i,
  input  logic [1:0][3:0]    matrix_i,   // lsu_pkg::matrix_t
  input  logic [1:0][31:0]   lanes_i,
  input  logic [1:0]         at_zero_i,
  input  logic [1:0][7:0]    piece_i,
  input  logic [1:0][31:0][31:0] line_i, // whole: the piece is taken out here
  // And an atomic's old values.
  input  logic               atomic_valid_i,
  output logic               atomic_done_o,
  input  logic               atomic_other_bank_i,
  input  logic [7:0]         atomic_place_i,
  input  logic [2:0]         atomic_size_i,
  input  logic [31:0]        atomic_lanes_i,
  input  logic [255:0]       atomic_value_i,
  output logic               atomics_o,
  input  logic               read_i,
  input  logic [7:0]         read_place_i,
  input  logic [1:0]         read_index_i,
  output logic [31:0][31:0]  row_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         words_o,
  output logic [7:0]         pieces_o,
  output logic [7:0]         places_o,
  output logic [7:0]         beat_lanes_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign words_o = 8'(lsu_pkg::Words);
  assign places_o = 8'(lsu_pkg::BankPlaces);
  assign beat_lanes_o = 8'(lsu_pkg::BeatLanes);

  assign pieces_o = 8'(mem_pkg::Pieces);

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;
  lsu_pkg::piece_words_t line [2];
  lsu_pkg::gather_t      shown [2], gathered;

  // A place of the bank among those of all banks: {entry, slice}.
  function automatic lsu_pkg::place_t whole(input logic [7:0] place, input logic other_bank);
    return lsu_pkg::Pipes == 1 ? lsu_pkg::place_t'(place) : lsu_pkg::place_t'({place, Bank ^ other_bank});
  endfunction

  always_comb begin
    for (int unsigned side = 0; side < 2; side++) begin
      for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++)
        line[side][s*PieceWords+:PieceWords] = line_i[side][8*s+PieceWords*32'(piece_i[side])+:PieceWords];
      shown[side] = '0;
      {shown[side].entry, shown[side].slice} = sm_pkg::RowSlices == 1 ?
          ($bits(shown[side].entry) + $bits(shown[side].slice))'({whole(place_i[side], other_bank_i[side]), 1'b0}) :
          ($bits(shown[side].entry) + $bits(shown[side].slice))'(whole(place_i[side], other_bank_i[side]));
      shown[side].size = size_i[side];
      shown[side].matrix = matrix_i[side];
      shown[side].lanes = lanes_i[side][Lanes-1:0];
      shown[side].at_zero = at_zero_i[side];
      shown[side].piece = mem_pkg::piece_t'(piece_i[side]);
    end
  end
  lsu_pkg::gather_t atomic;
  assign atomics_o = lsu_pkg::SectorAtomics;
  always_comb begin
    atomic = '0;
    atomic.entry = lsu_pkg::EntryW'(whole(atomic_place_i, atomic_other_bank_i));
    atomic.size = atomic_size_i;
    atomic.lanes = atomic_lanes_i[Lanes-1:0];
    atomic.last = 1'b1;
  end
  assign gathered_place_o = 8'(lsu_pkg::in_bank(lsu_pkg::place_of(gathered.entry, gathered.slice)));
  assign gathered_lanes_o = 32'(gathered.lanes);

  sm_pkg::row_t row;
  assign row_o = 1024'(row);

  lsu_gather #(.Bank(Bank)) u_lsu_gather (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .note_i         (note_i),
    .note_place_i   (whole(note_place_i, 1'b0)),
    .note_offset_i  (note_offset_i[Lanes-1:0]),
    .device_valid_i (valid_i[0]),
    .device_i       (shown[0]),
    .device_line_i  (line[0]),
    .device_done_o  (done_o[0]),
    .atomic_valid_i (atomic_valid_i),
    .atomic_i       (atomic),
    .atomic_value_i (lsu_pkg::atomic_value_t'(atomic_value_i)),
    .atomic_done_o  (atomic_done_o),
    .shared_valid_i (valid_i[1]),
    .shared_i       (shown[1]),
    .shared_line_i  (line[1]),
    .shared_done_o  (done_o[1]),
    .done_o         (gathered_o),
    .done_gather_o  (gathered),
    .read_i         (read_i),
    .read_place_i   (whole(read_place_i, 1'b0)),
    .read_index_i   (read_index_i),
    .row_o          (row)
  );

endmodule
