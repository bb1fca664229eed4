// SPDX-License-Identifier: Apache-2.0
// Simulation only: monitors that count what a profiled launch does (sim/verilator/profile.cc), bound from outside. A launch
// that is not profiled pays a test a module and cycle. They look at the falling edge, when all is as the next rising edge finds it:
// at the rising edge what they read would have to be kept from what is written.
// verilator lint_off DECLFILENAME

package profile_dpi;
  import "DPI-C" function int heddle_profile_wanted();  // bit 0: to be counted, 1: events are
  import "DPI-C" function void heddle_profile_kernel(input int starts, input longint local_base, input longint local_end);
  import "DPI-C" function void heddle_profile_states(
      input int sm, input int part, input int warps, input bit [319:0] states);
  import "DPI-C" function void heddle_profile_issue(
      input int sm, input int part, input int warp, input int seq, input int pc, input int op, input int active,
      input int executing);
  import "DPI-C" function void heddle_profile_end(input int sm, input int part, input int warp);
  import "DPI-C" function void heddle_profile_access(
      input int sm, input int warp, input int seq, input int slice, input int lanes, input int last, input int bytes,
      input int executing, input int shared, input bit [1023:0] low, input bit [255:0] high);
  import "DPI-C" function void heddle_profile_count(input int counter, input int place, input int amount);

  // heddle_counter's, as far as events are counted one by one.
  typedef enum int {
    Warps, Blocks, L1Wavefronts, L1Replays, L1Sectors, L1Found, Fetches, FetchMisses, Constants, ConstantMisses, LinkRead,
    LinkWritten, L2Reads, L2Hits, L2Writes, L2Atomics, L2Replays, DramRead, DramWritten
  } counter_e;
endpackage

// Bound to sub_partition: what each warp does in each cycle, what issues.
module sub_partition_profile (
    input logic                       clk_i,
    input logic                       rst_ni,
    input logic [config_pkg::SmW-1:0] sm_id_i,
    input logic [config_pkg::SubPartitionW-1:0] part_i,
    input logic                       start_valid_i,
    input core_pkg::warps_t           resident_i,
    input core_pkg::warps_t           ended_i,
    input logic                       leaves_i,
    input core_pkg::warp_t            leaves_warp_i,
    input core_pkg::warps_t           ready_i,
    input core_pkg::warps_t           waiting_i,
    input core_pkg::warps_t           copies_i,  // they are waited for
    input core_pkg::warps_t           asleep_i,
    input logic                       pick_valid_i,
    input core_pkg::warp_t            pick_warp_i,
    input core_pkg::warps_t           candidates_i,
    input logic                       jump_valid_i,
    input core_pkg::warp_t            jump_warp_i,
    input logic                       issue_valid_i,
    input core_pkg::warp_t            issue_warp_i,
    input logic [7:0]                 issue_op_i,
    input isa_pkg::unit_e             issue_to_i,
    input logic [31:0]                issue_pc_i,
    input logic                       executes_i,
    input sm_pkg::entry_t             entry_i,
    input sm_pkg::mask_t              active_i,
    input sm_pkg::mask_t              executing_i,
    input logic [gpu_pkg::SeqW-1:0]   seq_i
);
  localparam int unsigned Warps = core_pkg::Warps;
  localparam logic [4:0] Absent = '1;
  typedef logic [Warps-1:0][4:0] states_t;
  typedef logic [7:0]            entries_t;

  states_t          last;
  core_pkg::warps_t branches;            // a control instruction is to say where the warp goes on
  core_pkg::warps_t shared;              // the warp's last memory instruction is one of shared memory
  logic             issuing;             // in slices: picked, and not issued yet
  core_pkg::warp_t  issuing_warp;
  entries_t         long_of [Warps];        // results of global or local memory, by scoreboard entry
  entries_t         short_of [Warps];       // of shared memory, special functions, exchange between lanes

  initial begin
    last = '1;
    branches = '0;
    issuing = 1'b0;
  end

  // What it waits for, of results under way.
  function automatic logic [4:0] result_state(input entries_t needs, input entries_t is_long, input entries_t is_short);
    if ((needs & is_long) != '0) return device_pkg::StallLongScoreboard;
    if ((needs & is_short) != '0) return device_pkg::StallShortScoreboard;
    return device_pkg::StallWait;
  endfunction

  always @(negedge clk_i) begin
    if (gpu.u_profile.on && rst_ni) begin : observe
      automatic states_t  states = '1;
      // Once each, so that they are worked out here alone.
      automatic core_pkg::warps_t resident = resident_i, ended = ended_i, waiting = waiting_i, asleep = asleep_i, ready = ready_i;
      automatic core_pkg::warps_t fetch = u_hazards.fetch_o;
      automatic core_pkg::warps_t blocked = u_hazards.blocked_o;
      automatic core_pkg::warps_t copies = copies_i;
      automatic core_pkg::warps_t depends = u_hazards.depends_o;
      automatic core_pkg::warps_t constant = u_hazards.constant_o;
      automatic core_pkg::warps_t drain = u_hazards.drain_o;
      automatic core_pkg::warps_t full = u_hazards.full_o;
      automatic core_pkg::warps_t unsent = u_hazards.unsent_o;
      automatic core_pkg::warps_t stores = u_hazards.stores_o;
      automatic core_pkg::warps_t unit = u_hazards.unit_o;
      automatic entries_t needs, valid;
      automatic logic [7:0] op;
      automatic logic [3:0] to;
      for (int unsigned w = 0; w < Warps; w++) begin
        if (resident[w]) begin
          needs = entries_t'(u_scoreboard.depends_q[w] | u_scoreboard.early_q[w]);
          valid = entries_t'(u_scoreboard.valid_q[w]);
          op = u_front_end.u_decode_slots.slot_q[w].op;
          to = u_front_end.u_decode_slots.slot_q[w].to;
          if (pick_valid_i && pick_warp_i == core_pkg::warp_t'(w)) states[w] = device_pkg::StallSelected;
          else if (ended[w]) states[w] = device_pkg::StallDrain;
          else if (waiting[w]) states[w] = device_pkg::StallBarrier;
          else if (asleep[w]) states[w] = device_pkg::StallSleeping;
          else if (branches[w]) states[w] = device_pkg::StallBranchResolving;
          else if (fetch[w]) states[w] = device_pkg::StallNoInstruction;
          else if (blocked[w]) states[w] = copies[w] ? device_pkg::StallLongScoreboard : device_pkg::StallMembar;
          else if (depends[w]) states[w] = result_state(needs, long_of[w], short_of[w]);
          else if (constant[w]) states[w] = device_pkg::StallImcMiss;
          else if (drain[w] || full[w]) states[w] = result_state(valid, long_of[w], short_of[w]);
          else if (unsent[w]) states[w] = shared[w] ? device_pkg::StallMioThrottle : device_pkg::StallLgThrottle;
          else if (stores[w]) states[w] = device_pkg::StallMembar;
          else if (unit[w]) begin
            case (isa_pkg::unit_e'(to))
              isa_pkg::UnitLsu:                   states[w] = lsu_pkg::is_shared(op) ? device_pkg::StallMioThrottle : device_pkg::StallLgThrottle;
              isa_pkg::UnitSfu, isa_pkg::UnitWarp: states[w] = device_pkg::StallMioThrottle;
              isa_pkg::UnitCtl:                   states[w] = device_pkg::StallBranchResolving;
              default:                            states[w] = device_pkg::StallMathPipeThrottle;
            endcase
          end else if (issuing && issuing_warp == core_pkg::warp_t'(w)) states[w] = device_pkg::StallDispatchStall;
          else if (ready[w] && candidates_i == '0 && !issuing) states[w] = device_pkg::StallDispatchStall;
          else if (ready[w]) states[w] = device_pkg::StallNotSelected;
          else states[w] = device_pkg::StallMisc;
        end
      end
      if (states != last)
        profile_dpi::heddle_profile_states(32'(sm_id_i), 32'(part_i), Warps, 320'(states));
      last = states;
      if (issue_valid_i) begin
        profile_dpi::heddle_profile_issue(32'(sm_id_i), 32'(part_i), 32'(issue_warp_i), 32'(seq_i), issue_pc_i,
                                          32'(issue_op_i), active_i, executing_i);
        if (issue_to_i == isa_pkg::UnitCtl) branches[issue_warp_i] = 1'b1;
        if (issue_to_i == isa_pkg::UnitLsu) shared[issue_warp_i] = lsu_pkg::is_shared(issue_op_i);
        if (executes_i) begin
          long_of[issue_warp_i][entry_i] = issue_to_i == isa_pkg::UnitLsu && !lsu_pkg::is_shared(issue_op_i);
          short_of[issue_warp_i][entry_i] = issue_to_i inside {isa_pkg::UnitSfu, isa_pkg::UnitWarp} ||
                                            (issue_to_i == isa_pkg::UnitLsu && lsu_pkg::is_shared(issue_op_i));
        end
      end
      issuing = sm_pkg::RowSlices > 1 && (pick_valid_i || (issuing && !issue_valid_i));
      if (pick_valid_i) issuing_warp = pick_warp_i;
      if (jump_valid_i) branches[jump_warp_i] = 1'b0;
      if (leaves_i) begin
        profile_dpi::heddle_profile_end(32'(sm_id_i), 32'(part_i), 32'(leaves_warp_i));
        branches[leaves_warp_i] = 1'b0;
      end
    end
    if (start_valid_i && gpu.u_profile.on) profile_dpi::heddle_profile_count(profile_dpi::Warps, 32'(sm_id_i), 1);
  end
endmodule

// Bound to lsu_address: the addresses of memory instructions.
module lsu_address_profile (
    input logic                       clk_i,
    input logic [config_pkg::SmW-1:0] sm_id_i,
    input logic                       goes_i,
    input logic                       last_i,
    input sm_pkg::slice_t             slice_i,
    input lsu_pkg::op_t               op_i,
    input sm_pkg::lanes_t             lanes_i,
    input sm_pkg::lanes_t             shared_i,
    input sm_pkg::row_t               low_i,
    input logic [lsu_pkg::Lanes-1:0][7:0] high_i
);
  always @(negedge clk_i) begin
    if (goes_i && gpu.u_profile.on)
      profile_dpi::heddle_profile_access(
          32'(sm_id_i), 32'(op_i.warp), 32'(op_i.seq), 32'(slice_i), sm_pkg::RowLanes, 32'(last_i),
          32'(lsu_pkg::size_bytes(op_i.size)), 32'(lanes_i), 32'(shared_i), 1024'(low_i), 256'(high_i));
  end
endmodule

// Bound to caches: two kinds of events, so many of each.
module event_profile #(
    parameter profile_dpi::counter_e First = profile_dpi::Warps,
    parameter profile_dpi::counter_e Second = profile_dpi::Warps
) (
    input logic        clk_i,
    input int          place_i,  // the SM's number
    input logic [15:0] first_i,
    input logic [15:0] second_i
);
  always @(negedge clk_i) begin
    if (gpu.u_profile.on) begin   // by itself: one test, and nothing else is looked at
      if (first_i != '0) profile_dpi::heddle_profile_count(First, place_i, 32'(first_i));
      if (second_i != '0) profile_dpi::heddle_profile_count(Second, place_i, 32'(second_i));
    end
  end
endmodule

// Bound to gpu: the launch, and what the links move while it runs: in its first cycle, not in its last, so that a count of the
// memory's own at its start and at its end agrees (profile.h).
module gpu_profile #(
    localparam int unsigned Sms = config_pkg::Sms,
    localparam int unsigned Links = mem_pkg::Links,
    localparam int unsigned Channels = l2_pkg::Channels
) (
    input logic                    clk_i,
    input logic                    kernel_start_i,
    input logic                    kernel_end_i,
    input gpu_pkg::kernel_t        kernel_i,
    input logic [Sms-1:0]          block_i,
    input logic [Sms-1:0]          req_i,      // a beat is taken, each way
    input mem_pkg::req_t [Sms:0]   requests_i,
    input logic [Sms:0][Links-1:0] rsp_i,
    input mem_pkg::rsp_t [Sms:0][Links-1:0] answers_i,
    input logic [Channels-1:0]     read_i,     // of memory
    input logic [Channels-1:0]     written_i
);
  localparam int unsigned MemoryBytes = config_pkg::AxiDataBits / 8;
  bit on, tells;  // tells: somebody wants the events, too
  initial begin
    on = 1'b0;
    tells = 1'b0;
  end
  always @(negedge clk_i) begin
    if (kernel_start_i) {tells, on} = 2'(profile_dpi::heddle_profile_wanted());
    if ((kernel_start_i || kernel_end_i) && on)
      profile_dpi::heddle_profile_kernel(
          32'(kernel_start_i), 64'(kernel_i.local_base),
          64'(kernel_i.local_base) + 64'(kernel_i.local_bytes) * 64'(32 * config_pkg::Sms * config_pkg::WarpsPerSm));
    if (on) begin : links
      automatic logic [Sms-1:0] requests = req_i;
      automatic logic [Sms:0][Links-1:0] answers = rsp_i;
      automatic logic [Channels-1:0] read = read_i, written = written_i;
      if (block_i != '0) profile_dpi::heddle_profile_count(profile_dpi::Blocks, 0, $countones(block_i));
      for (int unsigned s = 0; s < Sms; s++) begin
        if (requests[s] && requests_i[s].kind != mem_pkg::ReqRead)
          profile_dpi::heddle_profile_count(profile_dpi::LinkWritten, s, mem_pkg::PieceBytes);
        for (int unsigned p = 0; p < Links; p++)
          if (answers[s][p] && answers_i[s][p].answer.kind != mem_pkg::ReqWrite)
            profile_dpi::heddle_profile_count(profile_dpi::LinkRead, s, mem_pkg::PieceBytes);
      end
      for (int unsigned c = 0; c < Channels; c++) begin
        if (read[c]) profile_dpi::heddle_profile_count(profile_dpi::DramRead, c, MemoryBytes);
        if (written[c]) profile_dpi::heddle_profile_count(profile_dpi::DramWritten, c, MemoryBytes);
      end
    end
  end
endmodule

bind sub_partition sub_partition_profile u_profile (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .sm_id_i       (sm_id_i),
    .part_i        (part_i),
    .start_valid_i (start_valid_i),
    .resident_i    (resident_q),
    .ended_i       (ended),
    .leaves_i      (ended_valid_o && ended_ready_i),
    .leaves_warp_i (ended_warp_o),
    .ready_i       (ready),
    .waiting_i     (waiting_o),
    .copies_i      (copies_held),
    .asleep_i      (u_convergence.asleep_o),
    .pick_valid_i  (pick_valid),
    .pick_warp_i   (pick_warp),
    .candidates_i  (candidates),
    .jump_valid_i  (jump_valid),
    .jump_warp_i   (jump_warp),
    .issue_valid_i (issue_valid),
    .issue_warp_i  (issue_warp),
    .issue_op_i    (d.op),
    .issue_to_i    (d.to),
    .issue_pc_i    (d.pc),
    .executes_i    (executes),
    .entry_i       (sb_entry),
    .active_i      (u_issue_stage.active),
    .executing_i   (u_issue_stage.taken),
    .seq_i         (u_issue_stage.collect_o.tag.seq)
);
bind lsu_address lsu_address_profile u_profile (
    .clk_i   (clk_i),
    .sm_id_i (sm_id_i),
    .goes_i  (valid_o && (taken_i || sm_pkg::RowSlices > 1)),
    .last_i  (last_o),
    .slice_i (slice_o),
    .op_i    (op_o),
    .lanes_i (lanes_o),
    .shared_i(shared_o),
    .low_i   (addr_o),
    .high_i  (addr_hi_o)
);
bind lsu event_profile #(.First(profile_dpi::L1Sectors), .Second(profile_dpi::L1Found)) u_read_profile (
    .clk_i(clk_i), .place_i(32'(sm_id_i)),
    .first_i(u_l1_control.trace_read_o.valid ? 16'($countones(u_l1_control.trace_read_o.sectors)) : '0),
    .second_i(u_l1_control.trace_read_o.valid ? 16'($countones(u_l1_control.trace_read_o.found)) : '0));
bind lsu event_profile #(.First(profile_dpi::L1Wavefronts), .Second(profile_dpi::L1Replays)) u_turn_profile (
    .clk_i(clk_i), .place_i(32'(sm_id_i)),
    .first_i(16'(fill) + (lsu_pkg::Pipes > 1 ? 16'(pass_fire[lsu_pkg::SharedPipe]) + 16'(u_l1_control.go_pass) : 16'(pass_fire))),
    .second_i(16'(fill) + (lsu_pkg::Pipes > 1 ? 16'(u_l1_control.go_pass && !(u_l1_control.pass_i.first && u_l1_control.now == '0)) :
                                                16'(pass_fire[0] && !g_pipe[0].pass.first)) +
              16'(lsu_pkg::Pipes > 1 && pass_fire[lsu_pkg::SharedPipe] && !g_pipe[lsu_pkg::SharedPipe].pass.first)));
// A look-up that is repeated counts once.
bind icache event_profile #(.First(profile_dpi::Fetches), .Second(profile_dpi::FetchMisses)) u_profile (
    .clk_i(clk_i), .place_i(0), .first_i(16'(req_ready_o != '0)), .second_i(16'(missed && !wait_q)));
bind constant_cache event_profile #(.First(profile_dpi::Constants), .Second(profile_dpi::ConstantMisses)) u_profile (
    .clk_i(clk_i), .place_i(0), .first_i(16'(req_ready_o != '0)), .second_i(16'(state_q == Look && !answer)));
// At the chip's clock, not at the slice's: an edge that a simulator waits for costs more than these tests. A slice whose clock stands
// still looks nothing up.
bind l2_control event_profile #(.First(profile_dpi::L2Reads), .Second(profile_dpi::L2Hits)) u_read_profile (
    .clk_i(gpu.clk_i), .place_i(0), .first_i(16'(look_done && act != Refuse && look_q.kind == mem_pkg::ReqRead)),
    .second_i(16'(look_done && act == Perform && look_q.kind == mem_pkg::ReqRead)));
bind l2_control event_profile #(.First(profile_dpi::L2Writes), .Second(profile_dpi::L2Atomics)) u_write_profile (
    .clk_i(gpu.clk_i), .place_i(0), .first_i(16'(look_done && act != Refuse && look_q.kind == mem_pkg::ReqWrite)),
    .second_i(16'(look_done && act != Refuse && mem_pkg::is_atomic(look_q.kind))));
bind l2_control event_profile #(.First(profile_dpi::L2Replays), .Second(profile_dpi::Warps)) u_replay_profile (
    .clk_i(gpu.clk_i), .place_i(0), .first_i(16'(looks && !look_done)), .second_i('0));
bind gpu gpu_profile u_profile (
    .clk_i         (clk_i),
    .kernel_start_i(kernel_start),
    .kernel_end_i  (kernel_end),
    .kernel_i      (kernel),
    .block_i       (block_valid & block_ready),
    .req_i         (Sms'(mem_req_valid & mem_req_ready)),
    .requests_i    (mem_req),
    .rsp_i         (mem_rsp_valid & mem_rsp_ready),
    .answers_i     (mem_rsp),
    .read_i        (m_axi_rvalid_i & m_axi_rready_o),
    .written_i     (m_axi_wvalid_o & m_axi_wready_i)
);
