// SPDX-License-Identifier: Apache-2.0
// Blocks of an SM: takes a block, starts its warps one a cycle, and counts them home.
//
// Lane 0 of warp w is thread 32 w of the block. Its (x, y, z) is that of the warp before plus 32 in the mixed
// radix of the block's size; that sum's digits are found once a kernel by counting to 32.
//   block (24, 4, 1): 32 = (8, 1, 0); warps begin at (0,0,0), (8,1,0), (16,2,0)
module block_slots #(
  // A warp that comes home is counted in the cycle after. The choice of a small multiprocessor.
  parameter bit           Staged = sm_pkg::RowSlices > 1,
  localparam int unsigned Parts = config_pkg::SubPartitions,
  localparam int unsigned PartW = config_pkg::SubPartitionW,
  localparam int unsigned SlotW = config_pkg::BlockSlotW,
  localparam int unsigned WarpW = config_pkg::WarpW,
  localparam int unsigned Warps = config_pkg::WarpsPerSm
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  gpu_pkg::kernel_t         kernel_i,
  input  logic                     kernel_start_i,
  input  logic                     hold_i,          // something is not ready for the kernel yet
  input  logic                     block_valid_i,
  output logic                     block_ready_o,
  input  gpu_pkg::block_t          block_i,
  // Warps begin.
  output logic [Parts-1:0]         start_valid_o,
  output core_pkg::start_t         start_o,
  output logic [WarpW-1:0]         start_slot_o,    // warp slot in the SM
  // Warps that are done, with nothing in flight.
  input  logic [Parts-1:0]         ended_valid_i,
  output logic [Parts-1:0]         ended_ready_o,
  input  core_pkg::warp_t          ended_warp_i [Parts],
  output logic                     done_valid_o,
  output logic [SlotW-1:0]         done_slot_o,
  output logic [Warps-1:0]         resident_o,
  // Who a warp is, for faults.
  input  logic [WarpW-1:0]         who_warp_i,
  output logic [4:0]               who_index_o,     // of the warp in its block
  output gpu_pkg::block_t          who_block_o,
  output logic                     busy_o           // warps are being started
);

  typedef struct packed {
    logic [10:0] x;
    logic [10:0] y;
    logic [6:0]  z;
  } tid_t;

  // ---- 32 as digits ----------------------------------------------------------------------------------
  tid_t       step_q;
  logic [5:0] counted_q;  // 32: step_q is complete
  logic       counted;
  assign counted = counted_q[5];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      counted_q <= 6'd0;
    end else if (kernel_start_i) begin
      counted_q <= 6'd0;
      step_q <= '0;
    end else if (!counted) begin
      counted_q <= counted_q + 6'd1;
      step_q.x <= step_q.x + 11'd1;
      if (step_q.x + 11'd1 == kernel_i.block_x) begin
        step_q.x <= '0;
        step_q.y <= step_q.y + 11'd1;
        if (step_q.y + 11'd1 == kernel_i.block_y) begin
          step_q.y <= '0;
          step_q.z <= step_q.z + 7'd1;
        end
      end
    end
  end

  function automatic tid_t advance(input tid_t tid, input tid_t step, input logic [10:0] size_x, input logic [10:0] size_y);
    logic [11:0] x, y;
    logic        carry_x, carry_y;
    x = 12'(tid.x) + 12'(step.x);
    carry_x = x >= 12'(size_x);
    y = 12'(tid.y) + 12'(step.y) + 12'(carry_x);
    carry_y = y >= 12'(size_y);
    if (carry_x) x = x - 12'(size_x);
    if (carry_y) y = y - 12'(size_y);
    return '{x: x[10:0], y: y[10:0], z: tid.z + step.z + 7'(carry_y)};
  endfunction

  // ---- starting ----------------------------------------------------------------------------------------
  logic             starting_q;
  gpu_pkg::block_t  block_q;
  logic [WarpW-1:0] warp_q;
  logic [4:0]       index_q;
  logic [10:0]      threads_q;  // from this warp on
  tid_t             tid_q;

  assign block_ready_o = !starting_q && !hold_i && counted && !kernel_start_i;
  assign busy_o = starting_q;
  assign start_slot_o = warp_q;
  always_comb begin
    start_valid_o = '0;
    start_o = '0;
    if (starting_q) start_valid_o[PartW'(32'(warp_q) % Parts)] = 1'b1;
    if (Staged || starting_q) begin  // a small multiprocessor saves the gates
      start_o.warp = core_pkg::warp_t'(32'(warp_q) / Parts);
      start_o.mask = threads_q >= 11'd32 ? '1 : (32'd1 << threads_q[4:0]) - 32'd1;
      start_o.block_slot = block_q.slot;
      start_o.shared_base = block_q.shared_base;
      // Register counts are rounded up to even, so that pairs stay aligned.
      start_o.row = config_pkg::RowW'((32'(warp_q) / Parts) * (32'(kernel_i.registers) + 32'(kernel_i.registers[0])));
      start_o.index = index_q;
      start_o.tid_x = tid_q.x;
      start_o.tid_y = tid_q.y;
      start_o.tid_z = tid_q.z;
      start_o.ctaid_x = block_q.ctaid_x;
      start_o.ctaid_y = block_q.ctaid_y;
      start_o.ctaid_z = block_q.ctaid_z;
      start_o.rank = block_q.rank;
      start_o.cluster_x = block_q.cluster_x;
      start_o.cluster_y = block_q.cluster_y;
      start_o.cluster_z = block_q.cluster_z;
    end
  end

  // ---- coming home ---------------------------------------------------------------------------------------
  logic             ended_valid, home_valid;
  logic [PartW-1:0] ended_part;
  logic [WarpW-1:0] ended_slot, home_slot;
  rr_arbiter #(.N(Parts)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (ended_valid_i),
    .advance_i (ended_valid),
    .valid_o   (ended_valid),
    .gnt_o     (ended_ready_o),
    .index_o   (ended_part)
  );
  assign ended_slot = core_pkg::slot_of(ended_warp_i[ended_part], ended_part);
  if (!Staged) begin : g_direct
    assign home_valid = ended_valid;
    assign home_slot = ended_slot;
  end else begin : g_staged
    logic             valid_q;
    logic [WarpW-1:0] slot_q;
    always_ff @(posedge clk_i) begin
      valid_q <= ended_valid && rst_ni;
      slot_q <= ended_slot;
    end
    assign home_valid = valid_q;
    assign home_slot = slot_q;
  end

  logic [Warps-1:0] resident_q;
  logic [5:0]       left_q [config_pkg::BlocksPerSm];   // warps of the block not yet home
  gpu_pkg::block_t  who_block_q [config_pkg::BlocksPerSm];
  logic [SlotW-1:0] slot_q [Warps];
  logic [4:0]       warp_index_q [Warps];
  logic [SlotW-1:0] home_block;
  assign home_block = slot_q[home_slot];
  assign resident_o = resident_q;
  assign who_index_o = warp_index_q[who_warp_i];
  assign who_block_o = who_block_q[slot_q[who_warp_i]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      starting_q <= 1'b0;
      resident_q <= '0;
      done_valid_o <= 1'b0;
      done_slot_o <= '0;
    end else begin
      done_valid_o <= 1'b0;
      if (block_valid_i && block_ready_o) begin
        starting_q <= 1'b1;
        block_q <= block_i;
        warp_q <= block_i.first_warp;
        index_q <= '0;
        threads_q <= kernel_i.block_threads;
        tid_q <= '0;
        left_q[block_i.slot] <= kernel_i.block_warps;
        who_block_q[block_i.slot] <= block_i;
      end
      if (starting_q) begin
        resident_q[warp_q] <= 1'b1;
        slot_q[warp_q] <= block_q.slot;
        warp_index_q[warp_q] <= index_q;
        warp_q <= warp_q + WarpW'(1);
        index_q <= index_q + 5'd1;
        threads_q <= threads_q - 11'd32;
        tid_q <= advance(tid_q, step_q, kernel_i.block_x, kernel_i.block_y);
        if (threads_q <= 11'd32) starting_q <= 1'b0;
      end
      if (home_valid) begin
        resident_q[home_slot] <= 1'b0;
        left_q[home_block] <= left_q[home_block] - 6'd1;
        if (left_q[home_block] == 6'd1) begin
          done_valid_o <= 1'b1;
          done_slot_o <= home_block;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A warp begins in a free slot and ends once.
      a_start: assert (!starting_q || !resident_q[warp_q]) else $error("block_slots: warp slot in use");
      a_end: assert (!home_valid || resident_q[home_slot]) else $error("block_slots: warp ends twice");
    end
  end

endmodule
