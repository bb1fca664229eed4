// SPDX-License-Identifier: Apache-2.0
// One decoded instruction a warp: read when the scheduler picks it, emptied when it issues, and filled again in that very
// cycle where rows move whole, so that one warp issues cycle by cycle; in slices a cycle later. Constant operands are fetched here, before
// issue, so that they reach the operand collectors as immediates: where rows move whole, those asked for lately are found as
// the instruction is decoded.
module decode_slots (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [7:0]                registers_i,    // of the kernel, a thread
  input  logic                      empty_i,        // forget constants; nothing is under way
  // From fetch.
  input  logic                      fetch_valid_i,
  input  core_pkg::warp_t           fetch_warp_i,
  input  logic [31:0]               fetch_pc_i,
  input  logic [63:0]               fetch_word_i,
  input  core_pkg::fetch_error_e    fetch_error_i,
  output core_pkg::warps_t          free_o,         // to fetch
  // To the scoreboard: what was decoded in this cycle.
  output core_pkg::decoded_t        decoded_o,
  // To the scheduler.
  output core_pkg::warps_t          valid_o,        // decoded
  output core_pkg::warps_t          constant_o,     // its constant is not there
  output core_pkg::warps_by_unit_t  to_o,
  output core_pkg::warps_t          drain_o,
  output core_pkg::warps_t          ordered_o,
  // Pick: reads the slot.
  input  logic                      pick_valid_i,
  input  core_pkg::warp_t           pick_warp_i,
  output core_pkg::decoded_t        pick_o,
  // Issue: empties it.
  input  logic                      issue_valid_i,
  input  core_pkg::warp_t           issue_warp_i,
  // Constant cache: one request at a time.
  output logic                      konst_valid_o,
  input  logic                      konst_ready_i,
  output logic [1:0]                konst_bank_o,
  output logic [15:0]               konst_offset_o,
  input  logic                      konst_rsp_valid_i,
  input  logic                      konst_rsp_error_i,
  input  logic [31:0]               konst_rsp_data_i,
  output logic                      busy_o
);

  core_pkg::decoded_t slot_q [core_pkg::Warps];
  logic [31:0]        konst_q [core_pkg::Warps];
  core_pkg::warps_t   valid_q, drain_q, ordered_q;
  core_pkg::warps_by_unit_t   to_q;
  core_pkg::warps_t   ask_q;        // constant not yet asked for
  core_pkg::warps_t   wait_q;       // constant not yet there
  core_pkg::warps_t   bad_q;        // constant outside its bank
  logic               asked_q;      // the cache works for asked_warp_q
  core_pkg::warp_t    asked_warp_q;

  core_pkg::warps_t issuing;
  always_comb begin
    issuing = '0;
    if (sm_pkg::RowSlices == 1 && issue_valid_i) issuing[issue_warp_i] = 1'b1;
  end
  assign free_o = ~valid_q | issuing;
  assign valid_o = valid_q;
  assign constant_o = wait_q;
  assign drain_o = drain_q;
  assign ordered_o = ordered_q;
  assign busy_o = asked_q;
  for (genvar u = 0; u < core_pkg::Units; u++) begin : g_to
    assign to_o[u] = core_pkg::There[u] ? to_q[u] : '0;
  end

  // Where rows move whole, what rests costs nothing to simulate; a small multiprocessor saves the gates.
  localparam bit Gated = sm_pkg::RowSlices == 1;
  always_comb begin
    decoded_o = '0;
    if (!Gated || fetch_valid_i) begin
      decoded_o = decode_pkg::decode(fetch_word_i, fetch_pc_i, registers_i);
      if (fetch_error_i != core_pkg::FetchOk) begin
        decoded_o = '0;
        decoded_o.pc = fetch_pc_i;
        decoded_o.guard = 4'd7;
        decoded_o.rd = 8'd255;
        decoded_o.pd = 3'd7;
        decoded_o.pq = 3'd7;
        decoded_o.fault = fetch_error_i == core_pkg::FetchPc ? 4'(device_pkg::FaultIllegalPc)
                                                             : 4'(device_pkg::FaultBus);
      end
      if (decoded_o.fault != 4'd0) begin  // goes to no unit and waits for nothing
        decoded_o.to = isa_pkg::UnitCtl;
        decoded_o.konst = 1'b0;
        decoded_o.drain = 1'b0;
      end
    end
  end

  always_comb begin
    pick_o = '0;
    if (!Gated || pick_valid_i) begin
      pick_o = slot_q[pick_warp_i];
      if (pick_o.konst && bad_q[pick_warp_i]) pick_o.fault = 4'(device_pkg::FaultIllegalAddress);  // imm: the offset
      else if (pick_o.konst) pick_o.imm = konst_q[pick_warp_i];
    end
  end

  logic        found;  // the constant of what is decoded
  logic [31:0] found_data;
  if (Gated) begin : g_words
    constant_words u_words (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .empty_i      (empty_i),
      .look_i       (fetch_valid_i && decoded_o.konst),
      .look_bank_i  (decoded_o.bank),
      .look_word_i  (decoded_o.imm[15:2]),
      .found_o      (found),
      .data_o       (found_data),
      .write_i      (konst_rsp_valid_i && !konst_rsp_error_i),
      .write_bank_i (slot_q[asked_warp_q].bank),
      .write_word_i (slot_q[asked_warp_q].imm[15:2]),
      .write_data_i (konst_rsp_data_i)
    );
  end else begin : g_no_words
    assign found = 1'b0;
    assign found_data = '0;
    logic unused;
    assign unused = empty_i;
  end

  core_pkg::warp_t ask_warp;
  assign ask_warp = core_pkg::next_warp(ask_q, asked_warp_q);  // in turn: a lower one would keep the upper ones waiting
  assign konst_valid_o = ask_q != '0 && !asked_q;
  always_comb begin
    konst_bank_o = '0;
    konst_offset_o = '0;
    if (!Gated || konst_valid_o) begin
      konst_bank_o = slot_q[ask_warp].bank;
      konst_offset_o = slot_q[ask_warp].imm[15:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      drain_q <= '0;
      ordered_q <= '0;
      ask_q <= '0;
      wait_q <= '0;
      bad_q <= '0;
      asked_q <= 1'b0;
      asked_warp_q <= '0;
    end else begin
      if (issue_valid_i) valid_q[issue_warp_i] <= 1'b0;
      if (fetch_valid_i) begin
        valid_q[fetch_warp_i] <= 1'b1;
        slot_q[fetch_warp_i] <= decoded_o;
        drain_q[fetch_warp_i] <= decoded_o.drain;
        ordered_q[fetch_warp_i] <= decoded_o.ordered;
        ask_q[fetch_warp_i] <= decoded_o.konst && !found;
        wait_q[fetch_warp_i] <= decoded_o.konst && !found;
        if (found) begin
          konst_q[fetch_warp_i] <= found_data;
          bad_q[fetch_warp_i] <= 1'b0;
        end
      end
      if (konst_valid_o && konst_ready_i) begin
        ask_q[ask_warp] <= 1'b0;
        asked_q <= 1'b1;
        asked_warp_q <= ask_warp;
      end
      if (konst_rsp_valid_i) begin
        asked_q <= 1'b0;
        konst_q[asked_warp_q] <= konst_rsp_data_i;
        bad_q[asked_warp_q] <= konst_rsp_error_i;
        wait_q[asked_warp_q] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch_valid_i) begin
      for (int unsigned u = 0; u < core_pkg::Units; u++) if (core_pkg::There[u]) to_q[u][fetch_warp_i] <= decoded_o.to == isa_pkg::unit_e'(u);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Fetch only fills a slot that is empty or becomes so, the scheduler only takes from a full one.
      a_fill: assert (!fetch_valid_i || free_o[fetch_warp_i]) else $error("decode_slots: slot filled twice");
      a_take: assert (!issue_valid_i || valid_q[issue_warp_i]) else $error("decode_slots: issue of nothing");
    end
  end

endmodule
