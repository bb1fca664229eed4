// SPDX-License-Identifier: Apache-2.0
// Front end of a sub-partition: from the warps' program counters to one decoded instruction a warp.
//
//   icache_l0, if the preset has it, between fetch and the SM's instruction cache
//   fetch -> decode_slots            rows move whole
//   fetch -> register -> decode_slots   in slices: a word is decoded in the cycle after the one in which fetch chooses it
module front_end (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic [31:0]                          code_size_i,      // bytes
  input  logic [7:0]                           registers_i,      // of the kernel
  input  logic                                 empty_i,          // forget code and constants; nothing is under way
  input  logic                                 start_valid_i,
  input  core_pkg::warp_t                      start_warp_i,
  input  logic [31:0]                          start_pc_i,
  input  logic                                 jump_valid_i,     // a warp goes on elsewhere
  input  core_pkg::warp_t                      jump_warp_i,
  input  logic [31:0]                          jump_pc_i,
  // Instruction cache.
  output logic                                 fetch_valid_o,
  input  logic                                 fetch_ready_i,
  output core_pkg::warp_t                      fetch_warp_o,
  output logic [31:5]                          fetch_sector_o,
  input  logic                                 fetched_valid_i,
  input  core_pkg::warp_t                      fetched_warp_i,
  input  core_pkg::fetch_error_e               fetched_error_i,
  input  mem_pkg::piece_t                      fetched_piece_i,
  input  logic [mem_pkg::PieceBits-1:0]        fetched_data_i,
  // Constant cache.
  output logic                                 konst_valid_o,
  input  logic                                 konst_ready_i,
  output logic [1:0]                           konst_bank_o,
  output logic [15:0]                          konst_offset_o,
  input  logic                                 konst_rsp_valid_i,
  input  logic                                 konst_rsp_error_i,
  input  logic [31:0]                          konst_rsp_data_i,
  // A decoded instruction comes in, to be compared with results under way.
  output logic                                 decode_valid_o,
  output core_pkg::warp_t                      decode_warp_o,
  output core_pkg::decoded_t                   decoded_o,
  // Warps with an instruction: all it needs is here; where it goes; what it waits for.
  output core_pkg::warps_t                     valid_o,          // decoded
  output core_pkg::warps_t                     constant_o,       // its constant is not there
  output core_pkg::warps_by_unit_t             to_o,
  output core_pkg::warps_t                     drain_o,
  output core_pkg::warps_t                     ordered_o,
  input  logic                                 pick_valid_i,
  input  core_pkg::warp_t                      pick_warp_i,
  output core_pkg::decoded_t                   pick_o,           // that warp's
  input  logic                                 issue_valid_i,    // has gone: the slot is free
  input  core_pkg::warp_t                      issue_warp_i,
  output logic                                 busy_o
);

  logic             word_valid, decode_valid, fetch_busy, konst_busy;
  core_pkg::word_t  word, decode;
  core_pkg::warps_t wants_word, slot_free;
  // Between fetch and the cache that it asks.
  logic                          ask_valid, ask_ready, come_valid;
  core_pkg::warp_t               ask_warp, come_warp;
  logic [31:5]                   ask_sector;
  core_pkg::fetch_error_e        come_error;
  logic [mem_pkg::PieceBits-1:0] come_data;
  assign busy_o = fetch_busy || konst_busy;

  fetch u_fetch (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .code_size_i    (code_size_i),
    .start_valid_i  (start_valid_i),
    .start_warp_i   (start_warp_i),
    .start_pc_i     (start_pc_i),
    .jump_valid_i   (jump_valid_i),
    .jump_warp_i    (jump_warp_i),
    .jump_pc_i      (jump_pc_i),
    .req_valid_o    (ask_valid),
    .req_ready_i    (ask_ready),
    .req_warp_o     (ask_warp),
    .req_sector_o   (ask_sector),
    .rsp_valid_i    (come_valid),
    .rsp_warp_i     (come_warp),
    .rsp_error_i    (come_error),
    .rsp_piece_i    (fetched_piece_i),
    .rsp_data_i     (come_data),
    .free_i         (wants_word),
    .decode_valid_o (word_valid),
    .decode_warp_o  (word.warp),
    .decode_pc_o    (word.pc),
    .decode_word_o  (word.word),
    .decode_error_o (word.error),
    .busy_o         (fetch_busy)
  );

  if (config_pkg::IcacheL0Bytes > 0) begin : g_l0
    icache_l0 u_icache_l0 (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .empty_i       (empty_i),
      .req_valid_i   (ask_valid),
      .req_ready_o   (ask_ready),
      .req_warp_i    (ask_warp),
      .req_sector_i  (ask_sector),
      .rsp_valid_o   (come_valid),
      .rsp_warp_o    (come_warp),
      .rsp_error_o   (come_error),
      .rsp_data_o    (come_data),
      .miss_valid_o  (fetch_valid_o),
      .miss_ready_i  (fetch_ready_i),
      .miss_warp_o   (fetch_warp_o),
      .miss_sector_o (fetch_sector_o),
      .came_valid_i  (fetched_valid_i),
      .came_warp_i   (fetched_warp_i),
      .came_error_i  (fetched_error_i),
      .came_data_i   (fetched_data_i)
    );
  end else begin : g_no_l0
    assign {fetch_valid_o, fetch_warp_o, fetch_sector_o, ask_ready} = {ask_valid, ask_warp, ask_sector, fetch_ready_i};
    assign {come_valid, come_warp, come_data} = {fetched_valid_i, fetched_warp_i, fetched_data_i};
    assign come_error = fetched_error_i;
  end

  // In slices a word is decoded in the cycle after the one in which fetch chooses it.
  if (sm_pkg::RowSlices == 1) begin : g_decode_now
    assign decode_valid = word_valid;
    assign decode = word;
    assign wants_word = slot_free;
  end else begin : g_decode_next
    logic            valid_q;
    core_pkg::word_t word_q;

    always_ff @(posedge clk_i) begin
      valid_q <= word_valid && rst_ni;
      if (word_valid) word_q <= word;
    end
    assign decode_valid = valid_q;
    assign decode = word_q;
    assign wants_word = slot_free & ~(core_pkg::warps_t'(valid_q) << word_q.warp);
  end
  assign decode_valid_o = decode_valid;
  assign decode_warp_o = decode.warp;

  decode_slots u_decode_slots (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .registers_i       (registers_i),
    .empty_i           (empty_i),
    .fetch_valid_i     (decode_valid),
    .fetch_warp_i      (decode.warp),
    .fetch_pc_i        (decode.pc),
    .fetch_word_i      (decode.word),
    .fetch_error_i     (decode.error),
    .free_o            (slot_free),
    .decoded_o         (decoded_o),
    .valid_o           (valid_o),
    .constant_o        (constant_o),
    .to_o              (to_o),
    .drain_o           (drain_o),
    .ordered_o         (ordered_o),
    .pick_valid_i      (pick_valid_i),
    .pick_warp_i       (pick_warp_i),
    .pick_o            (pick_o),
    .issue_valid_i     (issue_valid_i),
    .issue_warp_i      (issue_warp_i),
    .konst_valid_o     (konst_valid_o),
    .konst_ready_i     (konst_ready_i),
    .konst_bank_o      (konst_bank_o),
    .konst_offset_o    (konst_offset_o),
    .konst_rsp_valid_i (konst_rsp_valid_i),
    .konst_rsp_error_i (konst_rsp_error_i),
    .konst_rsp_data_i  (konst_rsp_data_i),
    .busy_o            (konst_busy)
  );

endmodule
