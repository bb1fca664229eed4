// SPDX-License-Identifier: Apache-2.0
// l2_mshrs with ports of the same width in every preset.
module l2_mshrs_top (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         busy_o,
  output logic         full_o,
  output logic [7:0]   free_o,
  input  logic [7:0]   mshr_i,
  input  logic [1:0]   sector_i,
  input  logic         look_i,
  output logic [3:0]   pending_o,
  output logic [3:0]   valid_o,
  output logic [3:0]   dirty_o,
  input  logic         ask_i,
  input  logic         wait_i,
  input  logic         write_i,
  input  logic         ask_opens_i,
  input  logic [15:0]  ask_place_i,
  input  logic [3:0]   ask_valid_i,
  input  logic [3:0]   ask_dirty_i,
  input  logic [7:0]   wait_slot_i,
  input  logic         wait_writes_i,
  input  logic [7:0]   wait_client_i,
  input  logic         write_full_i,
  input  logic         fill_valid_i,
  input  logic [7:0]   fill_id_i,
  input  logic         fill_error_i,
  output logic [15:0]  fill_place_o,
  output logic         fill_dirty_o,
  input  logic         drain_i,
  output logic [7:0]   drain_slot_o,
  output logic [7:0]   drain_client_o,
  output logic         drain_first_o,
  output logic         drain_last_o,
  output logic         close_valid_o,
  output logic [7:0]   close_mshr_o,
  output logic [15:0]  close_place_o,
  output logic [3:0]   close_known_o,
  output logic [3:0]   close_dirty_o,
  input  logic         close_i,
  // Sizes of the preset.
  output logic [7:0]   mshrs_o,
  output logic [7:0]   slots_o,
  output logic [7:0]   clients_o,
  output logic [31:0]  places_o
);

  logic [l2_pkg::MshrW-1:0]    free, close_mshr;
  logic [l2_pkg::SlotW-1:0]    slot;
  logic [l2_pkg::ClientW-1:0]  client;
  logic [l2_pkg::PlaceW-1:0]   fill_place, close_place;
  l2_pkg::fill_t               fill;
  assign free_o = 8'(free);
  assign close_mshr_o = 8'(close_mshr);
  assign drain_slot_o = 8'(slot);
  assign drain_client_o = 8'(client);
  assign fill_place_o = 16'(fill_place);
  assign close_place_o = 16'(close_place);
  assign fill = '{id: fill_id_i[l2_pkg::FillW-1:0], error: fill_error_i};
  assign mshrs_o = 8'(l2_pkg::Mshrs);
  assign slots_o = 8'(l2_pkg::Slots);
  assign clients_o = 8'(config_pkg::Sms + 2);
  assign places_o = 32'(l2_pkg::Lines);

  l2_mshrs u_l2_mshrs (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (busy_o),
    .full_o         (full_o),
    .free_o         (free),
    .mshr_i         (mshr_i[l2_pkg::MshrW-1:0]),
    .sector_i       (sector_i),
    .look_i         (look_i),
    .pending_o      (pending_o),
    .valid_o        (valid_o),
    .dirty_o        (dirty_o),
    .ask_i          (ask_i),
    .wait_i         (wait_i),
    .write_i        (write_i),
    .ask_opens_i    (ask_opens_i),
    .ask_place_i    (ask_place_i[l2_pkg::PlaceW-1:0]),
    .ask_valid_i    (ask_valid_i),
    .ask_dirty_i    (ask_dirty_i),
    .wait_slot_i    (wait_slot_i[l2_pkg::SlotW-1:0]),
    .wait_writes_i  (wait_writes_i),
    .wait_client_i  (wait_client_i[l2_pkg::ClientW-1:0]),
    .write_full_i   (write_full_i),
    .fill_valid_i   (fill_valid_i),
    .fill_i         (fill),
    .fill_place_o   (fill_place),
    .fill_dirty_o   (fill_dirty_o),
    .drain_i        (drain_i),
    .drain_slot_o   (slot),
    .drain_client_o (client),
    .drain_first_o  (drain_first_o),
    .drain_last_o   (drain_last_o),
    .close_valid_o  (close_valid_o),
    .close_mshr_o   (close_mshr),
    .close_place_o  (close_place),
    .close_known_o  (close_known_o),
    .close_dirty_o  (close_dirty_o),
    .close_i        (close_i)
  );

endmodule
