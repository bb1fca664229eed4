// SPDX-License-Identifier: Apache-2.0
// Brings the data of a store from lanes to memory's order: 32 words with byte enables, which are a line
// of device memory or a row of the 32 banks. Where lanes meet in a byte the highest lane wins.
//
//   STS.U8 by lanes 0..3 to bytes 0..3 of word 7: word 7 = {d3, d2, d1, d0}, bytes 1111
//
// An atomic sends its operands as they are: word 0, 1 = b, words 2, 3 = c.
module lsu_scatter (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  lsu_pkg::class_e          cls_i,
  input  logic [2:0]               size_i,
  input  sm_pkg::mask_t            lanes_i,
  input  lsu_pkg::offsets_t        offset_i,
  input  sm_pkg::row_t [3:0]       data_i,
  output sm_pkg::row_t             words_o,
  output logic [31:0][3:0]         bytes_o,
  output logic [4:0]               lane_o,     // atomic: whose operands
  output logic [4:0]               offset_o    // atomic: byte in the sector
);

  always_ff @(posedge clk_i) begin
    if (en_i) begin : scatter
      automatic logic [31:0] word [32];
      automatic logic [3:0]  enable [32];
      automatic logic [2:0]  words = lsu_pkg::size_words(size_i);
      automatic logic [4:0]  lane0 = prim_pkg::first32(lanes_i);
      automatic logic [31:0] bits;
      automatic logic [3:0]  bytes;
      automatic logic [31:0] d;
      lane_o <= lane0;
      offset_o <= offset_i[lane0][4:0];
      if (cls_i == lsu_pkg::ClassAtomic) begin
        for (int unsigned w = 0; w < 4; w++) words_o[w] <= data_i[w][lane0];
      end else begin
        for (int unsigned w = 0; w < 32; w++) begin
          word[w] = '0;
          enable[w] = '0;
        end
        case (size_i)
          3'(isa_pkg::MemSizeB32), 3'(isa_pkg::MemSizeB64), 3'(isa_pkg::MemSizeB128): begin
            for (int unsigned w = 0; w < 4; w++) begin
              if (w < 32'(words)) begin
                for (int unsigned lane = 0; lane < 32; lane++) begin
                  if (lanes_i[lane]) begin
                    word[offset_i[lane][6:2] | 5'(w)] = data_i[w][lane];
                    enable[offset_i[lane][6:2] | 5'(w)] = 4'hf;
                  end
                end
              end
            end
          end
          default: begin
            for (int unsigned lane = 0; lane < 32; lane++) begin
              if (lanes_i[lane]) begin
                if (size_i[1]) begin
                  bytes = 4'b0011 << offset_i[lane][1:0];
                  d = {2{data_i[0][lane][15:0]}};
                end else begin
                  bytes = 4'b0001 << offset_i[lane][1:0];
                  d = {4{data_i[0][lane][7:0]}};
                end
                bits = {{8{bytes[3]}}, {8{bytes[2]}}, {8{bytes[1]}}, {8{bytes[0]}}};
                word[offset_i[lane][6:2]] = (word[offset_i[lane][6:2]] & ~bits) | (d & bits);
                enable[offset_i[lane][6:2]] |= bytes;
              end
            end
          end
        endcase
        for (int unsigned w = 0; w < 32; w++) begin
          words_o[w] <= word[w];
          bytes_o[w] <= enable[w];
        end
      end
    end
  end

endmodule
