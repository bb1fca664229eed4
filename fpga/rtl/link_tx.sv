// SPDX-License-Identifier: Apache-2.0
// The sending half of the link: keeps messages until the host has acknowledged them, sends them in order, and goes
// back to the oldest unacknowledged one when the host asks (Nak) or says nothing for ResendCycles.
//
//   ring of Window slots:   base ....... next ....... stop        (sequence numbers, 8 bits, slot = low 4)
//                           sent, kept   not yet sent  first free
//
// Between messages it says what the receiving half wants said (Ack, Nak, Hello, Unknown); every frame
// carries the acknowledgement, so an Ack goes out alone only when there is nothing else to say.
// A slot may be freed and filled again while its old message is being sent a second time: the host has
// that number already and drops the frame, whatever it holds.
module link_tx #(
    parameter int unsigned  ResendCycles = 2_000_000,
    localparam int unsigned Window       = link_pkg::Window,
    localparam int unsigned SlotW        = $clog2(Window),
    localparam int unsigned LengthW      = 6,
    localparam int unsigned HelloBits    = 8 * link_pkg::HelloBytes
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // Session.
    input  logic                  connected_i,
    input  logic                  clear_i,         // a session begins: forget all messages
    input  logic [15:0]           session_i,
    input  logic [31:0]           nonce_i,
    input  link_pkg::identity_t   identity_i,
    input  logic [7:0]            acknowledge_i,   // sequence number awaited from the host
    // What the host said.
    input  logic                  heard_i,         // one cycle: base up to heard_ack_i has arrived
    input  logic [7:0]            heard_ack_i,
    input  logic                  heard_nak_i,     // with heard_i: go back
    // What to say, one cycle each.
    input  logic                  say_ack_i,
    input  logic                  say_nak_i,
    input  logic                  say_hello_i,
    input  logic                  say_unknown_i,
    input  logic [15:0]           unknown_session_i,
    // Messages: written byte by byte into the free slot, then committed.
    output logic [SlotW:0]        free_o,
    input  logic                  write_i,
    input  logic [LengthW-1:0]    write_index_i,
    input  logic [7:0]            write_data_i,
    input  logic                  commit_i,
    input  logic [LengthW-1:0]    commit_length_i,
    output logic                  resent_o,        // one cycle: went back
    // Line.
    output logic                  byte_valid_o,
    input  logic                  byte_ready_i,
    output logic [7:0]            byte_o
);

  localparam int unsigned TimerW = $clog2(ResendCycles + 1);
  localparam logic [LengthW-1:0] Header = LengthW'(link_pkg::HeaderBytes);

  // ---- the ring ------------------------------------------------------------------------------------
  logic [7:0]         base_q, next_q, stop_q;
  logic [LengthW-1:0] length_q [Window];
  logic [7:0]         ring_data;
  logic [TimerW-1:0]  timer_q;
  logic               start, start_data, heard, timeout;
  logic [7:0]         heard_count, sent_count;

  assign free_o      = (SlotW + 1)'(Window) - (SlotW + 1)'(stop_q - base_q);
  assign heard_count = heard_ack_i - base_q;
  assign sent_count  = next_q - base_q;
  // An acknowledgement of what was never sent is none.
  assign heard       = heard_i && heard_count <= stop_q - base_q;
  assign timeout     = timer_q == TimerW'(ResendCycles);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      base_q   <= '0;
      next_q   <= '0;
      stop_q   <= '0;
      timer_q  <= '0;
      resent_o <= 1'b0;
    end else begin
      resent_o <= 1'b0;
      timer_q  <= base_q == next_q ? '0 : timer_q + TimerW'(1);
      if (commit_i) stop_q <= stop_q + 8'd1;
      if (start_data) begin
        next_q  <= next_q + 8'd1;
        timer_q <= '0;
      end
      if (heard) begin
        base_q <= heard_ack_i;
        if (heard_count != '0) timer_q <= '0;
        if (heard_nak_i || heard_count > sent_count) next_q <= heard_ack_i;
        resent_o <= heard_nak_i && heard_count < sent_count;
      end else if (timeout) begin
        next_q   <= base_q;
        timer_q  <= '0;
        resent_o <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (commit_i) length_q[stop_q[SlotW-1:0]] <= commit_length_i;
  end

  // ---- what to say next ------------------------------------------------------------------------------
  logic               ack_due_q, nak_due_q, hello_due_q, unknown_due_q, idle, sending_q;
  logic [15:0]        unknown_session_q;
  link_pkg::header_t  header_q;
  logic [LengthW-1:0] index_q, last_q;
  logic [SlotW-1:0]   slot_q;
  logic               says_hello_q;
  logic               fetched_q, settled_q;  // ring_data, byte_q are those of index_q
  logic               frame_idle, frame_ready, frame_last, advance;
  logic [7:0]         byte_now, byte_q;

  assign idle       = !sending_q && frame_idle;
  assign start_data = idle && !hello_due_q && !unknown_due_q && !nak_due_q && connected_i && next_q != stop_q &&
                      !heard_i && !timeout && !clear_i;
  assign start      = idle && !clear_i && !heard_i && !timeout &&
                      (hello_due_q || unknown_due_q || (connected_i && (nak_due_q || ack_due_q)) || start_data);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ack_due_q     <= 1'b0;
      nak_due_q     <= 1'b0;
      hello_due_q   <= 1'b0;
      unknown_due_q <= 1'b0;
      sending_q     <= 1'b0;
      fetched_q     <= 1'b0;
      settled_q     <= 1'b0;
      index_q       <= '0;
    end else begin
      fetched_q <= 1'b1;
      settled_q <= fetched_q;
      if (advance) begin
        index_q   <= index_q + LengthW'(1);
        fetched_q <= 1'b0;
        settled_q <= 1'b0;
        if (frame_last) sending_q <= 1'b0;
      end
      if (start) begin
        sending_q <= 1'b1;
        fetched_q <= 1'b0;
        settled_q <= 1'b0;
        index_q   <= '0;
        if (hello_due_q) hello_due_q <= 1'b0;
        else if (unknown_due_q) unknown_due_q <= 1'b0;
        else begin
          ack_due_q <= 1'b0;
          if (!start_data) nak_due_q <= 1'b0;
        end
      end
      if (say_ack_i) ack_due_q <= 1'b1;
      if (say_nak_i) nak_due_q <= 1'b1;
      if (say_hello_i) hello_due_q <= 1'b1;
      if (say_unknown_i) unknown_due_q <= 1'b1;
      if (clear_i) begin
        ack_due_q     <= 1'b0;
        nak_due_q     <= 1'b0;
        unknown_due_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (say_unknown_i) unknown_session_q <= unknown_session_i;
    if (start) begin
      header_q.session         <= session_i;
      header_q.sequence_number <= next_q;
      header_q.acknowledge     <= acknowledge_i;
      slot_q                   <= next_q[SlotW-1:0];
      last_q                   <= Header - LengthW'(1);
      says_hello_q             <= 1'b0;
      if (hello_due_q) begin
        header_q.kind <= link_pkg::KindHello;
        says_hello_q  <= 1'b1;
        last_q        <= Header + LengthW'(link_pkg::HelloBytes - 1);
      end else if (unknown_due_q) begin
        header_q.kind    <= link_pkg::KindUnknown;
        header_q.session <= unknown_session_q;
      end else if (start_data) begin
        header_q.kind <= link_pkg::KindData;
        last_q        <= Header + length_q[next_q[SlotW-1:0]] - LengthW'(1);
      end else begin
        header_q.kind <= nak_due_q ? link_pkg::KindNak : link_pkg::KindAck;
      end
    end
  end

  // ---- its bytes ---------------------------------------------------------------------------------------
  logic [LengthW-1:0]   payload_index;
  logic [HelloBits-1:0] hello;
  assign payload_index = index_q - Header;
  assign hello = {identity_i, nonce_i, 16'd0, 8'(Window), 8'(link_pkg::LinkVersion)};
  assign frame_last = index_q == last_q;
  assign advance    = frame_ready;

  always_comb begin
    case (index_q)
      LengthW'(0): byte_now = header_q.kind;
      LengthW'(1): byte_now = header_q.session[7:0];
      LengthW'(2): byte_now = header_q.session[15:8];
      LengthW'(3): byte_now = header_q.sequence_number;
      LengthW'(4): byte_now = header_q.acknowledge;
      default:     byte_now = says_hello_q ? hello[8*payload_index[4:0]+:8] : ring_data;
    endcase
  end

  always_ff @(posedge clk_i) byte_q <= byte_now;

  ram_1r1w #(
      .Width (8),
      .Depth (Window << LengthW)
  ) u_ring (
      .clk_i     (clk_i),
      .wr_en_i   (write_i),
      .wr_addr_i ({stop_q[SlotW-1:0], write_index_i}),
      .wr_data_i (write_data_i),
      .rd_en_i   (sending_q && !fetched_q),
      .rd_addr_i ({slot_q, payload_index}),
      .rd_data_o (ring_data)
  );

  frame_tx u_frame (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .valid_i      (sending_q && settled_q),
      .ready_o      (frame_ready),
      .data_i       (byte_q),
      .last_i       (frame_last),
      .idle_o       (frame_idle),
      .byte_valid_o (byte_valid_o),
      .byte_ready_i (byte_ready_i),
      .byte_o       (byte_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The message would overwrite one that is still kept.
      a_room: assert (!commit_i || free_o != '0) else $error("link_tx: no free slot");
      a_order: assert (8'(stop_q - base_q) <= 8'(Window) && sent_count <= 8'(Window)) else $error("link_tx: order");
    end
  end

endmodule
