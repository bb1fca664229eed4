// SPDX-License-Identifier: Apache-2.0
// The constant cache with packed ports for up to four sub-partitions.
module constant_cache_top (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic [31:0]      sizes_o,        // {bytes, 8 bits of sub-partitions} of the preset
  output logic [7:0]       pieces_o,       // of a sector
  input  logic [63:0]      param_base_i,
  input  logic [16:0]      param_bytes_i,
  input  logic [63:0]      const_base_i,
  input  logic             invalidate_i,
  output logic             busy_o,
  input  logic [3:0]       req_valid_i,
  output logic [3:0]       req_ready_o,
  input  logic [3:0][7:0]  req_bank_i,
  input  logic [3:0][15:0] req_offset_i,
  output logic [3:0]       rsp_valid_o,
  output logic             rsp_error_o,
  output logic [31:0]      rsp_data_o,
  output logic             mem_req_valid_o,
  input  logic             mem_req_ready_i,
  output logic [63:0]      mem_req_sector_o,
  input  logic             mem_rsp_valid_i,
  input  logic             mem_rsp_error_i,
  input  logic [7:0]       mem_rsp_piece_i,
  input  logic [255:0]     mem_rsp_data_i
);

  localparam int unsigned Parts = config_pkg::SubPartitions;

  assign sizes_o = {24'(config_pkg::ConstantCacheBytes), 8'(Parts)};
  assign pieces_o = 8'(mem_pkg::Pieces);

  gpu_pkg::kernel_t kernel;
  logic [1:0]       req_bank [Parts];
  logic [15:0]      req_offset [Parts];
  logic [Parts-1:0] req_ready, rsp_valid;
  logic [gpu_pkg::AddrW-1:5] mem_sector;
  always_comb begin
    kernel = '0;
    kernel.param_base = param_base_i[gpu_pkg::AddrW-1:0];
    kernel.param_bytes = param_bytes_i;
    kernel.const_base = const_base_i[gpu_pkg::AddrW-1:0];
    for (int unsigned p = 0; p < Parts; p++) begin
      req_bank[p] = req_bank_i[p][1:0];
      req_offset[p] = req_offset_i[p];
    end
  end
  assign req_ready_o = 4'(req_ready);
  assign rsp_valid_o = 4'(rsp_valid);
  assign mem_req_sector_o = 64'(mem_sector);

  constant_cache u_constant_cache (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .kernel_i         (kernel),
    .invalidate_i     (invalidate_i),
    .busy_o           (busy_o),
    .req_valid_i      (req_valid_i[Parts-1:0]),
    .req_ready_o      (req_ready),
    .req_bank_i       (req_bank),
    .req_offset_i     (req_offset),
    .rsp_valid_o      (rsp_valid),
    .rsp_error_o      (rsp_error_o),
    .rsp_data_o       (rsp_data_o),
    .mem_req_valid_o  (mem_req_valid_o),
    .mem_req_ready_i  (mem_req_ready_i),
    .mem_req_sector_o (mem_sector),
    .mem_rsp_valid_i  (mem_rsp_valid_i),
    .mem_rsp_error_i  (mem_rsp_error_i),
    .mem_rsp_piece_i  (mem_pkg::piece_t'(mem_rsp_piece_i)),
    .mem_rsp_data_i   (mem_rsp_data_i[mem_pkg::PieceBits-1:0])
  );

endmodule
