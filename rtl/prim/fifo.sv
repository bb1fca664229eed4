// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue of Depth entries; every output comes from a register, or from block RAM.
//
//   cycle      0     1     2     3
//   wr         A     B     -     -
//   rd_valid   0     1     1     1      rd_ready low in 1
//   rd_data    -     A     A     B
//
// The oldest entry lives in a register of its own, the rest in a ring of Depth - 1 places, so readers
// hang on no multiplexer and an idle queue costs the simulator one test a cycle. Full means not ready,
// even in a cycle that also reads (no path from rd_ready_i to wr_ready_o): for full rate take Depth >= 2.
// Ram = 1, for wide queues of a small chip: all entries lie in one memory with its read register, so that an
// entry shows a cycle later (Depth >= 3 for full rate) and a bit costs neither flip-flop nor multiplexer.
module fifo #(
  parameter type         T      = logic [31:0],
  parameter int unsigned Depth  = 2,                  // entries, at least 2
  parameter bit          Ram    = 1'b0,               // in block RAM, a cycle later
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              wr_valid_i,
  output logic              wr_ready_o,
  input  T                  wr_data_i,

  output logic              rd_valid_o,
  input  logic              rd_ready_i,
  output T                  rd_data_o,

  output logic [CountW-1:0] count_o    // entries held
);

  localparam int unsigned Places = Ram ? Depth : Depth - 1;
  localparam int unsigned PtrW = (Places > 1) ? $clog2(Places) : 1;
  localparam logic [PtrW-1:0] Last = PtrW'(Places - 1);

  T                  head_q;
  logic [PtrW-1:0]   wr_ptr_q, rd_ptr_q, rd_ptr;
  logic [CountW-1:0] count_q;
  logic              valid_q, full_q;

  logic push, pop, to_head, from_ring;
  assign push = wr_valid_i && !full_q;
  assign pop = valid_q && rd_ready_i;
  assign from_ring = pop && (Ram || count_q > CountW'(1));
  assign to_head = !Ram && push && (count_q == '0 || (pop && count_q == CountW'(1)));
  assign rd_ptr = !from_ring ? rd_ptr_q : (rd_ptr_q == Last) ? '0 : rd_ptr_q + PtrW'(1);

  assign wr_ready_o = !full_q;
  assign rd_valid_o = valid_q;
  assign rd_data_o = head_q;
  assign count_o = count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      full_q <= 1'b0;
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
    end else if (push || pop) begin
      if (push != pop) begin
        count_q <= push ? count_q + CountW'(1) : count_q - CountW'(1);
        full_q <= push && count_q == CountW'(Depth - 1);
      end
      rd_ptr_q <= rd_ptr;
      if (push && !to_head) wr_ptr_q <= (wr_ptr_q == Last) ? '0 : wr_ptr_q + PtrW'(1);
    end
  end

  // Payload: no reset, guarded by valid_q.
  if (Ram) begin : g_ram
    // Read and written at one place in one cycle only while that place does not count.
    (* ram_style = "block", no_rw_check *) T ring_q [Places];
    always_ff @(posedge clk_i) begin
      if (push) ring_q[wr_ptr_q] <= wr_data_i;
    end
    always_ff @(posedge clk_i) begin
      head_q <= ring_q[rd_ptr];
    end
    always_ff @(posedge clk_i) begin
      valid_q <= rst_ni && (count_q > CountW'(1) || (count_q != '0 && !pop));
    end
  end else begin : g_registers
    T ring_q [Places];
    always_ff @(posedge clk_i) begin
      if (to_head) head_q <= wr_data_i;
      else if (from_ring) head_q <= ring_q[rd_ptr_q];
      if (push && !to_head) ring_q[wr_ptr_q] <= wr_data_i;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) valid_q <= 1'b0;
      else if (push != pop) valid_q <= push || count_q > CountW'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The flags are copies of what count_q says, kept so that outputs are registers.
      a_flags: assert ((Ram ? !valid_q || count_q != '0 : valid_q == (count_q != '0)) && full_q == (count_q == CountW'(Depth)))
        else $error("fifo: flags and count disagree");
    end
  end

endmodule
