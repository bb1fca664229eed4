// SPDX-License-Identifier: Apache-2.0
// INT lanes of a sub-partition: every Built operation of unit Int, with Lanes lanes in two stages, in slices in four.
//
//   IADD3 R4, R1, R2, R3 with 16 lanes: lanes 0-15 enter in cycle 0, lanes 16-31 in cycle 1; the response
//   is valid in cycle 3 with all 32 lanes. A new instruction may enter every second cycle.
//
// Latency from acceptance to the response is 1 + RowLanes / Lanes cycles: stage 1 has the datapaths of int_pkg, stage 2
// adds the third operand of SAD and IADD3.
// Where rows move in slices the request stays until its last beat and is answered 4 cycles after that: operands, two
// stages for the halves of the datapaths, the last sum. Pairs take two beats a lane.
// S2R moves b: whoever issues it puts the special register's row there. Carry in comes as req_i.p.
// Lanes outside tag.mask are not computed and hold anything, so do words and predicates not written.
module int_unit #(
  parameter int unsigned Lanes = 16
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
  localparam int unsigned BeatW = $clog2(2 * Beats);
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam bit Slices = sm_pkg::RowSlices > 1;
  localparam bit Pairs = Slices;  // take two beats
  localparam int unsigned Stages = Slices ? 3 : 2;
  localparam int unsigned End = Stages - 2;  // where datapaths end
  localparam int unsigned Hold = (!Slices && Beats > 1) ? sm_pkg::RowLanes - Lanes : Lanes;

  logic              first, rest, twice, pairs;
  logic [Stages-1:0] work;
  logic [BeatW-1:0]  beat;
  logic [GroupW-1:0] group, made;  // whose lanes go in; come out
  // The request's beat; pairs: on words of pairs, twice: or a shift's two steps.
  assign pairs = Pairs && (int_pkg::reads_pairs(req_i.op) || int_pkg::writes_pair(req_i.op));
  assign twice = pairs || (Pairs && int_pkg::shifts_twice(req_i.op));

  lane_beats #(.Lanes(Lanes), .Stages(Stages)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .req_soon_o  (req_soon_o),
    .twice_i     (twice),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .first_o     (first),
    .rest_o      (rest),
    .beat_o      (beat),
    .group_o     (group),
    .made_o      (made),
    .work_o      (work),
    .busy_o      (busy_o)
  );

  logic                  fresh;  // operands come from the request
  sm_pkg::tag_t          taken_tag;
  logic [7:0]            taken_op;
  logic [17:0]           taken_mod;
  logic [Lanes-1:0]      taken_mask, taken_p, taken_p2;
  logic [Hold-1:0][31:0] hold_a, hold_b, hold_c, hold_a_hi, hold_b_hi;
  int unsigned           at;  // the beat's lanes in them
  assign at = (Hold > Lanes && !fresh) ? (32'(group) - 1) * Lanes : 0;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first),
    .rest_i       (rest),
    .group_i      (group),
    .req_i        (req_i),
    .reads_a_i    (1'b1),
    .reads_c_i    (int_pkg::reads_c(taken_op)),
    .reads_hi_i   (int_pkg::reads_pairs(taken_op)),
    .reads_c_hi_i (1'b0),
    .fresh_o      (fresh),
    .tag_o        (taken_tag),
    .op_o         (taken_op),
    .mod_o        (taken_mod),
    .mask_o       (taken_mask),
    .p_o          (taken_p),
    .p2_o         (taken_p2),
    .a_o          (hold_a),
    .b_o          (hold_b),
    .c_o          (hold_c),
    .a_hi_o       (hold_a_hi),
    .b_hi_o       (hold_b_hi),
    .c_hi_o       ()
  );

  // ---- first half of the datapaths, a stage of its own in slices ----------------------------------------
  logic [7:0]             op;  // of the second half
  logic [17:0]            mod;
  logic [Lanes-1:0]       mask, p, p2;
  sm_pkg::tag_t           tag;
  logic                   second, upper, of_pair, ends;
  int_pkg::add_t          add_q;
  int_pkg::path_e         path_q;
  logic [7:0]             table_q;
  logic                   picks_q;
  logic [Lanes-1:0][31:0] a_q, b_q, c_q, sum_q, word_q;
  logic [Lanes-1:0]       chain_q, alike_q, sign_q;
  int_shift_pkg::step_t   step_q [Lanes];

  if (Slices) begin : gen_first_half
    logic             pair0_q, second0_q, upper0_q, numbers0_q, ends0_q;
    logic             second_q, upper_q, of_pair_q, ends_q;
    logic [7:0]       op_q;
    logic [17:0]      mod_q;
    logic [Lanes-1:0] p_q, p2_q;
    sm_pkg::tag_t     tag_q;

    // Which word this beat is about.
    always_ff @(posedge clk_i) begin
      if (first || rest) begin
        logic is_upper;
        is_upper = pairs && beat[0] != int_pkg::upper_first(req_i.op);
        pair0_q <= pairs;
        second0_q <= twice && beat[0];
        upper0_q <= is_upper;
        numbers0_q <= is_upper && int_pkg::reads_pairs(req_i.op) && !int_pkg::shifts_pairs(req_i.op);
        ends0_q <= !twice || beat[0];
      end
    end

    always_ff @(posedge clk_i) begin
      if (work[0]) begin
        int_pkg::add_t  controls;
        int_pkg::path_e path;
        logic           bits;
        controls = int_pkg::add_controls(taken_op, taken_mod, second0_q);
        path = int_pkg::path_of(taken_op);
        bits = path == int_pkg::PathBits;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          int_pkg::word_t sum;
          logic [31:0]    a, b, x;
          logic           carry, alike, sign;
          a = numbers0_q ? hold_a_hi[at+lane] : hold_a[at+lane];
          b = numbers0_q ? hold_b_hi[at+lane] : hold_b[at+lane];
          int_pkg::add_sum(controls, int_pkg::word_t'(a), int_pkg::word_t'(b), taken_p[lane], chain_q[lane],
                           sum, carry, alike, sign);
          sum_q[lane] <= sum[31:0];
          chain_q[lane] <= carry;
          alike_q[lane] <= alike;
          sign_q[lane] <= sign;
          a_q[lane] <= a;
          b_q[lane] <= bits ? int_pkg::bits(taken_op, taken_mod, hold_b[at+lane]) : b;
          c_q[lane] <= hold_c[at+lane];
          unique case (int_shift_pkg::shifted(taken_op, taken_mod, second0_q, hold_b[at+lane]))
            int_shift_pkg::WordC:   x = hold_c[at+lane];
            int_shift_pkg::WordAHi: x = hold_a_hi[at+lane];
            default:                x = hold_a[at+lane];
          endcase
          word_q[lane] <= x;
          step_q[lane] <= int_shift_pkg::step(taken_op, taken_mod, second0_q, x, hold_a[at+lane], hold_b[at+lane]);
        end
        add_q <= controls;
        path_q <= bits ? int_pkg::PathMove : path;
        table_q <= int_pkg::move_table(taken_op, taken_mod);
        picks_q <= int_pkg::min_max(taken_op);
        op_q <= taken_op;
        mod_q <= taken_mod;
        p_q <= taken_p;
        p2_q <= taken_p2;
        tag_q <= taken_tag;
        second_q <= second0_q;
        upper_q <= upper0_q;
        of_pair_q <= pair0_q;
        ends_q <= ends0_q;
      end
    end
    assign {op, mod, tag} = {op_q, mod_q, tag_q};
    assign {mask, p, p2} = {{Lanes{1'b1}}, p_q, p2_q};
    assign {second, upper, of_pair, ends} = {second_q, upper_q, of_pair_q, ends_q};

  end else begin : gen_whole
    assign op = taken_op;
    assign mod = taken_mod;
    assign tag = taken_tag;
    assign mask = taken_mask;
    assign p = taken_p;
    assign p2 = taken_p2;
    assign {second, upper, of_pair, ends} = 4'b0001;
    assign add_q = '0;
    assign path_q = int_pkg::PathMove;
    assign {table_q, picks_q} = '0;
    assign {a_q, b_q, c_q, sum_q, word_q} = '0;
    assign {chain_q, alike_q, sign_q} = '0;
    for (genvar lane = 0; lane < Lanes; lane++) assign step_q[lane] = '0;
    logic unused_beat;
    assign unused_beat = ^beat;
  end

  // ---- second half, or both -----------------------------------------------------------------------------
  logic [Lanes-1:0][int_pkg::Bits-1:0] value_q;
  logic [Lanes-1:0][31:0]              addend_q;
  logic [Lanes-1:0]                    p1_q, q1_q, mask1_q, complete_q, carry_q;
  int_pkg::sum_t                       first_q [Lanes];  // of the first word of a pair
  logic [Lanes-1:0][31:0]              turned_q;         // of the first step of a shift
  logic                                we_q, wide_q, p_we_q, last_q, second_q, upper_q;
  sm_pkg::tag_t                        tag1_q;

  always_ff @(posedge clk_i) begin
    if (work[End]) begin
      int_pkg::path_e   path;
      logic [Lanes-1:0] flags, complete;
      path = Slices ? path_q : int_pkg::path_of(op);  // in slices bits are found in the first half, and moved
      flags = '0;
      complete = '0;
      unique case (path)
        int_pkg::PathMove, int_pkg::PathAdd: begin
          logic [7:0]    t;
          int_pkg::add_t controls;
          logic          moves, picks, max;
          t = Slices ? table_q : int_pkg::move_table(op, mod);
          controls = Slices ? add_q : int_pkg::add_controls(op, mod, 1'b0);
          picks = Slices ? picks_q : int_pkg::min_max(op);
          moves = path == int_pkg::PathMove || picks;
          max = mod[isa_pkg::IMinMaxMaxLsb];
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            if (mask[lane]) begin
              int_pkg::word_t a, b, r;
              a = Slices ? int_pkg::word_t'(a_q[lane]) : int_pkg::word_t'({fresh ? req_i.row[sm_pkg::AHi][lane] : hold_a_hi[at+lane],
                                                                           fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane]});
              b = Slices ? int_pkg::word_t'(b_q[lane]) : int_pkg::word_t'({fresh ? req_i.row[sm_pkg::BHi][lane] : hold_b_hi[at+lane],
                                                                           fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane]});
              r = '0;
              if (path == int_pkg::PathAdd) begin
                int_pkg::sum_t sum;
                if (Slices) begin
                  int_pkg::add_order(controls, int_pkg::word_t'(sum_q[lane]), chain_q[lane], alike_q[lane], sign_q[lane],
                                     first_q[lane], r, sum);
                  first_q[lane] <= sum;
                end else begin
                  int_pkg::add(controls, a, b, p[lane], r, sum);
                end
                flags[lane] = sum.flag;
                complete[lane] = sum.complete;
                if (picks) t = (sum.less != max) ? int_pkg::TableA : int_pkg::TableB;
              end else if (op == isa_pkg::OpSel) begin
                t = p[lane] ? int_pkg::TableA : int_pkg::TableB;
              end else if (op == isa_pkg::OpIabs) begin
                t = int_pkg::TableB ^ {8{b[31]}};
                complete[lane] = b[31];
              end
              if (moves) r = int_pkg::move(t, a, b, Slices ? c_q[lane] : fresh ? req_i.row[sm_pkg::C][lane] : hold_c[at+lane]);
              value_q[lane] <= r;
            end
          end
        end
        int_pkg::PathShift: begin
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            if (mask[lane]) begin
              logic [31:0] b, x, prior, turned, r, first_r;
              turned = '0;
              r = '0;
              first_r = '0;
              if (Slices) begin
                int_shift_pkg::apply(step_q[lane], word_q[lane], turned_q[lane], turned, r);
                turned_q[lane] <= turned;
              end else begin
                b = fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane];
                // Two steps, one behind the cross1.
                for (int unsigned step = 0; step < 2; step++) begin
                  if (step == 1 || int_pkg::shifts_twice(op)) begin
                    int_shift_pkg::shifted_e word;
                    word = int_shift_pkg::shifted(op, mod, step == 1, b);
                    x = (word == int_shift_pkg::WordC) ? (fresh ? req_i.row[sm_pkg::C][lane] : hold_c[at+lane]) :
                        (word == int_shift_pkg::WordAHi) ? (fresh ? req_i.row[sm_pkg::AHi][lane] : hold_a_hi[at+lane]) :
                                                           (fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane]);
                    first_r = r;
                    prior = turned;
                    int_shift_pkg::shift(op, mod, step == 1, x, b, prior, turned, r);
                  end
                end
              end
              value_q[lane] <= int_pkg::word_t'((op == isa_pkg::OpShl64 && !Slices) ? {r, first_r} : {first_r, r});
            end
          end
        end
        int_pkg::PathBits: begin
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            if (mask[lane]) begin
              value_q[lane][31:0] <= int_pkg::bits(op, mod, fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane]);
            end
          end
        end
        default: ;  // PLOP has no lanes
      endcase
      if (int_pkg::compares(op)) begin
        p1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::ISetpOpLsb+:isa_pkg::ISetpOpWidth], 32'(flags), 32'(p)));
        q1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::ISetpOpLsb+:isa_pkg::ISetpOpWidth], ~32'(flags), 32'(p)));
      end else if (op == isa_pkg::OpPlop) begin
        p1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::PLogicOpLsb+:isa_pkg::PLogicOpWidth], 32'(p), 32'(p2)));
        q1_q <= ~Lanes'(int_pkg::combine(mod[isa_pkg::PLogicOpLsb+:isa_pkg::PLogicOpWidth], 32'(p), 32'(p2)));
      end else begin
        p1_q <= flags;
        q1_q <= ~flags;
      end
      mask1_q <= mask;
      complete_q <= complete;
      second_q <= second && of_pair;
      upper_q <= upper;
      we_q <= !int_pkg::compares(op) && op != isa_pkg::OpPlop;
      wide_q <= int_pkg::writes_pair(op);
      p_we_q <= int_pkg::compares(op) || op == isa_pkg::OpPlop ||
                ((op == isa_pkg::OpIadd || op == isa_pkg::OpIadd64) &&
                 mod[isa_pkg::AddCoutPlus1Lsb+:isa_pkg::AddCoutPlus1Width] != 3'd0);
      last_q <= ends;
      if (Slices || first) tag1_q <= tag;
    end
  end

  // The third operand travels beside the first sum, zero beside other results.
  always_ff @(posedge clk_i) begin
    if (work[End]) begin
      if (int_pkg::adds(op)) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          addend_q[lane] <= Slices ? c_q[lane] : fresh ? req_i.row[sm_pkg::C][lane] : hold_c[at+lane];
        end
      end else begin
        addend_q <= '0;
      end
    end
  end

  // ---- last stage: add into the response row ------------------------------------------------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  logic lower_we, upper_we;
  assign lower_we = !upper_q;
  assign upper_we = Pairs ? upper_q : wide_q;

  always_ff @(posedge clk_i) begin
    if (work[Stages-1]) begin
      logic [Lanes-1:0][31:0] d, d_hi;
      if (we_q && (wide_q || last_q)) begin
        d = 'x;
        d_hi = 'x;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (mask1_q[lane]) begin
            logic [33:0] low;
            logic        one;  // a bit below the sums carries in
            one = (Pairs && second_q) ? carry_q[lane] : complete_q[lane];
            low = {1'b0, value_q[lane][31:0], one} + {1'b0, addend_q[lane], one};
            if (Pairs) carry_q[lane] <= low[33];
            d[lane] = low[32:1];
            if (upper_we)
              d_hi[lane] = Pairs ? low[32:1] : value_q[lane][int_pkg::Bits-1:int_pkg::Bits-32] + 32'(low[33]);
          end
        end
        for (int unsigned g = 0; g < Beats; g++) begin
          if (made == GroupW'(g)) begin
            if (lower_we) rsp_q.d[g*Lanes+:Lanes] <= d;
            if (upper_we) rsp_q.d_hi[g*Lanes+:Lanes] <= d_hi;
          end
        end
      end
      if (p_we_q && last_q) begin
        for (int unsigned g = 0; g < Beats; g++) begin
          if (made == GroupW'(g)) begin
            rsp_q.p[g*Lanes+:Lanes] <= p1_q;
            rsp_q.q[g*Lanes+:Lanes] <= q1_q;
          end
        end
      end
      rsp_q.tag <= tag1_q;
      rsp_q.we <= we_q;
      rsp_q.wide <= wide_q;
      rsp_q.index <= '0;
      rsp_q.last <= tag1_q.slice == sm_pkg::LastSlice;
      rsp_q.p_we <= p_we_q;
    end
  end

endmodule
