// SPDX-License-Identifier: Apache-2.0
// Types between the parts of an SM: front end, scheduler, operand collection. `warp` here counts the
// warps of one sub-partition (0..WarpsPerSubPartition-1); a warp's slot in the SM is
// warp * SubPartitions + sub-partition.
package core_pkg;

  localparam int unsigned Warps = config_pkg::WarpsPerSubPartition;
  localparam int unsigned LocalWarpW = config_pkg::LocalWarpW;
  localparam int unsigned SubPartitions = config_pkg::SubPartitions;

  typedef logic [LocalWarpW-1:0] warp_t;
  typedef logic [Warps-1:0]      warps_t;  // one bit a warp

  // The units, a row each. Execution units come first; the load/store unit and the convergence unit follow.
  // How to add one: docs/adding-a-unit.md.
  localparam int unsigned Units = isa_pkg::Units;
  localparam int unsigned ExecUnits = int'(isa_pkg::UnitLsu);
  typedef logic [Units-1:0] units_t;  // one bit a unit
  typedef struct packed {
    int unsigned lanes;   // 0: not there, its instructions are illegal. Of the tensor core: products a cycle
    int unsigned stages;  // of a pipeline of lanes where rows move whole; 0: it answers when it does
  } unit_t;
  function automatic unit_t row_of(input isa_pkg::unit_e unit);
    case (unit)
      isa_pkg::UnitInt:    return '{lanes: config_pkg::IntLanes,  stages: 2};
      isa_pkg::UnitImad:   return '{lanes: config_pkg::ImadLanes, stages: 2};
      isa_pkg::UnitFp32:   return '{lanes: config_pkg::Fp32Lanes, stages: sm_pkg::Fp32Stages};
      isa_pkg::UnitFp16:   return '{lanes: config_pkg::Fp16Lanes, stages: sm_pkg::Fp16Stages};
      isa_pkg::UnitCvt:    return '{lanes: config_pkg::CvtLanes,  stages: 3};
      isa_pkg::UnitSfu:    return '{lanes: config_pkg::SfuLanes,  stages: 5};
      isa_pkg::UnitWarp:   return '{lanes: sm_pkg::WarpSize,      stages: 0};
      isa_pkg::UnitFp64:   return '{lanes: config_pkg::Fp64Lanes, stages: sm_pkg::Fp64Stages};
      isa_pkg::UnitTensor: return '{lanes: config_pkg::TensorFma, stages: 0};
      default:             return '{lanes: sm_pkg::WarpSize,      stages: 0};  // load/store, convergence
    endcase
  endfunction
  typedef unit_t [Units-1:0] unit_table_t;
  function automatic unit_table_t unit_table();
    unit_table_t table_;
    for (int unsigned u = 0; u < Units; u++) table_[u] = row_of(isa_pkg::unit_e'(u));
    return table_;
  endfunction
  localparam unit_table_t Unit = unit_table();
  function automatic units_t units_there();
    units_t there;
    for (int unsigned u = 0; u < Units; u++) there[u] = Unit[u].lanes != 0;
    return there;
  endfunction
  localparam units_t There = units_there();
  localparam bit HasFp16 = There[isa_pkg::UnitFp16];
  localparam bit HasFp64 = There[isa_pkg::UnitFp64];
  localparam bit HasTensor = There[isa_pkg::UnitTensor];
  localparam bit HasDmma = HasTensor && HasFp64 && sm_pkg::RowSlices == 1;
  localparam bit HasMatrixLoad = sm_pkg::RowSlices == 1;  // LDSM: lanes get what others have the address of
  localparam bit HasAsyncCopy = sm_pkg::RowSlices == 1;   // LDGSTS, and what waits for it

  // Units of lanes are pipelined. Where rows move whole nothing ever waits in them: an instruction's result is there so
  // many cycles after its first beat. The others (0) answer when they do.
  typedef logic [Units-1:0][31:0] latencies_t;
  function automatic latencies_t latencies();
    latencies_t cycles;
    cycles = '0;
    for (int unsigned u = 0; u < Units; u++)
      if (There[u] && Unit[u].stages != 0) cycles[u] = sm_pkg::WarpSize / Unit[u].lanes + Unit[u].stages - 1;
    return cycles;
  endfunction
  localparam latencies_t Latency = latencies();
  function automatic int unsigned longest_latency();
    int unsigned longest;
    longest = 0;
    for (int unsigned u = 0; u < Units; u++) if (Latency[u] > longest) longest = Latency[u];
    return longest;
  endfunction
  localparam int unsigned LongestLatency = longest_latency();
  // One bit a unit: its results' cycles are known when it begins.
  function automatic units_t pipelined();
    units_t known;
    for (int unsigned u = 0; u < Units; u++) known[u] = Latency[u] != 0;
    return known;
  endfunction
  localparam units_t Pipelined = pipelined();

  // So many cycles before the last row of a lane unit's result is written the scoreboard lets go what reads it: issued in
  // the next cycle it reads the bank in the one after that, and meets the row at the bank's output. 0: after the write.
  // A unit of 32 lanes is done sooner.
  function automatic int unsigned wake_ahead();
    int unsigned ahead;
    ahead = 3;
    for (int unsigned u = 0; u < Units; u++) if (Pipelined[u] && Latency[u] < ahead) ahead = Latency[u];
    return sm_pkg::RowSlices > 1 ? 0 : ahead;
  endfunction
  localparam int unsigned WakeAhead = wake_ahead();

  function automatic int unsigned longest_lag();
    int unsigned longest;
    longest = 0;
    for (int unsigned k = 0; k < isa_pkg::Latencies; k++)
      if (!(isa_pkg::latency_e'(k) inside {isa_pkg::LatCtl, isa_pkg::LatIndirect, isa_pkg::LatFall, isa_pkg::LatJoin,
                                           isa_pkg::LatGuard, isa_pkg::LatBar, isa_pkg::LatArrive, isa_pkg::LatValue, isa_pkg::LatWord, isa_pkg::LatSum, isa_pkg::LatTurn, isa_pkg::LatMask,
                                           isa_pkg::LatCrossing}) &&
          32'(config_pkg::Latency[k]) > longest) longest = 32'(config_pkg::Latency[k]);
    return longest;
  endfunction
  localparam int unsigned LongestLag = longest_lag();

  // To the scoreboard: the rows of this result come.
  typedef struct packed {
    logic           valid;
    warp_t          warp;
    sm_pkg::entry_t entry;
  } wake_t;

  typedef logic [sm_pkg::OperandRows-1:0] rows_t;  // one bit an operand row

  // What the banks of the register file have read, and the memory instructions of all sub-partitions. Named types: a
  // port whose array type has no name is copied at every level of the hierarchy by the simulator, in every cycle
  // (docs/simulation-speed.md).
  typedef sm_pkg::row_t     bank_rows_t [config_pkg::RegisterBanks];
  typedef sm_pkg::lsu_req_t lsu_reqs_t [SubPartitions];
  typedef warps_t           warps_by_unit_t [Units];

  // Why a fetch did not bring an instruction.
  typedef enum logic [1:0] {
    FetchOk     = 2'd0,
    FetchPc     = 2'd1,  // outside the code segment or misaligned
    FetchBus    = 2'd2   // the memory answered with an error
  } fetch_error_e;

  // An instruction on its way to decode.
  typedef struct packed {
    warp_t        warp;
    logic [31:0]  pc;
    logic [63:0]  word;
    fetch_error_e error;
  } word_t;

  // A decoded instruction.
  typedef struct packed {
    logic [31:0]  pc;
    logic [7:0]   op;
    isa_pkg::unit_e to;
    logic [17:0]  mod;
    logic [3:0]   guard;     // 3: negate
    logic [3:0]   psrc;      // predicate sources p and p2 of sm_pkg::exec_req_t; 3: negate
    logic [3:0]   psrc2;
    logic [7:0]   rd;        // 255: none
    logic [1:0]   rd_log2;   // rows written: 1, 2, 4
    logic [2:0]   pd;        // 7: none
    logic [2:0]   pq;
    logic [7:0]   ra;        // rows 0 and 1
    logic [7:0]   rb;        // rows 2 and 3
    logic [7:0]   rc;        // rows 4 and 5
    logic [1:0]   ra_log2;   // tensor: registers from ra on that all steps read, 1, 2, 4, if reads has row 0; else 0
    logic [1:0]   rb_log2;
    logic [1:0]   rc_log2;
    logic [1:0]   steps;     // the number of its last step: 0, or 1 or 2 of a tensor instruction
    logic [7:0]   re;        // register of the last of three steps
    rows_t        uses;      // rows that take part
    rows_t        reads;     // those that come from registers; the others are immediate or RZ
    logic         b_imm;     // row 2 is imm in every lane (row 3 its sign)
    logic         special;   // row 2 is special register imm (row 3 its upper half)
    logic         konst;     // imm comes from the constant cache: word imm of bank
    logic [1:0]   bank;
    logic [31:0]  imm;
    logic         drain;     // waits until nothing of its warp is in flight
    logic         ordered;   // waits until the warp's memory instructions have reached the load/store unit
    logic         blocks;    // nothing of its warp issues until it has completed (fence, acquire)
    logic         answers;   // a control instruction whose result the scoreboard waits for
    logic [3:0]   fault;     // device_pkg::Fault*: raise it instead
  } decoded_t;

  // Takes predicates as data, which come later than its guard (predicate_file).
  function automatic logic reads_predicates(input decoded_t d);
    return d.psrc[2:0] != 3'd7 || d.psrc2[2:0] != 3'd7;
  endfunction

  // Reads a counter of cycles.
  function automatic logic reads_clock(input decoded_t d);
    return d.op inside {isa_pkg::OpS2r, isa_pkg::OpS2r64} &&
           d.imm[7:0] inside {8'(isa_pkg::SpecialRegClock), 8'(isa_pkg::SpecialRegClockHi), 8'(isa_pkg::SpecialRegGlobaltimerLo),
                              8'(isa_pkg::SpecialRegGlobaltimerHi)};
  endfunction

  // Compares and swaps words of shared memory.
  function automatic logic swaps(input decoded_t d);
    return d.op == isa_pkg::OpAtoms && d.mod[isa_pkg::AtomicOpLsb+:4] == 4'(isa_pkg::AtomOpCas);
  endfunction

  // A fence of the block: it waits for its warp's accesses before it is issued.
  function automatic logic fences_block(input decoded_t d);
    return d.op == isa_pkg::OpMembar && d.mod[isa_pkg::FenceScopeLsb+:2] == 2'(isa_pkg::ScopeCta);
  endfunction

  // What closes groups of asynchronous copies or waits for them: as a fence of the block it waits before it is issued.
  function automatic logic waits_for_copies(input logic [7:0] op);
    return op == isa_pkg::OpDepbar || op == isa_pkg::OpLdgdepbar;
  endfunction

  // Where a result comes from, or is read. Within a pipe it is forwarded, to another one it goes a cycle later where the preset
  // says so (latency class Crossing).
  typedef enum logic [1:0] {
    PipeBits,      // integers, bits, comparisons
    PipeProducts,  // products and floating-point sums
    PipeOthers
  } pipe_e;
  localparam bit Crosses = config_pkg::Latency[isa_pkg::LatCrossing] != '0;
  function automatic pipe_e pipe_of(input logic [7:0] op);
    isa_pkg::op_props_t props;
    props = isa_pkg::op_props(op);
    case (props.latency)
      isa_pkg::LatAlu, isa_pkg::LatExtract, isa_pkg::LatInsert, isa_pkg::LatVote, isa_pkg::LatCvt: return PipeBits;
      isa_pkg::LatMul, isa_pkg::LatWide, isa_pkg::LatFma: return PipeProducts;
      default: return PipeOthers;
    endcase
  endfunction

  // By which cycles its readers wait longer.
  function automatic sm_pkg::lag_t lag_of(input decoded_t d);
    isa_pkg::op_props_t props;
    isa_pkg::latency_e  latency;
    props = isa_pkg::op_props(d.op);
    latency = props.latency;
    case (d.op)
      isa_pkg::OpImad:     if (d.mod[isa_pkg::MulHiLsb]) latency = isa_pkg::LatWide;
      isa_pkg::OpImadWide: if (d.reads[4]) latency = isa_pkg::LatWideSum;
      isa_pkg::OpBfe:      if (!d.b_imm) latency = isa_pkg::LatExtractAt;
      isa_pkg::OpAtoms:    if (swaps(d)) latency = isa_pkg::LatSwap;
      isa_pkg::OpFlo:      if (d.mod[isa_pkg::FindLeadModeLsb+:2] == 2'(isa_pkg::LeadModeClz)) latency = isa_pkg::LatZeros;
      isa_pkg::OpMembar: begin
        if (fences_block(d)) latency = isa_pkg::LatBlockFence;
        if (d.mod[isa_pkg::FenceScopeLsb+:2] == 2'(isa_pkg::ScopeSys)) latency = isa_pkg::LatSysFence;
      end
      default: ;
    endcase
    return config_pkg::Latency[latency];
  endfunction

  // And by which, for each pass beyond the first; those of a compare-and-swap take two turns.
  function automatic sm_pkg::lag_t each_of(input decoded_t d);
    if (d.op == isa_pkg::OpLdc) return config_pkg::Latency[isa_pkg::LatAddress];
    if (d.op == isa_pkg::OpLdsm) return '0;  // its passes write a row each, and are as far apart as that
    return config_pkg::Latency[isa_pkg::LatPass] << swaps(d);
  endfunction

  // What a step of a tensor instruction reads: rows 0 and 1 are B, then the upper half of a sparse one's B, then what names the
  // columns of a sparse A; rows 2 to 5 are A, then C (mma_pkg::step_t). ra, rb and rc are the instruction's A, B and C.
  function automatic decoded_t step_of(input decoded_t d, input logic [1:0] step);
    decoded_t   s;
    logic [7:0] low, quad;
    logic [1:0] quad_log2;
    rows_t      rows;
    s = d;
    if (HasTensor && d.steps != 2'd0) begin
      low = step == 2'd0 ? d.rb : step == 2'd1 ? d.rb | 8'd2 : d.re;
      quad = step == 2'd0 ? d.ra : d.rc;
      quad_log2 = step == 2'd0 ? d.ra_log2 : d.rc_log2;
      rows[0] = step != 2'd1 || d.rb_log2 == 2'd2;
      rows[1] = rows[0] && step != 2'd2 && d.rb_log2 != 2'd0;
      rows[5:2] = step == 2'd2 ? 4'b0000 : quad_log2 == 2'd2 ? 4'b1111 : quad_log2 == 2'd1 ? 4'b0011 : 4'b0001;
      s.ra = low;
      s.rb = quad;
      s.rc = quad | 8'd2;
      s.uses = rows;
      s.reads = rows & {{4{quad != 8'd255}}, {2{step == 2'd2 ? d.re != 8'd255 : d.rb != 8'd255}}};
    end
    return s;
  endfunction

  // A warp begins.
  typedef struct packed {
    warp_t                              warp;
    sm_pkg::mask_t                      mask;         // its threads
    logic [config_pkg::BlockSlotW-1:0]  block_slot;
    logic [config_pkg::SharedW-1:0]     shared_base;
    logic [config_pkg::RowW-1:0]        row;          // its register 0
    logic [4:0]                         index;        // of the warp in its block
    logic [10:0]                        tid_x;        // of lane 0
    logic [10:0]                        tid_y;
    logic [6:0]                         tid_z;
    logic [31:0]                        ctaid_x;
    logic [15:0]                        ctaid_y;
    logic [15:0]                        ctaid_z;
    gpu_pkg::rank_t                     rank;         // of the block in its cluster
    gpu_pkg::rank_t                     cluster_x;
    gpu_pkg::rank_t                     cluster_y;
    gpu_pkg::rank_t                     cluster_z;
  } start_t;

  // An issued instruction that collects its operands.
  typedef struct packed {
    decoded_t                    d;       // ra, rb, rc, uses, reads: of this step
    logic [1:0]                  step;
    sm_pkg::tag_t                tag;
    logic [config_pkg::RowW-1:0] row;     // the warp's register 0
    logic [31:0]                 imm_hi;  // row 3 where row 2 is imm
    logic                        early;   // its readers may issue before its result is written
    logic                        lanes;   // row 2 comes from the special registers, a cycle after issue
    logic [4:0]                  lane;    // the lowest active lane, for control instructions
    warp_t                       warp;
  } collect_t;

  // An instruction for the convergence unit; b and c: values of the lowest active lane.
  typedef struct packed {
    warp_t                     warp;
    logic [gpu_pkg::SeqW-1:0]  seq;
    logic [31:0]               pc;
    logic [7:0]                op;
    logic [17:0]               mod;
    logic [7:0]                rd;
    logic [2:0]                pd;
    logic [3:0]                bar;     // convergence barrier
    logic [31:0]               imm;
    sm_pkg::mask_t             taken;   // lanes of the running split whose guard holds
    sm_pkg::mask_t             p;       // BAR.RED's predicate
    logic [31:0]               b;
    logic [10:0]               c;       // BAR: threads expected
  } control_t;

  // To the SM's block barriers: threads of a split arrive, or end.
  typedef struct packed {
    logic                         ends;     // threads exit; else they arrive at barrier id,
    logic                         cluster;  // or at that of the cluster
    logic [config_pkg::WarpW-1:0] warp;
    logic                         waits;    // and wait for the others
    logic [3:0]                   id;
    logic [10:0]                  expected; // threads; 0: all of the block
    logic [5:0]                   threads;
    logic [5:0]                   ones;     // threads whose predicate holds. Who ends: that have arrived at the cluster's
    logic                         phase;    // barrier, how often it had opened, modulo 2
  } arrive_t;

  localparam logic [4:0] ClusterBarrier = 5'd16;

  // From the block barriers: a warp's threads that wait at id go on.
  typedef struct packed {
    warp_t       warp;
    logic [4:0]  id;     // ClusterBarrier: at the cluster's
    logic [10:0] ones;   // of all threads that arrived
    logic        all;
    logic        any;
  } release_t;

  // What the scoreboard and the predicates learn of a result's slice.
  typedef struct packed {
    sm_pkg::passes_t passes;  // of a load or an atomic, beyond the first
    logic           ends;     // the instruction, of which the scoreboard knows, has ended
    logic           p_valid;  // it brings predicates
    warp_t          warp;
    logic           has_entry;  // in the scoreboard
    sm_pkg::entry_t entry;
    logic [2:0]     pd;
    logic [2:0]     pq;
    sm_pkg::slice_t slice;
    sm_pkg::lanes_t lanes;
    sm_pkg::lanes_t p;
    sm_pkg::lanes_t q;
  } outcome_t;

  // A fault of an instruction.
  typedef struct packed {
    logic [3:0]                   kind;   // device_pkg::Fault*
    logic [31:0]                  code;
    logic [config_pkg::WarpW-1:0] warp;
    logic [4:0]                   lane;
    logic [31:0]                  pc;
    logic [63:0]                  address;
  } fault_t;

  // The slot in the SM of this sub-partition's warp.
  function automatic logic [config_pkg::WarpW-1:0] slot_of(input warp_t warp,
                                                           input logic [config_pkg::SubPartitionW-1:0] part);
    return config_pkg::WarpW'(32'(warp) * SubPartitions + 32'(part));
  endfunction

  // The lowest warp of a set.
  function automatic warp_t first_warp(input warps_t set);
    return warp_t'(prim_pkg::first32(32'(set)));
  endfunction

  // The next warp of a set after `last`, round robin.
  function automatic warp_t next_warp(input warps_t set, input warp_t last);
    warps_t above;
    above = set & ((warps_t'('1) << last) << 1);
    return first_warp(above != '0 ? above : set);
  endfunction

endpackage
