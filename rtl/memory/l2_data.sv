// SPDX-License-Identifier: Apache-2.0
// Data of the L2 and the point at which requests are performed, one a cycle, in the order in which they
// come: this order is the order of device memory, and trace_o tells it.
//
//   cycle 0  operation comes; the request's slot and the sector (evict: Banks sectors) are read
//   cycle 1  performed: what it sees, answer and trace event made; atomic: sums and comparisons
//   cycle 2  new bytes written
//
// With a narrow memory port a sector is worked on piece by piece, and a piece in steps; operations are l2_pkg::Apart cycles
// apart, so that a piece is written before the next operation reads it:
//
//   cycle p      piece p is read, of the sector and of the request
//   cycle p + 1  what the request sees of it, to the answer: a read's beat shows in cycle p + 2
//   cycle p + 2  atomic: sums and comparisons
//   cycle p + 3  written
//
// Of an atomic's beats the first is read with each piece, as its word's may be any, and in one cycle the second.
// Elsewhere an atomic is on any words of its sector at once, and
// a read of what is written in its cycle or the next is forwarded, so atomics on one word go one a cycle. But one that
// needs a sum of floating-point numbers which the operation before makes waits a cycle for it, and so do those behind it;
// a preset may let atomics on one word wait longer (latency classes Word, Sum). An
// eviction comes two cycles or more behind the last operation on its line. Each sector has a mask of its dirty bytes:
// stores need not fetch, and write-backs touch only what was written.
module l2_data (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // A beat of a request, to be kept in its slot until Pieces - 1 cycles after its operation.
  input  logic                  store_valid_i,
  input  logic [l2_pkg::SlotW-1:0] store_slot_i,
  input  l2_pkg::request_t      store_i,

  input  logic                  op_valid_i,
  output logic                  op_ready_o,       // with a narrow port always
  input  l2_pkg::op_t           op_i,
  // A sector that memory delivered; its data come in the next cycle.
  output logic                  fill_read_o,
  output logic [l2_pkg::FillW-1:0] fill_id_o,
  output logic [mem_pkg::PieceW-1:0] fill_piece_o,
  input  logic [mem_pkg::PieceBits-1:0] fill_data_i,
  output logic                  busy_o,

  output logic                  rsp_valid_o,
  output logic [l2_pkg::ClientW-1:0] rsp_client_o,
  output mem_pkg::answer_t      rsp_o,

  output logic                  write_back_valid_o,
  output l2_pkg::write_back_t   write_back_o,

  output trace_pkg::l2_t        trace_o
);

  localparam int unsigned PieceBits = mem_pkg::PieceBits;
  localparam int unsigned PieceBytes = mem_pkg::PieceBytes;
  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned Words = PieceBits / 64;   // doublewords of a piece
  localparam int unsigned Banks = l2_pkg::Banks;
  localparam int unsigned BankW = (Banks > 1) ? $clog2(Banks) : 1;
  localparam int unsigned RowW = l2_pkg::PlaceW + 2 - $clog2(Banks) + $clog2(Pieces);  // a row: a piece of each bank
  localparam int unsigned BeatW = l2_pkg::SlotW + $clog2(Pieces);
  localparam int unsigned AtomicBeats = mem_pkg::AtomicBeats;
  localparam int unsigned CasLsb = AtomicBeats > 1 ? 0 : 64;   // in its beat
  // Words on which an atomic works at once; a word of 64 bits is the lower one's of its doubleword.
  localparam bit          SectorAtomics = mem_pkg::SectorAtomics;
  localparam int unsigned Units = SectorAtomics ? PieceBits / 32 : 1;
  typedef mem_pkg::piece_t piece_t;
  typedef l2_pkg::dirty_piece_t dirty_piece_t;

  function automatic logic [BeatW-1:0] beat_place(input logic [l2_pkg::SlotW-1:0] slot, input piece_t p);
    return BeatW'({slot, p} >> (Pieces > 1 ? 0 : 1));
  endfunction

  function automatic logic [RowW-1:0] row_of(input l2_pkg::op_t op, input piece_t piece);
    return RowW'({{op.place, op.sector} >> $clog2(Banks), piece} >> (Pieces > 1 ? 0 : 1));
  endfunction

  // ---- reading ---------------------------------------------------------------------------------------
  // The piece that is read; that which was read in the cycle before.
  l2_pkg::op_t        op, op_q;
  piece_t             piece, at_q;
  logic               reads, reads_on, valid_q, forward_q;   // reads_on: further pieces
  logic               takes, holds_up;    // holds_up: what was read waits a cycle
  assign op_ready_o = !holds_up;
  assign takes = op_valid_i && !holds_up;
  if (Pieces > 1) begin : g_pieces
    piece_t next_q;
    assign reads_on = next_q != '0;
    assign reads = takes || reads_on;
    assign piece = takes ? '0 : next_q;
    assign op = takes ? op_i : op_q;
    always_ff @(posedge clk_i) next_q <= !rst_ni ? '0 : reads ? piece + 1'b1 : next_q;
  end else begin : g_whole
    assign reads_on = 1'b0;
    assign reads = takes;
    assign piece = '0;
    assign op = op_i;
  end

  function automatic piece_t piece_of(input logic [4:0] offset);
    return piece_t'({offset, 1'b0} >> $clog2(2 * PieceBytes));
  endfunction

  // Slots. A beat is never read in the cycle of its write.
  (* no_rw_check, ram_style = "block" *) l2_pkg::head_t head_mem_q [l2_pkg::Slots];
  (* no_rw_check, ram_style = "block" *) dirty_piece_t beat_mem_q [l2_pkg::Slots * Pieces];
  (* no_rw_check *) l2_pkg::origin_t origin_mem_q [l2_pkg::Slots];
  l2_pkg::head_t       head_q;
  l2_pkg::origin_t     origin_q;
  dirty_piece_t        given_q;       // the request's beat
  piece_t              beat, beat_q;  // which is read; which given_q is
  // A cas' new value: last_step needs it two cycles after its word's piece, so it is read before or right after that.
  if (AtomicBeats > 1) begin : g_two_beats
    piece_t second;
    assign second = piece_of(head_q.offset) == piece_t'(1) ? piece_t'(2) : piece_t'(1);
    assign beat = !mem_pkg::is_atomic(head_q.kind) ? piece : piece_t'(piece == second);
  end else begin : g_one_beat
    assign beat = takes || !mem_pkg::is_atomic(head_q.kind) ? piece : '0;
  end

  dirty_piece_t [Banks-1:0] read;
  logic                write;
  dirty_piece_t        written;
  dirty_piece_t        last_q;        // what was written last
  logic [BankW-1:0]    last_bank_q;
  logic [RowW-1:0]     row, write_row;
  logic [BankW-1:0]    bank, write_bank;
  assign row = row_of(op, piece);
  assign bank = (Banks > 1) ? BankW'(op.sector) : '0;
  assign fill_read_o = reads && op.fill;
  assign fill_id_o = op.fill_id;
  assign fill_piece_o = piece;

  always_ff @(posedge clk_i) begin
    if (store_valid_i) begin
      head_mem_q[store_slot_i] <= '{client: store_i.client, kind: store_i.req.kind, id: store_i.req.id, offset: store_i.req.offset,
                                    wide: store_i.req.wide, atom_op: store_i.req.atom_op, atom_type: store_i.req.atom_type};
      beat_mem_q[beat_place(store_slot_i, store_i.req.piece)] <= '{mask: store_i.req.mask, data: store_i.req.data};
      origin_mem_q[store_slot_i] <= '{sector: store_i.req.sector, warp: store_i.req.warp, seq: store_i.req.seq,
                                      lane: store_i.req.lane};
    end
  end
  always_ff @(posedge clk_i) begin
    if (takes && !op_i.evict) begin
      head_q <= head_mem_q[op_i.slot];
      origin_q <= origin_mem_q[op_i.slot];
    end
  end
  always_ff @(posedge clk_i) begin
    if (reads && !op.evict) given_q <= beat_mem_q[beat_place(op.slot, beat)];
  end

  for (genvar b = 0; b < int'(Banks); b++) begin : g_bank
    // What is read in the cycle of its write is forwarded instead.
    (* no_rw_check *) dirty_piece_t mem_q [l2_pkg::Lines * 4 / Banks * Pieces];
    dirty_piece_t piece_q;
    always_ff @(posedge clk_i) begin
      if (write && write_bank == BankW'(b)) mem_q[write_row] <= written;
    end
    always_ff @(posedge clk_i) begin
      if (reads && (op.evict || bank == BankW'(b))) piece_q <= mem_q[row];
    end
    assign read[b] = piece_q;
  end

  // Pieces that go come from the array, or were written as they were read.
  assign write_back_valid_o = valid_q && op_q.evict;
  assign write_back_o.sector = op_q.sector;
  assign write_back_o.piece = at_q;
  for (genvar b = 0; b < int'(Banks); b++) begin : g_going
    assign write_back_o.data[b] = !l2_pkg::Narrow && forward_q && last_bank_q == BankW'(b) ? last_q : read[b];
  end

  // ---- what the request sees -------------------------------------------------------------------------
  typedef struct packed {
    logic [PieceBits-1:0]  data;
    logic [PieceBytes-1:0] mask;    // dirty bytes
  } seen_t;

  // What becomes of it.
  typedef struct packed {
    seen_t                 seen;
    logic [PieceBytes-1:0] bytes;   // that are written
    logic [PieceBits-1:0]  data;    // to be written; atomic: the operands at their places, of one word in each doubleword
    logic                  atomic;
    logic [3:0]            op;
    mem_pkg::atom_type_t   kind;    // of the atomic's numbers
    logic                  wide;
    logic                  high;    // one word: in the upper half of its doubleword
    logic [1:0]            word;    // one word: doubleword of the piece
  } change_t;
  typedef atomic_pkg::step_t [Units-1:0] steps_t;
  typedef logic [Units-1:0][63:0] units_t;

  function automatic seen_t see(input dirty_piece_t held, input logic dirty, input logic fills, input logic [PieceBits-1:0] fill);
    seen_t s;
    s.mask = dirty ? held.mask : '0;
    s.data = l2_pkg::merge(fill, held.data, fills ? s.mask : '1);
    return s;
  endfunction

  function automatic logic [1:0] word_of(input logic [4:0] offset);
    return offset[4:3] & 2'(Words - 1);
  endfunction

  // Does the piece hold the atomic's word?
  function automatic logic holds(input l2_pkg::head_t head, input piece_t p);
    return Pieces == 1 || piece_of(head.offset) == p;
  endfunction

  function automatic change_t change(input l2_pkg::head_t head, input dirty_piece_t given, input piece_t p, input seen_t seen);
    change_t     c;
    logic        atomic;
    atomic = mem_pkg::is_atomic(head.kind);
    c = 'x;
    c.seen = seen;
    c.atomic = atomic;
    c.bytes = '0;
    c.op = '0;
    c.kind = '0;
    c.data = given.data;
    if (head.kind == mem_pkg::ReqWrite || (SectorAtomics && atomic)) c.bytes = given.mask;
    if (atomic) begin
      c.op = head.atom_op;
      c.kind = head.atom_type;
      c.wide = head.wide;
      c.high = head.offset[2];
      c.word = word_of(head.offset);
      if (!SectorAtomics) begin
        c.data = {Words{atomic_pkg::at_place(head.wide, head.offset[2], given.data[63:0])}};
        for (int unsigned w = 0; w < PieceBytes / 4; w++)
          c.bytes[4*w+:4] = {4{holds(head, p) && 2'(w >> 1) == c.word && (head.wide || w[0] == head.offset[2])}};
      end
    end
    return c;
  endfunction

  function automatic logic [63:0] new_value(input l2_pkg::head_t head, input dirty_piece_t given);
    return atomic_pkg::in_both(head.wide, given.data[CasLsb+:64]);
  endfunction

  function automatic logic [63:0] word_in(input logic [PieceBits-1:0] data, input logic [1:0] word);
    logic [Words-1:0][63:0] words;
    words = data;
    return Words > 1 ? words[word[(Words > 1 ? $clog2(Words) : 1)-1:0]] : words[0];
  endfunction

  // A unit's doubleword, and whether its word is the upper half; does it work?
  function automatic logic [1:0] word_at(input change_t c, input int unsigned unit);
    return SectorAtomics ? 2'(unit / 2) : c.word;
  endfunction
  function automatic logic high_at(input change_t c, input int unsigned unit);
    return SectorAtomics ? unit % 2 == 1 : c.high;
  endfunction
  function automatic logic works(input change_t c, input int unsigned unit);
    return !SectorAtomics || (c.bytes[4*unit] && !(c.wide && unit % 2 == 1));
  endfunction

  // What each unit finds in the piece.
  function automatic steps_t first_step(input change_t c, input logic [PieceBits-1:0] found);
    steps_t      a;
    logic [63:0] operand;
    a = 'x;
    for (int unsigned unit = 0; unit < Units; unit++) begin
      if (works(c, unit)) begin
        operand = word_in(c.data, word_at(c, unit));
        if (SectorAtomics && !c.wide && unit % 2 == 1) operand[31:0] = '0;
        a[unit] = atomic_pkg::first_step(c.op, c.kind, 1'b0, c.wide, high_at(c, unit), word_in(found, word_at(c, unit)), operand);
      end
    end
    return a;
  endfunction

  // floats: with sums of floating-point numbers; else their words are anything.
  function automatic void last_step(input change_t c, input steps_t a, input units_t others, input logic floats,
                                    output dirty_piece_t left);
    /*verilator no_inline_task*/  // else a simulator copies the arguments every cycle
    logic [PieceBits-1:0] data;
    logic [63:0]          result;
    // A write's data are `bits`, too, where they fit.
    data = Words == 1 ? PieceBits'(a[0].bits) : c.data;
    if (c.atomic) begin
      for (int unsigned unit = 0; unit < Units; unit++) begin
        if (works(c, unit)) begin
          result = floats && atomic_pkg::is_float(c.kind) ? atomic_pkg::float_result(c.kind, 1'b0, a[unit])
                   : atomic_pkg::integer_result(c.op, 1'b0, a[unit], word_in(c.seen.data, word_at(c, unit)), others[unit]);
          if (!SectorAtomics) data = {Words{result}};
          else if (c.wide) data[64*(unit/2)+:64] = result;
          else data[32*unit+:32] = result[32*(unit%2)+:32];
        end
      end
    end
    left.data = l2_pkg::merge(c.seen.data, data, c.bytes);
    left.mask = c.seen.mask | c.bytes;
  endfunction

  // ---- perform -------------------------------------------------------------------------------------
  logic        sees, answers, writes, last;   // last: of the pieces
  seen_t       seen, words_seen;
  dirty_piece_t held, held_words;   // the sector's piece; the same, but for words of sums that are still being made
  logic [63:0] word;            // atomic on one word: its doubleword
  logic [PieceBits-1:0] old;    // atomic: what it answers
  change_t     now, ends;       // in the cycle after it was read; in the cycle of its write
  steps_t      first;
  units_t      other;           // cas: the new values, in the cycle of the write
  logic [BankW-1:0] seen_bank;
  assign seen_bank = (Banks > 1) ? BankW'(op_q.sector) : '0;
  assign answers = valid_q && !op_q.evict && !holds_up;
  assign last = at_q == piece_t'(Pieces - 1);
  assign sees = answers && !op_q.error;
  assign writes = sees && (op_q.fill || head_q.kind != mem_pkg::ReqRead);
  always_comb begin
    // Nobody looks at them otherwise, here and below.
    seen = 'x;
    old = 'x;
    word = 'x;
    words_seen = 'x;
    if (sees) begin
      seen = see(held, op_q.dirty[op_q.sector], op_q.fill, fill_data_i);
      if (mem_pkg::is_atomic(head_q.kind)) begin
        words_seen = see(held_words, op_q.dirty[op_q.sector], op_q.fill, fill_data_i);
        old = words_seen.data;
        if (!SectorAtomics) begin
          word = word_in(words_seen.data, word_of(head_q.offset));
          old = PieceBits'({head_q.wide ? word[63:32] : 32'd0, !head_q.wide && head_q.offset[2] ? word[63:32] : word[31:0]});
        end
      end
    end
  end
  always_comb begin
    now = 'x;
    if (writes) now = change(head_q, given_q, at_q, seen);
  end
  always_comb begin
    written = 'x;
    if (write) last_step(ends, first, other, 1'b1, written);
  end

  if (l2_pkg::Narrow) begin : g_steps
    logic                 writes_q, writes_qq;
    logic [RowW-1:0]      row_q, row_qq;
    change_t              now_q, now_qq;
    steps_t               first_q;
    units_t               other_q;
    always_ff @(posedge clk_i) begin
      writes_q <= rst_ni && writes;
      writes_qq <= rst_ni && writes_q;
      if (writes) begin
        row_q <= row_of(op_q, at_q);
        now_q <= now;
      end
      if (writes_q) begin
        row_qq <= row_q;
        now_qq <= now_q;
        first_q <= first_step(now_q, now_q.seen.data);
      end
      // No operation that follows comes here before the last step of this one.
      if (answers && beat_q == piece_t'(AtomicBeats - 1)) other_q <= new_value(head_q, given_q);
    end
    assign write = writes_qq;
    assign write_row = row_qq;
    assign write_bank = '0;
    assign ends = now_qq;
    assign first = first_q;
    assign other = other_q;
    assign holds_up = 1'b0;
    assign held = read[seen_bank];
    assign held_words = held;
    assign busy_o = valid_q || writes_q || writes_qq || rsp_valid_o;
  end else begin : g_two_steps
    logic              writes_q, follows;   // follows: it sees what is written now
    logic [RowW-1:0]   row_q;
    logic [BankW-1:0]  bank_q;
    change_t           now_q;
    steps_t            first_q;
    units_t            other_q;
    // The last change lies so many cycles back, at most HeldMost.
    localparam int unsigned HeldInt = 32'(config_pkg::Latency[isa_pkg::LatWord]);  // those that return what was there
    localparam int unsigned HeldFloat = 32'(config_pkg::Latency[isa_pkg::LatSum]) + 1;
    localparam int unsigned HeldMost = HeldInt > HeldFloat ? HeldInt : HeldFloat;
    // Behind a sum of floating-point numbers or an operation on integers; for one that answers.
    function automatic int unsigned held_for(input logic sum, input logic returns);
      if (mem_pkg::FloatAtomics && sum) return returns ? HeldFloat : 1;
      return returns ? HeldInt : 0;
    endfunction
    logic [$clog2(HeldMost+1)-1:0] age_q;
    logic                          same;  // the row that it changed
    assign same = row_q == row_of(op_q, at_q) && bank_q == seen_bank;
    assign follows = writes_q && same;
    assign holds_up = valid_q && !op_q.evict && !op_q.error && mem_pkg::is_atomic(head_q.kind) && same && now_q.atomic &&
                      32'(age_q) < held_for(atomic_pkg::is_float(now_q.kind), head_q.kind == mem_pkg::ReqAtomic) &&
                      (now_q.bytes & given_q.mask) != '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) age_q <= '1;
      else if (writes) age_q <= '0;
      else if (32'(age_q) < HeldMost) age_q <= age_q + 1'b1;
    end
    always_comb begin
      held = forward_q ? last_q : read[seen_bank];
      held_words = held;
      if (follows) begin
        held = written;
        last_step(ends, first, other, 1'b0, held_words);
      end
    end
    always_ff @(posedge clk_i) begin
      writes_q <= rst_ni && writes;
      if (writes) begin
        row_q <= row_of(op_q, at_q);
        bank_q <= seen_bank;
        now_q <= now;
        if (now.atomic) begin
          first_q <= first_step(now, words_seen.data);
          for (int unsigned unit = 0; unit < Units; unit++) other_q[unit] <= word_in(given_q.data, 2'(unit / 2) ^ 2'd2);
        end
      end
    end
    assign write = writes_q;
    assign write_row = row_q;
    assign write_bank = bank_q;
    assign ends = now_q;
    assign first = first_q;
    assign other = other_q;
    assign busy_o = valid_q || writes_q || rsp_valid_o;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= reads || holds_up;
    if (reads) begin
      at_q <= piece;
      beat_q <= beat;
    end
    if (!l2_pkg::Narrow && write) begin
      last_q <= written;
      last_bank_q <= write_bank;
    end
    if (holds_up) forward_q <= 1'b1;
    if (takes) begin
      op_q <= op_i;
      forward_q <= !l2_pkg::Narrow && write && write_row == row && (op_i.evict || write_bank == bank);
    end
    rsp_valid_o <= answers && (last || head_q.kind == mem_pkg::ReqRead);
    if (answers) begin
      rsp_client_o <= head_q.client;
      rsp_o.kind <= mem_pkg::answer_kind(head_q.kind);
      rsp_o.id <= head_q.id;
      rsp_o.error <= op_q.error;
      rsp_o.piece <= at_q;
      rsp_o.last <= last;
      if (!mem_pkg::is_atomic(head_q.kind)) rsp_o.data <= seen.data;
      else if (holds(head_q, at_q)) rsp_o.data <= old;
    end
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rsp_valid_o <= 1'b0;
    end
  end

  // The trace: a sector's pieces, and a request's beats, one by one.
  always_ff @(posedge clk_i) begin
    trace_o.valid <= rst_ni && sees && last;
    if (answers) begin
      trace_o.client <= 8'(head_q.client);
      trace_o.req.kind <= head_q.kind;
      trace_o.req.id <= head_q.id;
      trace_o.req.sector <= origin_q.sector;
      trace_o.req.offset <= head_q.offset;
      trace_o.req.wide <= head_q.wide;
      trace_o.req.atom_op <= head_q.atom_op;
      trace_o.req.atom_type <= head_q.atom_type;
      trace_o.req.warp <= origin_q.warp;
      trace_o.req.seq <= origin_q.seq;
      trace_o.req.lane <= origin_q.lane;
      // The last beat of all that are read, some of them twice.
      if (beat_q != '0 || at_q == '0) begin
        trace_o.req.piece <= beat_q;
        trace_o.req.last <= 1'b1;
        trace_o.req.mask <= given_q.mask;
        trace_o.req.data <= given_q.data;
      end
      if (holds(head_q, at_q)) trace_o.old <= mem_pkg::SectorW'(old);
      for (int unsigned p = 0; p < Pieces; p++) begin
        if (Pieces == 1 || beat_q == piece_t'(p)) begin
          trace_o.mask[PieceBytes*p+:PieceBytes] <= given_q.mask;
          trace_o.data[PieceBits*p+:PieceBits] <= head_q.kind == mem_pkg::ReqRead ? seen.data : given_q.data;
        end
      end
      // Of one word the mask says nothing, and not all of it comes.
      if (!SectorAtomics && mem_pkg::is_atomic(head_q.kind)) trace_o.mask <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_evict: assert (l2_pkg::Narrow || !(takes && op_i.evict && writes && op_q.place == op_i.place))
        else $error("l2_data: a line is evicted while it is written");
      a_filled: assert (!(holds_up && op_q.fill)) else $error("l2_data: a fill under a sector that is there");
      a_apart: assert (!(op_valid_i && reads_on)) else $error("l2_data: operations too close");
    end
  end

endmodule
