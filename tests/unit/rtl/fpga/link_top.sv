// SPDX-License-Identifier: Apache-2.0
// link with a fixed identity.
module link_top (
    input  logic       clk_i,
    input  logic       rst_ni,
    output logic       connected_o,
    output logic       restart_o,
    input  logic       rx_valid_i,
    input  logic [7:0] rx_data_i,
    input  logic       rx_error_i,
    output logic       tx_valid_o,
    input  logic       tx_ready_i,
    output logic [7:0] tx_data_o,
    output logic       message_valid_o,
    output logic [5:0] message_length_o,
    input  logic [5:0] message_index_i,
    output logic [7:0] message_data_o,
    input  logic       message_done_i,
    output logic [4:0] free_o,
    input  logic       write_i,
    input  logic [5:0] write_index_i,
    input  logic [7:0] write_data_i,
    input  logic       commit_i,
    input  logic [5:0] commit_length_i
);

  link_pkg::identity_t identity;
  assign identity.preset_hash  = 32'h01020304;
  assign identity.bitstream_id = 32'h11121314;
  assign identity.memory_bytes = 32'h21222324;
  assign identity.clock_khz    = 32'h31323334;

  link #(
      .ResendCycles (40_000)
  ) u_link (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .identity_i       (identity),
      .connected_o      (connected_o),
      .restart_o        (restart_o),
      .good_o           (),
      .bad_o            (),
      .resent_o         (),
      .rx_valid_i       (rx_valid_i),
      .rx_data_i        (rx_data_i),
      .rx_error_i       (rx_error_i),
      .tx_valid_o       (tx_valid_o),
      .tx_ready_i       (tx_ready_i),
      .tx_data_o        (tx_data_o),
      .message_valid_o  (message_valid_o),
      .message_length_o (message_length_o),
      .message_index_i  (message_index_i),
      .message_data_o   (message_data_o),
      .message_done_i   (message_done_i),
      .free_o           (free_o),
      .write_i          (write_i),
      .write_index_i    (write_index_i),
      .write_data_i     (write_data_i),
      .commit_i         (commit_i),
      .commit_length_i  (commit_length_i)
  );

endmodule
