// SPDX-License-Identifier: Apache-2.0
// Between address and select stage of a machine whose rows move in slices: slices wait here until the last one
// of their instruction is checked, so that an instruction that faults has no effect. A place for each
// slice of each instruction in flight, in memories; instructions leave in the order they came, slice by
// slice, those without lanes left out; slices of a store in the order that lets the lowest lane's value stay. The slice shown stands in registers, so that what is read of it has a cycle of
// its own. Data of stores stay until the pass that brings them to memory.
//
//   lanes 0..15 execute: slices 0 and 1 go on, `final` with slice 1
//   no lane executes (guard false, fence): a slice goes on, empty and final
module lsu_slices (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          data_write_i,   // a slice of a store or atomic is accepted
  input  lsu_pkg::place_t               data_write_place_i,
  input  sm_pkg::row_t [3:0]            data_i,

  input  logic                          valid_i,        // a checked slice; taken at once
  input  logic                          last_i,         // last of an instruction that does not fault
  input  lsu_pkg::op_t                  op_i,
  input  sm_pkg::slice_t                slice_i,
  input  sm_pkg::lanes_t                lanes_i,
  input  sm_pkg::lanes_t                shared_i,
  input  sm_pkg::row_t                  addr_i,
  input  logic [lsu_pkg::Lanes-1:0][7:0] addr_hi_i,

  output logic                          valid_o,
  input  logic                          taken_i,
  output logic                          final_o,        // no slice with lanes follows
  output lsu_pkg::op_t                  op_o,
  output sm_pkg::slice_t                slice_o,
  output sm_pkg::lanes_t                lanes_o,
  output sm_pkg::lanes_t                shared_o,
  output sm_pkg::row_t                  addr_o,
  output logic [lsu_pkg::Lanes-1:0][7:0] addr_hi_o,

  input  logic                          data_read_i,    // a pass that stores goes: its data next
  input  lsu_pkg::place_t               data_read_place_i,
  output sm_pkg::row_t [3:0]            data_o
);

  localparam int unsigned Slices = sm_pkg::RowSlices;
  typedef logic [Slices-1:0] slices_t;

  typedef struct packed {
    sm_pkg::lanes_t                 lanes;
    sm_pkg::lanes_t                 shared;
    sm_pkg::row_t                   addr;
    logic [lsu_pkg::Lanes-1:0][7:0] addr_hi;
  } access_t;
  typedef struct packed {
    lsu_pkg::op_t op;
    slices_t      slices;  // with lanes, in the order in which they leave
  } checked_t;

  // The n-th slice to leave is n ^ order: of a store, lsu_pkg::store_order.
  function automatic sm_pkg::slice_t order_of(input lsu_pkg::op_t op);
    return op.cls == lsu_pkg::ClassStore ? lsu_pkg::store_order(lsu_pkg::size_words(op.size)) : '0;
  endfunction

  access_t            access_q [lsu_pkg::Places];
  // Never read in the cycle of its write: an instruction begins to store when all its slices are here.
  (* ram_style = "block", no_rw_check *) sm_pkg::row_t [3:0] data_q [lsu_pkg::Places];
  always_ff @(posedge clk_i) begin
    if (valid_i) access_q[lsu_pkg::place_of(op_i.entry, slice_i)] <= {lanes_i, shared_i, addr_i, addr_hi_i};
  end
  always_ff @(posedge clk_i) begin
    if (data_write_i) data_q[data_write_place_i] <= data_i;
  end
  always_ff @(posedge clk_i) begin
    if (data_read_i) data_o <= data_q[data_read_place_i];
  end

  // Slices with lanes, of the instruction that is coming in.
  slices_t coming, coming_q;
  assign coming = (slice_i == '0 ? '0 : coming_q) | (slices_t'(lanes_i != '0) << (slice_i ^ order_of(op_i)));
  always_ff @(posedge clk_i) begin
    if (valid_i) coming_q <= coming;
  end

  // As many as there are entries: never full.
  checked_t write, head;
  assign write.op = op_i;
  assign write.slices = coming;
  logic room, waits, next;
  logic [$clog2(lsu_pkg::Entries+1)-1:0] count;
  fifo #(.T(checked_t), .Depth(lsu_pkg::Entries)) u_checked (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (valid_i && last_i),
    .wr_ready_o (room),
    .wr_data_i  (write),
    .rd_valid_o (waits),
    .rd_ready_i (next),
    .rd_data_o  (head),
    .count_o    (count)
  );

  slices_t        done_q, left;
  sm_pkg::slice_t slice;
  access_t        shown_q;
  logic           valid_q, show, final_slice;
  assign left = head.slices & ~done_q;
  assign final_slice = (left & (left - 1'b1)) == '0;
  assign slice = sm_pkg::slice_t'(prim_pkg::first32(32'(left))) ^ order_of(head.op);
  assign show = waits && (!valid_q || taken_i);
  assign next = show && final_slice;
  assign valid_o = valid_q;
  assign lanes_o = shown_q.lanes;
  assign shared_o = shown_q.shared;
  assign addr_o = shown_q.addr;
  assign addr_hi_o = shown_q.addr_hi;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q <= '0;
      valid_q <= 1'b0;
    end else begin
      valid_q <= show || (valid_q && !taken_i);
      if (show) done_q <= final_slice ? '0 : done_q | (left & (~left + 1'b1));
    end
  end
  always_ff @(posedge clk_i) begin
    if (show) begin
      op_o <= head.op;
      slice_o <= slice;
      final_o <= final_slice;
      shown_q <= access_q[lsu_pkg::place_of(head.op.entry, slice)];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_room: assert (!(valid_i && last_i) || room) else $error("lsu_slices: more instructions than entries");
      a_taken: assert (!taken_i || valid_o) else $error("lsu_slices: nothing to take");
      a_count: assert (32'(count) <= lsu_pkg::Entries) else $error("lsu_slices: count");
    end
  end

endmodule
