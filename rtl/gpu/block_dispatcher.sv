// SPDX-License-Identifier: Apache-2.0
// Hands the blocks of a grid to the SMs and counts them home.
//
// Residency: one kernel runs at a time, so all its blocks take the same share of an SM, and block slot k
// always means the same warp slots and shared bytes. At the start the limit is found by adding one block
// after the other until warps, register rows, shared memory or slots are used up: with 8 warps a block,
// 4 sub-partitions and 40 registers, slot 0 takes warps 0-7, slot 1 warps 8-15, ... until a sub-partition's
// 512 rows hold no further pair of warps of 40 rows. Blocks then go out x first, then y, then z, one a
// cycle, to the SMs in turn. Those of a cluster go to one SM, one after the other, into slots that follow each
// other and are all free; only as many slots are in use as whole clusters take.
// Leaves out: several kernels side by side.
module block_dispatcher #(
    localparam int unsigned Sms   = config_pkg::Sms,
    localparam int unsigned Slots = config_pkg::BlocksPerSm
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               start_i,     // one cycle; kernel_i stays
    input  gpu_pkg::kernel_t                   kernel_i,
    input  logic [config_pkg::WarpW:0]         max_warps_i, // run-time limit of resident warps an SM
    output logic                               no_fit_o,    // one cycle: a block exceeds an SM
    output logic                               running_o,   // blocks are left to send or to come home
    output logic                               waiting_o,   // running, and no SM has a free slot
    output logic [31:0]                        blocks_done_o,
    // To each SM.
    output logic             [Sms-1:0]         block_valid_o,
    input  logic             [Sms-1:0]         block_ready_i,
    output gpu_pkg::block_t                    block_o,     // the same for all; taken by the SM with valid
    input  logic             [Sms-1:0]         done_valid_i,
    input  logic [Sms-1:0][config_pkg::BlockSlotW-1:0] done_slot_i
);

  localparam int unsigned SlotW = config_pkg::BlockSlotW;
  localparam int unsigned WarpW = config_pkg::WarpW;
  localparam int unsigned SharedW = config_pkg::SharedW;
  localparam int unsigned SubPartitions = config_pkg::SubPartitions;

  typedef enum logic [1:0] {
    Idle,    // no grid
    Fit,     // finding how many blocks an SM holds, one a cycle
    Send,    // sending blocks
    Collect  // all sent; waiting for the last ones
  } state_e;

  state_e state_q;

  // ---- residency ---------------------------------------------------------------------------------
  logic [SlotW:0]     limit_q;               // block slots in use by this kernel
  logic [WarpW+1:0]   warps_q;               // warp slots taken by limit_q blocks
  logic [SharedW:0]   shared_q;
  logic [WarpW-1:0]   first_warp_q[Slots];
  logic [SharedW-1:0] shared_base_q[Slots];

  // Slots at which a cluster begins, and those of a whole one from there on.
  logic [Slots-1:0]   begins_q, members;
  logic [SlotW:0]     whole;                 // slots of clusters that fit whole

  // Rows that one more block's last warp needs in its sub-partition: ceil(warps / SubPartitions) warps.
  logic [WarpW+1:0] warps_next;
  logic [SharedW+1:0] shared_next;
  logic [17:0]      rows_next;
  logic [8:0]       rows_per_warp;  // 255 registers take 256 rows
  logic             fits;
  assign rows_per_warp = 9'(kernel_i.registers) + 9'(kernel_i.registers[0]);
  assign warps_next    = warps_q + (WarpW + 2)'(kernel_i.block_warps);
  assign shared_next   = (SharedW + 2)'(shared_q) + (SharedW + 2)'(kernel_i.shared_bytes);
  assign rows_next     = 18'((32'(warps_next) + SubPartitions - 1) / SubPartitions) * 18'(rows_per_warp);
  assign fits          = warps_next <= (WarpW + 2)'(max_warps_i) &&
                         rows_next <= 18'(config_pkg::RegisterRows) &&
                         shared_next <= (SharedW + 2)'(config_pkg::SharedBytes) &&
                         limit_q != (SlotW + 1)'(Slots) &&
                         kernel_i.shared_bytes <= 18'(config_pkg::SharedBytes);

  // ---- sending -----------------------------------------------------------------------------------
  logic [Sms-1:0][Slots-1:0]    busy_q;      // slot holds a block
  logic [config_pkg::SmW-1:0]   sm_q;        // SM whose turn it is
  logic [31:0]                  x_q;         // of the cluster's first block
  logic [15:0]                  y_q, z_q;
  gpu_pkg::rank_t               rank_q, in_x_q, in_y_q, in_z_q;  // of the block in its cluster
  logic                         valid_q;     // block_o is offered to SM sm_q
  logic [31:0]                  home_q;      // blocks finished
  logic [15:0]                  out_q;       // blocks sent and not yet finished
  logic [config_pkg::SmW:0]     misses_q;    // SMs in a row found full

  function automatic logic [SlotW:0] free_slot(input logic [Slots-1:0] busy, input logic [SlotW:0] limit);
    // The lowest free slot below limit, with those behind it that a cluster takes; limit if there is none.
    for (int unsigned s = 0; s < Slots; s++) begin
      if ((SlotW + 1)'(s) < limit && (gpu_pkg::HasClusters ? begins_q[s] && (busy >> s & members) == '0 : !busy[s]))
        return (SlotW + 1)'(s);
    end
    return limit;
  endfunction

  logic           last_of_cluster, last_x, last_y, last_z;
  logic [32:0]    next_x;
  logic [16:0]    next_y, next_z;
  assign last_of_cluster = !gpu_pkg::HasClusters || 5'(rank_q) + 5'd1 == kernel_i.cluster_blocks;
  assign next_x = 33'(x_q) + 33'(kernel_i.cluster_x);
  assign next_y = 17'(y_q) + 17'(kernel_i.cluster_y);
  assign next_z = 17'(z_q) + 17'(kernel_i.cluster_z);
  assign last_x = gpu_pkg::HasClusters ? next_x >= 33'(kernel_i.grid_x) : next_x[31:0] == kernel_i.grid_x;
  assign last_y = gpu_pkg::HasClusters ? next_y >= 17'(kernel_i.grid_y) : next_y[15:0] == kernel_i.grid_y;
  assign last_z = gpu_pkg::HasClusters ? next_z >= 17'(kernel_i.grid_z) : next_z[15:0] == kernel_i.grid_z;

  logic [15:0] finished;
  always_comb begin
    finished = '0;
    for (int unsigned s = 0; s < Sms; s++) finished += 16'(done_valid_i[s]);
  end

  logic sent;
  assign sent = valid_q && block_ready_i[sm_q];

  assign running_o     = state_q != Idle;
  assign waiting_o     = state_q == Collect || (state_q == Send && !valid_q && misses_q == (config_pkg::SmW + 1)'(Sms));
  assign blocks_done_o = home_q;

  always_comb begin
    block_valid_o       = '0;
    block_valid_o[sm_q] = valid_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      no_fit_o <= 1'b0;
      valid_q  <= 1'b0;
      busy_q   <= '0;
      sm_q     <= '0;
      home_q   <= '0;
      out_q    <= '0;
      misses_q <= '0;
      block_o  <= '0;
    end else begin
      no_fit_o <= 1'b0;
      if (state_q != Idle) begin
        for (int unsigned s = 0; s < Sms; s++) begin
          if (done_valid_i[s]) busy_q[s][done_slot_i[s]] <= 1'b0;
        end
        home_q <= home_q + 32'(finished);
        out_q  <= out_q + 16'(sent) - finished;
      end
      case (state_q)
        Idle:
        if (start_i) begin
          state_q  <= Fit;
          limit_q  <= '0;
          warps_q  <= '0;
          shared_q <= '0;
          busy_q   <= '0;
          home_q   <= '0;
          out_q    <= '0;
          x_q      <= '0;
          y_q      <= '0;
          z_q      <= '0;
          misses_q <= '0;
          {rank_q, in_x_q, in_y_q, in_z_q} <= '0;
        end
        Fit:
        if (fits) begin
          limit_q  <= limit_q + 1'b1;
          warps_q  <= warps_next;
          shared_q <= shared_next[SharedW:0];
        end else if (whole == '0) begin
          no_fit_o <= 1'b1;
          state_q  <= Idle;
        end else begin
          limit_q <= whole;
          state_q <= Send;
        end
        Send:
        if (!valid_q) begin : choose_slot
          // A cluster's first block looks for it.
          automatic logic [SlotW:0] slot = gpu_pkg::HasClusters && rank_q != '0 ? (SlotW + 1)'(block_o.slot) + 1'b1
                                                                               : free_slot(busy_q[sm_q], limit_q);
          if (slot != limit_q) begin
            valid_q             <= 1'b1;
            misses_q            <= '0;
            block_o.slot        <= SlotW'(slot);
            block_o.first_warp  <= first_warp_q[SlotW'(slot)];
            block_o.shared_base <= shared_base_q[SlotW'(slot)];
            block_o.ctaid_x     <= x_q + 32'(in_x_q);
            block_o.ctaid_y     <= y_q + 16'(in_y_q);
            block_o.ctaid_z     <= z_q + 16'(in_z_q);
            block_o.rank        <= rank_q;
            block_o.cluster_x   <= in_x_q;
            block_o.cluster_y   <= in_y_q;
            block_o.cluster_z   <= in_z_q;
          end else begin
            if (misses_q != (config_pkg::SmW + 1)'(Sms)) misses_q <= misses_q + 1'b1;
            sm_q <= sm_q == config_pkg::SmW'(Sms - 1) ? '0 : sm_q + 1'b1;
          end
        end else if (sent) begin
          valid_q                    <= 1'b0;
          busy_q[sm_q][block_o.slot] <= 1'b1;
          if (!last_of_cluster) begin
            rank_q <= rank_q + gpu_pkg::rank_t'(1);
            in_x_q <= in_x_q + gpu_pkg::rank_t'(1);
            if (5'(in_x_q) + 5'd1 == kernel_i.cluster_x) begin
              in_x_q <= '0;
              in_y_q <= in_y_q + gpu_pkg::rank_t'(1);
              if (5'(in_y_q) + 5'd1 == kernel_i.cluster_y) begin
                in_y_q <= '0;
                in_z_q <= in_z_q + gpu_pkg::rank_t'(1);
              end
            end
          end else begin
            {rank_q, in_x_q, in_y_q, in_z_q} <= '0;
            sm_q <= sm_q == config_pkg::SmW'(Sms - 1) ? '0 : sm_q + 1'b1;
            x_q  <= next_x[31:0];
            if (last_x) begin
              x_q <= '0;
              y_q <= next_y[15:0];
              if (last_y) begin
                y_q <= '0;
                z_q <= next_z[15:0];
                if (last_z) state_q <= Collect;
              end
            end
          end
        end
        Collect: if (out_q == '0) state_q <= Idle;
        default: state_q <= Idle;
      endcase
    end
  end

  // Whole clusters.
  if (!gpu_pkg::HasClusters) begin : g_blocks
    assign whole = limit_q;
    assign {begins_q, members} = '0;
  end else begin : g_clusters
    logic [SlotW:0] whole_q;
    gpu_pkg::rank_t fitting_q;  // of the slot looked at
    logic           last_fitting;
    assign last_fitting = 5'(fitting_q) + 5'd1 == kernel_i.cluster_blocks;
    assign whole = whole_q;
    assign members = Slots'((32'd1 << kernel_i.cluster_blocks) - 32'd1);
    always_ff @(posedge clk_i) begin
      if (state_q == Idle) begin
        whole_q   <= '0;
        fitting_q <= '0;
        begins_q  <= '0;
      end else if (state_q == Fit && fits) begin
        fitting_q <= last_fitting ? '0 : fitting_q + gpu_pkg::rank_t'(1);
        if (last_fitting) whole_q <= limit_q + 1'b1;
        begins_q[SlotW'(limit_q)] <= fitting_q == '0;
      end
    end
  end

  // What slot limit_q would hold, kept while the limit is being found.
  always_ff @(posedge clk_i) begin
    if (state_q == Fit && fits) begin
      first_warp_q[SlotW'(limit_q)]  <= WarpW'(warps_q);
      shared_base_q[SlotW'(limit_q)] <= SharedW'(shared_q);
    end
  end

`ifndef SYNTHESIS
  // A slot that comes home was out: else a block was finished twice.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int unsigned s = 0; s < Sms; s++) begin
        assert_done_was_busy: assert (!done_valid_i[s] || busy_q[s][done_slot_i[s]]);
      end
    end
  end
`endif

endmodule
