// SPDX-License-Identifier: Apache-2.0
// Requests of the load/store unit that wait for the link to L2: of a line they come together. Reads leave together, too,
// where the link has such requests (mem_pkg::LineReads); else all leave sector by sector, from the lowest on.
//
//   cycle     0                  1              2     3
//   wr        read line 5: 0,2   write 6: 1,3   -     -
//   mem_req   -                  5.0,2          6.1   6.3
module lsu_requests (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               wr_valid_i,       // only with room for it
  input  lsu_pkg::line_req_t wr_req_i,
  input  lsu_pkg::line_data_t wr_data_i,       // of a write or an atomic
  output logic               room_o,           // for all of a pass, besides what comes now

  output logic               mem_req_valid_o,
  input  logic               mem_req_ready_i,
  output mem_pkg::req_t      mem_req_o
);

  localparam int unsigned Depth = lsu_pkg::RequestDepth;
  localparam int unsigned PieceWords = lsu_pkg::PieceWords;

  localparam int unsigned DataDepth = lsu_pkg::DataDepth;
  logic                           req_ready, data_ready, head_valid, head_done, data_valid, reads;
  logic [$clog2(Depth+1)-1:0]     count;
  logic [$clog2(DataDepth+1)-1:0] data_count;
  lsu_pkg::line_req_t             head;
  lsu_pkg::line_data_t            data;
  fifo #(.T(lsu_pkg::line_req_t), .Depth(Depth), .Ram(mem_pkg::RamQueues)) u_lines (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (wr_valid_i),
    .wr_ready_o (req_ready),
    .wr_data_i  (wr_req_i),
    .rd_valid_o (head_valid),
    .rd_ready_i (head_done),
    .rd_data_o  (head),
    .count_o    (count)
  );
  fifo #(.T(lsu_pkg::line_data_t), .Depth(DataDepth), .Ram(mem_pkg::RamQueues)) u_data (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (wr_valid_i && wr_req_i.kind != mem_pkg::ReqRead),
    .wr_ready_o (data_ready),
    .wr_data_i  (wr_data_i),
    .rd_valid_o (data_valid),
    .rd_ready_i (head_done && !reads),
    .rd_data_o  (data),
    .count_o    (data_count)
  );
  assign reads = head.kind == mem_pkg::ReqRead;
  assign mem_req_valid_o = head_valid && (reads || data_valid);
  // What the data stage sends now may be the last of an operation.
  assign room_o = count <= ($bits(count))'(Depth - lsu_pkg::PassRequests - mem_pkg::Pieces) &&
                  data_count <= ($bits(data_count))'(DataDepth - lsu_pkg::PassRequests - mem_pkg::Pieces);

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
        mem_req_o.mask = data.mask[PieceWords*now+:PieceWords];
        mem_req_o.data = data.data[PieceWords*now+:PieceWords];
      end
      mem_req_o.offset = head.offset;
      mem_req_o.wide = head.wide;
      mem_req_o.atom_op = head.atom_op;
      mem_req_o.atom_type = head.atom_type;
      mem_req_o.warp = head.warp;
      mem_req_o.seq = head.seq;
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
