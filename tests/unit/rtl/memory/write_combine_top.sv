// SPDX-License-Identifier: Apache-2.0
// write_combine with the fields that matter to it as ports.
module write_combine_top #(
  parameter int unsigned Lines = 4,
  parameter bit          MaskTurn = 1'b0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [1:0]        kind_i,
  input  logic [31:0]       line_i,
  input  logic [3:0]        sectors_i,
  input  logic [5:0]        warp_i,
  input  logic [15:0]       seq_i,
  input  logic              joins_i,
  input  logic [31:0][3:0]  mask_i,
  input  logic [31:0][31:0] data_i,
  input  logic [63:0]       wanted_i,
  output logic [2:0]        joined_o,
  output logic [5:0]        joined_warp_o,
  output logic              out_valid_o,
  input  logic              out_done_i,
  input  logic [1:0]        out_sector_i,
  output logic [1:0]        kind_o,
  output logic [31:0]       line_o,
  output logic [3:0]        sectors_o,
  output logic [5:0]        warp_o,
  output logic [15:0]       seq_o,
  output logic [31:0]       mask_o,
  output logic [255:0]      data_o,
  output logic [7:0]        lines_o,
  output logic              mask_turn_o
);

  lsu_pkg::line_req_t  in, out;
  logic [gpu_pkg::SeqW-1:0] seq;
  lsu_pkg::line_data_t in_data;
  always_comb begin
    in = '0;
    in.kind = mem_pkg::req_kind_e'(kind_i);
    in.id = mem_pkg::IdW'(warp_i);
    in.line = ($bits(lsu_pkg::line_t))'(line_i);
    in.sectors = sectors_i;
    in.last = 1'b1;
    in.warp = config_pkg::WarpW'(warp_i);
    in.seq = gpu_pkg::SeqW'(seq_i);
    in.joins = joins_i;
    in_data.mask = mask_i;
    in_data.data = data_i;
  end
  assign kind_o = out.kind;
  assign line_o = 32'(out.line);
  assign sectors_o = out.sectors;
  assign warp_o = 6'(out.warp);
  assign seq_o = 16'(seq);
  assign lines_o = 8'(Lines);
  assign mask_turn_o = MaskTurn;

  logic [config_pkg::WarpW-1:0] joined_warp;
  assign joined_warp_o = 6'(joined_warp);

  write_combine #(.Lines(Lines), .MaskTurn(MaskTurn), .TickW(6)) u_write_combine (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .in_valid_i    (in_valid_i),
    .in_ready_o    (in_ready_o),
    .in_i          (in),
    .in_data_i     (in_data),
    .wanted_i      (config_pkg::WarpsPerSm'(wanted_i)),
    .joined_o      (joined_o),
    .joined_warp_o (joined_warp),
    .out_valid_o   (out_valid_o),
    .out_o         (out),
    .out_done_i    (out_done_i),
    .out_sector_i  (lsu_pkg::sector_t'(out_sector_i)),
    .out_mask_o    (mask_o),
    .out_data_o    (data_o),
    .out_seq_o     (seq)
  );

endmodule
