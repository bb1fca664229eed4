// SPDX-License-Identifier: Apache-2.0
// A client of mem_hub that only reads and wants its sectors in the order asked: up to Depth reads in
// flight, answers put in order. Ids are Base + place.
//
//   asks A, B; L2 answers B (place 1), then A (place 0): the client gets A, then B
module hub_reader #(
  parameter int unsigned              Depth = 4,   // power of two; 1 keeps no order and needs no memory
  parameter logic [mem_pkg::IdW-1:0]  Base  = '0
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,
  // The client; it takes every response.
  input  logic                        req_valid_i,
  output logic                        req_ready_o,
  input  logic [gpu_pkg::AddrW-1:5]   req_sector_i,
  output logic                        rsp_valid_o,
  output logic                        rsp_error_o,
  output logic [mem_pkg::SectorW-1:0] rsp_data_o,
  // The hub.
  output logic                        mem_req_valid_o,
  input  logic                        mem_req_ready_i,
  output logic [gpu_pkg::AddrW-1:5]   mem_req_sector_o,
  output logic [mem_pkg::IdW-1:0]     mem_req_id_o,
  input  logic                        mem_rsp_valid_i,  // for this client
  input  mem_pkg::rsp_t               mem_rsp_i
);

  localparam int unsigned PlaceW = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CountW = $clog2(Depth + 1);

  logic [PlaceW-1:0]           next_q, head_q;
  logic [CountW-1:0]           count_q;
  logic [Depth-1:0]            here_q;
  logic [mem_pkg::SectorW-1:0] data_q [Depth];
  logic [Depth-1:0]            error_q;

  logic fire, pop, full;
  logic [PlaceW-1:0] place;   // of the answer
  assign full = count_q == CountW'(Depth);
  assign place = (Depth > 1) ? mem_rsp_i.id[PlaceW-1:0] : '0;
  assign mem_req_valid_o = req_valid_i && !full;
  assign req_ready_o = mem_req_ready_i && !full;
  assign mem_req_sector_o = req_sector_i;
  assign mem_req_id_o = Base | mem_pkg::IdW'(next_q);
  assign fire = mem_req_valid_o && mem_req_ready_i;
  assign pop = here_q[head_q];
  assign busy_o = count_q != '0;

  always_ff @(posedge clk_i) begin
    rsp_valid_o <= pop;
    if (pop) begin
      rsp_data_o <= data_q[head_q];
      rsp_error_o <= error_q[head_q];
      here_q[head_q] <= 1'b0;
      head_q <= (Depth > 1) ? head_q + 1'b1 : '0;
    end
    if (mem_rsp_valid_i) begin
      data_q[place] <= mem_rsp_i.data;
      error_q[place] <= mem_rsp_i.error;
      here_q[place] <= 1'b1;
    end
    if (fire) next_q <= (Depth > 1) ? next_q + 1'b1 : '0;
    if (fire != pop) count_q <= fire ? count_q + 1'b1 : count_q - 1'b1;
    if (!rst_ni) begin
      rsp_valid_o <= 1'b0;
      here_q <= '0;
      head_q <= '0;
      next_q <= '0;
      count_q <= '0;
    end
  end

endmodule
