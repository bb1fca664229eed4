// SPDX-License-Identifier: Apache-2.0
// Between the link's messages and the GPU's ports: the host's register accesses become AXI4-Lite, the GPU's
// accesses to host memory become messages that the host's driver answers, the interrupt line's changes are told.
//
//   host: RegRead 0x044 -> s_axil read -> RegData
//   h_axi read of 0x7f..40 -> DmaRead 0x7f..40 -> host: DmaData 0, 32 bytes -> h_axi read data
//
// The host answers the GPU in the order asked. RegWrite is not answered: the link keeps the order, and what the
// host reads afterwards sees it.
// Neither direction waits for the other: a message from the host always finds the GPU ready, except RegRead,
// which needs a free slot for its answer; DMA leaves two free for that and for the interrupt.
module bridge #(
    localparam int unsigned SlotW   = $clog2(link_pkg::Window),
    localparam int unsigned LengthW = 6
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // Link.
    input  logic               message_valid_i,
    input  logic [LengthW-1:0] message_length_i,
    output logic [LengthW-1:0] message_index_o,
    input  logic [7:0]         message_data_i,
    output logic               message_done_o,
    input  logic [SlotW:0]     free_i,
    output logic               write_o,
    output logic [LengthW-1:0] write_index_o,
    output logic [7:0]         write_data_o,
    output logic               commit_o,
    output logic [LengthW-1:0] commit_length_o,
    // GPU: registers.
    output logic               s_axil_awvalid_o,
    input  logic               s_axil_awready_i,
    output logic [15:0]        s_axil_awaddr_o,
    output logic               s_axil_wvalid_o,
    input  logic               s_axil_wready_i,
    output logic [31:0]        s_axil_wdata_o,
    input  logic               s_axil_bvalid_i,
    output logic               s_axil_bready_o,
    output logic               s_axil_arvalid_o,
    input  logic               s_axil_arready_i,
    output logic [15:0]        s_axil_araddr_o,
    input  logic               s_axil_rvalid_i,
    output logic               s_axil_rready_o,
    input  logic [31:0]        s_axil_rdata_i,
    // GPU: host memory.
    input  logic               h_axi_awvalid_i,
    output logic               h_axi_awready_o,
    input  logic [63:0]        h_axi_awaddr_i,
    input  logic               h_axi_wvalid_i,
    output logic               h_axi_wready_o,
    input  logic [255:0]       h_axi_wdata_i,
    input  logic [31:0]        h_axi_wstrb_i,
    output logic               h_axi_bvalid_o,
    input  logic               h_axi_bready_i,
    output logic [1:0]         h_axi_bresp_o,
    input  logic               h_axi_arvalid_i,
    output logic               h_axi_arready_o,
    input  logic [63:0]        h_axi_araddr_i,
    output logic               h_axi_rvalid_o,
    input  logic               h_axi_rready_i,
    output logic [255:0]       h_axi_rdata_o,
    output logic [1:0]         h_axi_rresp_o,
    input  logic               irq_i
);

  // ---- from the host: read a message into `op` and `body`, then do it -------------------------------------
  typedef enum logic [2:0] {
    Wait,     // for a message
    Load,     // its bytes, one a cycle
    Do,       // decide
    Write,    // address and data of a register write
    WriteEnd, // its answer
    Read,     // a register read, then its data
    Answer,   // data or acknowledgement to the GPU
    Done      // give the buffer back
  } state_e;

  state_e             state_q;
  logic [LengthW-1:0] index_q;
  logic               loaded_q;      // message_data_i is that of index_q - 1
  logic [7:0]         op_q;
  logic [263:0]       body_q;        // bytes come in at the top: the last byte ends up highest
  logic               reg_data_due_q, reg_data_sent;
  logic [31:0]        reg_data_q;
  logic [1:0]         resp;

  assign message_index_o = index_q;
  assign message_done_o  = state_q == Done;
  assign s_axil_awaddr_o = body_q[231-:16];
  assign s_axil_wdata_o  = body_q[263-:32];
  assign s_axil_araddr_o = body_q[263-:16];
  assign s_axil_bready_o = state_q == WriteEnd;
  assign s_axil_rready_o = state_q == Read;
  // The status byte lies before the data, or is all there is.
  assign resp            = (op_q == link_pkg::OpDmaData ? body_q[7:0] : body_q[263-:8]) == '0 ? 2'b00 : 2'b10;
  assign h_axi_rdata_o   = body_q[263-:256];
  assign h_axi_rresp_o   = resp;
  assign h_axi_bresp_o   = resp;
  assign h_axi_rvalid_o  = state_q == Answer && op_q == link_pkg::OpDmaData;
  assign h_axi_bvalid_o  = state_q == Answer && op_q == link_pkg::OpDmaDone;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q          <= Wait;
      index_q          <= '0;
      loaded_q         <= 1'b0;
      s_axil_awvalid_o <= 1'b0;
      s_axil_wvalid_o  <= 1'b0;
      s_axil_arvalid_o <= 1'b0;
      reg_data_due_q   <= 1'b0;
    end else begin
      if (s_axil_awready_i) s_axil_awvalid_o <= 1'b0;
      if (s_axil_wready_i) s_axil_wvalid_o <= 1'b0;
      if (s_axil_arready_i) s_axil_arvalid_o <= 1'b0;
      if (reg_data_sent) reg_data_due_q <= 1'b0;
      case (state_q)
        Wait: begin
          index_q  <= '0;
          loaded_q <= 1'b0;
          if (message_valid_i) state_q <= Load;
        end
        Load: begin
          index_q  <= index_q + LengthW'(1);
          loaded_q <= 1'b1;
          if (loaded_q && index_q == message_length_i) state_q <= Do;
        end
        Do:
        case (op_q)
          link_pkg::OpRegWrite: begin
            s_axil_awvalid_o <= 1'b1;
            s_axil_wvalid_o  <= 1'b1;
            state_q          <= Write;
          end
          link_pkg::OpRegRead:
          if (!reg_data_due_q) begin
            s_axil_arvalid_o <= 1'b1;
            state_q          <= Read;
          end
          link_pkg::OpDmaData, link_pkg::OpDmaDone: state_q <= Answer;
          // Of a later host: LinkVersion tells it that this board does not know the message.
          default: state_q <= Done;
        endcase
        Write: if (!s_axil_awvalid_o && !s_axil_wvalid_o) state_q <= WriteEnd;
        WriteEnd: if (s_axil_bvalid_i) state_q <= Done;
        Read:
        if (s_axil_rvalid_i) begin
          reg_data_due_q <= 1'b1;
          state_q        <= Done;
        end
        Answer: if ((h_axi_rvalid_o && h_axi_rready_i) || (h_axi_bvalid_o && h_axi_bready_i)) state_q <= Done;
        Done: state_q <= Wait;
        default: state_q <= Wait;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Load && loaded_q) begin
      if (index_q == LengthW'(1)) op_q <= message_data_i;
      else body_q <= {message_data_i, body_q[263:8]};
    end
    if (state_q == Read && s_axil_rvalid_i) reg_data_q <= s_axil_rdata_i;
  end

  // ---- to the host: one message at a time, byte by byte -----------------------------------------------------
  logic               writing_q, irq_told_q;
  logic [7:0]         out_op_q;
  logic [LengthW-1:0] out_index_q, out_last_q;
  logic [4:0]         lane;
  logic               irq_wanted, dma_room;
  assign irq_wanted = irq_i != irq_told_q && free_i != '0;
  assign dma_room   = free_i > (SlotW + 1)'(2);

  assign write_o         = writing_q;
  assign write_index_o   = out_index_q;
  assign commit_o        = writing_q && out_index_q == out_last_q;
  assign commit_length_o = out_last_q + LengthW'(1);
  assign reg_data_sent   = commit_o && out_op_q == link_pkg::OpRegData;
  assign h_axi_arready_o = commit_o && out_op_q == link_pkg::OpDmaRead;
  assign h_axi_awready_o = commit_o && out_op_q == link_pkg::OpDmaWrite;
  assign h_axi_wready_o  = h_axi_awready_o;

  // Bytes 1 to 8: address; a write then has its enables in 9 to 12 and data from 13.
  logic [63:0] address;
  logic [2:0]  address_byte;
  assign address      = out_op_q == link_pkg::OpDmaWrite ? h_axi_awaddr_i : h_axi_araddr_i;
  assign address_byte = out_index_q[2:0] - 3'd1;
  assign lane         = 5'(out_index_q - LengthW'(13));

  always_comb begin
    write_data_o = out_op_q;
    if (out_index_q != '0) begin
      case (out_op_q)
        link_pkg::OpIrq:     write_data_o = 8'(irq_told_q);
        link_pkg::OpRegData: write_data_o = reg_data_q[8*address_byte[1:0]+:8];
        default:
        if (out_index_q < LengthW'(9)) write_data_o = address[8*address_byte+:8];
        else if (out_index_q < LengthW'(13)) write_data_o = h_axi_wstrb_i[8*address_byte[1:0]+:8];
        else write_data_o = h_axi_wdata_i[8*lane+:8];
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      writing_q   <= 1'b0;
      irq_told_q  <= 1'b0;
      out_op_q    <= '0;
      out_index_q <= '0;
      out_last_q  <= '0;
    end else if (writing_q) begin
      out_index_q <= out_index_q + LengthW'(1);
      if (commit_o) writing_q <= 1'b0;
    end else begin
      out_index_q <= '0;
      if (irq_wanted) begin
        writing_q  <= 1'b1;
        irq_told_q <= irq_i;
        out_op_q   <= link_pkg::OpIrq;
        out_last_q <= LengthW'(1);
      end else if (reg_data_due_q && free_i != '0) begin
        writing_q  <= 1'b1;
        out_op_q   <= link_pkg::OpRegData;
        out_last_q <= LengthW'(4);
      end else if (dma_room && h_axi_arvalid_i) begin
        writing_q  <= 1'b1;
        out_op_q   <= link_pkg::OpDmaRead;
        out_last_q <= LengthW'(link_pkg::DmaReadBytes - 1);
      end else if (dma_room && h_axi_awvalid_i && h_axi_wvalid_i) begin
        writing_q  <= 1'b1;
        out_op_q   <= link_pkg::OpDmaWrite;
        out_last_q <= LengthW'(link_pkg::DmaWriteBytes - 1);
      end
    end
  end

endmodule
