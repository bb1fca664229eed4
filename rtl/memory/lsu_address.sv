// SPDX-License-Identifier: Apache-2.0
// First stage of the load/store unit: takes a warp instruction, slice by slice, finds the space and the device
// address of each lane, checks range and alignment. A fault is reported with its lowest lane when all slices are
// checked, and the instruction goes no further: no lane of it has an effect, and no response comes.
//
//   LD.64 at generic addresses: lane 0 0x10_0000_0100 -> device memory
//                               lane 1 0xf_0000_0040  -> shared memory, block's base + 0x40
//                               lane 2 0xe_0000_0018  -> local memory: granule 1, byte 8 of lane 2
//
// Local memory lies interleaved in 16-byte granules: byte o of lane l is at
//   local_base + ((sm * WarpsPerSm + warp) * local_bytes + (o & ~15)) * 32 + 16 * l + (o & 15).
// Lanes that are resolved in one cycle land in one space and share its base and limit: a generic access whose lanes
// fall into several takes a cycle for each. Where rows move in slices so does each half of a slice, for there are
// adders for `BeatLanes` lanes.
// A misaligned address is reported as such even when it is also out of range. CCTL and fences never fault:
// CCTL leaves out lanes that are out of range, a fence has none.
module lsu_address (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  gpu_pkg::settings_t            settings_i,
  input  gpu_pkg::kernel_t              kernel_i,
  input  logic [config_pkg::SmW-1:0]    sm_id_i,

  input  logic                          req_fire_i,   // work on req_i, which stands until done_o
  output logic                          done_o,       // all of its lanes are resolved in this cycle
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
  output sm_pkg::row_t [3:0]            data_o,
  output logic                          acquire_o     // invalidate the L1 once it is complete
);

  typedef enum logic [2:0] {SpGlobal, SpShared, SpLocal, SpConst, SpGeneric, SpNone} space_e;

  localparam int unsigned BeatLanes = lsu_pkg::BeatLanes;
  localparam int unsigned BeatLaneW = $clog2(BeatLanes);
  typedef logic [lsu_pkg::Beats-1:0] beats_t;
  typedef logic [BeatLanes-1:0]      beat_lanes_t;
  localparam logic [7:0] BaseHi = 8'(device_pkg::MemoryBase >> 32);

  function automatic space_e space_of(input logic [7:0] op);
    case (op)
      isa_pkg::OpLdg, isa_pkg::OpStg, isa_pkg::OpAtomg: return SpGlobal;
      isa_pkg::OpLds, isa_pkg::OpSts:                   return SpShared;
      isa_pkg::OpLdl, isa_pkg::OpStl:                   return SpLocal;
      isa_pkg::OpLdc:                                   return SpConst;
      isa_pkg::OpLd, isa_pkg::OpSt:                     return SpGeneric;
      isa_pkg::OpCctl:                                  return SpGlobal;
      default:                                          return SpNone;
    endcase
  endfunction

  function automatic lsu_pkg::class_e class_of(input logic [7:0] op, input logic [1:0] cctl);
    case (op)
      isa_pkg::OpStg, isa_pkg::OpSts, isa_pkg::OpStl, isa_pkg::OpSt: return lsu_pkg::ClassStore;
      isa_pkg::OpAtomg:                                              return lsu_pkg::ClassAtomic;
      isa_pkg::OpMembar:                                             return lsu_pkg::ClassFence;
      isa_pkg::OpCctl: begin
        if (cctl == 2'(isa_pkg::CctlOpInvalidate))    return lsu_pkg::ClassInvalidate;
        if (cctl == 2'(isa_pkg::CctlOpInvalidateAll)) return lsu_pkg::ClassFence;
        return lsu_pkg::ClassPrefetch;
      end
      default:                                                       return lsu_pkg::ClassLoad;
    endcase
  endfunction

  logic   valid_q;
  space_e space;
  assign space = space_of(req_i.op);
  assign valid_o = valid_q;

  // What depends on the instruction alone.
  lsu_pkg::class_e cls;
  logic            atomic, memory, global_like, is_cctl;
  logic [2:0]      size, order_scope;
  logic [1:0]      order;
  logic            wide_scope;  // beyond the block: other SMs see it
  assign is_cctl = req_i.op == isa_pkg::OpCctl;
  assign cls = class_of(req_i.op, req_i.mod[1:0]);
  assign atomic = cls == lsu_pkg::ClassAtomic;
  assign memory = cls == lsu_pkg::ClassLoad || cls == lsu_pkg::ClassStore;
  assign size = (memory || atomic) ? req_i.mod[2:0] : 3'(isa_pkg::MemSizeB32);
  assign order = memory ? req_i.mod[isa_pkg::MemoryOrderLsb+:2]
               : atomic ? req_i.mod[isa_pkg::AtomicOrderLsb+:2] : 2'(isa_pkg::MemOrderWeak);
  assign order_scope = memory ? {1'b0, req_i.mod[isa_pkg::MemoryScopeLsb+:2]}
                     : atomic ? {1'b0, req_i.mod[isa_pkg::AtomicScopeLsb+:2]}
                     : {1'b0, req_i.mod[isa_pkg::FenceScopeLsb+:2]};
  assign wide_scope = order_scope != 3'(isa_pkg::ScopeCta);
  assign global_like = space == SpGlobal || space == SpGeneric;

  logic [2:0] cache;
  assign cache = req_i.mod[isa_pkg::MemoryCacheLsb+:3];

  typedef logic [gpu_pkg::AddrW-1:0] address_t;

  // A space: where it begins and where in it the last access may begin, if any may.
  typedef struct packed {
    address_t base;
    address_t last;
    logic     none;
  } extent_t;

  // Where a lane's access goes.
  typedef struct packed {
    logic     bad_range;
    address_t address;
  } where_t;

  function automatic extent_t extent_of(input space_e target, input logic [4:0] bytes);
    extent_t     e;
    address_t    limit;
    logic [31:0] warp;
    warp = 32'(sm_id_i) * 32'(config_pkg::WarpsPerSm) + 32'(req_i.tag.warp);
    e.base = '0;
    limit = '0;
    case (target)
      SpGlobal: limit = settings_i.mem_end;
      SpLocal: begin
        e.base = kernel_i.local_base + {3'd0, warp * kernel_i.local_bytes, 5'd0};
        limit = address_t'(kernel_i.local_bytes);
      end
      SpConst: begin
        e.base = req_i.mod[10] ? kernel_i.const_base : kernel_i.param_base;
        limit = req_i.mod[11] ? '0 : req_i.mod[10] ? address_t'(17'h10000) : address_t'(kernel_i.param_bytes);
      end
      default: begin
        e.base = address_t'(req_i.shared_base);
        limit = address_t'(kernel_i.shared_bytes);
      end
    endcase
    {e.none, e.last} = {1'b0, limit} - ($bits(limit) + 1)'(bytes);
    return e;
  endfunction

  // One adder and one comparator a lane, whatever the space.
  function automatic where_t resolve(input extent_t e, input space_e target, input logic [4:0] lane,
                                     input logic [31:0] o, input logic [31:0] high);
    where_t   w;
    address_t offset;
    offset = {target == SpGlobal ? high[7:0] : 8'd0, o};
    w.bad_range = e.none || offset > e.last ||
                  (target == SpGlobal && (high[31:8] != 24'd0 || high[7:0] < BaseHi));
    if (target == SpLocal) offset = {3'd0, o[31:4], lane, o[3:0]};
    w.address = e.base + offset;
    return w;
  endfunction

  function automatic logic [1:0] fault_space(input space_e target);
    case (target)
      SpShared: return 2'(device_pkg::FaultSpaceShared);
      SpLocal:  return 2'(device_pkg::FaultSpaceLocal);
      SpConst:  return 2'(device_pkg::FaultSpaceConst);
      default:  return 2'(device_pkg::FaultSpaceGlobal);
    endcase
  endfunction

  // ---- lanes that are resolved in this cycle: of one beat, in one space ---------------------------------
  sm_pkg::slice_t slice;
  sm_pkg::lanes_t todo, done_q, now;
  beats_t         beat_todo, beat;
  beat_lanes_t    beat_now;
  space_e         target;
  assign slice = req_i.tag.slice;
  assign todo = space == SpNone || cls == lsu_pkg::ClassFence ? '0 : sm_pkg::lanes_of(req_i.tag.mask, slice) & ~done_q;
  assign beat = beat_todo & (~beat_todo + 1'b1);
  assign done_o = (todo & ~now) == '0;

  // The number of a beat's lane in the warp, and its word of a row.
  function automatic logic [4:0] lane_of(input beats_t which, input logic [BeatLaneW-1:0] l);
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

  always_comb begin : choose
    beat_lanes_t in_local, in_shared, first;
    logic [31:0] high;
    for (int unsigned b = 0; b < lsu_pkg::Beats; b++) beat_todo[b] = todo[b*BeatLanes+:BeatLanes] != '0;
    beat_now = todo[BeatLanes-1:0];
    for (int unsigned b = 1; b < lsu_pkg::Beats; b++) beat_now = beat[b] ? todo[b*BeatLanes+:BeatLanes] : beat_now;
    target = space == SpGeneric ? SpGlobal : space;
    in_local = '0;
    in_shared = '0;
    first = '0;
    high = '0;
    if (req_fire_i && space == SpGeneric) begin
      for (int unsigned l = 0; l < BeatLanes; l++) begin
        high = of_beat(beat, req_i.addr_hi, l);
        in_local[l] = high == 32'd14;
        in_shared[l] = high == 32'd15;
      end
      first = beat_now & (~beat_now + 1'b1);
      target = (first & in_shared) != '0 ? SpShared : (first & in_local) != '0 ? SpLocal : SpGlobal;
      beat_now &= target == SpShared ? in_shared : target == SpLocal ? in_local : ~(in_shared | in_local);
    end
    for (int unsigned b = 0; b < lsu_pkg::Beats; b++) now[b*BeatLanes+:BeatLanes] = beat[b] ? beat_now : '0;
  end

  // Registers of the instruction; lanes are resolved only in the cycles that work on them.
  logic faulted_q;  // an earlier lane of the instruction faults, which fault_o tells of
  always_ff @(posedge clk_i) begin
    fault_valid_o <= 1'b0;
    if (req_fire_i) begin : take
      automatic logic [4:0]       bytes = lsu_pkg::size_bytes(size);
      automatic logic [3:0]       low_bits = is_cctl ? 4'd0 : 4'(bytes - 5'd1);
      automatic extent_t          extent = extent_of(target, bytes);
      automatic sm_pkg::lanes_t   good;
      automatic beat_lanes_t      bad = '0;
      automatic logic [4:0]       lane;
      automatic logic [BeatLaneW-1:0] l0;
      automatic logic [31:0]      low, high;
      automatic where_t           where;
      automatic logic             faulted = (slice != '0 || done_q != '0) && faulted_q;
      automatic logic             faults;
      if (beat != '0) begin
        for (int unsigned l = 0; l < BeatLanes; l++) begin
          low = of_beat(beat, req_i.addr, l);
          high = of_beat(beat, req_i.addr_hi, l);
          lane = lane_of(beat, BeatLaneW'(l));
          where = resolve(extent, target, lane, low, high);
          bad[l] = beat_now[l] && (where.bad_range || (low[3:0] & low_bits) != 4'd0);
          for (int unsigned b = 0; b < lsu_pkg::Beats; b++) begin
            if (now[b*BeatLanes+l]) begin
              addr_o[b*BeatLanes+l] <= where.address[31:0];
              addr_hi_o[b*BeatLanes+l] <= where.address[39:32];
            end
          end
        end
      end
      good = now;
      for (int unsigned b = 0; b < lsu_pkg::Beats; b++)
        if (is_cctl) good[b*BeatLanes+:BeatLanes] &= ~bad;
      if (is_cctl) bad = '0;
      faults = faulted || bad != '0;
      done_q <= done_o ? '0 : done_q | now;
      slice_o <= slice;
      op_o.cls <= cls;
      op_o.entry <= entry_i;
      op_o.size <= size;
      op_o.bypass <= (!settings_i.l1_enable && space != SpConst && space != SpLocal) ||
          (cls == lsu_pkg::ClassLoad && global_like &&
           (cache == 3'(isa_pkg::CacheOpCg) || cache == 3'(isa_pkg::CacheOpCv) ||
            order != 2'(isa_pkg::MemOrderWeak))) ||
          (is_cctl && req_i.mod[1:0] == 2'(isa_pkg::CctlOpPrefetchL2));
      op_o.waits <= order == 2'(isa_pkg::MemOrderRelease) || req_i.op == isa_pkg::OpMembar;
      op_o.stores_too <= wide_scope;
      op_o.invalidate <= cls == lsu_pkg::ClassFence && (is_cctl || wide_scope);
      op_o.atom_op <= req_i.mod[isa_pkg::AtomicOpLsb+:4];
      op_o.atom_sign <= req_i.mod[isa_pkg::AtomicTypeLsb+:3] == 3'(isa_pkg::AtomTypeS);
      op_o.warp <= req_i.tag.warp;
      op_o.seq <= req_i.tag.seq;
      lanes_o <= (done_q == '0 ? '0 : lanes_o) | good;
      shared_o <= (done_q == '0 ? '0 : shared_o) | (target == SpShared ? good : '0);
      if (cls == lsu_pkg::ClassStore || atomic) data_o <= req_i.data;
      valid_q <= done_o && (sm_pkg::RowSlices > 1 || !faults);
      last_o <= done_o && slice == sm_pkg::LastSlice && !faults;
      fault_valid_o <= done_o && slice == sm_pkg::LastSlice && faults;
      faulted_q <= faults;
      // The lowest lane: those of another space may come after higher ones.
      l0 = BeatLaneW'(prim_pkg::first32(32'(bad)));
      lane = lane_of(beat, l0);
      if (bad != '0 && (!faulted || lane < fault_o.lane)) begin
        low = of_beat(beat, req_i.addr, 32'(l0));
        high = of_beat(beat, req_i.addr_hi, 32'(l0));
        fault_o.warp <= req_i.tag.warp;
        fault_o.pc <= req_i.pc;
        fault_o.lane <= lane;
        fault_o.kind <= (low[3:0] & low_bits) != 4'd0 ? 4'(device_pkg::FaultMisaligned)
                                                      : 4'(device_pkg::FaultIllegalAddress);
        fault_o.code <= {2'b00, atomic, cls == lsu_pkg::ClassStore, 2'b00, fault_space(target)};
        fault_o.address <= {global_like ? high : 32'd0, low};
      end
    end else if (taken_i) valid_q <= 1'b0;
    if (!rst_ni) begin
      valid_q <= 1'b0;
      fault_valid_o <= 1'b0;
      done_q <= '0;
    end
  end

  assign acquire_o = order == 2'(isa_pkg::MemOrderAcquire) && wide_scope;

endmodule
