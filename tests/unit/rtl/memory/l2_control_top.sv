// SPDX-License-Identifier: Apache-2.0
// l2_control with the fields of requests and operations as ports.
module l2_control_top (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,
  input  logic [63:0]                 mem_end_i,
  input  logic                        flush_i,
  output logic                        flush_walked_o,
  input  logic                        req_valid_i,
  output logic                        req_ready_o,
  input  logic [7:0]                  req_client_i,
  input  logic [1:0]                  req_kind_i,
  input  logic [15:0]                 req_tag_i,      // carried in req.seq
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
  input  logic [31:0]                 fill_data_i,    // repeated
  output logic [7:0]                  fill_client_o,
  input  logic                        fill_room_i,
  input  logic                        evict_room_i,
  output logic [63:0]                 evict_check_o,
  input  logic                        evict_hit_i,
  output logic                        op_valid_o,
  output logic                        op_evict_o,
  output logic                        op_error_o,
  output logic                        op_fill_o,
  output logic [7:0]                  op_client_o,
  output logic [15:0]                 op_tag_o,
  output logic [15:0]                 op_place_o,
  output logic [3:0]                  op_dirty_o,
  output logic [63:0]                 op_line_o,
  output logic [31:0]                 op_fill_data_o,
  // Sizes of the preset.
  output logic [15:0]                 sets_o,
  output logic [7:0]                  ways_o
);

  assign sets_o = 16'(l2_pkg::Sets);
  assign ways_o = 8'(l2_pkg::Ways);

  l2_pkg::request_t            req;
  l2_pkg::fill_t               fill;
  l2_pkg::op_t                 op;
  logic [l2_pkg::FillW-1:0]    ask_id;
  l2_pkg::line_t               ask_line, evict_check;
  logic [mem_pkg::SectorW-1:0] fill_data;

  always_comb begin
    req = '0;
    req.client = req_client_i;
    req.req.kind = mem_pkg::req_kind_e'(req_kind_i);
    req.req.sector = req_sector_i[gpu_pkg::AddrW-6:0];
    req.req.mask = req_mask_i;
    req.req.seq = req_tag_i;
    fill.id = fill_id_i[l2_pkg::FillW-1:0];
    fill.error = fill_error_i;
    fill.data = {8{fill_data_i}};
  end
  assign ask_id_o = 8'(ask_id);
  assign ask_line_o = 64'(ask_line);
  assign evict_check_o = 64'(evict_check);
  assign op_evict_o = op.evict;
  assign op_error_o = op.error;
  assign op_fill_o = op.fill;
  assign op_client_o = op.request.client;
  assign op_tag_o = op.request.req.seq;
  assign op_place_o = 16'(op.place);
  assign op_dirty_o = op.dirty;
  assign op_line_o = 64'(op.line);
  assign op_fill_data_o = fill_data[31:0];

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
    .req_room_i     (req_room_i),
    .ask_valid_o    (ask_valid_o),
    .ask_id_o       (ask_id),
    .ask_line_o     (ask_line),
    .fill_valid_i   (fill_valid_i),
    .fill_ready_o   (fill_ready_o),
    .fill_i         (fill),
    .fill_client_o  (fill_client_o),
    .fill_room_i    (fill_room_i),
    .evict_room_i   (evict_room_i),
    .evict_check_o  (evict_check),
    .evict_hit_i    (evict_hit_i),
    .op_valid_o     (op_valid_o),
    .op_o           (op),
    .op_fill_data_o (fill_data)
  );

endmodule
