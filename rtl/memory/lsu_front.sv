// SPDX-License-Identifier: Apache-2.0
// The first two stages of the load/store unit: from instructions to passes.
//
//   req -> lsu_address -> lsu_select -> passes         rows move whole
//   req -> lsu_address -> lsu_slices -> lsu_select     rows move in slices, which wait until all are checked
module lsu_front (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  gpu_pkg::settings_t            settings_i,
  input  gpu_pkg::kernel_t              kernel_i,
  input  logic [config_pkg::SmW-1:0]    sm_id_i,

  input  logic                          req_valid_i,
  output logic                          req_ready_o,
  input  sm_pkg::lsu_req_t              req_i,

  input  logic                          free_i,         // an entry is free: free_entry_i
  input  logic [lsu_pkg::EntryW-1:0]    free_entry_i,
  output logic                          alloc_o,        // an instruction takes it

  output logic                          fault_valid_o,  // one cycle: the instruction of fault_entry_o is gone
  output logic [lsu_pkg::EntryW-1:0]    fault_entry_o,
  output sm_pkg::lsu_fault_t            fault_o,

  output logic                          pass_valid_o,
  input  logic                          pass_ready_i,
  output lsu_pkg::pass_t                pass_o,
  output lsu_pkg::offsets_t             offset_o,
  output lsu_pkg::banks_t               bank_used_o,
  output lsu_pkg::bank_rows_t           bank_row_o,
  output sm_pkg::row_t [3:0]            data_o          // rows in slices: a cycle after the pass has gone
);

  logic                    address_valid, address_taken, address_ready, address_last, has_entry, begins, req_fire;
  lsu_pkg::op_t            op;
  sm_pkg::lanes_t          op_lanes, op_shared;
  sm_pkg::row_t            addr;
  logic [lsu_pkg::Lanes-1:0][7:0] addr_hi;
  sm_pkg::row_t [3:0]      op_data;
  logic [lsu_pkg::EntryW-1:0] entry, entry_q;
  sm_pkg::slice_t          address_slice;

  assign begins = req_i.tag.slice == '0;
  assign has_entry = free_i || !begins;
  assign entry = begins ? free_entry_i : entry_q;
  assign req_ready_o = has_entry && address_ready;
  assign req_fire = req_valid_i && req_ready_o;
  assign alloc_o = req_fire && begins;
  assign fault_entry_o = op.entry;
  always_ff @(posedge clk_i) begin
    if (req_fire && begins) entry_q <= free_entry_i;
  end

  lsu_address u_address (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .settings_i    (settings_i),
    .kernel_i      (kernel_i),
    .sm_id_i       (sm_id_i),
    .req_valid_i   (req_valid_i && has_entry),
    .req_ready_o   (address_ready),
    .req_i         (req_i),
    .entry_i       (entry),
    .fault_valid_o (fault_valid_o),
    .fault_o       (fault_o),
    .valid_o       (address_valid),
    .taken_i       (address_taken),
    .last_o        (address_last),
    .slice_o       (address_slice),
    .op_o          (op),
    .lanes_o       (op_lanes),
    .shared_o      (op_shared),
    .addr_o        (addr),
    .addr_hi_o     (addr_hi),
    .data_o        (op_data)
  );

  // What the select stage works on: a whole instruction, or a slice of a checked one.
  logic               select_valid, select_taken, select_final;
  lsu_pkg::op_t       select_op;
  sm_pkg::slice_t     select_slice;
  sm_pkg::lanes_t     select_lanes, select_shared;
  sm_pkg::row_t       select_addr;
  logic [lsu_pkg::Lanes-1:0][7:0] select_addr_hi;
  sm_pkg::row_t [3:0] select_data, selected_data, waiting_data;
  // Data go through the select stage, or come from where they wait, as the pass goes.
  assign select_data = sm_pkg::RowSlices == 1 ? op_data : '0;
  assign data_o = sm_pkg::RowSlices == 1 ? selected_data : waiting_data;

  if (sm_pkg::RowSlices == 1) begin : g_whole
    assign select_valid = address_valid && address_last;
    assign address_taken = select_taken;
    assign select_final = 1'b1;
    assign select_op = op;
    assign select_slice = address_slice;
    assign select_lanes = op_lanes;
    assign select_shared = op_shared;
    assign select_addr = addr;
    assign select_addr_hi = addr_hi;
    assign waiting_data = '0;
  end else begin : g_slices
    assign address_taken = 1'b1;
    lsu_slices u_slices (
      .clk_i              (clk_i),
      .rst_ni             (rst_ni),
      .data_write_i       (req_fire),
      .data_write_place_i (lsu_pkg::place_of(entry, req_i.tag.slice)),
      .data_i             (req_i.data),
      .valid_i            (address_valid),
      .last_i             (address_last),
      .op_i               (op),
      .slice_i            (address_slice),
      .lanes_i            (op_lanes),
      .shared_i           (op_shared),
      .addr_i             (addr),
      .addr_hi_i          (addr_hi),
      .valid_o            (select_valid),
      .taken_i            (select_taken),
      .final_o            (select_final),
      .op_o               (select_op),
      .slice_o            (select_slice),
      .lanes_o            (select_lanes),
      .shared_o           (select_shared),
      .addr_o             (select_addr),
      .addr_hi_o          (select_addr_hi),
      .data_read_i        (pass_valid_o && pass_ready_i &&
                           (pass_o.op.cls == lsu_pkg::ClassStore || pass_o.op.cls == lsu_pkg::ClassAtomic)),
      .data_read_place_i  (lsu_pkg::place_of(pass_o.op.entry, pass_o.slice)),
      .data_o             (waiting_data)
    );
  end

  lsu_select u_select (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .valid_i      (select_valid),
    .taken_o      (select_taken),
    .op_i         (select_op),
    .slice_i      (select_slice),
    .final_i      (select_final),
    .lanes_i      (select_lanes),
    .shared_i     (select_shared),
    .addr_i       (select_addr),
    .addr_hi_i    (select_addr_hi),
    .data_i       (select_data),
    .pass_valid_o (pass_valid_o),
    .pass_ready_i (pass_ready_i),
    .pass_o       (pass_o),
    .offset_o     (offset_o),
    .bank_used_o  (bank_used_o),
    .bank_row_o   (bank_row_o),
    .data_o       (selected_data)
  );

endmodule
