// SPDX-License-Identifier: Apache-2.0
// Data of the L2 and the point at which requests are performed, one a cycle, in the order in which they
// come: this order is the order of device memory, and trace_o tells it.
//
//   cycle 0  operation comes, the sector (evict: the line) is read
//   cycle 1  performed: new bytes written, answer and trace event made
//
// A read of what the cycle before wrote is forwarded, so atomics on one word go one a cycle; an eviction
// comes two cycles or more behind the last operation on its line. Each sector has a mask of its dirty bytes:
// stores need not fetch, and write-backs touch only what was written.
module l2_data (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  op_valid_i,       // always taken
  input  l2_pkg::op_t           op_i,
  input  logic [mem_pkg::SectorW-1:0] fill_data_i,
  output logic                  busy_o,

  output logic                  rsp_valid_o,
  output logic [l2_pkg::ClientW-1:0] rsp_client_o,
  output mem_pkg::rsp_t         rsp_o,

  output logic                  write_back_valid_o,
  output l2_pkg::write_back_t   write_back_o,

  output trace_pkg::l2_t        trace_o
);

  localparam int unsigned SectorW = mem_pkg::SectorW;
  localparam int unsigned SectorBytes = mem_pkg::SectorBytes;

  // ---- arrays --------------------------------------------------------------------------------------
  logic [3:0][SectorW-1:0]     read_data;
  logic [3:0][SectorBytes-1:0] read_mask;
  logic                        write;
  logic [SectorW-1:0]          write_data;
  logic [SectorBytes-1:0]      write_mask;
  logic [1:0]                  sector, perform_sector;

  logic                        valid_q, forward_q;
  logic [SectorW-1:0]          last_data_q;   // what was written last
  logic [SectorBytes-1:0]      last_mask_q;
  l2_pkg::op_t                 op_q;
  logic [SectorW-1:0]          fill_q;
  assign sector = op_i.request.req.sector[6:5];
  assign perform_sector = op_q.request.req.sector[6:5];
  assign busy_o = valid_q || rsp_valid_o;

  for (genvar s = 0; s < 4; s++) begin : g_sector
    // What is read in the cycle of its write is forwarded instead.
    (* no_rw_check *) logic [SectorW-1:0]     data_mem_q [l2_pkg::Lines];
    (* no_rw_check *) logic [SectorBytes-1:0] mask_mem_q [l2_pkg::Lines];
    logic [SectorW-1:0]     data_q;
    logic [SectorBytes-1:0] mask_q;
    logic                   writes;
    assign writes = write && perform_sector == 2'(s);
    always_ff @(posedge clk_i) begin
      if (writes) begin
        data_mem_q[op_q.place] <= write_data;
        mask_mem_q[op_q.place] <= write_mask;
      end
    end
    always_ff @(posedge clk_i) begin
      if (op_valid_i && (op_i.evict || sector == 2'(s))) begin
        data_q <= data_mem_q[op_i.place];
        mask_q <= mask_mem_q[op_i.place];
      end
    end
    assign read_data[s] = data_q;
    assign read_mask[s] = mask_q;
  end

  // ---- perform -------------------------------------------------------------------------------------
  typedef struct packed {
    logic [SectorW-1:0]     seen;    // what the request finds
    logic [SectorW-1:0]     data;    // what it leaves
    logic [SectorBytes-1:0] mask;    // dirty bytes it leaves
    logic [63:0]            old;
  } outcome_t;

  function automatic outcome_t perform(input l2_pkg::op_t op, input logic [SectorW-1:0] held,
                                       input logic [SectorBytes-1:0] held_mask,
                                       input logic [SectorW-1:0] fill);
    outcome_t               o;
    logic [63:0]            old, result;
    logic [3:0][63:0]       words;
    logic [SectorW-1:0]     written;
    logic [SectorBytes-1:0] bytes;
    mem_pkg::req_t          req;
    req = op.request.req;
    o.mask = op.dirty[req.sector[6:5]] ? held_mask : '0;
    o.seen = op.fill ? l2_pkg::merge(fill, held, o.mask) : held;
    o.data = o.seen;
    o.old = '0;
    written = req.data;
    bytes = req.mask;
    if (req.kind == mem_pkg::ReqAtomic) begin
      words = o.seen;
      old = words[req.offset[4:3]];
      if (!req.wide) old = {32'd0, req.offset[2] ? old[63:32] : old[31:0]};
      result = l2_pkg::atomic_result(req.atom_op, req.atom_sign, req.wide, old, req.data[63:0], req.data[127:64]);
      o.old = old;
      // At every place, of which one is written.
      written = {4{req.wide ? result[63:32] : result[31:0], result[31:0]}};
      for (int unsigned w = 0; w < SectorBytes / 4; w++)
        bytes[4*w+:4] = {4{req.wide ? 3'(w) >> 1 == 3'(req.offset[4:3]) : 3'(w) == req.offset[4:2]}};
    end
    if (req.kind != mem_pkg::ReqRead) begin
      o.data = l2_pkg::merge(o.seen, written, bytes);
      o.mask |= bytes;
    end
    return o;
  endfunction

  logic     performs;
  outcome_t outcome;
  assign performs = valid_q && !op_q.evict && !op_q.error;
  always_comb begin
    outcome = '0;
    if (performs)
      outcome = perform(op_q, forward_q ? last_data_q : read_data[perform_sector],
                        forward_q ? last_mask_q : read_mask[perform_sector], fill_q);
  end
  assign write = performs && (op_q.fill || op_q.request.req.kind != mem_pkg::ReqRead);
  assign write_data = outcome.data;
  assign write_mask = outcome.mask;

  // A line that goes comes right from the arrays.
  assign write_back_valid_o = valid_q && op_q.evict;
  assign write_back_o.line = op_q.line;
  assign write_back_o.data = read_data;
  for (genvar s = 0; s < 4; s++) begin : g_write_back
    assign write_back_o.mask[s] = op_q.dirty[s] ? read_mask[s] : '0;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= op_valid_i;
    if (write) begin
      last_data_q <= write_data;
      last_mask_q <= write_mask;
    end
    if (op_valid_i) begin
      op_q <= op_i;
      forward_q <= write && op_q.place == op_i.place && perform_sector == sector;
      if (op_i.fill) fill_q <= fill_data_i;
    end
    rsp_valid_o <= valid_q && !op_q.evict;
    trace_o.valid <= performs;
    if (valid_q) begin
      if (!op_q.evict) begin
        rsp_client_o <= op_q.request.client;
        rsp_o.kind <= op_q.request.req.kind;
        rsp_o.id <= op_q.request.req.id;
        rsp_o.error <= op_q.error;
        if (op_q.request.req.kind == mem_pkg::ReqAtomic) rsp_o.data <= SectorW'(outcome.old);
        else rsp_o.data <= outcome.seen;
        trace_o.client <= op_q.request.client;
        trace_o.req <= op_q.request.req;
        trace_o.old <= outcome.old;
        trace_o.data <= outcome.seen;
      end
    end
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rsp_valid_o <= 1'b0;
      trace_o.valid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_evict: assert (!(op_valid_i && op_i.evict && write && op_q.place == op_i.place))
        else $error("l2_data: a line is evicted while it is written");
    end
  end

endmodule
