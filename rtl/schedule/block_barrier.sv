// SPDX-License-Identifier: Apache-2.0
// Block barriers of an SM: 16 a block slot, counted in threads. One message at a time: threads of a split
// arrive (and wait), or end. When a barrier is complete, the block's warps are told one after the other.
//
//   block of 64 threads, bar.sync 0: warp 0 arrives with 32, waiting 32 of 64 alive; 20 threads of warp 1 end:
//   alive 44; the other 12 arrive: waiting 44 = alive: both warps go on
//
// Complete: as many threads arrived as the instruction names, or all live threads of the block wait.
module block_barrier #(
  localparam int unsigned Parts  = config_pkg::SubPartitions,
  localparam int unsigned Slots  = config_pkg::BlocksPerSm,
  localparam int unsigned SlotW  = config_pkg::BlockSlotW,
  localparam int unsigned WarpW  = config_pkg::WarpW
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // A block begins.
  input  logic                         block_valid_i,
  input  logic [SlotW-1:0]             block_slot_i,
  input  logic [WarpW-1:0]             block_first_i,    // its first warp slot
  input  logic [10:0]                  block_threads_i,
  input  logic [5:0]                   block_warps_i,    // of every block of the kernel
  // A warp of it begins.
  input  logic                         warp_valid_i,
  input  logic [WarpW-1:0]             warp_i,
  input  logic [SlotW-1:0]             warp_slot_i,
  // From the sub-partitions.
  input  logic [Parts-1:0]             arrive_valid_i,
  output logic [Parts-1:0]             arrive_ready_o,
  input  core_pkg::arrive_t            arrive_i [Parts],
  output logic [Parts-1:0]             release_valid_o,
  input  logic [Parts-1:0]             release_ready_i,
  output core_pkg::release_t           release_o,
  output logic                         busy_o
);

  localparam int unsigned PartW = config_pkg::SubPartitionW;

  typedef struct packed {
    logic [10:0] arrived;
    logic [10:0] waiting;
    logic [10:0] expected;  // 0: all threads of the block that live
    logic [10:0] ones;
  } barrier_t;

  typedef enum logic [1:0] {
    Idle,    // takes a message
    Check,   // one barrier of the block a cycle
    Release  // one warp of the block a cycle
  } state_e;

  state_e            state_q;
  logic [10:0]       live_q [Slots];
  logic [WarpW-1:0]  first_q [Slots];
  logic [15:0]       used_q [Slots];           // barriers with arrivals
  barrier_t          barrier_q [Slots*16];
  logic [SlotW-1:0]  slot_of_q [config_pkg::WarpsPerSm];

  logic [SlotW-1:0]  slot_q;
  logic [15:0]       check_q;
  logic [5:0]        warps_q;    // still to tell
  logic [WarpW-1:0]  warp_q;     // to tell next
  core_pkg::release_t release_q;

  // The message of this cycle.
  logic              valid;
  logic [PartW-1:0]  part;
  logic [Parts-1:0]  grant;
  rr_arbiter #(.N(Parts)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (arrive_valid_i),
    .advance_i (valid && state_q == Idle),
    .valid_o   (valid),
    .gnt_o     (grant),
    .index_o   (part)
  );
  assign arrive_ready_o = state_q == Idle ? grant : '0;
  assign busy_o = state_q != Idle || valid;

  logic [3:0] id;
  assign id = 4'(prim_pkg::first32(32'(check_q)));
  assign release_o = release_q;
  logic [PartW-1:0] release_part;
  assign release_part = PartW'(32'(warp_q) % Parts);
  always_comb begin
    release_valid_o = '0;
    release_valid_o[release_part] = state_q == Release;
  end

  always_ff @(posedge clk_i) begin
    core_pkg::arrive_t m;
    barrier_t          b;
    logic [SlotW-1:0]  slot;
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      case (state_q)
        Idle: if (valid) begin
          m = arrive_i[part];
          slot = slot_of_q[m.warp];
          slot_q <= slot;
          state_q <= Check;
          if (m.ends) begin
            live_q[slot] <= live_q[slot] - 11'(m.threads);
            check_q <= used_q[slot];
            if (used_q[slot] == '0) state_q <= Idle;
          end else begin
            b = used_q[slot][m.id] ? barrier_q[{slot, m.id}] : '0;
            b.arrived = b.arrived + 11'(m.threads);
            if (m.waits) b.waiting = b.waiting + 11'(m.threads);
            b.expected = m.expected;
            b.ones = b.ones + 11'(m.ones);
            barrier_q[{slot, m.id}] <= b;
            used_q[slot][m.id] <= 1'b1;
            check_q <= 16'd1 << m.id;
          end
        end
        Check: begin
          b = barrier_q[{slot_q, id}];
          check_q[id] <= 1'b0;
          if ((b.waiting != '0 && b.waiting == live_q[slot_q]) || (b.expected != '0 && b.arrived >= b.expected)) begin
            used_q[slot_q][id] <= 1'b0;
            release_q.id <= id;
            release_q.ones <= b.ones;
            release_q.all <= b.ones == b.arrived;
            release_q.any <= b.ones != '0;
            release_q.warp <= core_pkg::warp_t'(32'(first_q[slot_q]) / Parts);
            warp_q <= first_q[slot_q];
            warps_q <= block_warps_i;
            state_q <= Release;
          end else if ((check_q & (check_q - 16'd1)) == '0) begin
            state_q <= Idle;
          end
        end
        Release: if (release_ready_i[release_part]) begin
          warp_q <= warp_q + WarpW'(1);
          release_q.warp <= core_pkg::warp_t'((32'(warp_q) + 32'd1) / Parts);
          warps_q <= warps_q - 6'd1;
          if (warps_q == 6'd1) state_q <= check_q == '0 ? Idle : Check;
        end
        default: state_q <= Idle;
      endcase
      if (block_valid_i) begin
        live_q[block_slot_i] <= block_threads_i;
        first_q[block_slot_i] <= block_first_i;
        used_q[block_slot_i] <= '0;
      end
      if (warp_valid_i) slot_of_q[warp_i] <= warp_slot_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && valid && state_q == Idle) begin
      // More threads than live would mean that a lane arrived or ended twice.
      a_threads: assert (11'(arrive_i[part].threads) <= live_q[slot_of_q[arrive_i[part].warp]])
        else $error("block_barrier: more threads than live");
    end
  end

endmodule
