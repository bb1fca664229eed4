// SPDX-License-Identifier: Apache-2.0
// l2_control with the fields of requests and operations as ports, and with the slots' memory.
module l2_control_top (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,
  input  logic [63:0]                 mem_end_i,
  input  logic                        flush_i,
  output logic                        flush_walked_o,
  input  logic                        req_valid_i,
  output logic                        req_ready_o,
  output logic                        req_slot_free_o,
  output logic [7:0]                  req_slot_o,
  input  logic [7:0]                  req_client_i,
  input  logic [1:0]                  req_kind_i,
  input  logic [15:0]                 req_tag_i,      // kept in the request's slot
  input  logic [63:0]                 req_sector_i,   // address / 32
  input  logic [31:0]                 req_mask_i,
  input  logic                        req_room_i,
  output logic                        ask_valid_o,
  output logic [7:0]                  ask_id_o,
  output logic [63:0]                 ask_line_o,
  input  logic                        fill_valid_i,
  output logic                        fill_ready_o,
  input  logic [7:0]                  fill_id_i,
  input  logic                        fill_error_i,
  output logic [7:0]                  fill_client_o,
  input  logic                        fill_room_i,
  input  logic                        evict_room_i,
  output logic [63:0]                 evict_check_o,
  input  logic                        evict_hit_i,
  output logic                        op_valid_o,
  input  logic                        op_ready_i,
  output logic                        op_evict_o,
  output logic                        op_error_o,
  output logic                        op_fill_o,
  output logic [7:0]                  op_client_o,
  output logic [15:0]                 op_tag_o,
  output logic [15:0]                 op_place_o,
  output logic [3:0]                  op_dirty_o,
  output logic [63:0]                 op_line_o,
  output logic [7:0]                  op_fill_id_o,
  output logic                        op_first_o,
  output logic [1:0]                  op_sector_o,
  output logic [7:0]                  op_slot_o,
  output logic [7:0]                  apart_o,        // cycles between operations
  output logic [7:0]                  banks_o,
  // Sizes of the preset.
  output logic [15:0]                 sets_o,
  output logic [7:0]                  slices_o,
  output logic [7:0]                  ways_o
);

  assign sets_o = 16'(l2_pkg::Sets);
  assign slices_o = 8'(l2_pkg::Slices);
  assign ways_o = 8'(l2_pkg::Ways);

  l2_pkg::look_t               req, look;
  l2_pkg::fill_t               fill;
  l2_pkg::op_t                 op;
  logic [l2_pkg::FillW-1:0]    ask_id;
  l2_pkg::line_t               ask_line, evict_check;
  logic [l2_pkg::ClientW-1:0]  fill_client;
  logic [l2_pkg::SlotW-1:0]    slot;
  logic                        look_valid;
  logic [23:0]                 slot_q [l2_pkg::Slots];   // client, tag
  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) slot_q[slot] <= {req_client_i, req_tag_i};
  end
  assign {op_client_o, op_tag_o} = slot_q[op.slot];

  always_comb begin
    req = '0;
    req.client = l2_pkg::ClientW'(req_client_i);
    req.kind = mem_pkg::req_kind_e'(req_kind_i);
    req.sector = req_sector_i[gpu_pkg::AddrW-6:0];
    req.full = req.kind == mem_pkg::ReqWrite && (&req_mask_i);
    fill.id = fill_id_i[l2_pkg::FillW-1:0];
    fill.error = fill_error_i;
  end
  assign fill_client_o = 8'(fill_client);
  assign ask_id_o = 8'(ask_id);
  assign ask_line_o = 64'(l2_pkg::address(ask_line, 0) >> 7);
  assign evict_check_o = 64'(l2_pkg::address(evict_check, 0) >> 7);
  assign op_evict_o = op.evict;
  assign op_error_o = op.error;
  assign op_fill_o = op.fill;
  assign op_place_o = 16'(op.place);
  assign op_dirty_o = op.dirty;
  assign op_line_o = 64'(l2_pkg::address(op.line, 0) >> 7);
  assign op_fill_id_o = 8'(op.fill_id);
  assign op_first_o = op.first;
  assign op_sector_o = op.sector;
  assign req_slot_o = 8'(slot);
  assign op_slot_o = 8'(op.slot);
  assign apart_o = 8'(l2_pkg::Apart);
  assign banks_o = 8'(l2_pkg::Banks);

  l2_control u_l2_control (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (busy_o),
    .mem_end_i      (mem_end_i[gpu_pkg::AddrW-1:0]),
    .flush_i        (flush_i),
    .flush_walked_o (flush_walked_o),
    .req_valid_i    (req_valid_i),
    .req_ready_o    (req_ready_o),
    .req_i          (req),
    .req_slot_free_o(req_slot_free_o),
    .req_slot_o     (slot),
    .look_valid_o   (look_valid),
    .look_o         (look),
    .look_room_i    (req_room_i),
    .ask_valid_o    (ask_valid_o),
    .ask_id_o       (ask_id),
    .ask_line_o     (ask_line),
    .fill_valid_i   (fill_valid_i),
    .fill_ready_o   (fill_ready_o),
    .fill_i         (fill),
    .fill_client_o  (fill_client),
    .fill_room_i    (fill_room_i),
    .evict_room_i   (evict_room_i),
    .evict_check_o  (evict_check),
    .evict_hit_i    (evict_hit_i),
    .op_valid_o     (op_valid_o),
    .op_ready_i     (op_ready_i),
    .op_o           (op)
  );

endmodule
