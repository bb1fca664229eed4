// SPDX-License-Identifier: Apache-2.0
// Instruction fetch of a sub-partition: for each warp the PC of the running split and a buffer of two
// sectors (8 instructions), and the choice of one warp a cycle whose next instruction goes to decode.
//
//   PC 0x48: sector 2 sits in place 0 (sector number's low bit), sector 3 in place 1 is fetched ahead.
//   A loop within sector 2 is never fetched again; one over sectors 2 and 3 is: 4 takes the place of 2.
//
// Where the memory port is narrow a sector comes in pieces, one a cycle, from the lowest on; it is there with the last.
// A warp runs ahead until a control instruction; then it stands still until jump_* tells where the
// running split goes on. Each warp has at most one fetch under way. A sector that could not be fetched
// is an error only when an instruction in it is wanted.
module fetch #(
  // PCs are a memory of one write port: nothing is decoded in the cycle of a jump or a start. A warp is chosen in one
  // cycle, for decode or to fetch, and what it stands at is read in the next; its word comes from block RAM, read as it
  // is chosen. The choice of a small multiprocessor; start and jump then never come together.
  parameter bit                      OnePort = sm_pkg::RowSlices > 1,
  // Cycles that a warp stands still before it goes on elsewhere than behind its control instruction, and where that
  // had its target from a register; and before it goes on behind a branch that it does not take, a BSYNC and a BAR.
  parameter int unsigned             JumpLag = 32'(config_pkg::Latency[isa_pkg::LatCtl]),
  parameter int unsigned             IndirectLag = 32'(config_pkg::Latency[isa_pkg::LatIndirect]),
  parameter int unsigned             FallLag = 32'(config_pkg::Latency[isa_pkg::LatFall]),
  parameter int unsigned             JoinLag = 32'(config_pkg::Latency[isa_pkg::LatJoin]),
  parameter int unsigned             BarLag = 32'(config_pkg::Latency[isa_pkg::LatBar])
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [31:0]                code_size_i,
  // A warp begins, or its running split goes on at a PC.
  input  logic                       start_valid_i,
  input  core_pkg::warp_t            start_warp_i,
  input  logic [31:0]                start_pc_i,
  input  logic                       jump_valid_i,
  input  core_pkg::warp_t            jump_warp_i,
  input  logic [31:0]                jump_pc_i,
  // Instruction cache.
  output logic                       req_valid_o,
  input  logic                       req_ready_i,
  output core_pkg::warp_t            req_warp_o,
  output logic [31:5]                req_sector_o,
  input  logic                       rsp_valid_i,
  input  core_pkg::warp_t            rsp_warp_i,
  input  core_pkg::fetch_error_e     rsp_error_i,
  input  mem_pkg::piece_t            rsp_piece_i,   // of the sector asked for
  input  logic [mem_pkg::PieceBits-1:0] rsp_data_i,
  // Decode: always taken.
  input  core_pkg::warps_t           free_i,        // warps whose decoded slot is empty
  output logic                       decode_valid_o,
  output core_pkg::warp_t            decode_warp_o,
  output logic [31:0]                decode_pc_o,
  output logic [63:0]                decode_word_o,
  output core_pkg::fetch_error_e     decode_error_o,
  output logic                       busy_o         // a fetch is under way
);

  localparam int unsigned Warps = core_pkg::Warps;
  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned Words = 4 / Pieces;       // instructions of a piece
  localparam int unsigned PlaceW = core_pkg::LocalWarpW + 1;
  localparam int unsigned Places = 2**PlaceW;
  localparam int unsigned AtW = PlaceW + $clog2(Pieces);
  typedef core_pkg::warp_t warp_t;

  // Where the buffer has a piece of the sector in a place.
  function automatic logic [AtW-1:0] at(input logic [PlaceW-1:0] place, input mem_pkg::piece_t piece);
    return AtW'({place, piece} >> (Pieces > 1 ? 0 : 1));
  endfunction

  // And the piece that has the instruction at a PC, of which these are bits.
  function automatic logic [AtW-1:0] at_pc(input warp_t warp, input logic [5:3] pc);
    return at({warp, pc[5]}, Pieces > 1 ? pc[4-:mem_pkg::PieceW] : '0);
  endfunction

  core_pkg::warps_t run_q;       // may decode
  core_pkg::warps_t have_q;      // the sector of the PC is in its place
  core_pkg::warps_t next_q;      // the sector after it too
  core_pkg::warps_t pending_q;   // a fetch is under way
  warp_t            turn_decode_q, turn_fetch_q;

  logic [31:0]            pc_q [Warps];
  logic [31:5]            asked_q [Warps];
  // Two places a warp, by the sector number's lowest bit.
  logic [31:5]            tag_q [Places];
  core_pkg::fetch_error_e error_q [Places];
  logic [Places-1:0]      valid_q;

  // ---- choose a warp to decode ---------------------------------------------------------------------
  core_pkg::warps_t ready;
  warp_t            chosen;
  logic [Words-1:0][63:0] words;   // the piece that has its instruction
  logic [31:5]            rsp_sector;
  logic [AtW-1:0]         rsp_at;
  assign rsp_at = at({rsp_warp_i, rsp_sector[5]}, rsp_piece_i);
  assign ready = run_q & have_q & free_i;
  if (!OnePort) begin : g_choose_now
    logic [Words-1:0][63:0] data_q [Places*Pieces];
    assign decode_valid_o = ready != '0;
    always_comb begin
      chosen = '0;
      words = '0;
      if (decode_valid_o) begin
        chosen = core_pkg::next_warp(ready, turn_decode_q);
        words = data_q[at_pc(chosen, pc_q[chosen][5:3])];
      end
    end
    always_ff @(posedge clk_i) begin
      if (rsp_valid_i) data_q[rsp_at] <= rsp_data_i;
    end
  end else begin : g_choose_before
    // A word that is written as it is read is not taken: the first of several pieces takes have_q away; one that is a
    // whole sector may bring what was there, for a warp that asked again.
    (* no_rw_check, ram_style = "block" *) logic [Words-1:0][63:0] data_q [Places*Pieces];
    logic [Words-1:0][63:0] words_q;
    logic  waits_q, came;
    warp_t chosen_q, next;
    assign next = core_pkg::next_warp(ready, turn_decode_q);
    always_ff @(posedge clk_i) begin
      waits_q <= rst_ni && (waits_q ? jump_valid_i || start_valid_i : ready != '0);
      if (!waits_q) begin
        chosen_q <= next;
        words_q <= data_q[at_pc(next, pc_q[next][5:3])];
      end
    end
    always_ff @(posedge clk_i) begin
      if (rsp_valid_i) data_q[rsp_at] <= rsp_data_i;
    end
    if (Pieces == 1) begin : g_came
      logic  came_q;
      warp_t warp_q;
      always_ff @(posedge clk_i) begin
        came_q <= rsp_valid_i;
        warp_q <= rsp_warp_i;
      end
      assign came = came_q && warp_q == chosen_q;
    end else begin : g_pieces
      assign came = 1'b0;
    end
    // A response may have taken the place of its sector meanwhile.
    assign decode_valid_o = waits_q && have_q[chosen_q] && !came && !jump_valid_i && !start_valid_i;
    assign chosen = chosen_q;
    assign words = words_q;
  end

  logic [PlaceW-1:0] place;
  logic [31:0] pc_next;
  logic        stop, leaves;  // at a control instruction or an error; the sector
  always_comb begin
    decode_warp_o = '0;
    decode_pc_o = '0;
    place = '0;
    decode_word_o = '0;
    decode_error_o = core_pkg::FetchOk;
    if (OnePort || decode_valid_o) begin
      decode_warp_o = chosen;
      decode_pc_o = pc_q[decode_warp_o];
      place = {decode_warp_o, decode_pc_o[5]};
      decode_word_o = words[32'(decode_pc_o[4:3]) % Words];
      decode_error_o = error_q[place];
      if (decode_pc_o[2:0] != 3'd0 || decode_pc_o >= code_size_i) decode_error_o = core_pkg::FetchPc;
    end
    pc_next = decode_pc_o + 32'd8;
    // Control instructions have opcodes below 0x20.
    stop = decode_word_o[7:5] == 3'd0 || decode_error_o != core_pkg::FetchOk;
    leaves = decode_pc_o[4:3] == 2'd3;
  end

  // ---- ask for a sector: what a warp stands at comes before what it will reach ------------------------
  core_pkg::warps_t want, want_next;
  logic [31:0] req_pc;
  assign want = run_q & ~have_q & ~pending_q;
  assign want_next = run_q & have_q & ~next_q & ~pending_q;
  warp_t       asks;
  logic        ahead;  // for what it will reach
  if (!OnePort) begin : g_ask_now
    assign req_valid_o = (want | want_next) != '0;
    assign ahead = want == '0;
    always_comb begin
      asks = '0;
      if (req_valid_o) asks = core_pkg::next_warp(want != '0 ? want : want_next, turn_fetch_q);
    end
  end else begin : g_ask_before
    logic  waits_q, ahead_q;
    warp_t asks_q;
    always_ff @(posedge clk_i) begin
      waits_q <= rst_ni && (waits_q ? !req_ready_i : (want | want_next) != '0);
      if (!waits_q) begin
        asks_q <= core_pkg::next_warp(want != '0 ? want : want_next, turn_fetch_q);
        ahead_q <= want == '0;
      end
    end
    assign {req_valid_o, asks, ahead} = {waits_q, asks_q, ahead_q};
  end
  always_comb begin
    req_warp_o = '0;
    req_pc = '0;
    req_sector_o = '0;
    if (OnePort || req_valid_o) begin
      req_warp_o = asks;
      req_pc = pc_q[asks];
      req_sector_o = req_pc[31:5] + 27'(ahead);
    end
  end

  logic come;  // of a response: its last piece, the sector is there
  assign come = Pieces == 1 || rsp_piece_i == mem_pkg::piece_t'(Pieces - 1);

  // Is this sector in the warp's buffer, now or with the response of this cycle?
  function automatic logic holds(input warp_t warp, input logic [31:5] sector, input logic answer, input logic [31:5] brings,
                                 input logic valid, input logic [31:5] tag);
    return (answer && come && rsp_warp_i == warp && brings == sector) ||
           // The response overwrites what the place held.
           (!(answer && rsp_warp_i == warp && brings[5] == sector[5]) && valid && tag == sector);
  endfunction

  // How far behind its warp's PC the sector is that comes: 0 and 1 are the places of the buffer, 2 is the next one of a
  // warp that leaves its sector right now.
  logic [31:5] distance;
  logic        near;
  always_comb begin
    rsp_sector = '0;
    distance = '0;
    if (OnePort || rsp_valid_i) begin
      rsp_sector = asked_q[rsp_warp_i];
      distance = rsp_sector - pc_q[rsp_warp_i][31:5];
    end
    near = distance[31:7] == '0;
  end
  assign busy_o = pending_q != '0 || (OnePort && req_valid_o);

  // ---- control instructions that take longer -----------------------------------------------------------
  function automatic int unsigned longer(input int unsigned a, input int unsigned b);
    return a > b ? a : b;
  endfunction
  localparam int unsigned LongestLag = longer(longer(longer(JumpLag, IndirectLag), longer(FallLag, JoinLag)), BarLag);
  logic             far;   // this jump is one
  core_pkg::warps_t late;  // warps whose time is over
  if (LongestLag == 0) begin : g_jump_at_once
    assign {far, late} = '0;
  end else begin : g_jump_later
    core_pkg::warps_t [LongestLag-1:0] late_q, waits;  // [0]: in this cycle
    logic [7:0]       op_q [Warps];  // of the control instruction that a warp stands at
    logic [31:0]      lag;
    always_comb begin
      lag = '0;
      if (jump_valid_i) begin
        case (op_q[jump_warp_i])
          isa_pkg::OpBar, isa_pkg::OpCbar:                   lag = BarLag;
          isa_pkg::OpBrx, isa_pkg::OpCallx, isa_pkg::OpRet:  lag = IndirectLag;
          default:                                           lag = JumpLag;
        endcase
        // It goes on behind it.
        if (jump_pc_i == pc_q[jump_warp_i]) begin
          case (op_q[jump_warp_i])
            isa_pkg::OpBar, isa_pkg::OpCbar: ;
            isa_pkg::OpBra:                  lag = FallLag;
            isa_pkg::OpBsync:                lag = JoinLag;
            default:                         lag = '0;
          endcase
        end
      end
      far = lag != '0;
      waits = late_q >> $bits(core_pkg::warps_t);
      if (far) waits[lag-1][jump_warp_i] = 1'b1;
    end
    assign late = late_q[0];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) late_q <= '0;
      else if (far || late_q != '0) late_q <= waits;
      if (decode_valid_o && stop) op_q[decode_warp_o] <= decode_word_o[7:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q <= '0;
      have_q <= '0;
      next_q <= '0;
      pending_q <= '0;
      valid_q <= '0;
      turn_decode_q <= '0;
      turn_fetch_q <= '0;
    end else begin
      if (req_valid_o && req_ready_i) begin
        pending_q[req_warp_o] <= 1'b1;
        asked_q[req_warp_o] <= req_sector_o;
        turn_fetch_q <= req_warp_o;
      end
      if (rsp_valid_i) begin
        if (come) pending_q[rsp_warp_i] <= 1'b0;
        tag_q[{rsp_warp_i, rsp_sector[5]}] <= rsp_sector;
        error_q[{rsp_warp_i, rsp_sector[5]}] <= rsp_error_i;
        valid_q[{rsp_warp_i, rsp_sector[5]}] <= come;
        // After a jump the sector that comes may be another than the one wanted, and takes its place.
        if (!distance[5]) have_q[rsp_warp_i] <= come && near && distance[6:5] == 2'd0;
        else next_q[rsp_warp_i] <= come && near && distance[6:5] == 2'd1;
      end
      if (decode_valid_o) begin
        turn_decode_q <= decode_warp_o;
        pc_q[decode_warp_o] <= pc_next;
        if (stop) run_q[decode_warp_o] <= 1'b0;
        if (leaves) begin
          have_q[decode_warp_o] <= rsp_valid_i && rsp_warp_i == decode_warp_o && distance[5]
                                     ? come && near && distance[6:5] == 2'd1 : next_q[decode_warp_o];
          // Its place still holds the sector just left, unless that is overwritten right now.
          next_q[decode_warp_o] <= rsp_valid_i && come && rsp_warp_i == decode_warp_o && near && distance[6:5] == 2'd2;
        end
      end
      if (jump_valid_i && !(OnePort && start_valid_i)) begin
        pc_q[jump_warp_i] <= jump_pc_i;
        run_q[jump_warp_i] <= !far;
        have_q[jump_warp_i] <= holds(jump_warp_i, jump_pc_i[31:5], rsp_valid_i, rsp_sector,
                                     valid_q[{jump_warp_i, jump_pc_i[5]}], tag_q[{jump_warp_i, jump_pc_i[5]}]);
        next_q[jump_warp_i] <= holds(jump_warp_i, jump_pc_i[31:5] + 27'd1, rsp_valid_i, rsp_sector,
                                     valid_q[{jump_warp_i, ~jump_pc_i[5]}], tag_q[{jump_warp_i, ~jump_pc_i[5]}]);
      end
      for (int unsigned w = 0; w < Warps; w++) if (late[w]) run_q[w] <= 1'b1;
      if (start_valid_i) begin
        pc_q[start_warp_i] <= start_pc_i;
        run_q[start_warp_i] <= 1'b1;
        have_q[start_warp_i] <= 1'b0;
        next_q[start_warp_i] <= 1'b0;
        valid_q[{start_warp_i, 1'b0}] <= 1'b0;
        valid_q[{start_warp_i, 1'b1}] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_port: assert (!(OnePort && jump_valid_i && start_valid_i)) else $error("fetch: jump and start in one cycle");
      // A split that jumps stood still: else an instruction of the old path is decoded.
      a_jump_stopped: assert (!jump_valid_i || !run_q[jump_warp_i]) else $error("fetch: jump of a running warp");
      // Only what was asked for is answered.
      a_answer: assert (!rsp_valid_i || pending_q[rsp_warp_i]) else $error("fetch: answer to nothing");
    end
  end

endmodule
