// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of one lane, as pure functions, one for each datapath that operations share:
//
//   move      MOV S2R LOP LOP3 SEL           a table of eight bits decides all
//   add       IADD ISETP IMNMX IABS SAD      one adder of 64 bits, in two halves for the carries
//   shift     SHL SHR SHF BFE BFI PRMT       one rotation of 64 bits by bytes, then bits; one mask
//   bits      BREV POPC FLO
//   multiply  IMAD IMAD.WIDE DP4A DP2A       four products of 17 x 17 bits and their sum
//
// int_unit adds the addend of multiply and SAD in its second stage. Upper halves of 32-bit results are anything.
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
      isa_pkg::OpBfi, isa_pkg::OpPrmt: return PathShift;
      isa_pkg::OpBrev, isa_pkg::OpPopc, isa_pkg::OpFlo: return PathBits;
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

  // Adds c to its value in the second stage.
  function automatic logic adds(input logic [7:0] op);
    return path_of(op) == PathMultiply || op == isa_pkg::OpSad;
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

  // flag: the comparison, or the carry out. SAD's difference comes as its one's complement when it is negative (no
  // carry): whoever adds to it adds one more.
  //
  // Operands go through half adders first: they take in the complements, and leave room for two more carries in below
  // (-a - b is ~a + ~b + 2).
  function automatic void add(input add_t t, input logic [63:0] a, input logic [63:0] b, input logic carry_in,
                              output logic [63:0] r, output logic flag);
    /*verilator no_inline_task*/
    logic [31:0] xl, xh, yl, yh, sl, sh;
    logic [33:0] low, high;
    logic [1:0]  over;
    logic        flip_b, one, two, carry, less, equal, overflow;
    flip_b = t.is_abs ? b[31] : t.flip_b;
    one = t.is_abs ? b[31] : t.extra != 2'd0 || carry_in;
    two = t.extra[1];
    xl = (t.is_abs ? 32'd0 : a[31:0]) ^ {32{t.flip_a}};
    yl = b[31:0] ^ {32{flip_b}};
    xh = a[63:32] ^ {32{t.flip_a}};
    yh = b[63:32] ^ {32{flip_b}};
    // Signed order is unsigned order with the sign bits flipped; a difference does not mind.
    if (t.sign && t.wide) begin
      xh[31] = !xh[31];
      yh[31] = !yh[31];
    end else if (t.sign) begin
      xl[31] = !xl[31];
      yl[31] = !yl[31];
    end
    sl = xl ^ yl;
    sh = xh ^ yh;
    low = 34'(({3'd0, sl, two} + {2'd0, xl & yl, one, two}) >> 1);
    high = 34'(({3'd0, sh, low[33]} + {2'd0, xh & yh, |low[33:32], low[33]}) >> 1);
    carry = t.wide ? high[32] : low[32];
    less = !carry;
    equal = &sl && (!t.wide || &sh);
    // The signed sum of 34 bits is {over, low[31:0]}.
    over = {2{xl[31]}} + {2{yl[31]}} + low[33:32];
    overflow = t.saturate && over != {2{low[31]}};
    r = (t.is_minmax || overflow) ? 64'd0 : {high[31:0], low[31:0]};
    if (t.is_minmax) r = r ^ ((less != t.max) ? a : b);
    else r[31:0] = r[31:0] ^ {overflow && over[1], {31{overflow && !over[1]}}} ^ {32{t.is_sad && less}};
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
  // The lowest n bits set, n at most 64.
  function automatic logic [63:0] low_ones(input logic [6:0] n);
    return ~(64'hffff_ffff_ffff_ffff << n);
  endfunction

  function automatic logic field_sign(input logic [31:0] a, input logic [7:0] position, input logic [7:0] length);
    logic [8:0] top;
    top = {1'b0, position} + {1'b0, length} - 9'd1;
    return |top[8:5] ? a[31] : a[top[4:0]];
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

  function automatic logic [7:0] pick_byte(input logic [63:0] v, input logic [2:0] n);
    return v[{n, 3'd0}+:8];
  endfunction
  function automatic logic [63:0] shift(input logic [7:0] op, input logic [17:0] mod, input logic [63:0] a,
                                        input logic [31:0] b, input logic [31:0] c);
    /*verilator no_inline_task*/
    logic [63:0] v, w, from_v;
    logic [31:0] others;  // bits of the lower half that do not come from v
    logic [15:0] s;
    logic [8:0]  above;
    logic [7:0]  width;
    logic [6:0]  lowest, end_;
    logic [5:0]  n, turn;  // how far v is rotated to the left
    logic        wide, left, right, fill, beyond, permutes;
    wide = op == isa_pkg::OpShl64 || op == isa_pkg::OpShr64;
    permutes = op == isa_pkg::OpPrmt;
    left = op == isa_pkg::OpShl || op == isa_pkg::OpShl64 || op == isa_pkg::OpBfi;
    right = op == isa_pkg::OpShr || op == isa_pkg::OpShr64 || op == isa_pkg::OpBfe;
    // What is shifted, by how much; `beyond` 63 nothing of it remains.
    v = {wide ? a[63:32] : c, a[31:0]};
    n = b[5:0];
    beyond = (op == isa_pkg::OpBfe || op == isa_pkg::OpBfi) ? |b[7:6] : |b[31:6];
    if (op == isa_pkg::OpShf) n = mod[isa_pkg::FunnelWrapLsb] ? {1'b0, b[4:0]} : |b[31:5] ? 6'd32 : b[5:0];
    turn = left ? n : -n;
    // The upper half of what moves left, in the lower half.
    if (op == isa_pkg::OpShf && !mod[isa_pkg::FunnelRightLsb]) turn = {!n[5], n[4:0]};
    // Bits from `lowest` to below `end_` of the result come from v.
    width = {1'b0, wide, !wide, 5'd0} - {2'd0, n};
    above = {1'b0, b[15:8]} + {1'b0, b[7:0]};
    lowest = !left ? 7'd0 : beyond ? 7'd64 : {1'b0, n};
    end_ = 7'd64;
    if (right) end_ = (beyond || width[7]) ? 7'd0 : width[6:0];
    if (op == isa_pkg::OpBfe && b[15:8] < {1'b0, end_}) end_ = b[14:8];
    if (op == isa_pkg::OpBfi && above < 9'd64) end_ = above[6:0];
    from_v = low_ones(end_) & ~low_ones(lowest);
    unique case (op)
      // The sign is the field's top bit, or bit 31 when the field reaches beyond it.
      isa_pkg::OpBfe: fill = mod[isa_pkg::SignSignLsb] && |b[15:8] && field_sign(a[31:0], b[7:0], b[15:8]);
      isa_pkg::OpShr: fill = mod[isa_pkg::SignSignLsb] && a[31];
      isa_pkg::OpShr64: fill = mod[isa_pkg::SignSignLsb] && a[63];
      default: fill = 1'b0;
    endcase
    others = (op == isa_pkg::OpBfi) ? c : {32{fill}};
    // Whole bytes first; those of the lower half by name: PRMT names them, and those that become their sign, itself.
    s = {1'b0, 3'd3 - turn[5:3], 1'b0, 3'd2 - turn[5:3], 1'b0, 3'd1 - turn[5:3], 1'b0, 3'd0 - turn[5:3]};
    w = turn[5] ? {v[31:0], v[63:32]} : v;
    w = turn[4] ? {w[47:0], w[63:48]} : w;
    w = turn[3] ? {w[55:0], w[63:56]} : w;
    if (permutes) s = selectors(mod[isa_pkg::PermuteModeLsb+:isa_pkg::PermuteModeWidth], b[15:0]);
    w[31:0] = {pick_byte(v, s[14:12]), pick_byte(v, s[10:8]), pick_byte(v, s[6:4]), pick_byte(v, s[2:0])};
    if (permutes) begin
      turn = 6'd0;
      others = {{8{w[31]}}, {8{w[23]}}, {8{w[15]}}, {8{w[7]}}};
      from_v[31:0] = ~{{8{s[15]}}, {8{s[11]}}, {8{s[7]}}, {8{s[3]}}};
    end
    w = turn[2] ? {w[59:0], w[63:60]} : w;
    w = turn[1] ? {w[61:0], w[63:62]} : w;
    w = turn[0] ? {w[62:0], w[63]} : w;
    return (w & from_v) | ({{32{fill}}, others} & ~from_v);
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

  function automatic logic [31:0] bits(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] b);
    /*verilator no_inline_task*/
    logic [31:0] x;
    logic [5:0]  zeros;
    logic [1:0]  mode;
    unique case (op)
      isa_pkg::OpBrev: return reverse(b);
      isa_pkg::OpPopc: return {26'd0, prim_pkg::popcount32(b)};
      default: begin  // FLO
        x = (mod[isa_pkg::FindLeadSignLsb] && b[31]) ? ~b : b;
        zeros = leading_zeros32(x);
        mode = mod[isa_pkg::FindLeadModeLsb+:isa_pkg::FindLeadModeWidth];
        if (mode == 2'(isa_pkg::LeadModeClz)) return {26'd0, zeros};
        return zeros[5] ? 32'hffffffff : {27'd0, zeros[4:0] ^ {5{mode == 2'(isa_pkg::LeadModeBit)}}};
      end
    endcase
  endfunction

  // ---- multiply, without the addend --------------------------------------------------------------------
  function automatic logic [34:0] product(input logic [16:0] x, input logic [16:0] y);
    return 35'($signed(x) * $signed(y));
  endfunction

  function automatic logic [16:0] byte17(input logic sign, input logic [7:0] x);
    return {{9{sign && x[7]}}, x};
  endfunction

  // The products of 16-bit halves: for IMAD weighted 0, 16, 16 and 32. DP2A uses the middle two; DP4A all, in the last
  // one its bytes are the upper ones.
  function automatic logic [63:0] multiply(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] a,
                                           input logic [31:0] b);
    /*verilator no_inline_task*/
    logic        four, two, high, sign, sign_a, sign_b;
    logic [16:0] low_a, low_b, cross_low_a, cross_high_b, cross_high_a, cross_low_b, upper_a, upper_b;
    logic [34:0] lows, highs, middle;
    logic [47:0] sum;
    four = op == isa_pkg::OpDp4a;
    two = op == isa_pkg::OpDp2a;
    high = op == isa_pkg::OpImad && mod[isa_pkg::MulHiLsb];
    sign = (op == isa_pkg::OpImad) ? mod[isa_pkg::MulSignLsb] : mod[isa_pkg::MulWideSignLsb];
    sign_a = (four || two) ? mod[isa_pkg::DotSignALsb] : sign;
    sign_b = (four || two) ? mod[isa_pkg::DotSignBLsb] : sign;
    low_a = {1'b0, a[15:0]};
    low_b = {1'b0, b[15:0]};
    upper_a = {sign_a && a[31], a[31:16]};
    upper_b = {sign_b && b[31], b[31:16]};
    cross_low_a = {two && sign_a && a[15], a[15:0]};
    cross_high_b = upper_b;
    cross_high_a = upper_a;
    cross_low_b = low_b;
    if (four) begin
      low_a = byte17(sign_a, a[7:0]);
      low_b = byte17(sign_b, b[7:0]);
      cross_low_a = byte17(sign_a, a[15:8]);
      cross_high_b = byte17(sign_b, b[15:8]);
      cross_high_a = byte17(sign_a, a[23:16]);
      cross_low_b = byte17(sign_b, b[23:16]);
      upper_a[7:0] = 8'd0;
      upper_b[7:0] = 8'd0;
    end else if (two) begin
      cross_high_b = byte17(sign_b, mod[isa_pkg::DotHiLsb] ? b[23:16] : b[7:0]);
      cross_low_b = byte17(sign_b, mod[isa_pkg::DotHiLsb] ? b[31:24] : b[15:8]);
    end
    lows = product(low_a, low_b);
    highs = product(upper_a, upper_b);
    middle = product(cross_low_a, cross_high_b) + product(cross_high_a, cross_low_b);
    sum = {highs[31:0], lows[31:16]};
    if (four) sum = 48'($signed(lows[17:0])) + 48'($signed(highs[33:16]));
    if (two) sum = 48'd0;
    sum = sum + 48'($signed(middle));
    return {sum[47:16], high ? sum[47:16] : (four || two) ? sum[31:0] : {sum[15:0], lows[15:0]}};
  endfunction

endpackage
