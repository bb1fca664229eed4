// SPDX-License-Identifier: Apache-2.0
// Behaviour of a 16-bit SDR SDRAM chip (MT48LC16M16A2: 4 banks x 8192 rows x 512 columns) for simulation: stores,
// answers CasLatency clocks later, and checks that the controller keeps the chip's rules. Each break of a rule is
// counted and printed with the time. Times are nanoseconds; ClockPeriodNs turns clocks into them.
// Burst length 1 alone is known (any other mode is a broken rule); clock enable is expected high. Left out: self
// refresh, auto-precharge, power-down.
module sdram_model #(
    parameter int unsigned ClockPeriodNs = 20,
    parameter int unsigned TrcdNs    = 20,
    parameter int unsigned TrpNs     = 20,
    parameter int unsigned TrasNs    = 44,
    parameter int unsigned TrcNs     = 66,
    parameter int unsigned TrrdNs    = 15,
    parameter int unsigned TrfcNs    = 66,
    parameter int unsigned TwrNs     = 15,
    parameter int unsigned TmrdClocks = 2,
    parameter int unsigned PowerUpNs = 100_000,
    parameter int unsigned RefreshNs = 7_813     // on average; at most eight may be late
) (
    input  logic        clk_i,   // the chip's clock
    input  logic        cke_i,
    input  logic        csn_i,
    input  logic        rasn_i,
    input  logic        casn_i,
    input  logic        wen_i,
    input  logic [12:0] a_i,
    input  logic [1:0]  ba_i,
    input  logic [1:0]  dqm_i,
    inout  wire  [15:0] dq_io,
    output logic [31:0] violations_o
);

  logic [15:0]     memory [1 << 24];
  longint unsigned now = 0;                      // clocks
  longint unsigned activated [4], column_written [4], precharged [4];
  longint unsigned last_activate = 0, refreshed = 0, mode_set = 0, first_refresh = 0;
  logic [3:0]      open = '0;
  logic [12:0]     row [4];
  int unsigned     refreshes = 0;                // since the mode was set
  int unsigned     init_refreshes = 0;
  logic            closed_once = 1'b0, ready = 1'b0, ever_refreshed = 1'b0, ever_activated = 1'b0, decayed = 1'b0;
  logic [3:0]      was_activated = '0, was_written = '0, was_precharged = '0;
  logic [31:0]     violations = '0;
  assign violations_o = violations;

  // Read data: what the command asked for is driven from one clock later on and taken at the next.
  logic [1:0]      drive_q = '0;
  logic [15:0]     data_q [2];
  assign dq_io = drive_q[1] ? data_q[1] : 'z;

  function automatic void broken(input string rule);
    violations = violations + 1;
    if (violations <= 20) $display("sdram_model: %s (clock %0d)", rule, now);
  endfunction

  function automatic logic since(input longint unsigned then, input int unsigned ns);
    return (now - then) * ClockPeriodNs >= 64'(ns);
  endfunction

  function automatic void check_idle(input string what);
    if (ever_refreshed && !since(refreshed, TrfcNs)) broken({what, " within tRFC of a refresh"});
    if (ready && now - mode_set < 64'(TmrdClocks)) broken({what, " within tMRD of the mode register"});
  endfunction

  always @(posedge clk_i) begin
    automatic logic [23:0] address = {row[ba_i], ba_i, a_i[8:0]};
    now = now + 1;
    drive_q <= {drive_q[0], 1'b0};
    data_q[1] <= data_q[0];
    if (!cke_i) broken("clock enable is low");
    if (!csn_i) begin
      case ({rasn_i, casn_i, wen_i})
        3'b111: ;
        3'b011: begin
          check_idle("activate");
          if (decayed) begin
            broken("activate after a refresh that was late");
            decayed = 1'b0;
            first_refresh = now;
            refreshes = 0;
          end
          if (!ready) broken("activate before initialisation");
          if (open[ba_i]) broken("activate of an open bank");
          if (was_precharged[ba_i] && !since(precharged[ba_i], TrpNs)) broken("tRP");
          if (was_activated[ba_i] && !since(activated[ba_i], TrcNs)) broken("tRC");
          if (ever_activated && !since(last_activate, TrrdNs)) broken("tRRD");
          open[ba_i] = 1'b1;
          row[ba_i] = a_i;
          activated[ba_i] = now;
          last_activate = now;
          was_activated[ba_i] = 1'b1;
          ever_activated = 1'b1;
          was_written[ba_i] = 1'b0;
        end
        3'b101: begin
          check_idle("read");
          if (!open[ba_i]) broken("read of a closed bank");
          if (!since(activated[ba_i], TrcdNs)) broken("tRCD before a read");
          if (a_i[10]) broken("auto-precharge is not modelled");
          drive_q <= {drive_q[0], 1'b1};
          data_q[0] <= memory[address];
        end
        3'b100: begin
          check_idle("write");
          if (!open[ba_i]) broken("write to a closed bank");
          if (!since(activated[ba_i], TrcdNs)) broken("tRCD before a write");
          if (a_i[10]) broken("auto-precharge is not modelled");
          if (drive_q != '0) broken("write while read data are on the bus");
          if (!dqm_i[0]) memory[address][7:0] = dq_io[7:0];
          if (!dqm_i[1]) memory[address][15:8] = dq_io[15:8];
          column_written[ba_i] = now;
          was_written[ba_i] = 1'b1;
        end
        3'b010: begin
          check_idle("precharge");
          for (int unsigned b = 0; b < 4; b++) begin
            if (a_i[10] || 2'(b) == ba_i) begin
              if (open[b]) begin
                if (!since(activated[b], TrasNs)) broken("tRAS");
                if (was_written[b] && !since(column_written[b], TwrNs)) broken("tWR");
                precharged[b] = now;
                was_precharged[b] = 1'b1;
              end
              open[b] = 1'b0;
            end
          end
          if (!ready && !since(0, PowerUpNs)) broken("a command within the power-up time");
          if (a_i[10]) closed_once = 1'b1;
        end
        3'b001: begin
          check_idle("refresh");
          if (open != '0) broken("refresh with an open bank");
          if (!closed_once) broken("refresh before all banks were closed");
          for (int unsigned b = 0; b < 4; b++)
            if (was_precharged[b] && !since(precharged[b], TrpNs)) broken("tRP before a refresh");
          refreshed = now;
          ever_refreshed = 1'b1;
          if (ready) begin
            refreshes = refreshes + 1;
          end else begin
            init_refreshes = init_refreshes + 1;
          end
        end
        3'b000: begin
          check_idle("mode register");
          if (open != '0) broken("mode register with an open bank");
          if (init_refreshes < 2) broken("mode register before two refreshes");
          if (a_i[2:0] != 3'd0 || a_i[6:4] != 3'd2) broken("mode other than burst length 1, CAS latency 2");
          first_refresh = now;
          refreshes = 0;
          decayed = 1'b0;
          mode_set = now;
          ready = 1'b1;
        end
        default: broken("unknown command");
      endcase
    end
    // Cells lose their charge; whoever initialises the chip anew does not count on them.
    if (ready && (now - first_refresh) * ClockPeriodNs > (64'(refreshes) + 9) * RefreshNs) decayed = 1'b1;
  end

  logic unused;
  assign unused = ^{a_i[12:11], a_i[9]};

endmodule
