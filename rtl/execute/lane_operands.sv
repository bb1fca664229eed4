// SPDX-License-Identifier: Apache-2.0
// The operands of the beat that a unit's first stage works on. Shared by INT, FP32 and CVT.
//
//   rows whole, 16 lanes   beat 0 works on the request itself (fresh_o); its lanes 16-31 move to the hold registers, on which
//                          beat 1 works
//   slices                 each beat's lanes of the request move to the hold registers; a cycle later stage 1 works on those
//
// In slices deciding which lanes of the request and what to do with them takes a cycle of its own, and units are
// smaller: nothing is held beyond a beat.
module lane_operands #(
  parameter int unsigned Lanes  = 16,
  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes,
  localparam bit Slices         = sm_pkg::RowSlices > 1,
  localparam bit Holds          = !Slices && Beats > 1,
  localparam int unsigned Hold  = Holds ? sm_pkg::RowLanes - Lanes : Lanes,
  localparam int unsigned GroupW = Beats > 1 ? $clog2(Beats) : 1
) (
  input  logic                  clk_i,
  // What lane_beats takes; group: the beat's lanes are those from group * Lanes on.
  input  logic                  first_i,
  input  logic                  rest_i,
  input  logic [GroupW-1:0]     group_i,
  input  sm_pkg::exec_req_t     req_i,
  // Rows beside b that op_o reads: others are not moved, which costs a simulator time.
  input  logic                  reads_a_i,
  input  logic                  reads_c_i,
  input  logic                  reads_hi_i,    // a_hi, b_hi
  input  logic                  reads_c_hi_i,
  // For stage 1: rows are the request's where fresh, else these; group 1 first, unless
  // a beat is all that is held.
  output logic                  fresh_o,
  output sm_pkg::tag_t          tag_o,
  output logic [7:0]            op_o,
  output logic [17:0]           mod_o,
  output logic [Lanes-1:0]      mask_o,
  output logic [Lanes-1:0]      p_o,
  output logic [Lanes-1:0]      p2_o,
  output logic [Hold-1:0][31:0] a_o,
  output logic [Hold-1:0][31:0] b_o,
  output logic [Hold-1:0][31:0] c_o,
  output logic [Hold-1:0][31:0] a_hi_o,
  output logic [Hold-1:0][31:0] b_hi_o,
  output logic [Hold-1:0][31:0] c_hi_o
);

  sm_pkg::lanes_t req_mask;
  assign req_mask = sm_pkg::lanes_of(req_i.tag.mask, req_i.tag.slice);

  logic [7:0]            op_q;
  logic [17:0]           mod_q;
  logic [Hold-1:0][31:0] a_q, b_q, c_q, a_hi_q, b_hi_q, c_hi_q;
  assign a_o = a_q;
  assign b_o = b_q;
  assign c_o = c_q;
  assign a_hi_o = a_hi_q;
  assign b_hi_o = b_hi_q;
  assign c_hi_o = c_hi_q;

  if (Slices) begin : gen_slices
    typedef logic [Beats-1:0][Lanes-1:0][31:0] groups_t;
    typedef logic [Beats-1:0][Lanes-1:0]       bits_t;
    groups_t      a, b, c, a_hi, b_hi, c_hi;
    bits_t        mask, p, p2;
    sm_pkg::tag_t tag_q;
    logic [Lanes-1:0] mask_q, p_q, p2_q;
    assign {c_hi, c, b_hi, b, a_hi, a} = req_i.row;
    assign {mask, p, p2} = {req_mask, req_i.p, req_i.p2};

    always_ff @(posedge clk_i) begin
      if (first_i || rest_i) begin
        op_q <= req_i.op;
        mod_q <= req_i.mod;
        tag_q <= req_i.tag;
        {mask_q, p_q, p2_q} <= {mask[group_i], p[group_i], p2[group_i]};
        {a_q, b_q, c_q} <= {a[group_i], b[group_i], c[group_i]};
        {a_hi_q, b_hi_q, c_hi_q} <= {a_hi[group_i], b_hi[group_i], c_hi[group_i]};
      end
    end
    assign fresh_o = 1'b0;
    assign {op_o, mod_o, tag_o} = {op_q, mod_q, tag_q};
    assign {mask_o, p_o, p2_o} = {mask_q, p_q, p2_q};

  end else begin : gen_whole
    sm_pkg::lanes_t mask_q, p_q, p2_q;

    if (Holds) begin : gen_hold
      always_ff @(posedge clk_i) begin
        if (first_i) begin
          for (int unsigned lane = 0; lane < Hold; lane++) b_q[lane] <= req_i.row[sm_pkg::B][lane+Lanes];
          if (reads_a_i) begin
            for (int unsigned lane = 0; lane < Hold; lane++) a_q[lane] <= req_i.row[sm_pkg::A][lane+Lanes];
          end
          if (reads_c_i) begin
            for (int unsigned lane = 0; lane < Hold; lane++) c_q[lane] <= req_i.row[sm_pkg::C][lane+Lanes];
          end
          if (reads_hi_i) begin
            for (int unsigned lane = 0; lane < Hold; lane++) begin
              a_hi_q[lane] <= req_i.row[sm_pkg::AHi][lane+Lanes];
              b_hi_q[lane] <= req_i.row[sm_pkg::BHi][lane+Lanes];
            end
          end
          if (reads_c_hi_i) begin
            for (int unsigned lane = 0; lane < Hold; lane++) c_hi_q[lane] <= req_i.row[sm_pkg::CHi][lane+Lanes];
          end
        end
      end

      always_ff @(posedge clk_i) begin
        if (first_i) begin
          op_q <= req_i.op;
          mod_q <= req_i.mod;
          mask_q <= req_mask >> Lanes;
          p_q <= req_i.p >> Lanes;
          p2_q <= req_i.p2 >> Lanes;
        end else if (rest_i) begin
          mask_q <= mask_q >> Lanes;
          p_q <= p_q >> Lanes;
          p2_q <= p2_q >> Lanes;
        end
      end
    end else begin : gen_fresh
      assign {a_q, b_q, c_q, a_hi_q, b_hi_q, c_hi_q} = '0;
      assign {op_q, mod_q, mask_q, p_q, p2_q} = '0;
    end
    assign fresh_o = !Holds || first_i;
    assign tag_o = req_i.tag;
    assign op_o = fresh_o ? req_i.op : op_q;
    assign mod_o = fresh_o ? req_i.mod : mod_q;
    assign mask_o = fresh_o ? req_mask[Lanes-1:0] : mask_q[Lanes-1:0];
    assign p_o = fresh_o ? req_i.p[Lanes-1:0] : p_q[Lanes-1:0];
    assign p2_o = fresh_o ? req_i.p2[Lanes-1:0] : p2_q[Lanes-1:0];
  end

endmodule
