// SPDX-License-Identifier: Apache-2.0
// Simulation only: fields of packed structs as signals of their own, for people who look at waveforms (docs/waves.md).
// Bound from outside. Plain wires, which Verilator evaluates only while it traces: without waves they cost nothing.
// verilator lint_off DECLFILENAME

// The instruction that comes in (group frontend).
module decode_view (
    input logic            valid_i,
    input core_pkg::word_t decode_i
);
  core_pkg::warp_t warp;
  logic [31:0]     pc;
  logic [63:0]     word;
  assign warp = decode_i.warp;
  assign pc   = decode_i.pc;
  assign word = decode_i.word;
endmodule

// The instruction that issues (group schedule).
module issue_view (
    input logic                         valid_i,
    input logic [config_pkg::WarpW-1:0] warp_i,   // slot in the SM
    input core_pkg::decoded_t           d_i,
    input sm_pkg::mask_t                taken_i
);
  logic [31:0] pc, imm;
  logic [7:0]  op, rd, ra, rb, rc;
  assign pc  = d_i.pc;
  assign op  = d_i.op;
  assign rd  = d_i.rd;
  assign ra  = d_i.ra;
  assign rb  = d_i.rb;
  assign rc  = d_i.rc;
  assign imm = d_i.imm;
endmodule

// A memory instruction on its way to the load/store unit (group memory).
module access_view (
    input logic             valid_i,
    input logic             ready_i,
    input sm_pkg::lsu_req_t req_i
);
  logic [config_pkg::WarpW-1:0] warp;
  logic [gpu_pkg::SeqW-1:0]     seq;
  logic [31:0]                  pc;
  logic [7:0]                   op, rd;
  sm_pkg::slice_t               slice;
  sm_pkg::mask_t                mask;
  sm_pkg::row_t                 addr;  // of the slice, its highest lane first
  assign warp  = req_i.tag.warp;
  assign seq   = req_i.tag.seq;
  assign pc    = req_i.pc;
  assign op    = req_i.op;
  assign rd    = req_i.tag.rd;
  assign slice = req_i.tag.slice;
  assign mask  = req_i.tag.mask;
  assign addr  = req_i.addr;
endmodule

// What retires (group retirement).
module retire_view (
    input trace_pkg::retire_t retire_i
);
  logic                         valid, row_we, pair, p_we, last;
  logic [config_pkg::WarpW-1:0] warp;
  logic [gpu_pkg::SeqW-1:0]     seq;
  logic [7:0]                   rd;
  logic [2:0]                   pd, pq;
  sm_pkg::slice_t               slice;
  sm_pkg::mask_t                mask;
  sm_pkg::lanes_t               p, q;  // of the slice
  sm_pkg::row_t                 row;     // of the slice, its highest lane first
  sm_pkg::row_t                 row_hi;  // of a pair of whole rows
  assign valid  = retire_i.valid;
  assign warp   = retire_i.tag.warp;
  assign seq    = retire_i.tag.seq;
  assign rd     = retire_i.tag.rd;
  assign pd     = retire_i.tag.pd;
  assign pq     = retire_i.tag.pq;
  assign slice  = retire_i.tag.slice;
  assign mask   = retire_i.tag.mask;
  assign row_we = retire_i.row_we;
  assign row    = retire_i.row;
  assign pair   = retire_i.pair;
  assign row_hi = retire_i.row_hi;
  assign p_we   = retire_i.p_we;
  assign p      = retire_i.p;
  assign q      = retire_i.q;
  assign last   = retire_i.last;
endmodule

bind front_end decode_view u_decode (
    .valid_i (decode_valid),
    .decode_i(decode)
);
bind sub_partition issue_view u_issue (
    .valid_i(issue_valid),
    .warp_i (collect.tag.warp),
    .d_i    (d),
    .taken_i(collect.tag.mask)
);
bind sub_partition access_view u_access (
    .valid_i(lsu_valid_o),
    .ready_i(lsu_ready_i),
    .req_i  (lsu_req_o)
);
bind sub_partition retire_view u_retire (
    .retire_i(trace_retire_o)
);
