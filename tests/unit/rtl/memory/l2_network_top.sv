// SPDX-License-Identifier: Apache-2.0
// l2_network with packed arrays as ports. What a slice gives for each client is told at once; the network sees that of the client taken.
module l2_network_top #(
  parameter int unsigned Clients = 3,
  parameter int unsigned Slices  = 4,
  localparam int unsigned Links  = mem_pkg::Links
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  output logic                                    busy_o,
  input  logic          [Clients-1:0]             req_valid_i,
  output logic          [Clients-1:0]             req_ready_o,
  input  mem_pkg::req_t [Clients-1:0]             req_i,
  output logic          [Clients-1:0][Links-1:0]  rsp_valid_o,
  input  logic          [Clients-1:0][Links-1:0]  rsp_ready_i,
  output mem_pkg::rsp_t [Clients-1:0][Links-1:0]  rsp_o,
  output logic [Slices-1:0][Clients-1:0]          slice_req_valid_o,
  input  logic [Slices-1:0][Clients-1:0]          slice_req_ready_i,
  input  logic [Slices-1:0][Clients-1:0]          slice_waits_i,
  output logic [Slices-1:0][Clients-1:0]          slice_take_o,
  input  mem_pkg::rsp_t [Slices-1:0][Clients-1:0] slice_rsp_i
);

  logic [Clients-1:0] req_valid [Slices];
  logic [Clients-1:0] req_ready [Slices];
  logic [Clients-1:0] waits [Slices];
  logic [Clients-1:0] take [Slices];
  mem_pkg::rsp_t      rsp [Slices];
  for (genvar s = 0; s < int'(Slices); s++) begin : g_slice
    assign slice_req_valid_o[s] = req_valid[s];
    assign req_ready[s] = slice_req_ready_i[s];
    assign waits[s] = slice_waits_i[s];
    assign slice_take_o[s] = take[s];
    always_comb begin
      rsp[s] = '0;
      for (int unsigned c = 0; c < Clients; c++) if (take[s][c]) rsp[s] |= slice_rsp_i[s][c];
    end
  end

  l2_network #(.Clients(Clients), .Slices(Slices), .Links(Links)) u_network (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .busy_o            (busy_o),
    .req_valid_i       (req_valid_i),
    .req_ready_o       (req_ready_o),
    .req_i             (req_i),
    .rsp_valid_o       (rsp_valid_o),
    .rsp_ready_i       (rsp_ready_i),
    .rsp_o             (rsp_o),
    .slice_req_valid_o (req_valid),
    .slice_req_ready_i (req_ready),
    .slice_waits_i     (waits),
    .slice_take_o      (take),
    .slice_rsp_i       (rsp)
  );

endmodule
