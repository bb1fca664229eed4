// SPDX-License-Identifier: Apache-2.0
// Answers for a client of mem_hub where they are whole sectors: put in the order asked, two registers away from the link.
// Each of the client's reads has a place, in turn; it asks again for a place only after that place's answer.
//
//   asks with places 0, 1; L2 answers place 1, then 0: the client gets 0, then 1
module hub_reader #(
  parameter int unsigned   Depth = 4,   // places, a power of two; 1 keeps no order
  localparam int unsigned  PlaceW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // L2's answer to this client, always taken.
  input  logic                        mem_valid_i,
  input  logic [PlaceW-1:0]           mem_place_i,
  input  logic                        mem_error_i,
  input  logic [mem_pkg::SectorW-1:0] mem_data_i,
  // The client; it takes every response.
  output logic                        rsp_valid_o,
  output logic [PlaceW-1:0]           rsp_place_o,
  output logic                        rsp_error_o,
  output logic [mem_pkg::SectorW-1:0] rsp_data_o
);

  logic [PlaceW-1:0]           head_q, place;
  logic [Depth-1:0]            here_q;
  logic [mem_pkg::SectorW-1:0] data_q [Depth];
  logic [Depth-1:0]            error_q;

  logic pop;
  assign place = (Depth > 1) ? mem_place_i : '0;
  assign pop = here_q[head_q];

  always_ff @(posedge clk_i) begin
    rsp_valid_o <= pop;
    if (pop) begin
      rsp_place_o <= head_q;
      rsp_data_o <= data_q[head_q];
      rsp_error_o <= error_q[head_q];
      here_q[head_q] <= 1'b0;
      head_q <= (Depth > 1) ? head_q + 1'b1 : '0;
    end
    if (mem_valid_i) begin
      data_q[place] <= mem_data_i;
      error_q[place] <= mem_error_i;
      here_q[place] <= 1'b1;
    end
    if (!rst_ni) begin
      rsp_valid_o <= 1'b0;
      here_q <= '0;
      head_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_place: assert (!(mem_valid_i && here_q[place])) else $error("hub_reader: two answers for a place");
    end
  end

endmodule
