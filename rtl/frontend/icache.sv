// SPDX-License-Identifier: Apache-2.0
// Instruction cache of an SM: direct mapped, lines of four 32-byte sectors; one piece of a sector a cycle (where the
// memory port is wide: a sector), one sub-partition's sector after the other's.
//
//   cycle 0  request granted, tag and piece 0 read
//         1  hit: the piece goes to its warp's buffer, the next one is looked up. Miss: nobody is served until the line
//            is there
//
// After a missed line the one behind it is fetched too, while hits go on. Lookups outside the code
// segment are answered with an error; so are those of a line that memory could not deliver.
module icache #(
  localparam int unsigned Parts = config_pkg::SubPartitions,
  localparam int unsigned PartW = config_pkg::SubPartitionW
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [gpu_pkg::AddrW-1:0]     code_base_i,    // multiple of 32
  input  logic [31:0]                   code_size_i,
  input  logic                          invalidate_i,   // one cycle; while nothing is under way
  output logic                          busy_o,
  // Sub-partitions.
  input  logic [Parts-1:0]              req_valid_i,
  output logic [Parts-1:0]              req_ready_o,
  input  core_pkg::warp_t               req_warp_i [Parts],
  input  logic [31:5]                   req_sector_i [Parts],
  output logic [Parts-1:0]              rsp_valid_o,
  output core_pkg::warp_t               rsp_warp_o,
  output core_pkg::fetch_error_e        rsp_error_o,
  output mem_pkg::piece_t               rsp_piece_o,    // from 0 on
  output logic [mem_pkg::PieceBits-1:0] rsp_data_o,
  // Memory: all answers to a line's reads in any order, always taken.
  output logic                          mem_req_valid_o,
  input  logic                          mem_req_ready_i,
  output logic [gpu_pkg::AddrW-1:5]     mem_req_sector_o,
  output logic [1:0]                    mem_req_place_o,  // of the sector in its line
  input  logic                          mem_rsp_valid_i,
  input  logic                          mem_rsp_error_i,
  input  logic [1:0]                    mem_rsp_place_i,
  input  mem_pkg::piece_t               mem_rsp_piece_i,
  input  logic [mem_pkg::PieceBits-1:0] mem_rsp_data_i
);

  localparam int unsigned Lines = config_pkg::IcacheBytes / mem_pkg::LineBytes;
  localparam int unsigned IndexW = $clog2(Lines);
  localparam int unsigned TagW = 25 - IndexW;
  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned AtW = IndexW + 2 + $clog2(Pieces);
  localparam int unsigned CameW = $clog2(4 * Pieces) + 1;
  typedef logic [31:7] line_t;

  // Where a piece of a line's sector is kept.
  function automatic logic [AtW-1:0] at(input logic [6+IndexW:5] sector, input mem_pkg::piece_t piece);
    return AtW'({sector, piece} >> (Pieces > 1 ? 0 : 1));
  endfunction
  (* no_rw_check *) logic [mem_pkg::PieceBits-1:0] data_q [Lines*4*Pieces];  // a line that is being filled does not hit
  logic [TagW-1:0]  tag_q [Lines];
  logic [Lines-1:0] valid_q;

  // ---- lookup -----------------------------------------------------------------------------------------
  logic             look_q;          // a lookup's answer is due
  logic             wait_q;          // it missed; it is repeated until it hits
  logic [PartW-1:0] part_q;
  core_pkg::warp_t  warp_q;
  logic [31:5]      sector_q;
  mem_pkg::piece_t  piece_q;
  logic [mem_pkg::PieceBits-1:0] read_q;
  logic [TagW-1:0]  read_tag_q;
  logic             read_valid_q, late_q;

  logic             valid, hit, outside, answer, bad;
  logic             more, stay;      // answered, with a piece to come; nothing new
  logic [Parts-1:0] grant;
  logic [PartW-1:0] part;
  logic [31:5]      sector;
  mem_pkg::piece_t  piece;
  rr_arbiter #(.N(Parts)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (req_valid_i),
    .advance_i (req_ready_o != '0),
    .valid_o   (valid),
    .gnt_o     (grant),
    .index_o   (part)
  );

  logic  refill_q;          // a line is being fetched
  line_t line_q;
  logic [2:0] sent_q;       // sectors of it asked for
  logic [CameW-1:0] came_q; // pieces of it arrived
  logic  all_came;
  logic  error_q;
  logic  ahead_q;           // that nobody asked for
  logic  failed_q;          // failed_line_q could not be fetched
  line_t failed_line_q;
  assign outside = {sector_q, 5'd0} >= code_size_i;
  assign bad = failed_q && failed_line_q == sector_q[31:7];
  assign hit = read_valid_q && read_tag_q == sector_q[31:7+IndexW];
  assign answer = look_q && (hit || outside || bad);
  assign more = Pieces > 1 && answer && piece_q != mem_pkg::piece_t'(Pieces - 1);
  // Nothing new while a lookup has missed, or misses right now.
  assign stay = wait_q || (look_q && (!answer || more));
  assign req_ready_o = stay ? '0 : grant;
  assign sector = stay ? sector_q : req_sector_i[part];
  assign piece = Pieces > 1 && stay ? piece_q + mem_pkg::piece_t'(more) : '0;

  always_comb begin
    rsp_valid_o = '0;
    rsp_valid_o[part_q] = answer;
  end
  assign rsp_warp_o = warp_q;
  assign rsp_error_o = outside ? core_pkg::FetchPc : bad ? core_pkg::FetchBus : core_pkg::FetchOk;
  assign rsp_piece_o = piece_q;
  assign rsp_data_o = read_q;

  logic lookup;
  assign lookup = (valid && req_ready_o != '0) || more || (wait_q && !look_q && (!refill_q || ahead_q));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      look_q <= 1'b0;
      wait_q <= 1'b0;
    end else if (valid || look_q || wait_q) begin
      look_q <= lookup;
      wait_q <= (wait_q || look_q) && !answer;
    end
  end
  always_ff @(posedge clk_i) begin
    if (req_ready_o != '0) begin
      part_q <= part;
      warp_q <= req_warp_i[part];
      sector_q <= req_sector_i[part];
    end
  end
  always_ff @(posedge clk_i) begin
    if (lookup) begin
      piece_q <= piece;
      read_q <= data_q[at(sector[6+IndexW:5], piece)];
      read_tag_q <= tag_q[sector[6+IndexW:7]];
      read_valid_q <= valid_q[sector[6+IndexW:7]];
      // A lookup of the cycle in which its line is completed misses: it only needs to look again.
      late_q <= refill_q && all_came && !error_q && line_q == sector[31:7];
    end
  end

  // ---- refill -------------------------------------------------------------------------------------------
  line_t      next_line;
  logic       want_ahead, missed;
  assign missed = look_q && !answer && !late_q;
  assign next_line = line_q + 25'd1;
  assign want_ahead = !ahead_q && !error_q && {next_line, 7'd0} < code_size_i &&
                      !(valid_q[next_line[6+IndexW:7]] && tag_q[next_line[6+IndexW:7]] == next_line[31:7+IndexW]);
  assign all_came = came_q[CameW-1];
  assign mem_req_valid_o = refill_q && !sent_q[2];
  assign mem_req_place_o = sent_q[1:0];
  assign mem_req_sector_o = code_base_i[gpu_pkg::AddrW-1:5] + {8'd0, line_q, sent_q[1:0]};
  assign busy_o = refill_q || look_q || wait_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      refill_q <= 1'b0;
      failed_q <= 1'b0;
      valid_q <= '0;
    end else begin
      if (invalidate_i) begin
        valid_q <= '0;
        failed_q <= 1'b0;
      end
      // The line that is being filled holds nothing until it is complete.
      if (refill_q) valid_q[line_q[6+IndexW:7]] <= all_came && !error_q;
      if (!refill_q) begin
        if (missed) begin
          refill_q <= 1'b1;
          line_q <= sector_q[31:7];
          ahead_q <= 1'b0;
          sent_q <= '0;
          came_q <= '0;
          error_q <= 1'b0;
        end
      end else begin
        if (mem_req_valid_o && mem_req_ready_i) sent_q <= sent_q + 3'd1;
        if (mem_rsp_valid_i) begin
          data_q[at({line_q[6+IndexW:7], mem_rsp_place_i}, mem_rsp_piece_i)] <= mem_rsp_data_i;
          error_q <= error_q || mem_rsp_error_i;
          came_q <= came_q + 1'b1;
          if (came_q == CameW'(4 * Pieces - 1)) tag_q[line_q[6+IndexW:7]] <= line_q[31:7+IndexW];
        end
        if (all_came) begin
          if (error_q && !ahead_q) begin
            failed_q <= 1'b1;
            failed_line_q <= line_q;
          end
          if (want_ahead) begin
            line_q <= next_line;
            ahead_q <= 1'b1;
            sent_q <= '0;
            came_q <= '0;
          end else begin
            refill_q <= 1'b0;
          end
        end
      end
    end
  end

endmodule
