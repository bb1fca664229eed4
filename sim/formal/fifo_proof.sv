// SPDX-License-Identifier: Apache-2.0
// What is written into a queue comes out once, as it was, behind all that was written before it: any entry, followed from its
// write to its read. The queue takes and gives whenever it is not full and not empty.
module fifo_proof #(
  localparam int unsigned Depth = 4
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       wr_valid_i,
  input logic [7:0] wr_data_i,
  input logic       rd_ready_i,
  input logic       follow_i     // the entry that is written now, if none is followed
);

  localparam int unsigned Places = Depth - 1;

  logic       wr_ready, rd_valid;
  logic [7:0] rd_data;
  logic [2:0] count;
  fifo #(.T(logic [7:0]), .Depth(Depth)) u_dut (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (wr_valid_i),
    .wr_ready_o (wr_ready),
    .wr_data_i  (wr_data_i),
    .rd_valid_o (rd_valid),
    .rd_ready_i (rd_ready_i),
    .rd_data_o  (rd_data),
    .count_o    (count)
  );

  logic       first_q = 1'b1;
  logic       followed_q;
  logic [2:0] ahead_q;      // entries before it
  logic [7:0] data_q;
  logic       push, pop;
  assign push = wr_valid_i && wr_ready;
  assign pop = rd_valid && rd_ready_i;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni) followed_q <= 1'b0;
    else if (followed_q) begin
      followed_q <= !(pop && ahead_q == '0);
      if (pop) ahead_q <= ahead_q - 3'd1;
    end else if (push && follow_i) begin
      followed_q <= 1'b1;
      ahead_q <= count - 3'(pop);
      data_q <= wr_data_i;
    end
  end

  // Where the hardware keeps it.
  logic [2:0] behind, at, filled;
  always_comb begin
    behind = 3'(u_dut.rd_ptr_q) + ahead_q - 3'd1;
    at = behind >= 3'(Places) ? behind - 3'(Places) : behind;
    filled = 3'(u_dut.rd_ptr_q) + (count == '0 ? 3'd0 : count - 3'd1);
    if (filled >= 3'(Places)) filled = filled - 3'(Places);
  end

  always_comb begin
    assume (first_q == !rst_ni);
    if (rst_ni) begin
      assert (rd_valid == (count != '0));
      assert (wr_ready == (count != 3'(Depth)));
      assert (!(followed_q && ahead_q == '0) || (rd_valid && rd_data == data_q));
      // What makes it so, in the hardware's state.
      assert (count <= 3'(Depth) && 3'(u_dut.rd_ptr_q) < 3'(Places) && 3'(u_dut.wr_ptr_q) < 3'(Places));
      assert (3'(u_dut.wr_ptr_q) == filled);
      assert (!followed_q || ahead_q < count);
      assert (!followed_q || ahead_q == '0 || u_dut.g_registers.ring_q[at[1:0]] == data_q);
    end
  end

endmodule
