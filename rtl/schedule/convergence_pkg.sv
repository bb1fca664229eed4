// SPDX-License-Identifier: Apache-2.0
// What the convergence unit keeps in memories, and what its instructions do with it. Each live lane of a warp is in
// exactly one place: the running split, an entry of the split queue, the arrived lanes of a convergence barrier, or a
// parked group.
package convergence_pkg;

  // A warp.
  typedef struct packed {
    sm_pkg::mask_t active;   // the running split
    sm_pkg::mask_t live;
    logic [4:0]    head;     // split queue
    logic [5:0]    count;
    logic [15:0]   armed;    // convergence barriers in use
    logic [15:0]   here;     // with arrived lanes
    sm_pkg::mask_t syncs;    // places of groups parked at WARPSYNC
    sm_pkg::mask_t blocks;   // and at block barriers
    logic [21:0]   spins;    // backward branches since a split gave way or was alone, in 64ths
    logic [5:0]    yields;   // since lanes wait at barriers, or a round ended
    logic [3:0]    turn;     // the barrier that is the first to let lanes go on
    logic [15:0]   stale;    // barriers at which lanes have waited since a round ended
  } warp_state_t;

  // A group of lanes that does not run: a split in the queue, the arrived lanes of a convergence barrier, lanes that
  // wait at WARPSYNC or at a block barrier (parked), and the place of a sleeping warp's PC.
  typedef struct packed {
    logic [31:0]              pc;        // goes on here
    sm_pkg::mask_t            mask;
    sm_pkg::mask_t            expected;  // convergence barrier, WARPSYNC: lanes that meet
    logic [4:0]               id;        // block barrier, or core_pkg::ClusterBarrier
    logic                     reduces;   // BAR.RED: a result is due
    logic [1:0]               red;       // isa_pkg::BarRed*
    logic [7:0]               rd;
    logic [2:0]               pd;
    logic [gpu_pkg::SeqW-1:0] seq;
  } group_t;

  // Where a warp's groups are kept.
  typedef enum logic [1:0] {Queued, Parked, Barrier, Asleep} kind_e;
  typedef struct packed {
    kind_e      kind;
    logic [4:0] index;  // a queue entry, a place, one of 16 barriers
  } slot_t;
  localparam int unsigned Groups = 128;

  typedef enum logic [2:0] {
    Idle,     // takes a control instruction, a release, or a sleeper that wakes
    Targets,  // BRX, CALLX, RET: one target a step, or one slice of lanes
    Settle,   // lanes left or came: which barriers and WARPSYNCs are complete now? one a step
    Gather,   // parked groups of one WARPSYNC mask, one a step
    Free,     // they go on, those at one PC together; one group a step
    Open,     // a block barrier opened: one parked group a step
    Force,    // a round ended: lanes arrived at a barrier go on
    Next      // chooses what runs next
  } state_e;

  // What an instruction depends on besides itself.
  typedef struct packed {
    logic        some;      // lanes take it
    logic        rest;      // running lanes do not
    logic        survives;  // lanes live on that do not
    logic        others;    // splits wait: in the queue, or at barriers
    logic        queued;
    logic        round;     // lanes wait at barriers, and all that are queued gave way, too
    logic        forces;    // so lanes that waited already when the last round ended go on
    logic        armed;     // its convergence barrier is in use
    logic        busy;      // by live lanes
    logic        here;      // with arrived lanes
    logic        complete;  // with all lanes that live
    logic        missing;   // WARPSYNC: lanes are still to come
    logic        closed;    // CBAR.WAIT: the cluster's barrier is, at which lanes that take it have arrived
    logic        settles;   // an exit may complete barriers or WARPSYNCs
    logic        spun;      // a backward branch more: a spinning split must yield
    logic [21:0] spins;     // backward branches after it
  } facts_t;

  // Lanes that take the instruction; with the group, a barrier's lanes that have arrived and that it waits for after this step.
  function automatic sm_pkg::mask_t takers(input core_pkg::control_t c, input logic armed, input group_t g);
    return c.op == isa_pkg::OpBsync ? c.taken & g.expected & {32{armed}} : c.taken;
  endfunction
  function automatic sm_pkg::mask_t arrived(input core_pkg::control_t c, input state_e state, input sm_pkg::mask_t taken,
                                            input group_t g);
    return state == Idle && c.op == isa_pkg::OpBsync ? g.mask | taken : g.mask;
  endfunction
  function automatic sm_pkg::mask_t expected(input core_pkg::control_t c, input state_e state, input sm_pkg::mask_t taken,
                                             input group_t g);
    sm_pkg::mask_t gone;
    gone = '0;
    if (state == Idle && c.op == isa_pkg::OpBreak) gone = taken;
    if (state == Next || state == Force) gone = g.mask;
    return g.expected & ~gone;
  endfunction

  function automatic facts_t find(input core_pkg::control_t c, input state_e state, input warp_state_t now, input group_t g,
                                  input logic loaded, input logic [15:0] yield_branches, input sm_pkg::mask_t came);
    facts_t        f;
    sm_pkg::mask_t taken;
    f.armed = now.armed[c.bar];
    f.here = now.here[c.bar];
    taken = takers(c, f.armed, g);
    f.some = taken != '0;
    f.rest = (now.active & ~taken) != '0;
    f.survives = (now.live & ~taken) != '0;
    f.queued = now.count != '0;
    f.others = f.queued || now.here != '0;
    f.round = now.here != '0 && now.yields >= now.count;
    f.forces = f.round && now.stale != '0;
    f.busy = f.armed && (g.expected & now.live) != '0;
    f.complete = arrived(c, state, taken, g) == (expected(c, state, taken, g) & now.live);
    f.missing = (c.b & now.live & ~taken) != '0;
    f.closed = (taken & came) != '0;
    f.settles = now.here != '0 || now.syncs != '0;
    f.spins = f.others ? now.spins + (f.queued || loaded ? 22'd64 : 22'd1) : '0;
    f.spun = f.spins[21:6] >= yield_branches;
    return f;
  endfunction

  // Of some barriers the lowest is next to let its lanes go: those from the number on whose turn it is.
  function automatic logic [15:0] from_turn(input logic [15:0] barriers, input logic [3:0] turn);
    logic [15:0] from;
    from = barriers & (16'hffff << turn);
    return from != '0 ? from : barriers;
  endfunction

  // What a step does with lanes and groups: cases decide, one datapath carries it out.
  typedef struct packed {
    logic   jump;         // the running split goes on
    logic   away;         // not at the next instruction, but at the group's or
    logic   branch;       // the instruction's target
    logic   drop;         // the running split loses those who take the instruction,
    logic   drop_found;   // lanes found,
    logic   clear;        // all
    logic   joins;        // it gains the group
    logic   push;         // a group is written to the queue,
    logic   store;        // the barrier,
    logic   park;         // a place,
    logic   nap;          // for a sleeper
    logic   of_taken;     // its lanes
    logic   of_group;
    logic   of_running;
    logic   of_found;
    logic   arm;          // the barrier
    logic   disarm;
    logic   come;
    logic   leave;
    logic   sync_set;     // the place
    logic   sync_clear;
    logic   block_set;
    logic   block_clear;
    logic   answer;       // a result
    logic   yields;
    logic   loops;        // a branch of all lanes that may close a loop
    logic   pop;          // the queue's head goes
    logic   dies;         // lanes end
    logic   trap;
    state_e next;
  } act_t;

  // The running split gives way to others if it wants to or has spun long enough.
  function automatic act_t give_way(input act_t act, input facts_t f);
    act_t a;
    a = act;
    a.yields = a.yields || (a.loops && f.spun);
    if (a.yields && f.others) begin
      {a.push, a.of_running, a.clear} = '1;
      a.jump = 1'b0;
      a.next = f.forces ? Force : Next;
    end
    return a;
  endfunction

  // What an instruction does.
  function automatic act_t instruction(input core_pkg::control_t c, input facts_t f);
    act_t a;
    a = '0;
    a.jump = 1'b1;
    a.next = Idle;
    case (c.op)
      isa_pkg::OpBra, isa_pkg::OpCall: begin
        a.answer = c.op == isa_pkg::OpCall;
        a.branch = 1'b1;
        if (f.some && !f.rest) begin
          a.away = 1'b1;
          a.loops = c.imm[31];
        end else if (f.some) begin
          {a.push, a.of_taken} = '1;
          a.drop = 1'b1;
        end
      end
      isa_pkg::OpBrx, isa_pkg::OpCallx, isa_pkg::OpRet: begin
        a.answer = c.op == isa_pkg::OpCallx;
        a.jump = !f.some;
        if (f.some) a.next = Targets;
      end
      isa_pkg::OpExit: if (f.some) begin
        {a.dies, a.drop} = '1;
        a.jump = f.rest;
        if (f.survives && f.settles) a.next = Settle;
        else if (f.survives && !f.rest) a.next = Next;
      end
      isa_pkg::OpBssy: if (f.some && !f.busy) {a.branch, a.arm, a.store} = '1;
      isa_pkg::OpBsync: if (f.some) begin
        {a.of_taken, a.of_group} = '1;
        a.disarm = f.complete;
        a.leave = f.complete;
        a.come = !f.complete;
        a.store = !f.complete;
        if (f.complete && !f.rest) begin  // they are what runs
          {a.joins, a.away} = '1;
        end else begin
          a.drop = 1'b1;
          a.push = f.complete;
          a.jump = f.rest;
          if (!f.rest) a.next = Next;
        end
      end
      isa_pkg::OpBreak: if (f.armed) begin
        a.of_group = 1'b1;
        a.push = f.here && f.complete;
        a.disarm = a.push;
        a.leave = a.push;
        a.store = !a.push;
      end
      isa_pkg::OpWarpsync: if (f.some && f.missing) begin
        {a.park, a.sync_set, a.drop} = '1;
        a.jump = f.rest;
        a.next = Settle;
      end
      isa_pkg::OpYield: a.yields = 1'b1;
      isa_pkg::OpNanosleep: begin
        a.yields = 1'b1;
        a.jump = f.others;
        a.nap = !f.others;
      end
      isa_pkg::OpBar: begin
        if (f.some && c.mod[1:0] != 2'(isa_pkg::BarModeArrive)) begin
          {a.park, a.block_set, a.drop} = '1;
          a.jump = f.rest;
          if (!f.rest) a.next = Next;
        end
      end
      isa_pkg::OpCbar: if (f.some && c.mod[isa_pkg::ClusterBarrierWaitLsb] && f.closed) begin
        {a.park, a.block_set, a.drop} = '1;
        a.jump = f.rest;
        if (!f.rest) a.next = Next;
      end
      isa_pkg::OpTrap: begin
        a.trap = f.some;
        a.jump = !f.some;
      end
      default: ;  // NOP
    endcase
    return give_way(a, f);
  endfunction

  // A result of the convergence unit: the same value in all lanes.
  typedef struct packed {
    core_pkg::warp_t          warp;
    logic [gpu_pkg::SeqW-1:0] seq;
    logic [7:0]               rd;
    logic [2:0]               pd;
    sm_pkg::mask_t            mask;
    logic [31:0]              value;
    logic                     ends;   // CALL: the scoreboard waits for it. BAR.RED: its lanes do
  } result_t;

  // BAR.RED's value: threads whose predicate holds, or all ones when all, any do.
  function automatic logic [31:0] reduction(input logic [1:0] red, input core_pkg::release_t r);
    case (red)
      2'(isa_pkg::BarRedPopc): return 32'(r.ones);
      2'(isa_pkg::BarRedAnd):  return {32{r.all}};
      default:                 return {32{r.any}};
    endcase
  endfunction

  // Lanes of `lanes` whose element of the row is value.
  function automatic sm_pkg::lanes_t equal_lanes(input sm_pkg::lanes_t lanes, input sm_pkg::row_t row,
                                                 input logic [31:0] value);
    sm_pkg::lanes_t equal;
    for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) equal[lane] = lanes[lane] && row[lane] == value;
    return equal;
  endfunction

endpackage
