// SPDX-License-Identifier: Apache-2.0
// Data of the L2 and the point at which requests are performed, one a cycle, in the order in which they
// come: this order is the order of device memory, and trace_o tells it.
//
//   cycle 0  operation comes; the request's slot and the sector (evict: Banks sectors) are read
//   cycle 1  performed: new bytes written, answer and trace event made
//
// With a narrow memory port a sector is worked on piece by piece, and a piece in steps; operations are l2_pkg::Apart cycles
// apart, so that a piece is written before the next operation reads it:
//
//   cycle p      piece p is read
//   cycle p + 1  what the request sees of it, to the answer: piece p of rsp_o is right in cycles p + 2 to p + 5
//   cycle p + 2  atomic: sums and comparisons
//   cycle p + 3  written
//
// Elsewhere a read of what the cycle before wrote is forwarded, so atomics on one word go one a cycle; an eviction
// comes two cycles or more behind the last operation on its line. Each sector has a mask of its dirty bytes:
// stores need not fetch, and write-backs touch only what was written.
module l2_data (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // A request to be kept in its slot.
  input  logic                  store_valid_i,
  input  logic [l2_pkg::SlotW-1:0] store_slot_i,
  input  l2_pkg::request_t      store_i,

  input  logic                  op_valid_i,       // always taken
  input  l2_pkg::op_t           op_i,
  // A sector that memory delivered; its data come in the next cycle.
  output logic                  fill_read_o,
  output logic [l2_pkg::FillW-1:0] fill_id_o,
  output logic [mem_pkg::PieceW-1:0] fill_piece_o,
  input  logic [mem_pkg::PieceBits-1:0] fill_data_i,
  output logic                  busy_o,

  output logic                  rsp_valid_o,
  output logic [l2_pkg::ClientW-1:0] rsp_client_o,
  output mem_pkg::rsp_t         rsp_o,

  output logic                  write_back_valid_o,
  output l2_pkg::write_back_t   write_back_o,

  output trace_pkg::l2_t        trace_o
);

  localparam int unsigned PieceBits = mem_pkg::PieceBits;
  localparam int unsigned PieceBytes = mem_pkg::PieceBytes;
  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned PieceW = mem_pkg::PieceW;
  localparam int unsigned Words = PieceBits / 64;   // doublewords of a piece
  localparam int unsigned Banks = l2_pkg::Banks;
  localparam int unsigned BankW = (Banks > 1) ? $clog2(Banks) : 1;
  localparam int unsigned RowW = l2_pkg::PlaceW + 2 - $clog2(Banks) + $clog2(Pieces);  // a row: a piece of each bank
  typedef logic [PieceW-1:0] piece_t;
  typedef l2_pkg::dirty_piece_t dirty_piece_t;

  function automatic logic [RowW-1:0] row_of(input l2_pkg::op_t op, input piece_t piece);
    return RowW'({{op.place, op.sector} >> $clog2(Banks), piece} >> (Pieces > 1 ? 0 : 1));
  endfunction

  // ---- reading ---------------------------------------------------------------------------------------
  // The piece that is read; that which was read in the cycle before.
  l2_pkg::op_t        op, op_q;
  piece_t             piece, at_q;
  logic               reads, reads_on, valid_q, forward_q;   // reads_on: further pieces
  if (Pieces > 1) begin : g_pieces
    piece_t next_q;
    assign reads_on = next_q != '0;
    assign reads = op_valid_i || reads_on;
    assign piece = op_valid_i ? '0 : next_q;
    assign op = op_valid_i ? op_i : op_q;
    always_ff @(posedge clk_i) next_q <= !rst_ni ? '0 : reads ? piece + 1'b1 : next_q;
  end else begin : g_whole
    assign reads_on = 1'b0;
    assign reads = op_valid_i;
    assign piece = '0;
    assign op = op_i;
  end

  (* no_rw_check, ram_style = "block" *) l2_pkg::request_t request_mem_q [l2_pkg::Slots];
  l2_pkg::request_t    request_q;
  dirty_piece_t [Banks-1:0] read;
  logic                write;
  dirty_piece_t        written;
  dirty_piece_t        last_q;        // what was written last
  logic [RowW-1:0]     row, write_row;
  logic [BankW-1:0]    bank, write_bank;
  assign row = row_of(op, piece);
  assign bank = (Banks > 1) ? BankW'(op.sector) : '0;
  assign fill_read_o = reads && op.fill;
  assign fill_id_o = op.fill_id;
  assign fill_piece_o = piece;

  always_ff @(posedge clk_i) begin
    if (store_valid_i) request_mem_q[store_slot_i] <= store_i;
  end
  always_ff @(posedge clk_i) begin
    if (op_valid_i && !op_i.evict) request_q <= request_mem_q[op_i.slot];
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

  // Pieces that go come right from the array.
  assign write_back_valid_o = valid_q && op_q.evict;
  assign write_back_o.sector = op_q.sector;
  assign write_back_o.piece = at_q;
  assign write_back_o.data = read;

  // ---- what the request sees -------------------------------------------------------------------------
  typedef struct packed {
    logic [PieceBits-1:0]  data;
    logic [PieceBytes-1:0] mask;    // dirty bytes
  } seen_t;

  // What becomes of it.
  typedef struct packed {
    seen_t                 seen;
    logic [PieceBytes-1:0] bytes;   // that are written
    logic [PieceBits-1:0]  data;    // to be written; atomic: the operand at its place, in each doubleword
    logic                  atomic;
    logic [63:0]           other;   // cas: the new value
    logic [3:0]            op;
    logic                  sign;
    logic                  wide;
    logic                  high;    // in the upper half of its doubleword
    logic [1:0]            word;    // doubleword of the piece
  } change_t;

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
  function automatic logic holds(input mem_pkg::req_t req, input piece_t p);
    return Pieces == 1 || piece_t'({req.offset, 1'b0} >> $clog2(2 * PieceBytes)) == p;
  endfunction

  function automatic change_t change(input mem_pkg::req_t req, input piece_t p, input seen_t seen);
    change_t     c;
    logic        atomic, upper;
    logic [PieceBits-1:0] data;
    logic [Pieces-1:0][PieceBits-1:0]  pieces;
    logic [Pieces-1:0][PieceBytes-1:0] masks;
    atomic = req.kind == mem_pkg::ReqAtomic;
    upper = !req.wide && req.offset[2];
    c = '0;
    c.seen = seen;
    c.atomic = atomic;
    pieces = req.data;
    masks = req.mask;
    data = atomic ? pieces[0] : pieces[p];
    c.data = data;
    if (req.kind == mem_pkg::ReqWrite) c.bytes = masks[p];
    if (atomic) begin
      c.op = req.atom_op;
      c.sign = req.atom_sign;
      c.wide = req.wide;
      c.high = req.offset[2];
      c.word = word_of(req.offset);
      c.data = {Words{req.wide ? data[63:32] : data[31:0], upper ? 32'd0 : data[31:0]}};
      c.other = {req.wide ? req.data[127:96] : req.data[95:64], req.data[95:64]};
      for (int unsigned w = 0; w < PieceBytes / 4; w++)
        c.bytes[4*w+:4] = {4{holds(req, p) && 2'(w >> 1) == c.word && (req.wide || w[0] == req.offset[2])}};
    end
    return c;
  endfunction

  function automatic logic [63:0] word_in(input logic [PieceBits-1:0] data, input logic [1:0] word);
    logic [Words-1:0][63:0] words;
    words = data;
    return Words > 1 ? words[word[(Words > 1 ? $clog2(Words) : 1)-1:0]] : words[0];
  endfunction

  function automatic l2_pkg::atomic_t first_step(input change_t c);
    return l2_pkg::atomic_first(c.op, c.sign, c.wide, c.high, word_in(c.seen.data, c.word), c.data[63:0]);
  endfunction

  function automatic dirty_piece_t last_step(input change_t c, input l2_pkg::atomic_t a);
    dirty_piece_t         left;
    logic [PieceBits-1:0] data;
    data = c.data;
    if (c.atomic) data = {Words{l2_pkg::atomic_last(c.op, a, word_in(c.seen.data, c.word), c.other)}};
    left.data = l2_pkg::merge(c.seen.data, data, c.bytes);
    left.mask = c.seen.mask | c.bytes;
    return left;
  endfunction

  // ---- perform -------------------------------------------------------------------------------------
  logic        sees, answers, writes;
  seen_t       seen;
  change_t     now, ends;       // in the cycle after it was read; in the cycle of its write
  l2_pkg::atomic_t first;
  logic [63:0] old;             // atomic: the word
  logic [BankW-1:0] seen_bank;
  assign seen_bank = (Banks > 1) ? BankW'(op_q.sector) : '0;
  assign answers = valid_q && !op_q.evict;
  assign sees = answers && !op_q.error;
  assign writes = sees && (op_q.fill || request_q.req.kind != mem_pkg::ReqRead);
  always_comb begin
    seen = '0;
    old = '0;
    if (sees) begin
      seen = see(forward_q ? last_q : read[seen_bank], op_q.dirty[op_q.sector], op_q.fill, fill_data_i);
      if (request_q.req.kind == mem_pkg::ReqAtomic) begin
        old = word_in(seen.data, word_of(request_q.req.offset));
        if (!request_q.req.wide) old = {32'd0, request_q.req.offset[2] ? old[63:32] : old[31:0]};
      end
    end
  end
  always_comb begin
    now = '0;
    if (writes) now = change(request_q.req, at_q, seen);
  end
  always_comb begin
    written = '0;
    if (write) written = last_step(ends, first);
  end

  if (l2_pkg::Narrow) begin : g_steps
    logic                 writes_q, writes_qq;
    logic [RowW-1:0]      row_q, row_qq;
    change_t              now_q, now_qq;
    l2_pkg::atomic_t      first_q;
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
        first_q <= first_step(now_q);
      end
    end
    assign write = writes_qq;
    assign write_row = row_qq;
    assign write_bank = '0;
    assign ends = now_qq;
    assign first = first_q;
    assign busy_o = valid_q || writes_q || writes_qq || rsp_valid_o;
  end else begin : g_at_once
    assign write = writes;
    assign write_row = row_of(op_q, at_q);
    assign write_bank = seen_bank;
    assign ends = now;
    always_comb begin
      first = '0;
      if (now.atomic) first = first_step(now);
    end
    assign busy_o = valid_q || rsp_valid_o;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= reads;
    if (reads) at_q <= piece;
    if (!l2_pkg::Narrow && write) last_q <= written;
    if (op_valid_i) begin
      op_q <= op_i;
      forward_q <= !l2_pkg::Narrow && write && write_row == row && write_bank == bank;
    end
    rsp_valid_o <= answers && at_q == piece_t'(Pieces - 1);
    trace_o.valid <= sees && at_q == piece_t'(Pieces - 1);
    if (answers) begin
      rsp_client_o <= request_q.client;
      rsp_o.kind <= request_q.req.kind;
      rsp_o.id <= request_q.req.id;
      rsp_o.error <= op_q.error;
      if (request_q.req.kind == mem_pkg::ReqAtomic) begin
        if (holds(request_q.req, at_q)) rsp_o.data[PieceBits-1:0] <= PieceBits'(old);
      end else for (int unsigned p = 0; p < Pieces; p++) if (Pieces == 1 || at_q == piece_t'(p)) rsp_o.data[PieceBits*p+:PieceBits] <= seen.data;
      trace_o.client <= 8'(request_q.client);
      trace_o.req <= request_q.req;
      if (holds(request_q.req, at_q)) trace_o.old <= old;
      for (int unsigned p = 0; p < Pieces; p++) if (Pieces == 1 || at_q == piece_t'(p)) trace_o.data[PieceBits*p+:PieceBits] <= seen.data;
    end
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rsp_valid_o <= 1'b0;
      trace_o.valid <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_evict: assert (l2_pkg::Narrow || !(op_valid_i && op_i.evict && writes && op_q.place == op_i.place))
        else $error("l2_data: a line is evicted while it is written");
      a_apart: assert (!(op_valid_i && reads_on)) else $error("l2_data: operations too close");
    end
  end

endmodule
