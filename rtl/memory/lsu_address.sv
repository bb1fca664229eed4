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
// A misaligned address is reported as such even when it is also out of range. CCTL and fences never fault:
// CCTL leaves out lanes that are out of range, a fence has none.
module lsu_address (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  gpu_pkg::settings_t            settings_i,
  input  gpu_pkg::kernel_t              kernel_i,
  input  logic [config_pkg::SmW-1:0]    sm_id_i,

  input  logic                          req_fire_i,   // req_i is taken
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

  localparam int unsigned LaneW = lsu_pkg::LaneW;
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

  // Where a lane's access goes.
  typedef struct packed {
    logic        shared;
    logic        bad_range;
    logic [7:0]  hi;
    logic [31:0] lo;
  } where_t;

  // A space: where it begins and where in it the last access may begin, if any may.
  typedef struct packed {
    address_t base;
    address_t last;
    logic     none;
  } extent_t;

  // What all lanes of an instruction share.
  typedef struct packed {
    space_e     space;
    logic [4:0] bytes;
    address_t   global_last;
    extent_t    local_extent;  // of the warp
    extent_t    close;          // constant bank or shared memory
  } frame_t;

  function automatic extent_t extent_of(input address_t base, input logic [31:0] limit, input logic [4:0] bytes);
    extent_t     e;
    logic [31:0] last;
    e.base = base;
    last = limit - 32'(bytes);
    e.last = address_t'(last);
    e.none = limit < 32'(bytes);
    return e;
  endfunction

  // One adder and one comparator a lane, whatever the space.
  function automatic where_t resolve(input frame_t f, input logic [4:0] lane, input logic [31:0] o,
                                     input logic [31:0] high);
    where_t   w;
    logic     window, local_space, global_space;
    address_t base, last, offset, sum;
    window = f.space == SpGeneric && high[31:1] == 31'd7;  // 14: local, 15: shared
    local_space = f.space == SpLocal || (window && !high[0]);
    global_space = f.space == SpGlobal || (f.space == SpGeneric && !window);
    w.shared = f.space == SpShared || (window && high[0]);
    base = global_space ? '0 : local_space ? f.local_extent.base : f.close.base;
    last = global_space ? f.global_last : local_space ? f.local_extent.last : f.close.last;
    offset = {global_space ? high[7:0] : 8'd0, o};
    w.bad_range = offset > last;
    if (global_space) w.bad_range |= high[31:8] != 24'd0 || high[7:0] < BaseHi;
    else w.bad_range |= local_space ? f.local_extent.none : f.close.none;
    if (local_space) offset = {3'd0, o[31:4], lane, o[3:0]};
    sum = base + offset;
    w.lo = sum[31:0];
    w.hi = sum[39:32];
    return w;
  endfunction

  function automatic frame_t frame_of(input space_e sp, input logic [4:0] bytes);
    frame_t      f;
    logic [31:0] warp;
    f.space = sp;
    f.bytes = bytes;
    f.global_last = settings_i.mem_end - address_t'(bytes);
    warp = 32'(sm_id_i) * 32'(config_pkg::WarpsPerSm) + 32'(req_i.tag.warp);
    f.local_extent = extent_of(kernel_i.local_base + {3'd0, warp * kernel_i.local_bytes, 5'd0},
                               kernel_i.local_bytes, bytes);
    if (sp != SpConst)
      f.close = extent_of(address_t'(req_i.shared_base), 32'(kernel_i.shared_bytes), bytes);
    else begin
      case (req_i.mod[11:10])
        2'd0:    f.close = extent_of(kernel_i.param_base, 32'(kernel_i.param_bytes), bytes);
        2'd1:    f.close = extent_of(kernel_i.const_base, 32'h10000, bytes);
        default: f.close = extent_of('0, 32'd0, bytes);
      endcase
    end
    return f;
  endfunction

  function automatic logic [1:0] fault_space(input space_e sp, input logic [31:0] hi);
    case (sp)
      SpShared:  return 2'(device_pkg::FaultSpaceShared);
      SpLocal:   return 2'(device_pkg::FaultSpaceLocal);
      SpConst:   return 2'(device_pkg::FaultSpaceConst);
      SpGeneric: return hi == 32'd15 ? 2'(device_pkg::FaultSpaceShared)
                      : hi == 32'd14 ? 2'(device_pkg::FaultSpaceLocal) : 2'(device_pkg::FaultSpaceGlobal);
      default:   return 2'(device_pkg::FaultSpaceGlobal);
    endcase
  endfunction

  sm_pkg::slice_t slice;
  logic           faulted_q;  // an earlier slice of the instruction, which fault_o tells of
  assign slice = req_i.tag.slice;

  // Registers of the instruction; lanes are resolved only in the cycle that takes them.
  always_ff @(posedge clk_i) begin
    fault_valid_o <= 1'b0;
    if (req_fire_i) begin : take
      automatic frame_t           frame = frame_of(space, lsu_pkg::size_bytes(size));
      automatic logic [3:0]       low_bits = is_cctl ? 4'd0 : 4'(frame.bytes - 5'd1);
      automatic sm_pkg::lanes_t   mask = sm_pkg::lanes_of(req_i.tag.mask, slice);
      automatic sm_pkg::lanes_t   shared = '0;
      automatic sm_pkg::lanes_t   bad_range = '0;
      automatic sm_pkg::lanes_t   bad_align = '0;
      automatic sm_pkg::lanes_t   bad;
      automatic sm_pkg::lanes_t   active;
      automatic logic [LaneW-1:0] lane;
      automatic where_t           where;
      automatic logic             faulted = slice != '0 && faulted_q;
      automatic logic             faults;
      if (space != SpNone && cls != lsu_pkg::ClassFence) begin
        for (int unsigned l = 0; l < lsu_pkg::Lanes; l++) begin
          where = resolve(frame, 5'({slice, LaneW'(l)}), req_i.addr[l], req_i.addr_hi[l]);
          addr_o[l] <= where.lo;
          addr_hi_o[l] <= where.hi;
          shared[l] = where.shared;
          bad_range[l] = where.bad_range;
          bad_align[l] = (req_i.addr[l][3:0] & low_bits) != 4'd0;
        end
      end
      bad = mask & (bad_align | bad_range);
      active = space == SpNone || cls == lsu_pkg::ClassFence ? '0 : is_cctl ? mask & ~bad : mask;
      lane = LaneW'(prim_pkg::first32(32'(bad)));
      faults = faulted || (bad != '0 && !is_cctl);
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
      lanes_o <= active;
      shared_o <= shared & active;
      if (cls == lsu_pkg::ClassStore || atomic) data_o <= req_i.data;
      valid_q <= sm_pkg::RowSlices > 1 || !faults;
      last_o <= slice == sm_pkg::LastSlice && !faults;
      fault_valid_o <= slice == sm_pkg::LastSlice && faults;
      faulted_q <= faults;
      if (faults && !faulted) begin
        fault_o.warp <= req_i.tag.warp;
        fault_o.pc <= req_i.pc;
        fault_o.lane <= 5'({slice, lane});
        fault_o.kind <= bad_align[lane] ? 4'(device_pkg::FaultMisaligned)
                                              : 4'(device_pkg::FaultIllegalAddress);
        fault_o.code <= {2'b00, atomic, cls == lsu_pkg::ClassStore, 2'b00,
                         fault_space(space, req_i.addr_hi[lane])};
        fault_o.address <= {global_like ? req_i.addr_hi[lane] : 32'd0, req_i.addr[lane]};
      end
    end else if (taken_i) valid_q <= 1'b0;
    if (!rst_ni) begin
      valid_q <= 1'b0;
      fault_valid_o <= 1'b0;
    end
  end

  assign acquire_o = order == 2'(isa_pkg::MemOrderAcquire) && wide_scope;

endmodule
