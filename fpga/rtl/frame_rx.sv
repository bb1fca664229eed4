// SPDX-License-Identifier: Apache-2.0
// Finds frames in the bytes from the line: cuts at flags, takes escapes away, checks the CRC.
//
//   7e 01 34 12 00 00 23 01 <crc> 7e: bytes 0..6 are written out with their index, then good_o with length_o = 7
//
// Bytes go out as they come, so the reader keeps them in a place of its own and believes them on good_o.
// Anything else between two flags (cut short, too long, a byte with a framing error, a wrong CRC) ends in bad_o;
// nothing between two flags is no frame. What comes before the first flag is skipped.
module frame_rx #(
    localparam int unsigned CountW = $clog2(link_pkg::FrameBytes + 2)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    // Line.
    input  logic              byte_valid_i,
    input  logic [7:0]        byte_i,
    input  logic              byte_error_i,  // a byte was lost to a framing error
    // Frame: header, payload, and the CRC as the last four.
    output logic              write_o,
    output logic [CountW-1:0] index_o,
    output logic [7:0]        data_o,
    output logic              good_o,        // one cycle, after the last byte
    output logic [CountW-1:0] length_o,      // with good_o: header and payload
    output logic              bad_o          // one cycle
);

  localparam logic [CountW-1:0] TooLong = CountW'(link_pkg::FrameBytes + 1);

  logic [CountW-1:0] count_q;
  logic [31:0]       crc_q;
  logic              hunting_q, escaped_q, damaged_q;
  logic              flag, escape;
  assign flag   = byte_valid_i && byte_i == link_pkg::Flag;
  assign escape = byte_valid_i && byte_i == link_pkg::Escape;

  assign write_o = byte_valid_i && !flag && !escape && !hunting_q && count_q < CountW'(link_pkg::FrameBytes);
  assign index_o = count_q;
  assign data_o  = escaped_q ? byte_i ^ link_pkg::EscapeXor : byte_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      hunting_q <= 1'b1;
      escaped_q <= 1'b0;
      damaged_q <= 1'b0;
      count_q   <= '0;
      crc_q     <= link_pkg::CrcBegin;
      good_o    <= 1'b0;
      bad_o     <= 1'b0;
      length_o  <= '0;
    end else begin
      good_o <= 1'b0;
      bad_o  <= 1'b0;
      if (byte_error_i) damaged_q <= 1'b1;
      if (flag) begin
        hunting_q <= 1'b0;
        escaped_q <= 1'b0;
        damaged_q <= byte_error_i;
        count_q   <= '0;
        crc_q     <= link_pkg::CrcBegin;
        length_o  <= count_q - CountW'(link_pkg::CrcBytes);
        if (!hunting_q && (count_q != '0 || damaged_q)) begin
          if (!damaged_q && !escaped_q && crc_q == link_pkg::CrcGood && count_q != TooLong &&
              count_q >= CountW'(link_pkg::HeaderBytes + link_pkg::CrcBytes))
            good_o <= 1'b1;
          else bad_o <= 1'b1;
        end
      end else if (byte_valid_i && !hunting_q) begin
        // Two escapes in a row are never sent.
        if (escape) begin
          escaped_q <= 1'b1;
          if (escaped_q) damaged_q <= 1'b1;
        end else begin
          escaped_q <= 1'b0;
          crc_q     <= link_pkg::crc_step(crc_q, data_o);
          if (count_q != TooLong) count_q <= count_q + CountW'(1);
        end
      end
    end
  end

endmodule
