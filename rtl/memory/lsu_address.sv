// SPDX-License-Identifier: Apache-2.0
// First stage of the load/store unit: takes a warp instruction, slice by slice, finds the space and the device
// address of each lane, checks range and alignment. A fault is reported with its lowest lane when all slices are
// checked, and the instruction goes no further: no lane of it has an effect, and no response comes.
//
// An asynchronous copy has two addresses a lane: that of its load, and that of its store in shared memory, which is checked here, too.
//
//   LD.64 at generic addresses: lane 0 0x10_0000_0100 -> device memory
//                               lane 1 0xf_0000_0040  -> shared memory, block's base + 0x40
//                               lane 2 0xe_0000_0018  -> local memory: granule 1, byte 8 of lane 2
//
// Local memory lies interleaved in 16-byte granules: byte o of lane l is at
//   local_base + ((sm * WarpsPerSm + warp) * local_bytes + (o & ~15)) * 32 + 16 * l + ((o & 15) ^ (l & 8)):
// a granule's halves lie the other way round in every other line, so that a word of each lane takes all banks in two passes.
// Of 16 bytes bit 3 of the address says so; word i of them is at the address ^ 4 i.
// Lanes that are resolved in one cycle land in one space and share its base and limit: a generic access whose lanes
// fall into several takes a cycle for each; where rows move in slices so does each `BeatLanes` lanes of a slice,
// for there are as many adders. There a slice waits in a register, with the choice of the lanes that are next; that of
// a generic access is made there, for a cycle more.
// A misaligned address is reported as such even when it is also out of range. CCTL and fences never fault:
// CCTL leaves out lanes that are out of range, a fence has none.
module lsu_address (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  gpu_pkg::settings_t            settings_i,
  input  gpu_pkg::kernel_t              kernel_i,
  input  logic [config_pkg::SmW-1:0]    sm_id_i,

  input  logic                          req_valid_i,
  output logic                          req_ready_o,  // rows that move whole stand until all lanes are resolved
  input  sm_pkg::lsu_req_t              req_i,
  input  logic [lsu_pkg::EntryW-1:0]    entry_i,      // its place among instructions in flight

  output logic                          fault_valid_o, // one cycle; the entry op_o.entry is free again
  output sm_pkg::lsu_fault_t            fault_o,

  // To the select stage, or to lsu_slices, which takes each slice at once; taken_i: it goes in this cycle.
  output logic                          valid_o,
  input  logic                          taken_i,
  output logic                          last_o,       // slice of an instruction without fault
  output sm_pkg::slice_t                slice_o,
  output lsu_pkg::op_t                  op_o,
  output sm_pkg::lanes_t                lanes_o,      // lanes with an access
  output sm_pkg::lanes_t                shared_o,     // those in shared memory
  output sm_pkg::row_t                  addr_o,       // low word of the address; shared: byte in the SM's
  output logic [lsu_pkg::Lanes-1:0][7:0] addr_hi_o,
  output sm_pkg::row_t [3:0]            data_o,       // where rows move whole
  output sm_pkg::row_t                  copy_addr_o   // of a copy: byte in the SM's shared memory
);

  typedef enum logic [2:0] {SpGlobal, SpShared, SpLocal, SpConst, SpGeneric, SpNone} space_e;

  localparam int unsigned BeatLanes = lsu_pkg::BeatLanes;
  localparam int unsigned BeatLaneW = $clog2(BeatLanes);
  typedef logic [lsu_pkg::Beats-1:0] beats_t;
  typedef logic [BeatLanes-1:0]      beat_lanes_t;
  localparam logic [7:0] BaseHi = 8'(device_pkg::MemoryBase >> 32);

  function automatic space_e space_of(input logic [7:0] op);
    case (op)
      isa_pkg::OpLdg, isa_pkg::OpStg, isa_pkg::OpAtomg, isa_pkg::OpLdgsts: return SpGlobal;
      isa_pkg::OpLds, isa_pkg::OpSts, isa_pkg::OpAtoms, isa_pkg::OpLdsm: return SpShared;
      isa_pkg::OpLdl, isa_pkg::OpStl:                   return SpLocal;
      isa_pkg::OpLdc:                                   return SpConst;
      isa_pkg::OpLd, isa_pkg::OpSt, isa_pkg::OpAtom:    return SpGeneric;
      isa_pkg::OpCctl:                                  return SpGlobal;
      default:                                          return SpNone;
    endcase
  endfunction

  function automatic lsu_pkg::class_e class_of(input logic [7:0] op, input logic [1:0] cctl);
    case (op)
      isa_pkg::OpStg, isa_pkg::OpSts, isa_pkg::OpStl, isa_pkg::OpSt: return lsu_pkg::ClassStore;
      isa_pkg::OpAtomg, isa_pkg::OpAtoms, isa_pkg::OpAtom:           return lsu_pkg::ClassAtomic;
      isa_pkg::OpMembar:                                             return lsu_pkg::ClassFence;
      isa_pkg::OpCctl: begin
        if (cctl == 2'(isa_pkg::CctlOpInvalidate))    return lsu_pkg::ClassInvalidate;
        if (cctl == 2'(isa_pkg::CctlOpInvalidateAll)) return lsu_pkg::ClassFence;
        return lsu_pkg::ClassPrefetch;
      end
      default:                                                       return lsu_pkg::ClassLoad;
    endcase
  endfunction

  typedef logic [gpu_pkg::AddrW-1:0] address_t;

  // What the lanes of a slice have in common.
  typedef struct packed {
    lsu_pkg::op_t   op;
    space_e         space;
    logic           cctl;
    logic [3:0]     low_bits;     // of the address, that the size leaves zero
    sm_pkg::slice_t slice;
    sm_pkg::lanes_t lanes;        // that have an address
    logic [31:0]    pc;
    address_t       base, limit;  // of local or constant memory
    logic [config_pkg::SharedW-1:0] shared_base;
    gpu_pkg::rank_t rank;         // of the block in its cluster
  } access_t;

  // Lanes that are resolved in one cycle: of one beat, in one space.
  typedef struct packed {
    logic           first;        // of the slice
    space_e         target;
    beats_t         beat;
    beat_lanes_t    now;
    sm_pkg::lanes_t rest;         // lanes that come after them
  } step_t;

  function automatic access_t decode();
    access_t         a;
    lsu_pkg::class_e cls;
    logic            atomic, memory, matrix, copies;
    logic [1:0]      order;
    logic [2:0]      scope, cache;
    logic            wide_scope;  // beyond the block: other SMs see it
    logic [31:0]     warp;
    a.space = space_of(req_i.op);
    a.cctl = req_i.op == isa_pkg::OpCctl;
    a.slice = req_i.tag.slice;
    a.pc = req_i.pc;
    a.shared_base = req_i.shared_base;
    a.rank = req_i.rank;
    cls = class_of(req_i.op, req_i.mod[1:0]);
    atomic = cls == lsu_pkg::ClassAtomic;
    matrix = core_pkg::HasMatrixLoad && req_i.op == isa_pkg::OpLdsm;
    memory = (cls == lsu_pkg::ClassLoad && !matrix) || cls == lsu_pkg::ClassStore;
    copies = core_pkg::HasAsyncCopy && req_i.op == isa_pkg::OpLdgsts;
    order = memory && !copies ? req_i.mod[isa_pkg::MemoryOrderLsb+:2]
          : atomic ? req_i.mod[isa_pkg::AtomicOrderLsb+:2] : 2'(isa_pkg::MemOrderWeak);
    scope = memory ? {1'b0, req_i.mod[isa_pkg::MemoryScopeLsb+:2]}
          : atomic ? {1'b0, req_i.mod[isa_pkg::AtomicScopeLsb+:2]} : {1'b0, req_i.mod[isa_pkg::FenceScopeLsb+:2]};
    cache = req_i.mod[isa_pkg::MemoryCacheLsb+:3];
    wide_scope = scope != 3'(isa_pkg::ScopeCta);
    a.op.cls = cls;
    a.op.entry = entry_i;
    a.op.size = (memory || atomic) ? req_i.mod[2:0] : matrix ? 3'(isa_pkg::MemSizeB128) : 3'(isa_pkg::MemSizeB32);
    a.op.matrix = matrix ? '{there: 1'b1, trans: req_i.mod[isa_pkg::MatrixLoadTransLsb], log2: req_i.mod[1:0]} : '0;
    a.op.bypass = (!settings_i.l1_enable && a.space != SpConst && a.space != SpLocal) ||
        ((cls == lsu_pkg::ClassLoad || (cls == lsu_pkg::ClassStore && lsu_pkg::Combines)) && (a.space == SpGlobal || a.space == SpGeneric) &&
         (cache == 3'(isa_pkg::CacheOpCg) || cache == 3'(isa_pkg::CacheOpCv) ||
          order != 2'(isa_pkg::MemOrderWeak))) ||
        (a.cctl && req_i.mod[1:0] == 2'(isa_pkg::CctlOpPrefetchL2));
    a.op.waits = order == 2'(isa_pkg::MemOrderRelease) || req_i.op == isa_pkg::OpMembar;
    // Within the block the order of requests is enough: what another warp of the SM does after it has seen a store follows
    // the stores before it on the link to the L2, which several slices do not change (l2_network). Where write_combine keeps
    // stores, others overtake them.
    a.op.stores_too = wide_scope || lsu_pkg::Combines;
    a.op.acquire = order == 2'(isa_pkg::MemOrderAcquire) && wide_scope;
    a.op.invalidate = cls == lsu_pkg::ClassFence && (a.cctl || wide_scope);
    a.op.atom_op = req_i.mod[isa_pkg::AtomicOpLsb+:4];
    a.op.atom_type = mem_pkg::atom_type_t'(req_i.mod[isa_pkg::AtomicTypeLsb+:3]);
    a.op.reduces = atomic && req_i.tag.rd == 8'd255 && order != 2'(isa_pkg::MemOrderAcquire);
    a.op.copies = copies;
    a.op.konst = a.space == SpConst;
    a.op.warp = req_i.tag.warp;
    a.op.seq = req_i.tag.seq;
    a.low_bits = a.cctl ? 4'd0 : 4'(lsu_pkg::size_bytes(a.op.size) - 5'd1);
    a.lanes = a.space == SpNone || cls == lsu_pkg::ClassFence ? '0 : sm_pkg::lanes_of(req_i.tag.mask & lsu_pkg::matrix_lanes(a.op.matrix), a.slice);
    if (a.space == SpConst) begin
      a.base = req_i.mod[10] ? kernel_i.const_base : kernel_i.param_base;
      a.limit = req_i.mod[11] ? '0 : req_i.mod[10] ? address_t'(17'h10000) : address_t'(kernel_i.param_bytes);
    end else begin
      warp = 32'(sm_id_i) * 32'(config_pkg::WarpsPerSm) + 32'(req_i.tag.warp);
      a.base = kernel_i.local_base + {3'd0, warp * kernel_i.local_bytes, 5'd0};
      a.limit = address_t'(kernel_i.local_bytes);
    end
    return a;
  endfunction

  // Lanes whose address has this upper word.
  function automatic sm_pkg::lanes_t in_window(input logic [31:0] high);
    sm_pkg::lanes_t in;
    for (int unsigned l = 0; l < lsu_pkg::Lanes; l++) in[l] = req_i.addr_hi[l] == high;
    return in;
  endfunction

  function automatic step_t choose(input logic first, input space_e space, input sm_pkg::lanes_t todo,
                                   input sm_pkg::lanes_t in_local, input sm_pkg::lanes_t in_shared);
    step_t          s;
    beats_t         beats;
    sm_pkg::lanes_t now, lowest;
    s.first = first;
    for (int unsigned b = 0; b < lsu_pkg::Beats; b++) beats[b] = todo[b*BeatLanes+:BeatLanes] != '0;
    s.beat = beats & (~beats + 1'b1);
    for (int unsigned b = 0; b < lsu_pkg::Beats; b++)
      now[b*BeatLanes+:BeatLanes] = s.beat[b] ? todo[b*BeatLanes+:BeatLanes] : '0;
    s.target = space;
    if (space == SpGeneric) begin
      lowest = todo & (~todo + 1'b1);
      s.target = (lowest & in_shared) != '0 ? SpShared : (lowest & in_local) != '0 ? SpLocal : SpGlobal;
      now &= s.target == SpShared ? in_shared : s.target == SpLocal ? in_local : ~(in_shared | in_local);
    end
    s.now = '0;
    for (int unsigned b = 0; b < lsu_pkg::Beats; b++) s.now |= now[b*BeatLanes+:BeatLanes];
    s.rest = todo & ~now;
    return s;
  endfunction

  // ---- what is worked on in this cycle -------------------------------------------------------------------
  logic         go, valid_q;
  access_t      access;
  step_t        step;
  sm_pkg::row_t low, high;  // addresses as the lanes gave them
  assign valid_o = valid_q;

  if (sm_pkg::RowSlices == 1) begin : g_whole
    sm_pkg::lanes_t rest_q;
    logic           first_q;
    always_comb begin
      access = '0;
      step = '0;
      if (go) begin
        access = decode();
        if (access.space == SpGeneric) step = choose(first_q, SpGeneric, first_q ? access.lanes : rest_q, in_window(32'd14), in_window(32'd15));
        else step = choose(1'b1, access.space, access.lanes, '0, '0);
      end
    end
    assign low = req_i.addr;
    assign high = req_i.addr_hi;
    assign go = req_valid_i && (!valid_q || taken_i);
    assign req_ready_o = (!valid_q || taken_i) && step.rest == '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) first_q <= 1'b1;
      else if (go) first_q <= step.rest == '0;
      if (go) rest_q <= step.rest;
    end
  end else begin : g_slices
    logic           full_q, accepts;
    access_t        access_q;
    step_t          step_q;
    sm_pkg::row_t   low_q, high_q;
    sm_pkg::lanes_t in_local_q, in_shared_q;
    assign access = access_q;
    assign step = step_q;
    assign low = low_q;
    assign high = high_q;
    assign go = full_q;
    assign req_ready_o = !full_q || step_q.rest == '0;
    assign accepts = req_valid_i && req_ready_o;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) full_q <= 1'b0;
      else full_q <= accepts || !req_ready_o;
    end
    always_ff @(posedge clk_i) begin
      if (accepts) begin : take
        automatic access_t next = decode();
        access_q <= next;
        low_q <= req_i.addr;
        high_q <= req_i.addr_hi;
        in_local_q <= in_window(32'd14);
        in_shared_q <= in_window(32'd15);
        // Which lanes of a generic access go first is known a cycle later.
        step_q <= choose(1'b1, next.space, next.space == SpGeneric ? '0 : next.lanes, '0, '0);
        if (next.space == SpGeneric) step_q.rest <= next.lanes;
      end else if (full_q) step_q <= choose(1'b0, access_q.space, step_q.rest, in_local_q, in_shared_q);
    end
    logic unused;
    assign unused = taken_i;
  end

  function automatic logic [1:0] fault_space(input space_e target);
    case (target)
      SpShared: return 2'(device_pkg::FaultSpaceShared);
      SpLocal:  return 2'(device_pkg::FaultSpaceLocal);
      SpConst:  return 2'(device_pkg::FaultSpaceConst);
      default:  return 2'(device_pkg::FaultSpaceGlobal);
    endcase
  endfunction

  // Of an address in shared memory: bits 31:24 name the block, 0 the own one, r + 1 that of rank r in the cluster, whose blocks'
  // shared memories follow each other. Its base, and whether there is such a block.
  function automatic logic [config_pkg::SharedW-1:0] shared_of(input access_t a, input logic [7:0] block);
    if (!gpu_pkg::HasClusters || block == '0) return a.shared_base;
    return a.shared_base + (config_pkg::SharedW'(block) - config_pkg::SharedW'(1) - config_pkg::SharedW'(a.rank)) *
                           config_pkg::SharedW'(kernel_i.shared_bytes);
  endfunction
  function automatic logic beyond_cluster(input logic [7:0] block);
    return gpu_pkg::HasClusters && block > 8'(kernel_i.cluster_blocks);
  endfunction

  // One adder and one comparator a lane, whatever the space. An aligned access lies below the limit if its last byte does.
  // bad: out of range or not aligned.
  function automatic void resolve(input address_t base, input address_t limit, input space_e target,
                                  input logic [3:0] low_bits, input logic [4:0] lane, input logic [31:0] o,
                                  input logic [31:0] upper, input logic no_block, output logic bad, output address_t address);
    /*verilator no_inline_task*/
    address_t offset;
    offset = {target == SpGlobal ? upper[7:0] : 8'd0, gpu_pkg::HasClusters && target == SpShared ? 8'd0 : o[31:24], o[23:0]};
    bad = no_block || (offset | address_t'(low_bits)) >= limit || (o[3:0] & low_bits) != 4'd0 ||
          (target == SpGlobal && (upper[31:8] != 24'd0 || upper[7:0] < BaseHi));
    if (target == SpLocal) offset = {3'd0, o[31:4], lane, o[3] ^ lane[3], o[2:0]};
    address = base + offset;
  endfunction

  // The same of a copy's store.
  function automatic void resolve_shared(input access_t a, input address_t limit, input logic [31:0] o, output logic bad,
                                         output logic [31:0] address);
    logic [31:0] offset;
    offset = {gpu_pkg::HasClusters ? 8'd0 : o[31:24], o[23:0]};
    bad = beyond_cluster(o[31:24]) || (address_t'(offset) | address_t'(a.low_bits)) >= limit || (o[3:0] & a.low_bits) != 4'd0;
    address = 32'(shared_of(a, o[31:24])) + offset;
  endfunction

  // The number of a beat's lane in the warp, and its word of a row.
  function automatic logic [4:0] lane_of(input sm_pkg::slice_t slice, input beats_t which, input logic [BeatLaneW-1:0] l);
    logic [lsu_pkg::LaneW-1:0] lane;
    lane = lsu_pkg::LaneW'(l);
    for (int unsigned b = 1; b < lsu_pkg::Beats; b++) lane |= which[b] ? lsu_pkg::LaneW'(b * BeatLanes) : '0;
    return 5'({slice, lane});
  endfunction
  function automatic logic [31:0] of_beat(input beats_t which, input sm_pkg::row_t row, input int unsigned l);
    logic [31:0] value;
    value = row[l];
    for (int unsigned b = 1; b < lsu_pkg::Beats; b++) value = which[b] ? row[b*BeatLanes+l] : value;
    return value;
  endfunction

  // ---- addresses and faults: lanes are resolved only in the cycles that work on them -----------------------
  logic faulted_q;  // an earlier lane of the instruction faults, which fault_o tells of
  always_ff @(posedge clk_i) begin
    fault_valid_o <= 1'b0;
    if (go) begin : resolve_lanes
      automatic address_t         base = access.base;
      automatic address_t         limit = access.limit;
      automatic logic             done = step.rest == '0;
      automatic logic             ends = done && access.slice == sm_pkg::LastSlice;
      automatic sm_pkg::lanes_t   good = '0;
      automatic beat_lanes_t      bad = '0;
      automatic beat_lanes_t      bad_store;       // of those, in shared memory only
      automatic logic             in_store;
      automatic logic [4:0]       lane;
      automatic logic [BeatLaneW-1:0] l0;
      automatic logic [31:0]      o, upper;
      automatic logic             outside;
      automatic address_t         address;
      automatic logic             faulted = (access.slice != '0 || !step.first) && faulted_q;
      automatic logic             faults;
      case (step.target)
        SpGlobal: begin
          base = '0;
          limit = settings_i.mem_end;
        end
        SpShared: begin
          base = address_t'(access.shared_base);
          limit = address_t'(kernel_i.shared_bytes);
        end
        default: ;
      endcase
      bad_store = '0;
      if (!core_pkg::HasAsyncCopy) copy_addr_o <= '0;
      if (core_pkg::HasAsyncCopy && access.op.copies) begin
        for (int unsigned l = 0; l < BeatLanes; l++) begin
          resolve_shared(access, address_t'(kernel_i.shared_bytes), req_i.data[0][l], outside, upper);
          bad_store[l] = step.now[l] && outside;
          copy_addr_o[l] <= upper;
        end
      end
      if (step.beat != '0) begin
        for (int unsigned l = 0; l < BeatLanes; l++) begin
          o = of_beat(step.beat, low, l);
          upper = of_beat(step.beat, high, l);
          lane = lane_of(access.slice, step.beat, BeatLaneW'(l));
          if (gpu_pkg::HasClusters && step.target == SpShared) base = address_t'(shared_of(access, o[31:24]));
          resolve(base, limit, step.target, access.low_bits, lane, o, upper,
                  step.target == SpShared && beyond_cluster(o[31:24]), outside, address);
          bad[l] = step.now[l] && outside;
          for (int unsigned b = 0; b < lsu_pkg::Beats; b++) begin
            if (step.beat[b] && step.now[l]) begin
              addr_o[b*BeatLanes+l] <= address[31:0];
              addr_hi_o[b*BeatLanes+l] <= address[39:32];
            end
          end
        end
      end
      for (int unsigned b = 0; b < lsu_pkg::Beats; b++)
        if (step.beat[b]) good[b*BeatLanes+:BeatLanes] = access.cctl ? step.now & ~bad : step.now;
      if (access.cctl) bad = '0;
      bad_store &= ~bad;
      bad |= bad_store;
      faults = faulted || bad != '0;
      slice_o <= access.slice;
      op_o <= access.op;
      lanes_o <= (step.first ? '0 : lanes_o) | good;
      shared_o <= (step.first ? '0 : shared_o) | (step.target == SpShared ? good : '0);
      if (sm_pkg::RowSlices == 1 && (access.op.cls == lsu_pkg::ClassStore || access.op.cls == lsu_pkg::ClassAtomic))
        data_o <= req_i.data;
      valid_q <= done && (sm_pkg::RowSlices > 1 || !faults);
      last_o <= ends && !faults;
      fault_valid_o <= ends && faults;
      faulted_q <= faults;
      // The lowest lane: those of another space may come after higher ones.
      l0 = BeatLaneW'(prim_pkg::first32(32'(bad)));
      lane = lane_of(access.slice, step.beat, l0);
      if (bad != '0 && (!faulted || lane < fault_o.lane)) begin
        in_store = bad_store[l0];
        o = in_store ? req_i.data[0][l0] : of_beat(step.beat, low, 32'(l0));
        upper = of_beat(step.beat, high, 32'(l0));
        fault_o.warp <= access.op.warp;
        fault_o.pc <= access.pc;
        fault_o.lane <= lane;
        fault_o.kind <= (o[3:0] & access.low_bits) != 4'd0 ? 4'(device_pkg::FaultMisaligned)
                                                           : 4'(device_pkg::FaultIllegalAddress);
        fault_o.code <= {2'b00, access.op.cls == lsu_pkg::ClassAtomic, access.op.cls == lsu_pkg::ClassStore || in_store, 2'b00,
                         fault_space(in_store ? SpShared : step.target)};
        fault_o.address <= {(access.space == SpGlobal || access.space == SpGeneric) && !in_store ? upper : 32'd0, o};
      end
    end else if (sm_pkg::RowSlices > 1 || taken_i) valid_q <= 1'b0;
    if (!rst_ni) begin
      valid_q <= 1'b0;
      fault_valid_o <= 1'b0;
    end
  end

endmodule
