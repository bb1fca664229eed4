// SPDX-License-Identifier: Apache-2.0
// Requests of the load/store unit that wait for the link to L2: of a line they come together. Reads leave together, too,
// where the link has such requests (mem_pkg::LineReads); else all leave sector by sector, from the lowest on. Stores may wait
// in write_combine before that, if the preset has it. Atomics of several lanes take a turn more where the preset says so
// (latency class Mask), in which the link is told which: a turn for each run of sectors of a line, in ascending order, that an
// instruction sends. What one lane brings needs none, but for a compare-and-swap.
//
//   cycle     0                  1              2     3
//   wr        read line 5: 0,2   write 6: 1,3   -     -
//   mem_req   -                  5.0,2          6.1   6.3
module lsu_requests #(
  parameter bit MaskTurn = mem_pkg::SectorAtomics && config_pkg::Latency[isa_pkg::LatMask] != '0
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               wr_valid_i,       // only with room for it
  input  lsu_pkg::line_req_t wr_req_i,
  input  lsu_pkg::line_data_t wr_data_i,       // of a write or an atomic
  output logic               room_o,           // for all of a pass, besides what comes now
  input  logic [config_pkg::WarpsPerSm-1:0] wanted_i,       // warps that wait for their stores
  output logic [2:0]         joined_o,         // so many sectors of this warp's stores were joined to earlier ones
  output logic [config_pkg::WarpW-1:0] joined_warp_o,

  output logic               mem_req_valid_o,
  input  logic               mem_req_ready_i,
  output mem_pkg::req_t      mem_req_o
);

  localparam int unsigned Depth = lsu_pkg::RequestDepth;
  localparam int unsigned PieceWords = lsu_pkg::PieceWords;

  localparam int unsigned DataDepth = lsu_pkg::DataDepth;
  logic                           req_ready, data_ready, first_valid, first_taken, data_valid, first_reads;
  logic [$clog2(Depth+1)-1:0]     count;
  logic [$clog2(DataDepth+1)-1:0] data_count;
  lsu_pkg::line_req_t             first;
  lsu_pkg::line_data_t            data;
  fifo #(.T(lsu_pkg::line_req_t), .Depth(Depth), .Ram(mem_pkg::RamQueues)) u_lines (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (wr_valid_i),
    .wr_ready_o (req_ready),
    .wr_data_i  (wr_req_i),
    .rd_valid_o (first_valid),
    .rd_ready_i (first_taken),
    .rd_data_o  (first),
    .count_o    (count)
  );
  fifo #(.T(lsu_pkg::line_data_t), .Depth(DataDepth), .Ram(mem_pkg::RamQueues)) u_data (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (wr_valid_i && wr_req_i.kind != mem_pkg::ReqRead),
    .wr_ready_o (data_ready),
    .wr_data_i  (wr_data_i),
    .rd_valid_o (data_valid),
    .rd_ready_i (first_taken && !first_reads),
    .rd_data_o  (data),
    .count_o    (data_count)
  );
  assign first_reads = first.kind == mem_pkg::ReqRead;
  // What the data stage sends now may be the last of an operation.
  assign room_o = count <= ($bits(count))'(Depth - lsu_pkg::PassRequests - mem_pkg::Pieces) &&
                  data_count <= ($bits(data_count))'(DataDepth - lsu_pkg::PassRequests - mem_pkg::Pieces);

  // What leaves: the first that waits, or a line of write_combine.
  logic               head_valid, head_done, reads;
  lsu_pkg::line_req_t head;
  logic [mem_pkg::PieceBytes-1:0] head_mask;
  logic [mem_pkg::PieceBits-1:0]  head_data;
  logic [gpu_pkg::SeqW-1:0]       head_seq;

  lsu_pkg::sectors_t sent_q, todo;
  lsu_pkg::sector_t  now;
  logic              ends;
  lsu_pkg::sectors_t further;
  assign todo = head.sectors & ~sent_q;
  assign now = lsu_pkg::sector_t'(prim_pkg::first32(32'(todo)));
  assign further = todo & (todo - 1'b1);
  assign ends = further == '0 || (mem_pkg::LineReads && reads);
  assign head_done = mem_req_valid_o && mem_req_ready_i && ends;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) sent_q <= '0;
    else if (mem_req_valid_o && mem_req_ready_i) sent_q <= ends ? '0 : sent_q | lsu_pkg::sectors_t'(1) << now;
  end

  if (lsu_pkg::Combines) begin : g_combine
    write_combine u_combine (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .in_valid_i    (first_valid && (first_reads || data_valid)),
      .in_ready_o    (first_taken),
      .in_i          (first),
      .in_data_i     (data),
      .wanted_i      (wanted_i),
      .joined_o      (joined_o),
      .joined_warp_o (joined_warp_o),
      .out_valid_o   (head_valid),
      .out_o         (head),
      .out_done_i    (head_done),
      .out_sector_i  (now),
      .out_mask_o    (head_mask),
      .out_data_o    (head_data),
      .out_seq_o     (head_seq)
    );
  end else begin : g_direct
    assign head_valid = first_valid && (first_reads || data_valid);
    assign first_taken = head_done;
    assign head = first;
    assign head_mask = data.mask[PieceWords*now+:PieceWords];
    assign head_data = data.data[PieceWords*now+:PieceWords];
    assign head_seq = first.seq;
    assign joined_o = '0;
    assign joined_warp_o = '0;
    logic unused;
    assign unused = ^wanted_i;
  end
  assign reads = head.kind == mem_pkg::ReqRead;

  // ---- the turn before atomics of several lanes -------------------------------------------------------------------
  logic tells;
  assign mem_req_valid_o = head_valid && !tells;
  if (MaskTurn) begin : g_turn
    // The run at the link: its last request, and whether it has had its turn; told_q: what is to leave now had it just now.
    typedef struct packed {
      lsu_pkg::line_t               line;
      logic [2:0]                   place;   // in the line: the sector, of a compare-and-swap its half
      logic [config_pkg::WarpW-1:0] warp;
      logic [gpu_pkg::SeqW-1:0]     seq;
    } run_t;
    run_t run_q, run;
    logic runs_q, had_q, told_q, atomic, swaps, goes_on;
    assign atomic = mem_pkg::is_atomic(head.kind);
    assign swaps = head.atom_op == 4'(isa_pkg::AtomOpCas);
    assign run = '{line: head.line, place: {head.sector | 2'(now), swaps && head.offset[4]}, warp: head.warp, seq: head.seq};
    assign goes_on = runs_q && run.line == run_q.line && run.warp == run_q.warp && run.seq == run_q.seq && run.place > run_q.place;
    assign tells = head_valid && atomic && !told_q && (goes_on ? !had_q : head.several || swaps);
    always_ff @(posedge clk_i) begin
      told_q <= tells;
      if (head_done) begin
        runs_q <= atomic;
        run_q <= run;
        had_q <= told_q || (goes_on && had_q);
      end else if (told_q) told_q <= 1'b1;
      if (!rst_ni) begin
        told_q <= 1'b0;
        runs_q <= 1'b0;
      end
    end
  end else begin : g_no_turn
    logic unused;
    assign unused = head.several;
    assign tells = 1'b0;
  end

  always_comb begin
    mem_req_o = '0;
    if (mem_req_valid_o) begin
      mem_req_o.kind = head.kind;
      mem_req_o.sector = {head.line, head.sector | 2'(now)};
      mem_req_o.id = reads ? head.id | mem_pkg::IdW'(mem_req_o.sector[6:5]) : head.id;
      mem_req_o.piece = head.piece;
      mem_req_o.last = head.last;
      if (reads) begin
        if (mem_pkg::LineReads) mem_req_o.mask = mem_pkg::PieceBytes'(further) << head.sector;
      end else begin
        mem_req_o.mask = head_mask;
        mem_req_o.data = head_data;
      end
      mem_req_o.offset = head.offset;
      mem_req_o.wide = head.wide;
      mem_req_o.atom_op = head.atom_op;
      mem_req_o.atom_type = head.atom_type;
      mem_req_o.warp = head.warp;
      mem_req_o.seq = head_seq;
      mem_req_o.lane = head.lane;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_room: assert (!wr_valid_i || (req_ready && (data_ready || wr_req_i.kind == mem_pkg::ReqRead))) else $error("lsu_requests: the queue overflows");
      a_some: assert (!mem_req_valid_o || head.sectors != '0) else $error("lsu_requests: a request for nothing");
      a_data: assert (!wr_valid_i || mem_pkg::Pieces == 1 || wr_req_i.kind == mem_pkg::ReqRead ||
                      (wr_req_i.sectors & (wr_req_i.sectors - 1'b1)) == '0) else $error("lsu_requests: pieces of several sectors");
    end
  end

endmodule
