// SPDX-License-Identifier: Apache-2.0
// Fetches sectors for the L2 over AXI4: neighbouring sectors of a line go as one burst. The line that was
// asked first goes first, once all four of its sectors are asked for or none was added for some cycles.
//
//   asks {2,0}, {2,1}, {2,3} in a row: after Window idle cycles one burst of sectors 0-1 and one of sector 3
//
// With a narrow port a beat waits a cycle in a register before it counts, and no burst is asked for as a sector ends.
//
// ARID is the MSHR, so bursts of a line are answered in order, lines in any order, and data of different
// lines may even be interleaved.
module axi_reader #(
  parameter int unsigned  DataBits = config_pkg::AxiDataBits,  // that of a piece or less, a power of two
  parameter int unsigned  Window   = 6
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              ask_valid_i,
  input  logic [l2_pkg::FillW-1:0]          ask_id_i,     // {MSHR, sector}
  input  l2_pkg::line_t                     ask_line_i,

  output logic                              fill_valid_o,
  input  logic                              fill_ready_i,
  output l2_pkg::fill_t                     fill_o,
  // A sector's data: kept under its id until it is asked for again, read in pieces.
  input  logic                              read_valid_i,
  input  logic [l2_pkg::FillW-1:0]          read_id_i,
  input  logic [mem_pkg::PieceW-1:0]        read_piece_i,
  output logic [mem_pkg::PieceBits-1:0]     read_data_o,  // in the next cycle

  output logic                              m_axi_arvalid_o,
  input  logic                              m_axi_arready_i,
  output logic [gpu_pkg::AddrW-1:0]         m_axi_araddr_o,
  output logic [7:0]                        m_axi_arlen_o,
  output logic [l2_pkg::SliceIdW-1:0]       m_axi_arid_o,
  input  logic                              m_axi_rvalid_i,
  output logic                              m_axi_rready_o,
  input  logic [l2_pkg::SliceIdW-1:0]       m_axi_rid_i,
  input  logic [DataBits-1:0]               m_axi_rdata_i,
  input  logic [1:0]                        m_axi_rresp_i
);

  localparam int unsigned Mshrs = l2_pkg::Mshrs;
  localparam int unsigned MshrW = l2_pkg::MshrW;
  localparam int unsigned Beats = mem_pkg::SectorW / DataBits;  // of a sector
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned Parts = mem_pkg::PieceBits / DataBits;   // beats of a piece
  localparam int unsigned AtW = l2_pkg::FillW + $clog2(Pieces);

  // ---- what is wanted ------------------------------------------------------------------------------
  logic [4*Mshrs-1:0] want_q;
  logic [Mshrs-1:0]   queued_q;
  l2_pkg::line_t      line_q [Mshrs];
  logic [3:0]         asked_at_q [Mshrs];   // time of the last ask
  logic [3:0]         now_q;

  logic               push, head_valid, head_done, queue_ready;
  logic [MshrW-1:0]   ask_mshr, head;
  logic [MshrW:0]     queue_count;
  assign ask_mshr = ask_id_i[l2_pkg::FillW-1:2];
  assign push = ask_valid_i && !queued_q[ask_mshr];

  fifo #(.T(logic [MshrW-1:0]), .Depth(Mshrs)) u_queue (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (push),
    .wr_ready_o (queue_ready),
    .wr_data_i  (ask_mshr),
    .rd_valid_o (head_valid),
    .rd_ready_i (head_done),
    .rd_data_o  (head),
    .count_o    (queue_count)
  );

  // The lowest run of wanted sectors of the head.
  logic [3:0] want, first, run, rest;
  logic [3:0] quiet;
  logic       due, issue, sector_done;  // a run is to go; it goes
  always_comb begin
    // Nobody looks at them otherwise.
    want = 'x;
    first = 'x;
    rest = 'x;
    run = 'x;
    quiet = 'x;
    due = 1'b0;
    if (head_valid) begin
      want = want_q[{head, 2'd0}+:4];
      first = want & (~want + 4'd1);
      // Adding the lowest bit carries through the run.
      rest = want & (want + first);
      run = want & ~rest;
      quiet = now_q - asked_at_q[head];
      due = want != '0 && (&want || quiet >= 4'(Window));
    end
  end
  assign issue = due && (!m_axi_arvalid_o || m_axi_arready_i) && !(l2_pkg::Narrow && sector_done);
  // A sector asked for in this very cycle keeps the line in the queue.
  assign head_done = issue && rest == '0 && !(ask_valid_i && ask_mshr == head);

  logic [1:0] run_first;
  logic [2:0] run_length;
  assign run_first = {|first[3:2], first[3] | first[1]};
  assign run_length = 3'(run[0]) + 3'(run[1]) + 3'(run[2]) + 3'(run[3]);

  // Sectors in flight of each MSHR, oldest in the low bits.
  logic [7:0] order_q [Mshrs];
  logic [2:0] flying_q [Mshrs];

  // ---- data ----------------------------------------------------------------------------------------
  logic [MshrW-1:0]            r_mshr;
  logic                        beat, out_ready, r_error;
  logic [DataBits-1:0]         r_data;
  logic [BeatW-1:0]            beat_q [Mshrs];
  (* no_rw_check, ram_style = "block" *) logic [Parts-1:0][DataBits-1:0] data_q [4*Mshrs*Pieces];
  logic [AtW-1:0]              write_at, read_at;   // {id, piece}
  logic [Mshrs-1:0]            error_q;
  l2_pkg::fill_t               sector;
  logic [2:0]                  fill_count;
  if (l2_pkg::Narrow) begin : g_staged
    logic                r_valid_q, r_error_q;
    logic [MshrW-1:0]    r_mshr_q;
    logic [DataBits-1:0] r_data_q;
    // One may be on its way.
    assign m_axi_rready_o = fill_count <= 3'd2;
    always_ff @(posedge clk_i) begin
      r_valid_q <= rst_ni && m_axi_rvalid_i && m_axi_rready_o;
      r_mshr_q <= m_axi_rid_i[MshrW-1:0];
      r_error_q <= m_axi_rresp_i[1];
      r_data_q <= m_axi_rdata_i;
    end
    assign beat = r_valid_q;
    assign r_mshr = r_mshr_q;
    assign r_error = r_error_q;
    assign r_data = r_data_q;
  end else begin : g_direct
    assign m_axi_rready_o = out_ready;
    assign beat = m_axi_rvalid_i && out_ready;
    assign r_mshr = m_axi_rid_i[MshrW-1:0];
    assign r_error = m_axi_rresp_i[1];
    assign r_data = m_axi_rdata_i;
  end
  assign sector_done = beat && (Beats == 1 || beat_q[r_mshr] == BeatW'(Beats - 1));

  always_comb begin
    sector = 'x;   // nobody looks at it otherwise
    if (beat) begin
      sector.id = {r_mshr, order_q[r_mshr][1:0]};
      sector.error = r_error || (Beats > 1 && error_q[r_mshr]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) for (int unsigned b = 0; b < Parts; b++) if (Parts == 1 || 32'(beat_q[r_mshr]) % Parts == b) data_q[write_at][b] <= r_data;
  end
  always_ff @(posedge clk_i) begin
    if (read_valid_i) read_data_o <= data_q[read_at];
  end
  assign write_at = AtW'({sector.id, beat_q[r_mshr]} >> (BeatW - $clog2(Pieces)));
  assign read_at = AtW'({read_id_i, read_piece_i} >> (Pieces > 1 ? 0 : 1));

  fifo #(.T(l2_pkg::fill_t), .Depth(4)) u_fills (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (sector_done),
    .wr_ready_o (out_ready),
    .wr_data_i  (sector),
    .rd_valid_o (fill_valid_o),
    .rd_ready_i (fill_ready_i),
    .rd_data_o  (fill_o),
    .count_o    (fill_count)
  );

  always_ff @(posedge clk_i) begin
    if (ask_valid_i || head_valid || beat || m_axi_arvalid_o) begin : operate
      automatic logic [4*Mshrs-1:0] wanted = want_q;
      automatic logic [Mshrs-1:0]   queued = queued_q;
      automatic logic [7:0]         order;
      automatic logic [2:0]         flying;
      now_q <= now_q + 4'd1;
      if (m_axi_arready_i) m_axi_arvalid_o <= 1'b0;
      if (issue) begin
        m_axi_arvalid_o <= 1'b1;
        m_axi_araddr_o <= l2_pkg::address(line_q[head], run_first);
        m_axi_arlen_o <= 8'(32'(run_length) * Beats - 1);
        m_axi_arid_o <= l2_pkg::SliceIdW'(head);
        wanted[{head, 2'd0}+:4] = rest;
        if (head_done) queued[head] = 1'b0;
      end
      if (ask_valid_i) begin
        wanted[ask_id_i] = 1'b1;
        queued[ask_mshr] = 1'b1;
        line_q[ask_mshr] <= ask_line_i;
        asked_at_q[ask_mshr] <= now_q;
      end
      if (issue || sector_done) begin
        // Both may concern the same MSHR.
        if (sector_done && !(l2_pkg::Narrow && issue)) begin
          order = order_q[r_mshr] >> 2;
          flying = flying_q[r_mshr] - 3'd1;
          order_q[r_mshr] <= order;
          flying_q[r_mshr] <= flying;
        end
        if (issue) begin
          if (l2_pkg::Narrow || !(sector_done && r_mshr == head)) begin
            order = order_q[head];
            flying = flying_q[head];
          end
          for (int unsigned n = 0; n < 4; n++) begin
            if (run[n]) begin
              order[2*flying[1:0]+:2] = 2'(n);
              flying = flying + 3'd1;
            end
          end
          order_q[head] <= order;
          flying_q[head] <= flying;
        end
      end
      if (Beats > 1 && beat) begin
        beat_q[r_mshr] <= beat_q[r_mshr] + 1'b1;
        error_q[r_mshr] <= !sector_done && sector.error;
      end
      want_q <= wanted;
      queued_q <= queued;
    end
    if (!rst_ni) begin
      want_q <= '0;
      queued_q <= '0;
      now_q <= '0;
      error_q <= '0;
      m_axi_arvalid_o <= 1'b0;
      for (int unsigned m = 0; m < Mshrs; m++) begin
        flying_q[m] <= '0;
        beat_q[m] <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each MSHR is in the queue once.
      a_queue: assert (!push || queue_ready) else $error("axi_reader: queue overflows");
      a_beat: assert (!beat || flying_q[r_mshr] != '0) else $error("axi_reader: data nobody asked for");
      // AXI4: a burst does not cross 4 KiB; lines are aligned, so it cannot.
      a_burst: assert (!issue || 32'(run_first) + 32'(run_length) <= 4) else $error("axi_reader: burst leaves its line");
      a_room: assert (!sector_done || out_ready) else $error("axi_reader: no place for a sector");
      a_counts: assert (queue_count <= (MshrW + 1)'(Mshrs) && fill_count <= 3'd4) else $error("axi_reader: counts");
    end
  end

endmodule
