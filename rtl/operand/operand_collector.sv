// SPDX-License-Identifier: Apache-2.0
// Operand collectors of a sub-partition: an issued instruction takes one of Collectors entries, its register rows
// are read from the banks as these come free, and move into the operand register that leads to all units. Rows that move
// whole (row_collector) wait in their entry or go there straight from the banks' outputs; rows in slices (slice_collector)
// go there one by one and wait at the banks' outputs.
module operand_collector #(
  localparam int unsigned Banks = config_pkg::RegisterBanks,
  localparam int unsigned RowW  = config_pkg::RowW
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Where each warp's block lives, for memory instructions.
  input  logic                       start_valid_i,
  input  core_pkg::start_t           start_i,
  // Issue; only to units with room.
  output core_pkg::units_t           room_o,
  input  logic                       issue_valid_i,
  input  core_pkg::collect_t         issue_i,
  // The predicates that are its data: with it in slices, two cycles later where rows move whole.
  input  sm_pkg::mask_t              p_i,
  input  sm_pkg::mask_t              p2_i,
  // Special registers of the last instruction issued that reads them: a row comes a cycle after issue, its
  // slices, where there are several, a cycle after they are asked for.
  output logic                       special_valid_o,
  output sm_pkg::slice_t             special_slice_o,
  input  sm_pkg::row_t               special_row_i,
  // Register file.
  output logic [Banks-1:0]           bank_valid_o,
  output logic [Banks-1:0][RowW-1:0] bank_row_o,
  output sm_pkg::slice_t [Banks-1:0] bank_slice_o,
  input  core_pkg::bank_rows_t       bank_data_i,
  // What is written to it now, which a row at a bank's output lacks.
  input  logic                       wr_valid_i,
  input  logic [RowW-1:0]            wr_row_i,
  input  sm_pkg::lanes_t             wr_lanes_i,
  input  sm_pkg::row_t               wr_data_i,
  input  logic                       wr_pair_i,       // the row after it, too
  input  sm_pkg::row_t               wr_data_hi_i,
  // Units: the operand register, and for which of them it is (one bit).
  output core_pkg::units_t           valid_o,
  input  core_pkg::units_t           ready_i,
  output sm_pkg::exec_req_t          req_o,
  // Whole rows: units for which an instruction has all its rows, and which of them take it if it comes in the next cycle. In
  // slices units keep the register until they are through.
  output core_pkg::units_t           wants_o,
  input  core_pkg::units_t           soon_i,
  output logic                       lsu_valid_o,
  input  logic                       lsu_ready_i,
  output sm_pkg::lsu_req_t           lsu_req_o,
  output logic                       control_valid_o,  // one cycle; always taken
  output core_pkg::control_t         control_o,
  input  sm_pkg::slice_t             control_slice_i,  // of its row a, at any time until the next
  output sm_pkg::row_t               control_row_o,
  output logic                       busy_o
);

  core_pkg::units_t   ready, soon;
  core_pkg::collect_t info;
  logic               collects;
  if (sm_pkg::RowSlices == 1) begin : g_rows
    row_collector u_collector (.*, .ready_i(ready), .soon_i(soon), .info_o(info), .busy_o(collects));
  end else begin : g_slices
    slice_collector u_collector (.*, .ready_i(ready), .info_o(info), .busy_o(collects), .lsu_takes_i(lsu_valid_o && lsu_ready_i));
    assign wants_o = '0;
    logic unused;
    assign unused = ^soon;
  end
  assign busy_o = collects || lsu_valid_o;

  dispatch u_dispatch (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_i         (start_i),
    .valid_i         (valid_o),
    .ready_o         (ready),
    .soon_o          (soon),
    .req_i           (req_o),
    .info_i          (info),
    .ready_i         (ready_i),
    .soon_i          (soon_i),
    .lsu_valid_o     (lsu_valid_o),
    .lsu_ready_i     (lsu_ready_i),
    .lsu_req_o       (lsu_req_o),
    .control_valid_o (control_valid_o),
    .control_o       (control_o),
    .control_slice_i (control_slice_i),
    .control_row_o   (control_row_o)
  );

endmodule
