// SPDX-License-Identifier: Apache-2.0
// AXI4 memory of block RAM, for boards without SDRAM or to leave its controller out: the same port as
// sdram_ctrl, Bytes of it (an ECP5-85F has room for 128 KiB beside the tiny GPU). One burst at a time, a beat
// a clock. Addresses outside are answered with DECERR.
module bram_memory #(
    parameter int unsigned Bytes = 131072,   // a power of two
    parameter logic [gpu_pkg::AddrW-1:0] Base = device_pkg::MemoryBase[gpu_pkg::AddrW-1:0],
    localparam int unsigned DataBits = config_pkg::AxiDataBits,
    localparam int unsigned IdW      = l2_pkg::AxiIdW
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
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
    output logic                      s_axi_rlast_o
);

  localparam int unsigned BeatBytes = DataBits / 8;
  localparam int unsigned Words = Bytes / BeatBytes;
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned ByteW = $clog2(Bytes);
  localparam int unsigned LowW  = $clog2(BeatBytes);

  typedef enum logic [1:0] {
    Idle,   // takes a burst: reads and writes in turn
    Fetch,  // the beat's word is being read
    Reads,  // a read beat stands
    Writes  // takes beats
  } state_e;

  state_e           state_q;
  logic [WordW-1:0] word_q;
  logic [7:0]       beats_q;   // left after this one
  logic             error_q, last_was_write_q, take_read, take_write, write, next_beat;
  logic [WordW-1:0] address;

  function automatic logic outside(input logic [gpu_pkg::AddrW-1:0] a);
    return a[gpu_pkg::AddrW-1:ByteW] != Base[gpu_pkg::AddrW-1:ByteW];
  endfunction

  assign take_read  = state_q == Idle && s_axi_arvalid_i && (last_was_write_q || !s_axi_awvalid_i);
  assign take_write = state_q == Idle && s_axi_awvalid_i && !take_read && !s_axi_bvalid_o;
  assign s_axi_arready_o = take_read;
  assign s_axi_awready_o = take_write;
  assign s_axi_wready_o  = state_q == Writes;
  assign s_axi_rvalid_o  = state_q == Reads;
  assign s_axi_rlast_o   = beats_q == '0;
  assign s_axi_rresp_o   = error_q ? 2'b11 : 2'b00;
  assign write     = state_q == Writes && s_axi_wvalid_i && !error_q;
  assign next_beat = (state_q == Writes && s_axi_wvalid_i) || (state_q == Reads && s_axi_rready_i);
  assign address   = state_q == Reads ? word_q + WordW'(1) : word_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q          <= Idle;
      last_was_write_q <= 1'b0;
      error_q          <= 1'b0;
      s_axi_bvalid_o   <= 1'b0;
      s_axi_bresp_o    <= 2'b00;
    end else begin
      if (s_axi_bready_i) s_axi_bvalid_o <= 1'b0;
      if (next_beat) begin
        word_q  <= word_q + WordW'(1);
        beats_q <= beats_q - 8'd1;
      end
      case (state_q)
        Idle:
        if (take_read || take_write) begin
          last_was_write_q <= take_write;
          word_q  <= take_write ? s_axi_awaddr_i[ByteW-1:LowW] : s_axi_araddr_i[ByteW-1:LowW];
          beats_q <= take_write ? s_axi_awlen_i : s_axi_arlen_i;
          error_q <= outside(take_write ? s_axi_awaddr_i : s_axi_araddr_i);
          state_q <= take_write ? Writes : Fetch;
        end
        Fetch: state_q <= Reads;
        Reads: if (next_beat && beats_q == '0) state_q <= Idle;
        Writes:
        if (next_beat && beats_q == '0) begin
          s_axi_bvalid_o <= 1'b1;
          s_axi_bresp_o  <= error_q ? 2'b11 : 2'b00;
          state_q        <= Idle;
        end
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_write) s_axi_bid_o <= s_axi_awid_i;
    if (take_read) s_axi_rid_o <= s_axi_arid_i;
  end

  ram_1r1w_masked #(
      .Lanes (BeatBytes),
      .LaneW (8),
      .Depth (Words)
  ) u_ram (
      .clk_i     (clk_i),
      .wr_en_i   (write),
      .wr_addr_i (word_q),
      .wr_mask_i (s_axi_wstrb_i),
      .wr_data_i (s_axi_wdata_i),
      .rd_en_i   (state_q == Fetch || (state_q == Reads && s_axi_rready_i)),
      .rd_addr_i (address),
      .rd_data_o (s_axi_rdata_o)
  );

endmodule
