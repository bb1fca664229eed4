// SPDX-License-Identifier: Apache-2.0
// Wraps bytes into a frame: flag, the bytes and their CRC with escapes, flag.
module frame_tx (
    input  logic       clk_i,
    input  logic       rst_ni,
    // Header and payload. Once the first byte is offered the rest must follow, at any pace.
    input  logic       valid_i,
    output logic       ready_o,
    input  logic [7:0] data_i,
    input  logic       last_i,
    output logic       idle_o,
    // Line.
    output logic       byte_valid_o,
    input  logic       byte_ready_i,
    output logic [7:0] byte_o
);

  typedef enum logic [1:0] {
    Begin,  // flag as soon as there is something to send
    Body,   // header and payload
    Crc,    // its four bytes
    End     // flag
  } state_e;

  state_e      state_q;
  logic        escaped_q;  // the escape of this byte is sent
  logic [31:0] crc_q;
  logic [1:0]  crc_left_q;
  logic [7:0]  plain;
  logic        special, sends_plain, fire;

  assign plain        = state_q == Crc ? ~crc_q[7:0] : data_i;
  assign special      = plain == link_pkg::Flag || plain == link_pkg::Escape;
  assign byte_valid_o = state_q == Crc || state_q == End || valid_i;
  assign fire         = byte_valid_o && byte_ready_i;
  assign sends_plain  = fire && (state_q == Body || state_q == Crc) && (!special || escaped_q);
  assign ready_o      = sends_plain && state_q == Body;
  assign idle_o       = state_q == Begin;

  always_comb begin
    byte_o = link_pkg::Flag;
    if (state_q == Body || state_q == Crc)
      byte_o = !special ? plain : escaped_q ? plain ^ link_pkg::EscapeXor : link_pkg::Escape;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= Begin;
      escaped_q  <= 1'b0;
      crc_q      <= link_pkg::CrcBegin;
      crc_left_q <= '0;
    end else if (fire) begin
      escaped_q <= (state_q == Body || state_q == Crc) && special && !escaped_q;
      case (state_q)
        Begin: begin
          crc_q   <= link_pkg::CrcBegin;
          state_q <= Body;
        end
        Body:
        if (sends_plain) begin
          crc_q      <= link_pkg::crc_step(crc_q, data_i);
          crc_left_q <= 2'd3;
          if (last_i) state_q <= Crc;
        end
        Crc:
        if (sends_plain) begin
          crc_q      <= crc_q >> 8;
          crc_left_q <= crc_left_q - 2'd1;
          if (crc_left_q == '0) state_q <= End;
        end
        End: state_q <= Begin;
        default: state_q <= Begin;
      endcase
    end
  end

endmodule
