// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies (LDGSTS) between their two halves. The first is a load from device memory, whose rows come here and go to no
// register; the second a store of them in shared memory, at addresses that wait here meanwhile, behind what that pipe has.
//
//   LDGSTS.B64, entry 5: its lanes' addresses in shared memory are noted; rows 0 and 1 of entry 5; a store of 64 bits a lane
module lsu_copy (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // A copy begins to load.
  input  logic                       note_i,
  input  lsu_pkg::op_t               note_op_i,
  input  sm_pkg::lanes_t             note_lanes_i,
  input  sm_pkg::row_t               note_addr_i,    // byte in the SM's shared memory
  // What it has loaded, row after row.
  output logic                       room_o,         // for those of a copy
  input  logic                       read_i,         // the first is read, and comes in the next cycle
  input  logic                       row_valid_i,
  input  logic [lsu_pkg::EntryW-1:0] row_entry_i,
  input  logic [1:0]                 row_index_i,
  input  logic                       row_last_i,
  input  sm_pkg::row_t               row_i,
  // To the pipe of shared memory.
  output logic                       valid_o,
  input  logic                       taken_i,
  output lsu_pkg::copy_t             copy_o
);

  // What waits of a copy; the rest of its op_t is a store's.
  typedef struct packed {
    logic [2:0]                   size;
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;
    sm_pkg::lanes_t               lanes;
  } waiting_t;
  waiting_t     waiting_q [lsu_pkg::Entries];
  sm_pkg::row_t addr_q [lsu_pkg::Entries];

  logic collects_q;  // rows are on their way
  assign room_o = !collects_q && (!valid_o || taken_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      collects_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (read_i) collects_q <= 1'b1;
      if (row_valid_i && row_last_i) collects_q <= 1'b0;
      valid_o <= (row_valid_i && row_last_i) || (valid_o && !taken_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (note_i) begin
      waiting_q[note_op_i.entry] <= '{size: note_op_i.size, warp: note_op_i.warp, seq: note_op_i.seq, lanes: note_lanes_i};
      addr_q[note_op_i.entry] <= note_addr_i;
    end
    if (row_valid_i) begin
      copy_o.data[row_index_i] <= row_i;
      if (row_last_i) begin
        automatic waiting_t waiting = waiting_q[row_entry_i];
        copy_o.addr <= addr_q[row_entry_i];
        copy_o.lanes <= waiting.lanes;
        copy_o.op <= '0;
        copy_o.op.cls <= lsu_pkg::ClassStore;
        copy_o.op.entry <= row_entry_i;
        copy_o.op.size <= waiting.size;
        copy_o.op.warp <= waiting.warp;
        copy_o.op.seq <= waiting.seq;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_room: assert (!read_i || room_o) else $error("lsu_copy: rows of a copy while those of another wait");
      a_row: assert (!row_valid_i || collects_q) else $error("lsu_copy: a row of no copy");
    end
  end

endmodule
