// SPDX-License-Identifier: Apache-2.0
// Special registers that differ from lane to lane: tid, laneid, lane masks; a slice of a row, a cycle after it
// is asked for.
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
  input  sm_pkg::slice_t slice_i,
  input  logic [7:0]   index_i,       // isa_pkg::SpecialReg*
  input  logic [10:0]  base_x_i,      // tid of lane 0
  input  logic [10:0]  base_y_i,
  input  logic [6:0]   base_z_i,
  output sm_pkg::row_t row_o          // a cycle later
);

  localparam int unsigned Slices = sm_pkg::RowSlices;
  localparam int unsigned Lanes = sm_pkg::RowLanes;

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

  typedef struct packed {
    logic [4:0] x;
    logic [4:0] y;
    logic [4:0] z;
  } number_t;
  typedef number_t [Lanes-1:0] numbers_t;
  numbers_t number_q [Slices];

  // The numbers of a slice with that of one lane replaced; synthesis makes lane enables of it.
  function automatic numbers_t merge(input numbers_t old, input int unsigned lane, input number_t number);
    numbers_t numbers;
    for (int unsigned l = 0; l < Lanes; l++) numbers[l] = l == lane ? number : old[l];
    return numbers;
  endfunction

  sm_pkg::slice_t filled;
  assign filled = sm_pkg::slice_t'(32'(lane_q) / Lanes);
  always_ff @(posedge clk_i) begin
    if (busy_q) number_q[filled] <= merge(number_q[filled], 32'(lane_q) % Lanes, '{x: next_x_q, y: next_y_q, z: next_z_q});
  end

  // tid of a lane from the warp's base and the lane's number.
  function automatic logic [31:0] tid(input logic [1:0] dim, input number_t lane);
    logic [11:0] x, y, value;
    logic        carry_x, carry_y;
    x = 12'(base_x_i) + 12'(lane.x);
    carry_x = x >= 12'(block_x_i);
    y = 12'(base_y_i) + 12'(lane.y) + 12'(carry_x);
    carry_y = y >= 12'(block_y_i);
    case (dim)
      2'd0:    value = carry_x ? x - 12'(block_x_i) : x;
      2'd1:    value = carry_y ? y - 12'(block_y_i) : y;
      default: value = 12'(base_z_i) + 12'(lane.z) + 12'(carry_y);
    endcase
    return 32'(value);
  endfunction

  // Lane masks: ones below the lane, at it, above it. Of a slice's bits all are below, all above, or it is the lane's own.
  logic below, at, above;
  assign below = index_i inside {8'(isa_pkg::SpecialRegLanemaskLt), 8'(isa_pkg::SpecialRegLanemaskLe)};
  assign at = index_i inside {8'(isa_pkg::SpecialRegLanemaskEq), 8'(isa_pkg::SpecialRegLanemaskLe),
                              8'(isa_pkg::SpecialRegLanemaskGe)};
  assign above = index_i inside {8'(isa_pkg::SpecialRegLanemaskGt), 8'(isa_pkg::SpecialRegLanemaskGe)};

  function automatic logic [31:0] lane_mask(input int unsigned lane);
    logic [31:0] mask;
    for (int unsigned s = 0; s < Slices; s++) begin
      if (s == 32'(slice_i)) begin
        mask[s*Lanes+:Lanes] = ({Lanes{below}} & ~({Lanes{1'b1}} << lane)) | (Lanes'(at) << lane) |
                               ({Lanes{above}} & ({Lanes{1'b1}} << lane << 1));
      end else begin
        mask[s*Lanes+:Lanes] = {Lanes{s < 32'(slice_i) ? below : above}};
      end
    end
    return mask;
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      numbers_t numbers;
      numbers = number_q[slice_i];
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        case (index_i)
          8'(isa_pkg::SpecialRegLaneId): row_q[lane] <= 32'(slice_i) * Lanes + lane;
          8'(isa_pkg::SpecialRegTidX), 8'(isa_pkg::SpecialRegTidY), 8'(isa_pkg::SpecialRegTidZ):
            row_q[lane] <= tid(index_i[1:0], numbers[lane]);
          default: row_q[lane] <= lane_mask(lane);
        endcase
      end
    end
  end

endmodule
