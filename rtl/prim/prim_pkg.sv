// SPDX-License-Identifier: Apache-2.0
// Pick-one helpers without loops: word operations cost the same for 1 and for 64 requesters, in
// simulation (a handful of host instructions) as on a chip.
//   lowest32(32'b0110_1000) = 32'b0000_1000;  index32(32'b0000_1000) = 3
package prim_pkg;

  // The lowest set bit alone; 0 for 0.
  function automatic logic [31:0] lowest32(input logic [31:0] x);
    return x & (~x + 32'd1);
  endfunction

  function automatic logic [63:0] lowest64(input logic [63:0] x);
    return x & (~x + 64'd1);
  endfunction

  // Position of the only set bit; 0 for 0.
  function automatic logic [4:0] index32(input logic [31:0] onehot);
    return {|(onehot & 32'hffff0000), |(onehot & 32'hff00ff00), |(onehot & 32'hf0f0f0f0),
            |(onehot & 32'hcccccccc), |(onehot & 32'haaaaaaaa)};
  endfunction

  function automatic logic [5:0] index64(input logic [63:0] onehot);
    return {|(onehot & 64'hffffffff00000000), |(onehot & 64'hffff0000ffff0000),
            |(onehot & 64'hff00ff00ff00ff00), |(onehot & 64'hf0f0f0f0f0f0f0f0),
            |(onehot & 64'hcccccccccccccccc), |(onehot & 64'haaaaaaaaaaaaaaaa)};
  endfunction

  // Position of the lowest set bit; 0 for 0.
  function automatic logic [4:0] first32(input logic [31:0] x);
    return index32(lowest32(x));
  endfunction

  function automatic logic [5:0] first64(input logic [63:0] x);
    return index64(lowest64(x));
  endfunction

  function automatic logic [7:0] first256(input logic [255:0] x);
    logic [7:0] first;
    first = 8'd0;
    for (int unsigned part = 4; part > 0; part--)
      if (x[64*(part-1)+:64] != '0) first = {2'(part - 1), first64(x[64*(part-1)+:64])};
    return first;
  endfunction

  // Number of set bits. In nibbles by gates, for a sum of 32 bits is a carry chain of 32 places, most of them idle.
  function automatic logic [5:0] popcount32(input logic [31:0] x);
    logic [31:0] s, p, q, carry;
    logic [15:0] t;
    s = ((x & (x >> 1) & 32'h55555555) << 1) | ((x ^ (x >> 1)) & 32'h55555555);
    p = s & 32'h33333333;
    q = (s >> 2) & 32'h33333333;
    carry = (p & q & 32'h11111111) << 1;
    s = (p ^ q ^ carry) | (((p & q & 32'h22222222) | ((p ^ q) & carry)) << 1);
    t = s[31:16] + s[15:0];
    return {2'd0, t[3:0]} + {2'd0, t[7:4]} + {2'd0, t[11:8]} + {2'd0, t[15:12]};
  endfunction

  // Leading zeros of 2^N bits, N bits of them (all set for 0), and above whether there is no one at all.
  function automatic logic [2:0] zeros4(input logic [3:0] x);
    return {x == 4'd0, x[3:2] == 2'd0, !x[3] && (x[2] || !x[1])};
  endfunction

  function automatic logic [3:0] zeros8(input logic [7:0] x);
    logic [2:0] high, low;
    high = zeros4(x[7:4]);
    low = zeros4(x[3:0]);
    return {high[2] && low[2], high[2], high[2] ? low[1:0] : high[1:0]};
  endfunction

  function automatic logic [4:0] zeros16(input logic [15:0] x);
    logic [3:0] high, low;
    high = zeros8(x[15:8]);
    low = zeros8(x[7:0]);
    return {high[3] && low[3], high[3], high[3] ? low[2:0] : high[2:0]};
  endfunction

  function automatic logic [5:0] zeros32(input logic [31:0] x);
    logic [4:0] high, low;
    high = zeros16(x[31:16]);
    low = zeros16(x[15:0]);
    return {high[4] && low[4], high[4], high[4] ? low[3:0] : high[3:0]};
  endfunction

  // Leading zeros, 63 for 0 too. On a chip in pairs of pairs: one choice a level. A simulator has fewer operations with a
  // word that moves up, which counts where rows move whole.
  function automatic logic [5:0] leading_zeros64(input logic [63:0] x);
    /*verilator no_inline_task*/
    logic [63:0] v;
    logic [5:0]  n, high, low;
    n = 6'd0;
    if (config_pkg::RowLanes < 32) begin
      high = zeros32(x[63:32]);
      low = zeros32(x[31:0]);
      n = {high[5], high[5] ? low[4:0] : high[4:0]};
    end else begin
      v = x;
      if (v[63:60] == 4'd0) begin
        if (v[63:32] == 32'd0) begin
          n = 6'd32;
          v = {v[31:0], 32'd0};
        end
        if (v[63:48] == 16'd0) begin
          n = n + 6'd16;
          v = {v[47:0], 16'd0};
        end
        if (v[63:56] == 8'd0) begin
          n = n + 6'd8;
          v = {v[55:0], 8'd0};
        end
        if (v[63:60] == 4'd0) begin
          n = n + 6'd4;
          v = {v[59:0], 4'd0};
        end
      end
      if (v[63:62] == 2'd0) begin
        n = n + 6'd2;
        v = {v[61:0], 2'd0};
      end
      if (!v[63]) n = n + 6'd1;
    end
    return n;
  endfunction

  // 32 for 0.
  function automatic logic [5:0] leading_zeros32(input logic [31:0] x);
    return leading_zeros64({x, 32'h80000000});
  endfunction

  function automatic logic [31:0] reverse32(input logic [31:0] x);
    logic [31:0] v;
    v = ((x >> 1) & 32'h55555555) | ((x & 32'h55555555) << 1);
    v = ((v >> 2) & 32'h33333333) | ((v & 32'h33333333) << 2);
    v = ((v >> 4) & 32'h0f0f0f0f) | ((v & 32'h0f0f0f0f) << 4);
    v = ((v >> 8) & 32'h00ff00ff) | ((v & 32'h00ff00ff) << 8);
    return {v[15:0], v[31:16]};
  endfunction

endpackage
