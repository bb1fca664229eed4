// SPDX-License-Identifier: Apache-2.0
// Instructions whose results depend on other lanes: VOTE, BALLOT, MATCH, SHFL, REDUX, over the lanes of the mask.
//
//   rows whole   the request is taken with its first step; the response is valid a cycle after the last one. VOTE, BALLOT,
//                SHFL take one step; REDUX five, each putting pairs together in the response's row; MATCH, which keeps a,
//                one for each different value among the lanes
//   slices       a lane a cycle: as the slices of a come in they are kept (SHFL, MATCH) or put together (the others); then
//                the answers go out. MATCH goes over all lanes for each lane, unless all are alike
//
// Lanes outside the mask hold anything.
module warp_unit (
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

  localparam int unsigned RowLanes = sm_pkg::RowLanes;
  localparam int unsigned Warp = sm_pkg::WarpSize;

  if (sm_pkg::RowSlices == 1) begin : g_rows
    logic              rsp_valid_q, begun_q;  // the request's first step is done
    sm_pkg::exec_rsp_t rsp_q;
    logic [7:0]        op_q;     // of later steps; their tag is the response's
    logic [17:0]       mod_q;
    sm_pkg::row_t      a_q;      // MATCH
    sm_pkg::mask_t     left_q;   // MATCH: lanes without an answer
    logic [2:0]        level_q;  // REDUX
    sm_pkg::lag_t    rests_q;  // MATCH: cycles until the next value is looked for

    logic              free, takes, works, last;
    logic [7:0]        op;
    logic [17:0]       mod;
    sm_pkg::mask_t     mask, left, same;
    logic [4:0]        lead;
    logic              all;

    assign rsp_valid_o = rsp_valid_q;
    assign rsp_o = rsp_q;
    assign busy_o = begun_q || rsp_valid_q;
    assign free = !begun_q && (!rsp_valid_q || rsp_ready_i);
    assign takes = req_valid_i && free;
    assign works = takes || (begun_q && rests_q == '0);
    assign req_ready_o = free;
    assign req_soon_o = free && !req_valid_i;
    assign op = begun_q ? op_q : req_i.op;
    assign mod = begun_q ? mod_q : req_i.mod;
    assign mask = begun_q ? rsp_q.tag.mask : req_i.tag.mask;

    always_comb begin
      left = begun_q ? left_q : mask;
      lead = '0;
      same = '0;
      if (works && op == isa_pkg::OpMatch) begin
        lead = prim_pkg::first32(left);
        for (int unsigned lane = 0; lane < Warp; lane++)
          same[lane] = left[lane] && (begun_q ? a_q[lane] == a_q[lead] : req_i.row[sm_pkg::A][lane] == req_i.row[sm_pkg::A][lead]);
      end
      all = !begun_q && same == mask;
      case (op)
        isa_pkg::OpMatch: last = same == left || mod[isa_pkg::MatchAllLsb];
        isa_pkg::OpRedux: last = level_q == 3'd4;
        default:          last = 1'b1;
      endcase
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        rsp_valid_q <= 1'b0;
        begun_q <= 1'b0;
        level_q <= '0;
        rests_q <= '0;
      end else begin
        if (works) begin
          begun_q <= !last;
          rests_q <= op == isa_pkg::OpMatch && !last ? config_pkg::Latency[isa_pkg::LatValue] : '0;
          level_q <= last ? '0 : level_q + 3'd1;
        end else if (rests_q != '0) begin
          rests_q <= rests_q - 1'b1;
        end
        if (works || rsp_ready_i) rsp_valid_q <= works && last;
      end
    end

    always_ff @(posedge clk_i) begin
      if (takes) {op_q, mod_q} <= {req_i.op, req_i.mod};
      if (takes && req_i.op == isa_pkg::OpMatch) a_q <= req_i.row[sm_pkg::A];
    end

    always_ff @(posedge clk_i) begin
      if (works) begin : step
        automatic sm_pkg::mask_t     p = '0;
        automatic sm_pkg::exec_rsp_t rsp = rsp_q;
        if (takes) rsp.tag = req_i.tag;
        rsp.we = op != isa_pkg::OpVote;
        rsp.wide = 1'b0;
        rsp.index = '0;
        rsp.last = 1'b1;
        rsp.p_we = op inside {isa_pkg::OpVote, isa_pkg::OpMatch, isa_pkg::OpShfl};
        case (op)
          isa_pkg::OpVote:
            p = {Warp{warp_pkg::vote(mod, (sm_pkg::mask_t'(req_i.p) & mask) != '0,
                                     (~sm_pkg::mask_t'(req_i.p) & mask) != '0)}};
          isa_pkg::OpBallot: rsp.d = {Warp{sm_pkg::mask_t'(req_i.p) & mask}};
          isa_pkg::OpMatch: begin
            p = {Warp{all}};
            left_q <= left & ~same;
            for (int unsigned lane = 0; lane < Warp; lane++) begin
              if (mod[isa_pkg::MatchAllLsb]) rsp.d[lane] = all ? mask : '0;
              else if (same[lane]) rsp.d[lane] = same;
            end
          end
          isa_pkg::OpShfl: begin
            for (int unsigned lane = 0; lane < Warp; lane++) begin
              warp_pkg::place_t place;
              place = warp_pkg::place(mod, 5'(lane), req_i.row[sm_pkg::B][lane][4:0], req_i.row[sm_pkg::C][lane]);
              p[lane] = place.found;
              if (!place.found) place.lane = 5'(lane);
              rsp.d[lane] = mask[place.lane] ? req_i.row[sm_pkg::A][place.lane] : '0;
            end
          end
          default: begin  // REDUX: value k from values 2k and 2k + 1; the last step gives the result to all
            for (int unsigned pair = 0; pair < Warp / 2; pair++) begin
              logic [31:0] x, y;
              x = rsp_q.d[2*pair];
              y = rsp_q.d[2*pair+1];
              if (!begun_q) begin
                x = mask[2*pair] ? req_i.row[sm_pkg::A][2*pair] : warp_pkg::neutral(mod);
                y = mask[2*pair+1] ? req_i.row[sm_pkg::A][2*pair+1] : warp_pkg::neutral(mod);
              end
              if (pair == 0 && last) rsp.d = {Warp{warp_pkg::reduce(mod, x, y)}};
              else if (!last) rsp.d[pair] = warp_pkg::reduce(mod, x, y);
            end
          end
        endcase
        rsp.p = sm_pkg::lanes_t'(p);
        rsp.q = ~sm_pkg::lanes_t'(p);
        rsp_q <= rsp;
      end
    end
  end else begin : g_slices
    localparam int unsigned LaneW = $clog2(RowLanes);
    typedef enum logic [2:0] {
      Take,  // lanes come in
      Begin, // all are there
      Key,   // MATCH: a lane's value
      Scan,  // compared with all
      Give,  // a lane's answer goes to the response
      Wait   // whose slice is complete
    } state_e;

    state_e             state_q, answer;
    logic [4:0]         lane_q;              // in Scan: the lane to answer
    logic [4:0]         scan_q;
    logic [31:0]        value_q [Warp];      // a of all lanes
    warp_pkg::place_t   place_q [Warp];      // SHFL: whose value a lane gets, 0 unless found
    logic [31:0]        sum_q;               // a bit a lane (lane 0 the lowest, once all are in), or REDUX's value
    logic [31:0]        key_q;
    logic               some_q, ones_q, zeros_q, differs_q;  // of lanes so far
    sm_pkg::tag_t       tag_q;
    logic [7:0]         op_q;
    logic [17:0]        mod_q;
    sm_pkg::row_t       d_q;
    sm_pkg::lanes_t     p_q;

    // ---- a lane that comes ------------------------------------------------------------------------------------
    logic             takes, executes, some;
    logic [LaneW-1:0] at;  // within the slice
    logic [31:0]      a;
    warp_pkg::place_t place;
    logic [4:0]       from;
    assign takes = state_q == Take && req_valid_i;
    assign at = LaneW'(lane_q);
    assign a = req_i.row[sm_pkg::A][at];
    assign some = some_q && lane_q != '0;
    assign executes = req_i.tag.mask[lane_q];
    assign place = warp_pkg::place(req_i.mod, lane_q, req_i.row[sm_pkg::B][at][4:0], req_i.row[sm_pkg::C][at]);
    assign from = place.found ? place.lane : lane_q;
    assign req_ready_o = state_q == Take && (!req_valid_i || at == '1);
    assign req_soon_o = 1'b0;

    // ---- a lane that is answered -------------------------------------------------------------------------------
    warp_pkg::place_t source;
    logic [31:0] value;    // read
    logic [4:0]  index;
    logic        alike, scans;
    always_comb begin
      index = lane_q;
      if (state_q == Scan) index = scan_q;
      if (op_q == isa_pkg::OpShfl) index = source.lane;
    end
    assign source = place_q[lane_q];
    assign value = value_q[index];
    assign alike = (state_q == Take ? a : value) == key_q;
    assign scans = op_q == isa_pkg::OpMatch && !mod_q[isa_pkg::MatchAllLsb] && differs_q;
    assign answer = scans ? Key : Give;

    logic [31:0] d;
    logic        p;
    always_comb begin
      d = sum_q;
      if (op_q == isa_pkg::OpShfl) d = source.found ? value : '0;
      if (op_q == isa_pkg::OpMatch && !scans) d = differs_q ? '0 : tag_q.mask;
      p = !differs_q;
      if (op_q == isa_pkg::OpVote) p = warp_pkg::vote(mod_q, ones_q, zeros_q);
      if (op_q == isa_pkg::OpShfl) p = sum_q[0];
    end

    assign rsp_valid_o = state_q == Wait;
    assign busy_o = state_q != Take || lane_q != '0;
    always_comb begin
      rsp_o = '{tag: tag_q, we: op_q != isa_pkg::OpVote, wide: 1'b0, index: '0, last: lane_q == '0,
                p_we: op_q inside {isa_pkg::OpVote, isa_pkg::OpMatch, isa_pkg::OpShfl}, d: d_q, d_hi: '0, p: p_q, q: ~p_q};
      rsp_o.tag.slice = sm_pkg::slice_t'((lane_q - 5'd1) >> LaneW);
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        state_q <= Take;
        lane_q <= '0;
      end else begin
        if (takes || state_q == Give) lane_q <= lane_q + 5'd1;
        case (state_q)
          Take:    if (takes && lane_q == '1) state_q <= Begin;
          Begin:   state_q <= answer;
          Key:     state_q <= Scan;
          Scan:    if (scan_q == '1) state_q <= Give;
          Give:    state_q <= at == '1 ? Wait : answer;
          default: if (rsp_ready_i) state_q <= lane_q == '0 ? Take : answer;
        endcase
      end
    end

    always_ff @(posedge clk_i) begin
      if (takes) begin
        {tag_q, op_q, mod_q} <= {req_i.tag, req_i.op, req_i.mod};
        value_q[lane_q] <= a;
        place_q[lane_q] <= '{found: req_i.tag.mask[from], lane: from};
        some_q <= some || executes;
        ones_q <= (some && ones_q) || (executes && req_i.p[at]);
        zeros_q <= (some && zeros_q) || (executes && !req_i.p[at]);
        differs_q <= some && (differs_q || (executes && !alike));
        if (!some) key_q <= a;
      end
      if (state_q == Key) key_q <= value;
      scan_q <= state_q == Scan ? scan_q + 5'd1 : '0;
    end

    // Bits come in at the top.
    logic bit_in;
    always_comb begin
      bit_in = executes && req_i.p[at];
      if (state_q == Scan) bit_in = tag_q.mask[scan_q] && alike;
      else if (req_i.op == isa_pkg::OpShfl) bit_in = place.found;
    end
    always_ff @(posedge clk_i) begin
      if (takes && req_i.op == isa_pkg::OpRedux) begin
        if (executes) sum_q <= some ? warp_pkg::reduce(req_i.mod, sum_q, a) : a;
      end else if (takes || state_q == Scan || (state_q == Give && op_q == isa_pkg::OpShfl)) begin
        sum_q <= {bit_in, sum_q[31:1]};
      end
      if (state_q == Give) begin
        d_q <= {d, d_q[RowLanes-1:1]};
        p_q <= {p, p_q[RowLanes-1:1]};
      end
    end
  end

endmodule
