// SPDX-License-Identifier: Apache-2.0
// copy_groups, and the lag that it has.
module copy_groups_top #(
  parameter int unsigned Lag = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_valid_i,
  input  logic [7:0]  start_warp_i,
  input  logic        check_valid_i,
  input  logic [7:0]  check_warp_i,
  input  logic [7:0]  check_op_i,
  input  logic        check_all_i,
  input  logic [15:0] check_most_i,
  input  logic        issue_valid_i,
  input  logic [7:0]  issue_warp_i,
  input  logic [7:0]  issue_op_i,
  output sm_pkg::entry_t group_o,
  input  logic        end_valid_i,
  input  logic [7:0]  end_warp_i,
  input  sm_pkg::entry_t end_group_i,
  output logic [15:0] held_o,
  output logic [7:0]  lag_o
);

  assign lag_o = 8'(Lag);

  copy_groups #(.Lag(Lag)) u_copy_groups (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .start_valid_i (start_valid_i),
    .start_warp_i  (core_pkg::warp_t'(start_warp_i)),
    .check_valid_i (check_valid_i),
    .check_warp_i  (core_pkg::warp_t'(check_warp_i)),
    .check_op_i    (check_op_i),
    .check_all_i   (check_all_i),
    .check_most_i  (check_most_i),
    .issue_valid_i (issue_valid_i),
    .issue_warp_i  (core_pkg::warp_t'(issue_warp_i)),
    .issue_op_i    (issue_op_i),
    .group_o       (group_o),
    .end_valid_i   (end_valid_i),
    .end_warp_i    (core_pkg::warp_t'(end_warp_i)),
    .end_group_i   (end_group_i),
    .held_o        (held_o)
  );

endmodule
