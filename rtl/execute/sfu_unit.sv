// SPDX-License-Identifier: Apache-2.0
// Special function lanes of a sub-partition: MUFU by table look-up and quadratic interpolation, in five stages, in slices
// in eight.
//
//   whole       argument | segment, square | products | sum | normalise
//   in slices   fixed point | argument | segment, square | products | sum | exponent | count | shift
//
// Latency from acceptance to the response is 4 + RowLanes / Lanes cycles; where rows move in slices the request stays until
// its last beat and is answered 9 cycles after that. Lanes outside tag.mask are not computed (in slices they are) and hold
// anything.
module sfu_unit #(
  parameter int unsigned Lanes = 4
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  output logic              req_soon_o,   // whole rows: ready in the next cycle
  input  sm_pkg::exec_req_t req_i,

  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output sm_pkg::exec_rsp_t rsp_o,

  output logic              busy_o
);

  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes;
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam bit Slices = sm_pkg::RowSlices > 1;
  localparam int unsigned Stages = Slices ? 8 : 5;
  localparam int unsigned Argument = Slices ? 1 : 0;
  localparam int unsigned Segment = Argument + 1;
  localparam int unsigned Product = Argument + 2;
  localparam int unsigned Sum = Argument + 3;
  localparam int unsigned Last = Stages - 1;
  localparam int unsigned Hold = (!Slices && Beats > 1) ? sm_pkg::RowLanes - Lanes : Lanes;

  logic              first, rest;
  logic [GroupW-1:0] group, made;  // whose lanes go in; come out
  logic [Stages-1:0] work;

  lane_beats #(.Lanes(Lanes), .Stages(Stages)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .req_soon_o  (req_soon_o),
    .twice_i     (1'b0),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .first_o     (first),
    .rest_o      (rest),
    .beat_o      (),
    .group_o     (group),
    .made_o      (made),
    .work_o      (work),
    .busy_o      (busy_o)
  );

  logic                  fresh;  // operands come from the request
  sm_pkg::tag_t          tag;
  logic [17:0]           mod;
  logic [Lanes-1:0]      mask;
  logic [Hold-1:0][31:0] hold_b;
  int unsigned           at;  // the beat's lanes in them
  assign at = (Hold > Lanes && !fresh) ? (32'(group) - 1) * Lanes : 0;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first),
    .rest_i       (rest),
    .group_i      (group),
    .req_i        (req_i),
    .reads_a_i    (1'b0),
    .reads_c_i    (1'b0),
    .reads_hi_i   (1'b0),
    .reads_c_hi_i (1'b0),
    .fresh_o      (fresh),
    .tag_o        (tag),
    .op_o         (),
    .mod_o        (mod),
    .mask_o       (mask),
    .p_o          (),
    .p2_o         (),
    .a_o          (),
    .b_o          (hold_b),
    .c_o          (),
    .a_hi_o       (),
    .b_hi_o       (),
    .c_hi_o       ()
  );

  // ---- what goes with a beat: g_pass[k] holds it behind stage k + 1 ---------------------------------------
  typedef struct packed {
    logic [2:0]       op;
    logic [Lanes-1:0] mask;
  } control_t;
  typedef sfu_pkg::note_t [Lanes-1:0] notes_t;

  for (genvar k = 0; k < Stages - 1; k++) begin : g_pass
    control_t     control_q;
    sm_pkg::tag_t tag_q;
    if (k == 0) begin : gen_first
      always_ff @(posedge clk_i) begin
        if (work[0]) begin
          control_q <= '{op: mod[isa_pkg::MufuOpLsb+:isa_pkg::MufuOpWidth], mask: mask};
          if (Slices || first) tag_q <= tag;
        end
      end
    end else begin : gen_later
      always_ff @(posedge clk_i) begin
        if (work[k]) begin
          control_q <= g_pass[k-1].control_q;
          tag_q <= g_pass[k-1].tag_q;
        end
      end
    end
  end

  // The operand as modified: x, -x, |x| or -|x|.
  function automatic logic [31:0] argument(input logic [31:0] x, input logic [17:0] m);
    return {(x[31] && !m[isa_pkg::MufuAbsLsb]) != m[isa_pkg::MufuNegLsb], x[30:0]};
  endfunction

  // ---- argument: the segment and the position in it; in slices in two stages ------------------------------
  logic [Lanes-1:0][31:0] x_q, fixed_q;
  control_t               looking;  // what the second of them is about

  if (Slices) begin : gen_place
    always_ff @(posedge clk_i) begin
      if (work[0]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          x_q[lane] <= argument(hold_b[at+lane], mod);
          fixed_q[lane] <= sfu_pkg::place(mod[isa_pkg::MufuOpLsb+:isa_pkg::MufuOpWidth], argument(hold_b[at+lane], mod));
        end
      end
    end
    assign looking = g_pass[0].control_q;
  end else begin : gen_place_and_look_up
    assign {x_q, fixed_q} = '0;
    assign looking = '{op: mod[isa_pkg::MufuOpLsb+:isa_pkg::MufuOpWidth], mask: mask};
  end

  logic [Lanes-1:0][9:0]  index_q;
  logic [Lanes-1:0][16:0] position_q;
  notes_t                 note_q;

  always_ff @(posedge clk_i) begin
    if (work[Argument]) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (Slices || looking.mask[lane]) begin
          logic [31:0]    x, fixed;
          logic [9:0]     index;
          logic [16:0]    position;
          sfu_pkg::note_t note;
          x = Slices ? x_q[lane] : argument(fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane], mod);
          fixed = Slices ? fixed_q[lane] : sfu_pkg::place(looking.op, x);
          sfu_pkg::look_up(looking.op, x, fixed, note, index, position);
          note_q[lane] <= note;
          index_q[lane] <= index;
          position_q[lane] <= position;
        end
      end
    end
  end

  // What was noted of the argument, behind the stages up to the sum, in slices up to the one before the last.
  for (genvar k = int'(Segment); k < int'(Last); k++) begin : g_note
    notes_t notes_q;
    if (k == int'(Segment)) begin : gen_first
      always_ff @(posedge clk_i) if (work[k]) notes_q <= note_q;
    end else begin : gen_later
      always_ff @(posedge clk_i) if (work[k]) notes_q <= g_note[k-1].notes_q;
    end
  end

  // ---- segment: its coefficients, and the square ------------------------------------------------------------
  sfu_table_pkg::segment_t table_q [sfu_table_pkg::Segments];  // a ROM
  initial begin
    for (int unsigned i = 0; i < sfu_table_pkg::Segments; i++) table_q[i] = sfu_table_pkg::Table[i];
  end

  sfu_table_pkg::segment_t [Lanes-1:0] segment_q;
  logic [Lanes-1:0][16:0]              linear_q;
  logic [Lanes-1:0][14:0]              square_q;

  always_ff @(posedge clk_i) begin
    if (work[Segment]) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) segment_q[lane] <= table_q[index_q[lane]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (work[Segment]) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        linear_q[lane] <= position_q[lane];
        square_q[lane] <= sfu_pkg::square(position_q[lane]);
      end
    end
  end

  // ---- products -------------------------------------------------------------------------------------------
  sfu_table_pkg::segment_t [Lanes-1:0] constant_q;
  logic [Lanes-1:0][33:0]              product_q;
  logic [Lanes-1:0][28:0]              curve_q;

  always_ff @(posedge clk_i) begin
    if (work[Product]) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        product_q[lane] <= 34'(segment_q[lane].c1) * 34'(linear_q[lane]);
        curve_q[lane] <= 29'(segment_q[lane].c2) * 29'(square_q[lane]);
      end
      constant_q <= segment_q;
    end
  end

  // ---- sum; the exponent of a logarithm; leading zeros -----------------------------------------------------
  logic [Lanes-1:0][47:0] magnitude_q, counted_q;
  logic [Lanes-1:0]       negative_q, counted_negative_q;
  logic [Lanes-1:0][5:0]  zeros_q;

  if (Slices) begin : gen_sum_and_exponent
    logic [Lanes-1:0][41:0] value_q;
    always_ff @(posedge clk_i) begin
      if (work[Sum]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          value_q[lane] <= sfu_pkg::interpolate(g_pass[Sum-1].control_q.op, constant_q[lane], product_q[lane], curve_q[lane]);
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (work[Sum+1]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          logic        negative;
          logic [47:0] magnitude;
          sfu_pkg::combine(g_pass[Sum].control_q.op, g_note[Sum].notes_q[lane].exponent, value_q[lane], negative, magnitude);
          negative_q[lane] <= negative;
          magnitude_q[lane] <= magnitude;
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (work[Sum+2]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) zeros_q[lane] <= sfu_pkg::count_zeros(magnitude_q[lane]);
        counted_q <= magnitude_q;
        counted_negative_q <= negative_q;
      end
    end
  end else begin : gen_sum
    assign {counted_q, counted_negative_q, zeros_q} = '0;
    always_ff @(posedge clk_i) begin
      if (work[Sum]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (g_pass[Sum-1].control_q.mask[lane]) begin
            logic        negative;
            logic [47:0] magnitude;
            sfu_pkg::combine(g_pass[Sum-1].control_q.op, g_note[Sum-1].notes_q[lane].exponent,
                             sfu_pkg::interpolate(g_pass[Sum-1].control_q.op, constant_q[lane], product_q[lane], curve_q[lane]),
                             negative, magnitude);
            negative_q[lane] <= negative;
            magnitude_q[lane] <= magnitude;
          end
        end
      end
    end
  end

  // ---- last stage: normalise into the response row ----------------------------------------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  always_ff @(posedge clk_i) begin
    if (work[Last]) begin
      control_t               control;
      logic [Lanes-1:0][31:0] d;
      control = g_pass[Last-1].control_q;
      d = 'x;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (Slices || control.mask[lane]) begin
          d[lane] = sfu_pkg::finish(control.op, g_note[Last-1].notes_q[lane],
                                    Slices ? counted_negative_q[lane] : negative_q[lane],
                                    Slices ? counted_q[lane] : magnitude_q[lane],
                                    Slices ? zeros_q[lane] : sfu_pkg::count_zeros(magnitude_q[lane]));
        end
      end
      for (int unsigned g = 0; g < Beats; g++) begin
        if (made == GroupW'(g)) rsp_q.d[g*Lanes+:Lanes] <= d;
      end
      rsp_q.tag <= g_pass[Last-1].tag_q;
      rsp_q.we <= 1'b1;
      rsp_q.wide <= 1'b0;
      rsp_q.index <= '0;
      rsp_q.last <= g_pass[Last-1].tag_q.slice == sm_pkg::LastSlice;
      rsp_q.p_we <= 1'b0;
      rsp_q.p <= '0;
      rsp_q.q <= '0;
    end
  end

endmodule
