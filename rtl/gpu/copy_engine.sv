// SPDX-License-Identifier: Apache-2.0
// Copies and fills: any byte alignment, between host memory and device memory in any direction.
//
// Works destination piece by destination piece, a piece as wide as the memory port. With delta = (source -
// destination) mod the piece's bytes, a destination piece is made of two neighbouring source pieces shifted
// by delta bytes; so source pieces stream through one rotator and `prev`, and each is read once. Example,
// pieces of 32 bytes: 10 bytes from 0x1e to 0x40: delta = 30, destination piece 0x40 takes bytes 30, 31 of
// piece 0x00 and 0..7 of piece 0x20. Requests are sectors (32 bytes): reads run ahead into a reorder buffer,
// since L2 answers out of order; a write is put together in a register. The buffer is block RAM as wide as a piece: a
// sector that comes is written in as many cycles, and the next piece is read a cycle before it is used.
module copy_engine #(
  parameter int unsigned     PieceBits = mem_pkg::PieceBits  // 256 or less, a power of two
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               start_i,   // one cycle; copy_i stays until done_o
    input  gpu_pkg::copy_t     copy_i,
    output logic               done_o,    // one cycle; all writes are performed
    output logic               error_o,   // with done_o: an address was refused
    // Host memory.
    output logic               host_req_valid_o,
    input  logic               host_req_ready_i,
    output gpu_pkg::host_req_t host_req_o,
    input  logic               host_rsp_valid_i,   // data of reads stand until the next come, 256 / PieceBits cycles later or more
    input  gpu_pkg::host_rsp_t host_rsp_i,
    // Device memory: a client of L2.
    output logic               mem_req_valid_o,
    input  logic               mem_req_ready_i,
    output mem_pkg::req_t      mem_req_o,
    input  logic               mem_rsp_valid_i,    // piece p of it stands until p cycles later
    output logic               mem_rsp_ready_o,
    input  mem_pkg::rsp_t      mem_rsp_i
);

  localparam int unsigned Depth  = 16;  // source sectors in flight or waiting
  localparam int unsigned IndexW = $clog2(Depth);
  localparam int unsigned Bytes  = PieceBits / 8;      // of a piece
  localparam int unsigned ByteW  = $clog2(Bytes);
  localparam int unsigned Pieces = 256 / PieceBits;    // of a sector
  localparam int unsigned PartW  = (Pieces > 1) ? $clog2(Pieces) : 1;
  typedef logic [PieceBits-1:0] piece_t;
  typedef logic [63:ByteW]      piece_address_t;

  typedef enum logic [1:0] {
    Idle,   // nothing to do
    Prime,  // the first source piece goes to prev, before any destination piece
    Move,   // one destination piece after the other
    Drain   // wait until all writes are performed
  } state_e;

  state_e       state_q;
  logic         error_q;
  logic [ByteW-1:0] delta_q;
  logic [63:5]      read_q, last_read_q;    // next and last source sector
  logic             reads_left_q;
  piece_address_t   write_q, last_write_q;  // next and last destination piece
  logic             first_q;                // next is the first destination piece
  logic             last_pops_q;            // the last destination piece takes one more source piece
  logic [Bytes-1:0] first_mask_q, last_mask_q;
  logic [Bytes-1:0] from_prev_q;            // bytes of a destination piece that lie in the source piece before
  piece_t           prev_q;                 // that one, rotated
  logic [7:0]       writes_q;               // writes not yet performed

  logic                       out_valid_q;  // a write, until it is taken
  logic [63:5]                out_sector_q;
  logic [Pieces-1:0][Bytes-1:0] out_mask_q;
  piece_t [Pieces-1:0]        out_data_q;

  localparam int unsigned AtW = IndexW + $clog2(Pieces);
  (* no_rw_check, ram_style = "block" *) piece_t buffer_q [Depth*Pieces];
  piece_t            head_piece_q;
  logic              ready_q;              // it holds the next piece
  logic [AtW-1:0]    at_q, at_next;        // {sector, piece} to consume next
  logic [IndexW-1:0] head_next;
  logic [Depth-1:0]  filled_q;
  logic [IndexW-1:0] next_q, host_next_q;
  logic [IndexW:0]   used_q;

  // ---- the destination side ----------------------------------------------------------------------
  logic need_pop, have, make, last_write, pop, done_head, emit, out_ready;
  logic [PartW-1:0] write_part;             // the piece's place in its sector
  assign last_write = write_q == last_write_q;
  assign need_pop   = !copy_i.fill && (!last_write || last_pops_q);
  assign have       = !need_pop || ready_q;
  assign out_ready  = copy_i.destination_host ? host_req_ready_i : mem_req_ready_i;
  // In pieces a write takes longer to make than to be taken: its going need not be seen at once.
  assign make       = state_q == Move && have && writes_q != '1 && (!out_valid_q || (Pieces == 1 && out_ready));
  assign pop        = (make && need_pop) || (state_q == Prime && ready_q);

  assign write_part = (Pieces > 1) ? PartW'(write_q) : '0;
  assign emit       = make && (last_write || Pieces == 1 || write_part == '1);
  assign at_next    = at_q + AtW'(pop);
  assign head_next  = IndexW'(at_next >> $clog2(Pieces));
  assign done_head  = pop && (Pieces == 1 || (at_q & AtW'(Pieces - 1)) == AtW'(Pieces - 1));

  function automatic piece_t rotate(input piece_t piece, input logic [ByteW-1:0] bytes);
    piece_t r;
    r = piece;
    for (int unsigned s = 0; s < ByteW; s++) if (bytes[s]) r = (r >> (8 << s)) | (r << (PieceBits - (8 << s)));
    return r;
  endfunction

  // ---- the source side: writes go first on a shared link -----------------------------------------
  logic read_valid, read_ready, read_fire, same_link;
  assign same_link  = copy_i.source_host == copy_i.destination_host;
  assign read_valid = (state_q == Prime || state_q == Move) && reads_left_q &&
                      used_q != (IndexW + 1)'(Depth) && !(same_link && out_valid_q);
  assign read_ready = copy_i.source_host ? host_req_ready_i : mem_req_ready_i;
  assign read_fire  = read_valid && read_ready;

  always_comb begin
    host_req_o        = '0;
    mem_req_o         = '0;
    host_req_valid_o  = copy_i.destination_host ? out_valid_q : 1'b0;
    mem_req_valid_o   = copy_i.destination_host ? 1'b0 : out_valid_q;
    host_req_o.write  = host_req_valid_o;
    host_req_o.sector = host_req_valid_o ? out_sector_q : read_q;
    host_req_o.mask   = out_mask_q;
    host_req_o.data   = out_data_q;
    mem_req_o.kind    = mem_req_valid_o ? mem_pkg::ReqWrite : mem_pkg::ReqRead;
    mem_req_o.id      = mem_pkg::IdW'(next_q);
    mem_req_o.sector  = mem_req_valid_o ? out_sector_q[gpu_pkg::AddrW-1:5] : read_q[gpu_pkg::AddrW-1:5];
    mem_req_o.mask    = out_mask_q;
    mem_req_o.data    = out_data_q;
    if (read_valid) begin
      if (copy_i.source_host) host_req_valid_o = 1'b1;
      else mem_req_valid_o = 1'b1;
    end
  end

  // ---- responses ---------------------------------------------------------------------------------
  logic              host_data, mem_data, host_ack, mem_ack;
  logic [IndexW-1:0] place;   // of the arriving sector
  assign mem_rsp_ready_o = 1'b1;
  assign host_data = host_rsp_valid_i && !host_rsp_i.write && state_q != Idle;
  assign host_ack  = host_rsp_valid_i && host_rsp_i.write && state_q != Idle;
  assign mem_data  = mem_rsp_valid_i && mem_rsp_i.kind == mem_pkg::ReqRead;
  assign mem_ack   = mem_rsp_valid_i && mem_rsp_i.kind == mem_pkg::ReqWrite;

  // The arriving sector goes to its place piece by piece.
  piece_t [Pieces-1:0] host_pieces, mem_pieces;
  logic [PartW-1:0]    in_part, in_part_q;
  logic [IndexW-1:0]   in_place, in_place_q;
  logic                in_valid, in_last;
  assign host_pieces = host_rsp_i.data;
  assign mem_pieces  = mem_rsp_i.data;
  assign place     = copy_i.source_host ? host_next_q : mem_rsp_i.id[IndexW-1:0];
  assign in_part   = (host_data || mem_data) ? '0 : in_part_q;
  assign in_place  = (host_data || mem_data) ? place : in_place_q;
  assign in_valid  = host_data || mem_data || in_part_q != '0;
  assign in_last   = in_part == PartW'(Pieces - 1);

  // ---- start -------------------------------------------------------------------------------------
  logic [63:0] distance, source_last, destination_last;
  logic [ByteW-1:0] delta;
  logic        primes;
  assign distance         = copy_i.bytes - 64'd1;
  assign source_last      = copy_i.source + distance;
  assign destination_last = copy_i.destination + distance;
  assign delta            = copy_i.source[ByteW-1:0] - copy_i.destination[ByteW-1:0];
  // prev is read first only if the byte that lands on byte 0 of the first destination piece lies in the first source piece.
  assign primes           = copy_i.source[ByteW-1:0] > copy_i.destination[ByteW-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      done_o       <= 1'b0;
      error_o      <= 1'b0;
      error_q      <= 1'b0;
      reads_left_q <= 1'b0;
      writes_q     <= '0;
      out_valid_q  <= 1'b0;
      filled_q     <= '0;
      used_q       <= '0;
    end else begin
      done_o <= 1'b0;
      if (state_q != Idle) begin
        if (read_fire) begin
          next_q       <= next_q + 1'b1;
          read_q       <= read_q + 1'b1;
          reads_left_q <= read_q != last_read_q;
        end
        if (host_data) host_next_q <= host_next_q + 1'b1;
        if (in_valid && in_last) filled_q[in_place] <= 1'b1;
        if ((host_rsp_valid_i && host_rsp_i.error) || (mem_rsp_valid_i && mem_rsp_i.error))
          error_q <= 1'b1;
        if (done_head) filled_q[IndexW'(at_q >> $clog2(Pieces))] <= 1'b0;
        at_q     <= at_next;
        used_q   <= used_q + (IndexW + 1)'(read_fire) - (IndexW + 1)'(done_head);
        writes_q <= writes_q + 8'(emit) - 8'(host_ack || mem_ack);
        if (out_ready) out_valid_q <= 1'b0;
        if (emit) out_valid_q <= 1'b1;
        if (make) begin
          write_q <= write_q + 1'b1;
          first_q <= 1'b0;
        end
      end
      case (state_q)
        Idle:
        if (start_i) begin
          error_q      <= 1'b0;
          delta_q      <= delta;
          read_q       <= copy_i.source[63:5];
          last_read_q  <= source_last[63:5];
          write_q      <= copy_i.destination[63:ByteW];
          last_write_q <= destination_last[63:ByteW];
          first_q      <= 1'b1;
          first_mask_q <= '1 << copy_i.destination[ByteW-1:0];
          last_mask_q  <= '1 >> ~destination_last[ByteW-1:0];
          from_prev_q  <= delta == '0 ? '0 : '1 >> delta;
          // With prev, as many source pieces as destination pieces or one more; else as many or one less.
          last_pops_q  <= (source_last[ByteW] ^ copy_i.source[ByteW] ^
                           destination_last[ByteW] ^ copy_i.destination[ByteW]) == primes;
          reads_left_q <= !copy_i.fill && copy_i.bytes != '0;
          // All that was asked for has come and been consumed: the last sector perhaps not to its end.
          filled_q     <= '0;
          used_q       <= '0;
          at_q         <= (Pieces > 1) ? AtW'(PartW'(copy_i.source[63:ByteW])) : '0;
          next_q       <= '0;
          host_next_q  <= '0;
          if (copy_i.bytes == '0) state_q <= Drain;
          else if (!copy_i.fill && primes) state_q <= Prime;
          else state_q <= Move;
        end
        Prime: if (pop) state_q <= Move;
        Move:  if (make && last_write) state_q <= Drain;
        Drain:
        if (writes_q == '0) begin
          state_q <= Idle;
          done_o  <= 1'b1;
          error_o <= error_q;
        end
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (make || pop) begin : move
      automatic piece_t rotated = rotate(head_piece_q, delta_q);
      automatic piece_t data = rotated;
      if (pop) prev_q <= rotated;
      if (make) begin
        for (int unsigned i = 0; i < Bytes; i++) begin
          if (copy_i.fill) data[8*i+:8] = copy_i.pattern[8*(i%4)+:8];
          else if (from_prev_q[i]) data[8*i+:8] = prev_q[8*i+:8];
        end
        out_sector_q <= write_q[63:5];
        for (int unsigned p = 0; p < Pieces; p++) if (Pieces == 1 || write_part == PartW'(p)) out_data_q[p] <= data;
      end
    end
  end
  // Pieces that are not made leave their bytes alone.
  always_ff @(posedge clk_i) begin
    if (state_q == Idle || (out_valid_q && out_ready)) out_mask_q <= '0;
    if (make) out_mask_q[write_part] <= (first_q ? first_mask_q : '1) & (last_write ? last_mask_q : '1);
  end
  always_ff @(posedge clk_i) begin
    if (in_valid) buffer_q[AtW'({in_place, in_part} >> (Pieces > 1 ? 0 : 1))] <= copy_i.source_host ? host_pieces[in_part] : mem_pieces[in_part];
    in_place_q <= in_place;
    in_part_q <= (Pieces > 1 && rst_ni && state_q != Idle && in_valid && !in_last) ? in_part + 1'b1 : '0;
  end
  always_ff @(posedge clk_i) begin
    ready_q <= state_q != Idle && filled_q[head_next];
    if (filled_q[head_next]) head_piece_q <= buffer_q[at_next];
  end

endmodule
