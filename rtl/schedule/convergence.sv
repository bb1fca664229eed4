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
  output sm_pkg::slice_t             row_slice_o,      // BRX, CALLX, RET: a PC a lane; they stay until ready_o
  input  sm_pkg::row_t               row_i,
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
  logic [15:0] wake_q [Warps];      // sleepers
  core_pkg::warps_t loaded_q, sleep_q, ended_q, waiting_q;
  warp_t       sleeper_q;           // looks at one sleeping warp after the other
  (* no_rw_check *) group_t groups_q [Warps*Groups];  // a step writes one at most; none is read meanwhile
  group_t      group_q;             // BlockRam: what the cycle before read
  logic        looked_q;

  state_e             state_q;
  logic               valid_q;     // control_q waits or executes
  logic               jump_q;
  core_pkg::control_t control_q;
  core_pkg::release_t release_q;
  warp_t              warp_q;      // of the states after Idle
  logic [15:0]        barriers_q;  // Settle: barriers still to look at
  mask_t              syncs_q;     // Settle: places of WARPSYNC groups still to look at
  mask_t              left_q;      // lanes or places still to look at
  mask_t              match_q;     // places found
  mask_t              found_q;     // their lanes
  logic [31:0]        key_q;       // Gather: the mask; Free, Targets: the PC
  sm_pkg::slice_t     slice_q;     // Targets: lanes looked at

  // An arrival that finds the last one not yet taken lets releases pass: the block barrier takes no
  // arrival before it has told all warps of a block, so waiting for each other would last forever.
  logic needs_arrive, stalled, releases, executes;
  assign needs_arrive = control_q.op == isa_pkg::OpExit || control_q.op == isa_pkg::OpBar;
  assign stalled = valid_q && needs_arrive && arrive_valid_o && !arrive_ready_i;
  assign releases = release_valid_i && (!valid_q || stalled);
  assign executes = state_q == Idle && valid_q && !releases;

  assign ready_o = !valid_q && state_q == Idle;
  assign row_slice_o = slice_q;
  assign read_active_o = state_of_q[read_warp_i].active;
  // A warp counts as ended once the block barrier knows: else its message could reach the slot's next block.
  assign ended_o = arrive_valid_o && arrive_o.ends ? ended_q & ~(core_pkg::warps_t'(1) << arrive_warp_o) : ended_q;
  assign waiting_o = waiting_q;
  // A small multiprocessor's fetch takes one new PC a cycle.
  assign jump_valid_o = jump_q && !(BlockRam && start_valid_i);
  assign release_ready_o = state_q == Idle && !start_valid_i && (!valid_q || stalled) && !(result_valid_o && !result_ready_i);

  // ---- what a step looks at --------------------------------------------------------------------------------
  // The lowest of some lanes, places or barriers; in Idle a free place, and the instruction's barrier or a sleeper.
  logic        idle, reads, steps, due;
  warp_t       w;
  warp_state_t now;
  mask_t       items, item_bit;
  logic [4:0]  item;
  logic [15:0] bar_bit;
  slot_t       slot;
  assign idle = state_q == Idle;
  assign w = !idle ? warp_q : releases ? release_i.warp : valid_q ? control_q.warp : sleeper_q;
  assign now = state_of_q[w];
  assign due = sleep_q[w] && 16'(cycle_i - wake_q[w]) < 16'h8000;
  always_comb begin
    items = left_q;
    case (state_q)
      Idle:        items = ~(now.syncs | now.blocks);
      Settle:      items = barriers_q != '0 ? 32'(barriers_q) : syncs_q;
      Next, Force: items = now.here != '0 ? 32'(now.here) : now.syncs;
      default: ;
    endcase
    item_bit = prim_pkg::lowest32(items);
    item = prim_pkg::index32(item_bit);
    bar_bit = idle ? 16'd1 << control_q.bar : item_bit[15:0];
    slot = '{kind: Parked, index: item};
    case (state_q)
      Idle:        slot = valid_q ? '{kind: Barrier, index: {1'b0, control_q.bar}} : '{kind: Asleep, index: '0};
      Settle:      if (barriers_q != '0) slot.kind = Barrier;
      Next, Force: begin
        if (now.here != '0) slot.kind = Barrier;
        if (state_q == Next && now.count != '0) slot = '{kind: Queued, index: now.head};
      end
      default: ;
    endcase
  end

  // Does this step read a group, and is it time for it? The start of a warp goes first.
  assign reads = executes ? control_q.op inside {8'(isa_pkg::OpBssy), 8'(isa_pkg::OpBsync), 8'(isa_pkg::OpBreak)}
                 : idle   ? !releases && due
                          : state_q != Targets;
  assign steps = (valid_q || !idle || release_valid_i || sleep_q != '0) && (!BlockRam || !reads || looked_q) &&
                 !start_valid_i;

  always_ff @(posedge clk_i) begin
    if (BlockRam && reads && !looked_q) group_q <= groups_q[{w, slot}];
  end
  always_ff @(posedge clk_i) begin
    // An instruction that comes now is what the next cycle looks at.
    looked_q <= BlockRam && rst_ni && reads && (!looked_q || start_valid_i) && !valid_i;
  end

  // The instruction answers with a register: its output must be free.
  logic needs_result;
  assign needs_result = control_q.op == isa_pkg::OpCall || control_q.op == isa_pkg::OpCallx ||
                        control_q.op == isa_pkg::OpBar;

  always_ff @(posedge clk_i) begin
    automatic warp_state_t state = '{active: start_mask_i, live: start_mask_i, default: '0};
    if (!rst_ni) begin
      state_q <= Idle;
      valid_q <= 1'b0;
      jump_q <= 1'b0;
      result_valid_o <= 1'b0;
      arrive_valid_o <= 1'b0;
      trap_valid_o <= 1'b0;
      loaded_q <= '0;
      sleep_q <= '0;
      ended_q <= '0;
      waiting_q <= '0;
      sleeper_q <= '0;
    end else begin
      if (!(BlockRam && start_valid_i)) jump_q <= 1'b0;
      trap_valid_o <= 1'b0;
      if (result_ready_i) result_valid_o <= 1'b0;
      if (arrive_ready_i) arrive_valid_o <= 1'b0;
      if (load_valid_i) loaded_q[read_warp_i] <= 1'b1;
      if (valid_i) begin
        valid_q <= 1'b1;
        control_q <= control_i;
      end

      if (steps) begin : step
        // What the step does with lanes and groups: cases decide, one datapath carries it out.
        automatic logic        jump, away;                             // the running split goes on; not at the next instruction, but at `other`
        automatic logic        drop, drop_found, clear, joins;         // the running split loses `taken`, `found`, all; gains the group
        automatic logic        branch;                                 // `other` is the instruction's target
        automatic logic        push, store, park, nap;                 // a group is written: to the queue, barrier, a place, for a sleeper
        automatic logic        of_taken, of_group, of_running, of_found;  // its lanes
        automatic logic        arm, disarm, come, leave;               // the barrier
        automatic logic        sync_set, sync_clear, block_set, block_clear;  // the place
        automatic logic        answer, yields, pop;
        // What it finds.
        automatic group_t      g, put;
        automatic mask_t       taken, rest, live, found, arrived, expected, leaving;
        automatic logic        some, others, armed, here, complete;
        automatic logic [21:0] spins;
        automatic logic [31:0] next_pc, target, lead, other;
        automatic sm_pkg::lanes_t lanes;
        automatic slot_t       at;
        automatic result_t     result;

        {jump, away, drop, drop_found, clear, joins, branch} = '0;
        {push, store, park, nap, of_taken, of_group, of_running, of_found} = '0;
        {arm, disarm, come, leave, sync_set, sync_clear, block_set, block_clear, answer, yields, pop} = '0;

        g = BlockRam ? group_q : groups_q[{w, slot}];
        armed = now.armed[control_q.bar];
        here = now.here[control_q.bar];
        others = now.count != '0 || now.here != '0;
        taken = control_q.taken;
        if (idle && control_q.op == isa_pkg::OpBsync) taken = armed ? taken & g.expected : '0;
        rest = now.active & ~taken;
        some = taken != '0;
        // The barrier after this step.
        arrived = g.mask;
        expected = g.expected;
        if (idle && control_q.op == isa_pkg::OpBsync) arrived = arrived | taken;
        if (idle && control_q.op == isa_pkg::OpBreak) expected = expected & ~taken;
        if (state_q inside {Next, Force}) expected = expected & ~g.mask;
        complete = arrived == (expected & now.live);
        live = now.live;
        spins = now.spins;
        next_pc = control_q.pc + 32'd8;
        target = next_pc + control_q.imm;
        found = found_q;
        lead = key_q;
        result = '{warp: w, seq: control_q.seq, rd: control_q.rd, pd: control_q.pd, mask: taken, value: next_pc};

        case (state_q)
          Idle: begin
            warp_q <= w;
            if (executes) begin
              if (!stalled && !(needs_result && result_valid_o && !result_ready_i)) begin
                valid_q <= 1'b0;
                jump = 1'b1;
                case (control_q.op)
                  isa_pkg::OpBra, isa_pkg::OpCall: begin
                    answer = control_q.op == isa_pkg::OpCall;
                    branch = 1'b1;
                    if (some && rest == '0) begin
                      away = 1'b1;
                      if (control_q.imm[31] && others) begin
                        spins = spins + (now.count != '0 || loaded_q[w] ? 22'd64 : 22'd1);
                        yields = spins[21:6] >= yield_branches_i;
                      end
                      if (control_q.imm[31]) loaded_q[w] <= 1'b0;
                    end else if (some) begin
                      push = 1'b1;
                      of_taken = 1'b1;
                      drop = 1'b1;
                    end
                  end
                  isa_pkg::OpBrx, isa_pkg::OpCallx, isa_pkg::OpRet: begin
                    answer = control_q.op == isa_pkg::OpCallx;
                    left_q <= taken;
                    found_q <= '0;
                    slice_q <= '0;
                    if (some) begin
                      jump = 1'b0;
                      state_q <= Targets;
                    end
                  end
                  isa_pkg::OpExit: if (some) begin
                    live = now.live & ~taken;
                    drop = 1'b1;
                    jump = rest != '0;
                    if (live == '0) ended_q[w] <= 1'b1;
                    else if (now.here != '0 || now.syncs != '0) state_q <= Settle;
                    else if (rest == '0) state_q <= Next;
                    barriers_q <= now.here;
                    syncs_q <= now.syncs;
                  end
                  isa_pkg::OpBssy: if (some && !(armed && (g.expected & now.live) != '0)) begin
                    branch = 1'b1;
                    arm = 1'b1;
                    store = 1'b1;
                  end
                  isa_pkg::OpBsync: if (some) begin
                    {of_taken, of_group} = 2'b11;
                    disarm = complete;
                    leave = complete;
                    come = !complete;
                    store = !complete;
                    if (complete && rest == '0) begin  // they are what runs
                      joins = 1'b1;
                      away = 1'b1;
                    end else begin
                      drop = 1'b1;
                      push = complete;
                      jump = rest != '0;
                      if (rest == '0) state_q <= Next;
                    end
                  end
                  isa_pkg::OpBreak: if (armed) begin
                    of_group = 1'b1;
                    push = here && complete;
                    disarm = push;
                    leave = push;
                    store = !push;
                  end
                  isa_pkg::OpWarpsync: if (some && (control_q.b & now.live & ~taken) != '0) begin
                    park = 1'b1;
                    sync_set = 1'b1;
                    drop = 1'b1;
                    jump = rest != '0;
                    state_q <= Settle;
                    barriers_q <= '0;
                    syncs_q <= item_bit;
                  end
                  isa_pkg::OpYield: yields = 1'b1;
                  isa_pkg::OpNanosleep: begin
                    yields = 1'b1;
                    if (!others) begin
                      jump = 1'b0;
                      nap = 1'b1;
                      sleep_q[w] <= 1'b1;
                      wake_q[w] <= cycle_i + (control_q.b > 32'd32767 ? 16'd32767 : control_q.b[15:0]);
                    end
                  end
                  isa_pkg::OpBar: begin
                    answer = !some && control_q.mod[1:0] == 2'(isa_pkg::BarModeRed);
                    if (some && control_q.mod[1:0] != 2'(isa_pkg::BarModeArrive)) begin
                      park = 1'b1;
                      block_set = 1'b1;
                      drop = 1'b1;
                      jump = rest != '0;
                      if (rest == '0) state_q <= Next;
                    end
                  end
                  isa_pkg::OpTrap: if (some) begin
                    trap_valid_o <= 1'b1;
                    trap_o <= control_q;
                    jump = 1'b0;
                  end
                  default: ;  // NOP
                endcase
                if (needs_arrive && some) begin
                  arrive_valid_o <= 1'b1;
                  arrive_warp_o <= w;
                  arrive_o.ends <= control_q.op == isa_pkg::OpExit;
                  arrive_o.warp <= '0;
                  arrive_o.waits <= control_q.mod[1:0] != 2'(isa_pkg::BarModeArrive);
                  arrive_o.id <= control_q.b[3:0];
                  arrive_o.expected <= control_q.c;
                  arrive_o.threads <= prim_pkg::popcount32(taken);
                  arrive_o.ones <= control_q.mod[1:0] == 2'(isa_pkg::BarModeRed) ? prim_pkg::popcount32(taken & control_q.p)
                                                                                : 6'd0;
                end
                if (yields) begin
                  spins = '0;
                  if (others) begin
                    push = 1'b1;
                    of_running = 1'b1;
                    clear = 1'b1;
                    jump = 1'b0;
                    state_q <= now.count != '0 ? Next : Force;
                  end
                end
              end
            end else if (releases) begin
              if (release_ready_o) begin
                release_q <= release_i;
                left_q <= now.blocks;
                if (now.blocks != '0) state_q <= Open;
              end
            end else begin
              sleeper_q <= core_pkg::next_warp(sleep_q, w);
              if (due) begin
                sleep_q[w] <= 1'b0;
                jump = 1'b1;
                away = 1'b1;
              end
            end
          end
          Targets: begin
            // The first lane left names the target; lanes of later slices join.
            lanes = sm_pkg::lanes_of(left_q, slice_q);
            if (found_q == '0) lead = row_i[LaneW'(prim_pkg::first32(32'(lanes)))];
            found = found_q | sm_pkg::mask_of(equal_lanes(lanes, row_i, lead), slice_q);
            key_q <= lead;
            found_q <= found;
            slice_q <= slice_q + sm_pkg::slice_t'(1);
            if (slice_q == sm_pkg::LastSlice) begin
              left_q <= left_q & ~found;
              found_q <= '0;
              slice_q <= '0;
              if (found == now.active) begin
                away = 1'b1;
              end else begin
                push = 1'b1;
                of_found = 1'b1;
                drop_found = 1'b1;
              end
              if (found == left_q) begin  // what else runs the guard left out
                jump = 1'b1;
                state_q <= Idle;
              end
            end
          end
          Settle: begin
            barriers_q <= barriers_q & ~bar_bit;
            key_q <= g.expected;
            left_q <= now.syncs;
            match_q <= '0;
            found_q <= '0;
            if (barriers_q != '0) begin
              of_group = 1'b1;
              push = complete;
              disarm = complete;
              leave = complete;
            end else if (syncs_q != '0) begin
              state_q <= Gather;
            end else begin
              state_q <= now.active == '0 ? Next : Idle;
            end
          end
          Gather: begin
            if (left_q != '0) begin
              left_q <= left_q & ~item_bit;
              if (g.expected == key_q) begin
                match_q <= match_q | item_bit;
                syncs_q <= syncs_q & ~item_bit;
                found_q <= found_q | g.mask;
              end
            end else begin
              left_q <= match_q;
              found_q <= '0;
              state_q <= (key_q & now.live & ~found_q) == '0 ? Free : Settle;
            end
          end
          Free: begin
            if (left_q != '0) begin
              left_q <= left_q & ~item_bit;
              if (found_q == '0 || g.pc == key_q) begin
                key_q <= g.pc;
                found_q <= found_q | g.mask;
                match_q <= match_q & ~item_bit;
                sync_clear = 1'b1;
              end
            end else begin
              push = 1'b1;
              of_found = 1'b1;
              left_q <= match_q;
              found_q <= '0;
              if (match_q == '0) state_q <= Settle;
            end
          end
          Open: begin
            result = '{warp: w, seq: g.seq, rd: g.rd, pd: g.pd, mask: g.mask, value: reduction(g.red, release_q)};
            of_group = 1'b1;
            if (left_q == '0) begin
              state_q <= now.active == '0 ? Next : Idle;
            end else if (g.id != release_q.id) begin
              left_q <= left_q & ~item_bit;
            end else if (!(g.reduces && result_valid_o && !result_ready_i)) begin
              left_q <= left_q & ~item_bit;
              answer = g.reduces;
              block_clear = 1'b1;
              push = 1'b1;
            end
          end
          default: begin  // Next, Force: nothing runs
            state_q <= Idle;
            spins = '0;
            {jump, away, joins} = '1;
            if (state_q == Next && now.count != '0) begin
              pop = 1'b1;
            end else if (now.here != '0) begin
              leave = 1'b1;
              store = 1'b1;
            end else if (now.syncs != '0 && now.blocks == '0) begin
              sync_clear = 1'b1;
            end else begin
              {jump, joins} = '0;
              waiting_q[w] <= 1'b1;
            end
          end
        endcase

        // The group that is written, and where. No step needs two.
        other = branch ? target : state_q inside {Targets, Free} ? lead : g.pc;
        at = push ? '{kind: Queued, index: now.head + now.count[4:0]} :
             park ? '{kind: Parked, index: item} :
             nap  ? '{kind: Asleep, index: '0} : slot;
        put = '{pc: park || nap || (yields && !away) ? next_pc : other,
                mask: ({32{of_taken || park}} & taken) | ({32{of_group}} & g.mask) | ({32{of_running}} & now.active) |
                      ({32{of_found}} & found),
                expected: park ? control_q.b : arm ? taken : expected,
                id: control_q.b[3:0], reduces: control_q.mod[1:0] == 2'(isa_pkg::BarModeRed),
                red: control_q.mod[isa_pkg::BlockBarrierRedLsb +: 2], rd: control_q.rd, pd: control_q.pd, seq: control_q.seq};
        if (push || store || park || nap) groups_q[{w, at}] <= put;

        leaving = ({32{drop}} & taken) | ({32{drop_found}} & found) | {32{clear}};
        state = '{active: (now.active & ~leaving) | ({32{joins}} & g.mask), live: live,
                  head: now.head + 5'(pop), count: now.count + 6'(push) - 6'(pop),
                  armed: (now.armed & ~({16{disarm}} & bar_bit)) | ({16{arm}} & bar_bit),
                  here: (now.here & ~({16{leave}} & bar_bit)) | ({16{come}} & bar_bit),
                  syncs: (now.syncs & ~({32{sync_clear}} & item_bit)) | ({32{sync_set}} & item_bit),
                  blocks: (now.blocks & ~({32{block_clear}} & item_bit)) | ({32{block_set}} & item_bit), spins: spins};
        if (jump) begin
          jump_q <= 1'b1;
          jump_warp_o <= w;
          jump_pc_o <= away ? other : next_pc;
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
      if (steps || start_valid_i) state_of_q[start_valid_i ? start_warp_i : w] <= state;
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
