// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of one lane, as pure functions, one for each datapath that operations share:
//
//   move      MOV S2R LOP LOP3 SEL           a table of eight bits decides all
//   add       IADD ISETP IMNMX IABS SAD      one adder of 64 bits, in two halves for the carries
//   shift     SHL SHR SHF BFE BFI            one rotation of 64 bits, masks
//   bits      BREV POPC FLO PRMT
//   multiply  IMAD IMAD.WIDE DP4A DP2A       32 x 32 to 64 bits, or four (two) small products
//
// int_unit adds the addend of multiply and SAD in its second stage.
package int_pkg;

  typedef enum logic [2:0] {
    PathMove     = 3'd0,
    PathAdd      = 3'd1,
    PathShift    = 3'd2,
    PathBits     = 3'd3,
    PathMultiply = 3'd4,
    PathPlop     = 3'd5   // predicates only
  } path_e;

  function automatic path_e path_of(input logic [7:0] op);
    unique case (op)
      isa_pkg::OpMov, isa_pkg::OpS2r, isa_pkg::OpS2r64, isa_pkg::OpLop, isa_pkg::OpLop3,
      isa_pkg::OpSel: return PathMove;
      isa_pkg::OpShl, isa_pkg::OpShr, isa_pkg::OpShl64, isa_pkg::OpShr64, isa_pkg::OpShf, isa_pkg::OpBfe,
      isa_pkg::OpBfi: return PathShift;
      isa_pkg::OpBrev, isa_pkg::OpPopc, isa_pkg::OpFlo, isa_pkg::OpPrmt: return PathBits;
      isa_pkg::OpImad, isa_pkg::OpImadWide, isa_pkg::OpDp4a, isa_pkg::OpDp2a: return PathMultiply;
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
    return (reads_pairs(op) && op != isa_pkg::OpIsetp64) || op == isa_pkg::OpImadWide;
  endfunction

  function automatic logic reads_c(input logic [7:0] op);
    unique case (op)
      isa_pkg::OpLop3, isa_pkg::OpImad, isa_pkg::OpImadWide, isa_pkg::OpShf, isa_pkg::OpBfi,
      isa_pkg::OpPrmt, isa_pkg::OpSad, isa_pkg::OpDp4a, isa_pkg::OpDp2a: return 1'b1;
      default: return 1'b0;
    endcase
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
  // Bit 4a + 2b + c of the table is the result's bit. SEL is a or b, by lane.
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
      default: return 8'hcc;  // b
    endcase
  endfunction

  function automatic logic [31:0] lut(input logic [7:0] t, input logic [31:0] a, input logic [31:0] b,
                                      input logic [31:0] c);
    /*verilator no_inline_task*/
    logic [31:0] high, low;
    high = (b & ((c & {32{t[7]}}) | (~c & {32{t[6]}}))) | (~b & ((c & {32{t[5]}}) | (~c & {32{t[4]}})));
    low = (b & ((c & {32{t[3]}}) | (~c & {32{t[2]}}))) | (~b & ((c & {32{t[1]}}) | (~c & {32{t[0]}})));
    return (a & high) | (~a & low);
  endfunction

  // ---- add -------------------------------------------------------------------------------------------
  // How the adder is set for an operation, the same for all lanes of a warp.
  typedef struct packed {
    logic       wide;        // 64 bits
    logic       flip_a;      // one's complement of a
    logic       flip_b;
    logic [1:0] extra;       // added below: makes two's complements, when there is no carry in
    logic       sign;        // signed order
    logic       saturate;
    logic       is_abs;
    logic       is_sad;
    logic       is_minmax;
    logic       is_compare;  // flag is the comparison, else the carry out
    logic       max;
    logic [2:0] cmp;         // ICmp
  } add_t;

  function automatic add_t add_controls(input logic [7:0] op, input logic [17:0] mod);
    add_t t;
    t = '0;
    t.wide = reads_pairs(op);
    // Everything but IADD compares: a - b.
    t.flip_b = 1'b1;
    t.extra = 2'd1;
    unique case (op)
      isa_pkg::OpIadd, isa_pkg::OpIadd64: begin
        t.flip_a = mod[isa_pkg::AddNegALsb];
        t.flip_b = mod[isa_pkg::AddNegBLsb];
        t.extra = mod[isa_pkg::AddUseCinLsb] ? 2'd0 : {1'b0, t.flip_a} + {1'b0, t.flip_b};
        t.saturate = mod[isa_pkg::AddSatLsb] && op == isa_pkg::OpIadd;
      end
      isa_pkg::OpIsetp, isa_pkg::OpIsetp64: begin
        t.is_compare = 1'b1;
        t.cmp = mod[isa_pkg::ISetpCmpLsb+:isa_pkg::ISetpCmpWidth];
        t.sign = mod[isa_pkg::ISetpSignLsb];
      end
      isa_pkg::OpImnmx, isa_pkg::OpImnmx64: begin
        t.is_minmax = 1'b1;
        t.max = mod[isa_pkg::IMinMaxMaxLsb];
        t.sign = mod[isa_pkg::IMinMaxSignLsb];
      end
      isa_pkg::OpSad: begin
        t.is_sad = 1'b1;
        t.sign = mod[isa_pkg::SignSignLsb];
      end
      default: t.is_abs = 1'b1;
    endcase
    return t;
  endfunction

  // flag: the comparison, or the carry out.
  function automatic void add(input add_t t, input logic [63:0] a, input logic [63:0] b, input logic carry_in,
                              output logic [63:0] r, output logic flag);
    /*verilator no_inline_task*/
    logic [31:0] xl, xh, yl, yh;
    logic [33:0] low, high;
    logic [1:0]  over;
    logic        carry, less, equal;
    xl = (t.is_abs ? 32'd0 : a[31:0]) ^ {32{t.flip_a}};
    yl = b[31:0] ^ {32{t.flip_b}};
    xh = a[63:32] ^ {32{t.flip_a}};
    yh = b[63:32] ^ {32{t.flip_b}};
    // Signed order is unsigned order with the sign bits flipped; a difference does not mind.
    if (t.sign && t.wide) begin
      xh[31] = !xh[31];
      yh[31] = !yh[31];
    end else if (t.sign) begin
      xl[31] = !xl[31];
      yl[31] = !yl[31];
    end
    low = {2'd0, xl} + {2'd0, yl} + {32'd0, t.extra} + {33'd0, carry_in};
    high = {2'd0, xh} + {2'd0, yh} + {32'd0, low[33:32]};
    carry = t.wide ? high[32] : low[32];
    less = !carry;
    equal = a[31:0] == b[31:0] && (!t.wide || a[63:32] == b[63:32]);
    // The signed sum of 34 bits is {over, low[31:0]}.
    over = {2{xl[31]}} + {2{yl[31]}} + low[33:32];
    r = {high[31:0], low[31:0]};
    if (t.is_minmax) r = (less != t.max) ? a : b;
    else if (t.is_sad) r = {32'd0, less ? -low[31:0] : low[31:0]};
    else if (t.is_abs) r = {32'd0, b[31] ? low[31:0] : b[31:0]};
    else if (t.saturate && over != {2{low[31]}}) r = {32'd0, over[1] ? 32'h80000000 : 32'h7fffffff};
    if (!t.is_compare) begin
      flag = carry;
    end else begin
      unique case (t.cmp)
        3'(isa_pkg::ICmpLt): flag = less;
        3'(isa_pkg::ICmpLe): flag = less || equal;
        3'(isa_pkg::ICmpGt): flag = !less && !equal;
        3'(isa_pkg::ICmpGe): flag = !less;
        3'(isa_pkg::ICmpEq): flag = equal;
        3'(isa_pkg::ICmpNe): flag = !equal;
        default:             flag = 1'b0;
      endcase
    end
  endfunction

  // ---- shift -----------------------------------------------------------------------------------------
  // The lowest n bits set; all for n > 31.
  function automatic logic [31:0] low_ones(input logic [8:0] n);
    return |n[8:5] ? 32'hffffffff : ~(32'hffffffff << n[4:0]);
  endfunction

  function automatic logic field_sign(input logic [31:0] a, input logic [7:0] position,
                                      input logic [7:0] length);
    logic [8:0] top;
    top = {1'b0, position} + {1'b0, length} - 9'd1;
    return |top[8:5] ? a[31] : a[top[4:0]];
  endfunction

  // In steps: as two shifts it would be twice the gates.
  function automatic logic [63:0] rotate_left(input logic [63:0] x, input logic [5:0] n);
    logic [63:0] v;
    v = n[5] ? {x[31:0], x[63:32]} : x;
    v = n[4] ? {v[47:0], v[63:48]} : v;
    v = n[3] ? {v[55:0], v[63:56]} : v;
    v = n[2] ? {v[59:0], v[63:60]} : v;
    v = n[1] ? {v[61:0], v[63:62]} : v;
    return n[0] ? {v[62:0], v[63]} : v;
  endfunction

  function automatic logic [63:0] shift(input logic [7:0] op, input logic [17:0] mod, input logic [63:0] a,
                                        input logic [31:0] b, input logic [31:0] c);
    /*verilator no_inline_task*/
    logic [63:0] v, low, shifted;
    logic [5:0]  n;
    logic [6:0]  turn;  // how far v is rotated to the left; 64: a shift to the right by 0
    logic        left, fill, beyond;
    logic [31:0] from_a;  // bits of a field result that come from a
    // What is shifted, which way, by how much; `beyond` 63 nothing of it remains.
    v = {32'd0, a[31:0]};
    n = b[5:0];
    beyond = |b[31:6];
    left = op == isa_pkg::OpShl || op == isa_pkg::OpShl64 || op == isa_pkg::OpBfi ||
           (op == isa_pkg::OpShf && !mod[isa_pkg::FunnelRightLsb]);
    fill = 1'b0;
    unique case (op)
      isa_pkg::OpShr: begin
        fill = mod[isa_pkg::SignSignLsb] && a[31];
        v = {{32{fill}}, a[31:0]};
      end
      isa_pkg::OpShl64: v = a;
      isa_pkg::OpShr64: begin
        fill = mod[isa_pkg::SignSignLsb] && a[63];
        v = a;
      end
      isa_pkg::OpShf: begin
        v = {c, a[31:0]};
        n = mod[isa_pkg::FunnelWrapLsb] ? {1'b0, b[4:0]} : |b[31:5] ? 6'd32 : b[5:0];
        beyond = 1'b0;
      end
      isa_pkg::OpBfe, isa_pkg::OpBfi: beyond = |b[7:6];
      default: ;
    endcase
    turn = left ? {1'b0, n} : 7'd64 - {1'b0, n};
    low = ~(64'hffff_ffff_ffff_ffff << turn);
    shifted = rotate_left(v, turn[5:0]);
    low = beyond ? 64'd0 : left ? ~low : low;  // what comes from v
    shifted = (shifted & low) | ({64{fill}} & ~low);
    unique case (op)
      isa_pkg::OpShl, isa_pkg::OpShl64, isa_pkg::OpShr, isa_pkg::OpShr64: return shifted;
      isa_pkg::OpShf: return {32'd0, left ? shifted[63:32] : shifted[31:0]};
      isa_pkg::OpBfe: begin
        // The sign is the field's top bit, or bit 31 when the field reaches beyond it.
        from_a = low_ones({1'b0, b[15:8]}) & (|b[7:5] ? 32'd0 : 32'hffffffff >> b[4:0]);
        fill = mod[isa_pkg::SignSignLsb] && |b[15:8] && field_sign(a[31:0], b[7:0], b[15:8]);
        return {32'd0, (shifted[31:0] & from_a) | ({32{fill}} & ~from_a)};
      end
      default: begin
        from_a = low_ones({1'b0, b[15:8]} + {1'b0, b[7:0]}) & ~low_ones({1'b0, b[7:0]});
        return {32'd0, (c & ~from_a) | (shifted[31:0] & from_a)};
      end
    endcase
  endfunction

  // ---- bits ------------------------------------------------------------------------------------------
  function automatic logic [5:0] leading_zeros32(input logic [31:0] x);
    logic [31:0] v;
    logic [5:0]  n;
    if (x == 32'd0) return 6'd32;
    v = x;
    n = 6'd0;
    if (v[31:16] == 16'd0) begin
      n = 6'd16;
      v = {v[15:0], 16'd0};
    end
    if (v[31:24] == 8'd0) begin
      n = n + 6'd8;
      v = {v[23:0], 8'd0};
    end
    if (v[31:28] == 4'd0) begin
      n = n + 6'd4;
      v = {v[27:0], 4'd0};
    end
    if (v[31:30] == 2'd0) begin
      n = n + 6'd2;
      v = {v[29:0], 2'd0};
    end
    if (!v[31]) n = n + 6'd1;
    return n;
  endfunction

  function automatic logic [31:0] reverse(input logic [31:0] x);
    logic [31:0] v;
    v = ((x >> 1) & 32'h55555555) | ((x & 32'h55555555) << 1);
    v = ((v >> 2) & 32'h33333333) | ((v & 32'h33333333) << 2);
    v = ((v >> 4) & 32'h0f0f0f0f) | ((v & 32'h0f0f0f0f) << 4);
    v = ((v >> 8) & 32'h00ff00ff) | ((v & 32'h00ff00ff) << 8);
    return {v[15:0], v[31:16]};
  endfunction

  // Four nibbles that name the bytes of the result, for PRMT's modes.
  function automatic logic [15:0] selectors(input logic [2:0] mode, input logic [15:0] b);
    logic [63:0] t;
    unique case (mode)
      3'(isa_pkg::PrmtModeF4e):  t = 64'h6543_5432_4321_3210;
      3'(isa_pkg::PrmtModeB4e):  t = 64'h0123_7012_6701_5670;
      3'(isa_pkg::PrmtModeRc8):  t = 64'h3333_2222_1111_0000;
      3'(isa_pkg::PrmtModeEcl):  t = 64'h3333_3222_3211_3210;
      3'(isa_pkg::PrmtModeEcr):  t = 64'h3210_2210_1110_0000;
      3'(isa_pkg::PrmtModeRc16): t = 64'h3232_1010_3232_1010;
      default:                   return b;
    endcase
    return t[{b[1:0], 4'd0}+:16];
  endfunction

  // Byte n[2:0] of v, or its sign in all bits.
  function automatic logic [7:0] pick_byte(input logic [63:0] v, input logic [3:0] n);
    logic [7:0] x;
    x = v[{n[2:0], 3'd0}+:8];
    return n[3] ? {8{x[7]}} : x;
  endfunction

  function automatic logic [31:0] bits(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] a,
                                       input logic [31:0] b, input logic [31:0] c);
    /*verilator no_inline_task*/
    logic [31:0] x;
    logic [15:0] s;
    logic [5:0]  zeros;
    unique case (op)
      isa_pkg::OpBrev: return reverse(b);
      isa_pkg::OpPopc: return {26'd0, prim_pkg::popcount32(b)};
      isa_pkg::OpFlo: begin
        x = (mod[isa_pkg::FindLeadSignLsb] && b[31]) ? ~b : b;
        zeros = leading_zeros32(x);
        unique case (mod[isa_pkg::FindLeadModeLsb+:isa_pkg::FindLeadModeWidth])
          2'(isa_pkg::LeadModeClz): return {26'd0, zeros};
          2'(isa_pkg::LeadModeBit): return zeros[5] ? 32'hffffffff : {26'd0, 6'd31 - zeros};
          default:                  return zeros[5] ? 32'hffffffff : {26'd0, zeros};
        endcase
      end
      default: begin
        s = selectors(mod[isa_pkg::PermuteModeLsb+:isa_pkg::PermuteModeWidth], b[15:0]);
        return {pick_byte({c, a}, s[15:12]), pick_byte({c, a}, s[11:8]), pick_byte({c, a}, s[7:4]),
                pick_byte({c, a}, s[3:0])};
      end
    endcase
  endfunction

  // ---- multiply, without the addend --------------------------------------------------------------------
  function automatic logic [31:0] product16x8(input logic [15:0] a, input logic sign_a, input logic [7:0] b,
                                              input logic sign_b);
    return 32'($signed({sign_a && a[15], a}) * $signed({sign_b && b[7], b}));
  endfunction

  function automatic logic [63:0] multiply(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] a,
                                           input logic [31:0] b);
    /*verilator no_inline_task*/
    logic [63:0] r;
    logic        sign, sign_a, sign_b;
    logic [15:0] pair_b, low_a, next_a;
    sign_a = mod[isa_pkg::DotSignALsb];
    sign_b = mod[isa_pkg::DotSignBLsb];
    unique case (op)
      isa_pkg::OpDp4a, isa_pkg::OpDp2a: begin
        // DP2A's products go through the multipliers of DP4A's lower bytes.
        pair_b = (op == isa_pkg::OpDp2a && mod[isa_pkg::DotHiLsb]) ? b[31:16] : b[15:0];
        low_a = op == isa_pkg::OpDp2a ? a[15:0] : {{8{sign_a && a[7]}}, a[7:0]};
        next_a = op == isa_pkg::OpDp2a ? a[31:16] : {{8{sign_a && a[15]}}, a[15:8]};
        r = {32'd0, product16x8(low_a, sign_a, pair_b[7:0], sign_b) + product16x8(next_a, sign_a, pair_b[15:8], sign_b)};
        if (op == isa_pkg::OpDp4a) begin
          r[31:0] = r[31:0] + product16x8({{8{sign_a && a[23]}}, a[23:16]}, sign_a, b[23:16], sign_b) +
                    product16x8({{8{sign_a && a[31]}}, a[31:24]}, sign_a, b[31:24], sign_b);
        end
      end
      default: begin
        sign = (op == isa_pkg::OpImad) ? mod[isa_pkg::MulSignLsb] : mod[isa_pkg::MulWideSignLsb];
        r = 64'($signed({sign && a[31], a}) * $signed({sign && b[31], b}));
        if (op == isa_pkg::OpImad && mod[isa_pkg::MulHiLsb]) r = {32'd0, r[63:32]};
      end
    endcase
    return r;
  endfunction

endpackage
