// SPDX-License-Identifier: Apache-2.0
// Answers of L2, until the data stage has done with them. Sectors that were read are kept by their id, {MSHR, sector}, where
// there is a place for each: `l1_control` is told with the first beat of each and says which part of a line goes to
// the data stage. Atomics' old values wait in a queue; where they are whole sectors they go straight to the gather stage (take_i), but
// those that are errors.
//
//   cycle    0            1            2          3
//   wr       {2, sector 1}             -          -
//   arrive   {2, sector 1}
//   read                  part of 2
//   beat                               shown      taken
//
// Each of Links links brings answers, to MSHRs of its own (l1_mshrs), so it has a bank of the memory, which it writes alone, and a
// queue of atomics; the queues have turns.
// In pieces the beats of a part are shown one after the other, from the first on, each time that it is read: piece k
// of all its sectors. Those that have not come yet are waited for.
module lsu_fills #(
  parameter int unsigned Depth = 2,                     // atomics that wait, of a link
  localparam int unsigned Links = mem_pkg::Links
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic [Links-1:0]              wr_valid_i,
  output logic [Links-1:0]              wr_ready_o,
  input  mem_pkg::answer_t [Links-1:0]  wr_data_i,      // of a read or an atomic

  output logic [Links-1:0]              arrive_valid_o, // a sector comes
  output lsu_pkg::fill_id_t [Links-1:0] arrive_id_o,
  output logic                          atomic_valid_o,
  output lsu_pkg::atomic_id_t           atomic_id_o,
  output logic                          atomic_error_o,
  output lsu_pkg::atomic_value_t        atomic_value_o,
  input  logic                          atomic_take_i,  // it leaves the queue, and does not go to the data stage

  input  logic                          read_i,         // goes to the data stage, which has done with what was there
  input  logic                          read_atomic_i,  // the atomic that is shown; it leaves the queue
  input  lsu_pkg::part_t                read_part_i,

  output logic                          beat_valid_o,
  input  logic                          beat_take_i,
  input  logic                          beat_last_i,
  output lsu_pkg::piece_words_t         beat_o,
  output lsu_pkg::atomic_value_t        value_o,        // of an atomic
  output lsu_pkg::sectors_t             error_o         // of the part's sectors, or the atomic
);

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;
  localparam int unsigned Sectors = lsu_pkg::PassSectors;

  // ---- atomics -------------------------------------------------------------------------------------
  typedef struct packed {
    lsu_pkg::atomic_id_t    id;
    logic                   error;
    lsu_pkg::atomic_value_t value;
  } atomic_t;
  logic [Links-1:0]    sector, atomics_there, atomic_read;   // a beat of a sector comes
  atomic_t [Links-1:0] atomics;
  atomic_t             atomic;                               // that is shown
  mem_pkg::link_t      turn;                                 // of whose queue
  logic                leaves;                               // it does
  assign leaves = (read_i && read_atomic_i) || atomic_take_i;
  for (genvar p = 0; p < int'(Links); p++) begin : g_link
    logic    is_atomic, room;
    atomic_t atomic_in;
    logic [$clog2(Depth+1)-1:0] unused_count;
    assign is_atomic = wr_data_i[p].kind == mem_pkg::ReqAtomic;
    assign sector[p] = wr_valid_i[p] && !is_atomic;
    assign wr_ready_o[p] = !is_atomic || room;
    assign arrive_valid_o[p] = sector[p] && (mem_pkg::Pieces == 1 || wr_data_i[p].piece == '0);
    assign arrive_id_o[p] = lsu_pkg::fill_id_t'(wr_data_i[p].id);
    assign atomic_in = '{id: lsu_pkg::atomic_id_t'(wr_data_i[p].id), error: wr_data_i[p].error, value: wr_data_i[p].data[$bits(lsu_pkg::atomic_value_t)-1:0]};
    assign atomic_read[p] = leaves && turn == mem_pkg::link_t'(p);
    fifo #(.T(atomic_t), .Depth(Depth)) u_atomics (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .wr_valid_i (wr_valid_i[p] && is_atomic),
      .wr_ready_o (room),
      .wr_data_i  (atomic_in),
      .rd_valid_o (atomics_there[p]),
      .rd_ready_i (atomic_read[p]),
      .rd_data_o  (atomics[p]),
      .count_o    (unused_count)
    );
  end
  // One that is shown stays, whatever comes on the other link.
  if (Links == 1) begin : g_one
    assign turn = '0;
  end else begin : g_turns
    mem_pkg::link_t turn_q;
    assign turn = atomics_there[turn_q] ? turn_q : ~turn_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) turn_q <= '0;
      else if (atomic_valid_o) turn_q <= leaves ? ~turn : turn;
    end
  end
  assign atomic_valid_o = atomics_there != '0;
  assign atomic = atomics[turn];
  assign atomic_id_o = atomic.id;
  assign atomic_error_o = atomic.error;
  assign atomic_value_o = atomic.value;

  // ---- sectors ---------------------------------------------------------------------------------------
  localparam int unsigned IndexW = lsu_pkg::PartW - $clog2(Links) + $clog2(mem_pkg::Pieces);
  function automatic logic [IndexW-1:0] index(input lsu_pkg::part_t part, input mem_pkg::piece_t piece);
    return mem_pkg::Pieces == 1 ? IndexW'(lsu_pkg::in_link(part)) : IndexW'({lsu_pkg::in_link(part), piece});
  endfunction

  lsu_pkg::part_t  part, part_q;
  mem_pkg::piece_t piece, piece_q;   // to be read next
  logic            there, read, wants_q;
  assign part = read_i ? read_part_i : part_q;
  assign piece = read_i ? '0 : piece_q;
  assign read = read_i ? !read_atomic_i : wants_q && (!beat_valid_o || beat_take_i) && there;

  mem_pkg::link_t  bank, bank_q;     // that is read; that is shown
  assign bank = lsu_pkg::link_of(part);
  always_ff @(posedge clk_i) begin
    if (read) bank_q <= bank;
  end
  for (genvar s = 0; s < int'(Sectors); s++) begin : g_sector
    logic [Links-1:0][mem_pkg::PieceBits-1:0] out;
    for (genvar p = 0; p < int'(Links); p++) begin : g_bank
      (* ram_style = "block", no_rw_check *) logic [mem_pkg::PieceBits-1:0] mem_q [1 << IndexW];
      logic [mem_pkg::PieceBits-1:0] out_q;
      always_ff @(posedge clk_i) begin
        if (sector[p] && lsu_pkg::in_pass(arrive_id_o[p][1:0]) == lsu_pkg::sector_t'(s))
          mem_q[index(lsu_pkg::part_of(arrive_id_o[p]), wr_data_i[p].piece)] <= wr_data_i[p].data;
      end
      always_ff @(posedge clk_i) begin
        if (read && bank == mem_pkg::link_t'(p)) out_q <= mem_q[index(part, piece)];
      end
      assign out[p] = out_q;
    end
    assign beat_o[s*int'(PieceWords)+:PieceWords] = out[bank_q];
  end

  if (mem_pkg::Pieces == 1) begin : g_whole
    assign there = 1'b1;
    assign wants_q = 1'b0;
    assign piece_q = '0;
    assign part_q = '0;
  end else begin : g_pieces
    // Of one answer only, at a time, beats are still to come: pieces come on one link.
    logic            coming_q;
    lsu_pkg::part_t  coming_part_q;
    mem_pkg::piece_t coming_piece_q;
    assign there = !coming_q || part_q != coming_part_q || piece_q < coming_piece_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        coming_q <= 1'b0;
        wants_q <= 1'b0;
      end else begin
        if (sector[0]) coming_q <= !wr_data_i[0].last;
        if (read_i) wants_q <= !read_atomic_i;
        else if (read && piece_q == mem_pkg::piece_t'(mem_pkg::Pieces - 1)) wants_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (sector[0]) begin
        coming_part_q <= lsu_pkg::part_of(arrive_id_o[0]);
        coming_piece_q <= wr_data_i[0].piece + 1'b1;
      end
      if (read_i) part_q <= read_part_i;
      if (read_i) piece_q <= mem_pkg::piece_t'(1);
      else if (read) piece_q <= piece_q + 1'b1;
    end
  end

  // ---- what is shown -----------------------------------------------------------------------------------
  logic [lsu_pkg::Parts-1:0][Sectors-1:0] error_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Links; p++) begin
      if (arrive_valid_o[p])
        error_q[lsu_pkg::part_of(arrive_id_o[p])][lsu_pkg::in_pass(arrive_id_o[p][1:0])] <= wr_data_i[p].error;
    end
  end
  always_ff @(posedge clk_i) begin
    if (read_i && read_atomic_i) value_o <= atomic.value;
    if (read_i) error_o <= read_atomic_i ? {Sectors{atomic.error}} : error_q[read_part_i];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_valid_o <= 1'b0;
    else beat_valid_o <= read_i || read || (beat_valid_o && !beat_take_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_take: assert (!beat_take_i || beat_valid_o) else $error("lsu_fills: no beat to take");
      a_read: assert (!read_i || !beat_valid_o || (beat_take_i && beat_last_i)) else $error("lsu_fills: a beat is lost");
      a_kind: assert (!leaves || atomic_valid_o) else $error("lsu_fills: no atomic to read");
    end
  end

endmodule
