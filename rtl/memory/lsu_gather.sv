// SPDX-License-Identifier: Apache-2.0
// Last stage of the pipes of shared and device memory: picks each lane's bytes out of a line (or a row of the banks), of which it
// gets a piece at a time (mem_pkg), extends them and collects them in the register rows of the instruction. Holds the rows of the
// instructions in flight whose entry is of its bank, a place for each slice, until the response stage reads them. Both pipes go on
// in one cycle where their instructions lie in different banks; else device memory goes first, then atomics on it, whose old values come
// from where they wait.
//
//   LD.S8, lane 3 at byte 0x21 of the line: row 0, lane 3 = sign-extended byte 1 of word 8
//   LD.128: words w, w ^ 1, w ^ 2, w ^ 3 go to rows 0 .. 3; w is a multiple of four, or, in local memory, two more
//   LDSM, lane 8 i + r: words w .. w+3 go to lanes 4 r .. 4 r + 3 of row i; transposed, each half to a lane of its own
//
// A machine of full width does all of a pass in one cycle. Where rows move in slices there are
// multiplexers for `BeatLanes` lanes and one row: an LD.64 by all of 8 lanes takes four cycles, lanes 0..3 of row 0,
// lanes 4..7 of row 0, then row 1; beats without lanes are left out. By a slice of 4 lanes it takes two. With pieces
// that is so for each of them.
module lsu_gather #(
  parameter bit Bank = 1'b0
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          note_i,         // a slice: note its offsets
  input  lsu_pkg::place_t               note_place_i,
  input  lsu_pkg::offsets_t             note_offset_i,

  // What a data stage shows stands until it is done with.
  input  logic                          device_valid_i,
  input  lsu_pkg::gather_t              device_i,
  input  lsu_pkg::piece_words_t         device_line_i,
  output logic                          device_done_o,
  input  logic                          atomic_valid_i, // an atomic's old values: a sector, which stands for each of a line's
  input  lsu_pkg::gather_t              atomic_i,
  input  lsu_pkg::atomic_value_t        atomic_value_i,
  output logic                          atomic_done_o,
  input  logic                          shared_valid_i,
  input  lsu_pkg::gather_t              shared_i,
  input  lsu_pkg::piece_words_t         shared_line_i,
  output logic                          shared_done_o,
  output logic                          done_o,         // with one of them: whose it is
  output lsu_pkg::gather_t              done_gather_o,

  input  logic                          read_i,         // response stage: row_o from the next cycle on
  input  lsu_pkg::place_t               read_place_i,
  input  logic [1:0]                    read_index_i,
  output sm_pkg::row_t                  row_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  localparam int unsigned WordW = lsu_pkg::WordW;
  typedef logic [WordW-1:0] word_t;  // in the line
  localparam int unsigned PieceWords = lsu_pkg::PieceWords;

  localparam bit          Whole = sm_pkg::RowSlices == 1;
  localparam int unsigned BeatLanes = lsu_pkg::BeatLanes;
  typedef logic [lsu_pkg::Beats-1:0] beats_t;

  lsu_pkg::offsets_t offset_q [lsu_pkg::BankPlaces];
  // By {place, index}. A row is read when all its lanes have come: never in the cycle of a write to it.
  (* ram_style = "block", no_rw_check *) sm_pkg::row_t rows_q [4*lsu_pkg::BankPlaces];

  function automatic logic is_here(input lsu_pkg::place_t place);
    return lsu_pkg::bank_of(place[lsu_pkg::PlaceW-1-:lsu_pkg::EntryW]) == Bank;
  endfunction

  always_ff @(posedge clk_i) begin
    if (read_i && is_here(read_place_i)) row_o <= rows_q[{lsu_pkg::in_bank(read_place_i), read_index_i}];
  end

  // ---- whose turn it is --------------------------------------------------------------------------------
  logic                  device_here, atomic_here, shared_here, valid, done;
  logic                  began_q;  // beats of what shared memory has read: it is done with first
  lsu_pkg::gather_t      shown;
  lsu_pkg::bank_place_t  place;
  assign device_here = device_valid_i && lsu_pkg::bank_of(device_i.entry) == Bank && !began_q;
  assign atomic_here = lsu_pkg::SectorAtomics && atomic_valid_i && lsu_pkg::bank_of(atomic_i.entry) == Bank && !device_here;
  assign shared_here = shared_valid_i && lsu_pkg::bank_of(shared_i.entry) == Bank && !atomic_here;
  assign valid = device_here || atomic_here || shared_here;
  assign shown = device_here ? device_i : atomic_here ? atomic_i : shared_i;
  assign place = lsu_pkg::in_bank(lsu_pkg::place_of(shown.entry, shown.slice));
  assign device_done_o = device_here && done;
  assign atomic_done_o = atomic_here && done;
  assign shared_done_o = shared_here && !device_here && done;
  assign done_o = valid && done;
  assign done_gather_o = shown;

  // Of those lanes the ones whose word `index` lies in the piece.
  function automatic sm_pkg::lanes_t here(input sm_pkg::lanes_t lanes, input lsu_pkg::offsets_t offset, input logic [1:0] index,
                                          input mem_pkg::piece_t piece);
    sm_pkg::lanes_t in;
    in = lanes;
    if (mem_pkg::Pieces > 1) begin
      for (int unsigned lane = 0; lane < Lanes; lane++)
        in[lane] = lanes[lane] && lsu_pkg::piece_of(offset[lane][2+:WordW] ^ word_t'(index)) == piece;
    end
    return in;
  endfunction

  // ---- beats: of one row after the other those that have lanes ----------------------------------------
  sm_pkg::lanes_t lanes;  // in the piece
  beats_t     active, served_q, todo, now;
  logic [1:0] index;
  logic       row_done, last_row;
  always_comb begin
    for (int unsigned beat = 0; beat < lsu_pkg::Beats; beat++) active[beat] = lanes[beat*BeatLanes+:BeatLanes] != '0;
  end
  assign todo = active & ~served_q;
  assign now = todo & (~todo + 1'b1);
  assign row_done = todo == now;
  assign done = Whole || (row_done && last_row);

  if (Whole) begin : g_one_beat
    assign lanes = shown.lanes;
    assign served_q = '0;
    assign index = '0;
    assign last_row = 1'b1;
    assign began_q = 1'b0;
    logic unused;
    assign unused = rst_ni;
  end else begin : g_beats
    logic [2:0] words;
    logic [1:0] index_q;
    logic       split;  // more words than a piece has: it has some of the rows only
    assign words = lsu_pkg::size_words(shown.size);
    assign split = 32'(words) > PieceWords;
    // Of 16 bytes with their halves the other way round, as all of a pass are, the first piece brings the last rows.
    logic turned;
    assign turned = shown.size == 3'(isa_pkg::MemSizeB128) && !shown.at_zero &&
                    offset_q[place][lsu_pkg::LaneW'(prim_pkg::first32(32'(shown.lanes)))][3];
    assign index = index_q | (split && shown.piece[0] != turned ? 2'(PieceWords) : 2'd0);
    assign last_row = index_q == (split ? 2'(PieceWords - 1) : 2'(words - 3'd1));
    assign lanes = here(shown.lanes, shown.at_zero ? '0 : offset_q[place], index, shown.piece);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        served_q <= '0;
        index_q <= '0;
        began_q <= 1'b0;
      end else if (valid) begin
        began_q <= !device_here && !done;
        served_q <= row_done ? '0 : served_q | now;
        index_q <= done ? '0 : row_done ? index_q + 2'd1 : index_q;
      end
    end
  end

  function automatic logic [31:0] extend(input logic [2:0] size, input logic [1:0] from, input logic [31:0] word);
    logic [15:0] half;
    logic [7:0]  low;
    half = from[1] ? word[31:16] : word[15:0];
    low = from[0] ? half[15:8] : half[7:0];
    return size[2] ? word : size[1] ? {{16{size[0] & half[15]}}, half} : {{24{size[0] & low[7]}}, low};
  endfunction

  // Row i of LDSM, with what the lanes of matrix i have in the piece.
  function automatic sm_pkg::row_t matrix_row(input int unsigned i, input sm_pkg::row_t old, input lsu_pkg::piece_words_t line);
    sm_pkg::row_t row;
    row = old;
    for (int unsigned w = 0; w < 4; w++) begin
      sm_pkg::lanes_t in;
      in = here(shown.lanes, offset_q[place], 2'(w), shown.piece);
      for (int unsigned r = 0; r < 8; r++) begin
        int unsigned lane;
        logic [31:0] word;
        lane = (8 * i + r) % Lanes;
        word = line[lsu_pkg::in_piece(offset_q[place][lane][2+:WordW] ^ word_t'(w))];
        if (in[lane] && shown.matrix.trans) begin
          row[(8 * w + r / 2) % Lanes][16*(r%2)+:16] = word[15:0];
          row[(8 * w + 4 + r / 2) % Lanes][16*(r%2)+:16] = word[31:16];
        end else if (in[lane]) row[(4 * r + w) % Lanes] = word;
      end
    end
    return row;
  endfunction

  always_ff @(posedge clk_i) begin
    if (note_i && is_here(note_place_i)) offset_q[lsu_pkg::in_bank(note_place_i)] <= note_offset_i;
    if (valid) begin : gather
      automatic lsu_pkg::piece_words_t line = device_here ? device_line_i :
          atomic_here ? lsu_pkg::piece_words_t'({lsu_pkg::PassSectors{atomic_value_i}}) : shared_line_i;
      automatic lsu_pkg::offsets_t offset = shown.at_zero ? '0 : offset_q[place];
      automatic sm_pkg::row_t      row;
      automatic logic [BeatLanes-1:0][31:0] value;
      automatic logic [7:0]        at;
      automatic sm_pkg::lanes_t    served = Whole ? here(shown.lanes, offset, 2'd0, shown.piece) : lanes;
      if (Whole && shown.matrix.there) begin
        rows_q[{place, 2'd0}] <= matrix_row(0, rows_q[{place, 2'd0}], line);
        rows_q[{place, 2'd1}] <= matrix_row(1, rows_q[{place, 2'd1}], line);
        rows_q[{place, 2'd2}] <= matrix_row(2, rows_q[{place, 2'd2}], line);
        rows_q[{place, 2'd3}] <= matrix_row(3, rows_q[{place, 2'd3}], line);
      end else begin
        row = rows_q[{place, index}];
        if (Whole && shown.size[2]) begin  // whole words: quicker to simulate
          for (int unsigned lane = 0; lane < Lanes; lane++)
            row[lane] = served[lane] ? line[lsu_pkg::in_piece(offset[lane][2+:WordW])] : row[lane];
        end else begin
          for (int unsigned l = 0; l < BeatLanes; l++) begin
            at = offset[l];
            for (int unsigned beat = 1; beat < lsu_pkg::Beats; beat++) at = now[beat] ? offset[beat*BeatLanes+l] : at;
            value[l] = extend(shown.size, at[1:0], line[lsu_pkg::in_piece(at[2+:WordW] ^ word_t'(index))]);
          end
          for (int unsigned lane = 0; lane < Lanes; lane++)
            row[lane] = served[lane] && now[lane/BeatLanes] ? value[lane%BeatLanes] : row[lane];
        end
        rows_q[{place, index}] <= row;
        if (Whole && (shown.size == 3'(isa_pkg::MemSizeB64) || shown.size == 3'(isa_pkg::MemSizeB128))) begin
          row = rows_q[{place, 2'd1}];
          served = here(shown.lanes, offset, 2'd1, shown.piece);
          for (int unsigned lane = 0; lane < Lanes; lane++)
            row[lane] = served[lane] ? line[lsu_pkg::in_piece(offset[lane][2+:WordW] ^ word_t'(1))] : row[lane];
          rows_q[{place, 2'd1}] <= row;
        end
        if (Whole && shown.size == 3'(isa_pkg::MemSizeB128)) begin
          row = rows_q[{place, 2'd2}];
          served = here(shown.lanes, offset, 2'd2, shown.piece);
          for (int unsigned lane = 0; lane < Lanes; lane++)
            row[lane] = served[lane] ? line[lsu_pkg::in_piece(offset[lane][2+:WordW] ^ word_t'(2))] : row[lane];
          rows_q[{place, 2'd2}] <= row;
          row = rows_q[{place, 2'd3}];
          served = here(shown.lanes, offset, 2'd3, shown.piece);
          for (int unsigned lane = 0; lane < Lanes; lane++)
            row[lane] = served[lane] ? line[lsu_pkg::in_piece(offset[lane][2+:WordW] ^ word_t'(3))] : row[lane];
          rows_q[{place, 2'd3}] <= row;
        end
      end
    end
  end

endmodule
