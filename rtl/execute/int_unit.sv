// SPDX-License-Identifier: Apache-2.0
// INT lanes of a sub-partition: every Built operation of unit Int, with Lanes lanes in two stages.
//
//   IMAD R4, R1, R2, R3 with 16 lanes: lanes 0-15 enter in cycle 0, lanes 16-31 in cycle 1; the response
//   is valid in cycle 3 with all 32 lanes. A new instruction may enter every second cycle.
//
// Latency from acceptance to the response is 1 + RowLanes / Lanes cycles, also for multiplication: stage 1
// has the datapaths of int_pkg, stage 2 adds the addend of products and SAD.
// Where rows move in slices the request stays until its last beat (lane_beats), and pairs take two beats a lane.
// S2R moves b: whoever issues it puts the special register's row there. Carry in comes as req_i.p.
// Lanes outside tag.mask are not computed and hold anything, so do words and predicates not written.
module int_unit #(
  parameter int unsigned Lanes = 16
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

  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes;
  localparam int unsigned BeatW = $clog2(2 * Beats);
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned Top = sm_pkg::RowLanes - Lanes;
  localparam bit Pairs = int_pkg::Bits == 32;  // take two beats
  localparam bit Holds = !Pairs && Beats > 1;
  localparam int unsigned Hold = Holds ? Top : Lanes;

  logic             en, first, rest, pairs, twice, second, upper;
  logic [0:0]       valid;
  logic [BeatW-1:0] beat;

  lane_beats #(.Lanes(Lanes), .Stages(2)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .twice_i     (twice),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .en_o        (en),
    .first_o     (first),
    .rest_o      (rest),
    .beat_o      (beat),
    .valid_o     (valid),
    .busy_o      (busy_o)
  );

  logic           fresh;  // operands come from the request
  sm_pkg::lanes_t req_mask;
  assign fresh = !Pairs && (!Holds || first);
  assign req_mask = sm_pkg::lanes_of(req_i.tag.mask, req_i.tag.slice);
  // The word of a pair that this beat is about.
  assign pairs = Pairs && (int_pkg::reads_pairs(req_i.op) || int_pkg::writes_pair(req_i.op));
  assign twice = pairs || (Pairs && int_pkg::shifts_twice(req_i.op));
  assign second = twice && beat[0];
  assign upper = pairs && beat[0] != int_pkg::upper_first(req_i.op);

  // ---- hold: lanes of the request that are still to come, the next ones at the bottom; where nothing is held, this
  // beat's lanes and words of the request -------------------------------------------------------------------
  logic [Hold-1:0][31:0] hold_a_q, hold_b_q, hold_c_q, hold_a_hi_q, hold_b_hi_q, hold_c_hi_q;
  sm_pkg::lanes_t           hold_mask_q, hold_p_q, hold_p2_q;
  logic [7:0]            hold_op_q;
  logic [17:0]           hold_mod_q;

  if (Holds) begin : gen_hold
    always_ff @(posedge clk_i) begin
      if (first) begin
        for (int unsigned lane = 0; lane < Hold; lane++) begin
          hold_a_q[lane] <= req_i.a[lane+Lanes];
          hold_b_q[lane] <= req_i.b[lane+Lanes];
        end
        if (int_pkg::reads_c(req_i.op)) begin
          for (int unsigned lane = 0; lane < Hold; lane++) hold_c_q[lane] <= req_i.c[lane+Lanes];
        end
        if (int_pkg::reads_pairs(req_i.op)) begin
          for (int unsigned lane = 0; lane < Hold; lane++) begin
            hold_a_hi_q[lane] <= hi_i.a_hi[lane+Lanes];
            hold_b_hi_q[lane] <= hi_i.b_hi[lane+Lanes];
          end
        end
        if (req_i.op == isa_pkg::OpImadWide) begin
          for (int unsigned lane = 0; lane < Hold; lane++) hold_c_hi_q[lane] <= hi_i.c_hi[lane+Lanes];
        end
      end else if (rest && Hold > Lanes) begin
        for (int unsigned lane = 0; lane + Lanes < Hold; lane++) begin
          hold_a_q[lane] <= hold_a_q[lane+Lanes];
          hold_b_q[lane] <= hold_b_q[lane+Lanes];
        end
        if (int_pkg::reads_c(hold_op_q)) begin
          for (int unsigned lane = 0; lane + Lanes < Hold; lane++) hold_c_q[lane] <= hold_c_q[lane+Lanes];
        end
        if (int_pkg::reads_pairs(hold_op_q)) begin
          for (int unsigned lane = 0; lane + Lanes < Hold; lane++) begin
            hold_a_hi_q[lane] <= hold_a_hi_q[lane+Lanes];
            hold_b_hi_q[lane] <= hold_b_hi_q[lane+Lanes];
          end
        end
        if (hold_op_q == isa_pkg::OpImadWide) begin
          for (int unsigned lane = 0; lane + Lanes < Hold; lane++) begin
            hold_c_hi_q[lane] <= hold_c_hi_q[lane+Lanes];
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (first) begin
        hold_op_q <= req_i.op;
        hold_mod_q <= req_i.mod;
        hold_mask_q <= req_mask >> Lanes;
        hold_p_q <= req_i.p >> Lanes;
        hold_p2_q <= req_i.p2 >> Lanes;
      end else if (rest) begin
        hold_mask_q <= hold_mask_q >> Lanes;
        hold_p_q <= hold_p_q >> Lanes;
        hold_p2_q <= hold_p2_q >> Lanes;
      end
    end
  end else begin : gen_no_hold
    typedef logic [Beats-1:0][Lanes-1:0][31:0] groups_t;
    logic [GroupW-1:0] group;
    groups_t           a, b, c, a_hi, b_hi, c_hi;
    logic              numbers;  // pairs that are added or compared
    logic [Beats-1:0][Lanes-1:0] mask, p, p2;
    assign group = GroupW'(twice ? beat >> 1 : beat);
    assign numbers = upper && int_pkg::reads_pairs(req_i.op) && !int_pkg::shifts_pairs(req_i.op);
    assign {a, b, c} = {req_i.a, req_i.b, req_i.c};
    assign {a_hi, b_hi, c_hi} = {hi_i.a_hi, hi_i.b_hi, hi_i.c_hi};
    always_comb begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        hold_a_q[lane] = (numbers || (int_pkg::shifts_pairs(req_i.op) &&
                                      int_pkg::shifted(req_i.op, req_i.mod, second, b[group][lane]) ==
                                      int_pkg::WordAHi)) ? a_hi[group][lane] : a[group][lane];
      end
    end
    assign hold_b_q = numbers ? b_hi[group] : b[group];
    assign hold_c_q = upper ? c_hi[group] : c[group];
    assign {hold_a_hi_q, hold_b_hi_q, hold_c_hi_q} = '0;
    assign hold_op_q = req_i.op;
    assign hold_mod_q = req_i.mod;
    assign {mask, p, p2} = {req_mask, req_i.p, req_i.p2};
    assign hold_mask_q = sm_pkg::RowLanes'(mask[group]);
    assign hold_p_q = sm_pkg::RowLanes'(p[group]);
    assign hold_p2_q = sm_pkg::RowLanes'(p2[group]);
  end

  // ---- stage 1 ------------------------------------------------------------------------------------------
  logic [7:0]       op;
  logic [17:0]      mod;
  logic [Lanes-1:0] mask, p, p2;
  assign op = fresh ? req_i.op : hold_op_q;
  assign mod = fresh ? req_i.mod : hold_mod_q;
  assign mask = fresh ? req_mask[Lanes-1:0] : hold_mask_q[Lanes-1:0];
  assign p = fresh ? req_i.p[Lanes-1:0] : hold_p_q[Lanes-1:0];
  assign p2 = fresh ? req_i.p2[Lanes-1:0] : hold_p2_q[Lanes-1:0];

  logic [Lanes-1:0][int_pkg::Bits-1:0] value_q, addend_q;
  logic [Lanes-1:0]                    p1_q, q1_q, mask1_q, complete_q, carry_q;
  int_pkg::sum_t                       first_q [Lanes];  // of the first word of a pair
  logic [Lanes-1:0][31:0]              turned_q;         // of the first step of a shift
  logic                                we_q, wide_q, p_we_q, last_q, second_q, upper_q;
  sm_pkg::tag_t                        tag1_q;

  always_ff @(posedge clk_i) begin
    if (first || rest) begin
      int_pkg::path_e   path;
      logic [Lanes-1:0] flags, complete;
      path = int_pkg::path_of(op);
      flags = '0;
      complete = '0;
      unique case (path)
        int_pkg::PathMove, int_pkg::PathAdd: begin
          logic [7:0]    t;
          int_pkg::add_t controls;
          logic          moves, picks, max;
          t = int_pkg::move_table(op, mod);
          controls = int_pkg::add_controls(op, mod, second);
          picks = int_pkg::min_max(op);
          moves = path == int_pkg::PathMove || picks;
          max = mod[isa_pkg::IMinMaxMaxLsb];
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            if (mask[lane]) begin
              int_pkg::word_t a, b, r;
              a = int_pkg::word_t'({fresh ? hi_i.a_hi[lane] : hold_a_hi_q[lane],
                                    fresh ? req_i.a[lane] : hold_a_q[lane]});
              b = int_pkg::word_t'({fresh ? hi_i.b_hi[lane] : hold_b_hi_q[lane],
                                    fresh ? req_i.b[lane] : hold_b_q[lane]});
              r = '0;
              if (path == int_pkg::PathAdd) begin
                int_pkg::sum_t sum;
                int_pkg::add(controls, a, b, p[lane], Pairs ? first_q[lane] : '0, r, sum);
                flags[lane] = sum.flag;
                complete[lane] = sum.complete;
                if (Pairs) first_q[lane] <= sum;
                if (picks) t = (sum.less != max) ? int_pkg::TableA : int_pkg::TableB;
              end else if (op == isa_pkg::OpSel) begin
                t = p[lane] ? int_pkg::TableA : int_pkg::TableB;
              end else if (op == isa_pkg::OpIabs) begin
                t = int_pkg::TableB ^ {8{b[31]}};
                complete[lane] = b[31];
              end
              if (moves) r = int_pkg::move(t, a, b, fresh ? req_i.c[lane] : hold_c_q[lane]);
              value_q[lane] <= r;
            end
          end
        end
        int_pkg::PathShift: begin
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            if (mask[lane]) begin
              logic [31:0] b, x, prior, turned, r, first_r;
              b = fresh ? req_i.b[lane] : hold_b_q[lane];
              turned = Pairs ? turned_q[lane] : '0;
              r = '0;
              first_r = '0;
              // Two steps in two beats, or one behind the other.
              for (int unsigned step = 0; step < 2; step++) begin
                if (step == 1 || (!Pairs && int_pkg::shifts_twice(op))) begin
                  logic              later;
                  int_pkg::shifted_e word;
                  later = step == 1 && (!Pairs || second);
                  word = int_pkg::shifted(op, mod, later, b);
                  x = (word == int_pkg::WordC) ? (fresh ? req_i.c[lane] : hold_c_q[lane]) :
                      (word == int_pkg::WordAHi && !Pairs) ? (fresh ? hi_i.a_hi[lane] : hold_a_hi_q[lane]) :
                                                             (fresh ? req_i.a[lane] : hold_a_q[lane]);
                  first_r = r;
                  prior = turned;
                  int_pkg::shift(op, mod, later, x, b, prior, turned, r);
                end
              end
              if (Pairs) turned_q[lane] <= turned;
              value_q[lane] <= int_pkg::word_t'((op == isa_pkg::OpShl64 && !Pairs) ? {r, first_r} : {first_r, r});
            end
          end
        end
        int_pkg::PathBits: begin
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            if (mask[lane]) begin
              value_q[lane][31:0] <= int_pkg::bits(op, mod, fresh ? req_i.b[lane] : hold_b_q[lane]);
            end
          end
        end
        int_pkg::PathMultiply: begin
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            if (mask[lane]) begin
              value_q[lane] <= int_pkg::multiply(op, mod, upper, fresh ? req_i.a[lane] : hold_a_q[lane],
                                                 fresh ? req_i.b[lane] : hold_b_q[lane]);
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
      second_q <= second && pairs;
      upper_q <= upper;
      we_q <= !int_pkg::compares(op) && op != isa_pkg::OpPlop;
      wide_q <= int_pkg::writes_pair(op);
      p_we_q <= int_pkg::compares(op) || op == isa_pkg::OpPlop ||
                ((op == isa_pkg::OpIadd || op == isa_pkg::OpIadd64) &&
                 mod[isa_pkg::AddCoutPlus1Lsb+:isa_pkg::AddCoutPlus1Width] != 3'd0);
      last_q <= !twice || second;
      if (first) tag1_q <= req_i.tag;
    end
  end

  // The addend travels beside the product, zero beside other results; its upper half counts for IMAD.WIDE only.
  always_ff @(posedge clk_i) begin
    if (first || rest) begin
      if (int_pkg::adds(op)) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          addend_q[lane] <= int_pkg::word_t'({fresh ? hi_i.c_hi[lane] : hold_c_hi_q[lane],
                                              fresh ? req_i.c[lane] : hold_c_q[lane]});
        end
      end else begin
        addend_q <= '0;
      end
    end
  end

  // ---- stage 2: add into the top of the response row, which moves down a beat ----------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  logic lower_we, upper_we;
  assign lower_we = !upper_q;
  assign upper_we = Pairs ? upper_q : wide_q;

  always_ff @(posedge clk_i) begin
    if (en && valid[0]) begin
      if (we_q && (wide_q || last_q)) begin
        if (lower_we) begin
          for (int unsigned lane = Lanes; lane < sm_pkg::RowLanes; lane++) rsp_q.d[lane-Lanes] <= rsp_q.d[lane];
        end
        if (upper_we) begin
          for (int unsigned lane = Lanes; lane < sm_pkg::RowLanes; lane++) begin
            rsp_q.d_hi[lane-Lanes] <= rsp_q.d_hi[lane];
          end
        end
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (mask1_q[lane]) begin
            logic [33:0] low;
            logic        one;  // a bit below the sums carries in
            one = (Pairs && second_q) ? carry_q[lane] : complete_q[lane];
            low = {1'b0, value_q[lane][31:0], one} + {1'b0, addend_q[lane][31:0], one};
            if (Pairs) carry_q[lane] <= low[33];
            if (lower_we) rsp_q.d[Top+lane] <= low[32:1];
            if (upper_we) begin
              rsp_q.d_hi[Top+lane] <= Pairs ? low[32:1] :
                                      32'(({value_q[lane][int_pkg::Bits-1:int_pkg::Bits-32], low[33]} +
                                           {addend_q[lane][int_pkg::Bits-1:int_pkg::Bits-32], low[33]}) >> 1);
            end
          end
        end
      end
      if (p_we_q && last_q) begin
        rsp_q.p <= sm_pkg::RowLanes'({p1_q, rsp_q.p} >> Lanes);
        rsp_q.q <= sm_pkg::RowLanes'({q1_q, rsp_q.q} >> Lanes);
      end
      rsp_q.tag <= tag1_q;
      rsp_q.we <= we_q;
      rsp_q.wide <= wide_q;
      rsp_q.p_we <= p_we_q;
    end
  end

endmodule
