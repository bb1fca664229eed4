// SPDX-License-Identifier: Apache-2.0
// Crossbar between the clients (SMs, copy engine) and the slices of the L2: a request goes to the slice of its line,
// answers of all slices come back on the client's links, each of which is that of the slices whose number is the same modulo
// Links: round robin, each answer's beats together.
//
//   slice of a line: with 4 slices bits {7, 8}, {9, 10}, ... of the address, all xored: neighbouring lines lie in different
//   slices, and so do lines that are a power of two apart
//
// Order. A client's requests are taken by their slices in the order in which they are offered, for nothing is kept here: the
// next one is offered when a slice has the one before. A slice performs the requests for a sector in the order in which it
// takes them, whoever sent them. So all requests to the L2 have one order, that of taking, which is each client's own and
// each sector's, as with one slice; that requests of two sectors are performed in another order nobody can see. Fences,
// releases and block barriers need no more of several slices than of one: what an SM has sent before is before all that
// anybody does who has seen something that it sent later. This ends with a queue between client and slice: then a
// fence of the block, too, and a block barrier have to wait for acknowledgements of stores.
module l2_network #(
  parameter int unsigned  Clients = config_pkg::Sms + 1,
  parameter int unsigned  Slices  = l2_pkg::Slices,   // a power of two; 1: wires
  parameter int unsigned  Links   = mem_pkg::Links,   // a power of two; Slices at most
  parameter logic [Clients-1:0] Joined = '0,          // clients that get all answers on link 0
  localparam int unsigned SliceW  = (Slices > 1) ? $clog2(Slices) : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  // Clients.
  input  logic          [Clients-1:0]             req_valid_i,
  output logic          [Clients-1:0]             req_ready_o,
  input  mem_pkg::req_t [Clients-1:0]             req_i,
  output logic          [Clients-1:0][Links-1:0]  rsp_valid_o,
  input  logic          [Clients-1:0][Links-1:0]  rsp_ready_i,
  output mem_pkg::rsp_t [Clients-1:0][Links-1:0]  rsp_o,
  // Slices: each sees the requests of all clients, and is told which are its.
  output logic [Slices-1:0][Clients-1:0]          slice_req_valid_o,
  input  logic [Slices-1:0][Clients-1:0]          slice_req_ready_i,
  input  logic [Slices-1:0][Clients-1:0]          slice_rsp_valid_i,
  output logic [Slices-1:0][Clients-1:0]          slice_rsp_ready_o,
  input  mem_pkg::rsp_t [Slices-1:0][Clients-1:0] slice_rsp_i
);

  if (Slices == 1) begin : g_wires
    assign slice_req_valid_o = req_valid_i;
    assign req_ready_o = slice_req_ready_i;
    assign rsp_valid_o = slice_rsp_valid_i;
    assign rsp_o = slice_rsp_i;
    assign slice_rsp_ready_o = rsp_ready_i;
    logic unused;
    assign unused = ^{clk_i, rst_ni, req_i};
  end else begin : g_crossbar
    for (genvar c = 0; c < int'(Clients); c++) begin : g_client
      // ---- requests ----------------------------------------------------------------------------------------
      l2_pkg::line_t     line;
      logic [SliceW-1:0] slice;
      assign line = req_i[c].sector[l2_pkg::MemoryW-1:7];
      for (genvar n = 0; n < int'(SliceW); n++) begin : g_bit
        localparam l2_pkg::line_t Mine = l2_pkg::slice_mask(n, SliceW);
        assign slice[n] = ^(line & Mine);
      end
      assign req_ready_o[c] = slice_req_ready_i[slice][c];
      for (genvar s = 0; s < int'(Slices); s++) begin : g_slice
        assign slice_req_valid_o[s][c] = req_valid_i[c] && slice == SliceW'(s);
      end

      // ---- answers -----------------------------------------------------------------------------------------
      // On link p those of slices p, p + Step, ...
      localparam int unsigned Step = Joined[c] ? 1 : Links;
      localparam int unsigned Sharing = Slices / Step;
      localparam int unsigned FromW = (Sharing > 1) ? $clog2(Sharing) : 1;
      for (genvar p = 0; p < int'(Links); p++) begin : g_link
        if (p >= int'(Step)) begin : g_none
          assign rsp_valid_o[c][p] = 1'b0;
          assign rsp_o[c][p] = '0;
          logic unused;
          assign unused = rsp_ready_i[c][p];
        end else begin : g_some
          logic [Sharing-1:0] offered, grant, held_q;
          logic [FromW-1:0]   from;
          logic               valid;
          for (genvar s = 0; s < int'(Sharing); s++) begin : g_answer
            // What is offered stays until it is taken, and the beats of an answer follow each other.
            assign offered[s] = slice_rsp_valid_i[s*int'(Step)+p][c] && (held_q == '0 || held_q[s]);
            assign slice_rsp_ready_o[s*int'(Step)+p][c] = rsp_ready_i[c][p] && grant[s];
          end
          rr_arbiter #(.N(Sharing)) u_arbiter (
            .clk_i     (clk_i),
            .rst_ni    (rst_ni),
            .req_i     (offered),
            .advance_i (valid && rsp_ready_i[c][p]),
            .valid_o   (valid),
            .gnt_o     (grant),
            .index_o   (from)
          );
          assign rsp_valid_o[c][p] = valid;
          always_comb begin
            rsp_o[c][p] = 'x;   // nobody looks at it otherwise
            if (valid) rsp_o[c][p] = slice_rsp_i[SliceW'(32'(from) * Step + 32'(unsigned'(p)))][c];
          end
          always_ff @(posedge clk_i) begin
            if (!rst_ni) held_q <= '0;
            else if (valid) held_q <= rsp_ready_i[c][p] && rsp_o[c][p].answer.last ? '0 : grant;
          end
        end
      end
    end
  end

endmodule
