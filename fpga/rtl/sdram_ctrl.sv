// SPDX-License-Identifier: Apache-2.0
// AXI4 memory of one 16-bit SDR SDRAM chip (ULX3S: 32 MB as 4 banks x 8192 rows x 512 columns), for the GPU's
// m_axi port: INCR bursts of whole beats within a 1 KiB row, one burst at a time, answered in the order taken.
//
//   read of 32 bytes at row 5 of bank 1, row 7 open there:  PRE - ACT - RD RD .. RD (16 columns, one a clock)
//
// Every column has its own command (mode register: burst length 1), so any length needs no interruption and
// bytes are masked with DQM as they are written. Rows stay open until another row of the bank or a
// refresh needs them. Commands leave in registers and the chip's clock is inverted outside (sdram_clk = ~clk_i):
// the chip samples in the middle of a clock, and its answer, CasLatency of its clocks later, in the second half of
// ours, is taken at CasLatency + 1 clocks after the command was decided.
// abort_i leaves the chip initialised: open rows are closed and it is refreshed before the next burst.
// Leaves out: reordering, several bursts at once, auto-precharge, power-down. Addresses outside Base .. Base +
// 32 MB - 1 are answered with DECERR.
module sdram_ctrl #(
    parameter int unsigned ClockKhz  = 50_000,
    // The chip's times, nanoseconds: the slowest of the chips that ULX3S boards carry (-75, -7).
    parameter int unsigned TrcdNs    = 20,      // activate to column command
    parameter int unsigned TrpNs     = 20,      // precharge to activate
    parameter int unsigned TrasNs    = 45,      // activate to precharge
    parameter int unsigned TrcNs     = 66,      // activate to activate, refresh to anything
    parameter int unsigned TwrNs     = 15,      // last written column to precharge
    parameter int unsigned RefreshNs = 7_800,   // 8192 refreshes in 64 ms
    parameter int unsigned PowerUpNs = 200_000,
    parameter logic [gpu_pkg::AddrW-1:0] Base = device_pkg::MemoryBase[gpu_pkg::AddrW-1:0],
    localparam int unsigned DataBits = config_pkg::AxiDataBits,
    localparam int unsigned IdW      = l2_pkg::AxiIdW
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      abort_i,   // the GPU is in reset: forget its bursts, keep the chip alive
    // AXI4 subordinate.
    input  logic                      s_axi_awvalid_i,
    output logic                      s_axi_awready_o,
    input  logic [gpu_pkg::AddrW-1:0] s_axi_awaddr_i,
    input  logic [7:0]                s_axi_awlen_i,
    input  logic [IdW-1:0]            s_axi_awid_i,
    input  logic                      s_axi_wvalid_i,
    output logic                      s_axi_wready_o,
    input  logic [DataBits-1:0]       s_axi_wdata_i,
    input  logic [DataBits/8-1:0]     s_axi_wstrb_i,
    output logic                      s_axi_bvalid_o,
    input  logic                      s_axi_bready_i,
    output logic [IdW-1:0]            s_axi_bid_o,
    output logic [1:0]                s_axi_bresp_o,
    input  logic                      s_axi_arvalid_i,
    output logic                      s_axi_arready_o,
    input  logic [gpu_pkg::AddrW-1:0] s_axi_araddr_i,
    input  logic [7:0]                s_axi_arlen_i,
    input  logic [IdW-1:0]            s_axi_arid_i,
    output logic                      s_axi_rvalid_o,
    input  logic                      s_axi_rready_i,
    output logic [IdW-1:0]            s_axi_rid_o,
    output logic [DataBits-1:0]       s_axi_rdata_o,
    output logic [1:0]                s_axi_rresp_o,
    output logic                      s_axi_rlast_o,
    // SDRAM.
    output logic                      sdram_cke_o,
    output logic                      sdram_csn_o,
    output logic                      sdram_rasn_o,
    output logic                      sdram_casn_o,
    output logic                      sdram_wen_o,
    output logic [12:0]               sdram_a_o,
    output logic [1:0]                sdram_ba_o,
    output logic [1:0]                sdram_dqm_o,
    output logic                      sdram_dq_en_o,
    output logic [15:0]               sdram_dq_o,
    input  logic [15:0]               sdram_dq_i
);

  function automatic int unsigned cycles(input int unsigned ns);
    int unsigned n;
    n = (ns * (ClockKhz / 1000) + 999) / 1000;
    return n == 0 ? 1 : n;
  endfunction

  localparam int unsigned CasLatency = 2;
  localparam int unsigned Words   = DataBits / 16;      // of a beat
  localparam int unsigned WordW   = $clog2(Words);
  localparam int unsigned Tmrd    = 2;                  // clocks
  localparam int unsigned PowerUp = cycles(PowerUpNs);
  localparam int unsigned PowerW  = $clog2(PowerUp + 1);
  // A burst may hold a refresh up: what is late by less than eight intervals is allowed.
  localparam int unsigned Refresh  = cycles(RefreshNs) - 1;
  localparam int unsigned RefreshW = $clog2(Refresh + 1);
  localparam int unsigned WaitW    = 5;
  localparam int unsigned Beats    = 8;                 // read beats asked for and not yet taken, at most

  // {rasn, casn, wen}
  localparam logic [2:0] CmdNop = 3'b111, CmdActivate = 3'b011, CmdRead = 3'b101, CmdWrite = 3'b100,
                         CmdPrecharge = 3'b010, CmdRefresh = 3'b001, CmdMode = 3'b000;
  // Burst length 1, sequential, CasLatency, single-location writes.
  localparam logic [12:0] Mode = 13'h200 | (13'(CasLatency) << 4);

  typedef enum logic [3:0] {
    PowerOn,     // until the chip's supply is stable
    InitClose,   // precharge all
    InitRefresh, // eight refreshes
    InitMode,    // mode register
    Idle,        // refresh if due, else take a burst
    Close,       // precharge all, before a refresh
    Renew,       // refresh
    Row,         // open the burst's row, if it is not
    ReadBurst,   // a column a clock
    WriteBurst,  // a column a clock, once a beat has come
    Refuse       // answer a burst outside memory
  } state_e;

  state_e              state_q;
  logic [WaitW-1:0]    wait_q;                 // clocks until the next command may go
  logic [WaitW-1:0]    ras_q, rc_q;            // until any precharge, activate: since the last activate of any bank
  logic [PowerW-1:0]   power_q;
  logic [3:0]          inits_q;
  logic [RefreshW-1:0] refresh_timer_q;
  logic [3:0]          refresh_due_q;          // intervals that want a refresh

  logic [3:0]          open_q;
  logic [12:0]         row_q [4];

  // The burst: byte address / 2 of its next column.
  logic [23:0]         word_q;
  logic [7:0]          beats_q;                // left after this one
  logic [WordW-1:0]    part_q;                 // word of the beat
  logic [IdW-1:0]      id_q;
  logic                writes_q, last_was_write_q;
  logic [1:0]          bank;
  logic [12:0]         row;
  logic [8:0]          column;
  assign bank   = word_q[10:9];
  assign row    = word_q[23:11];
  assign column = word_q[8:0];

  function automatic logic outside(input logic [gpu_pkg::AddrW-1:0] address);
    return address[gpu_pkg::AddrW-1:25] != Base[gpu_pkg::AddrW-1:25];
  endfunction

  // ---- taking a burst: reads and writes in turn ----------------------------------------------------------
  logic idle, take_read, take_write, reads_under_way;
  assign idle       = state_q == Idle && wait_q == '0 && refresh_due_q == '0 && !abort_i;
  assign take_read  = idle && s_axi_arvalid_i && (last_was_write_q || !s_axi_awvalid_i);
  // Data of reads must have left the bus before the first write drives it.
  assign take_write = idle && s_axi_awvalid_i && !take_read && !reads_under_way && !s_axi_bvalid_o;
  assign s_axi_arready_o = take_read;
  assign s_axi_awready_o = take_write;

  // ---- read data: what was asked for comes back CasLatency + 1 clocks later ---------------------------------
  typedef struct packed {
    logic           error;
    logic           last;
    logic [IdW-1:0] id;
  } tag_t;
  typedef struct packed {
    tag_t                tag;
    logic [DataBits-1:0] data;
  } beat_t;

  localparam int unsigned Stages = CasLatency + 1;
  logic                    read_column, read_room, refused;
  logic [Stages-1:0]       coming_q, beat_end_q;
  tag_t                    tag_q [Stages];
  tag_t                    new_tag;
  logic [15:0]             dq_q;
  logic [DataBits-1:0]     gather_q;
  beat_t                   beat, out;
  logic                    beat_valid, beat_ready;
  logic [$clog2(Beats):0]  owed_q;             // beats asked for and not yet taken
  logic [$clog2(Beats+1)-1:0] fifo_count;
  assign read_room       = owed_q != ($clog2(Beats) + 1)'(Beats) || part_q != '0;
  assign read_column     = state_q == ReadBurst && wait_q == '0 && read_room;
  assign refused         = state_q == Refuse && !writes_q && read_room;
  assign reads_under_way = coming_q != '0;
  assign new_tag.error   = refused;
  assign new_tag.last    = beats_q == '0;
  assign new_tag.id      = id_q;

  // coming_q[0]: the command is on the pins; [1]: dq_i shows the word at this clock's end; [2]: dq_q has it.
  assign beat_valid = coming_q[Stages-1] && beat_end_q[Stages-1];
  assign beat.tag   = tag_q[Stages-1];
  assign beat.data  = {dq_q, gather_q[DataBits-1:16]};

  fifo #(.T(beat_t), .Depth(Beats), .Ram(mem_pkg::RamQueues)) u_beats (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni && !abort_i),
    .wr_valid_i (beat_valid),
    .wr_ready_o (beat_ready),
    .wr_data_i  (beat),
    .rd_valid_o (s_axi_rvalid_o),
    .rd_ready_i (s_axi_rready_i),
    .rd_data_o  (out),
    .count_o    (fifo_count)
  );
  assign s_axi_rid_o   = out.tag.id;
  assign s_axi_rdata_o = out.data;
  assign s_axi_rlast_o = out.tag.last;
  assign s_axi_rresp_o = out.tag.error ? 2'b11 : 2'b00;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      coming_q   <= '0;
      beat_end_q <= '0;
      owed_q     <= '0;
    end else begin
      coming_q   <= {coming_q[Stages-2:0], read_column || refused};
      beat_end_q <= {beat_end_q[Stages-2:0], refused || part_q == WordW'(Words - 1)};
      owed_q     <= owed_q + ($clog2(Beats) + 1)'((read_column && part_q == '0) || refused) -
                    ($clog2(Beats) + 1)'(s_axi_rvalid_o && s_axi_rready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_column || refused) tag_q[0] <= new_tag;
    for (int unsigned s = 1; s < Stages; s++) if (coming_q[s-1]) tag_q[s] <= tag_q[s-1];
    if (coming_q[Stages-2]) dq_q <= sdram_dq_i;
    if (coming_q[Stages-1]) gather_q <= {dq_q, gather_q[DataBits-1:16]};
  end

  // ---- write data: a beat is held while its columns go out ---------------------------------------------------
  logic                  write_column, last_word;
  assign last_word      = part_q == WordW'(Words - 1);
  assign write_column   = state_q == WriteBurst && wait_q == '0 && s_axi_wvalid_i;
  assign s_axi_wready_o = (write_column && last_word) || (state_q == Refuse && writes_q);

  // ---- commands ----------------------------------------------------------------------------------------------
  logic hit, may_close, starting;
  assign starting  = state_q == PowerOn || state_q == InitClose || state_q == InitRefresh || state_q == InitMode;
  assign hit       = open_q[bank] && row_q[bank] == row;
  assign may_close = wait_q == '0 && ras_q == '0;
  assign sdram_cke_o = 1'b1;
  // Not selected until the supply is stable, nor before the reset has come: the others begin with 0, a command.
  logic selected_q = 1'b0;
  assign sdram_csn_o = !selected_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q          <= PowerOn;
      selected_q       <= 1'b0;
      power_q          <= PowerW'(PowerUp);
      wait_q           <= '0;
      ras_q            <= '0;
      rc_q             <= '0;
      inits_q          <= '0;
      open_q           <= '0;
      refresh_timer_q  <= '0;
      refresh_due_q    <= '0;
      writes_q         <= 1'b0;
      last_was_write_q <= 1'b0;
      part_q           <= '0;
      s_axi_bvalid_o   <= 1'b0;
      s_axi_bresp_o    <= 2'b00;
      {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdNop;
      sdram_dqm_o      <= '1;
      sdram_dq_en_o    <= 1'b0;
    end else begin : operate
      automatic logic renewed = 1'b0;
      {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdNop;
      sdram_dqm_o   <= '0;
      sdram_dq_en_o <= 1'b0;
      sdram_ba_o    <= bank;
      if (wait_q != '0) wait_q <= wait_q - WaitW'(1);
      if (ras_q != '0) ras_q <= ras_q - WaitW'(1);
      if (rc_q != '0) rc_q <= rc_q - WaitW'(1);
      if (s_axi_bready_i) s_axi_bvalid_o <= 1'b0;
      if (state_q != PowerOn) selected_q <= 1'b1;
      case (state_q)
        PowerOn: begin
          power_q     <= power_q - PowerW'(1);
          sdram_dqm_o <= '1;
          if (power_q == '0) state_q <= InitClose;
        end
        InitClose, Close:
        if (may_close) begin
          {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdPrecharge;
          sdram_a_o <= 13'h400;  // A10: all banks
          open_q    <= '0;
          wait_q    <= WaitW'(cycles(TrpNs) - 1);
          state_q   <= state_q == Close ? Renew : InitRefresh;
        end
        InitRefresh, Renew:
        if (wait_q == '0 && rc_q == '0) begin
          {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdRefresh;
          wait_q  <= WaitW'(cycles(TrcNs) - 1);
          inits_q <= inits_q + 4'd1;
          renewed = state_q == Renew;
          if (state_q == Renew) state_q <= Idle;
          else if (inits_q == 4'd7) state_q <= InitMode;
        end
        InitMode:
        if (wait_q == '0) begin
          {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdMode;
          sdram_a_o  <= Mode;
          sdram_ba_o <= '0;
          wait_q     <= WaitW'(Tmrd - 1);
          state_q    <= Idle;
        end
        Idle: begin
          part_q <= '0;
          if (wait_q == '0 && refresh_due_q != '0) state_q <= Close;
          if (take_read || take_write) begin
            writes_q         <= take_write;
            last_was_write_q <= take_write;
            word_q           <= take_write ? s_axi_awaddr_i[24:1] : s_axi_araddr_i[24:1];
            beats_q          <= take_write ? s_axi_awlen_i : s_axi_arlen_i;
            id_q             <= take_write ? s_axi_awid_i : s_axi_arid_i;
            state_q          <= outside(take_write ? s_axi_awaddr_i : s_axi_araddr_i) ? Refuse : Row;
          end
        end
        Row:
        if (hit) begin
          if (wait_q == '0) state_q <= writes_q ? WriteBurst : ReadBurst;
        end else if (open_q[bank]) begin
          if (may_close) begin
            {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdPrecharge;
            sdram_a_o    <= '0;
            open_q[bank] <= 1'b0;
            wait_q       <= WaitW'(cycles(TrpNs) - 1);
          end
        end else if (wait_q == '0 && rc_q == '0) begin
          {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdActivate;
          sdram_a_o    <= row;
          open_q[bank] <= 1'b1;
          row_q[bank]  <= row;
          wait_q       <= WaitW'(cycles(TrcdNs) - 1);
          ras_q        <= WaitW'(cycles(TrasNs) - 1);
          rc_q         <= WaitW'(cycles(TrcNs) - 1);
        end
        ReadBurst, WriteBurst:
        if (read_column || write_column) begin
          {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= writes_q ? CmdWrite : CmdRead;
          sdram_a_o     <= {4'd0, column};  // A10 low: no auto-precharge
          sdram_dq_en_o <= writes_q;
          sdram_dqm_o   <= writes_q ? ~s_axi_wstrb_i[2*part_q+:2] : 2'b00;
          word_q        <= word_q + 24'd1;
          part_q        <= part_q + WordW'(1);
          if (last_word) begin
            beats_q <= beats_q - 8'd1;
            if (beats_q == '0) begin
              state_q <= Idle;
              if (writes_q) begin
                s_axi_bvalid_o <= 1'b1;
                s_axi_bresp_o  <= 2'b00;
                // Write recovery, for any precharge.
                wait_q         <= WaitW'(cycles(TwrNs));
              end
            end
          end
        end
        Refuse: begin
          if (writes_q ? s_axi_wvalid_i : refused) beats_q <= beats_q - 8'd1;
          if (beats_q == '0 && (writes_q ? s_axi_wvalid_i : refused)) begin
            state_q <= Idle;
            if (writes_q) begin
              s_axi_bvalid_o <= 1'b1;
              s_axi_bresp_o  <= 2'b11;
            end
          end
        end
        default: state_q <= PowerOn;
      endcase
      // Refreshes wanted: one an interval, owed while bursts hold them up.
      if (!starting) begin
        refresh_timer_q <= refresh_timer_q == RefreshW'(Refresh) ? '0 : refresh_timer_q + RefreshW'(1);
        if (refresh_timer_q == RefreshW'(Refresh) && !renewed && !(&refresh_due_q)) refresh_due_q <= refresh_due_q + 4'd1;
        if (renewed && refresh_timer_q != RefreshW'(Refresh) && refresh_due_q != '0) refresh_due_q <= refresh_due_q - 4'd1;
      end
      if (abort_i && !starting) begin
        state_q        <= Close;
        wait_q         <= '1;  // longer than anything that may be under way
        s_axi_bvalid_o <= 1'b0;
      end
    end
  end

  // Payload: no reset.
  always_ff @(posedge clk_i) begin
    if (write_column) sdram_dq_o <= s_axi_wdata_i[16*part_q+:16];
    if (take_write) s_axi_bid_o <= s_axi_awid_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Columns wrap within their row.
      a_row: assert (!(read_column || write_column) || beats_q == '0 || column != '1)
        else $error("sdram_ctrl: a burst leaves its row");
      a_room: assert (!beat_valid || beat_ready) else $error("sdram_ctrl: no place for read data");
      a_count: assert (32'(fifo_count) <= Beats) else $error("sdram_ctrl: count");
    end
  end

endmodule
