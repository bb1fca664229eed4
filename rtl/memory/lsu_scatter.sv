// SPDX-License-Identifier: Apache-2.0
// Brings the data of a store from lanes to memory's order: as many words as a slice has lanes, with byte enables,
// which are a line of device memory (a sector where slices have 8 lanes) or a row of the banks. Where lanes meet
// in a byte the highest lane wins.
//
//   STS.U8 by lanes 0..3 to bytes 0..3 of word 7: word 7 = {d3, d2, d1, d0}, bytes 1111
//
// An atomic sends its operands as they are: word 0, 1 = b, words 2, 3 = c.
module lsu_scatter (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  lsu_pkg::class_e          cls_i,
  input  logic [2:0]               size_i,
  input  sm_pkg::slice_t           slice_i,
  input  sm_pkg::lanes_t           lanes_i,
  input  lsu_pkg::offsets_t        offset_i,
  input  sm_pkg::row_t [3:0]       data_i,
  output lsu_pkg::words_t          words_o,
  output logic [lsu_pkg::Lanes-1:0][3:0] bytes_o,
  output logic [4:0]               lane_o,     // atomic: whose operands
  output logic [4:0]               offset_o    // atomic: byte in the sector
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  localparam int unsigned LaneW = lsu_pkg::LaneW;

  // Who writes a place: a word, or a byte of it.
  typedef struct packed {
    logic             valid;
    logic [LaneW-1:0] lane;
  } writer_t;
  typedef struct packed {
    lsu_pkg::words_t       words;
    logic [Lanes-1:0][3:0] bytes;
  } line_t;

  // 32 bits and more: the writer of a lane's first word; the words that follow have the same one.
  function automatic line_t scatter_words(input sm_pkg::lanes_t lanes, input logic [2:0] words,
                                          input lsu_pkg::offsets_t offset, input sm_pkg::row_t [3:0] data);
    line_t      l;
    writer_t    writer [Lanes];
    writer_t    from;
    logic [LaneW-1:0] w;
    for (int unsigned n = 0; n < Lanes; n++) writer[n] = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      w = offset[lane][2+:LaneW];
      writer[w] = lanes[lane] ? {1'b1, LaneW'(lane)} : writer[w];
    end
    for (int unsigned n = 0; n < Lanes; n++) begin
      from = words[2] ? writer[n/4*4] : words[1] ? writer[n/2*2] : writer[n];
      l.words[n] = words[2] ? data[n%4][from.lane] : words[1] ? data[n%2][from.lane] : data[0][from.lane];
      l.bytes[n] = {4{from.valid}};
    end
    return l;
  endfunction

  // 8 and 16 bits: bytes of one place in all words; a half-word's upper byte is its lane's byte 1.
  function automatic logic [Lanes-1:0][8:0] scatter_bytes(input logic [1:0] place, input logic half,
                                                     input sm_pkg::lanes_t lanes,
                                                     input lsu_pkg::offsets_t offset,
                                                     input sm_pkg::row_t data);
    logic [Lanes-1:0][8:0] r;  // {enable, byte}
    writer_t          writer [Lanes];
    logic [LaneW-1:0] w;
    logic [15:0]      value;
    for (int unsigned n = 0; n < Lanes; n++) writer[n] = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      w = offset[lane][2+:LaneW];
      writer[w] = lanes[lane] && (offset[lane][1:0] == place || (half && offset[lane][1:0] == {place[1], 1'b0}))
                  ? {1'b1, LaneW'(lane)} : writer[w];
    end
    for (int unsigned n = 0; n < Lanes; n++) begin
      value = data[writer[n].lane][15:0];
      r[n] = {writer[n].valid, half && place[0] ? value[15:8] : value[7:0]};
    end
    return r;
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i) begin : scatter
      automatic logic [LaneW-1:0] lane0 = LaneW'(prim_pkg::first32(32'(lanes_i)));
      automatic line_t            line;
      automatic logic [Lanes-1:0][8:0] part;
      lane_o <= 5'({slice_i, lane0});
      offset_o <= offset_i[lane0][4:0];
      if (cls_i == lsu_pkg::ClassAtomic) begin
        for (int unsigned w = 0; w < 4; w++) words_o[w] <= data_i[w][lane0];
      end else if (size_i[2]) begin
        line = scatter_words(lanes_i, lsu_pkg::size_words(size_i), offset_i, data_i);
        words_o <= line.words;
        bytes_o <= line.bytes;
      end else begin
        for (int unsigned b = 0; b < 4; b++) begin
          part = scatter_bytes(2'(b), size_i[1], lanes_i, offset_i, data_i[0]);
          for (int unsigned n = 0; n < Lanes; n++) begin
            words_o[n][8*b+:8] <= part[n][7:0];
            bytes_o[n][b] <= part[n][8];
          end
        end
      end
    end
  end

endmodule
