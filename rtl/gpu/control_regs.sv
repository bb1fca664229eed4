// SPDX-License-Identifier: Apache-2.0
// The register file of the device contract behind an AXI4-Lite port: identification, settings, rings,
// counters, the fault record, the interrupt. 32-bit accesses; unknown offsets read zero and ignore
// writes. Offsets and meanings: host-runtime/device/contract.def.
module control_regs #(
    localparam int unsigned Rings = config_pkg::Rings,
    localparam int unsigned Sms   = config_pkg::Sms,
    localparam int unsigned Warps = config_pkg::WarpsPerSm
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    // AXI4-Lite subordinate.
    input  logic                              s_axil_awvalid_i,
    output logic                              s_axil_awready_o,
    input  logic [15:0]                       s_axil_awaddr_i,
    input  logic                              s_axil_wvalid_i,
    output logic                              s_axil_wready_o,
    input  logic [31:0]                       s_axil_wdata_i,
    output logic                              s_axil_bvalid_o,
    input  logic                              s_axil_bready_i,
    input  logic                              s_axil_arvalid_i,
    output logic                              s_axil_arready_o,
    input  logic [15:0]                       s_axil_araddr_i,
    output logic                              s_axil_rvalid_o,
    input  logic                              s_axil_rready_i,
    output logic [31:0]                       s_axil_rdata_o,
    output logic                              irq_o,
    // Settings.
    output gpu_pkg::settings_t                settings_o,
    output logic [63:0]                       cycle_limit_o,
    output logic [config_pkg::WarpW:0]        max_warps_o,
    output logic [Rings-1:0][63:0]            ring_base_o,
    output logic [Rings-1:0][15:0]            ring_mask_o,
    output logic [Rings-1:0][31:0]            ring_tail_o,
    input  logic [Rings-1:0][31:0]            ring_head_i,
    output logic                              reset_o,
    input  logic                              reset_done_i,
    output logic [63:0]                       cycle_o,
    // State to show.
    input  logic                              busy_i,
    input  logic                              faulted_i,
    input  logic                              irq_completion_i,
    input  logic                              irq_fault_i,
    input  logic                              kernel_start_i,
    input  logic [63:0]                       kernel_cycles_i,
    input  logic [31:0]                       blocks_done_i,
    input  logic [31:0]                       blocks_total_i,
    input  logic [15:0]                       count_warp_i,    // retired this cycle, all SMs
    input  logic [15:0]                       count_thread_i,
    input  logic                              fault_valid_i,   // one cycle, the first fault of a kernel
    input  logic [config_pkg::SmW-1:0]        fault_sm_i,
    input  gpu_pkg::fault_t                   fault_i,
    input  logic                              stopping_i,      // one cycle before the SMs are reset
    input  logic [Warps-1:0]                  resident_i [Sms],   // not packed: with many SMs joining them would be work in every cycle
    input  logic [Warps-1:0]                  waiting_i [Sms]
);

  import device_pkg::*;

  // ---- registers ---------------------------------------------------------------------------------
  logic [63:0] code_base_q, mem_size_q, cycle_limit_q, cycle_q;
  logic [63:0] warps_q, threads_q;  // instructions of the kernel
  logic [31:0] code_size_q, cycles_hi_q;
  logic        code_changed_q;
  logic [1:0]  irq_status_q, irq_enable_q, policy_q;
  logic [15:0] yield_q;
  logic [15:0] max_warps_q;
  logic        l1_enable_q;
  logic [Rings-1:0][15:0] entries_q;
  gpu_pkg::fault_t fault_q;
  logic [config_pkg::SmW-1:0] fault_sm_q;
  logic [Sms-1:0][63:0] resident_q, waiting_q;

  assign settings_o.code_changed   = code_changed_q;
  assign settings_o.code_base      = code_base_q[gpu_pkg::AddrW-1:0];
  assign settings_o.code_size      = code_size_q;
  assign settings_o.mem_end        = MemoryBase[gpu_pkg::AddrW-1:0] + mem_size_q[gpu_pkg::AddrW-1:0];
  assign settings_o.sched_policy   = policy_q;
  assign settings_o.yield_branches = yield_q;
  assign settings_o.l1_enable      = l1_enable_q;
  assign cycle_limit_o             = cycle_limit_q;
  assign max_warps_o = max_warps_q > 16'(Warps) ? (config_pkg::WarpW + 1)'(Warps)
                                                : max_warps_q[config_pkg::WarpW:0];
  assign cycle_o = cycle_q;
  assign irq_o   = (irq_status_q & irq_enable_q) != '0;
  for (genvar r = 0; r < int'(Rings); r++) begin : g_ring_mask
    assign ring_mask_o[r] = entries_q[r] - 16'd1;
  end

  // ---- write -------------------------------------------------------------------------------------
  logic write;
  logic [31:0] waddr, wdata;
  assign write = s_axil_awvalid_i && s_axil_wvalid_i && (!s_axil_bvalid_o || s_axil_bready_i);
  assign s_axil_awready_o = write;
  assign s_axil_wready_o  = write;
  assign waddr = {16'd0, s_axil_awaddr_i[15:2], 2'b00};
  assign wdata = s_axil_wdata_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_axil_bvalid_o <= 1'b0;
      code_base_q     <= '0;
      code_size_q     <= '0;
      code_changed_q  <= 1'b1;
      mem_size_q      <= '0;
      cycle_limit_q   <= '0;
      irq_enable_q    <= '0;
      irq_status_q    <= '0;
      policy_q        <= '0;
      yield_q         <= 16'd64;
      max_warps_q     <= 16'(Warps);
      l1_enable_q     <= 1'b1;
      ring_base_o     <= '0;
      entries_q       <= '0;
      ring_tail_o     <= '0;
      reset_o         <= 1'b0;
    end else begin
      if (s_axil_bready_i) s_axil_bvalid_o <= 1'b0;
      if (irq_completion_i) irq_status_q[0] <= 1'b1;
      if (irq_fault_i) irq_status_q[1] <= 1'b1;
      if (kernel_start_i) code_changed_q <= 1'b0;
      if (reset_done_i) begin
        reset_o      <= 1'b0;
        ring_tail_o  <= '0;
        irq_status_q <= '0;
      end
      if (write) begin
        s_axil_bvalid_o <= 1'b1;
        case (waddr)
          RegMemSizeLo:     mem_size_q[31:0]     <= wdata;
          RegMemSizeHi:     mem_size_q[63:32]    <= wdata;
          RegControl:       if ((wdata & ControlReset) != '0) reset_o <= 1'b1;
          // What is raised in this very cycle stays.
          RegIrqStatus:     irq_status_q         <= (irq_status_q & ~wdata[1:0]) | {irq_fault_i, irq_completion_i};
          RegIrqEnable:     irq_enable_q         <= wdata[1:0];
          RegCodeBaseLo:    code_base_q[31:0]    <= wdata;
          RegCodeBaseHi:    code_base_q[63:32]   <= wdata;
          RegCodeSize: begin
            code_size_q    <= wdata;
            code_changed_q <= 1'b1;
          end
          RegCycleLimitLo:  cycle_limit_q[31:0]  <= wdata;
          RegCycleLimitHi:  cycle_limit_q[63:32] <= wdata;
          RegSchedPolicy:   policy_q             <= wdata[1:0];
          RegYieldBranches: yield_q              <= wdata[15:0];
          RegMaxWarpsPerSm: max_warps_q          <= wdata[15:0];
          RegL1Enable:      l1_enable_q          <= wdata[0];
          default:
          for (int unsigned r = 0; r < Rings; r++) begin
            if (waddr == RegRingBase + r * RegRingStride + RingAddressLo) ring_base_o[r][31:0] <= wdata;
            if (waddr == RegRingBase + r * RegRingStride + RingAddressHi) ring_base_o[r][63:32] <= wdata;
            if (waddr == RegRingBase + r * RegRingStride + RingEntries) entries_q[r] <= wdata[15:0];
            if (waddr == RegRingBase + r * RegRingStride + RingTail) ring_tail_o[r] <= wdata;
          end
        endcase
      end
    end
  end

  // ---- counters and the fault record ---------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q    <= '0;
      warps_q    <= '0;
      threads_q  <= '0;
      fault_q    <= '0;
      fault_sm_q <= '0;
      resident_q <= '0;
      waiting_q  <= '0;
    end else begin
      cycle_q <= cycle_q + 64'd1;
      if (kernel_start_i) begin
        warps_q   <= '0;
        threads_q <= '0;
      end else if (count_warp_i != '0) begin
        warps_q   <= warps_q + 64'(count_warp_i);
        threads_q <= threads_q + 64'(count_thread_i);
      end
      if (reset_done_i) begin
        fault_q <= '0;
      end else if (fault_valid_i) begin
        fault_q    <= fault_i;
        fault_sm_q <= fault_sm_i;
      end
      if (stopping_i) begin
        for (int unsigned s = 0; s < Sms; s++) begin
          resident_q[s] <= 64'(resident_i[s]);
          waiting_q[s]  <= 64'(waiting_i[s]);
        end
      end
    end
  end

  // ---- read --------------------------------------------------------------------------------------
  logic [31:0] raddr;
  assign s_axil_arready_o = !s_axil_rvalid_o || s_axil_rready_i;
  assign raddr = {16'd0, s_axil_araddr_i[15:2], 2'b00};

  function automatic logic [31:0] fixed(input logic [31:0] address);
    case (address)
      RegId:             return IdMagic;
      RegVersion:        return IdContractVersion;
      RegPresetHash:     return config_pkg::PresetHash;
      RegNumSms:         return Sms;
      RegSubPartitions:  return config_pkg::SubPartitions;
      RegWarpsPerSm:     return Warps;
      RegBlocksPerSm:    return config_pkg::BlocksPerSm;
      RegRegistersPerSm: return config_pkg::RegisterRows * 32 * config_pkg::SubPartitions;
      RegSharedPerSm:    return config_pkg::SharedBytes;
      RegNumRings:       return Rings;
      RegMemBaseLo:      return MemoryBase[31:0];
      RegMemBaseHi:      return MemoryBase[63:32];
      default:           return '0;
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_axil_rvalid_o <= 1'b0;
      s_axil_rdata_o  <= '0;
      cycles_hi_q     <= '0;
    end else begin
      if (s_axil_rready_i) s_axil_rvalid_o <= 1'b0;
      if (s_axil_arvalid_i && s_axil_arready_o) begin
        s_axil_rvalid_o <= 1'b1;
        case (raddr)
          RegMemSizeLo:            s_axil_rdata_o <= mem_size_q[31:0];
          RegMemSizeHi:            s_axil_rdata_o <= mem_size_q[63:32];
          RegStatus:               s_axil_rdata_o <= {30'd0, faulted_i, busy_i};
          RegIrqStatus:            s_axil_rdata_o <= 32'(irq_status_q);
          RegIrqEnable:            s_axil_rdata_o <= 32'(irq_enable_q);
          RegControl:              s_axil_rdata_o <= 32'(reset_o);
          RegCodeBaseLo:           s_axil_rdata_o <= code_base_q[31:0];
          RegCodeBaseHi:           s_axil_rdata_o <= code_base_q[63:32];
          RegCodeSize:             s_axil_rdata_o <= code_size_q;
          RegCycleLimitLo:         s_axil_rdata_o <= cycle_limit_q[31:0];
          RegCycleLimitHi:         s_axil_rdata_o <= cycle_limit_q[63:32];
          RegSchedPolicy:          s_axil_rdata_o <= 32'(policy_q);
          RegYieldBranches:        s_axil_rdata_o <= 32'(yield_q);
          RegMaxWarpsPerSm:        s_axil_rdata_o <= 32'(max_warps_q);
          RegL1Enable:             s_axil_rdata_o <= 32'(l1_enable_q);
          RegCyclesLo: begin
            s_axil_rdata_o <= cycle_q[31:0];
            cycles_hi_q    <= cycle_q[63:32];
          end
          RegCyclesHi:             s_axil_rdata_o <= cycles_hi_q;
          RegKernelCyclesLo:       s_axil_rdata_o <= kernel_cycles_i[31:0];
          RegKernelCyclesHi:       s_axil_rdata_o <= kernel_cycles_i[63:32];
          RegWarpInstructionsLo:   s_axil_rdata_o <= warps_q[31:0];
          RegWarpInstructionsHi:   s_axil_rdata_o <= warps_q[63:32];
          RegThreadInstructionsLo: s_axil_rdata_o <= threads_q[31:0];
          RegThreadInstructionsHi: s_axil_rdata_o <= threads_q[63:32];
          RegBlocksDone:           s_axil_rdata_o <= blocks_done_i;
          RegBlocksTotal:          s_axil_rdata_o <= blocks_total_i;
          RegFaultKind:            s_axil_rdata_o <= 32'(fault_q.kind);
          RegFaultSm:              s_axil_rdata_o <= 32'(fault_sm_q);
          RegFaultWarp:            s_axil_rdata_o <= 32'(fault_q.warp);
          RegFaultThread:          s_axil_rdata_o <= 32'(fault_q.thread);
          RegFaultPc:              s_axil_rdata_o <= fault_q.pc;
          RegFaultAddressLo:       s_axil_rdata_o <= fault_q.address[31:0];
          RegFaultAddressHi:       s_axil_rdata_o <= fault_q.address[63:32];
          RegFaultBlockX:          s_axil_rdata_o <= fault_q.ctaid_x;
          RegFaultBlockY:          s_axil_rdata_o <= 32'(fault_q.ctaid_y);
          RegFaultBlockZ:          s_axil_rdata_o <= 32'(fault_q.ctaid_z);
          RegFaultCode:            s_axil_rdata_o <= fault_q.code;
          default: begin
            s_axil_rdata_o <= fixed(raddr);
            for (int unsigned r = 0; r < Rings; r++) begin
              if (raddr == RegRingBase + r * RegRingStride + RingAddressLo) s_axil_rdata_o <= ring_base_o[r][31:0];
              if (raddr == RegRingBase + r * RegRingStride + RingAddressHi) s_axil_rdata_o <= ring_base_o[r][63:32];
              if (raddr == RegRingBase + r * RegRingStride + RingEntries) s_axil_rdata_o <= 32'(entries_q[r]);
              if (raddr == RegRingBase + r * RegRingStride + RingHead) s_axil_rdata_o <= ring_head_i[r];
              if (raddr == RegRingBase + r * RegRingStride + RingTail) s_axil_rdata_o <= ring_tail_o[r];
            end
            for (int unsigned s = 0; s < Sms; s++) begin
              if (raddr == RegSmBase + s * RegSmStride + SmWaitingLo) s_axil_rdata_o <= waiting_q[s][31:0];
              if (raddr == RegSmBase + s * RegSmStride + SmWaitingHi) s_axil_rdata_o <= waiting_q[s][63:32];
              if (raddr == RegSmBase + s * RegSmStride + SmResidentLo) s_axil_rdata_o <= resident_q[s][31:0];
              if (raddr == RegSmBase + s * RegSmStride + SmResidentHi) s_axil_rdata_o <= resident_q[s][63:32];
            end
          end
        endcase
      end
    end
  end

endmodule
