// SPDX-License-Identifier: Apache-2.0
// The first stage of the load/store unit, and the way from it to the pipes of shared and device memory.
//
//   req -> lsu_address -> pipes                 rows move whole
//   req -> lsu_address -> lsu_slices -> pipe    rows move in slices, which wait until all are checked
//
// An instruction with lanes in both goes to shared memory first, and on when it is through there. A release waits here; what
// comes behind it waits, too.
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

  // A release waits for what its warp has begun and, where it says so, for its stores.
  output lsu_pkg::op_t                  op_o,
  input  logic                          earlier_i,      // the warp has accesses that have started and are not complete
  input  logic [config_pkg::WarpsPerSm-1:0] pending_i,  // warps with stores that are not acknowledged
  output logic                          start_o,        // it starts
  output logic                          note_o,         // of a slice: its offsets, before its first pass
  output lsu_pkg::place_t               note_place_o,
  output lsu_pkg::offsets_t             note_offset_o,

  // To lsu_select of each pipe.
  output logic [lsu_pkg::Pipes-1:0]     valid_o,
  input  logic [lsu_pkg::Pipes-1:0]     taken_i,
  input  logic                          shared_idle_i,  // nothing is under way in the pipe of shared memory
  output sm_pkg::slice_t                slice_o,
  output logic                          final_o,
  output sm_pkg::lanes_t                lanes_o,
  output sm_pkg::lanes_t                shared_o,
  output sm_pkg::row_t                  addr_o,
  output logic [lsu_pkg::Lanes-1:0][7:0] addr_hi_o,
  output sm_pkg::row_t [3:0]            data_o,         // rows whole
  output sm_pkg::row_t                  copy_addr_o,    // of a copy: byte in the SM's shared memory

  input  logic                          data_read_i,    // rows in slices: a pass that stores goes
  input  lsu_pkg::place_t               data_read_place_i,
  output sm_pkg::row_t [3:0]            data_waiting_o  // its data, from the next cycle on
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
    .data_o        (op_data),
    .copy_addr_o   (copy_addr_o)
  );

  // What goes to the pipes: a whole instruction, or a slice of a checked one.
  logic           valid, taken, last_slice;
  sm_pkg::lanes_t lanes;

  if (sm_pkg::RowSlices == 1) begin : g_whole
    assign valid = address_valid && address_last;
    assign address_taken = taken;
    assign last_slice = 1'b1;
    assign op_o = op;
    assign slice_o = address_slice;
    assign lanes = op_lanes;
    assign shared_o = op_shared;
    assign addr_o = addr;
    assign addr_hi_o = addr_hi;
    assign data_o = op_data;
    assign data_waiting_o = '0;
    logic unused;
    assign unused = ^{data_read_i, data_read_place_i};
  end else begin : g_slices
    assign address_taken = 1'b1;
    assign data_o = '0;
    logic unused;
    assign unused = ^op_data;
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
      .valid_o            (valid),
      .taken_i            (taken),
      .final_o            (last_slice),
      .op_o               (op_o),
      .slice_o            (slice_o),
      .lanes_o            (lanes),
      .shared_o           (shared_o),
      .addr_o             (addr_o),
      .addr_hi_o          (addr_hi_o),
      .data_read_i        (data_read_i),
      .data_read_place_i  (data_read_place_i),
      .data_o             (data_waiting_o)
    );
  end

  // ---- a release; a MEMBAR waits in its entry ----------------------------------------------------------
  logic begun_q, waits, goes;
  assign waits = op_o.waits && op_o.cls != lsu_pkg::ClassFence && (earlier_i || (op_o.stores_too && pending_i[op_o.warp]));
  assign goes = valid && (begun_q || !waits);
  assign start_o = goes && !begun_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b0;
    else if (goes) begun_q <= !(taken && last_slice);
  end

  // ---- to the pipes -----------------------------------------------------------------------------------
  if (lsu_pkg::Pipes == 1) begin : g_one_pipe
    assign valid_o = goes;
    assign taken = taken_i[0];
    assign lanes_o = lanes;
    assign final_o = last_slice;
    logic unused;
    assign unused = shared_idle_i;
  end else begin : g_pipes
    logic half_q;  // its lanes in shared memory have gone
    logic to_shared, mixed;
    assign to_shared = shared_o != '0 && !half_q;
    assign mixed = to_shared && lanes != shared_o;
    assign valid_o[lsu_pkg::SharedPipe] = goes && to_shared;
    assign valid_o[lsu_pkg::DevicePipe] = goes && !to_shared && (!half_q || shared_idle_i);
    assign taken = to_shared ? taken_i[lsu_pkg::SharedPipe] && !mixed : taken_i[lsu_pkg::DevicePipe];
    assign lanes_o = to_shared ? shared_o : lanes & ~shared_o;
    assign final_o = !mixed;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) half_q <= 1'b0;
      else if (goes) half_q <= !taken && (half_q || (mixed && taken_i[lsu_pkg::SharedPipe]));
    end
  end

  // Rows whole: once. A slice is noted in each cycle in which it waits.
  assign note_o = sm_pkg::RowSlices == 1 ? start_o : goes;
  assign note_place_o = lsu_pkg::place_of(op_o.entry, slice_o);
  for (genvar lane = 0; lane < int'(lsu_pkg::Lanes); lane++) begin : g_offset
    assign note_offset_o[lane] = 8'(addr_o[lane][lsu_pkg::OffsetW-1:0]);
  end

endmodule
