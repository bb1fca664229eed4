// SPDX-License-Identifier: Apache-2.0
// Write-back buffer of the L2: dirty lines on their way to memory over AXI4. A line goes as one burst from
// its first to its last dirty sector, with strobes for its dirty bytes. A place is held from the decision to evict
// until memory has answered, and told to the look-up: a line may be fetched again only then, since AXI keeps no
// order between reads and writes.
//
//   line 7, sectors 0 and 2 dirty: reserved, sector 0 comes, sector 2 comes; then one burst of sectors 0 to 2, of
//   which 1 without strobes
module axi_writer #(
  parameter int unsigned  DataBits = config_pkg::AxiDataBits   // that of a piece or less, a power of two
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  output logic                              busy_o,
  output logic                              error_o,       // memory refused a write-back

  output logic                              room_o,        // for two lines
  input  logic                              reserve_i,     // a line will come
  input  l2_pkg::line_t                     reserve_line_i,
  input  logic [3:0]                        reserve_dirty_i,  // its sectors that will come, at least one
  input  logic                              row_valid_i,   // lines come in the order reserved, sectors and pieces from low to high
  input  l2_pkg::write_back_t               row_i,
  input  l2_pkg::line_t                     check_line_i,
  output logic                              check_hit_o,

  output logic                              m_axi_awvalid_o,
  input  logic                              m_axi_awready_i,
  output logic [gpu_pkg::AddrW-1:0]         m_axi_awaddr_o,
  output logic [7:0]                        m_axi_awlen_o,
  output logic [l2_pkg::SliceIdW-1:0]       m_axi_awid_o,
  output logic                              m_axi_wvalid_o,
  input  logic                              m_axi_wready_i,
  output logic [DataBits-1:0]               m_axi_wdata_o,
  output logic [DataBits/8-1:0]             m_axi_wstrb_o,
  output logic                              m_axi_wlast_o,
  input  logic                              m_axi_bvalid_i,
  output logic                              m_axi_bready_o,
  input  logic [l2_pkg::SliceIdW-1:0]       m_axi_bid_i,
  input  logic [1:0]                        m_axi_bresp_i
);

  localparam int unsigned Places = l2_pkg::WriteBacks;
  localparam int unsigned PlaceW = $clog2(Places);
  localparam int unsigned Banks = l2_pkg::Banks;
  localparam int unsigned BankW = (Banks > 1) ? $clog2(Banks) : 1;
  localparam int unsigned Beats = mem_pkg::SectorW / DataBits;  // of a sector
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned Parts = mem_pkg::PieceBits / DataBits;   // beats of a piece
  localparam int unsigned RowW = PlaceW + 2 - $clog2(Banks) + $clog2(Pieces);

  // Places are a ring: reserved, then filled, then sent in this order; memory answers in any.
  logic [Places-1:0]           used_q, full_q;
  l2_pkg::line_t               line_q [Places];
  logic [3:0]                  dirty_q [Places];
  (* no_rw_check *) l2_pkg::dirty_piece_t [Banks-1:0] row_q [Places*4/Banks*Pieces];
  logic [PlaceW-1:0]           free_q, due_q, send_q;
  logic [PlaceW-1:0]           next_free;
  logic [3:0]                  due_dirty;
  logic                        due_last;
  assign next_free = free_q + 1'b1;
  assign busy_o = used_q != '0;
  // One reservation may be on its way.
  assign room_o = !used_q[free_q] && !used_q[next_free];
  assign due_dirty = dirty_q[due_q];
  assign due_last = (Banks == 4 || (due_dirty >> row_i.sector) == 4'd1) && row_i.piece == mem_pkg::PieceW'(Pieces - 1);

  always_comb begin
    check_hit_o = 1'b0;
    if (used_q != '0) begin
      for (int unsigned p = 0; p < Places; p++)
        if (used_q[p] && line_q[p] == check_line_i) check_hit_o = 1'b1;
    end
  end

  function automatic logic [RowW-1:0] row_of(input logic [PlaceW-1:0] place, input logic [1:0] sector, input logic [mem_pkg::PieceW-1:0] piece);
    return RowW'({{place, sector} >> $clog2(Banks), piece} >> (Pieces > 1 ? 0 : 1));
  endfunction

  function automatic logic [mem_pkg::PieceW-1:0] piece_of(input logic [BeatW-1:0] beat);
    return Pieces > 1 ? mem_pkg::PieceW'(32'(beat) / Parts) : '0;
  endfunction

  // ---- sending: address and data of one line at a time -----------------------------------------------
  logic              active_q, last_beat, start, next_beat;
  logic [1:0]        sector_q, low, high, sectors;   // sectors: of the burst, less one
  logic [BeatW-1:0]  beat_q;
  logic [3:0]        send_dirty;
  assign send_dirty = dirty_q[send_q];
  assign low = {send_dirty[1:0] == '0, send_dirty[1:0] == '0 ? !send_dirty[2] : !send_dirty[0]};
  assign high = {send_dirty[3:2] != '0, send_dirty[3:2] != '0 ? send_dirty[3] : send_dirty[1]};
  assign sectors = high - low;
  assign last_beat = sector_q == high && (Beats == 1 || beat_q == '1);
  assign start = full_q[send_q] && !active_q && (!m_axi_awvalid_o || m_axi_awready_i);
  assign next_beat = active_q && (!m_axi_wvalid_o || m_axi_wready_i);
  assign m_axi_bready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    if (row_valid_i) row_q[row_of(due_q, row_i.sector, row_i.piece)] <= row_i.data;
  end

  // The beat that goes, as read: a piece of each bank, of which sector and part are picked behind it.
  l2_pkg::dirty_piece_t [Banks-1:0]      beat_row_q;
  l2_pkg::dirty_piece_t                  beat_piece;
  logic [1:0]                            beat_sector_q;
  logic [BeatW-1:0]                      beat_at_q;
  logic                                  beat_dirty_q;
  logic [Parts-1:0][DataBits-1:0]        beat_data;
  logic [Parts-1:0][DataBits/8-1:0]      beat_mask;
  always_ff @(posedge clk_i) begin
    if (next_beat) beat_row_q <= row_q[row_of(send_q, sector_q, piece_of(beat_q))];
  end
  assign beat_piece = beat_row_q[BankW'(Banks > 1 ? beat_sector_q : '0)];
  assign {beat_mask, beat_data} = beat_piece;
  assign m_axi_wdata_o = Parts > 1 ? beat_data[32'(beat_at_q) % Parts] : beat_data[0];
  assign m_axi_wstrb_o = !beat_dirty_q ? '0 : Parts > 1 ? beat_mask[32'(beat_at_q) % Parts] : beat_mask[0];

  always_ff @(posedge clk_i) begin
    if (reserve_i || row_valid_i || used_q != '0) begin
      if (reserve_i) begin
        used_q[free_q] <= 1'b1;
        line_q[free_q] <= reserve_line_i;
        dirty_q[free_q] <= reserve_dirty_i;
        free_q <= next_free;
      end
      if (row_valid_i && due_last) begin
        full_q[due_q] <= 1'b1;
        due_q <= due_q + 1'b1;
      end
      if (m_axi_awready_i) m_axi_awvalid_o <= 1'b0;
      if (m_axi_wready_i) m_axi_wvalid_o <= 1'b0;
      if (start) begin
        m_axi_awvalid_o <= 1'b1;
        m_axi_awaddr_o <= l2_pkg::address(line_q[send_q], low);
        m_axi_awlen_o <= 8'((32'(sectors) + 1) * Beats - 1);
        m_axi_awid_o <= l2_pkg::SliceIdW'(send_q);
        active_q <= 1'b1;
        sector_q <= low;
        beat_q <= '0;
      end
      if (next_beat) begin
        m_axi_wvalid_o <= 1'b1;
        beat_sector_q <= sector_q;
        beat_at_q <= beat_q;
        beat_dirty_q <= send_dirty[sector_q];
        m_axi_wlast_o <= last_beat;
        beat_q <= (Beats > 1) ? beat_q + 1'b1 : '0;
        if (Beats == 1 || beat_q == '1) sector_q <= sector_q + 1'b1;
        if (last_beat) begin
          active_q <= 1'b0;
          full_q[send_q] <= 1'b0;
          send_q <= send_q + 1'b1;
        end
      end
      if (m_axi_bvalid_i) begin
        used_q[m_axi_bid_i[PlaceW-1:0]] <= 1'b0;
        if (m_axi_bresp_i[1]) error_o <= 1'b1;
      end
    end
    if (!rst_ni) begin
      used_q <= '0;
      full_q <= '0;
      {free_q, due_q, send_q} <= '0;
      active_q <= 1'b0;
      error_o <= 1'b0;
      m_axi_awvalid_o <= 1'b0;
      m_axi_wvalid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A line without a place would be lost.
      a_reserve: assert (!reserve_i || (!used_q[free_q] && reserve_dirty_i != '0)) else $error("axi_writer: no place for a line");
      a_row: assert (!row_valid_i || (used_q[due_q] && !full_q[due_q] && (Banks == 4 || due_dirty[row_i.sector])))
        else $error("axi_writer: a sector without reservation");
      a_answer: assert (!m_axi_bvalid_i || used_q[m_axi_bid_i[PlaceW-1:0]]) else $error("axi_writer: answer to nothing");
    end
  end

endmodule
