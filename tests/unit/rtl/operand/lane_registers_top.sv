// SPDX-License-Identifier: Apache-2.0
// The lanes' registers with a slice in the low lanes of a whole row.
module lane_registers_top (
  input  logic          clk_i,
  input  logic          rst_ni,
  output logic [7:0]    lanes_o,         // of a slice
  input  logic          kernel_start_i,
  input  logic [10:0]   block_x_i,
  input  logic [10:0]   block_y_i,
  output logic          ready_o,
  input  logic          valid_i,
  input  logic [7:0]    slice_i,
  input  logic [7:0]    index_i,
  input  logic [10:0]   base_x_i,
  input  logic [10:0]   base_y_i,
  input  logic [6:0]    base_z_i,
  output logic [1023:0] row_o
);

  sm_pkg::row_t row;
  assign row_o = 1024'(row);
  assign lanes_o = 8'(sm_pkg::RowLanes);

  lane_registers u_lane_registers (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .kernel_start_i (kernel_start_i),
    .block_x_i      (block_x_i),
    .block_y_i      (block_y_i),
    .ready_o        (ready_o),
    .valid_i        (valid_i),
    .slice_i        (sm_pkg::slice_t'(slice_i)),
    .index_i        (index_i),
    .base_x_i       (base_x_i),
    .base_y_i       (base_y_i),
    .base_z_i       (base_z_i),
    .row_o          (row)
  );

endmodule
