// SPDX-License-Identifier: Apache-2.0
// Data stage of the pipe of shared memory: takes passes in order, reads and writes the banks. What happens here happens in
// order, and here the trace events are made.
//
//   load:    the banks are read, and a cycle later the row of banks is shown to the gather stage
//   store:   its words are written
//   atomic:  its words are read, changed and written: of integers, where the banks have ALUs, while the next pass reads
//            (bank_atomics), else before anything else happens (shared_atomic)
//   with four pieces a sector: loads and stores take those of `pieces_i`, one a cycle
module lsu_shared (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          idle_o,        // nothing is here, and nothing of it at the gather stage

  input  logic                          pass_valid_i,
  output logic                          pass_ready_o,
  input  lsu_pkg::pass_t                pass_i,
  input  lsu_pkg::banks_t               bank_used_i,
  input  lsu_pkg::bank_rows_t           bank_row_i,

  // Of the pass that is here.
  output logic                          stores_o,      // it is a store or an atomic: lsu_scatter's are its
  output logic                          valid_o,       // there is one
  output mem_pkg::piece_t               piece_o,
  input  lsu_pkg::piece_words_t         words_i,       // store, atomic: this piece, from lsu_scatter
  input  lsu_pkg::piece_bytes_t         bytes_i,
  input  lsu_pkg::words_t               others_i,      // atomic at the banks: new values of a cas
  input  logic [lsu_pkg::OffsetW-1:0]   atom_offset_i,
  input  lsu_pkg::pieces_t              pieces_i,      // with words of its lanes

  output logic                          end_valid_o,   // the instruction has gone through
  output logic [lsu_pkg::EntryW-1:0]    end_entry_o,

  output logic                          gather_valid_o,
  output lsu_pkg::gather_t              gather_o,
  output lsu_pkg::piece_words_t         gather_line_o,
  input  logic                          gather_done_i, // what is shown there is gathered

  output trace_pkg::shared_t            trace_shared_o
);

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;

  // What of a pass matters here.
  typedef struct packed {
    lsu_pkg::op_t   op;
    logic           last;
    sm_pkg::slice_t slice;
    sm_pkg::lanes_t lanes;
    sm_pkg::lanes_t told;
  } pass_t;
  pass_t               pass_q;
  lsu_pkg::banks_t     used_q;
  lsu_pkg::bank_rows_t row_q;
  logic                valid_q, fire;
  assign fire = pass_valid_i && pass_ready_o;
  assign valid_o = valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= fire || (valid_q && !pass_ready_o);
    if (fire) begin
      pass_q <= '{op: pass_i.op, last: pass_i.last, slice: pass_i.slice, lanes: pass_i.lanes, told: pass_i.told};
      used_q <= bank_used_i;
      row_q <= bank_row_i;
    end
  end

  logic store, atomic, at_banks, alone, atomic_read, atomic_ready, changes;
  logic compares;  // a cas at the banks, of which this turn brings the words to compare, the next one the new ones
  assign store = pass_q.op.cls == lsu_pkg::ClassStore;
  assign atomic = pass_q.op.cls == lsu_pkg::ClassAtomic;
  assign at_banks = lsu_pkg::BankAtomics && atomic && !atomic_pkg::is_float(pass_q.op.atom_type);
  assign alone = atomic && !at_banks;
  assign stores_o = valid_q && (store || atomic);

  // Pieces of the row of banks that the pass needs, one after the other.
  mem_pkg::piece_t piece, operand_piece;
  logic            live, first_piece, final_piece;
  if (mem_pkg::Pieces == 1) begin : g_whole
    assign piece = '0;
    assign first_piece = 1'b1;
    assign final_piece = 1'b1;
    logic unused;
    assign unused = ^pieces_i;
  end else begin : g_pieces
    lsu_pkg::pieces_t done_q, left, piece_now;
    assign left = pieces_i & ~done_q;
    assign piece_now = left & (~left + 1'b1);
    assign piece = mem_pkg::piece_t'(prim_pkg::index32(32'(piece_now)));
    assign first_piece = done_q == '0;
    assign final_piece = left == piece_now;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) done_q <= '0;
      else if (live) done_q <= final_piece ? '0 : done_q | piece_now;
    end
  end
  assign piece_o = alone ? operand_piece : piece;

  // What is to be gathered waits until the gather stage has done with what it has.
  logic gathers, gather_holds;
  assign gathers = !store && !pass_q.op.reduces;
  assign gather_holds = gather_valid_o && !gather_done_i;
  // What stands in the banks' read registers is shown to it; and they have one port to write.
  assign live = valid_q && !(!store && gather_holds) && !(alone && !atomic_ready) && !(store && changes) && !compares;
  assign pass_ready_o = !valid_q || (live && final_piece);
  assign idle_o = !valid_q && !gather_valid_o;
  if (lsu_pkg::BankAtomics) begin : g_turns
    logic compared_q;
    assign compares = at_banks && pass_q.op.atom_op == 4'(isa_pkg::AtomOpCas) && !compared_q;
    always_ff @(posedge clk_i) compared_q <= rst_ni && valid_q && (compares || compared_q) && !pass_ready_o;
  end else begin : g_turn
    assign compares = 1'b0;
  end

  lsu_pkg::words_t banks, atomic_values;
  logic [63:0]     atomic_value;
  assign atomic_values = {lsu_pkg::Words/2{atomic_value}};
  shared_atomic u_shared_atomic (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .valid_i    (valid_q && alone && !gather_holds && !changes),
    .done_i     (pass_ready_o),
    .size_i     (pass_q.op.size),
    .op_i       (pass_q.op.atom_op),
    .type_i     (pass_q.op.atom_type),
    .offset_i   (atom_offset_i),
    .piece_o    (operand_piece),
    .operands_i (words_i),
    .read_o     (atomic_read),
    .data_i     (banks),
    .ready_o    (atomic_ready),
    .value_o    (atomic_value)
  );

  logic                read;
  lsu_pkg::words_t     found, written;
  lsu_pkg::banks_t     change_used;
  lsu_pkg::bank_rows_t change_row;
  assign read = atomic_read || (live && (at_banks || (!atomic && !store && first_piece)));
  if (lsu_pkg::BankAtomics) begin : g_at_banks
    lsu_pkg::words_t     value;
    lsu_pkg::banks_t     used;
    lsu_pkg::bank_rows_t row;
    bank_atomics u_bank_atomics (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .go_i       (live && at_banks),
      .read_i     (read),
      .used_i     (used_q),
      .row_i      (row_q),
      .size_i     (pass_q.op.size),
      .op_i       (pass_q.op.atom_op),
      .type_i     (pass_q.op.atom_type),
      .operands_i (words_i),
      .others_i   (others_i),
      .data_i     (banks),
      .found_o    (found),
      .write_o    (changes),
      .used_o     (used),
      .row_o      (row),
      .value_o    (value)
    );
    assign change_used = changes ? used : used_q;
    assign change_row = changes ? row : row_q;
    assign written = changes ? value : atomic_values;
  end else begin : g_alone
    logic unused;
    assign unused = ^others_i;
    assign changes = 1'b0;
    assign found = banks;
    assign change_used = used_q;
    assign change_row = row_q;
    assign written = atomic_values;
  end

  shared_memory u_shared_memory (
    .clk_i        (clk_i),
    .read_i       (read),
    .used_i       (used_q),
    .row_i        (row_q),
    .write_i      (changes || (live && (store || alone))),
    .write_used_i (change_used),
    .write_row_i  (change_row),
    .piece_i      (piece),
    .data_i       (words_i),
    .bytes_i      (bytes_i),
    .atomic_i     (changes || alone),
    .value_i      (written),
    .data_o       (banks)
  );
  for (genvar s = 0; s < int'(lsu_pkg::PassSectors); s++) begin : g_shown
    assign gather_line_o[s*int'(PieceWords)+:PieceWords] = found[lsu_pkg::word_of(s, gather_o.piece)+:PieceWords];
  end

  always_ff @(posedge clk_i) begin
    gather_valid_o <= (live && gathers) || gather_holds;
    end_valid_o <= live && final_piece && pass_q.last;
    trace_shared_o.valid <= live && final_piece;
    if (live) begin
      end_entry_o <= pass_q.op.entry;
      if (gathers)
        gather_o <= '{entry: pass_q.op.entry, slice: pass_q.slice, size: pass_q.op.size, matrix: pass_q.op.matrix,
                      lanes: pass_q.lanes, at_zero: 1'b0, piece: piece, last: final_piece};
      trace_shared_o.stores <= store || atomic;
      trace_shared_o.warp <= pass_q.op.warp;
      trace_shared_o.seq <= pass_q.op.seq;
      trace_shared_o.lanes <= sm_pkg::mask_of(pass_q.told, pass_q.slice);
    end
    if (!rst_ni) begin
      gather_valid_o <= 1'b0;
      end_valid_o <= 1'b0;
      trace_shared_o <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_shared: assert (!fire || (pass_i.shared && pass_i.lanes != '0)) else $error("lsu_shared: no lane in shared memory");
    end
  end

endmodule
