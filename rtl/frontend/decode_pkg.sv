// SPDX-License-Identifier: Apache-2.0
// Decode: one 64-bit instruction word to core_pkg::decoded_t. A function and not a module, so that it costs
// nothing in a cycle that decodes nothing. isa.def has the encoding and every operation's operands.
//
//   FFMA R4, R5, c[0][0x10], R7: reads rows 0 (R5) and 4 (R7); row 2 is the constant in every lane
//   STG.64 [R2+8], R6:           reads rows 0, 1 (address R2, R3) and 2, 3 (data R6, R7)
package decode_pkg;

  import isa_pkg::*;

  function automatic logic is_wide(input operand_e kind);
    return kind == OpndR64;
  endfunction

  // Without its unit an instruction is illegal, which is a control instruction's end.
  function automatic unit_e unit_of(input unit_e unit);
    return 32'(unit) < core_pkg::Units && core_pkg::There[unit] ? unit : UnitCtl;
  endfunction

  // Rows of a memory access of this size: log2.
  function automatic logic [1:0] size_log2(input logic [2:0] size);
    case (size)
      3'(MemSizeB64):  return 2'd1;
      3'(MemSizeB128): return 2'd2;
      default:         return 2'd0;
    endcase
  endfunction

  // log2 of the registers that a lane holds of a matrix: 1, 2 or 4. isa::fragment_registers has the same.
  typedef struct packed {
    logic       there;  // an instruction has these modifiers
    logic [1:0] a;
    logic [1:0] b;
    logic [1:0] c;      // and of d
    logic       sparse;
  } fragments_t;
  function automatic fragments_t fragments(input logic [7:0] op, input logic [17:0] mod);
    logic half;
    case (op)
      OpHmma: begin
        half = mod[HmmaHalfKLsb];
        return '{there: mod[HmmaFormatLsb +: 2] <= 2'(MmaFormatTf32) && (!mod[HmmaF16DLsb] || mod[HmmaFormatLsb +: 2] == 2'(MmaFormatF16)),
                 a: half ? 2'd1 : 2'd2, b: 2'(!half) + 2'(mod[HmmaSparseLsb]), c: mod[HmmaF16DLsb] ? 2'd1 : 2'd2,
                 sparse: mod[HmmaSparseLsb]};
      end
      OpImma: begin
        half = mod[ImmaHalfKLsb];
        return '{there: !mod[ImmaSparseLsb] || !(mod[ImmaM8Lsb] || mod[ImmaBitsLsb]),
                 a: mod[ImmaM8Lsb] ? 2'd0 : half ? 2'd1 : 2'd2, b: mod[ImmaM8Lsb] ? 2'd0 : 2'(!half) + 2'(mod[ImmaSparseLsb]),
                 c: mod[ImmaM8Lsb] ? 2'd1 : 2'd2, sparse: mod[ImmaSparseLsb]};
      end
      default: return '{there: op == OpDmma && core_pkg::HasDmma, a: 2'd1, b: 2'd1, c: 2'd2, sparse: 1'b0};
    endcase
  endfunction

  // The 18 modifier bits; those that a form does not hold read zero.
  function automatic logic [17:0] modifiers(input logic [63:0] word);
    case (word[29:28])
      FormR:   return {word[45:38], word[63:54]};
      FormL:   return {16'd0, word[31:30]};
      default: return {8'd0, word[63:54]};
    endcase
  endfunction

  function automatic logic [31:0] immediate(input logic [63:0] word, input operand_e b);
    case (word[29:28])
      FormL:   return word[63:32];
      FormC:   return {16'd0, word[43:30], 2'b00};
      default: return b == OpndF32 ? {word[45:30], 16'd0} : {{16{word[45]}}, word[45:30]};
    endcase
  endfunction

  // The predicates that an operation reads as data.
  function automatic logic [7:0] predicate_sources(input logic [7:0] op, input logic [17:0] mod);
    case (op)
      OpIsetp, OpIsetp64, OpFsetp, OpDsetp, OpHsetp2: return {4'd7, mod[ISetpPcLsb +: 4]};
      OpPlop:                      return {mod[PLogicPbLsb +: 4], mod[PLogicPaLsb +: 4]};
      OpSel:                       return {4'd7, mod[SelectPLsb +: 4]};
      OpVote:                      return {4'd7, mod[VotePLsb +: 4]};
      OpBallot:                    return {4'd7, mod[BallotPLsb +: 4]};
      OpIadd, OpIadd64:            return {4'd7, mod[AddUseCinLsb] ? {1'b0, mod[AddCinLsb +: 3]} : 4'hf};
      OpBar: return {4'd7, mod[BlockBarrierModeLsb +: 2] == 2'(BarModeRed) ? mod[BlockBarrierPLsb +: 4] : 4'd7};
      default:                     return {4'd7, 4'd7};
    endcase
  endfunction

  // Does memory compute on an atomic's numbers?
  function automatic logic atomic_there(input logic [7:0] op, input logic [17:0] mod);
    logic [2:0] kind;
    logic       pairs;
    kind = mod[AtomicTypeLsb +: 3];
    if (mod[AtomicOpLsb +: 4] == 4'(AtomOpArrive))
      return op == OpAtoms && kind == 3'(AtomTypeU) && mod[2:0] == 3'(MemSizeB64);
    pairs = kind == 3'(AtomTypeF16x2) || kind == 3'(AtomTypeBf16x2);
    return kind <= 3'(AtomTypeS) ||
           (mem_pkg::FloatAtomics && mod[AtomicOpLsb +: 4] <= (pairs ? 4'(AtomOpMax) : 4'(AtomOpAdd)) && kind <= 3'(AtomTypeBf16x2) &&
            mod[2:0] == (kind == 3'(AtomTypeF64) ? 3'(MemSizeB64) : 3'(MemSizeB32)));
  endfunction

  // A register range is inside the file and, for pairs and quads, aligned.
  function automatic logic bad_register(input logic [7:0] first, input logic [1:0] log2, input logic [7:0] registers);
    // Of an aligned range the last register names the end.
    return first != 8'd255 && ({1'b0, first | {6'd0, log2[1], log2 != 2'd0}} >= 9'(registers) + 9'(registers[0]) ||
                               (log2 != 2'd0 && first[0]) || (log2 == 2'd2 && first[1]));
  endfunction

  function automatic core_pkg::decoded_t decode(input logic [63:0] word, input logic [31:0] pc,
                                                input logic [7:0] registers);
    // Fields are worked out one by one and put together at the end: a simulator handles words, not
    // slices of a long struct.
    op_props_t         props;
    logic              atomic, store, copy, cas, b_imm, special, ordered, answers, blocks, block_fence;
    logic [2:0]        size, pd, pq;
    logic [1:0]        a_log2, b_log2, c_log2, rd_log2, steps;
    logic [7:0]        op, rd, ra, rb, rc, re;
    fragments_t        parts;
    logic              tensor;
    logic [17:0]       mod;
    logic [31:0]       imm;
    logic [3:0]        psrc, psrc2, fault;
    core_pkg::rows_t   uses, reads;
    props = op_props(word[7:0]);
    op = word[7:0];
    mod = modifiers(word);
    {psrc2, psrc} = predicate_sources(word[7:0], mod);
    imm = immediate(word, props.b);
    size = mod[2:0];
    atomic = word[7:0] inside {OpAtomg, OpAtoms, OpAtom};
    copy = core_pkg::HasAsyncCopy && op == OpLdgsts;
    store = props.c == OpndRSz || copy;
    tensor = core_pkg::HasTensor && props.unit == UnitTensor;
    parts = fragments(word[7:0], mod);
    cas = atomic && mod[AtomicOpLsb +: 4] == 4'(AtomOpCas);

    // Destination.
    rd = 8'd255;
    rd_log2 = 2'd0;
    blocks = 1'b0;
    pd = 3'd7;
    pq = 3'd7;
    case (props.dst)
      OpndR32, OpndF32: rd = word[19:12];
      OpndR64: begin
        rd = word[19:12];
        rd_log2 = 2'd1;
      end
      OpndRSz: begin
        rd = word[19:12];
        rd_log2 = size_log2(size);
      end
      OpndFragC: if (tensor) begin
        rd = word[19:12];
        rd_log2 = parts.c;
      end
      OpndP2: {pq, pd} = word[17:12];
      default: ;
    endcase
    if ((op == OpIadd || op == OpIadd64) && mod[AddCoutPlus1Lsb +: 3] != 3'd0)
      pd = mod[AddCoutPlus1Lsb +: 3] - 3'd1;
    if (op == OpMatch) pd = mod[MatchPdLsb +: 3];
    if (op == OpShfl) pd = mod[ShufflePdLsb +: 3];
    if (op == OpBar && mod[BlockBarrierModeLsb +: 2] == 2'(BarModeRed)) begin
      if (mod[BlockBarrierRedLsb +: 2] == 2'(BarRedPopc)) rd = word[19:12];
      else pd = word[14:12];
    end

    // Sources.
    ra = word[27:20];
    rb = word[29:28] == FormR ? word[37:30] : 8'd255;
    rc = word[29:28] == FormL ? 8'd255 : word[53:46];
    a_log2 = 2'(is_wide(props.a));
    b_log2 = 2'(is_wide(props.b) || (atomic && size == 3'(MemSizeB64)));
    c_log2 = 2'(is_wide(props.c) || (atomic && size == 3'(MemSizeB64)));
    uses[0] = props.a != OpndNone;
    uses[1] = a_log2 != 2'd0;
    uses[2] = props.b != OpndNone || op == OpS2r || op == OpS2r64;
    uses[3] = (uses[2] && b_log2 != 2'd0) || op == OpS2r64;
    uses[4] = props.c != OpndNone && (!atomic || cas);
    uses[5] = uses[4] && c_log2 != 2'd0;
    if (store) begin
      b_log2 = copy ? 2'd0 : size_log2(size);  // a copy: a word of shared memory's address
      rb = rc;
      rc = rc | 8'd2;
      uses[5:2] = b_log2 == 2'd2 ? 4'b1111 : b_log2 == 2'd1 ? 4'b0011 : 4'b0001;
    end
    steps = 2'd0;
    re = 8'd255;
    if (tensor) begin
      {a_log2, b_log2, c_log2} = {parts.a, parts.b, parts.c};
      uses = 6'b010101;  // issue_stage says what of them a step reads
      steps = parts.sparse ? 2'd2 : 2'd1;
      if (parts.sparse) re = op == OpHmma ? mod[HmmaMetadataLsb +: 8] : mod[ImmaMetadataLsb +: 8];
    end
    if (atomic) imm = '0;  // no offset
    b_imm = props.b != OpndNone && word[29:28] != FormR;
    special = op == OpS2r || op == OpS2r64;
    fault = props.built && props.forms[word[29:28]] && (core_pkg::HasFp64 || props.unit != UnitFp64) &&
            (core_pkg::HasFp16 || props.unit != UnitFp16) && (core_pkg::HasTensor || props.unit != UnitTensor) &&
            (op != OpLdsm || (core_pkg::HasMatrixLoad && size[2] && size[1:0] != 2'd3)) && (!atomic || atomic_there(op, mod)) &&
            (op != OpCbar || gpu_pkg::HasClusters) && (op != OpLdgsts || (copy && size[2] && size[1:0] != 2'd3)) && (core_pkg::HasAsyncCopy || !core_pkg::waits_for_copies(op))
            ? 4'(device_pkg::FaultNone) : 4'(device_pkg::FaultIllegalInstruction);
    // RZ reads zero: no row is fetched.
    reads[1:0] = ra == 8'd255 ? 2'd0 : uses[1:0];
    reads[3:2] = rb == 8'd255 ? 2'd0 : uses[3:2];
    reads[5:4] = rc == 8'd255 ? 2'd0 : uses[5:4];
    if ((reads[0] && bad_register(ra, a_log2, registers)) ||
        (reads[2] && bad_register(rb, b_log2, registers)) ||
        (reads[4] && !store && bad_register(rc, c_log2, registers)) ||
        (tensor && (!parts.there || bad_register(re, 2'd0, registers))) ||
        bad_register(rd, rd_log2, registers))
      fault = 4'(device_pkg::FaultIllegalInstruction);

    // LDC's bank travels in bits that form C leaves free; its offset is an immediate of the address.
    if (op == OpLdc) mod[11:10] = word[45:44];

    if (props.dst == OpndBar) ra = word[19:12];  // the convergence barrier
    ordered = op == OpBar || op == OpCbar;
    answers = op == OpCall || op == OpCallx;
    // A fence of the block has nothing to do once its warp's accesses are complete: it waits for that here, and passes the INT lanes.
    block_fence = op == OpMembar && mod[FenceScopeLsb +: 2] == 2'(ScopeCta);
    // Fences and acquires: the load/store unit leaves it to the SM that nothing follows before their end.
    case (op)
      OpMembar: blocks = !block_fence;
      OpCctl: blocks = 1'b1;
      OpLdg, OpLd: blocks = mod[MemoryOrderLsb +: 2] == 2'(MemOrderAcquire);
      OpAtomg, OpAtoms, OpAtom: blocks = mod[AtomicOrderLsb +: 2] == 2'(MemOrderAcquire) || mod[AtomicOrderLsb +: 2] == 2'(MemOrderRelease);
      default: ;
    endcase
    return '{
      pc: pc, op: op, to: unit_of(block_fence || core_pkg::waits_for_copies(op) ? UnitInt : props.unit), mod: mod, guard: word[11:8], psrc: psrc, psrc2: psrc2,
      rd: rd, rd_log2: rd_log2, pd: pd, pq: pq, ra: ra, rb: rb, rc: rc,
      ra_log2: tensor ? a_log2 : 2'd0, rb_log2: tensor ? b_log2 : 2'd0, rc_log2: tensor ? c_log2 : 2'd0,
      steps: steps, re: re, uses: uses, reads: reads, b_imm: b_imm,
      special: special, konst: b_imm && word[29:28] == FormC, bank: word[45:44], imm: imm,
      // A result of the convergence unit must not overtake reads of older instructions.
      drain: answers || block_fence || (op == OpBar && mod[BlockBarrierModeLsb +: 2] == 2'(BarModeRed)),
      ordered: ordered, blocks: blocks, answers: answers, fault: fault};
  endfunction

endpackage
