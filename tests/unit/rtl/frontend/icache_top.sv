// SPDX-License-Identifier: Apache-2.0
// The instruction cache with packed ports for up to four sub-partitions.
module icache_top (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic [31:0]      sizes_o,        // {bytes, 8 bits of sub-partitions} of the preset
  output logic [7:0]       pieces_o,       // of a sector
  input  logic [63:0]      code_base_i,
  input  logic [31:0]      code_size_i,
  input  logic             invalidate_i,
  output logic             busy_o,
  input  logic [3:0]       req_valid_i,
  output logic [3:0]       req_ready_o,
  input  logic [3:0][7:0]  req_warp_i,
  input  logic [3:0][31:0] req_sector_i,
  output logic [3:0]       rsp_valid_o,
  output logic [7:0]       rsp_warp_o,
  output logic [1:0]       rsp_error_o,
  output logic [7:0]       rsp_piece_o,
  output logic [255:0]     rsp_data_o,     // a piece, in the lowest bits
  output logic             mem_req_valid_o,
  input  logic             mem_req_ready_i,
  output logic [63:0]      mem_req_sector_o,
  output logic [7:0]       mem_req_place_o,
  input  logic             mem_rsp_valid_i,
  input  logic             mem_rsp_error_i,
  input  logic [7:0]       mem_rsp_place_i,
  input  logic [7:0]       mem_rsp_piece_i,
  input  logic [255:0]     mem_rsp_data_i
);

  localparam int unsigned Parts = config_pkg::SubPartitions;

  assign sizes_o = {24'(config_pkg::IcacheBytes), 8'(Parts)};
  assign pieces_o = 8'(mem_pkg::Pieces);

  core_pkg::warp_t        req_warp [Parts];
  logic [31:5]            req_sector [Parts];
  logic [Parts-1:0]       req_ready, rsp_valid;
  core_pkg::warp_t        rsp_warp;
  core_pkg::fetch_error_e rsp_error;
  mem_pkg::piece_t        rsp_piece;
  logic [mem_pkg::PieceBits-1:0] rsp_data;
  logic [1:0]             mem_place;
  logic [gpu_pkg::AddrW-1:5] mem_sector;
  for (genvar p = 0; p < int'(Parts); p++) begin : g_part
    assign req_warp[p] = core_pkg::warp_t'(req_warp_i[p]);
    assign req_sector[p] = req_sector_i[p][26:0];
  end
  assign req_ready_o = 4'(req_ready);
  assign rsp_valid_o = 4'(rsp_valid);
  assign rsp_warp_o = 8'(rsp_warp);
  assign rsp_error_o = rsp_error;
  assign rsp_piece_o = 8'(rsp_piece);
  assign rsp_data_o = 256'(rsp_data);
  assign mem_req_sector_o = 64'(mem_sector);
  assign mem_req_place_o = 8'(mem_place);

  icache u_icache (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .code_base_i      (code_base_i[gpu_pkg::AddrW-1:0]),
    .code_size_i      (code_size_i),
    .invalidate_i     (invalidate_i),
    .busy_o           (busy_o),
    .req_valid_i      (req_valid_i[Parts-1:0]),
    .req_ready_o      (req_ready),
    .req_warp_i       (req_warp),
    .req_sector_i     (req_sector),
    .rsp_valid_o      (rsp_valid),
    .rsp_warp_o       (rsp_warp),
    .rsp_error_o      (rsp_error),
    .rsp_piece_o      (rsp_piece),
    .rsp_data_o       (rsp_data),
    .mem_req_valid_o  (mem_req_valid_o),
    .mem_req_ready_i  (mem_req_ready_i),
    .mem_req_sector_o (mem_sector),
    .mem_req_place_o  (mem_place),
    .mem_rsp_valid_i  (mem_rsp_valid_i),
    .mem_rsp_error_i  (mem_rsp_error_i),
    .mem_rsp_place_i  (mem_rsp_place_i[1:0]),
    .mem_rsp_piece_i  (mem_pkg::piece_t'(mem_rsp_piece_i)),
    .mem_rsp_data_i   (mem_rsp_data_i[mem_pkg::PieceBits-1:0])
  );

endmodule
