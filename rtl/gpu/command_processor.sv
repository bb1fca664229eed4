// SPDX-License-Identifier: Apache-2.0
// Fetches commands from the rings in host memory, executes them one at a time, and writes completion
// records. The rings are served in turn, a ring in order.
//
// One command: fetch (four sector reads) -> execute (launch, copy, fill or nothing) -> completion record
// -> head of the ring and interrupt. A launch ends when the last block is home and every SM is idle, or
// with a fault, a timeout or a deadlock; then `stop_o` resets the SMs and the device refuses work until
// its reset. So it does when host memory refuses the command or its record: there is no place then to
// write a record to.
// Leaves out: several commands at once.
module command_processor #(
    localparam int unsigned Rings = config_pkg::Rings,
    localparam int unsigned RingW = Rings > 1 ? $clog2(Rings) : 1
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    // Rings, from the registers.
    input  logic [Rings-1:0][63:0]        ring_base_i,
    input  logic [Rings-1:0][15:0]        ring_mask_i,   // entries - 1
    input  logic [Rings-1:0][31:0]        ring_tail_i,
    output logic [Rings-1:0][31:0]        ring_head_o,
    input  logic                          reset_i,       // ControlReset was written; held until reset_done_o
    output logic                          reset_done_o,  // one cycle: rings empty, fault cleared
    input  logic [63:0]                   cycle_i,
    input  logic [63:0]                   cycle_limit_i, // 0: none
    output logic                          busy_o,
    output logic                          faulted_o,
    output logic                          irq_completion_o,  // one cycle
    output logic                          irq_fault_o,       // one cycle
    // Host memory; shared with the copy engine, which uses it while a copy runs.
    output logic                          host_req_valid_o,
    input  logic                          host_req_ready_i,
    output mem_pkg::host_req_t            host_req_o,
    input  logic                          host_rsp_valid_i,
    input  mem_pkg::host_rsp_t            host_rsp_i,
    // Copy engine.
    output logic                          copy_start_o,
    output gpu_pkg::copy_t                copy_o,
    output logic                          copying_o,     // the copy engine owns the host link
    input  logic                          copy_done_i,
    input  logic                          copy_error_i,
    // Kernel.
    output logic                          kernel_start_o,  // one cycle; kernel_o is stable from here on
    output gpu_pkg::kernel_t              kernel_o,
    output logic                          kernel_end_o,    // one cycle; with how it ended
    output gpu_pkg::status_t              kernel_status_o,
    output logic [63:0]                   kernel_cycles_o,
    output logic [31:0]                   blocks_total_o,
    output logic                          stop_o,          // hold the SMs in reset
    input  logic                          no_fit_i,
    input  logic                          dispatcher_running_i,
    input  logic                          sms_busy_i,
    input  logic                          sms_stuck_i,     // nothing can move any more
    input  logic                          memory_busy_i,
    input  logic                          fault_i
);

  localparam int unsigned PieceWords = mem_pkg::PieceBits / 32;

  typedef enum logic [3:0] {
    Idle,        // looking for a ring with work
    Fetch,       // asking for the four sectors of the command
    Decode,      // all words are here
    Prepare,     // one cycle for the products of the dimensions
    Launch,      // dispatcher starts
    Run,         // kernel runs
    Stop,        // SMs in reset until memory has answered all they asked
    Copy,        // copy engine runs
    Record,      // writing the completion record
    RecordWait,  // until it is performed
    Finish       // head, interrupt
  } state_e;

  state_e             state_q;
  logic [RingW-1:0]   ring_q;
  logic [31:0]        words_q [32];
  logic [2:0]         asked_q, got_q;   // sectors of the command
  mem_pkg::piece_t    piece_q;          // of the record, to write next
  logic               refused_q;        // host memory refused one of them
  logic               faulted_q;
  gpu_pkg::status_t   status_q;
  logic [63:0]        first_cycle_q;
  logic [63:0]        kernel_cycles_q;
  logic [5:0]         stuck_q;          // cycles in a row without hope
  logic [31:0]        blocks_xy_q, blocks_q;
  logic [21:0]        threads_xy_q;
  logic [10:0]        threads_q;

  // ---- command fields ----------------------------------------------------------------------------
  function automatic logic [63:0] pair(input logic [31:0] low, input logic [31:0] high);
    return {high, low};
  endfunction

  logic [7:0]  opcode;
  logic [63:0] completion;
  logic [31:0] threads;
  assign opcode     = words_q[device_pkg::WordOpcode][7:0];
  assign completion = pair(words_q[device_pkg::WordCompletion], words_q[device_pkg::WordCompletion+1]);
  // Two steps, so that each is one small product.
  assign threads    = 32'(threads_xy_q) * {25'd0, words_q[device_pkg::WordBlockZ][6:0]};

  // Blocks of a cluster in one dimension: 0 asks for none.
  function automatic logic [4:0] cluster_size(input logic [31:0] word);
    return gpu_pkg::HasClusters && word != '0 ? word[4:0] : 5'd1;
  endfunction
  logic [4:0]  cluster_x, cluster_y, cluster_z;
  logic [14:0] cluster_blocks;
  logic        cluster_bad;
  assign cluster_x = cluster_size(words_q[device_pkg::WordClusterX]);
  assign cluster_y = cluster_size(words_q[device_pkg::WordClusterY]);
  assign cluster_z = cluster_size(words_q[device_pkg::WordClusterZ]);
  assign cluster_blocks = gpu_pkg::HasClusters ? 15'(cluster_x) * 15'(cluster_y) * 15'(cluster_z) : 15'd1;
  assign cluster_bad = words_q[device_pkg::WordClusterX] > config_pkg::ClusterBlocks ||
      words_q[device_pkg::WordClusterY] > config_pkg::ClusterBlocks ||
      words_q[device_pkg::WordClusterZ] > config_pkg::ClusterBlocks || cluster_blocks > 15'(config_pkg::ClusterBlocks);

  // A launch that no machine could run: a zero dimension, too many threads, too large numbers.
  logic shape_bad;
  assign shape_bad = words_q[device_pkg::WordGridX] == '0 || words_q[device_pkg::WordGridY] == '0 ||
      words_q[device_pkg::WordGridZ] == '0 || words_q[device_pkg::WordGridY][31:16] != '0 ||
      words_q[device_pkg::WordGridZ][31:16] != '0 || threads == '0 || threads > 32'd1024 ||
      words_q[device_pkg::WordBlockX] > 32'd1024 || words_q[device_pkg::WordBlockY] > 32'd1024 ||
      words_q[device_pkg::WordBlockZ] > 32'd64 || words_q[device_pkg::WordRegisters] > 32'd255 ||
      words_q[device_pkg::WordSharedBytes][31:18] != '0 ||
      words_q[device_pkg::WordParamBytes][31:17] != '0 || cluster_bad;

  assign copy_o.fill              = opcode == device_pkg::CommandFill[7:0];
  assign copy_o.source_host       = (words_q[0] & device_pkg::FlagSourceHost) != '0;
  assign copy_o.destination_host  = (words_q[0] & device_pkg::FlagDestinationHost) != '0;
  assign copy_o.source            = pair(words_q[device_pkg::WordSource], words_q[device_pkg::WordSource+1]);
  assign copy_o.destination       = pair(words_q[device_pkg::WordDestination], words_q[device_pkg::WordDestination+1]);
  assign copy_o.bytes             = pair(words_q[device_pkg::WordBytes], words_q[device_pkg::WordBytes+1]);
  assign copy_o.more_rows         = words_q[device_pkg::WordMoreRows];
  assign copy_o.source_pitch      = words_q[device_pkg::WordSourcePitch];
  assign copy_o.destination_pitch = words_q[device_pkg::WordDestinationPitch];
  assign copy_o.pattern           = words_q[device_pkg::WordPattern];

  // ---- host link ---------------------------------------------------------------------------------
  logic [63:5] command_sector;
  assign command_sector = ring_base_i[ring_q][63:5] +
      {41'd0, ring_head_o[ring_q][15:0] & ring_mask_i[ring_q], asked_q[1:0]};
  assign host_req_valid_o = (state_q == Fetch && asked_q != 3'd4) ||
                            (state_q == Record && completion != '0);

  // Completion, contract.h.
  logic [mem_pkg::SectorW-1:0] record;
  mem_pkg::piece_t             piece;
  assign piece  = (mem_pkg::Pieces > 1) ? piece_q : '0;
  assign record = {64'd0, cycle_i, first_cycle_q, 32'(status_q), words_q[device_pkg::WordTag]};

  // On a small machine nothing masks what is nobody's; simulation of a large one does not compute it.
  always_comb begin
    host_req_o = '0;
    if (mem_pkg::Pieces > 1 || host_req_valid_o) begin
      host_req_o.write  = state_q == Record;
      host_req_o.sector = host_req_o.write ? completion[63:5] : command_sector;
      host_req_o.piece  = piece;
      host_req_o.last   = !host_req_o.write || piece == mem_pkg::piece_t'(mem_pkg::Pieces - 1);
      host_req_o.mask   = '1;
      host_req_o.data   = record[mem_pkg::PieceBits*piece+:mem_pkg::PieceBits];
    end
  end

  assign busy_o          = state_q != Idle;
  assign faulted_o       = faulted_q;
  assign copying_o       = state_q == Copy;
  assign stop_o          = state_q == Stop || faulted_q;
  assign kernel_cycles_o = kernel_cycles_q;
  assign blocks_total_o  = blocks_q;
  assign kernel_status_o = status_q;

  // ---- launch fields: the command stays until its kernel has ended ---------------------------------
  logic [5:0] block_warps_q;
  always_comb begin
    kernel_o.entry_pc       = words_q[device_pkg::WordEntryPc];
    kernel_o.registers      = words_q[device_pkg::WordRegisters][7:0];
    kernel_o.shared_bytes   = words_q[device_pkg::WordSharedBytes][17:0];
    kernel_o.dynamic_shared = words_q[device_pkg::WordDynamicShared][17:0];
    kernel_o.local_bytes    = words_q[device_pkg::WordLocalBytes];
    kernel_o.grid_x         = words_q[device_pkg::WordGridX];
    kernel_o.grid_y         = words_q[device_pkg::WordGridY][15:0];
    kernel_o.grid_z         = words_q[device_pkg::WordGridZ][15:0];
    kernel_o.block_x        = words_q[device_pkg::WordBlockX][10:0];
    kernel_o.block_y        = words_q[device_pkg::WordBlockY][10:0];
    kernel_o.block_z        = words_q[device_pkg::WordBlockZ][6:0];
    kernel_o.block_threads  = threads_q;
    kernel_o.block_warps    = block_warps_q;
    kernel_o.clusters       = words_q[device_pkg::WordClusterX] != '0;
    kernel_o.cluster_x      = cluster_x;
    kernel_o.cluster_y      = cluster_y;
    kernel_o.cluster_z      = cluster_z;
    kernel_o.cluster_blocks = cluster_blocks[4:0];
    kernel_o.param_base     = {words_q[device_pkg::WordParamBase+1][7:0], words_q[device_pkg::WordParamBase]};
    kernel_o.param_bytes    = words_q[device_pkg::WordParamBytes][16:0];
    kernel_o.const_base     = {words_q[device_pkg::WordConstBase+1][7:0], words_q[device_pkg::WordConstBase]};
    kernel_o.local_base     = {words_q[device_pkg::WordLocalBase+1][7:0], words_q[device_pkg::WordLocalBase]};
    kernel_o.envreg0        = words_q[device_pkg::WordEnvreg0];
    kernel_o.envreg1        = words_q[device_pkg::WordEnvreg1];
    kernel_o.grid_id        = words_q[device_pkg::WordGridId];
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Launch) block_warps_q <= 6'((threads_q + 11'd31) >> 5);
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Fetch && host_rsp_valid_i) begin
      for (int unsigned w = 0; w < PieceWords; w++)
        words_q[{got_q[1:0], 3'(host_rsp_i.piece) << $clog2(PieceWords) | 3'(w)}] <= host_rsp_i.data[32*w+:32];
    end
  end

  // Counters apart from the state machine, so that clearing and holding them costs no logic in front of each bit.
  logic resets;
  assign resets = state_q == Idle && reset_i && !reset_done_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q == Launch) kernel_cycles_q <= '0;
    else if (state_q == Run) kernel_cycles_q <= kernel_cycles_q + 64'd1;
    if (!rst_ni || resets) ring_head_o <= '0;
    else if (state_q == Finish) ring_head_o[ring_q] <= ring_head_o[ring_q] + 32'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q          <= Idle;
      ring_q           <= '0;
      asked_q          <= '0;
      got_q            <= '0;
      piece_q          <= '0;
      refused_q        <= 1'b0;
      faulted_q        <= 1'b0;
      status_q         <= '0;
      irq_completion_o <= 1'b0;
      irq_fault_o      <= 1'b0;
      copy_start_o     <= 1'b0;
      kernel_start_o   <= 1'b0;
      blocks_q         <= '0;
      stuck_q          <= '0;
      reset_done_o     <= 1'b0;
      kernel_end_o     <= 1'b0;
    end else begin
      irq_completion_o <= 1'b0;
      irq_fault_o      <= 1'b0;
      copy_start_o     <= 1'b0;
      kernel_start_o   <= 1'b0;
      reset_done_o     <= 1'b0;
      kernel_end_o     <= 1'b0;
      case (state_q)
        Idle:
        if (resets) begin
          faulted_q    <= 1'b0;
          reset_done_o <= 1'b1;
        end else if (!reset_done_o && ring_head_o[ring_q] != ring_tail_i[ring_q]) begin
          state_q   <= Fetch;
          asked_q   <= '0;
          got_q     <= '0;
          refused_q <= 1'b0;
        end else if (Rings > 1) begin
          ring_q <= ring_q == RingW'(Rings - 1) ? '0 : ring_q + 1'b1;
        end
        Fetch: begin
          if (host_req_valid_o && host_req_ready_i) asked_q <= asked_q + 1'b1;
          if (host_rsp_valid_i) begin
            refused_q <= refused_q || host_rsp_i.error;
            if (host_rsp_i.last) begin
              got_q <= got_q + 1'b1;
              if (got_q == 3'd3) state_q <= Decode;
            end
          end
        end
        Decode: begin
          first_cycle_q <= cycle_i;
          status_q      <= device_pkg::StatusOk[2:0];
          threads_xy_q  <= 22'(words_q[device_pkg::WordBlockX][10:0]) * 22'(words_q[device_pkg::WordBlockY][10:0]);
          blocks_xy_q   <= words_q[device_pkg::WordGridX] * {16'd0, words_q[device_pkg::WordGridY][15:0]};
          state_q       <= Record;
          if (refused_q) begin
            faulted_q   <= 1'b1;
            irq_fault_o <= 1'b1;
            state_q     <= Finish;
          end else if (faulted_q) begin
            status_q <= device_pkg::StatusAborted[2:0];
          end else if (opcode == device_pkg::CommandLaunch[7:0]) begin
            state_q <= Prepare;
          end else if (opcode == device_pkg::CommandCopy[7:0] || opcode == device_pkg::CommandFill[7:0]) begin
            copy_start_o <= 1'b1;
            state_q      <= Copy;
          end else if (opcode != device_pkg::CommandNop[7:0]) begin
            status_q <= device_pkg::StatusBadCommand[2:0];
          end
        end
        Prepare: begin
          threads_q <= threads[10:0];
          blocks_q  <= blocks_xy_q * {16'd0, words_q[device_pkg::WordGridZ][15:0]};
          if (shape_bad) begin
            status_q <= device_pkg::StatusBadCommand[2:0];
            state_q  <= Record;
          end else begin
            state_q <= Launch;
          end
        end
        Launch: begin
          kernel_start_o <= 1'b1;
          stuck_q        <= '0;
          state_q        <= Run;
        end
        Run: begin
          stuck_q <= sms_stuck_i ? stuck_q + 6'd1 : '0;
          if (reset_i) begin
            status_q  <= device_pkg::StatusAborted[2:0];
            faulted_q <= 1'b1;
            state_q   <= Stop;
          end else if (fault_i) begin
            status_q  <= device_pkg::StatusFault[2:0];
            faulted_q <= 1'b1;
            state_q   <= Stop;
          end else if (no_fit_i) begin
            status_q     <= device_pkg::StatusBadCommand[2:0];
            kernel_end_o <= 1'b1;
            state_q      <= Record;
          end else if (stuck_q == '1) begin
            status_q  <= device_pkg::StatusDeadlock[2:0];
            faulted_q <= 1'b1;
            state_q   <= Stop;
          end else if (cycle_limit_i != '0 && kernel_cycles_q >= cycle_limit_i) begin
            status_q  <= device_pkg::StatusTimeout[2:0];
            faulted_q <= 1'b1;
            state_q   <= Stop;
          end else if (!kernel_start_o && !dispatcher_running_i && !sms_busy_i) begin
            kernel_end_o <= 1'b1;
            state_q      <= Record;
          end
        end
        Stop:
        if (!memory_busy_i) begin
          irq_fault_o  <= 1'b1;
          kernel_end_o <= 1'b1;
          state_q      <= Record;
        end
        Copy:
        if (copy_done_i) begin
          if (copy_error_i) status_q <= device_pkg::StatusBadCommand[2:0];
          state_q <= Record;
        end
        Record:
        if (completion == '0) state_q <= Finish;
        else if (host_req_ready_i) begin
          piece_q <= host_req_o.last ? '0 : piece_q + 1'b1;
          if (host_req_o.last) state_q <= RecordWait;
        end
        RecordWait:
        if (host_rsp_valid_i) begin
          if (host_rsp_i.error) begin
            faulted_q   <= 1'b1;
            irq_fault_o <= 1'b1;
          end
          state_q <= Finish;
        end
        Finish: begin
          irq_completion_o <= (words_q[0] & device_pkg::FlagIrq) != '0 && !refused_q;
          state_q          <= Idle;
        end
        default: state_q <= Idle;
      endcase
    end
  end

endmodule
