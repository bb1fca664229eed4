// SPDX-License-Identifier: Apache-2.0
// What an atomic computes, on global memory (l2_data) and on shared memory (shared_atomic).
package atomic_pkg;

  // PTX atom on 32 or 64 bits, at their place in a doubleword x, in two steps. inc: old >= b ? 0 : old + 1.
  // dec: old == 0 or old > b ? b : old - 1. cas: old == b ? c : old.
  // y is the operand at the word's place, with zeros below. What stands in the doubleword's other half says nothing.
  // integer_step is the first step of integers.
  // arrive, on shared memory: x + y field by field, as isa/mbarrier.h has them; with nothing left to wait for the phase completes.
  // Floating-point numbers are added (atomic_float_pkg): on global memory, not on shared memory, f32 flushes subnormal numbers. Of
  // f16x2 and bf16x2 there are min and max, too.
  typedef struct packed {
    logic        less;    // x < y
    logic        equal;
    logic        zero;    // x == 0
    logic [63:0] sum;     // x + y, x + 1, x - 1 or x + y of fields; f64: the NaN, if the sum is one
    logic [63:0] bits;    // x & y, x | y, x ^ y, else y
    atomic_float_pkg::sum_t [1:0] sums;  // f32, the lower 16 bits; the upper 16 bits
    atomic_float_pkg::sum64_t     sum64;
  } step_t;

  function automatic logic is_float(input mem_pkg::atom_type_t kind);
    return mem_pkg::FloatAtomics && 3'(kind) > 3'(isa_pkg::AtomTypeS);
  endfunction

  function automatic logic is_double(input mem_pkg::atom_type_t kind);
    return mem_pkg::FloatAtomics && 3'(kind) == 3'(isa_pkg::AtomTypeF64);
  endfunction

  // Highest bits of an mbarrier's fields, and all bits of them.
  localparam logic [63:0] MbarrierTops = 64'h1000_0080_0008_0000, MbarrierFields = 64'h1fff_ffff_ffff_ffff;

  function automatic logic arrives(input logic [3:0] op, input logic shared);
    return shared && op == 4'(isa_pkg::AtomOpArrive);
  endfunction

  function automatic step_t integer_step(input logic [3:0] op, input mem_pkg::atom_type_t kind, input logic shared,
                                         input logic wide, input logic high, input logic [63:0] x, input logic [63:0] y);
    step_t     a;
    logic        sign, flip, upper;
    logic [1:0]  less, equal, zero;  // of each half
    logic [63:0] step, tops;
    upper = !wide && high;
    sign = 3'(kind) == 3'(isa_pkg::AtomTypeS);
    // Signed: the sign bit is flipped. inc and dec are unsigned.
    flip = sign && (op == 4'(isa_pkg::AtomOpMin) || op == 4'(isa_pkg::AtomOpMax));
    less = {{x[63] ^ flip, x[62:32]} < {y[63] ^ flip, y[62:32]},
            {x[31] ^ (flip && !wide), x[30:0]} < {y[31] ^ (flip && !wide), y[30:0]}};
    equal = {x[63:32] == y[63:32], x[31:0] == y[31:0]};
    zero = {x[63:32] == '0, x[31:0] == '0};
    a.less = wide ? less[1] || (equal[1] && less[0]) : less[upper];
    a.equal = wide ? &equal : equal[upper];
    a.zero = wide ? &zero : zero[upper];
    // One adder, whose carries end with a field where it adds fields.
    step = op == 4'(isa_pkg::AtomOpInc) ? {31'd0, upper, 31'd0, !upper} :
           op == 4'(isa_pkg::AtomOpDec) ? {32'hffffffff, {32{!upper}}} : y;
    tops = '0;
    if (arrives(op, shared)) {tops, step} = {MbarrierTops, y & MbarrierFields};
    a.sum = ((x & ~tops) + (step & ~tops)) ^ ((x ^ step) & tops);
    case (op)
      4'(isa_pkg::AtomOpAnd): a.bits = x & y;
      4'(isa_pkg::AtomOpOr):  a.bits = x | y;
      4'(isa_pkg::AtomOpXor): a.bits = x ^ y;
      default:                a.bits = y;
    endcase
    a.sums = '0;
    a.sum64 = '0;
    return a;
  endfunction

  function automatic step_t first_step(input logic [3:0] op, input mem_pkg::atom_type_t kind, input logic shared,
                                       input logic wide, input logic high, input logic [63:0] x, input logic [63:0] y);
    step_t       a;
    logic        upper;
    logic [31:0] p, q;
    atomic_float_pkg::format_e format;
    upper = !wide && high;
    a = integer_step(op, kind, shared, wide, high, x, y);
    if (is_double(kind)) begin
      a.sum64 = atomic_float_pkg::add64(x, y);
      a.sum = atomic_float_pkg::nan64(shared, x, y);
    end else if (is_float(kind)) begin
      format = atomic_float_pkg::format_of(kind);
      p = upper ? x[63:32] : x[31:0];
      q = upper ? y[63:32] : y[31:0];
      a.sums[0] = atomic_float_pkg::add(format, !shared && format == atomic_float_pkg::F32, op, p, q);
      if (format != atomic_float_pkg::F32) a.sums[1] = atomic_float_pkg::add(format, 1'b0, op, p >> 16, q >> 16);
    end
    return a;
  endfunction

  // Of sums of floating-point numbers; those of 32 bits in both halves.
  function automatic logic [63:0] float_result(input mem_pkg::atom_type_t kind, input logic shared, input step_t a);
    logic [31:0] low, high;
    atomic_float_pkg::format_e format;
    if (is_double(kind)) return a.sum64.nan ? a.sum : atomic_float_pkg::round64(a.sum64);
    format = atomic_float_pkg::format_of(kind);
    low = atomic_float_pkg::round(format, !shared, a.sums[0]);
    if (format != atomic_float_pkg::F32) begin
      high = atomic_float_pkg::round(format, 1'b0, a.sums[1]);
      low[31:16] = high[15:0];
    end
    return {2{low}};
  endfunction

  // Of an mbarrier's fields.
  function automatic logic [63:0] phase_of(input logic [63:0] sum);
    if (sum[19:0] != '0 || sum[60:40] != '0) return sum;
    return {!sum[63], sum[62:20], sum[39:20]};
  endfunction

  // Of integers.
  function automatic logic [63:0] integer_result(input logic [3:0] op, input logic shared, input step_t a, input logic [63:0] x,
                                                 input logic [63:0] c);
    logic keep, add, other, none;   // x, sum, c, 0; else bits
    if (arrives(op, shared)) return phase_of(a.sum);
    keep = (op == 4'(isa_pkg::AtomOpMin) && a.less) || (op == 4'(isa_pkg::AtomOpMax) && !a.less) ||
           (op == 4'(isa_pkg::AtomOpCas) && !a.equal);
    add = op == 4'(isa_pkg::AtomOpAdd) || (op == 4'(isa_pkg::AtomOpInc) && a.less) ||
          (op == 4'(isa_pkg::AtomOpDec) && !a.zero && (a.less || a.equal));
    other = op == 4'(isa_pkg::AtomOpCas) && a.equal;
    none = op == 4'(isa_pkg::AtomOpInc) && !a.less;
    return none ? '0 : keep ? x : add ? a.sum : other ? c : a.bits;
  endfunction

  // Both steps in one cycle, of an integer at the doubleword's begin, in shared memory.
  function automatic logic [63:0] integer_atomic(input logic [3:0] op, input mem_pkg::atom_type_t kind, input logic wide,
                                                 input logic [63:0] x, input logic [63:0] y, input logic [63:0] c);
    return integer_result(op, 1'b1, integer_step(op, kind, 1'b1, wide, 1'b0, x, y), x, c);
  endfunction

  function automatic logic [63:0] last_step(input logic [3:0] op, input mem_pkg::atom_type_t kind, input logic shared,
                                            input step_t a, input logic [63:0] x, input logic [63:0] c);
    return is_float(kind) ? float_result(kind, shared, a) : integer_result(op, shared, a, x, c);
  endfunction

  // The operand of 32 or 64 bits at its word's place in a doubleword.
  function automatic logic [63:0] at_place(input logic wide, input logic high, input logic [63:0] operand);
    return {wide ? operand[63:32] : operand[31:0], !wide && high ? 32'd0 : operand[31:0]};
  endfunction

  // cas: the new value, in both halves unless it fills them.
  function automatic logic [63:0] in_both(input logic wide, input logic [63:0] value);
    return {wide ? value[63:32] : value[31:0], value[31:0]};
  endfunction

endpackage
