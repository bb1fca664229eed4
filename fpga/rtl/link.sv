// SPDX-License-Identifier: Apache-2.0
// The board's end of the serial link: messages to and from the host arrive whole, once and in order, whatever the
// line does to the bytes. The host's end: host-runtime/device/board/link.cc. Protocol: docs/board.md.
//
//   line --- frame_rx --- this module: sessions, order --- message buffer ---> bridge
//   line <-- link_tx: ring of messages, sent again until acknowledged <------- bridge
//
// A session begins with a Connect of a nonce that is not the current one: both directions count from 0
// and restart_o resets the machine behind the bridge, so that nothing of an earlier session is left. The same
// Connect again is only answered again. A frame of another session is answered with Unknown: so a
// host notices that the board was reset, or that another host has taken it.
// A message is received into one half of a buffer while the bridge reads the other; one that finds both in use is
// dropped like a damaged one and comes again.
module link #(
    parameter int unsigned  ResendCycles = 2_000_000,
    localparam int unsigned SlotW        = $clog2(link_pkg::Window),
    localparam int unsigned LengthW      = 6
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  link_pkg::identity_t identity_i,
    output logic                connected_o,
    output logic                restart_o,        // one cycle: a session begins or ends
    output logic                good_o,           // one cycle each, for lights and tests
    output logic                bad_o,
    output logic                resent_o,
    // Bytes of the line.
    input  logic                rx_valid_i,
    input  logic [7:0]          rx_data_i,
    input  logic                rx_error_i,
    output logic                tx_valid_o,
    input  logic                tx_ready_i,
    output logic [7:0]          tx_data_o,
    // A message from the host: stays until done; a byte comes in the cycle after its index.
    output logic                message_valid_o,
    output logic [LengthW-1:0]  message_length_o,
    input  logic [LengthW-1:0]  message_index_i,
    output logic [7:0]          message_data_o,
    input  logic                message_done_i,
    // Messages to the host.
    output logic [SlotW:0]      free_o,
    input  logic                write_i,
    input  logic [LengthW-1:0]  write_index_i,
    input  logic [7:0]          write_data_i,
    input  logic                commit_i,
    input  logic [LengthW-1:0]  commit_length_i
);

  localparam logic [LengthW-1:0] Header = LengthW'(link_pkg::HeaderBytes);

  // ---- frames ----------------------------------------------------------------------------------------
  logic               frame_write, good, bad;
  logic [LengthW-1:0] frame_index, frame_length;
  logic [7:0]         frame_data;
  link_pkg::header_t  header_q;
  logic [31:0]        heard_nonce_q;

  frame_rx u_frame (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .byte_valid_i (rx_valid_i),
      .byte_i       (rx_data_i),
      .byte_error_i (rx_error_i),
      .write_o      (frame_write),
      .index_o      (frame_index),
      .data_o       (frame_data),
      .good_o       (good),
      .length_o     (frame_length),
      .bad_o        (bad)
  );

  always_ff @(posedge clk_i) begin
    if (frame_write) begin
      case (frame_index)
        LengthW'(0): header_q.kind            <= frame_data;
        LengthW'(1): header_q.session[7:0]    <= frame_data;
        LengthW'(2): header_q.session[15:8]   <= frame_data;
        LengthW'(3): header_q.sequence_number <= frame_data;
        LengthW'(4): header_q.acknowledge     <= frame_data;
        LengthW'(5): heard_nonce_q[7:0]       <= frame_data;
        LengthW'(6): heard_nonce_q[15:8]      <= frame_data;
        LengthW'(7): heard_nonce_q[23:16]     <= frame_data;
        LengthW'(8): heard_nonce_q[31:24]     <= frame_data;
        default: ;
      endcase
    end
  end

  // ---- sessions and order ------------------------------------------------------------------------------
  logic        connected_q, nak_said_q, message_q, half_q;
  logic [15:0] session_q;
  logic [31:0] nonce_q;
  logic [7:0]  awaited_q, ahead;
  logic        connect, is_new, mine, data, take, room, bye;
  logic        say_ack, say_nak, say_unknown, heard;

  assign connect = good && header_q.kind == link_pkg::KindConnect && frame_length == Header + LengthW'(4);
  assign is_new  = connect && !(connected_q && heard_nonce_q == nonce_q && header_q.session == session_q);
  assign mine    = good && connected_q && header_q.session == session_q && header_q.kind != link_pkg::KindConnect;
  assign data    = mine && header_q.kind == link_pkg::KindData && frame_length > Header;
  assign bye     = mine && header_q.kind == link_pkg::KindBye;
  assign heard   = mine && !bye;
  assign ahead   = header_q.sequence_number - awaited_q;
  assign room    = !message_q || message_done_i;
  assign take    = data && ahead == '0 && room;

  // A gap or damage is told once; until the awaited frame comes, the host's own clock does the rest.
  assign say_nak = !nak_said_q && ((data && ahead != '0 && !ahead[7]) || (bad && connected_q));
  assign say_ack = take || (data && ahead[7]) || (mine && header_q.kind == link_pkg::KindPing);
  assign say_unknown = good && !mine && header_q.kind != link_pkg::KindConnect && header_q.kind != link_pkg::KindBye;

  assign connected_o     = connected_q;
  assign message_valid_o = message_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      connected_q <= 1'b0;
      session_q   <= '0;
      nonce_q     <= '0;
      awaited_q   <= '0;
      nak_said_q  <= 1'b0;
      message_q   <= 1'b0;
      half_q      <= 1'b0;
      restart_o   <= 1'b0;
      good_o      <= 1'b0;
      bad_o       <= 1'b0;
    end else begin
      restart_o <= is_new || bye;
      good_o    <= good;
      bad_o     <= bad;
      if (message_done_i) message_q <= 1'b0;
      if (take) begin
        message_q  <= 1'b1;
        half_q     <= !half_q;
        awaited_q  <= awaited_q + 8'd1;
        nak_said_q <= 1'b0;
      end
      if (say_nak) nak_said_q <= 1'b1;
      if (mine && header_q.kind == link_pkg::KindPing) nak_said_q <= 1'b0;
      if (is_new) begin
        connected_q <= 1'b1;
        session_q   <= header_q.session;
        nonce_q     <= heard_nonce_q;
      end
      if (bye) connected_q <= 1'b0;
      if (is_new || bye) begin
        awaited_q  <= '0;
        nak_said_q <= 1'b0;
        message_q  <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) message_length_o <= frame_length - Header;
  end

  // half_q: where the next frame goes; the bridge reads the other.
  ram_1r1w #(
      .Width (8),
      .Depth (2 << LengthW)
  ) u_buffer (
      .clk_i     (clk_i),
      .wr_en_i   (frame_write),
      .wr_addr_i ({half_q, frame_index}),
      .wr_data_i (frame_data),
      .rd_en_i   (message_q),
      .rd_addr_i ({!half_q, message_index_i + Header}),
      .rd_data_o (message_data_o)
  );

  link_tx #(
      .ResendCycles (ResendCycles)
  ) u_tx (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .connected_i       (connected_q),
      .clear_i           (restart_o),
      .session_i         (session_q),
      .nonce_i           (nonce_q),
      .identity_i        (identity_i),
      .acknowledge_i     (awaited_q),
      .heard_i           (heard),
      .heard_ack_i       (header_q.acknowledge),
      .heard_nak_i       (header_q.kind == link_pkg::KindNak),
      .say_ack_i         (say_ack),
      .say_nak_i         (say_nak),
      .say_hello_i       (connect),
      .say_unknown_i     (say_unknown),
      .unknown_session_i (header_q.session),
      .free_o            (free_o),
      .write_i           (write_i),
      .write_index_i     (write_index_i),
      .write_data_i      (write_data_i),
      .commit_i          (commit_i),
      .commit_length_i   (commit_length_i),
      .resent_o          (resent_o),
      .byte_valid_o      (tx_valid_o),
      .byte_ready_i      (tx_ready_i),
      .byte_o            (tx_data_o)
  );

endmodule
