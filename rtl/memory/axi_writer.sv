// SPDX-License-Identifier: Apache-2.0
// Write-back buffer of the L2: dirty lines on their way to memory over AXI4. A line goes as one burst from
// its first to its last dirty sector, with strobes for its dirty bytes (a line whose stores had empty masks:
// one sector without strobes). A place is held from the decision to evict until memory has answered, and
// told to the look-up: a line may be fetched again only then, since AXI keeps no order between reads and
// writes.
module axi_writer #(
  parameter int unsigned  DataBits = config_pkg::AxiDataBits   // 256 or less, a power of two
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  output logic                              busy_o,
  output logic                              error_o,       // memory refused a write-back

  output logic                              room_o,        // for two lines
  input  logic                              reserve_i,     // a line will come
  input  l2_pkg::line_t                     reserve_line_i,
  input  logic                              line_valid_i,  // lines come in the order reserved
  input  l2_pkg::write_back_t               line_i,
  input  l2_pkg::line_t                     check_line_i,
  output logic                              check_hit_o,

  output logic                              m_axi_awvalid_o,
  input  logic                              m_axi_awready_i,
  output logic [gpu_pkg::AddrW-1:0]         m_axi_awaddr_o,
  output logic [7:0]                        m_axi_awlen_o,
  output logic [l2_pkg::AxiIdW-1:0]         m_axi_awid_o,
  output logic                              m_axi_wvalid_o,
  input  logic                              m_axi_wready_i,
  output logic [DataBits-1:0]               m_axi_wdata_o,
  output logic [DataBits/8-1:0]             m_axi_wstrb_o,
  output logic                              m_axi_wlast_o,
  input  logic                              m_axi_bvalid_i,
  output logic                              m_axi_bready_o,
  input  logic [l2_pkg::AxiIdW-1:0]         m_axi_bid_i,
  input  logic [1:0]                        m_axi_bresp_i
);

  localparam int unsigned Places = l2_pkg::WriteBacks;
  localparam int unsigned PlaceW = $clog2(Places);
  localparam int unsigned Beats = mem_pkg::SectorW / DataBits;  // of a sector
  localparam int unsigned LineBeats = 4 * Beats;
  localparam int unsigned BeatW = $clog2(LineBeats);

  logic [Places-1:0]   used_q;
  l2_pkg::line_t       line_q [Places];
  l2_pkg::write_back_t data_q [Places];

  // Places come in the order reserved: a queue of places whose data are due, and of those to be sent.
  logic [PlaceW-1:0]   free, due_place, send_place;
  logic                due_valid, send_valid, send_done, due_ready, send_ready;
  logic [PlaceW:0]     due_count, send_count;
  assign free = PlaceW'(prim_pkg::first32(32'(Places'(~used_q))));
  assign busy_o = used_q != '0;

  fifo #(.T(logic [PlaceW-1:0]), .Depth(Places)) u_due (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (reserve_i),
    .wr_ready_o (due_ready),
    .wr_data_i  (free),
    .rd_valid_o (due_valid),
    .rd_ready_i (line_valid_i),
    .rd_data_o  (due_place),
    .count_o    (due_count)
  );

  fifo #(.T(logic [PlaceW-1:0]), .Depth(Places)) u_send (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (line_valid_i),
    .wr_ready_o (send_ready),
    .wr_data_i  (due_place),
    .rd_valid_o (send_valid),
    .rd_ready_i (send_done),
    .rd_data_o  (send_place),
    .count_o    (send_count)
  );

  always_comb begin
    check_hit_o = 1'b0;
    if (used_q != '0) begin
      for (int unsigned p = 0; p < Places; p++)
        if (used_q[p] && line_q[p] == check_line_i) check_hit_o = 1'b1;
    end
  end
  // One reservation may be on its way.
  assign room_o = (~used_q & ((~used_q) - 1'b1)) != '0;

  // ---- sending: address and data of one line at a time -----------------------------------------------
  logic              active_q, last_beat;
  logic [BeatW-1:0]  beat_q, end_q;
  logic [PlaceW-1:0] place_q;
  logic [1:0]        beat_sector;
  logic              w_free, aw_free, start, next_beat;
  logic [3:0]        dirty;
  logic [1:0]        low, high;
  assign w_free = !m_axi_wvalid_o || m_axi_wready_i;
  assign aw_free = !m_axi_awvalid_o || m_axi_awready_i;
  assign last_beat = beat_q == end_q;
  assign start = send_valid && !active_q && aw_free;
  assign next_beat = active_q && w_free;
  assign send_done = start;
  assign beat_sector = 2'(32'(beat_q) / Beats);
  // A line is looked at to start it, and then until its last beat: one at a time.
  logic [PlaceW-1:0] look;
  assign look = active_q ? place_q : send_place;
  l2_pkg::write_back_t line;
  assign line = data_q[look];

  always_comb begin
    dirty = '0;
    if (start) for (int unsigned s = 0; s < 4; s++) dirty[s] = line.mask[s] != '0;
    low = dirty[0] ? 2'd0 : dirty[1] ? 2'd1 : dirty[2] ? 2'd2 : dirty[3] ? 2'd3 : 2'd0;
    high = dirty[3] ? 2'd3 : dirty[2] ? 2'd2 : dirty[1] ? 2'd1 : 2'd0;
  end

  assign m_axi_bready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    if (reserve_i || line_valid_i || used_q != '0) begin : operate
      automatic logic [Places-1:0] used = used_q;
      automatic logic [mem_pkg::SectorW-1:0]     data;
      automatic logic [mem_pkg::SectorBytes-1:0] mask;
      if (reserve_i) begin
        used[free] = 1'b1;
        line_q[free] <= reserve_line_i;
      end
      if (line_valid_i) data_q[due_place] <= line_i;
      if (m_axi_awready_i) m_axi_awvalid_o <= 1'b0;
      if (m_axi_wready_i) m_axi_wvalid_o <= 1'b0;
      if (start) begin
        m_axi_awvalid_o <= 1'b1;
        m_axi_awaddr_o <= {line.line, low, 5'd0};
        m_axi_awlen_o <= 8'((32'(high) - 32'(low) + 1) * Beats - 1);
        m_axi_awid_o <= l2_pkg::AxiIdW'(send_place);
        active_q <= 1'b1;
        place_q <= send_place;
        beat_q <= BeatW'(32'(low) * Beats);
        end_q <= BeatW'(32'(high) * Beats + Beats - 1);
      end
      if (next_beat) begin
        data = line.data[beat_sector];
        mask = line.mask[beat_sector];
        m_axi_wvalid_o <= 1'b1;
        m_axi_wdata_o <= data[DataBits*(32'(beat_q)%Beats)+:DataBits];
        m_axi_wstrb_o <= mask[DataBits/8*(32'(beat_q)%Beats)+:DataBits/8];
        m_axi_wlast_o <= last_beat;
        beat_q <= beat_q + 1'b1;
        if (last_beat) active_q <= 1'b0;
      end
      if (m_axi_bvalid_i) begin
        used[m_axi_bid_i[PlaceW-1:0]] = 1'b0;
        if (m_axi_bresp_i[1]) error_o <= 1'b1;
      end
      used_q <= used;
    end
    if (!rst_ni) begin
      used_q <= '0;
      active_q <= 1'b0;
      error_o <= 1'b0;
      m_axi_awvalid_o <= 1'b0;
      m_axi_wvalid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A line without a place would be lost.
      a_reserve: assert (!reserve_i || !(&used_q)) else $error("axi_writer: no place for a line");
      a_line: assert (!line_valid_i || (due_valid && send_ready)) else $error("axi_writer: line without reservation");
      a_answer: assert (!m_axi_bvalid_i || used_q[m_axi_bid_i[PlaceW-1:0]]) else $error("axi_writer: answer to nothing");
      a_counts: assert (due_count <= (PlaceW + 1)'(Places) && send_count <= (PlaceW + 1)'(Places) &&
                        (!reserve_i || due_ready)) else $error("axi_writer: counts");
    end
  end

endmodule
