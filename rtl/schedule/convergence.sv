// SPDX-License-Identifier: Apache-2.0
// Convergence unit of a sub-partition: executes control instructions and decides which lanes of each warp
// run. Works on one warp at a time; an undiverged branch takes one cycle.
//
//   @P0 BRA far with lanes 0-3 taken: {far, 0000000f} is queued, lanes 4-31 go on at the next PC
//   BSYNC B0, lanes 4-31: arrived = fffffff0, expected = ffffffff: they wait; the queue's head runs
//   BSYNC B0, lanes 0-3:  all are there: ffffffff goes on at B0's target
//
// A live lane is in exactly one place: the running split, the split queue, arrived at a convergence
// barrier, or parked (WARPSYNC, block barrier). When nothing runs: the queue's head, else the lanes
// arrived at some barrier go on without the rest. Progress: a split that took yield_branches backward
// branches while others wait goes to the tail. Where the others have all arrived at barriers, branches of
// loops that load nothing count 1/64: such a loop cannot wait for another lane.
//
// Splits that become ready by one event queue in this order: convergence barriers by number; WARPSYNC masks
// by the lowest place of their groups (a group parks at the lowest free place), of one mask by place, joined where
// they go on at one PC; groups of a block barrier by place. Lanes that go on without the rest: the lowest
// barrier's, else the WARPSYNC group of the lowest place unless some lanes wait at a block barrier.
module convergence #(
  // Queue, barriers and parked groups are block RAM: a step that reads one takes a cycle more. The choice of
  // a small multiprocessor; undiverged code reads none of them.
  parameter bit                      BlockRam = sm_pkg::RowSlices > 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [15:0]                yield_branches_i,
  input  logic [15:0]                cycle_i,          // for NANOSLEEP
  input  logic                       start_valid_i,    // a warp begins
  input  core_pkg::warp_t            start_warp_i,
  input  sm_pkg::mask_t              start_mask_i,
  // Running split of the issuing warp, combinational.
  input  core_pkg::warp_t            read_warp_i,
  output sm_pkg::mask_t              read_active_o,
  input  logic                       load_valid_i,     // the warp issues a load or an atomic
  // Control instructions, one at a time.
  output logic                       ready_o,
  input  logic                       valid_i,
  input  core_pkg::control_t         control_i,
  input  sm_pkg::warp_row_t          row_i,            // BRX, CALLX, RET: a PC a lane; stays until ready_o
  // The running split goes on here.
  output logic                       jump_valid_o,
  output core_pkg::warp_t            jump_warp_o,
  output logic [31:0]                jump_pc_o,
  // Results of CALL, CALLX, BAR.RED.
  output logic                       result_valid_o,
  input  logic                       result_ready_i,
  output convergence_pkg::result_t   result_o,
  // Block barriers.
  output logic                       arrive_valid_o,
  input  logic                       arrive_ready_i,
  output core_pkg::arrive_t          arrive_o,         // warp is set outside
  output core_pkg::warp_t            arrive_warp_o,
  input  logic                       release_valid_i,
  output logic                       release_ready_o,
  input  core_pkg::release_t         release_i,
  // State.
  output core_pkg::warps_t           ended_o,          // no live lane
  output core_pkg::warps_t           waiting_o,        // every live lane waits at a barrier
  output logic                       trap_valid_o,
  output core_pkg::control_t         trap_o
);

  import convergence_pkg::*;
  localparam int unsigned Warps = core_pkg::Warps;
  localparam int unsigned LaneW = $clog2(sm_pkg::RowLanes);
  typedef core_pkg::warp_t warp_t;
  typedef sm_pkg::mask_t mask_t;

  typedef enum logic [2:0] {
    Idle,     // takes a control instruction, a release, or a sleeper that wakes
    Targets,  // BRX, CALLX, RET: one target a cycle, or one slice of lanes
    Settle,   // lanes left or came: which barriers and WARPSYNCs are complete now? one a cycle
    Gather,   // parked groups of one WARPSYNC mask, one a cycle
    Free,     // they go on, those at one PC together; one group a cycle
    Open,     // a block barrier opened: one parked group a cycle
    Force,    // yields, and no other split: lanes arrived at a barrier go on
    Next      // chooses what runs next
  } state_e;

  // ---- per warp ----------------------------------------------------------------------------------------
  warp_state_t state_of_q [Warps];  // read and written as one: a memory of one write port
  logic [15:0] wake_q [Warps];     // sleepers
  logic [31:0] resume_q [Warps];
  core_pkg::warps_t loaded_q, sleep_q, ended_q, waiting_q;
  warp_t       sleeper_q;          // looks at one sleeping warp after the other
  split_t      queue_q [Warps*Places];
  barrier_t    barrier_q [Warps*Barriers];
  parked_t     parked_q [Warps*Places];

  // BlockRam: what the cycle before read.
  logic               looked_q;
  split_t             queue_read_q;
  barrier_t           barrier_read_q;
  parked_t            parked_read_q;

  state_e             state_q;
  logic               valid_q;     // control_q waits or executes
  core_pkg::control_t control_q;
  core_pkg::release_t release_q;
  warp_t              warp_q;      // of the states after Idle
  logic [15:0]        barriers_q;  // Settle: barriers still to look at
  mask_t              groups_q;    // Settle: places of WARPSYNC groups still to look at
  mask_t              left_q;      // lanes or places still to look at
  mask_t              match_q;     // places found
  mask_t              found_q;     // their lanes
  logic [31:0]        key_q;       // Gather: the mask; Free, Targets: the PC
  sm_pkg::slice_t     slice_q;     // Targets: lanes looked at

  // An arrival that finds the last one not yet taken lets releases pass: the block barrier takes no
  // arrival before it has told all warps of a block, so waiting for each other would last forever.
  logic needs_arrive, stalled, releases;
  assign needs_arrive = control_q.op == isa_pkg::OpExit || control_q.op == isa_pkg::OpBar;
  assign stalled = valid_q && needs_arrive && arrive_valid_o && !arrive_ready_i;
  assign releases = release_valid_i && (!valid_q || stalled);

  assign ready_o = !valid_q && state_q == Idle;
  assign read_active_o = state_of_q[read_warp_i].active;
  // A warp counts as ended once the block barrier knows: else its message could reach the slot's next block.
  assign ended_o = arrive_valid_o && arrive_o.ends ? ended_q & ~(core_pkg::warps_t'(1) << arrive_warp_o) : ended_q;
  assign waiting_o = waiting_q;
  assign release_ready_o = state_q == Idle && !start_valid_i && (!valid_q || stalled) && !(result_valid_o && !result_ready_i);

  // Which barrier and which parked group this cycle looks at.
  logic        idle;
  warp_t       w;
  warp_state_t now;
  logic [3:0]  bar;
  logic [4:0]  place;
  logic [15:0] bar_bit;
  mask_t       place_bit;
  assign idle = state_q == Idle;
  assign w = !idle ? warp_q : releases ? release_i.warp : valid_q ? control_q.warp : sleeper_q;
  assign now = state_of_q[w];
  always_comb begin
    mask_t       places;
    logic [15:0] bars;
    places = left_q;
    bars = barriers_q;
    case (state_q)
      Idle:        places = ~(now.syncs | now.blocks);
      Settle:      places = groups_q;
      Next, Force: begin
        bars = now.here;
        places = now.syncs;
      end
      default: ;
    endcase
    place_bit = prim_pkg::lowest32(places);
    place = prim_pkg::index32(place_bit);
    bar_bit = idle ? 16'd1 << control_q.bar : 16'(prim_pkg::lowest32(32'(bars)));
    bar = 4'(prim_pkg::index32(32'(bar_bit)));
  end

  // The instruction answers with a register: its output must be free.
  logic needs_result;
  assign needs_result = control_q.op == isa_pkg::OpCall || control_q.op == isa_pkg::OpCallx ||
                        control_q.op == isa_pkg::OpBar;

  sm_pkg::row_t [sm_pkg::RowSlices-1:0] rows;
  assign rows = row_i;

  // Does this step read one of the memories, and is it time for it? The start of a warp goes first.
  logic reads, steps;
  assign reads = idle ? valid_q && !releases && (control_q.op == isa_pkg::OpBssy || control_q.op == isa_pkg::OpBsync ||
                                                 control_q.op == isa_pkg::OpBreak)
                      : state_q != Targets;
  assign steps = (valid_q || !idle || release_valid_i || sleep_q != '0) && (!BlockRam || !reads || looked_q) &&
                 !start_valid_i;

  always_ff @(posedge clk_i) begin
    if (BlockRam && reads && !looked_q) begin
      queue_read_q <= queue_q[{w, now.head}];
      barrier_read_q <= barrier_q[{w, bar}];
      parked_read_q <= parked_q[{w, place}];
    end
  end
  always_ff @(posedge clk_i) begin
    looked_q <= BlockRam && rst_ni && reads && (!looked_q || start_valid_i);
  end

  always_ff @(posedge clk_i) begin
    // The warp at work: read here, written back at the end.
    logic        push, jump, answer, yields, b_write, p_write;
    mask_t       active, live, taken, need, syncs, blocks, rest;
    logic [5:0]  count;
    logic [4:0]  head;
    logic [15:0] armed, here;
    logic [21:0] spins;
    logic [31:0] jump_pc, next_pc, target;
    logic        state_write;
    warp_t       state_at;
    warp_state_t state;
    sm_pkg::row_t   row;
    sm_pkg::lanes_t lanes;
    split_t      pushed;
    barrier_t    b;
    parked_t     p;
    result_t     result;

    if (!rst_ni) begin
      state_q <= Idle;
      valid_q <= 1'b0;
      jump_valid_o <= 1'b0;
      result_valid_o <= 1'b0;
      arrive_valid_o <= 1'b0;
      trap_valid_o <= 1'b0;
      loaded_q <= '0;
      sleep_q <= '0;
      ended_q <= '0;
      waiting_q <= '0;
      sleeper_q <= '0;
    end else begin
      state_write = start_valid_i;
      state_at = start_valid_i ? start_warp_i : w;
      state = '{active: start_mask_i, live: start_mask_i, default: '0};
      jump_valid_o <= 1'b0;
      trap_valid_o <= 1'b0;
      if (result_ready_i) result_valid_o <= 1'b0;
      if (arrive_ready_i) arrive_valid_o <= 1'b0;
      if (load_valid_i) loaded_q[read_warp_i] <= 1'b1;
      if (valid_i) begin
        valid_q <= 1'b1;
        control_q <= control_i;
      end

      if (steps) begin
        active = now.active;
        live = now.live;
        head = now.head;
        count = now.count;
        armed = now.armed;
        here = now.here;
        syncs = now.syncs;
        blocks = now.blocks;
        spins = now.spins;
        b = BlockRam ? barrier_read_q : barrier_q[{w, bar}];
        p = BlockRam ? parked_read_q : parked_q[{w, place}];
        push = 1'b0;
        pushed = '{pc: b.target, mask: b.arrived};
        jump = 1'b0;
        answer = 1'b0;
        yields = 1'b0;
        b_write = 1'b0;
        p_write = 1'b0;
        taken = control_q.taken;
        rest = active & ~taken;
        next_pc = control_q.pc + 32'd8;
        target = next_pc + control_q.imm;
        jump_pc = next_pc;
        result = '{warp: w, seq: control_q.seq, rd: control_q.rd, pd: control_q.pd, mask: taken, value: next_pc};
        need = b.expected & live;

        case (state_q)
          Idle: begin
            warp_q <= w;
            if (valid_q && !releases) begin
              if (!stalled &&
                  !(needs_result && result_valid_o && !result_ready_i)) begin
                valid_q <= 1'b0;
                jump = 1'b1;
                case (control_q.op)
                  isa_pkg::OpBra, isa_pkg::OpCall: begin
                    answer = control_q.op == isa_pkg::OpCall;
                    if (taken != '0 && rest == '0) begin
                      jump_pc = target;
                      if (control_q.imm[31] && (count != '0 || here != '0)) begin
                        spins = spins + (count != '0 || loaded_q[w] ? 22'd64 : 22'd1);
                        yields = spins[21:6] >= yield_branches_i;
                      end
                      if (control_q.imm[31]) loaded_q[w] <= 1'b0;
                    end else if (taken != '0) begin
                      push = 1'b1;
                      pushed = '{pc: target, mask: taken};
                      active = rest;
                    end
                  end
                  isa_pkg::OpBrx, isa_pkg::OpCallx, isa_pkg::OpRet: begin
                    answer = control_q.op == isa_pkg::OpCallx;
                    left_q <= taken;
                    found_q <= '0;
                    slice_q <= '0;
                    if (taken != '0) begin
                      jump = 1'b0;
                      state_q <= Targets;
                    end
                  end
                  isa_pkg::OpExit: if (taken != '0) begin
                    live = live & ~taken;
                    active = rest;
                    jump = rest != '0;
                    if (live == '0) ended_q[w] <= 1'b1;
                    else if (here != '0 || syncs != '0) state_q <= Settle;
                    else if (rest == '0) state_q <= Next;
                    barriers_q <= here;
                    groups_q <= syncs;
                  end
                  isa_pkg::OpBssy: if (taken != '0 && !(armed[bar] && need != '0)) begin
                    b = '{target: target, expected: taken, arrived: '0};
                    b_write = 1'b1;
                    armed = armed | bar_bit;
                  end
                  isa_pkg::OpBsync: begin
                    if (!armed[bar]) taken = '0;
                    taken = taken & b.expected;
                    rest = active & ~taken;
                    b.arrived = b.arrived | taken;
                    if (taken != '0 && b.arrived == need) begin
                      armed = armed & ~bar_bit;
                      here = here & ~bar_bit;
                      active = rest;
                      if (rest == '0) begin
                        active = b.arrived;
                        jump_pc = b.target;
                      end else begin
                        push = 1'b1;
                        pushed = '{pc: b.target, mask: b.arrived};
                      end
                    end else if (taken != '0) begin
                      b_write = 1'b1;
                      here = here | bar_bit;
                      active = rest;
                      jump = rest != '0;
                      if (rest == '0) state_q <= Next;
                    end
                  end
                  isa_pkg::OpBreak: if (armed[bar]) begin
                    b.expected = b.expected & ~taken;
                    b_write = 1'b1;
                    need = b.expected & live;
                    if (here[bar] && b.arrived == need) begin
                      push = 1'b1;
                      pushed = '{pc: b.target, mask: b.arrived};
                      here = here & ~bar_bit;
                      armed = armed & ~bar_bit;
                    end
                  end
                  isa_pkg::OpWarpsync: if ((control_q.b & live & ~taken) != '0) begin
                    p_write = taken != '0;
                    if (taken != '0) begin
                      syncs = syncs | place_bit;
                      active = rest;
                      jump = rest != '0;
                      state_q <= Settle;
                      barriers_q <= '0;
                      groups_q <= place_bit;
                    end
                  end
                  isa_pkg::OpYield: yields = 1'b1;
                  isa_pkg::OpNanosleep: begin
                    yields = 1'b1;
                    if (count == '0 && here == '0) begin
                      jump = 1'b0;
                      sleep_q[w] <= 1'b1;
                      wake_q[w] <= cycle_i + (control_q.b > 32'd32767 ? 16'd32767 : control_q.b[15:0]);
                      resume_q[w] <= next_pc;
                    end
                  end
                  isa_pkg::OpBar: begin
                    answer = taken == '0 && control_q.mod[1:0] == 2'(isa_pkg::BarModeRed);
                    if (taken != '0 && control_q.mod[1:0] != 2'(isa_pkg::BarModeArrive)) begin
                      p_write = 1'b1;
                      blocks = blocks | place_bit;
                      active = rest;
                      jump = rest != '0;
                      if (rest == '0) state_q <= Next;
                    end
                  end
                  isa_pkg::OpTrap: if (taken != '0) begin
                    trap_valid_o <= 1'b1;
                    trap_o <= control_q;
                    jump = 1'b0;
                  end
                  default: ;  // NOP
                endcase
                if (needs_arrive && taken != '0) begin
                  arrive_valid_o <= 1'b1;
                  arrive_warp_o <= w;
                  arrive_o.ends <= control_q.op == isa_pkg::OpExit;
                  arrive_o.warp <= '0;
                  arrive_o.waits <= control_q.mod[1:0] != 2'(isa_pkg::BarModeArrive);
                  arrive_o.id <= control_q.b[3:0];
                  arrive_o.expected <= control_q.c[10:0];
                  arrive_o.threads <= prim_pkg::popcount32(taken);
                  arrive_o.ones <= control_q.mod[1:0] == 2'(isa_pkg::BarModeRed) ? prim_pkg::popcount32(taken & control_q.p)
                                                                                : 6'd0;
                end
                if (yields) begin
                  spins = '0;
                  if (count != '0 || here != '0) begin
                    push = 1'b1;
                    pushed = '{pc: jump_pc, mask: active};
                    active = '0;
                    jump = 1'b0;
                    state_q <= count != '0 ? Next : Force;
                  end
                end
              end
            end else if (releases) begin
              if (release_ready_o) begin
                release_q <= release_i;
                left_q <= blocks;
                if (blocks != '0) state_q <= Open;
              end
            end else begin
              sleeper_q <= core_pkg::next_warp(sleep_q, w);
              if (sleep_q[w] && 16'(cycle_i - wake_q[w]) < 16'h8000) begin
                sleep_q[w] <= 1'b0;
                jump = 1'b1;
                jump_pc = resume_q[w];
              end
            end
          end
          Targets: begin
            // The first lane left names the target; lanes of later slices join.
            lanes = sm_pkg::lanes_of(left_q, slice_q);
            row = rows[slice_q];
            target = found_q != '0 ? key_q : row[LaneW'(prim_pkg::first32(32'(lanes)))];
            taken = found_q | sm_pkg::mask_of(equal_lanes(lanes, row, target), slice_q);
            key_q <= target;
            found_q <= taken;
            slice_q <= slice_q + sm_pkg::slice_t'(1);
            if (slice_q == sm_pkg::LastSlice) begin
              left_q <= left_q & ~taken;
              found_q <= '0;
              slice_q <= '0;
            end
            if (slice_q != sm_pkg::LastSlice) begin
              // Its other lanes are still to be seen.
            end else if (taken == active) begin
              jump = 1'b1;
              jump_pc = target;
              state_q <= Idle;
            end else begin
              push = 1'b1;
              pushed = '{pc: target, mask: taken};
              active = active & ~taken;
              if ((left_q & ~taken) == '0) begin  // the rest is what the guard left out
                jump = 1'b1;
                state_q <= Idle;
              end
            end
          end
          Settle: begin
            barriers_q <= barriers_q & ~bar_bit;
            key_q <= p.expected;
            left_q <= syncs;
            match_q <= '0;
            found_q <= '0;
            if (barriers_q != '0) begin
              if (b.arrived == need) begin
                push = 1'b1;
                pushed = '{pc: b.target, mask: b.arrived};
                armed = armed & ~bar_bit;
                here = here & ~bar_bit;
              end
            end else if (groups_q != '0) begin
              state_q <= Gather;
            end else begin
              state_q <= active == '0 ? Next : Idle;
            end
          end
          Gather: begin
            if (left_q != '0) begin
              left_q <= left_q & ~place_bit;
              if (p.expected == key_q) begin
                match_q <= match_q | place_bit;
                groups_q <= groups_q & ~place_bit;
                found_q <= found_q | p.mask;
              end
            end else begin
              left_q <= match_q;
              found_q <= '0;
              state_q <= (key_q & live & ~found_q) == '0 ? Free : Settle;
            end
          end
          Free: begin
            if (left_q != '0) begin
              left_q <= left_q & ~place_bit;
              if (found_q == '0 || p.pc == key_q) begin
                key_q <= p.pc;
                found_q <= found_q | p.mask;
                match_q <= match_q & ~place_bit;
                syncs = syncs & ~place_bit;
              end
            end else begin
              push = 1'b1;
              pushed = '{pc: key_q, mask: found_q};
              left_q <= match_q;
              found_q <= '0;
              if (match_q == '0) state_q <= Settle;
            end
          end
          Open: begin
            result = '{warp: w, seq: p.seq, rd: p.rd, pd: p.pd, mask: p.mask, value: reduction(p.red, release_q)};
            if (left_q == '0) begin
              state_q <= active == '0 ? Next : Idle;
            end else if (p.id != release_q.id) begin
              left_q <= left_q & ~place_bit;
            end else if (!(p.reduces && result_valid_o && !result_ready_i)) begin
              left_q <= left_q & ~place_bit;
              answer = p.reduces;
              blocks = blocks & ~place_bit;
              push = 1'b1;
              pushed = '{pc: p.pc, mask: p.mask};
            end
          end
          default: begin  // Next, Force
            state_q <= Idle;
            spins = '0;
            jump = 1'b1;
            if (count != '0 && state_q == Next) begin
              {jump_pc, active} = BlockRam ? queue_read_q : queue_q[{w, head}];
              head = head + 5'd1;
              count = count - 6'd1;
            end else if (here != '0) begin
              jump_pc = b.target;
              active = b.arrived;
              b.expected = b.expected & ~b.arrived;
              b.arrived = '0;
              b_write = 1'b1;
              here = here & ~bar_bit;
            end else if (syncs != '0 && blocks == '0) begin
              jump_pc = p.pc;
              active = p.mask;
              syncs = syncs & ~place_bit;
            end else begin
              jump = 1'b0;
              waiting_q[w] <= 1'b1;
            end
          end
        endcase

        state_write = 1'b1;
        state = '{active: active, live: live, head: head, count: count + 6'(push), armed: armed, here: here,
                  syncs: syncs, blocks: blocks, spins: spins};
        if (push) queue_q[{w, head + count[4:0]}] <= pushed;
        if (b_write) barrier_q[{w, bar}] <= b;
        if (p_write)
          parked_q[{w, place}] <= '{pc: next_pc, mask: taken, expected: control_q.b, id: control_q.b[3:0],
                                    reduces: control_q.mod[1:0] == 2'(isa_pkg::BarModeRed),
                                    red: control_q.mod[isa_pkg::BlockBarrierRedLsb +: 2], rd: control_q.rd,
                                    pd: control_q.pd, seq: control_q.seq};
        if (jump) begin
          jump_valid_o <= 1'b1;
          jump_warp_o <= w;
          jump_pc_o <= jump_pc;
          waiting_q[w] <= 1'b0;
        end
        if (answer) begin
          result_valid_o <= 1'b1;
          result_o <= result;
        end
      end

      if (start_valid_i) begin
        ended_q[start_warp_i] <= 1'b0;
        waiting_q[start_warp_i] <= 1'b0;
        loaded_q[start_warp_i] <= 1'b0;
      end
      if (state_write) state_of_q[state_at] <= state;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A control instruction of lanes that do not run: the issue stage read a stale mask.
      a_running: assert (!valid_q || !idle || (control_q.taken & ~state_of_q[control_q.warp].active) == '0)
        else $error("convergence: lanes execute that do not run");
      // Masks are disjoint, so the queue cannot overflow.
      a_queue: assert (!valid_q || state_of_q[control_q.warp].count < 6'd32) else $error("convergence: split queue overflow");
    end
  end

endmodule
