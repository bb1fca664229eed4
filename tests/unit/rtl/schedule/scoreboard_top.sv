// SPDX-License-Identifier: Apache-2.0
// The scoreboard with the fields of a decoded instruction as ports.
module scoreboard_top #(
  parameter bit Crosses = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_valid_i,
  input  core_pkg::warp_t  start_warp_i,
  input  logic             check_valid_i,
  input  core_pkg::warp_t  check_warp_i,
  input  logic [7:0]       ra_i,
  input  logic [7:0]       rb_i,
  input  logic [7:0]       rc_i,
  input  logic [7:0]       rd_i,
  input  logic [1:0]       rd_log2_i,
  input  logic [5:0]       reads_i,
  input  logic [2:0]       quads_i,          // a, b, c are four registers
  input  logic [7:0]       re_i,             // 255: none
  input  logic [3:0]       guard_i,
  input  logic [3:0]       psrc_i,
  input  logic [3:0]       psrc2_i,
  input  logic [2:0]       pd_i,
  input  logic [2:0]       pq_i,
  input  logic [7:0]       op_i,
  input  logic             issue_valid_i,
  input  core_pkg::warp_t  issue_warp_i,
  input  logic [1:0]       issue_pipe_i,
  input  logic             issue_blocks_i,
  input  logic [7:0]       issue_rd_i,
  input  logic [1:0]       issue_rd_log2_i,
  input  logic [2:0]       issue_pd_i,
  input  logic [2:0]       issue_pq_i,
  output sm_pkg::entry_t   issue_entry_o,
  input  logic             end_valid_i,
  input  core_pkg::warp_t  end_warp_i,
  input  logic             end_has_i,
  input  sm_pkg::entry_t   end_entry_i,
  input  logic             wake_valid_i,
  input  core_pkg::warp_t  wake_warp_i,
  input  sm_pkg::entry_t   wake_entry_i,
  output core_pkg::warps_t free_o,
  output core_pkg::warps_t idle_o,
  output logic             crosses_o,
  output logic [1:0]       pipe_o            // of op_i
);

  core_pkg::decoded_t check;
  always_comb begin
    check = '0;
    check.ra = ra_i;
    check.rb = rb_i;
    check.rc = rc_i;
    check.rd = rd_i;
    check.rd_log2 = rd_log2_i;
    check.reads = reads_i;
    {check.ra_log2, check.rb_log2, check.rc_log2} = {quads_i[0] ? 2'd2 : 2'd0, quads_i[1] ? 2'd2 : 2'd0, quads_i[2] ? 2'd2 : 2'd0};
    check.steps = {re_i != 8'd255, 1'b0};
    check.re = re_i;
    check.guard = guard_i;
    check.psrc = psrc_i;
    check.psrc2 = psrc2_i;
    check.pd = pd_i;
    check.pq = pq_i;
    check.op = op_i;
  end

  assign crosses_o = Crosses;
  assign pipe_o = core_pkg::pipe_of(op_i);
  core_pkg::warps_t clear, room, blocked;
  assign free_o = clear & room & ~blocked;
  scoreboard #(.Crosses(Crosses)) u_scoreboard (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_warp_i    (start_warp_i),
    .check_valid_i   (check_valid_i),
    .check_warp_i    (check_warp_i),
    .check_i         (check),
    .issue_valid_i   (issue_valid_i),
    .issue_warp_i    (issue_warp_i),
    .issue_pipe_i    (core_pkg::pipe_e'(issue_pipe_i)),
    .issue_blocks_i  (issue_blocks_i),
    .issue_rd_i      (issue_rd_i),
    .issue_rd_log2_i (issue_rd_log2_i),
    .issue_pd_i      (issue_pd_i),
    .issue_pq_i      (issue_pq_i),
    .issue_entry_o   (issue_entry_o),
    .end_valid_i     (end_valid_i),
    .end_warp_i      (end_warp_i),
    .end_has_i       (end_has_i),
    .end_entry_i     (end_entry_i),
    .wake_i          ('{valid: wake_valid_i, warp: wake_warp_i, entry: wake_entry_i}),
    .clear_o         (clear),
    .room_o          (room),
    .blocked_o       (blocked),
    .idle_o          (idle_o)
  );

endmodule
