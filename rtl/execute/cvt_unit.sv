// SPDX-License-Identifier: Apache-2.0
// Conversions between integers, f32 and f64 for a sub-partition: Lanes lanes, a warp in 32 / Lanes beats.
//
//   request rows (shift by Lanes a beat) -> unpack -> pack -> result rows (shift in from the top)
//
// Worked example, 4 lanes: beat 0 takes lanes 0-3, beat 7 lanes 28-31; two cycles after the last beat the
// result stands in lane order, because eight shifts moved lanes 0-3 from the top to the bottom.
// A result that nobody takes holds the whole pipeline.
module cvt_unit #(
  parameter int unsigned Lanes = 4
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  sm_pkg::exec_req_t req_i,
  input  sm_pkg::exec_hi_t  hi_i,
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output sm_pkg::exec_rsp_t rsp_o,
  output logic              busy_o
);

  localparam int unsigned Beats = sm_pkg::WarpSize / Lanes;
  localparam int unsigned BeatW = Beats > 1 ? $clog2(Beats) : 1;

  // What a beat carries besides its lanes.
  typedef struct packed {
    sm_pkg::tag_t tag;
    logic [7:0]   op;
    logic [17:0]  mod;
    logic         last;
  } beat_t;

  // ---- operands ------------------------------------------------------------------------------------
  logic             held_q;  // a request whose beats are not all issued
  logic [BeatW-1:0] beat_q;
  beat_t            info_q;
  sm_pkg::row_t     b_q, b_hi_q;
  logic             move, last_beat;
  assign move        = !rsp_valid_o || rsp_ready_i;
  assign last_beat   = beat_q == BeatW'(Beats - 1);
  assign req_ready_o = !held_q || (move && last_beat);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
      beat_q <= '0;
    end else if (req_valid_i && req_ready_o) begin
      held_q <= 1'b1;
      beat_q <= '0;
    end else if (held_q && move) begin
      held_q <= !last_beat;
      beat_q <= beat_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) begin
      info_q.tag <= req_i.tag;
      info_q.op  <= req_i.op;
      info_q.mod <= req_i.mod;
      b_q        <= req_i.b;
      b_hi_q     <= hi_i.b_hi;
    end else if (held_q && move) begin
      b_q    <= b_q >> (32 * Lanes);
      b_hi_q <= b_hi_q >> (32 * Lanes);
    end
  end

  // ---- unpack --------------------------------------------------------------------------------------
  logic                            unpacked_valid_q;
  beat_t                           unpacked_info_q;
  cvt_pkg::about_t [Lanes-1:0]     about_q;
  logic [Lanes-1:0][63:0]          magnitude_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) unpacked_valid_q <= 1'b0;
    else if (move) unpacked_valid_q <= held_q;
  end

  always_ff @(posedge clk_i) begin : stage_unpack
    cvt_pkg::about_t [Lanes-1:0] about;
    logic [Lanes-1:0][63:0]      magnitude;
    if (held_q && move) begin
      for (int unsigned lane = 0; lane < Lanes; lane++)
        cvt_pkg::unpack(info_q.op, info_q.mod, b_q[lane], b_hi_q[lane], about[lane], magnitude[lane]);
      about_q              <= about;
      magnitude_q          <= magnitude;
      unpacked_info_q.tag  <= info_q.tag;
      unpacked_info_q.op   <= info_q.op;
      unpacked_info_q.mod  <= info_q.mod;
      unpacked_info_q.last <= last_beat;
    end
  end

  // ---- pack, into the result rows --------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) rsp_valid_o <= 1'b0;
    else if (move) rsp_valid_o <= unpacked_valid_q && unpacked_info_q.last;
  end

  always_ff @(posedge clk_i) begin : stage_pack
    logic [Lanes-1:0][31:0] low, high;  // of the beat
    if (unpacked_valid_q && move) begin
      for (int unsigned lane = 0; lane < Lanes; lane++)
        {high[lane], low[lane]} = cvt_pkg::pack(unpacked_info_q.op, unpacked_info_q.mod, about_q[lane], magnitude_q[lane]);
      rsp_o.tag  <= unpacked_info_q.tag;
      rsp_o.we   <= 1'b1;
      rsp_o.wide <= unpacked_info_q.op == isa_pkg::OpF2i64 || unpacked_info_q.op == isa_pkg::OpF2d;
      rsp_o.p_we <= 1'b0;
      rsp_o.p    <= '0;
      rsp_o.q    <= '0;
      rsp_o.d    <= sm_pkg::row_t'({low, rsp_o.d} >> (32 * Lanes));
      rsp_o.d_hi <= sm_pkg::row_t'({high, rsp_o.d_hi} >> (32 * Lanes));
    end
  end

  assign busy_o = held_q || unpacked_valid_q || rsp_valid_o;

endmodule
