// SPDX-License-Identifier: Apache-2.0
// Brings the memory instructions of all sub-partitions to the load/store unit, one after the other, and its
// rows back. A request is copied into one register here: a multiplexer of whole requests in every
// cycle would cost more than the instructions themselves. One sub-partition needs neither. Slices of an instruction follow each other: a
// sub-partition keeps its turn until the last one has gone. Where rows move whole a preset may let a sub-partition's next
// instruction come later (latency class Turn), as silicon's do every fourth cycle, and later still behind one that brings more than two
// operand rows (class Row); one of more than two passes then takes every other turn
// of its pipe, so that the next one of its sub-partition comes later by two cycles for each pass beyond the second.
module lsu_port #(
  parameter int unsigned TurnLag = 32'(config_pkg::Latency[isa_pkg::LatTurn]),
  parameter int unsigned RowLag = 32'(config_pkg::Latency[isa_pkg::LatRow]),
  localparam int unsigned Parts = config_pkg::SubPartitions,
  localparam int unsigned PartW = Parts > 1 ? $clog2(Parts) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Parts-1:0] req_valid_i,
  output logic [Parts-1:0] req_ready_o,
  input  core_pkg::lsu_reqs_t req_i,
  output logic             lsu_valid_o,
  input  logic             lsu_ready_i,
  output sm_pkg::lsu_req_t lsu_req_o,
  // Responses go to the sub-partition of their warp.
  input  logic             rsp_valid_i,
  output logic             rsp_ready_o,
  input  logic [config_pkg::WarpW-1:0] rsp_warp_i,
  output logic [Parts-1:0] rsp_valid_o,
  input  logic [Parts-1:0] rsp_ready_i,
  input  logic [Parts-1:0][1:0] further_i   // passes beyond an instruction's second that the load/store unit makes
);

  logic [PartW-1:0] rsp_part;

  if (Parts == 1) begin : g_one
    assign lsu_valid_o = req_valid_i[0];
    assign req_ready_o = lsu_ready_i;
    assign lsu_req_o = req_i[0];
    logic unused;
    assign unused = clk_i & rst_ni & (further_i == '0);
  end else begin : g_several
    logic             valid, take;
    logic [Parts-1:0] offered, grant;
    logic [PartW-1:0] part;
    assign take = valid && (!lsu_valid_o || lsu_ready_i);
    rr_arbiter #(.N(Parts)) u_arbiter (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .req_i     (offered),
      .advance_i (take),
      .valid_o   (valid),
      .gnt_o     (grant),
      .index_o   (part)
    );
    assign req_ready_o = take ? grant : '0;

    if (sm_pkg::RowSlices == 1 && TurnLag == 0 && RowLag == 0) begin : g_whole
      assign offered = req_valid_i;
      logic unused;
      assign unused = ^further_i;
    end else if (sm_pkg::RowSlices == 1) begin : g_rests
      // Cycles until the sub-partition's next turn: until its rows have gone, and until the passes have, which are told one by one and
      // late. Both times run side by side: what an instruction has waited for the rows before it counts for passes of that one.
      logic [Parts-1:0][9:0]         row_rest_q;
      logic signed [10:0]            rest_q [Parts];
      localparam logic signed [10:0] Credit = -11'(RowLag);
      for (genvar p = 0; p < int'(Parts); p++) begin : g_part
        logic signed [10:0] further;
        assign further = signed'(11'({further_i[p], 1'b0}));
        assign offered[p] = req_valid_i[p] && row_rest_q[p] == '0 && rest_q[p] <= 0;
        always_ff @(posedge clk_i) begin
          if (!rst_ni) begin
            row_rest_q[p] <= '0;
          end else if (req_ready_o[p]) begin
            logic [2:0] rows;
            rows = lsu_pkg::operand_rows(req_i[p].op, req_i[p].mod);
            if (rows > 3'd2) row_rest_q[p] <= 10'(TurnLag) + 10'(RowLag) * (10'(rows) - 10'd2);
          end else if (row_rest_q[p] != '0) begin
            row_rest_q[p] <= row_rest_q[p] - 1'b1;
          end
        end
        always_ff @(posedge clk_i) begin
          if (!rst_ni) rest_q[p] <= '0;
          else if (req_ready_o[p]) rest_q[p] <= rest_q[p] + signed'(11'(TurnLag)) + further;
          else if (rest_q[p] > 0 || row_rest_q[p] != '0)
            rest_q[p] <= rest_q[p] + further - (rest_q[p] > Credit ? 11'sd1 : 11'sd0);
          else rest_q[p] <= further;
        end
      end
    end else begin : g_slices
      logic [Parts-1:0] held_q;  // whose instruction has slices to come
      assign offered = held_q != '0 ? req_valid_i & held_q : req_valid_i;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) held_q <= '0;
        else if (take) held_q <= req_i[part].tag.slice == sm_pkg::LastSlice ? '0 : grant;
      end
      logic unused;
      assign unused = ^further_i;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) lsu_valid_o <= 1'b0;
      else if (take) lsu_valid_o <= 1'b1;
      else if (lsu_ready_i) lsu_valid_o <= 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (take) lsu_req_o <= req_i[part];
    end
  end

  assign rsp_part = PartW'(32'(rsp_warp_i) % Parts);
  assign rsp_ready_o = rsp_ready_i[rsp_part];
  always_comb begin
    rsp_valid_o = '0;
    rsp_valid_o[rsp_part] = rsp_valid_i;
  end

endmodule
