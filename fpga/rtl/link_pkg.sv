// SPDX-License-Identifier: Apache-2.0
// What travels between host and board over the serial line. The same numbers in C++:
// host-runtime/device/board/protocol.h (a test compares the two). The protocol: docs/board.md.
//
//   Flag, then with escapes: kind, session (2, low first), sequence, acknowledge, payload, CRC-32 (4, low first), Flag
package link_pkg;

  localparam logic [7:0] Flag      = 8'h7e;  // begins and ends a frame, occurs nowhere else
  localparam logic [7:0] Escape    = 8'h7d;  // the next byte was sent as byte ^ EscapeXor
  localparam logic [7:0] EscapeXor = 8'h20;

  localparam int unsigned HeaderBytes  = 5;
  localparam int unsigned CrcBytes     = 4;
  localparam int unsigned PayloadBytes = 45;  // at most: a DmaWrite
  localparam int unsigned FrameBytes   = HeaderBytes + PayloadBytes + CrcBytes;
  localparam int unsigned LinkVersion  = 1;
  localparam int unsigned Window       = 16;  // data frames sent and not yet acknowledged, each way

  // Kinds of frames. Only Data is numbered, kept and sent again; the others are said once each time.
  localparam logic [7:0] KindData    = 8'd1;
  localparam logic [7:0] KindAck     = 8'd2;
  localparam logic [7:0] KindNak     = 8'd3;  // an acknowledgement after a damaged or missing frame: go back
  localparam logic [7:0] KindConnect = 8'd4;  // host: begin a session; payload: its nonce
  localparam logic [7:0] KindHello   = 8'd5;  // board: the session is open; payload: identification
  localparam logic [7:0] KindUnknown = 8'd6;  // board: no such session here
  localparam logic [7:0] KindPing    = 8'd7;  // host: asks for an Ack
  localparam logic [7:0] KindBye     = 8'd8;  // host: the session is over

  // First byte of a data frame's payload, host to board; what follows, low bytes first.
  localparam logic [7:0] OpRegRead  = 8'h10;  // offset (2)
  localparam logic [7:0] OpRegWrite = 8'h11;  // offset (2), value (4); no answer
  localparam logic [7:0] OpDmaData  = 8'h12;  // 0 or error (1), data (32): answers the oldest DmaRead
  localparam logic [7:0] OpDmaDone  = 8'h13;  // 0 or error (1): answers the oldest DmaWrite
  // Board to host.
  localparam logic [7:0] OpRegData  = 8'h20;  // value (4)
  localparam logic [7:0] OpDmaRead  = 8'h21;  // host address (8), a multiple of 32
  localparam logic [7:0] OpDmaWrite = 8'h22;  // host address (8), byte enables (4), data (32)
  localparam logic [7:0] OpIrq      = 8'h23;  // level of the interrupt line (1)

  localparam int unsigned DmaReadBytes  = 9;
  localparam int unsigned DmaWriteBytes = 45;
  localparam int unsigned HelloBytes    = 24;

  typedef struct packed {
    logic [7:0]  kind;
    logic [15:0] session;
    logic [7:0]  sequence_number;
    logic [7:0]  acknowledge;
  } header_t;

  // What a board says of itself in Hello, after version (1), window (1), zeros (2), nonce (4): low bytes first.
  typedef struct packed {
    logic [31:0] clock_khz;
    logic [31:0] memory_bytes;
    logic [31:0] bitstream_id;
    logic [31:0] preset_hash;
  } identity_t;

  // CRC-32 of IEEE 802.3, reflected, a byte a step. Begins with ones; sent complemented; the register after
  // a whole frame with its CRC is CrcGood.
  localparam logic [31:0] CrcBegin = 32'hffff_ffff;
  localparam logic [31:0] CrcGood  = 32'hdebb_20e3;

  function automatic logic [31:0] crc_step(input logic [31:0] crc, input logic [7:0] data);
    logic [31:0] c;
    c = crc ^ {24'd0, data};
    for (int unsigned i = 0; i < 8; i++) c = c[0] ? (c >> 1) ^ 32'hedb8_8320 : c >> 1;
    return c;
  endfunction

endpackage
