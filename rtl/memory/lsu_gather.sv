// SPDX-License-Identifier: Apache-2.0
// Fifth stage of the load/store unit: picks each lane's bytes out of a line (or a row of the banks),
// extends them and collects them in the register rows of the instruction. Holds the rows of all
// instructions in flight, a place for each slice, until the response stage reads them. One memory an index:
// a pass of wide words writes them all at once.
//
//   LD.S8, lane 3 at byte 0x21 of the line: row 0, lane 3 = sign-extended byte 1 of word 8
//   LD.128: words w .. w+3 go to rows 0 .. 3
module lsu_gather (
  input  logic                          clk_i,

  input  logic                          note_i,         // a pass of a slice: note its offsets
  input  lsu_pkg::place_t               note_place_i,
  input  lsu_pkg::offsets_t             note_offset_i,

  input  logic                          valid_i,
  input  lsu_pkg::place_t               place_i,
  input  logic [2:0]                    size_i,
  input  sm_pkg::lanes_t                lanes_i,
  input  logic                          at_zero_i,      // the value stands at the line's begin (atomics)
  input  lsu_pkg::words_t               line_i,

  input  logic                          read_i,         // response stage: row_o from the next cycle on
  input  lsu_pkg::place_t               read_place_i,
  input  logic [1:0]                    read_index_i,
  output sm_pkg::row_t                  row_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  localparam int unsigned LaneW = lsu_pkg::LaneW;
  typedef logic [LaneW-1:0] word_t;  // in the line

  lsu_pkg::offsets_t offset_q [lsu_pkg::Places];
  // A row is read when all its lanes have come: never in the cycle of a write to it.
  (* ram_style = "block", no_rw_check *) sm_pkg::row_t row0_q [lsu_pkg::Places];
  (* ram_style = "block", no_rw_check *) sm_pkg::row_t row1_q [lsu_pkg::Places];
  (* ram_style = "block", no_rw_check *) sm_pkg::row_t row2_q [lsu_pkg::Places];
  (* ram_style = "block", no_rw_check *) sm_pkg::row_t row3_q [lsu_pkg::Places];

  if (Lanes == 32) begin : g_whole
    always_ff @(posedge clk_i) begin
      if (read_i) begin
        case (read_index_i)
          2'd0:    row_o <= row0_q[read_place_i];
          2'd1:    row_o <= row1_q[read_place_i];
          2'd2:    row_o <= row2_q[read_place_i];
          default: row_o <= row3_q[read_place_i];
        endcase
      end
    end
  end else begin : g_blocks
    // Each memory with its read register, as block RAM has it: a small chip has better use for its LUTs.
    sm_pkg::row_t out0_q, out1_q, out2_q, out3_q;
    logic [1:0]   index_q;
    always_ff @(posedge clk_i) begin
      if (read_i) begin
        index_q <= read_index_i;
        out0_q <= row0_q[read_place_i];
        out1_q <= row1_q[read_place_i];
        out2_q <= row2_q[read_place_i];
        out3_q <= row3_q[read_place_i];
      end
    end
    always_comb begin
      case (index_q)
        2'd0:    row_o = out0_q;
        2'd1:    row_o = out1_q;
        2'd2:    row_o = out2_q;
        default: row_o = out3_q;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (note_i) offset_q[note_place_i] <= note_offset_i;
    if (valid_i) begin : gather
      automatic lsu_pkg::offsets_t offset = at_zero_i ? '0 : offset_q[place_i];
      automatic sm_pkg::row_t      row = row0_q[place_i];
      automatic logic [31:0]       word;
      // Whole words: quicker to simulate; a chip of few lanes has one multiplexer for all sizes.
      if (size_i[2] && Lanes == 32) begin
        for (int unsigned lane = 0; lane < Lanes; lane++)
          row[lane] = lanes_i[lane] ? line_i[offset[lane][2+:LaneW]] : row[lane];
      end else begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          word = line_i[offset[lane][2+:LaneW]] >> {offset[lane][1:0], 3'b000};
          if (size_i[2]) word = word;
          else if (size_i[1]) word = {{16{size_i[0] & word[15]}}, word[15:0]};
          else word = {{24{size_i[0] & word[7]}}, word[7:0]};
          row[lane] = lanes_i[lane] ? word : row[lane];
        end
      end
      row0_q[place_i] <= row;
      if (size_i == 3'(isa_pkg::MemSizeB64) || size_i == 3'(isa_pkg::MemSizeB128)) begin
        row = row1_q[place_i];
        for (int unsigned lane = 0; lane < Lanes; lane++)
          row[lane] = lanes_i[lane] ? line_i[word_t'(offset[lane][2+:LaneW] | word_t'(1))] : row[lane];
        row1_q[place_i] <= row;
      end
      if (size_i == 3'(isa_pkg::MemSizeB128)) begin
        row = row2_q[place_i];
        for (int unsigned lane = 0; lane < Lanes; lane++)
          row[lane] = lanes_i[lane] ? line_i[word_t'(offset[lane][2+:LaneW] | word_t'(2))] : row[lane];
        row2_q[place_i] <= row;
        row = row3_q[place_i];
        for (int unsigned lane = 0; lane < Lanes; lane++)
          row[lane] = lanes_i[lane] ? line_i[word_t'(offset[lane][2+:LaneW] | word_t'(3))] : row[lane];
        row3_q[place_i] <= row;
      end
    end
  end

endmodule
