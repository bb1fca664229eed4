// SPDX-License-Identifier: Apache-2.0
// Block barriers of an SM: 16 a block slot, counted in threads. One message at a time: threads of a split
// arrive (and wait), or end. When a barrier is complete, each sub-partition is told its warps of the block, one after the other.
//
//   block of 64 threads, bar.sync 0: warp 0 arrives with 32, waiting 32 of 64 alive; 20 threads of warp 1 end:
//   alive 44; the other 12 arrive: waiting 44 = alive: both warps go on
//
// Complete: as many threads arrived as the instruction names, or all live threads of the block wait. An arrival is counted
// and checked in one cycle, after which the next one waits for ArriveLag cycles; in block RAM in two steps of two. While warps
// are told, messages are taken until one completes a barrier: that waits for its turn. In block RAM none is.
module block_barrier #(
  // Barriers are block RAM: a step that reads one takes a cycle more, and a block begins a cycle later, so that who
  // offers one reaches no step. The choice of a small multiprocessor.
  parameter bit           BlockRam = sm_pkg::RowSlices > 1,
  parameter int unsigned  ArriveLag = 32'(config_pkg::Latency[isa_pkg::LatArrive]),
  // Instead of blocks it is clusters that have a barrier, one each, where threads arrive without waiting here. What is
  // said of a block then holds for all blocks of a cluster, its slot is that of the first one, and expected is not used.
  parameter bit           Clusters = 1'b0,
  localparam int unsigned ThreadW = Clusters ? 15 : 11,
  localparam int unsigned CountW = Clusters ? 10 : 6,
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
  input  logic [ThreadW-1:0]           block_threads_i,
  input  logic [CountW-1:0]            block_warps_i,    // of every block of the kernel
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
  output core_pkg::release_t           release_o [Parts],
  output logic                         busy_o
);

  localparam int unsigned PartW = config_pkg::SubPartitionW;

  localparam int unsigned IdW = Clusters ? 1 : 4;
  localparam int unsigned Ids = 2 ** IdW;
  typedef logic [ThreadW-1:0] threads_t;
  typedef struct packed {
    threads_t    arrived;
    threads_t    waiting;
    logic [10:0] expected;  // 0: all threads of the block that live
    logic [10:0] ones;
  } barrier_t;

  typedef enum logic [1:0] {
    Idle,    // takes a message; so does Release
    Check,   // one barrier of the block a cycle
    Release  // one warp of the block a cycle and sub-partition
  } state_e;

  state_e            state_q;
  threads_t          live_q [Slots];
  logic [WarpW-1:0]  first_q [Slots];
  logic [Ids-1:0]    used_q [Slots];           // barriers with arrivals
  logic [Slots-1:0]  phase_q;                  // Clusters: how often they have opened, modulo 2
  (* no_rw_check *) barrier_t barrier_q [2**SlotW*Ids];  // a step reads first, then writes
  barrier_t          read_q;                   // BlockRam: what the cycle before read
  logic              looked_q;
  logic [SlotW-1:0]  slot_of_q [config_pkg::WarpsPerSm];

  logic [SlotW-1:0]  slot_q;
  logic [Ids-1:0]    check_q;
  logic [IdW-1:0]    id_q;       // BlockRam: whose barrier was read
  core_pkg::release_t release_q; // of no warp
  logic [CountW-1:0] left_q [Parts];  // warps still to tell
  core_pkg::warp_t   warp_q [Parts];  // to tell next

  // The block that begins.
  logic              begins;
  logic [SlotW-1:0]  begin_slot;
  logic [WarpW-1:0]  begin_first;
  if (!BlockRam) begin : g_begin_now
    assign {begins, begin_slot, begin_first} = {block_valid_i, block_slot_i, block_first_i};
  end else begin : g_begin_next
    logic [SlotW+WarpW-1:0] block_q;
    logic                   valid_q;
    always_ff @(posedge clk_i) begin
      valid_q <= block_valid_i && rst_ni;
      block_q <= {block_slot_i, block_first_i};
    end
    assign {begins, begin_slot, begin_first} = {valid_q, block_q};
  end

  // The message of this cycle.
  logic              valid;
  logic [PartW-1:0]  part;
  logic [Parts-1:0]  grant, held_q;
  logic              takes, reads, steps, rests;  // takes: messages
  rr_arbiter #(.N(Parts)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (looked_q ? held_q : rests ? '0 : arrive_valid_i),
    .advance_i (valid && takes && steps),
    .valid_o   (valid),
    .gnt_o     (grant),
    .index_o   (part)
  );
  assign takes = state_q == Idle || (!BlockRam && state_q == Release && check_q == '0);
  assign arrive_ready_o = takes && steps ? grant : '0;
  assign busy_o = state_q != Idle || arrive_valid_i != '0;
  if (ArriveLag == 0) begin : g_no_rest
    assign rests = 1'b0;
  end else begin : g_rest
    logic [$clog2(ArriveLag+1)-1:0] rest_q;
    assign rests = rest_q != '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) rest_q <= '0;
      else if ((arrive_valid_i & arrive_ready_o) != '0 && !m.ends) rest_q <= ($clog2(ArriveLag+1))'(ArriveLag);
      else if (rests) rest_q <= rest_q - 1'b1;
    end
  end

  // The barrier that this step looks at.
  core_pkg::arrive_t m;
  logic [SlotW-1:0]  slot;
  logic [IdW-1:0]    look, id;
  assign m = arrive_i[part];
  assign slot = takes ? slot_of_q[m.warp] : slot_q;
  assign look = Clusters ? '0 : takes ? IdW'(m.id) : IdW'(prim_pkg::first32(32'(check_q)));
  assign id = BlockRam ? id_q : look;
  assign reads = state_q == Check || (takes && valid);
  assign steps = !BlockRam || ((looked_q || !reads) && !begins);
  always_ff @(posedge clk_i) begin
    if (BlockRam && reads && !looked_q) begin
      read_q <= barrier_q[{slot, look}];
      id_q <= look;
    end
  end
  always_ff @(posedge clk_i) begin
    looked_q <= BlockRam && rst_ni && reads && (!looked_q || begins);
    if (!looked_q) held_q <= grant;
  end

  for (genvar p = 0; p < int'(Parts); p++) begin : g_release
    assign release_valid_o[p] = state_q == Release && left_q[p] != '0;
    always_comb begin
      release_o[p] = release_q;
      release_o[p].warp = warp_q[p];
    end
  end

  always_ff @(posedge clk_i) begin
    automatic barrier_t    b;
    automatic logic [Ids-1:0] used;
    automatic threads_t    live;
    automatic logic        checks, complete;  // looks whether the barrier is complete
    automatic logic        more;    // warps are left to tell
    automatic logic        later;   // this message's barriers are looked at when all are told
    automatic logic [31:0] behind;  // a sub-partition's first warp is so far behind the block's
    if (!rst_ni) begin
      state_q <= Idle;
      check_q <= '0;
    end else begin
      later = 1'b0;
      if (steps && reads) begin
        b = BlockRam ? read_q : barrier_q[{slot, id}];
        used = used_q[slot];
        live = live_q[slot];
        checks = state_q == Check || (!BlockRam && !m.ends);
        check_q[id] <= 1'b0;
        if (takes) begin
          slot_q <= slot;
          if (m.ends) begin
            live = live - ThreadW'(m.threads);
            if (Clusters && used[id] && m.phase == phase_q[slot]) begin
              b.arrived = b.arrived - ThreadW'(m.ones);
              b.waiting = b.waiting - ThreadW'(m.ones);
              barrier_q[{slot, id}] <= b;
            end
            check_q <= used;
            later = used != '0;
            if (later && state_q == Idle) state_q <= Check;
          end else begin
            if (!used[id]) b = '0;
            b.arrived = b.arrived + ThreadW'(m.threads);
            if (Clusters || m.waits) b.waiting = b.waiting + ThreadW'(m.threads);
            b.expected = Clusters ? '0 : m.expected;
            b.ones = b.ones + 11'(m.ones);
            barrier_q[{slot, id}] <= b;
            used[id] = 1'b1;
            if (BlockRam) begin
              check_q <= Ids'(1) << id;
              state_q <= Check;
            end
          end
        end
        complete = (b.waiting != '0 && b.waiting == live) || (b.expected != '0 && b.arrived >= ThreadW'(b.expected));
        if (checks) begin
          if (complete && state_q == Release) begin
            later = 1'b1;
            check_q[id] <= 1'b1;
          end else if (complete) begin
            used[id] = 1'b0;
            release_q.warp <= '0;
            release_q.id <= Clusters ? core_pkg::ClusterBarrier : 5'(id);
            release_q.ones <= b.ones;
            release_q.all <= ThreadW'(b.ones) == b.arrived;
            release_q.any <= b.ones != '0;
            for (int unsigned p = 0; p < Parts; p++) begin
              behind = (p + Parts - 32'(first_q[slot]) % Parts) % Parts;
              warp_q[p] <= core_pkg::warp_t'((32'(first_q[slot]) + behind) / Parts);
              left_q[p] <= CountW'((32'(block_warps_i) + Parts - 1 - behind) / Parts);
            end
            if (Clusters) phase_q[slot] <= !phase_q[slot];
            state_q <= Release;
          end else if (state_q == Check && (check_q & (check_q - Ids'(1))) == '0) begin
            state_q <= Idle;
          end
        end
        used_q[slot] <= used;
        live_q[slot] <= live;
      end
      if (state_q == Release) begin
        more = 1'b0;
        for (int unsigned p = 0; p < Parts; p++) begin
          if (release_valid_o[p] && release_ready_i[p]) begin
            warp_q[p] <= warp_q[p] + core_pkg::warp_t'(1);
            left_q[p] <= left_q[p] - CountW'(1);
            more = more || left_q[p] != CountW'(1);
          end else begin
            more = more || left_q[p] != '0;
          end
        end
        if (!more) state_q <= check_q == '0 && !later ? Idle : Check;
      end
      if (begins) begin
        live_q[begin_slot] <= block_threads_i;
        first_q[begin_slot] <= begin_first;
        used_q[begin_slot] <= '0;
        if (Clusters) phase_q[begin_slot] <= 1'b0;
      end
      if (warp_valid_i) slot_of_q[warp_i] <= warp_slot_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && valid && takes && steps) begin
      // More threads than live would mean that a lane arrived or ended twice.
      a_threads: assert (ThreadW'(arrive_i[part].threads) <= live_q[slot_of_q[arrive_i[part].warp]])
        else $error("block_barrier: more threads than live");
    end
  end

endmodule
