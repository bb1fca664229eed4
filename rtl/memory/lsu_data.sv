// SPDX-License-Identifier: Apache-2.0
// Data stage of the pipe of device memory: reads and writes the L1's data, and asks L2. What happens here happens in order, and
// here the trace events are made.
//
//   load, half of the line in the L1:  reads the line and asks for sectors 2 and 3, in one cycle
//   store of a line that is there:     sends its sectors and updates them, in one cycle
//   with four pieces a sector:         loads take those of `pieces_i`, one a cycle; a fill takes
//                                      four cycles, the store of a sector, too
module lsu_data (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          op_valid_i,
  output logic                          op_ready_o,
  input  lsu_pkg::data_op_t             op_i,
  output mem_pkg::piece_t               piece_o,
  input  lsu_pkg::piece_words_t         words_i,       // store, atomic: this piece, from lsu_scatter
  input  lsu_pkg::piece_bytes_t         bytes_i,
  input  logic [4:0]                    atom_lane_i,
  input  logic [lsu_pkg::OffsetW-1:0]   atom_offset_i,
  input  lsu_pkg::pieces_t              pieces_i,      // load: with words of its lanes
  input  logic                          fill_valid_i,  // a beat of the answers
  input  lsu_pkg::piece_words_t         fill_data_i,
  input  lsu_pkg::atomic_value_t        fill_value_i,  // of an atomic
  output logic                          fill_take_o,
  output logic                          fill_last_o,   // with it: the last of them

  output logic                          req_valid_o,   // to lsu_requests, which has room
  output lsu_pkg::line_req_t            req_o,
  output lsu_pkg::line_data_t           req_data_o,
  output logic [2:0]                    store_sent_o,  // sectors that are acknowledged, with the last of their pieces

  output logic                          end_valid_o,   // the instruction has gone through
  output logic [lsu_pkg::EntryW-1:0]    end_entry_o,

  output logic                          gather_valid_o,
  output lsu_pkg::gather_t              gather_o,
  output lsu_pkg::piece_words_t         gather_line_o,
  input  logic                          gather_done_i,     // what is shown there is gathered

  output trace_pkg::load_t              trace_load_o,
  output trace_pkg::l1_t                trace_l1_o
);

  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned PieceWords = lsu_pkg::PieceWords;

  // Sectors for L2: together, or in pieces one after the other.
  lsu_pkg::sectors_t sent_q, todo, now;
  logic final_sector, final_now, first_now, store, fill, load, beats;
  assign todo = lsu_pkg::reached(op_i.send, op_i.sector) & ~sent_q;
  assign now = Pieces > 1 && beats ? todo & (~todo + 1'b1) : todo;
  assign final_sector = todo == now;
  assign store = op_i.kind == lsu_pkg::DataStore;
  assign fill = op_i.kind == lsu_pkg::DataFill;
  assign load = op_i.kind == lsu_pkg::DataLoad;
  assign beats = store || op_i.kind == lsu_pkg::DataAtomic;  // a sector's request has them

  logic reads, gathers, gather_holds, stall, live;
  assign reads = op_i.lanes != '0 && (fill || load);

  // Pieces: of the sector that is stored now, of what is read, of an answer, of an atomic's operands.
  mem_pkg::piece_t piece;
  logic            any_piece, final_piece;
  if (Pieces == 1) begin : g_whole
    assign piece = '0;
    assign any_piece = first_now;
    assign final_piece = 1'b1;
    assign first_now = sent_q == '0;
    logic unused;
    assign unused = ^pieces_i;
  end else begin : g_pieces
    lsu_pkg::pieces_t want, done_q, left, piece_now;
    always_comb begin
      case (op_i.kind)
        lsu_pkg::DataStore:  want = '1;
        lsu_pkg::DataAtomic: want = lsu_pkg::pieces_t'((1 << mem_pkg::AtomicBeats) - 1);
        lsu_pkg::DataFill:   want = op_i.atomic ? lsu_pkg::pieces_t'(1) : '1;
        lsu_pkg::DataLoad:   want = op_i.lanes != '0 ? pieces_i : '0;
        default:             want = '0;
      endcase
    end
    assign left = want & ~done_q;
    assign piece_now = left & (~left + 1'b1);
    assign piece = mem_pkg::piece_t'(prim_pkg::index32(32'(piece_now)));
    assign any_piece = left != '0;
    assign final_piece = left == piece_now;
    assign first_now = sent_q == '0 && done_q == '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) done_q <= '0;
      else if (live) done_q <= final_now || (beats && final_piece) ? '0 : done_q | piece_now;
    end
  end
  assign final_now = final_sector && final_piece;

  // What is to be gathered waits until the gather stage has done with what it has.
  assign gathers = any_piece && reads;
  assign gather_holds = gather_valid_o && !gather_done_i;
  assign stall = (gathers && gather_holds) || (fill && !fill_valid_i);
  assign live = op_valid_i && !stall;
  assign op_ready_o = !op_valid_i || (final_now && !stall);
  assign fill_take_o = live && fill;
  assign fill_last_o = final_piece;

  assign piece_o = piece;

  logic               sends, acked;
  lsu_pkg::line_req_t  req;
  lsu_pkg::line_data_t req_data;
  assign sends = live && todo != '0;
  assign req_valid_o = sends;
  assign req_o = req;
  assign req_data_o = req_data;
  assign acked = store || (op_i.kind == lsu_pkg::DataAtomic && op_i.op.reduces);
  assign store_sent_o = sends && acked && final_piece ? 3'(prim_pkg::popcount32(32'(now))) : '0;
  logic             wide, here;   // an atomic on words of 64 bits; its word is this
  logic [3:0][31:0] operands;     // as they are
  assign wide = op_i.op.size == 3'(isa_pkg::MemSizeB64);
  assign operands = 128'(words_i);
  always_comb begin
    req = '0;
    here = 1'b0;
    // Nobody looks at what a read carries.
    req_data = 'x;
    if (sends) begin
      req.line = op_i.line;
      req.sector = op_i.sector & ~2'(lsu_pkg::PassSectors - 1);
      req.sectors = now;
      req.warp = op_i.op.warp;
      req.seq = op_i.op.seq;
      req.last = 1'b1;
      case (op_i.kind)
        lsu_pkg::DataStore: begin
          req.kind = mem_pkg::ReqWrite;
          req.id = mem_pkg::IdW'(op_i.op.warp);
          req.piece = piece;
          req.last = final_piece;
          req.joins = lsu_pkg::Combines && !op_i.op.bypass;
          req_data.mask = bytes_i;
          req_data.data = words_i;
        end
        lsu_pkg::DataAtomic: begin
          req.kind = op_i.op.reduces ? mem_pkg::ReqReduce : mem_pkg::ReqAtomic;
          req.id = op_i.op.reduces ? mem_pkg::IdW'(op_i.op.warp) : mem_pkg::IdW'({op_i.which, atom_lane_i});
          req.piece = piece;
          req.last = final_piece;
          req_data = '0;
          if (lsu_pkg::SectorAtomics) begin
            req_data = '{mask: bytes_i, data: words_i};
          end else begin
            for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) begin
              for (int unsigned n = 0; n < PieceWords; n++) begin
                if (mem_pkg::SectorAtomics) begin
                  // The lane's operand at its word's place, what else it brings in the other half.
                  here = 2'(n >> 1) == atom_offset_i[4:3];
                  req_data.data[s*PieceWords+n] = operands[{!here, wide && n % 2 == 1}];
                  req_data.mask[s*PieceWords+n] = {4{here && (wide || n % 2 == 32'(atom_offset_i[2]))}};
                end else if (n < 4 && (n % 2 == 0 || wide)) req_data.data[s*PieceWords+n] = words_i[n];
              end
            end
          end
          req.offset = atom_offset_i[4:0];
          req.wide = wide;
          req.atom_op = op_i.op.atom_op;
          req.atom_type = op_i.op.atom_type;
          req.lane = atom_lane_i;
          req.several = (op_i.lanes & (op_i.lanes - 1'b1)) != '0;
        end
        default: begin
          req.kind = mem_pkg::ReqRead;
          req.id = mem_pkg::IdW'({op_i.mshr, 2'd0});
        end
      endcase
    end
  end

  lsu_pkg::piece_words_t l1_piece;
  lsu_pkg::sectors_t l1_write;
  assign l1_write = live && ((fill && op_i.install) || store) ?
                    lsu_pkg::reached(op_i.update, op_i.sector) & (fill ? '1 : now) : '0;
  l1_data u_l1_data (
    .clk_i    (clk_i),
    .read_i   (live && load && gathers),
    .write_i  (l1_write),
    .place_i  (op_i.place),
    .bank_line_i (op_i.bank_line),
    .sector_i (op_i.sector),
    .piece_i  (piece),
    .fill_i   (fill),
    .filled_i (fill_data_i),
    .mask_i   (bytes_i),
    .data_i   (words_i),
    .data_o   (l1_piece)
  );

  logic                  from_l1_q;
  lsu_pkg::piece_words_t fill_q;
  assign gather_line_o = from_l1_q ? l1_piece : fill_q;

  always_ff @(posedge clk_i) begin
    gather_valid_o <= (live && gathers) || gather_holds;
    end_valid_o <= live && final_now && op_i.last;
    if (live) begin
      sent_q <= final_now ? '0 : beats && !final_piece ? sent_q : sent_q | now;
      end_entry_o <= op_i.op.entry;
      if (gathers) begin
        gather_o <= '{entry: op_i.op.entry, slice: op_i.slice, size: op_i.op.size, matrix: '0, lanes: op_i.lanes,
                      at_zero: !mem_pkg::SectorAtomics && fill && op_i.atomic, piece: piece, last: final_piece};
        from_l1_q <= load;
        // A sector stands at each place where it may be looked for.
        if (fill && op_i.atomic && mem_pkg::SectorAtomics) fill_q <= {lsu_pkg::PassSectors{fill_value_i}};
        else if (fill && op_i.atomic) fill_q[1:0] <= fill_value_i[63:0];
        else if (fill) fill_q <= fill_data_i;
      end
    end
    if (!rst_ni) begin
      gather_valid_o <= 1'b0;
      end_valid_o <= 1'b0;
      sent_q <= '0;
    end
  end

  // ---- trace: whole sectors, with their last piece -------------------------------------------------
  logic [lsu_pkg::PassSectors-1:0][mem_pkg::SectorW-1:0]     stored, filled;
  logic [lsu_pkg::PassSectors-1:0][mem_pkg::SectorBytes-1:0] mask;
  if (Pieces == 1) begin : g_traced
    assign stored = words_i;
    assign filled = fill_data_i;
    assign mask = bytes_i;
  end else begin : g_join
    logic [lsu_pkg::PassSectors-1:0][mem_pkg::SectorW-mem_pkg::PieceBits-1:0]      data_q;
    logic [lsu_pkg::PassSectors-1:0][mem_pkg::SectorBytes-mem_pkg::PieceBytes-1:0] mask_q;
    for (genvar s = 0; s < int'(lsu_pkg::PassSectors); s++) begin : g_sector
      assign stored[s] = {words_i[s*int'(PieceWords)+:PieceWords], data_q[s]};
      assign filled[s] = {fill_data_i[s*int'(PieceWords)+:PieceWords], data_q[s]};
      assign mask[s] = {bytes_i[s*int'(PieceWords)+:PieceWords], mask_q[s]};
      always_ff @(posedge clk_i) begin
        if (live && (fill || store)) begin
          data_q[s] <= fill ? filled[s][mem_pkg::SectorW-1:mem_pkg::PieceBits] : stored[s][mem_pkg::SectorW-1:mem_pkg::PieceBits];
          mask_q[s] <= mask[s][mem_pkg::SectorBytes-1:mem_pkg::PieceBytes];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    trace_load_o.valid <= live && gathers && final_piece && !(fill && op_i.atomic);
    trace_l1_o.valid <= 1'b0;
    if (live) begin
      trace_load_o.source <= load ? trace_pkg::LoadL1 : trace_pkg::LoadFill;
      trace_load_o.id <= mem_pkg::IdW'({op_i.mshr, 2'd0});
      trace_load_o.warp <= op_i.op.warp;
      trace_load_o.seq <= op_i.op.seq;
      trace_load_o.lanes <= sm_pkg::mask_of(op_i.lanes, op_i.slice);
      if (op_i.invalidate_all) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1InvalidateAll;
      end else if (op_i.evict && first_now) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1Evict;
        trace_l1_o.line <= op_i.evict_line;
      end else if (fill && op_i.fill_event && final_piece) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1Fill;
        trace_l1_o.installed <= op_i.install;
        trace_l1_o.id <= mem_pkg::IdW'({op_i.mshr, 2'd0});
        trace_l1_o.line <= op_i.line;
        trace_l1_o.sectors <= op_i.update;
        trace_l1_o.data <= {lsu_pkg::LineParts{filled}};
      end else if (store && l1_write != '0 && final_piece) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1Write;
        trace_l1_o.line <= op_i.line;
        trace_l1_o.sectors <= {lsu_pkg::LineParts{l1_write}} & op_i.send;
        trace_l1_o.mask <= {lsu_pkg::LineParts{mask}};
        trace_l1_o.data <= {lsu_pkg::LineParts{stored}};
      end
    end
    if (!rst_ni) begin
      trace_load_o <= '0;
      trace_l1_o <= '0;
    end
  end

endmodule
