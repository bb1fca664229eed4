// SPDX-License-Identifier: Apache-2.0
// Second stage of the load/store unit: cuts an instruction into passes, one a cycle, slice after slice. It is there once for
// each pipe, or serves both. Lanes in shared memory go first, as the banks allow; then the lanes of one line of device memory after the
// other (coalescer), where rows move whole those of one address if that is constant memory; an atomic goes lane by lane, in shared memory a lane a bank where each bank has an ALU,
// in device memory a lane for each word of a sector where the L2 works on all of them. A store of 64 or 128 bits a lane goes by half- or quarter-warps,
// which may meet (lsu_pkg::group_lanes). An instruction without lanes (guard false, fence) is one empty pass.
//
//   LD with lanes 0..15 in shared memory without conflict and 16..31 in one line: two passes
//   ST.64 of all lanes to one address: a pass of lanes 0..15, which stores lane 0's value; then 16..31, lane 16's
//
// An instruction with lanes in device memory ends there: behind a slice in shared memory an empty pass follows.
// Rows that move whole: instructions wait here for their turn, so that those behind them may go to the other pipe.
//
// Reductions where each bank has an ALU: a pass takes lanes of the instruction behind it along, in banks that its own lanes leave. All
// but that one's lowest lane, so that each instruction still has a pass of its own, and ends with it.
//
//   RED with lanes 0, 1 and 2 in banks 3, 3 and 4, behind it one with lanes 0, 1 and 2 in banks 3, 5 and 3:
//   passes {0, 2 of the first, 1 of the second}, {1 of the first}, {0 of the second}, {2 of the second}
module lsu_select #(
  parameter bit Shared = 1'b1,  // serves lanes in shared memory
  parameter bit Device = 1'b1   // serves lanes in device memory, and instructions without any
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     valid_i,
  output logic                     busy_o,       // instructions wait here, or a pass
  output logic                     taken_o,      // with valid_i: it is kept here, or the last pass of the slice is chosen now
  input  lsu_pkg::op_t             op_i,
  input  sm_pkg::slice_t           slice_i,
  input  logic                     final_i,      // no slice of the instruction with lanes follows
  input  sm_pkg::lanes_t           lanes_i,
  input  sm_pkg::lanes_t           shared_i,
  input  sm_pkg::row_t             addr_i,
  input  logic [lsu_pkg::Lanes-1:0][7:0] addr_hi_i,
  input  sm_pkg::row_t [3:0]       data_i,       // rows in slices: none, data wait until the pass goes

  output logic                     pass_valid_o,
  input  logic                     pass_ready_i,
  output lsu_pkg::pass_t           pass_o,
  output lsu_pkg::offsets_t        offset_o,     // of every lane in its line, or in the row of banks
  output lsu_pkg::banks_t          bank_used_o,
  output lsu_pkg::bank_rows_t      bank_row_o,
  output sm_pkg::row_t [3:0]       data_o,       // stores and atomics
  output lsu_pkg::join_t           join_o        // lanes of the next instruction that go along
);

  localparam bit Keeps = sm_pkg::RowSlices == 1;

  sm_pkg::lanes_t      done_q;      // lanes of the slice that earlier passes took
  sm_pkg::lanes_t      early_q;     // of the next instruction
  sm_pkg::lanes_t      joined;      // that this pass takes
  lsu_pkg::banks_t     bank_used, join_used;
  lsu_pkg::bank_rows_t bank_row, join_row;

  // The instruction or slice that is worked on.
  logic           there, ends;  // its last pass is chosen now
  lsu_pkg::op_t   op;
  sm_pkg::lanes_t lanes, shared;
  sm_pkg::row_t   addr;
  logic [lsu_pkg::Lanes-1:0][7:0] addr_hi;
  logic           final_slice, go;
  if (Keeps) begin : g_keeps
    // Reductions of words whose order nobody sees.
    function automatic logic joins(input lsu_pkg::op_t one, input lsu_pkg::op_t other);
      return one.cls == lsu_pkg::ClassAtomic && other.cls == lsu_pkg::ClassAtomic && one.reduces && other.reduces &&
             one.size == 3'(isa_pkg::MemSizeB32) && other.size == 3'(isa_pkg::MemSizeB32) && one.atom_op == other.atom_op &&
             one.atom_type == other.atom_type && !atomic_pkg::is_float(one.atom_type) &&
             one.atom_op inside {4'(isa_pkg::AtomOpAdd), 4'(isa_pkg::AtomOpMin), 4'(isa_pkg::AtomOpMax), 4'(isa_pkg::AtomOpAnd),
                                 4'(isa_pkg::AtomOpOr), 4'(isa_pkg::AtomOpXor)};
    endfunction

    typedef struct packed {
      lsu_pkg::op_t   op;
      logic           final_slice;
      sm_pkg::lanes_t lanes, shared;
      sm_pkg::row_t   addr;
      logic [lsu_pkg::Lanes-1:0][7:0] addr_hi;
    } waiting_t;
    // The one whose turn it is, those behind it, and what stores and atomics bring.
    waiting_t           in, head_q, next;
    sm_pkg::row_t [3:0] data_q, next_data;
    logic               waits_q, next_waits, next_data_waits, room, data_room, from_next, from_in, keep;
    logic [$clog2(lsu_pkg::PipeDepth)-1:0] count, data_count;
    assign in = '{op: op_i, final_slice: final_i, lanes: lanes_i, shared: shared_i, addr: addr_i, addr_hi: addr_hi_i};
    assign there = valid_i || waits_q;
    assign busy_o = waits_q || pass_valid_o;
    assign taken_o = valid_i && room;
    assign from_next = ends && next_waits;
    assign from_in = taken_o && !next_waits && waits_q == ends;
    assign keep = taken_o && waits_q && !from_in;
    fifo #(.T(waiting_t), .Depth(lsu_pkg::PipeDepth - 1)) u_waiting (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .wr_valid_i (keep),
      .wr_ready_o (room),
      .wr_data_i  (in),
      .rd_valid_o (next_waits),
      .rd_ready_i (ends),
      .rd_data_o  (next),
      .count_o    (count)
    );
    fifo #(.T(sm_pkg::row_t [3:0]), .Depth(lsu_pkg::PipeDepth - 1)) u_data (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .wr_valid_i (keep && lsu_pkg::stores(op_i)),
      .wr_ready_o (data_room),
      .wr_data_i  (data_i),
      .rd_valid_o (next_data_waits),
      .rd_ready_i (from_next && lsu_pkg::stores(next.op)),
      .rd_data_o  (next_data),
      .count_o    (data_count)
    );
    always_ff @(posedge clk_i) begin
      if (!rst_ni) waits_q <= 1'b0;
      else waits_q <= from_next || from_in || (waits_q && !ends);
    end
    always_ff @(posedge clk_i) begin
      if (from_next) head_q <= next;
      else if (from_in) head_q <= in;
    end
    always_ff @(posedge clk_i) begin
      if (from_next && lsu_pkg::stores(next.op)) data_q <= next_data;
      else if (from_in && lsu_pkg::stores(op_i)) data_q <= data_i;
    end

    // Lanes of the next one.
    if (Shared && lsu_pkg::BankAtomics) begin : g_joins
      logic           may_join;
      sm_pkg::lanes_t left;
      assign left = next.lanes & next.shared & ~early_q;
      assign may_join = go && waits_q && next_waits && joins(head_q.op, next.op);
      bank_conflict #(.Joins(1'b1)) u_joined (
        .en_i    (may_join),
        .lanes_i (left & (left - 1'b1)),
        .words_i (3'd1),
        .store_i (1'b0),
        .alone_i (1'b1),
        .addr_i  (next.addr),
        .busy_i  (bank_used),
        .lanes_o (joined),
        .used_o  (join_used),
        .row_o   (join_row)
      );
      always_ff @(posedge clk_i) begin
        if (go) join_o.lanes <= joined;
        if (joined != '0) begin
          join_o.data <= next_data[0];
          for (int unsigned lane = 0; lane < lsu_pkg::Lanes; lane++)
            join_o.offset[lane] <= 8'(next.addr[lane][lsu_pkg::OffsetW-1:0]);
        end
      end
    end else begin : g_alone
      assign {joined, join_used, join_row} = '0;
      assign join_o = '0;
    end

    assign op = waits_q ? head_q.op : op_i;
    assign lanes = waits_q ? head_q.lanes : lanes_i;
    assign shared = waits_q ? head_q.shared : shared_i;
    assign addr = waits_q ? head_q.addr : addr_i;
    assign addr_hi = waits_q ? head_q.addr_hi : addr_hi_i;
    assign final_slice = waits_q ? head_q.final_slice : final_i;
    always_ff @(posedge clk_i) begin
      if (go && lsu_pkg::stores(op)) data_o <= waits_q ? data_q : data_i;
      if (rst_ni) begin
        a_data: assert (!keep || data_room) else $error("lsu_select: no room for data");
        a_count: assert (data_count <= count && (data_count != '0) == next_data_waits) else $error("lsu_select: data without their instruction");
      end
    end
  end else begin : g_passes
    assign there = valid_i;
    assign busy_o = valid_i || pass_valid_o;
    assign taken_o = ends;
    assign op = op_i;
    assign lanes = lanes_i;
    assign shared = shared_i;
    assign addr = addr_i;
    assign addr_hi = addr_hi_i;
    assign final_slice = final_i;
    assign {joined, join_used, join_row} = '0;
    assign join_o = '0;
    always_ff @(posedge clk_i) begin
      if (go && lsu_pkg::stores(op)) data_o <= data_i;
    end
  end

  logic          valid_q, first_q;
  logic          awake, any_shared, go_shared, empty;
  sm_pkg::lanes_t todo, serve, chosen, line_lanes, bank_lanes;
  sm_pkg::lanes_t [lsu_pkg::PassSectors-1:0] sector_lanes;
  sm_pkg::lanes_t [lsu_pkg::PassLines-1:0] of_line;
  lsu_pkg::line_t [lsu_pkg::PassLines-1:0] line;
  lsu_pkg::bank_lines_t bank_line;
  logic [1:0] sector;

  // Lanes of the lowest lane's group: of a store they go before the next group's.
  function automatic sm_pkg::lanes_t group_of(input sm_pkg::lanes_t all, input logic [2:0] words);
    logic [5:0]     size, first;
    sm_pkg::lanes_t group;
    size = lsu_pkg::group_lanes(words);
    first = 6'(prim_pkg::first32(32'(all))) & ~(size - 6'd1);
    group = sm_pkg::lanes_t'((64'd1 << size) - 64'd1);
    return all & group << first;
  endfunction

  // Lanes that have the lowest one's address in constant memory, which is 64 KiB.
  function automatic sm_pkg::lanes_t alike(input sm_pkg::lanes_t all, input sm_pkg::row_t at);
    logic [15:0]    first;
    sm_pkg::lanes_t same;
    first = at[lsu_pkg::LaneW'(prim_pkg::first32(32'(all)))][15:0];
    for (int unsigned lane = 0; lane < lsu_pkg::Lanes; lane++) same[lane] = at[lane][15:0] == first;
    return all & same;
  endfunction

  // Of an atomic the lowest lane and, of those in its sector (cas: its half), the lowest of each word.
  function automatic sm_pkg::lanes_t words_of_sector(input sm_pkg::lanes_t all, input sm_pkg::row_t at,
                                                     input logic [lsu_pkg::Lanes-1:0][7:0] at_hi, input logic wide, input logic cas);
    logic [lsu_pkg::LaneW-1:0] first;
    logic [7:0]                taken, words;
    sm_pkg::lanes_t            some;
    first = lsu_pkg::LaneW'(prim_pkg::first32(32'(all)));
    taken = '0;
    some = '0;
    for (int unsigned lane = 0; lane < lsu_pkg::Lanes; lane++) begin
      words = wide ? 8'd3 << {at[lane][4:3], 1'b0} : 8'd1 << at[lane][4:2];
      if (all[lane] && at[lane][31:5] == at[first][31:5] && at_hi[lane] == at_hi[first] && (!cas || at[lane][4] == at[first][4]) &&
          (taken & words) == '0) begin
        some[lane] = 1'b1;
        taken |= words;
      end
    end
    return some;
  endfunction

  assign todo = lanes & ~done_q;
  assign empty = todo == '0;
  assign go = there && (!valid_q || pass_ready_i);
  assign any_shared = Shared && (!Device || (todo & shared) != '0);
  assign go_shared = go && any_shared;
  // Whether the pass before goes is known late: where rows move in slices nothing is chosen by it.
  assign awake = Keeps ? go : valid_i;

  logic at_banks;  // an atomic of integers in shared memory
  assign at_banks = lsu_pkg::BankAtomics && any_shared && !atomic_pkg::is_float(op.atom_type);

  // Lanes that a pass may take.
  always_comb begin
    serve = any_shared ? todo & shared : todo;
    case (op.cls)
      lsu_pkg::ClassAtomic: begin
        if (Device && lsu_pkg::SectorAtomics && awake && !any_shared)
          serve = words_of_sector(serve, addr, addr_hi, lsu_pkg::size_words(op.size) == 3'd2, op.atom_op == 4'(isa_pkg::AtomOpCas));
        else if (!at_banks) serve = sm_pkg::lanes_t'(prim_pkg::lowest32(32'(serve)));
      end
      lsu_pkg::ClassStore:  serve = group_of(serve, lsu_pkg::size_words(op.size));
      lsu_pkg::ClassLoad:   if (Keeps && Device && op.konst) serve = alike(serve, addr);
      default: ;
    endcase
  end

  if (Shared) begin : g_shared
    bank_conflict u_bank_conflict (
      .en_i    (awake && any_shared),
      .lanes_i (serve),
      .words_i (lsu_pkg::size_words(op.size)),
      .store_i (op.cls == lsu_pkg::ClassStore),
      .alone_i (op.cls == lsu_pkg::ClassAtomic),
      .addr_i  (addr),
      .busy_i  ('0),
      .lanes_o (bank_lanes),
      .used_o  (bank_used),
      .row_o   (bank_row)
    );
  end else begin : g_no_shared
    assign bank_lanes = '0;
    assign bank_used = '0;
    assign bank_row = '0;
  end

  if (Device) begin : g_device
    coalescer u_coalescer (
      .en_i           (awake && !any_shared && !empty),
      .lanes_i        (serve),
      .addr_i         (addr),
      .addr_hi_i      (addr_hi),
      .lines_i        (op.cls == lsu_pkg::ClassLoad && !op.bypass && !op.konst),
      .words_i        (lsu_pkg::size_words(op.size)),
      .line_o         (line),
      .line_lanes_o   (of_line),
      .bank_line_o    (bank_line),
      .sector_o       (sector),
      .sector_lanes_o (sector_lanes)
    );
  end else begin : g_no_device
    assign line = '0;
    assign of_line = '0;
    assign bank_line = '0;
    assign sector = '0;
    assign sector_lanes = '0;
    logic unused;
    assign unused = ^addr_hi;
  end

  always_comb begin
    line_lanes = sector_lanes[0];
    for (int unsigned s = 1; s < lsu_pkg::PassSectors; s++) line_lanes |= sector_lanes[s];
  end
  assign chosen = any_shared ? bank_lanes : line_lanes;
  logic device_q;  // earlier passes of the instruction went to device memory, of which slices follow each other
  assign ends = go && (todo & ~chosen) == '0 && !(any_shared && final_slice && device_q);
  assign pass_valid_o = valid_q;
  if (Shared && Device) begin : g_both
    always_ff @(posedge clk_i) begin
      if (!rst_ni) device_q <= 1'b0;
      else if (go) device_q <= !(ends && final_slice) && (device_q || !any_shared);
    end
  end else begin : g_one
    assign device_q = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      first_q <= 1'b1;
      done_q <= '0;
      early_q <= '0;
    end else if (go) begin
      valid_q <= 1'b1;
      first_q <= ends && final_slice;
      done_q <= ends ? early_q | joined : done_q | chosen;
      early_q <= ends ? '0 : early_q | joined;
    end else if (pass_ready_i) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      pass_o.op <= op;
      pass_o.shared <= go_shared;
      pass_o.first <= first_q;
      pass_o.last <= ends && final_slice;
      pass_o.slice <= slice_i;
      pass_o.lanes <= chosen;
      pass_o.told <= Keeps && first_q ? chosen | done_q : chosen;
      if (go_shared) begin
        bank_used_o <= bank_used | join_used;
        bank_row_o <= bank_row | join_row;
      end else begin
        pass_o.sector_lanes <= sector_lanes;
        pass_o.line_lanes <= of_line;
        pass_o.line <= line;
        pass_o.sector <= sector;
        pass_o.bank_line <= bank_line;
      end
      for (int unsigned lane = 0; lane < lsu_pkg::Lanes; lane++)
        offset_o[lane] <= 8'(addr[lane][lsu_pkg::OffsetW-1:0]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && go) begin
      // A pass that takes no lane would be repeated forever.
      a_progress: assert (empty || chosen != '0) else $error("lsu_select: pass without lanes");
      a_subset: assert ((chosen & ~todo) == '0) else $error("lsu_select: pass takes a lane twice");
    end
  end

endmodule
