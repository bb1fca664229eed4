// SPDX-License-Identifier: Apache-2.0
// Fifth stage of the load/store unit: picks each lane's bytes out of a line (or a row of the banks),
// extends them and collects them in the register rows of the instruction. Holds the rows of all
// instructions in flight until the response stage reads them.
//
//   LD.S8, lane 3 at byte 0x21 of the line: row 0, lane 3 = sign-extended byte 1 of word 8
//   LD.128: words w .. w+3 go to rows 0 .. 3
module lsu_gather (
  input  logic                          clk_i,

  input  logic                          note_i,         // first pass of an instruction: note its offsets
  input  logic [lsu_pkg::EntryW-1:0]    note_entry_i,
  input  lsu_pkg::offsets_t             note_offset_i,

  input  logic                          valid_i,
  input  logic [lsu_pkg::EntryW-1:0]    entry_i,
  input  logic [2:0]                    size_i,
  input  sm_pkg::mask_t                 lanes_i,
  input  sm_pkg::row_t                  line_i,

  input  logic                          read_i,         // response stage: row_o from the next cycle on
  input  logic [lsu_pkg::EntryW-1:0]    read_entry_i,
  input  logic [1:0]                    read_index_i,
  output sm_pkg::row_t                  row_o
);

  lsu_pkg::offsets_t offset_q [lsu_pkg::Entries];
  sm_pkg::row_t      row_q [4*lsu_pkg::Entries];

  always_ff @(posedge clk_i) begin
    if (note_i) offset_q[note_entry_i] <= note_offset_i;
    if (read_i) row_o <= row_q[{read_entry_i, read_index_i}];
    if (valid_i) begin : gather
      automatic lsu_pkg::offsets_t offset = offset_q[entry_i];
      automatic sm_pkg::row_t      row = row_q[{entry_i, 2'd0}];
      automatic logic [31:0]       word;
      case (size_i)
        3'(isa_pkg::MemSizeB32), 3'(isa_pkg::MemSizeB64), 3'(isa_pkg::MemSizeB128): begin
          for (int unsigned lane = 0; lane < 32; lane++)
            row[lane] = lanes_i[lane] ? line_i[offset[lane][6:2]] : row[lane];
        end
        default: begin
          for (int unsigned lane = 0; lane < 32; lane++) begin
            word = line_i[offset[lane][6:2]] >> {offset[lane][1:0], 3'b000};
            if (size_i[1]) word = {{16{size_i[0] & word[15]}}, word[15:0]};
            else word = {{24{size_i[0] & word[7]}}, word[7:0]};
            row[lane] = lanes_i[lane] ? word : row[lane];
          end
        end
      endcase
      row_q[{entry_i, 2'd0}] <= row;
      if (size_i == 3'(isa_pkg::MemSizeB64) || size_i == 3'(isa_pkg::MemSizeB128)) begin
        row = row_q[{entry_i, 2'd1}];
        for (int unsigned lane = 0; lane < 32; lane++)
          row[lane] = lanes_i[lane] ? line_i[5'(offset[lane][6:2] | 5'd1)] : row[lane];
        row_q[{entry_i, 2'd1}] <= row;
      end
      if (size_i == 3'(isa_pkg::MemSizeB128)) begin
        row = row_q[{entry_i, 2'd2}];
        for (int unsigned lane = 0; lane < 32; lane++)
          row[lane] = lanes_i[lane] ? line_i[5'(offset[lane][6:2] | 5'd2)] : row[lane];
        row_q[{entry_i, 2'd2}] <= row;
        row = row_q[{entry_i, 2'd3}];
        for (int unsigned lane = 0; lane < 32; lane++)
          row[lane] = lanes_i[lane] ? line_i[5'(offset[lane][6:2] | 5'd3)] : row[lane];
        row_q[{entry_i, 2'd3}] <= row;
      end
    end
  end

endmodule
