// SPDX-License-Identifier: Apache-2.0
// A register stage for a valid/ready link that cuts the path of ready: full rate, two entries, and
// wr_ready_o is a register. While the reader stalls, the one word already under way goes to the spare.
module skid_buffer #(
  parameter type T = logic [31:0]
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic wr_valid_i,
  output logic wr_ready_o,
  input  T     wr_data_i,

  output logic rd_valid_o,
  input  logic rd_ready_i,
  output T     rd_data_o
);

  T     out_q, spare_q;
  logic out_valid_q, spare_valid_q;

  logic push, pop;
  assign push = wr_valid_i && !spare_valid_q;
  assign pop = out_valid_q && rd_ready_i;

  assign wr_ready_o = !spare_valid_q;
  assign rd_valid_o = out_valid_q;
  assign rd_data_o = out_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      spare_valid_q <= 1'b0;
    end else if (push || pop) begin
      out_valid_q <= push || spare_valid_q || !pop;
      spare_valid_q <= (spare_valid_q || (push && out_valid_q)) && !pop;
    end
  end

  // Payload: no reset, guarded by the valid bits.
  always_ff @(posedge clk_i) begin
    if (push && (pop || !out_valid_q)) out_q <= wr_data_i;
    else if (pop && spare_valid_q) out_q <= spare_q;
    if (push && !pop && out_valid_q) spare_q <= wr_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The spare is younger than the output: it cannot be filled alone.
      a_order: assert (out_valid_q || !spare_valid_q) else $error("skid_buffer: spare without output");
    end
  end

endmodule
