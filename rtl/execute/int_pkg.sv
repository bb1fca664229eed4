// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of one lane, as pure functions, one for each datapath that operations share:
//
//   move   MOV S2R LOP LOP3 SEL IABS IMNMX  a table of eight bits decides all
//   add    IADD IADD3 ISETP IMNMX SAD       one adder
//   shift  SHL SHR SHF BFE BFI PRMT         int_shift_pkg
//   bits   BREV POPC FLO
//
// int_unit adds the third operand of SAD and IADD3 in its last stage, and the one that completes a two's complement.
// Upper halves of 32-bit results are anything.
//
// A datapath has 64 bits where rows move whole, 32 where they move in slices: area counts more there, and operations
// on pairs take two beats, a word each, as do shifts of two words. Comparisons and shifts to the right begin with the
// upper word, all others with the lower. There the long datapaths take two cycles, a function each (add_sum and add_order).
package int_pkg;

  localparam int unsigned Bits = (sm_pkg::RowSlices > 1) ? 32 : 64;
  typedef logic [Bits-1:0] word_t;

  typedef enum logic [2:0] {
    PathMove  = 3'd0,
    PathAdd   = 3'd1,
    PathShift = 3'd2,
    PathBits  = 3'd3,
    PathPlop  = 3'd4   // predicates only
  } path_e;

  function automatic path_e path_of(input logic [7:0] op);
    unique case (op)
      isa_pkg::OpMov, isa_pkg::OpS2r, isa_pkg::OpS2r64, isa_pkg::OpLop, isa_pkg::OpLop3,
      isa_pkg::OpSel, isa_pkg::OpIabs: return PathMove;
      isa_pkg::OpShl, isa_pkg::OpShr, isa_pkg::OpShl64, isa_pkg::OpShr64, isa_pkg::OpShf, isa_pkg::OpBfe,
      isa_pkg::OpBfi, isa_pkg::OpPrmt: return PathShift;
      isa_pkg::OpBrev, isa_pkg::OpPopc, isa_pkg::OpFlo: return PathBits;
      isa_pkg::OpPlop: return PathPlop;
      default: return PathAdd;
    endcase
  endfunction

  // Operations on register pairs; their results are pairs but for the comparison.
  function automatic logic reads_pairs(input logic [7:0] op);
    return op == isa_pkg::OpIadd64 || op == isa_pkg::OpIsetp64 || op == isa_pkg::OpImnmx64 ||
           op == isa_pkg::OpShl64 || op == isa_pkg::OpShr64 || op == isa_pkg::OpS2r64;
  endfunction

  function automatic logic writes_pair(input logic [7:0] op);
    return reads_pairs(op) && op != isa_pkg::OpIsetp64;
  endfunction

  function automatic logic reads_c(input logic [7:0] op);
    unique case (op)
      isa_pkg::OpLop3, isa_pkg::OpShf, isa_pkg::OpBfi, isa_pkg::OpPrmt, isa_pkg::OpSad, isa_pkg::OpIadd3: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  // Adds c to its value in the second stage.
  function automatic logic adds(input logic [7:0] op);
    return op == isa_pkg::OpSad || op == isa_pkg::OpIadd3;
  endfunction

  function automatic logic upper_first(input logic [7:0] op);
    return op == isa_pkg::OpIsetp64 || op == isa_pkg::OpImnmx64 || op == isa_pkg::OpShr64;
  endfunction

  function automatic logic shifts_pairs(input logic [7:0] op);
    return op == isa_pkg::OpShl64 || op == isa_pkg::OpShr64;
  endfunction

  // Shifts that have two words to shift, one after the other.
  function automatic logic shifts_twice(input logic [7:0] op);
    return shifts_pairs(op) || op == isa_pkg::OpShf || op == isa_pkg::OpBfi || op == isa_pkg::OpPrmt;
  endfunction

  function automatic logic min_max(input logic [7:0] op);
    return op == isa_pkg::OpImnmx || op == isa_pkg::OpImnmx64;
  endfunction

  function automatic logic compares(input logic [7:0] op);
    return op == isa_pkg::OpIsetp || op == isa_pkg::OpIsetp64;
  endfunction

  // Predicate logic on lane masks (BoolOp).
  function automatic logic [31:0] combine(input logic [1:0] op, input logic [31:0] x, input logic [31:0] y);
    unique case (op)
      2'(isa_pkg::BoolOpAnd): return x & y;
      2'(isa_pkg::BoolOpOr):  return x | y;
      default:                return x ^ y;
    endcase
  endfunction

  // ---- move ------------------------------------------------------------------------------------------
  // Bit 4a + 2b + c of the table is the result's bit. SEL, minimum and maximum are a or b, IABS b or ~b, by lane.
  localparam logic [7:0] TableA = 8'hf0;
  localparam logic [7:0] TableB = 8'hcc;

  function automatic logic [7:0] move_table(input logic [7:0] op, input logic [17:0] mod);
    unique case (op)
      isa_pkg::OpLop3: return mod[isa_pkg::LutLutLsb+:isa_pkg::LutLutWidth];
      isa_pkg::OpLop: begin
        unique case (mod[isa_pkg::LogicOpLsb+:isa_pkg::LogicOpWidth])
          2'(isa_pkg::LogicOpAnd): return 8'hc0;
          2'(isa_pkg::LogicOpOr):  return 8'hfc;
          2'(isa_pkg::LogicOpXor): return 8'h3c;
          default:                 return 8'h30;  // a & ~b
        endcase
      end
      default: return TableB;
    endcase
  endfunction

  // The upper word of 64 bits is only ever a's or b's.
  function automatic word_t move(input logic [7:0] t, input word_t a, input word_t b, input logic [31:0] c);
    /*verilator no_inline_task*/
    logic [31:0] high, low;
    word_t       r;
    high = (b[31:0] & ((c & {32{t[7]}}) | (~c & {32{t[6]}}))) | (~b[31:0] & ((c & {32{t[5]}}) | (~c & {32{t[4]}})));
    low = (b[31:0] & ((c & {32{t[3]}}) | (~c & {32{t[2]}}))) | (~b[31:0] & ((c & {32{t[1]}}) | (~c & {32{t[0]}})));
    r = t[5] ? a : b;
    r[31:0] = (a[31:0] & high) | (~a[31:0] & low);
    return r;
  endfunction

  // ---- add -------------------------------------------------------------------------------------------
  // How the adder is set for an operation, the same for all lanes of a warp.
  typedef struct packed {
    logic       wide;        // 64 bits
    logic       second;      // the second word of a pair: goes on from the first
    logic       chain;       // ... with its carry
    logic       flip_a;      // one's complement of a
    logic       flip_b;
    logic       negate;      // -a - b: one's complement of the sum
    logic       one;         // carry in
    logic       use_carry;   // carry in is the predicate, or not the predicate with negate
    logic       sign;        // signed order
    logic       saturate;
    logic       is_sad;
    logic       is_compare;  // flag is the comparison, else the carry out
    logic       common;      // ... of a & b with zero: that is the sum then
    logic [2:0] cmp;         // ICmp
  } add_t;

  function automatic add_t add_controls(input logic [7:0] op, input logic [17:0] mod, input logic second);
    add_t t;
    t = '0;
    t.wide = reads_pairs(op);
    t.second = Bits == 32 && second;
    t.chain = t.second && !upper_first(op);
    // Everything but IADD and IADD3 compares: a - b.
    t.flip_b = 1'b1;
    t.one = 1'b1;
    unique case (op)
      isa_pkg::OpIadd, isa_pkg::OpIadd64, isa_pkg::OpIadd3: begin  // the signs are in the same places
        t.flip_a = mod[isa_pkg::AddNegALsb] && !mod[isa_pkg::AddNegBLsb];
        t.flip_b = mod[isa_pkg::AddNegBLsb] && !mod[isa_pkg::AddNegALsb];
        t.negate = mod[isa_pkg::AddNegALsb] && mod[isa_pkg::AddNegBLsb];
        t.use_carry = mod[isa_pkg::AddUseCinLsb] && op != isa_pkg::OpIadd3;
        t.one = t.use_carry ? t.negate : t.flip_a || t.flip_b;
        t.saturate = mod[isa_pkg::AddSatLsb] && op == isa_pkg::OpIadd;
      end
      isa_pkg::OpIsetp, isa_pkg::OpIsetp64: begin
        t.is_compare = 1'b1;
        t.cmp = mod[isa_pkg::ISetpCmpLsb+:isa_pkg::ISetpCmpWidth];
        t.sign = mod[isa_pkg::ISetpSignLsb];
        t.common = t.cmp inside {3'(isa_pkg::ICmpAny), 3'(isa_pkg::ICmpNone)};
      end
      isa_pkg::OpSad: begin
        t.is_sad = 1'b1;
        t.sign = mod[isa_pkg::SignSignLsb];
      end
      default: t.sign = mod[isa_pkg::IMinMaxSignLsb];
    endcase
    if (t.second) t.sign = 1'b0;  // the upper word came first
    return t;
  endfunction

  // The first half of an addition: one carry chain a word. alike: x and y, the terms, have the same sign, x_sign.
  function automatic void add_sum(input add_t t, input word_t a, input word_t b, input logic carry_in, input logic chain,
                                  output word_t sum, output logic carry, output logic alike, output logic x_sign);
    /*verilator no_inline_task*/
    word_t       x, y;
    logic [33:0] low, high;
    logic        one;
    x = a ^ {Bits{t.flip_a}};
    y = b ^ {Bits{t.flip_b}};
    one = t.chain ? chain : t.one ^ (t.use_carry && carry_in);
    low = {1'b0, x[31:0], one} + {1'b0, y[31:0], one};  // the bit below carries in
    sum = word_t'(low[32:1]);
    carry = low[33];
    alike = x[31] == y[31];
    x_sign = x[31];
    if (t.common) begin
      sum = a & b;
    end else if (Bits == 64 && t.wide) begin
      high = {1'b0, x[Bits-1:Bits-32], low[33]} + {1'b0, y[Bits-1:Bits-32], low[33]};
      sum[Bits-1:Bits-32] = high[32:1];
      carry = high[33];
      alike = x[Bits-1] == y[Bits-1];
    end
  endfunction

  // What an addition says beside its sum.
  typedef struct packed {
    logic flag;      // the comparison, or the carry out
    logic complete;  // the result is one more, a two's complement
    logic less;      // below: what the second word of a pair goes on from
    logic zero;
  } sum_t;

  // The second half: order, saturation, comparison.
  // -a - b is -(a + b). It, and SAD's difference when it is negative, come as one's complement: whoever takes them adds
  // one more.
  function automatic void add_order(input add_t t, input word_t sum, input logic carry, input logic alike,
                                    input logic x_sign, input sum_t prior, output word_t r, output sum_t o);
    /*verilator no_inline_task*/
    logic sign, over;
    o.zero = sum[30:0] == 31'd0;
    sign = alike ? x_sign : !carry;  // of the exact sum; -a - b is one more than the complement here
    over = t.saturate && (sign != sum[31] || (t.negate && !t.use_carry && sign && o.zero));
    o.zero = o.zero && !sum[31];
    if (Bits == 64 && t.wide) o.zero = o.zero && sum[Bits-1:Bits-32] == 32'd0;
    // Unlike signs (a and ~b are alike) turn the order round.
    o.less = !carry ^ (t.sign && alike);
    if (t.second) begin
      o.less = prior.zero ? o.less : prior.less;
      o.zero = o.zero && prior.zero;
    end
    r = sum ^ {Bits{t.negate || (t.is_sad && o.less)}};
    if (over) r[31:0] = {sign != t.negate, {31{sign == t.negate}}};
    o.complete = (t.is_sad && o.less) || (t.negate && !t.use_carry && !over);
    if (!t.is_compare) begin
      o.flag = t.negate ? !carry ^ (!t.use_carry && o.zero) : carry;
    end else begin
      unique case (t.cmp)
        3'(isa_pkg::ICmpLt): o.flag = o.less;
        3'(isa_pkg::ICmpLe): o.flag = o.less || o.zero;
        3'(isa_pkg::ICmpGt): o.flag = !o.less && !o.zero;
        3'(isa_pkg::ICmpGe): o.flag = !o.less;
        3'(isa_pkg::ICmpEq), 3'(isa_pkg::ICmpNone): o.flag = o.zero;
        3'(isa_pkg::ICmpNe), 3'(isa_pkg::ICmpAny): o.flag = !o.zero;
        default:             o.flag = 1'b0;
      endcase
    end
  endfunction

  // Both halves in one cycle.
  function automatic void add(input add_t t, input word_t a, input word_t b, input logic carry_in,
                              output word_t r, output sum_t o);
    /*verilator no_inline_task*/
    word_t sum;
    logic  carry, alike, x_sign;
    add_sum(t, a, b, carry_in, 1'b0, sum, carry, alike, x_sign);
    add_order(t, sum, carry, alike, x_sign, '0, r, o);
  endfunction

  // ---- bits ------------------------------------------------------------------------------------------
  function automatic logic [31:0] bits(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] b);
    /*verilator no_inline_task*/
    logic [31:0] x;
    logic [5:0]  zeros;
    logic [1:0]  mode;
    unique case (op)
      isa_pkg::OpBrev: return prim_pkg::reverse32(b);
      isa_pkg::OpPopc: return {26'd0, prim_pkg::popcount32(b)};
      default: begin  // FLO
        x = (mod[isa_pkg::FindLeadSignLsb] && b[31]) ? ~b : b;
        zeros = prim_pkg::leading_zeros32(x);
        mode = mod[isa_pkg::FindLeadModeLsb+:isa_pkg::FindLeadModeWidth];
        if (mode == 2'(isa_pkg::LeadModeClz)) return {26'd0, zeros};
        return zeros[5] ? 32'hffffffff : {27'd0, zeros[4:0] ^ {5{mode == 2'(isa_pkg::LeadModeBit)}}};
      end
    endcase
  endfunction

endpackage
