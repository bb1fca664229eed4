// SPDX-License-Identifier: Apache-2.0
// hazards with a port for each of its reasons.
module hazards_top (
  output logic [31:0]            warps_o,  // a sub-partition
  input  core_pkg::warps_t       decoded_i,
  input  core_pkg::warps_t       constant_i,
  input  logic [core_pkg::Units-1:0][31:0] to_i,
  input  core_pkg::warps_t       drains_i,
  input  core_pkg::warps_t       ordered_i,
  input  core_pkg::units_t       room_i,
  input  core_pkg::warps_t       clear_i,
  input  core_pkg::warps_t       entry_i,
  input  core_pkg::warps_t       blocked_i,
  input  core_pkg::warps_t       idle_i,
  input  core_pkg::warps_t       unsent_i,
  input  core_pkg::warps_t       store_pending_i,
  output core_pkg::warps_t       ready_o,
  output core_pkg::warps_t       fetch_o,
  output core_pkg::warps_t       constant_o,
  output core_pkg::warps_t       depends_o,
  output core_pkg::warps_t       full_o,
  output core_pkg::warps_t       blocked_o,
  output core_pkg::warps_t       drain_o,
  output core_pkg::warps_t       unsent_o,
  output core_pkg::warps_t       stores_o,
  output core_pkg::warps_t       unit_o
);
  core_pkg::warps_by_unit_t to;
  assign warps_o = core_pkg::Warps;
  always_comb for (int unsigned u = 0; u < core_pkg::Units; u++) to[u] = core_pkg::warps_t'(to_i[u]);

  hazards u_hazards (
    .decoded_i       (decoded_i),
    .constant_i      (constant_i),
    .to_i            (to),
    .drains_i        (drains_i),
    .ordered_i       (ordered_i),
    .room_i          (room_i),
    .clear_i         (clear_i),
    .entry_i         (entry_i),
    .blocked_i       (blocked_i),
    .idle_i          (idle_i),
    .unsent_i        (unsent_i),
    .store_pending_i (store_pending_i),
    .ready_o         (ready_o),
    .fetch_o         (fetch_o),
    .constant_o      (constant_o),
    .depends_o       (depends_o),
    .full_o          (full_o),
    .blocked_o       (blocked_o),
    .drain_o         (drain_o),
    .unsent_o        (unsent_o),
    .stores_o        (stores_o),
    .unit_o          (unit_o)
  );
endmodule
