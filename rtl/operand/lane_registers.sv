// SPDX-License-Identifier: Apache-2.0
// Special registers that differ from lane to lane: tid, laneid, lane masks; a row, a cycle after it is asked for.
//
// Thread indices need no divider: at the start of a kernel the numbers 0..31 are counted up in the mixed
// radix of the block's size, one a cycle. Lane l of a warp that begins at (x, y, z) is at (x, y, z) + number
// l, with at most one carry a digit.
//   block (24, 4, 1): number 30 = (6, 1, 0); warp 1 begins at (8, 1, 0); its lane 30 is (14, 2, 0)
module lane_registers (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         kernel_start_i,
  input  logic [10:0]  block_x_i,
  input  logic [10:0]  block_y_i,
  output logic         ready_o,       // the table is complete
  input  logic         valid_i,
  input  logic [7:0]   index_i,       // isa_pkg::SpecialReg*
  input  logic [10:0]  base_x_i,      // tid of lane 0
  input  logic [10:0]  base_y_i,
  input  logic [6:0]   base_z_i,
  output sm_pkg::row_t row_o          // a cycle later
);

  logic [4:0] x_q [32];
  logic [4:0] y_q [32];
  logic [4:0] z_q [32];
  logic [4:0] lane_q;
  logic [4:0] next_x_q, next_y_q, next_z_q;
  logic       busy_q;
  sm_pkg::row_t row_q;
  assign ready_o = !busy_q;
  assign row_o = row_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (kernel_start_i) begin
      busy_q <= 1'b1;
      lane_q <= '0;
      next_x_q <= '0;
      next_y_q <= '0;
      next_z_q <= '0;
    end else if (busy_q) begin
      x_q[lane_q] <= next_x_q;
      y_q[lane_q] <= next_y_q;
      z_q[lane_q] <= next_z_q;
      lane_q <= lane_q + 5'd1;
      busy_q <= lane_q != 5'd31;
      next_x_q <= next_x_q + 5'd1;
      if (11'(next_x_q) + 11'd1 == block_x_i) begin
        next_x_q <= '0;
        next_y_q <= next_y_q + 5'd1;
        if (11'(next_y_q) + 11'd1 == block_y_i) begin
          next_y_q <= '0;
          next_z_q <= next_z_q + 5'd1;
        end
      end
    end
  end

  // tid of a lane from the warp's base and the lane's number.
  function automatic logic [31:0] tid(input logic [1:0] dim, input logic [4:0] lane_x, input logic [4:0] lane_y,
                                      input logic [4:0] lane_z);
    logic [11:0] x, y;
    logic        carry_x, carry_y;
    x = 12'(base_x_i) + 12'(lane_x);
    carry_x = x >= 12'(block_x_i);
    y = 12'(base_y_i) + 12'(lane_y) + 12'(carry_x);
    carry_y = y >= 12'(block_y_i);
    if (carry_x) x = x - 12'(block_x_i);
    if (carry_y) y = y - 12'(block_y_i);
    case (dim)
      2'd0:    return 32'(x);
      2'd1:    return 32'(y);
      default: return 32'(base_z_i) + 32'(lane_z) + 32'(carry_y);
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      for (int unsigned lane = 0; lane < 32; lane++) begin
        case (index_i)
          8'(isa_pkg::SpecialRegLaneId):     row_q[lane] <= lane;
          8'(isa_pkg::SpecialRegLanemaskEq): row_q[lane] <= 32'd1 << lane;
          8'(isa_pkg::SpecialRegLanemaskLt): row_q[lane] <= (32'd1 << lane) - 32'd1;
          8'(isa_pkg::SpecialRegLanemaskLe): row_q[lane] <= (32'd2 << lane) - 32'd1;
          8'(isa_pkg::SpecialRegLanemaskGt): row_q[lane] <= ~((32'd2 << lane) - 32'd1);
          8'(isa_pkg::SpecialRegLanemaskGe): row_q[lane] <= ~((32'd1 << lane) - 32'd1);
          default:                           row_q[lane] <= tid(index_i[1:0], x_q[lane], y_q[lane], z_q[lane]);
        endcase
      end
    end
  end

endmodule
