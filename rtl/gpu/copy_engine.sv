// SPDX-License-Identifier: Apache-2.0
// Copies and fills: rows of any byte alignment, between host memory and device memory in any direction.
//
// Works destination piece by destination piece, a piece as wide as a beat of the links. With delta = (source -
// destination) mod the piece's bytes, a destination piece is made of two neighbouring source pieces shifted
// by delta bytes; so source pieces stream through one rotator and `prev`, and each is read once. Example,
// pieces of 32 bytes: 10 bytes from 0x1e to 0x40: delta = 30, destination piece 0x40 takes bytes 30, 31 of
// piece 0x00 and 0..7 of piece 0x20. Reads run ahead into a reorder buffer, since L2 answers out of order; its next piece
// is read a cycle before it is used. A destination piece goes out as a beat as soon as it is made.
//
// A write of several beats begins when all source pieces of its sector are here: it keeps its link until its last beat,
// and on a copy within one memory a read that it still waited for could not be asked. Pieces of its sector before the
// first byte or behind the last are beats without bytes. Example, pieces of 8 bytes: 10 bytes to 0x0c: beats with masks
// 0x00, 0xf0, 0x3f, 0x00.
//
// Reads go on with the next row while the rows before are written: each side has its own row address and count. An
// address moves to the next row in the cycle after it was used. An error ends the copy with the row that is being
// written; what was read ahead is dropped.
module copy_engine (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               start_i,   // one cycle; copy_i stands from the cycle before until done_o
    input  gpu_pkg::copy_t     copy_i,
    output logic               done_o,    // one cycle; all writes are performed
    output logic               error_o,   // with done_o: an address was refused
    // Host memory.
    output logic               host_req_valid_o,
    input  logic               host_req_ready_i,
    output mem_pkg::host_req_t host_req_o,
    input  logic               host_rsp_valid_i,
    input  mem_pkg::host_rsp_t host_rsp_i,
    // Device memory: a client of L2.
    output logic               mem_req_valid_o,
    input  logic               mem_req_ready_i,
    output mem_pkg::req_t      mem_req_o,
    input  logic               mem_rsp_valid_i,
    output logic               mem_rsp_ready_o,
    input  mem_pkg::rsp_t      mem_rsp_i
);

  localparam int unsigned Depth  = 16;  // source sectors in flight or waiting
  localparam int unsigned IndexW = $clog2(Depth);
  localparam int unsigned Pieces = mem_pkg::Pieces;      // of a sector
  localparam int unsigned Bytes  = mem_pkg::PieceBytes;  // of a piece
  localparam int unsigned ByteW  = $clog2(Bytes);
  localparam int unsigned AddrW  = gpu_pkg::AddrW;
  localparam mem_pkg::piece_t LastPiece = mem_pkg::piece_t'(Pieces - 1);
  typedef logic [mem_pkg::PieceBits-1:0] data_t;

  typedef enum logic [2:0] {
    Idle,   // nothing to do
    Load,   // one cycle between two rows
    Prime,  // the first source piece goes to prev, before any destination piece
    Move,   // one destination piece after the other
    Drain   // wait until all reads are answered and all writes performed
  } state_e;

  state_e       state_q;
  logic         error_q;
  logic [ByteW-1:0] delta_q;
  logic [63:5]      read_q;                 // next source sector
  logic [AddrW:5]   last_read_q;            // the last, as far as needed: a copy has less than 2^AddrW bytes
  logic             reads_left_q;           // of this row
  logic [63:0]      read_row_q;             // the next row to read
  logic [31:0]      read_rows_q;            // rows behind it
  logic             more_reads_q;           // there is a next row to read
  logic [63:0]      write_row_q;            // as on the source side
  logic [5:0]       write_source_q;         // where that row's source lies
  logic [31:0]      write_rows_q;
  logic             more_writes_q;
  logic             read_step_q, write_step_q;  // the row address moves on
  logic [63:ByteW]  write_q;                // next destination piece
  logic [AddrW:ByteW] last_write_q;         // the last
  mem_pkg::piece_t  first_piece_q;          // the number of the first in its sector
  logic             first_q;                // it is not yet made
  logic             past_q;                 // the last is made; its sector's others follow
  logic             last_pops_q;            // the last destination piece takes one more source piece
  logic [Bytes-1:0] first_mask_q, last_mask_q;
  logic [Bytes-1:0] from_prev_q;            // bytes of a destination piece that lie in the source piece before
  data_t            prev_q;                 // that one, rotated
  logic [7:0]       writes_q;               // writes not yet performed

  logic             out_valid_q;            // a beat of a write, until it is taken
  logic [63:5]      out_sector_q;
  mem_pkg::piece_t  out_piece_q;
  logic [Bytes-1:0] out_mask_q;
  data_t            out_data_q;

  localparam int unsigned AtW = IndexW + $clog2(Pieces);
  (* no_rw_check, ram_style = "block" *) data_t buffer_q [Depth*Pieces];
  data_t             head_piece_q;
  logic              ready_q;              // it holds the next piece
  logic [AtW-1:0]    at_q, at_after, at_next;  // {sector, piece} to consume next
  logic [IndexW-1:0] head;                 // its sector
  logic [Depth-1:0]  filled_q;
  logic [IndexW-1:0] next_q, host_next_q;
  logic [IndexW:0]   used_q;

  // ---- the destination side ----------------------------------------------------------------------
  logic starts, load;                       // of the copy; of a row
  logic need_pop, have, make, last_write, empty, ends, pop, done_head, out_ready;
  logic same_link, read_valid, read_waits;  // of the source side
  mem_pkg::piece_t write_piece;             // the piece's number in its sector
  logic            begins;                  // its write has begun or can begin
  assign write_piece = (Pieces > 1) ? mem_pkg::piece_t'(write_q) : '0;
  assign empty       = Pieces > 1 && (past_q || (first_q && write_piece != first_piece_q));
  assign last_write  = write_q[AddrW:ByteW] == last_write_q;
  assign need_pop    = !copy_i.fill && !empty && (!last_write || last_pops_q);
  assign have        = begins && (!need_pop || ready_q);
  assign out_ready   = copy_i.destination_host ? host_req_ready_i : mem_req_ready_i;
  assign make        = state_q == Move && have && writes_q != '1 && (!out_valid_q || out_ready) && !read_waits;
  assign ends        = write_piece == LastPiece;
  assign pop         = (make && need_pop) || (state_q == Prime && ready_q);

  // What is left of a sector at its row's end, and of all sectors at the copy's.
  logic drop, release_head;
  logic [AtW-1:0] at_held;
  assign drop = (load && used_q != '0 && Pieces > 1 && (at_q & AtW'(Pieces - 1)) != '0) ||
                (state_q == Drain && filled_q[head]);
  assign release_head = done_head || drop;
  if (Pieces > 1) begin : g_at
    assign at_held = {head + IndexW'(drop), load ? mem_pkg::piece_t'(write_source_q[4:ByteW]) : mem_pkg::piece_t'(at_q)};
  end else begin : g_at_sector
    assign at_held = head + IndexW'(drop);
  end

  // Whether a piece is popped is known late: all that follows is made for both cases.
  assign at_after  = at_q + 1'b1;
  assign at_next   = pop ? at_after : at_held;
  assign head      = IndexW'(at_q >> $clog2(Pieces));
  assign done_head = pop && (Pieces == 1 || (at_q & AtW'(Pieces - 1)) == AtW'(Pieces - 1));

  // A destination sector's source lies in two sectors at most. The next two are here, or the last, or none is left.
  if (Pieces > 1) begin : g_begins
    logic two_q;
    assign begins = write_piece != '0 || copy_i.fill || two_q ||
                    (!reads_left_q && !more_reads_q && (used_q == '0 || (used_q == (IndexW + 1)'(1) && ready_q)));
    always_ff @(posedge clk_i) begin
      two_q <= state_q != Idle && filled_q[head+1'b1] && (release_head ? filled_q[head+IndexW'(2)] : filled_q[head]);
    end
  end else begin : g_begins_at_once
    assign begins = 1'b1;
  end

  function automatic data_t rotate(input data_t data, input logic [ByteW-1:0] bytes);
    data_t r;
    r = data;
    for (int unsigned s = 0; s < ByteW; s++)
      if (bytes[s]) r = (r >> (8 << s)) | (r << (mem_pkg::PieceBits - (8 << s)));
    return r;
  endfunction

  // ---- the source side: writes go first on a shared link, from their first beat to their last ----
  // A read that was offered stands until it is taken: no write is made in front of it.
  logic read_ready, read_fire, host_write, mem_write;
  assign same_link  = copy_i.source_host == copy_i.destination_host;
  assign read_valid = reads_left_q && used_q != (IndexW + 1)'(Depth) && !(same_link && out_valid_q);
  assign read_ready = copy_i.source_host ? host_req_ready_i : mem_req_ready_i;
  assign read_fire  = read_valid && read_ready;
  assign read_waits = same_link && read_valid && !read_ready;
  assign host_write = out_valid_q && copy_i.destination_host;
  assign mem_write  = out_valid_q && !copy_i.destination_host;

  // As in the command processor: no mask on a small machine, nothing computed without need on a large one.
  always_comb begin
    host_req_valid_o = host_write || (read_valid && copy_i.source_host);
    mem_req_valid_o  = mem_write || (read_valid && !copy_i.source_host);
    host_req_o       = '0;
    mem_req_o        = '0;
    if (Pieces > 1 || state_q != Idle) begin
      host_req_o.write  = host_write;
      host_req_o.sector = host_write ? out_sector_q : read_q;
      host_req_o.piece  = host_write ? out_piece_q : '0;
      host_req_o.last   = !host_write || out_piece_q == LastPiece;
      host_req_o.mask   = out_mask_q;
      host_req_o.data   = out_data_q;
      mem_req_o.kind    = mem_write ? mem_pkg::ReqWrite : mem_pkg::ReqRead;
      mem_req_o.id      = mem_write ? '0 : mem_pkg::IdW'(next_q);
      mem_req_o.sector  = mem_write ? out_sector_q[AddrW-1:5] : read_q[AddrW-1:5];
      mem_req_o.piece   = mem_write ? out_piece_q : '0;
      mem_req_o.last    = !mem_write || out_piece_q == LastPiece;
      mem_req_o.mask    = mem_write ? out_mask_q : '0;
      mem_req_o.data    = out_data_q;
    end
  end

  // ---- responses: a beat goes to its place in the buffer -------------------------------------------
  logic              host_data, mem_data, host_ack, mem_ack, in_last;
  logic [IndexW-1:0] place;   // of the arriving sector
  logic [AtW-1:0]    in_at;   // of the beat
  assign mem_rsp_ready_o = 1'b1;
  assign host_data = host_rsp_valid_i && !host_rsp_i.write && state_q != Idle;
  assign host_ack  = host_rsp_valid_i && host_rsp_i.write && state_q != Idle;
  assign mem_data  = mem_rsp_valid_i && mem_rsp_i.answer.kind == mem_pkg::ReqRead;
  assign mem_ack   = mem_rsp_valid_i && mem_rsp_i.ack.valid;
  assign place     = copy_i.source_host ? host_next_q : mem_rsp_i.answer.id[IndexW-1:0];
  assign in_last   = copy_i.source_host ? host_data && host_rsp_i.last : mem_data && mem_rsp_i.answer.last;
  assign in_at     = AtW'({place, copy_i.source_host ? host_rsp_i.piece : mem_rsp_i.answer.piece} >> (Pieces > 1 ? 0 : 1));

  // ---- a row's start -------------------------------------------------------------------------------
  // One sum a side: a row's last byte when the row begins, the next row in the cycle after.
  logic             read_load, nothing;
  logic [63:0]      distance, source_last, destination_last;
  logic [5:0]       write_source_last;
  logic [ByteW-1:0] delta;
  logic             primes, source_refused, destination_refused;
  assign starts    = state_q == Idle && start_i;
  assign load      = starts || state_q == Load;
  assign read_load = starts || (more_reads_q && !reads_left_q && !error_q);
  assign nothing   = copy_i.bytes == '0;
  assign distance  = {24'd0, copy_i.bytes[AddrW-1:0] - 1'b1};
  assign source_last       = read_row_q + (read_step_q ? {32'd0, copy_i.source_pitch} : distance);
  assign destination_last  = write_row_q + (write_step_q ? {32'd0, copy_i.destination_pitch} : distance);
  assign write_source_last = write_source_q + (write_step_q ? copy_i.source_pitch[5:0] : distance[5:0]);
  // No device address has more bits; L2 knows where memory ends.
  assign source_refused = !copy_i.fill && (copy_i.bytes[63:AddrW] != '0 ||
      (!copy_i.source_host && (read_row_q[63:AddrW] != '0 || source_last[AddrW])));
  assign destination_refused = copy_i.bytes[63:AddrW] != '0 ||
      (!copy_i.destination_host && (write_row_q[63:AddrW] != '0 || destination_last[AddrW]));
  assign delta            = write_source_q[ByteW-1:0] - write_row_q[ByteW-1:0];
  // prev is read first only if the byte that lands on byte 0 of the first destination piece lies in the first source piece.
  assign primes           = write_source_q[ByteW-1:0] > write_row_q[ByteW-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      done_o       <= 1'b0;
      error_o      <= 1'b0;
      error_q      <= 1'b0;
      reads_left_q <= 1'b0;
      more_reads_q <= 1'b0;
      writes_q     <= '0;
      out_valid_q  <= 1'b0;
      filled_q     <= '0;
      used_q       <= '0;
      at_q         <= '0;
      next_q       <= '0;
    end else begin
      done_o <= 1'b0;
      at_q   <= at_next;
      if (state_q != Idle) begin
        if (read_fire) begin
          next_q       <= next_q + 1'b1;
          reads_left_q <= read_q[AddrW:5] != last_read_q;
        end
        if (in_last) filled_q[place] <= 1'b1;
        if (release_head) filled_q[head] <= 1'b0;
        used_q   <= used_q + (IndexW + 1)'(read_fire) - (IndexW + 1)'(release_head);
        writes_q <= writes_q + 8'(make && ends) - 8'(host_ack || mem_ack);
        if (out_ready) out_valid_q <= 1'b0;
        if (make) begin
          out_valid_q <= 1'b1;
          if (!empty) first_q <= 1'b0;
          if (last_write) past_q <= 1'b1;
        end
      end
      if (starts) host_next_q <= next_q;
      else if (host_data && host_rsp_i.last) host_next_q <= host_next_q + 1'b1;
      if (read_load) begin
        reads_left_q <= !copy_i.fill && !nothing && !source_refused && !(starts && destination_refused);
        more_reads_q <= !copy_i.fill && !nothing && read_rows_q != '0;
        last_read_q  <= source_last[AddrW:5];
      end
      if (load) begin
        more_writes_q <= write_rows_q != '0;
        delta_q       <= delta;
        last_write_q  <= destination_last[AddrW:ByteW];
        first_q       <= 1'b1;
        first_piece_q <= mem_pkg::piece_t'(write_row_q[63:ByteW]);
        past_q        <= 1'b0;
        first_mask_q  <= '1 << write_row_q[ByteW-1:0];
        last_mask_q   <= '1 >> ~destination_last[ByteW-1:0];
        from_prev_q   <= delta == '0 ? '0 : '1 >> delta;
        // With prev, as many source pieces as destination pieces or one more; else as many or one less.
        last_pops_q   <= (write_source_last[ByteW] ^ write_source_q[ByteW] ^
                          destination_last[ByteW] ^ write_row_q[ByteW]) == primes;
      end
      if (starts) error_q <= !nothing && (source_refused || destination_refused);
      else if ((read_load && source_refused) || (load && destination_refused) ||
               (host_rsp_valid_i && host_rsp_i.error) || (mem_data && mem_rsp_i.answer.error) ||
               (mem_ack && mem_rsp_i.ack.error))
        error_q <= 1'b1;
      if (error_q && !starts) more_reads_q <= 1'b0;
      case (state_q)
        Idle, Load:
        if (load) begin
          // A row whose source is refused was refused before its turn to be written.
          if (nothing || destination_refused || (starts ? source_refused : error_q)) state_q <= Drain;
          else if (!copy_i.fill && primes) state_q <= Prime;
          else state_q <= Move;
        end
        Prime: if (pop) state_q <= Move;
        Move:  if (make && ends && (last_write || past_q)) state_q <= more_writes_q ? Load : Drain;
        Drain:
        if (writes_q == '0 && used_q == '0 && !reads_left_q && !more_reads_q) begin
          state_q <= Idle;
          done_o  <= 1'b1;
          error_o <= error_q;
        end
        default: state_q <= Idle;
      endcase
    end
  end

  // Apart from the state machine, so that holding them is an enable and not a multiplexer in front of each bit.
  always_ff @(posedge clk_i) begin
    if (read_load || read_fire) read_q <= read_load ? read_row_q[63:5] : read_q + 1'b1;
    if (load || make) write_q <= load ? {write_row_q[63:5], {(5 - ByteW){1'b0}}} : write_q + 1'b1;
    read_step_q  <= read_load;
    write_step_q <= load;
    if (state_q == Idle || read_step_q) read_row_q <= state_q == Idle ? copy_i.source : source_last;
    if (state_q == Idle || write_step_q) begin
      write_row_q    <= state_q == Idle ? copy_i.destination : destination_last;
      write_source_q <= state_q == Idle ? copy_i.source[5:0] : write_source_last;
    end
    if (state_q == Idle || read_step_q) read_rows_q <= state_q == Idle ? copy_i.more_rows : read_rows_q - 1'b1;
    if (state_q == Idle || write_step_q) write_rows_q <= state_q == Idle ? copy_i.more_rows : write_rows_q - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (make || pop) begin : move
      automatic data_t rotated = rotate(head_piece_q, delta_q);
      automatic data_t data = rotated;
      if (pop) prev_q <= rotated;
      if (make) begin
        for (int unsigned i = 0; i < Bytes; i++) begin
          if (copy_i.fill) data[8*i+:8] = copy_i.pattern[8*(i%4)+:8];
          else if (from_prev_q[i]) data[8*i+:8] = prev_q[8*i+:8];
        end
        out_sector_q <= write_q[63:5];
        out_piece_q  <= write_piece;
        out_data_q   <= data;
        out_mask_q   <= empty ? '0 : (first_q ? first_mask_q : '1) & (last_write ? last_mask_q : '1);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (host_data || mem_data) buffer_q[in_at] <= copy_i.source_host ? host_rsp_i.data : mem_rsp_i.answer.data;
  end
  always_ff @(posedge clk_i) begin
    ready_q <= state_q != Idle && (release_head ? filled_q[head+1'b1] : filled_q[head]);
    if (state_q != Idle) head_piece_q <= buffer_q[at_next];
  end

`ifndef SYNTHESIS
  // Between a write's beats a read would come.
  always_ff @(posedge clk_i) begin
    if (rst_ni && state_q == Move && Pieces > 1) begin
      assert_write_goes_on: assert (write_piece == '0 || out_valid_q);
    end
  end
`endif

endmodule
