// SPDX-License-Identifier: Apache-2.0
// Convergence unit of a sub-partition: executes control instructions and decides which lanes of each warp
// run. Works on one warp at a time, step by step; an undiverged branch is one step, of one cycle.
//
//   @P0 BRA far with lanes 0-3 taken: {far, 0000000f} is queued, lanes 4-31 go on at the next PC
//   BSYNC B0, lanes 4-31: arrived = fffffff0, expected = ffffffff: they wait; the queue's head runs
//   BSYNC B0, lanes 0-3:  all are there: ffffffff goes on at B0's target
//
// A live lane is in exactly one place: the running split, the split queue, arrived at a convergence
// barrier, or parked (WARPSYNC, block barrier). When nothing runs: the queue's head, else the lanes
// arrived at some barrier go on without the rest. Progress: when yield_branches backward branches were taken while
// others wait, the running split goes to the tail. Where the others have all arrived at barriers, branches of
// loops that load nothing count 1/64: such a loop cannot wait for another lane. When each of the splits that can run
// gave way once, a round ends, and lanes that were at a barrier when the last one ended, and at no time between were let
// go, go on, at another barrier each time: else two splits that spin, each in its turn, would keep the lanes for which both
// wait. A barrier that opens within a round, as in a loop that gathers its lanes each time, stays in order.
//
// Splits that become ready by one event queue in this order: convergence barriers by number; WARPSYNC masks
// by the lowest place of their groups (a group parks at the lowest free place), of one mask by place, joined where
// they go on at one PC; groups of a block barrier by place. Lanes that go on without the rest: the lowest
// barrier's, else the WARPSYNC group of the lowest place unless some lanes wait at a block barrier.
module convergence #(
  // Queue, barriers and parked groups are block RAM, and a step takes three cycles: it reads, finds out what it depends
  // on, and acts (choosing what runs next reads twice). The choice of a small multiprocessor.
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
  output core_pkg::warps_t           asleep_o,         // the running split sleeps
  output logic                       trap_valid_o,
  output core_pkg::control_t         trap_o
);

  import convergence_pkg::*;
  localparam int unsigned Warps = core_pkg::Warps;
  localparam int unsigned LaneW = $clog2(sm_pkg::RowLanes);
  typedef core_pkg::warp_t warp_t;
  typedef sm_pkg::mask_t mask_t;

  // ---- per warp ----------------------------------------------------------------------------------------
  warp_state_t state_of_q [Warps];  // read and written as one: a memory of one write port
  logic [15:0] wake_q [Warps];      // sleepers
  core_pkg::warps_t loaded_q, sleep_q, ended_q, waiting_q;
  warp_t       sleeper_q;           // looks at one sleeping warp after the other
  (* no_rw_check *) group_t groups_q [2**core_pkg::LocalWarpW*Groups];  // a step writes one at most; none is read meanwhile

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

  // ---- whose turn it is --------------------------------------------------------------------------------
  // An arrival that finds the last one not yet taken lets releases pass: the block barrier takes no
  // arrival before it has told all warps of a block, so waiting for each other would last forever. A small
  // multiprocessor waits for registers to be free, not for who takes from them.
  logic cluster;  // CBAR
  logic idle, needs_arrive, needs_result, no_arrive, no_result, stalled, releases, executes, due, steps;
  assign idle = state_q == Idle;
  assign cluster = gpu_pkg::HasClusters && control_q.op == isa_pkg::OpCbar;
  assign needs_arrive = control_q.op == isa_pkg::OpExit || control_q.op == isa_pkg::OpBar ||
                        (cluster && !control_q.mod[isa_pkg::ClusterBarrierWaitLsb]);
  assign needs_result = control_q.op == isa_pkg::OpCall || control_q.op == isa_pkg::OpCallx;
  assign no_arrive = arrive_valid_o && (BlockRam || !arrive_ready_i);
  assign no_result = result_valid_o && (BlockRam || !result_ready_i);
  assign stalled = valid_q && needs_arrive && no_arrive;
  assign releases = release_valid_i && (!valid_q || stalled);
  assign executes = valid_q && !releases;

  // What a step in Idle works on. BlockRam: as its first cycle found it.
  logic  takes, opens, wakes;  // control_q, a release, a sleeper
  logic  chooses, looks_on;    // the warp; the next sleeper
  warp_t w;
  assign due = sleep_q[sleeper_q] && 16'(cycle_i - wake_q[sleeper_q]) < 16'h8000;

  assign ready_o = !valid_q && idle;
  assign row_slice_o = slice_q;
  assign read_active_o = state_of_q[read_warp_i].active;
  // A warp counts as ended once the block barrier knows: else its message could reach the slot's next block.
  assign ended_o = arrive_valid_o && arrive_o.ends ? ended_q & ~(core_pkg::warps_t'(1) << arrive_warp_o) : ended_q;
  assign waiting_o = waiting_q;
  assign asleep_o = sleep_q;
  // A small multiprocessor's fetch takes one new PC a cycle.
  assign jump_valid_o = jump_q && !(BlockRam && start_valid_i);
  assign release_ready_o = idle && opens && steps;

  // Lanes that have arrived at the cluster's barrier, which is still closed as far as the warp knows, and how often it has
  // opened, modulo 2.
  mask_t came;
  logic  phase;
  if (!gpu_pkg::HasClusters) begin : g_no_clusters
    assign {came, phase} = '0;
  end else begin : g_clusters
    mask_t            came_q [Warps];
    core_pkg::warps_t phase_q;
    assign came = came_q[w];
    assign phase = phase_q[w];
    always_ff @(posedge clk_i) begin
      if (start_valid_i) begin
        came_q[start_warp_i] <= '0;
        phase_q[start_warp_i] <= 1'b0;
      end else if (steps && idle && takes && control_q.op == isa_pkg::OpExit) begin
        came_q[w] <= came & ~control_q.taken;
      end else if (steps && idle && takes && cluster && needs_arrive) begin
        came_q[w] <= came | control_q.taken;
      end else if (release_valid_i && release_ready_o && release_i.id == core_pkg::ClusterBarrier) begin
        came_q[w] <= '0;
        phase_q[w] <= !phase_q[w];
      end
    end
  end
  // Of whom arrive_o counts: those who end or arrive, and of them whose predicate holds, or who were at the cluster's barrier.
  mask_t counted, chosen;
  assign counted = cluster ? control_q.taken & ~came : control_q.taken;
  assign chosen = gpu_pkg::HasClusters && control_q.op == isa_pkg::OpExit ? came : control_q.p;

  // ---- what a step looks at ----------------------------------------------------------------------------
  warp_state_t now;
  group_t      g;
  facts_t      facts;
  logic [5:0]  threads, ones;  // of the instruction; whose predicate holds

  // The lowest of some lanes, places or barriers; in Idle a free place.
  mask_t items, lowest, item_bit;
  slot_t lowest_slot, item, slot;
  always_comb begin
    items = left_q;
    case (state_q)
      Idle:        items = ~(now.syncs | now.blocks);
      Settle:      items = barriers_q != '0 ? 32'(barriers_q) : syncs_q;
      Next:        items = now.here != '0 ? 32'(from_turn(now.here, now.turn)) : now.syncs;
      Force:       items = 32'(from_turn(now.stale, now.turn));
      default: ;
    endcase
    lowest = prim_pkg::lowest32(items);
    lowest_slot = '{kind: Parked, index: prim_pkg::index32(lowest)};
    case (state_q)
      Settle:      if (barriers_q != '0) lowest_slot.kind = Barrier;
      Next, Force: begin
        if (now.here != '0) lowest_slot.kind = Barrier;
        if (state_q == Next && now.count != '0) lowest_slot = '{kind: Queued, index: now.head};
      end
      default: ;
    endcase
    // The group that it reads, and may write back.
    slot = !idle ? lowest_slot : valid_q ? '{kind: Barrier, index: {1'b0, control_q.bar}} : '{kind: Asleep, index: '0};
  end

  // Targets: the first lane left names the target; lanes of later slices join.
  sm_pkg::lanes_t lanes, equal, joined;
  logic [31:0]    first_target, lead;
  logic           leads;
  always_comb begin
    {lanes, equal} = '0;
    {first_target, lead} = {2{key_q}};
    if (BlockRam || state_q == Targets) begin
      lanes = sm_pkg::lanes_of(left_q, slice_q);
      first_target = row_i[LaneW'(prim_pkg::first32(32'(lanes)))];
      if (!BlockRam && found_q == '0) lead = first_target;
      equal = equal_lanes(lanes, row_i, lead);
    end
  end

  if (!BlockRam) begin : g_at_once
    assign opens = releases && !no_result;
    assign takes = executes && !stalled && !(needs_result && no_result);
    assign wakes = !valid_q && !releases && due;
    assign chooses = steps && idle;
    assign looks_on = chooses && !valid_q && !releases;
    assign w = !idle ? warp_q : releases ? release_i.warp : valid_q ? control_q.warp : sleeper_q;
    assign steps = (valid_q || !idle || release_valid_i || sleep_q != '0) && !start_valid_i;
    assign leads = steps && state_q == Targets && found_q == '0;
    assign now = state_of_q[w];
    assign item_bit = lowest;
    assign item = lowest_slot;
    assign joined = equal;
    always_comb begin
      g = '0;
      facts = '0;
      {threads, ones} = '0;
      if (steps) begin
        g = groups_q[{w, slot}];
        facts = find(control_q, state_q, now, g, loaded_q[w], yield_branches_i, came);
        if (idle && needs_arrive) begin
          threads = prim_pkg::popcount32(counted);
          ones = prim_pkg::popcount32(counted & chosen);
        end
      end
    end
  end else begin : g_by_cycles
    typedef enum logic [1:0] {
      Read,   // the warp's state and a group
      Again,  // a group that the warp's state names
      Find,   // what the step depends on
      Act
    } phase_e;
    phase_e         phase_q;
    warp_state_t    now_q;
    group_t         read_q, group_q;
    facts_t         facts_q;
    mask_t          bit_q;
    slot_t          item_q;
    sm_pkg::lanes_t equal_q;
    logic [5:0]     threads_q;
    logic           takes_q, opens_q, wakes_q, begins;
    assign begins = !idle || releases || (valid_q ? !stalled && !(needs_result && no_result) : due);
    assign chooses = idle && phase_q == Read;
    assign looks_on = chooses && !valid_q && !releases;
    assign w = !chooses ? warp_q : releases ? release_i.warp : valid_q ? control_q.warp : sleeper_q;
    assign steps = phase_q == Act && !start_valid_i;
    assign leads = state_q == Targets && phase_q == Read && found_q == '0;
    assign ones = prim_pkg::popcount32(counted & (chosen | {32{phase_q != Act}}));
    assign {takes, opens, wakes} = {takes_q, opens_q, wakes_q};
    assign {now, g, facts, item_bit, item, joined, threads} = {now_q, group_q, facts_q, bit_q, item_q, equal_q, threads_q};

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        phase_q <= Read;
      end else begin
        case (phase_q)
          Read:    if (begins) phase_q <= state_q == Next || state_q == Force ? Again : Find;
          Again:   phase_q <= Find;
          Find:    phase_q <= Act;
          default: if (!start_valid_i) phase_q <= Read;
        endcase
      end
    end
    always_ff @(posedge clk_i) begin
      if (phase_q == Read) now_q <= state_of_q[w];
      if (chooses) {takes_q, opens_q, wakes_q} <= {executes, releases, !valid_q && !releases};
    end
    always_ff @(posedge clk_i) begin
      if (phase_q == Read || phase_q == Again) read_q <= groups_q[{w, slot}];
    end
    always_ff @(posedge clk_i) begin
      equal_q <= equal;
      if (phase_q == Find) begin
        group_q <= read_q;
        facts_q <= find(control_q, state_q, now_q, read_q, loaded_q[warp_q], yield_branches_i, came);
        {bit_q, item_q, threads_q} <= {lowest, lowest_slot, ones};
      end
    end
    always_ff @(posedge clk_i) begin
      // The release that a step works on stays until that takes it.
      if (rst_ni && idle && phase_q != Read) a_release: assert (!opens || (release_valid_i && release_i.warp == w))
          else $error("convergence: a release was taken back");
    end
  end
  logic [15:0] bar_bit;
  assign bar_bit = idle ? 16'd1 << control_q.bar : item_bit[15:0];

  // ---- a step ------------------------------------------------------------------------------------------
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
      if (chooses) warp_q <= w;
      if (looks_on) sleeper_q <= core_pkg::next_warp(sleep_q, sleeper_q);
      if (leads) key_q <= first_target;

      if (steps) begin : step
        automatic act_t        a;
        automatic group_t      put;
        automatic mask_t       taken, found, leaving;
        automatic logic [31:0] next_pc, target, other;
        automatic slot_t       at;
        automatic logic        ends_round;
        automatic result_t     result;

        a = '0;
        a.next = state_q;
        taken = idle ? takers(control_q, facts.armed, g) : control_q.taken;
        found = found_q;
        next_pc = control_q.pc + 32'd8;
        target = next_pc + control_q.imm;
        result = '{warp: w, seq: control_q.seq, rd: control_q.rd, pd: control_q.pd, mask: taken, value: next_pc, ends: 1'b1};

        case (state_q)
          Idle: begin
            if (takes) begin
              a = instruction(control_q, facts);
              valid_q <= 1'b0;
              left_q <= taken;
              found_q <= '0;
              slice_q <= '0;
              barriers_q <= a.dies ? now.here : '0;
              syncs_q <= a.dies ? now.syncs : item_bit;
              if (a.dies && !facts.survives) ended_q[w] <= 1'b1;
              if (a.nap) begin
                sleep_q[w] <= 1'b1;
                wake_q[w] <= cycle_i + (control_q.b > 32'd32767 ? 16'd32767 : control_q.b[15:0]);
              end
              if (a.trap) begin
                trap_valid_o <= 1'b1;
                trap_o <= control_q;
              end
              if (needs_arrive && facts.some) begin
                arrive_valid_o <= 1'b1;
                arrive_warp_o <= w;
                arrive_o.ends <= control_q.op == isa_pkg::OpExit;
                arrive_o.warp <= '0;
                arrive_o.waits <= control_q.mod[1:0] != 2'(isa_pkg::BarModeArrive);
                arrive_o.id <= control_q.b[3:0];
                arrive_o.expected <= control_q.c;
                arrive_o.threads <= threads;
                arrive_o.ones <= control_q.op == isa_pkg::OpExit || control_q.mod[1:0] == 2'(isa_pkg::BarModeRed) ? ones : 6'd0;
                arrive_o.cluster <= cluster;
                arrive_o.phase <= phase;
              end
            end else if (opens) begin
              release_q <= release_i;
              left_q <= now.blocks;
              if (now.blocks != '0) begin
                a.next = Open;
                waiting_q[w] <= 1'b0;  // at 32 places that takes longer than a deadlock is waited for
              end
            end else if (wakes) begin
              sleep_q[w] <= 1'b0;
              {a.jump, a.away} = '1;
            end
          end
          Targets: begin
            found = found_q | sm_pkg::mask_of(joined, slice_q);
            found_q <= found;
            slice_q <= slice_q + sm_pkg::slice_t'(1);
            if (slice_q == sm_pkg::LastSlice) begin
              left_q <= left_q & ~found;
              found_q <= '0;
              slice_q <= '0;
              if (found == left_q) begin  // what else runs the guard left out
                a.jump = 1'b1;
                a.next = Idle;
              end
              if (found == now.active) begin
                a.away = 1'b1;
                a.loops = control_q.op == isa_pkg::OpBrx;  // backward or not
                a = give_way(a, facts);
              end else begin
                {a.push, a.of_found, a.drop_found} = '1;
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
              a.of_group = 1'b1;
              {a.push, a.disarm, a.leave} = {3{facts.complete}};
            end else if (syncs_q != '0) begin
              a.next = Gather;
            end else begin
              a.next = now.active == '0 ? Next : Idle;
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
              a.next = (key_q & now.live & ~found_q) == '0 ? Free : Settle;
            end
          end
          Free: begin
            if (left_q != '0) begin
              left_q <= left_q & ~item_bit;
              if (found_q == '0 || g.pc == key_q) begin
                key_q <= g.pc;
                found_q <= found_q | g.mask;
                match_q <= match_q & ~item_bit;
                a.sync_clear = 1'b1;
              end
            end else begin
              {a.push, a.of_found} = '1;
              left_q <= match_q;
              found_q <= '0;
              if (match_q == '0) a.next = Settle;
            end
          end
          Open: begin
            result = '{warp: w, seq: g.seq, rd: g.rd, pd: g.pd, mask: g.mask, value: reduction(g.red, release_q), ends: 1'b0};
            a.of_group = 1'b1;
            if (left_q == '0) begin  // and none of the lanes runs before its result is written
              if (!no_result) a.next = now.active == '0 ? Next : Idle;
            end else if (g.id != release_q.id) begin
              left_q <= left_q & ~item_bit;
            end else if (!(g.reduces && no_result)) begin
              left_q <= left_q & ~item_bit;
              a.answer = g.reduces;
              {a.block_clear, a.push} = '1;
            end
          end
          default: begin  // Next, Force: nothing runs
            a.next = Idle;
            {a.jump, a.away, a.joins} = '1;
            if (state_q == Next && now.count != '0) begin
              a.pop = 1'b1;
            end else if (now.here != '0) begin
              {a.leave, a.store} = '1;
            end else if (now.syncs != '0 && now.blocks == '0) begin
              a.sync_clear = 1'b1;
            end else begin
              {a.jump, a.joins} = '0;
              waiting_q[w] <= 1'b1;
            end
          end
        endcase
        state_q <= a.next;
        if (a.loops) loaded_q[w] <= 1'b0;

        // The group that is written, and where. No step needs two.
        other = a.branch ? target : state_q inside {Targets, Free} ? lead : g.pc;
        at = a.push ? '{kind: Queued, index: now.head + now.count[4:0]} : a.park ? item :
             a.nap ? '{kind: Asleep, index: '0} : slot;
        ends_round = a.yields ? facts.round && !facts.forces : state_q == Force;
        put = '{pc: a.park || a.nap || (a.yields && !a.away) ? next_pc : other,
                mask: ({32{a.of_taken || a.park}} & taken) | ({32{a.of_group}} & g.mask) |
                      ({32{a.of_running}} & now.active) | ({32{a.of_found}} & found),
                expected: a.park ? control_q.b : a.arm ? taken : expected(control_q, state_q, taken, g),
                id: cluster ? core_pkg::ClusterBarrier : {1'b0, control_q.b[3:0]},
                reduces: !cluster && control_q.mod[1:0] == 2'(isa_pkg::BarModeRed),
                red: control_q.mod[isa_pkg::BlockBarrierRedLsb +: 2], rd: control_q.rd, pd: control_q.pd, seq: control_q.seq};
        if (a.push || a.store || a.park || a.nap) groups_q[{w, at}] <= put;

        leaving = ({32{a.drop}} & taken) | ({32{a.drop_found}} & found) | {32{a.clear}};
        state = '{active: (now.active & ~leaving) | ({32{a.joins}} & g.mask), live: now.live & ~({32{a.dies}} & taken),
                  head: now.head + 5'(a.pop), count: now.count + 6'(a.push) - 6'(a.pop),
                  armed: (now.armed & ~({16{a.disarm}} & bar_bit)) | ({16{a.arm}} & bar_bit),
                  here: (now.here & ~({16{a.leave}} & bar_bit)) | ({16{a.come}} & bar_bit),
                  syncs: (now.syncs & ~({32{a.sync_clear}} & item_bit)) | ({32{a.sync_set}} & item_bit),
                  blocks: (now.blocks & ~({32{a.block_clear}} & item_bit)) | ({32{a.block_set}} & item_bit),
                  spins: a.yields ? 22'd0 : a.loops ? facts.spins : now.spins,
                  yields: !a.yields ? now.yields : facts.round || now.here == '0 ? 6'd0 : now.yields + 6'd1,
                  turn: now.turn + 4'(a.yields && facts.round),
                  stale: (ends_round ? now.here : now.stale) & ~({16{a.leave}} & bar_bit)};
        if (a.jump) begin
          jump_q <= 1'b1;
          jump_warp_o <= w;
          jump_pc_o <= a.away ? other : next_pc;
          waiting_q[w] <= 1'b0;
        end
        if (a.answer) begin
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
