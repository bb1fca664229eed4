// SPDX-License-Identifier: Apache-2.0
// Joins what an SM asks of L2 to one link: the load/store unit, the instruction cache and the constant
// cache. Ids below 128 are the load/store unit's, 128.. the instruction cache's, 192.. the constant
// cache's. The caches are served first: they ask seldom, and a whole warp waits for them.
// The instruction cache's answers come in the order asked, up to four may be in flight; the constant cache has one.
module mem_hub (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,

  input  logic                        lsu_req_valid_i,
  output logic                        lsu_req_ready_o,
  input  mem_pkg::req_t               lsu_req_i,
  output logic                        lsu_rsp_valid_o,
  input  logic                        lsu_rsp_ready_i,
  output mem_pkg::rsp_t               lsu_rsp_o,

  input  logic                        icache_req_valid_i,
  output logic                        icache_req_ready_o,
  input  logic [gpu_pkg::AddrW-1:5]   icache_req_sector_i,
  output logic                        icache_rsp_valid_o,   // always taken
  output logic                        icache_rsp_error_o,
  output logic [mem_pkg::SectorW-1:0] icache_rsp_data_o,

  input  logic                        const_req_valid_i,
  output logic                        const_req_ready_o,
  input  logic [gpu_pkg::AddrW-1:5]   const_req_sector_i,
  output logic                        const_rsp_valid_o,    // always taken
  output logic                        const_rsp_error_o,
  output logic [mem_pkg::SectorW-1:0] const_rsp_data_o,

  output logic                        mem_req_valid_o,
  input  logic                        mem_req_ready_i,
  output mem_pkg::req_t               mem_req_o,
  input  logic                        mem_rsp_valid_i,
  output logic                        mem_rsp_ready_o,
  input  mem_pkg::rsp_t               mem_rsp_i
);

  localparam logic [mem_pkg::IdW-1:0] IcacheBase = 8'h80;
  localparam logic [mem_pkg::IdW-1:0] ConstBase = 8'hc0;

  logic                      i_valid, c_valid, i_ready, c_ready, to_reader, i_busy, c_busy;
  logic [gpu_pkg::AddrW-1:5] i_sector, c_sector;
  logic [mem_pkg::IdW-1:0]   i_id, c_id;

  assign to_reader = mem_rsp_i.id[7];
  assign lsu_rsp_valid_o = mem_rsp_valid_i && !to_reader;
  assign lsu_rsp_o = mem_rsp_i;
  assign mem_rsp_ready_o = to_reader || lsu_rsp_ready_i;
  assign busy_o = i_busy || c_busy;

  hub_reader #(.Base(IcacheBase)) u_icache (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .busy_o           (i_busy),
    .req_valid_i      (icache_req_valid_i),
    .req_ready_o      (icache_req_ready_o),
    .req_sector_i     (icache_req_sector_i),
    .rsp_valid_o      (icache_rsp_valid_o),
    .rsp_error_o      (icache_rsp_error_o),
    .rsp_data_o       (icache_rsp_data_o),
    .mem_req_valid_o  (i_valid),
    .mem_req_ready_i  (i_ready),
    .mem_req_sector_o (i_sector),
    .mem_req_id_o     (i_id),
    .mem_rsp_valid_i  (mem_rsp_valid_i && to_reader && !mem_rsp_i.id[6]),
    .mem_rsp_i        (mem_rsp_i)
  );

  hub_reader #(.Depth(1), .Base(ConstBase)) u_const (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .busy_o           (c_busy),
    .req_valid_i      (const_req_valid_i),
    .req_ready_o      (const_req_ready_o),
    .req_sector_i     (const_req_sector_i),
    .rsp_valid_o      (const_rsp_valid_o),
    .rsp_error_o      (const_rsp_error_o),
    .rsp_data_o       (const_rsp_data_o),
    .mem_req_valid_o  (c_valid),
    .mem_req_ready_i  (c_ready),
    .mem_req_sector_o (c_sector),
    .mem_req_id_o     (c_id),
    .mem_rsp_valid_i  (mem_rsp_valid_i && to_reader && mem_rsp_i.id[6]),
    .mem_rsp_i        (mem_rsp_i)
  );

  assign i_ready = mem_req_ready_i;
  assign c_ready = mem_req_ready_i && !i_valid;
  assign lsu_req_ready_o = mem_req_ready_i && !i_valid && !c_valid;
  assign mem_req_valid_o = i_valid || c_valid || lsu_req_valid_i;
  always_comb begin
    mem_req_o = lsu_req_i;
    if (i_valid || c_valid) begin
      mem_req_o.kind = mem_pkg::ReqRead;
      mem_req_o.id = i_valid ? i_id : c_id;
      mem_req_o.sector = i_valid ? i_sector : c_sector;
    end
  end

endmodule
