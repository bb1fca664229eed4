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

  // Number of set bits.
  function automatic logic [5:0] popcount32(input logic [31:0] x);
    logic [31:0] s;
    s = x - ((x >> 1) & 32'h55555555);
    s = (s & 32'h33333333) + ((s >> 2) & 32'h33333333);
    s = (s + (s >> 4)) & 32'h0f0f0f0f;
    s = s + (s >> 8);
    s = s + (s >> 16);
    return s[5:0];
  endfunction

endpackage
