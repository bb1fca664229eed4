// SPDX-License-Identifier: Apache-2.0
// The load/store port with a number for each request: the request is filled with copies of it but for its slice and what it does, and must
// come out so.
module lsu_port_top #(
  parameter int unsigned TurnLag = 0,
  parameter int unsigned RowLag = 0,
  localparam int unsigned Parts = config_pkg::SubPartitions
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic [7:0]       parts_o,
  output logic [7:0]       slices_o,      // of an instruction
  input  logic [3:0]       req_valid_i,
  output logic [3:0]       req_ready_o,
  input  logic [3:0][31:0] req_i,
  input  logic [3:0][7:0]  slice_i,
  input  logic [3:0][7:0]  op_i,
  input  logic [3:0][31:0] mod_i,
  output logic             lsu_valid_o,
  input  logic             lsu_ready_i,
  output logic [31:0]      lsu_req_o,
  output logic             whole_o,       // all of the request is from one
  output logic [7:0]       lsu_slice_o,
  input  logic             rsp_valid_i,
  output logic             rsp_ready_o,
  input  logic [7:0]       rsp_warp_i,
  output logic [3:0]       rsp_valid_o,
  input  logic [3:0]       rsp_ready_i,
  input  logic [3:0][1:0]  further_i
);

  localparam int unsigned Width = $bits(sm_pkg::lsu_req_t);
  localparam int unsigned Copies = (Width + 31) / 32;

  assign parts_o = 8'(Parts);
  assign slices_o = 8'(sm_pkg::RowSlices);

  core_pkg::lsu_reqs_t req;
  sm_pkg::lsu_req_t   lsu_req;
  logic [Width-1:0]   bits;
  logic [Parts-1:0]   req_ready, rsp_valid;
  for (genvar p = 0; p < int'(Parts); p++) begin : g_part
    always_comb begin
      req[p] = Width'({Copies{req_i[p]}});
      req[p].tag.slice = sm_pkg::slice_t'(slice_i[p]);
      req[p].op = op_i[p];
      req[p].mod = 18'(mod_i[p]);
    end
  end
  assign bits = lsu_req;
  sm_pkg::lsu_req_t copies;
  always_comb begin
    copies = Width'({Copies{bits[31:0]}});
    copies.tag.slice = lsu_req.tag.slice;
    copies.op = lsu_req.op;
    copies.mod = lsu_req.mod;
  end
  assign lsu_slice_o = 8'(lsu_req.tag.slice);
  assign lsu_req_o = bits[31:0];
  assign whole_o = lsu_req == copies;
  assign req_ready_o = 4'(req_ready);
  assign rsp_valid_o = 4'(rsp_valid);

  lsu_port #(.TurnLag(TurnLag), .RowLag(RowLag)) u_lsu_port (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i[Parts-1:0]),
    .req_ready_o (req_ready),
    .req_i       (req),
    .lsu_valid_o (lsu_valid_o),
    .lsu_ready_i (lsu_ready_i),
    .lsu_req_o   (lsu_req),
    .rsp_valid_i (rsp_valid_i),
    .rsp_ready_o (rsp_ready_o),
    .rsp_warp_i  (config_pkg::WarpW'(rsp_warp_i)),
    .rsp_valid_o (rsp_valid),
    .rsp_ready_i (rsp_ready_i[Parts-1:0]),
    .further_i   (further_i[Parts-1:0])
  );

endmodule
