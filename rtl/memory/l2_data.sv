// SPDX-License-Identifier: Apache-2.0
// Data of the L2 and the point at which requests are performed, one a cycle, in the order in which they
// come: this order is the order of device memory, and trace_o tells it.
//
//   cycle 0  operation comes; the request's slot and the sector (evict: Banks sectors) are read
//   cycle 1  performed: new bytes written, answer and trace event made
//
// With a narrow memory port operations are three cycles apart: cycle 1 finds the sector as the request sees it, and cycle 2
// performs it.
//
// A read of what the cycle before wrote is forwarded, so atomics on one word go one a cycle; an eviction
// comes two cycles or more behind the last operation on its line. Each sector has a mask of its dirty bytes:
// stores need not fetch, and write-backs touch only what was written.
module l2_data (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // A request to be kept in its slot.
  input  logic                  store_valid_i,
  input  logic [l2_pkg::SlotW-1:0] store_slot_i,
  input  l2_pkg::request_t      store_i,

  input  logic                  op_valid_i,       // always taken
  input  l2_pkg::op_t           op_i,
  input  logic [mem_pkg::SectorW-1:0] fill_data_i,      // in the cycle after an operation with a fill
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
  localparam int unsigned Banks = l2_pkg::Banks;
  localparam int unsigned BankW = (Banks > 1) ? $clog2(Banks) : 1;
  localparam int unsigned RowW = l2_pkg::PlaceW + 2 - $clog2(Banks);  // a row: a sector of each bank
  typedef l2_pkg::dirty_sector_t sector_t;

  // ---- arrays --------------------------------------------------------------------------------------
  (* no_rw_check, ram_style = "block" *) l2_pkg::request_t request_mem_q [l2_pkg::Slots];
  l2_pkg::request_t   request_q;
  sector_t [Banks-1:0] read;
  logic               write;
  sector_t            written;
  logic [RowW-1:0]    row, perform_row;
  logic [BankW-1:0]   bank, perform_bank;

  logic               valid_q, valid_qq, forward_q;
  sector_t            last_q;        // what was written last
  l2_pkg::op_t        op_q;
  assign row = RowW'({op_i.place, op_i.sector} >> $clog2(Banks));
  assign perform_row = RowW'({op_q.place, op_q.sector} >> $clog2(Banks));
  assign bank = (Banks > 1) ? BankW'(op_i.sector) : '0;
  assign perform_bank = (Banks > 1) ? BankW'(op_q.sector) : '0;
  assign busy_o = valid_q || valid_qq || rsp_valid_o;

  always_ff @(posedge clk_i) begin
    if (store_valid_i) request_mem_q[store_slot_i] <= store_i;
  end
  always_ff @(posedge clk_i) begin
    if (op_valid_i && !op_i.evict) request_q <= request_mem_q[op_i.slot];
  end

  for (genvar b = 0; b < int'(Banks); b++) begin : g_bank
    // What is read in the cycle of its write is forwarded instead.
    (* no_rw_check *) sector_t mem_q [l2_pkg::Lines * 4 / Banks];
    sector_t sector_q;
    always_ff @(posedge clk_i) begin
      if (write && perform_bank == BankW'(b)) mem_q[perform_row] <= written;
    end
    always_ff @(posedge clk_i) begin
      if (op_valid_i && (op_i.evict || bank == BankW'(b))) sector_q <= mem_q[row];
    end
    assign read[b] = sector_q;
  end

  // ---- what the request sees -------------------------------------------------------------------------
  typedef struct packed {
    logic [SectorW-1:0]     data;
    logic [SectorBytes-1:0] mask;    // dirty bytes
    logic [63:0]            old;     // atomic: the word
  } seen_t;

  function automatic seen_t see(input mem_pkg::req_t req, input sector_t held, input logic dirty, input logic fills,
                                input logic [SectorW-1:0] fill);
    seen_t            s;
    logic [3:0][63:0] words;
    s.mask = dirty ? held.mask : '0;
    s.data = l2_pkg::merge(fill, held.data, fills ? s.mask : '1);
    s.old = '0;
    if (req.kind == mem_pkg::ReqAtomic) begin
      words = s.data;
      s.old = words[req.offset[4:3]];
      if (!req.wide) s.old = {32'd0, req.offset[2] ? s.old[63:32] : s.old[31:0]};
    end
    return s;
  endfunction

  // ---- perform -------------------------------------------------------------------------------------
  // What the request leaves.
  function automatic sector_t perform(input mem_pkg::req_t req, input seen_t seen);
    sector_t                left;
    logic [63:0]            result;
    logic [SectorW-1:0]     data;
    logic [SectorBytes-1:0] bytes;
    left = '{mask: seen.mask, data: seen.data};
    data = req.data;
    bytes = req.mask;
    if (req.kind == mem_pkg::ReqAtomic) begin
      result = l2_pkg::atomic_result(req.atom_op, req.atom_sign, req.wide, seen.old, req.data[63:0], req.data[127:64]);
      // At every place, of which one is written.
      data = {4{req.wide ? result[63:32] : result[31:0], result[31:0]}};
      for (int unsigned w = 0; w < SectorBytes / 4; w++)
        bytes[4*w+:4] = {4{req.wide ? 3'(w) >> 1 == 3'(req.offset[4:3]) : 3'(w) == req.offset[4:2]}};
    end
    if (req.kind != mem_pkg::ReqRead) begin
      left.data = l2_pkg::merge(seen.data, data, bytes);
      left.mask |= bytes;
    end
    return left;
  endfunction

  logic  sees, valid, performs;   // valid: in the cycle that performs
  seen_t seen_now, seen_q, seen;
  assign sees = valid_q && !op_q.evict && !op_q.error;
  assign valid = l2_pkg::Narrow ? valid_qq : valid_q && !op_q.evict;
  assign performs = valid && !op_q.error;
  assign seen = l2_pkg::Narrow ? seen_q : seen_now;
  always_comb begin
    seen_now = '0;
    if (sees)
      seen_now = see(request_q.req, forward_q ? last_q : read[perform_bank], op_q.dirty[op_q.sector], op_q.fill, fill_data_i);
  end
  always_comb begin
    written = '0;
    if (write) written = perform(request_q.req, seen);
  end
  assign write = performs && (op_q.fill || request_q.req.kind != mem_pkg::ReqRead);

  // Sectors that go come right from the array.
  assign write_back_valid_o = valid_q && op_q.evict;
  assign write_back_o.sector = op_q.sector;
  assign write_back_o.data = read;

  always_ff @(posedge clk_i) begin
    valid_q <= op_valid_i;
    if (write) last_q <= written;
    if (op_valid_i) begin
      op_q <= op_i;
      forward_q <= !l2_pkg::Narrow && write && perform_row == row && perform_bank == bank;
    end
    rsp_valid_o <= valid;
    trace_o.valid <= performs;
    if (valid) begin
      rsp_client_o <= request_q.client;
      rsp_o.kind <= request_q.req.kind;
      rsp_o.id <= request_q.req.id;
      rsp_o.error <= op_q.error;
      if (request_q.req.kind == mem_pkg::ReqAtomic) rsp_o.data <= SectorW'(seen.old);
      else rsp_o.data <= seen.data;
      trace_o.client <= 8'(request_q.client);
      trace_o.req <= request_q.req;
      trace_o.old <= seen.old;
      trace_o.data <= seen.data;
    end
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rsp_valid_o <= 1'b0;
      trace_o.valid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_qq <= l2_pkg::Narrow && rst_ni && valid_q && !op_q.evict;
    if (l2_pkg::Narrow && sees) seen_q <= seen_now;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_evict: assert (!(op_valid_i && op_i.evict && write && op_q.place == op_i.place))
        else $error("l2_data: a line is evicted while it is written");
      a_apart: assert (!(l2_pkg::Narrow && op_valid_i && (valid_q || valid_qq)))
        else $error("l2_data: operations too close");
    end
  end

endmodule
