// SPDX-License-Identifier: Apache-2.0
// Brings the data of a store from lanes to memory's order: the words that a pass reaches, with byte enables,
// which are a line of device memory (a sector where slices are short) or a row of the banks; of each sector the piece
// that the data stage is at. Where lanes of a pass meet in a byte the lowest lane wins.
//
//   STS.U8 by lanes 0..3 to bytes 0..3 of word 7: word 7 = {d3, d2, d1, d0}, bytes 1111
//
// An atomic sends its operands as they are: word 0, 1 = b, words 2, 3 = c. Where the banks have ALUs an atomic on shared memory
// has b of each lane at its bank, and c in `others_o`; where a pass has lanes of a sector's words an atomic on device memory has b of
// each at its place, and c at the same place of the sector's other half.
//
// Rows that move whole are scattered as the pass goes, at once. Where they move in slices, the pass is kept and each
// piece is scattered when the data stage is there: multiplexers for a piece only, and the data stay where they wait
// (lsu_slices), read as the pass goes.
module lsu_scatter (
  input  logic                     clk_i,
  input  logic                     en_i,       // the pass goes
  input  lsu_pkg::class_e          cls_i,
  input  logic                     shared_i,
  input  logic [2:0]               size_i,
  input  sm_pkg::slice_t           slice_i,
  input  sm_pkg::lanes_t           lanes_i,
  input  lsu_pkg::offsets_t        offset_i,
  input  sm_pkg::row_t [3:0]       data_i,     // rows in slices: from the next cycle on
  input  lsu_pkg::join_t           join_i,     // banks with ALUs: lanes of the next instruction, in banks that no lane of this one has
  input  logic                     show_i,     // a store or atomic is in the data stage
  input  mem_pkg::piece_t          piece_i,    // at this piece
  output lsu_pkg::piece_words_t    words_o,
  output lsu_pkg::piece_bytes_t    bytes_o,
  output lsu_pkg::words_t          others_o,
  output logic [4:0]               lane_o,     // atomic: whose operands
  output logic [lsu_pkg::OffsetW-1:0] offset_o // atomic: byte in what the pass reaches
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  localparam int unsigned LaneW = lsu_pkg::LaneW;
  localparam int unsigned Words = lsu_pkg::Words;
  localparam int unsigned WordW = lsu_pkg::WordW;

  typedef struct packed {
    logic             valid;
    logic [LaneW-1:0] lane;
  } writer_t;
  typedef writer_t [Words-1:0] writers_t;  // who writes a word, or a byte of it: the lowest lane

  function automatic writers_t writers(input sm_pkg::lanes_t lanes, input lsu_pkg::offsets_t offset);
    writers_t w;
    w = '0;
    for (int unsigned n = Lanes; n > 0; n--)  // the lowest comes last and stays
      if (lanes[n-1]) w[offset[n-1][2+:WordW]] = {1'b1, LaneW'(n - 1)};
    return w;
  endfunction

  // 64 and 128 bits: the words that follow a lane's first one have the same writer. Of 128 bits the first one is the third of
  // four where the halves lie the other way round.
  function automatic writers_t spread(input writers_t first, input logic [2:0] words, input logic turned);
    writers_t w;
    for (int unsigned n = 0; n < Words; n++)
      w[n] = words[2] ? turned ? first[n/4*4+2] : first[n/4*4] : words[1] ? first[n/2*2] : first[n];
    return w;
  endfunction

  // Lanes of a pass lie in one line, where all or none are so.
  function automatic logic is_turned(input logic [2:0] size, input logic atomic, input logic [7:0] offset);
    return size == 3'(isa_pkg::MemSizeB128) && !atomic && offset[3];
  endfunction

  // 8 and 16 bits: lanes that write byte `place` of a word.
  function automatic sm_pkg::lanes_t at_byte(input logic [1:0] place, input logic half, input sm_pkg::lanes_t lanes,
                                             input lsu_pkg::offsets_t offset);
    sm_pkg::lanes_t at;
    for (int unsigned lane = 0; lane < Lanes; lane++)
      at[lane] = lanes[lane] && offset[lane][1] == place[1] && (half || offset[lane][0] == place[0]);
    return at;
  endfunction

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;

  always_ff @(posedge clk_i) begin
    if (en_i) begin : whose
      automatic logic [LaneW-1:0] lane0 = LaneW'(prim_pkg::first32(32'(lanes_i)));
      lane_o <= 5'({slice_i, lane0});
      offset_o <= offset_i[lane0][lsu_pkg::OffsetW-1:0];
    end
  end

  if (sm_pkg::RowSlices == 1) begin : g_whole
    lsu_pkg::words_t words_q, others_q;
    lsu_pkg::bytes_t bytes_q;
    assign others_o = lsu_pkg::BankAtomics ? others_q : '0;
    for (genvar s = 0; s < int'(lsu_pkg::PassSectors); s++) begin : g_piece
      assign words_o[s*int'(PieceWords)+:PieceWords] = words_q[lsu_pkg::word_of(s, piece_i)+:PieceWords];
      assign bytes_o[s*int'(PieceWords)+:PieceWords] = bytes_q[lsu_pkg::word_of(s, piece_i)+:PieceWords];
    end
    logic unused;
    assign unused = show_i;

    always_ff @(posedge clk_i) begin
      if (en_i) begin : scatter
        automatic logic [LaneW-1:0] lane0 = LaneW'(prim_pkg::first32(32'(lanes_i)));
        automatic logic             at_banks = lsu_pkg::BankAtomics && shared_i && cls_i == lsu_pkg::ClassAtomic;
        automatic logic             in_place = lsu_pkg::SectorAtomics && !shared_i && cls_i == lsu_pkg::ClassAtomic;
        automatic logic             atomic = cls_i == lsu_pkg::ClassAtomic && !at_banks && !in_place;
        automatic logic [2:0]       words = atomic ? 3'd4 : lsu_pkg::size_words(size_i);
        automatic logic             turned = is_turned(size_i, atomic, offset_i[lane0]);
        automatic sm_pkg::row_t [3:0] row;  // what words 0 to 3 of four take from each lane
        automatic writers_t         writer;
        row[0] = data_i[0];
        if (!size_i[2] && !atomic) begin
          for (int unsigned lane = 0; lane < Lanes; lane++)
            row[0][lane] = size_i[1] ? {2{data_i[0][lane][15:0]}} : {4{data_i[0][lane][7:0]}};
        end
        row[1] = words[0] ? row[0] : data_i[1];
        row[2] = words[2] ? data_i[2] : row[0];
        row[3] = words[2] ? data_i[3] : row[1];
        if (turned) row = {row[1], row[0], row[3], row[2]};
        writer = spread(writers(lanes_i, offset_i), words, turned);
        if (atomic) for (int unsigned n = 0; n < 4; n++) writer[n].lane = lane0;
        // Rows that move whole have words apart from bytes: less to do in simulation, more to build.
        if (size_i[2] || atomic) begin
          for (int unsigned n = 0; n < Words; n++) begin
            words_q[n] <= row[n%4][writer[n].lane];
            bytes_q[n] <= {4{writer[n].valid}};
          end
          if (in_place)
            for (int unsigned n = 0; n < Words; n++)
              if (!writer[n].valid) words_q[n] <= data_i[words[1] && n % 2 == 1 ? 3 : 2][writer[n^4].lane];
          if (at_banks)
            for (int unsigned n = 0; n < Words; n++) others_q[n] <= data_i[words[1] && n % 2 == 1 ? 3 : 2][writer[n].lane];
          if (lsu_pkg::BankAtomics && join_i.lanes != '0) begin
            writer = writers(join_i.lanes, join_i.offset);
            for (int unsigned n = 0; n < Words; n++) if (writer[n].valid) words_q[n] <= join_i.data[writer[n].lane];
          end
        end else begin
          for (int unsigned b = 0; b < 4; b++) begin
            if (!size_i[2] && !atomic) writer = writers(at_byte(2'(b), size_i[1], lanes_i, offset_i), offset_i);
            for (int unsigned n = 0; n < Words; n++) begin
              words_q[n][8*b+:8] <= row[n%4][writer[n].lane][8*b+:8];
              bytes_q[n][b] <= writer[n].valid;
            end
          end
        end
      end
    end
  end else begin : g_slices
    logic unused;
    assign unused = ^{shared_i, join_i};
    assign others_o = '0;
    logic              atomic_q;
    logic [2:0]        size_q;
    sm_pkg::lanes_t    lanes_q;
    lsu_pkg::offsets_t offset_q;
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        atomic_q <= cls_i == lsu_pkg::ClassAtomic;
        size_q <= size_i;
        lanes_q <= lanes_i;
        offset_q <= offset_i;
      end
    end

    always_comb begin : scatter
      automatic logic [2:0]       words = atomic_q ? 3'd4 : lsu_pkg::size_words(size_q);
      automatic logic [1:0]       low = 2'(words - 3'd1);  // of a word's number: which of a lane's
      automatic logic             turned = is_turned(size_q, atomic_q, offset_q[LaneW'(prim_pkg::first32(32'(lanes_q)))]);
      automatic sm_pkg::row_t     first, row;
      automatic logic [WordW-1:0] word;
      automatic logic [LaneW-1:0] writer;
      words_o = '0;
      bytes_o = '0;
      if (show_i) begin
        first = data_i[0];
        if (!size_q[2]) begin
          for (int unsigned lane = 0; lane < Lanes; lane++)
            first[lane] = size_q[1] ? {2{data_i[0][lane][15:0]}} : {4{data_i[0][lane][7:0]}};
        end
        for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) begin
          for (int unsigned n = 0; n < PieceWords; n++) begin
            word = lsu_pkg::word_of(s, piece_i) | WordW'(n);
            case (low & (word[1:0] ^ {turned, 1'b0}))
              2'd0:    row = first;
              2'd1:    row = data_i[1];
              2'd2:    row = data_i[2];
              default: row = data_i[3];
            endcase
            for (int unsigned b = 0; b < 4; b++) begin
              writer = '0;
              for (int unsigned l = Lanes; l > 0; l--) begin
                if (lanes_q[l-1] && (atomic_q || ((offset_q[l-1][2+:WordW] & ~WordW'({turned, 1'b0})) == (word & ~WordW'(low)) &&
                                                  (size_q[2] || offset_q[l-1][1] == b[1]) &&
                                                  (size_q[2] || size_q[1] || offset_q[l-1][0] == b[0])))) begin
                  writer = LaneW'(l - 1);
                  bytes_o[s*PieceWords+n][b] = 1'b1;
                end
              end
              words_o[s*PieceWords+n][8*b+:8] = row[writer][8*b+:8];
            end
          end
        end
      end
    end
  end

endmodule
