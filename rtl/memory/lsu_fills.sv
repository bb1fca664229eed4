// SPDX-License-Identifier: Apache-2.0
// Answers of L2 that wait for the load/store unit: `l1_control` sees what they are, from the first beat on; the data
// stage, an operation later, takes what they carry, beat by beat, as often as instructions wait for it.
//
//   two slices wait for a sector of four beats: 0 1 2 3, `last` with 3 and `again`; 0 1 2 3, `last`
module lsu_fills #(
  parameter int unsigned Depth = 2                      // answers that control has not done with
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          wr_valid_i,
  output logic                          wr_ready_o,
  input  mem_pkg::rsp_t                 wr_data_i,

  output logic                          head_valid_o,
  input  logic                          head_ready_i,
  output logic                          head_atomic_o,
  output logic                          head_error_o,
  output logic [mem_pkg::IdW-1:0]       head_id_o,

  output logic                          beat_valid_o,   // of the answer that the data stage works on
  input  logic                          beat_take_i,
  input  logic                          beat_last_i,    // of the answer
  input  logic                          beat_again_i,   // with it: the answer once more, from its first beat on
  output logic [mem_pkg::PieceBits-1:0] beat_o
);

  typedef struct packed {
    logic                    atomic;
    logic                    error;
    logic [mem_pkg::IdW-1:0] id;
  } head_t;

  // Each answer has its place until the data stage has done with it: that is one more than control knows of.
  localparam int unsigned PlaceW = $clog2(Depth + 2);
  localparam int unsigned IndexW = PlaceW + $clog2(mem_pkg::Pieces);
  typedef struct packed {
    logic [PlaceW-1:0] place;
    mem_pkg::piece_t   piece;
  } at_t;

  at_t   wr_q, rd_q, rd;
  logic  first, head_room, push;
  head_t in, head;
  assign first = wr_q.piece == '0;
  assign wr_ready_o = !first || head_room;
  assign push = wr_valid_i && wr_ready_o;
  assign in.atomic = wr_data_i.kind == mem_pkg::ReqAtomic;
  assign in.error = wr_data_i.error;
  assign in.id = wr_data_i.id;
  assign head_atomic_o = head.atomic;
  assign head_error_o = head.error;
  assign head_id_o = head.id;

  logic [$clog2(Depth+1)-1:0] head_count;
  fifo #(.T(head_t), .Depth(Depth)) u_heads (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (wr_valid_i && first),
    .wr_ready_o (head_room),
    .wr_data_i  (in),
    .rd_valid_o (head_valid_o),
    .rd_ready_i (head_ready_i),
    .rd_data_o  (head),
    .count_o    (head_count)
  );

  // The beat shown has been read into a register; the next one is read as it is taken.
  (* ram_style = "block", no_rw_check *) logic [mem_pkg::PieceBits-1:0] mem_q [1 << IndexW];
  logic show;
  always_comb begin
    rd = rd_q;
    if (beat_take_i) begin
      if (beat_last_i) begin
        rd.place = beat_again_i ? rd_q.place : rd_q.place + 1'b1;
        rd.piece = '0;
      end else rd.piece = rd_q.piece + 1'b1;
    end
  end
  assign show = (!beat_valid_o || beat_take_i) && rd != wr_q;

  function automatic logic [IndexW-1:0] index(input at_t at);
    return mem_pkg::Pieces == 1 ? IndexW'(at.place) : IndexW'(at);
  endfunction

  always_ff @(posedge clk_i) begin
    if (push) mem_q[index(wr_q)] <= wr_data_i.data;
  end
  always_ff @(posedge clk_i) begin
    if (show) beat_o <= mem_q[index(rd)];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_valid_o <= 1'b0;
      wr_q <= '0;
      rd_q <= '0;
    end else begin
      beat_valid_o <= show || (beat_valid_o && !beat_take_i);
      rd_q <= rd;
      if (push) begin
        wr_q.place <= wr_data_i.last ? wr_q.place + 1'b1 : wr_q.place;
        wr_q.piece <= wr_data_i.last ? '0 : wr_q.piece + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_take: assert (!beat_take_i || beat_valid_o) else $error("lsu_fills: no beat to take");
      a_order: assert (!push || in.atomic || mem_pkg::Pieces == 1 || wr_data_i.piece == wr_q.piece) else $error("lsu_fills: beats out of order");
      a_count: assert (32'(head_count) <= Depth) else $error("lsu_fills: count");
    end
  end

endmodule
