// SPDX-License-Identifier: Apache-2.0
// Copies and fills: any byte alignment, between host memory and device memory in any direction.
//
// Works destination sector by destination sector (32 bytes). With delta = (source - destination) mod 32,
// a destination sector is made of two neighbouring source sectors shifted by delta bytes; so source
// sectors stream through `prev` and each is read once. Example: 10 bytes from 0x1e to 0x40: delta = 30,
// destination sector 0x40 takes bytes 30, 31 of sector 0x00 and 0..7 of sector 0x20.
// Reads run ahead into a reorder buffer, since L2 answers out of order.
module copy_engine (
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
    input  logic               host_rsp_valid_i,
    input  gpu_pkg::host_rsp_t host_rsp_i,
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

  typedef enum logic [1:0] {
    Idle,   // nothing to do
    Prime,  // the first source sector goes to prev, before any destination sector
    Move,   // one destination sector after the other
    Drain   // wait until all writes are performed
  } state_e;

  state_e       state_q;
  logic         error_q;
  logic [4:0]   delta_q;
  logic [63:5]  read_q, last_read_q;      // next and last source sector
  logic         reads_left_q;
  logic [63:5]  write_q, last_write_q;    // current and last destination sector
  logic         first_q;                  // current is the first destination sector
  logic [31:0]  first_mask_q, last_mask_q;
  logic [255:0] prev_q;
  logic [63:0]  pops_left_q;              // source sectors not yet consumed
  logic [7:0]   writes_q;                 // writes not yet performed

  logic [255:0]      buffer_q [Depth];
  logic [Depth-1:0]  filled_q;
  logic [IndexW-1:0] head_q, next_q, host_next_q;
  logic [IndexW:0]   used_q;

  // ---- the destination side ----------------------------------------------------------------------
  logic        need_pop, have, write_fire, last_write, pop;
  logic [31:0] mask;
  assign need_pop   = !copy_i.fill && pops_left_q != '0;
  assign have       = !need_pop || filled_q[head_q];
  assign last_write = write_q == last_write_q;
  assign mask       = (first_q ? first_mask_q : '1) & (last_write ? last_mask_q : '1);

  logic write_valid, write_ready;
  assign write_valid = state_q == Move && have && writes_q != '1;
  assign write_ready = copy_i.destination_host ? host_req_ready_i : mem_req_ready_i;
  assign write_fire  = write_valid && write_ready;
  assign pop         = (write_fire && need_pop) || (state_q == Prime && filled_q[head_q]);

  function automatic logic [255:0] merge(input logic [255:0] high, input logic [255:0] low,
                                         input logic [4:0] bytes);
    logic [511:0] both;
    both = {high, low} >> {bytes, 3'b000};
    return both[255:0];
  endfunction

  function automatic logic [255:0] destination_data(
      input logic fill, input logic [31:0] pattern, input logic aligned, input logic [255:0] head,
      input logic [255:0] prev, input logic [4:0] bytes);
    if (fill) return {8{pattern}};
    if (aligned) return head;
    return merge(head, prev, bytes);
  endfunction

  // ---- the source side: writes go first on a shared link -----------------------------------------
  logic read_valid, read_ready, read_fire, same_link;
  assign same_link  = copy_i.source_host == copy_i.destination_host;
  assign read_valid = (state_q == Prime || state_q == Move) && reads_left_q &&
                      used_q != (IndexW + 1)'(Depth) && !(same_link && write_valid);
  assign read_ready = copy_i.source_host ? host_req_ready_i : mem_req_ready_i;
  assign read_fire  = read_valid && read_ready;

  always_comb begin
    host_req_valid_o = 1'b0;
    mem_req_valid_o  = 1'b0;
    host_req_o       = '0;
    mem_req_o        = '0;
    if (write_valid) begin
      if (copy_i.destination_host) begin
        host_req_valid_o  = 1'b1;
        host_req_o.write  = 1'b1;
        host_req_o.sector = write_q;
        host_req_o.mask   = mask;
        host_req_o.data   = destination_data(copy_i.fill, copy_i.pattern, delta_q == '0,
                                             buffer_q[head_q], prev_q, delta_q);
      end else begin
        mem_req_valid_o  = 1'b1;
        mem_req_o.kind   = mem_pkg::ReqWrite;
        mem_req_o.sector = write_q[gpu_pkg::AddrW-1:5];
        mem_req_o.mask   = mask;
        mem_req_o.data   = destination_data(copy_i.fill, copy_i.pattern, delta_q == '0,
                                            buffer_q[head_q], prev_q, delta_q);
      end
    end
    if (read_valid) begin
      if (copy_i.source_host) begin
        host_req_valid_o  = 1'b1;
        host_req_o.sector = read_q;
      end else begin
        mem_req_valid_o  = 1'b1;
        mem_req_o.kind   = mem_pkg::ReqRead;
        mem_req_o.id     = mem_pkg::IdW'(next_q);
        mem_req_o.sector = read_q[gpu_pkg::AddrW-1:5];
      end
    end
  end

  // ---- responses ---------------------------------------------------------------------------------
  logic host_data, mem_data, host_ack, mem_ack;
  assign mem_rsp_ready_o = 1'b1;
  assign host_data = host_rsp_valid_i && !host_rsp_i.write && state_q != Idle;
  assign host_ack  = host_rsp_valid_i && host_rsp_i.write && state_q != Idle;
  assign mem_data  = mem_rsp_valid_i && mem_rsp_i.kind == mem_pkg::ReqRead;
  assign mem_ack   = mem_rsp_valid_i && mem_rsp_i.kind == mem_pkg::ReqWrite;

  // ---- start -------------------------------------------------------------------------------------
  logic [63:0] source_last, destination_last, aligned_source;
  logic [4:0]  delta;
  assign source_last      = copy_i.source + copy_i.bytes - 64'd1;
  assign destination_last = copy_i.destination + copy_i.bytes - 64'd1;
  assign delta            = copy_i.source[4:0] - copy_i.destination[4:0];
  // The source byte that lands on byte 0 of the first destination sector.
  assign aligned_source   = copy_i.source - {59'd0, copy_i.destination[4:0]};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      done_o       <= 1'b0;
      error_o      <= 1'b0;
      error_q      <= 1'b0;
      reads_left_q <= 1'b0;
      writes_q     <= '0;
      filled_q     <= '0;
      head_q       <= '0;
      next_q       <= '0;
      host_next_q  <= '0;
      used_q       <= '0;
    end else begin
      done_o <= 1'b0;
      if (state_q != Idle) begin
        if (read_fire) begin
          next_q       <= next_q + 1'b1;
          read_q       <= read_q + 1'b1;
          reads_left_q <= read_q != last_read_q;
        end
        if (host_data) begin
          filled_q[host_next_q] <= 1'b1;
          host_next_q           <= host_next_q + 1'b1;
        end
        if (mem_data) filled_q[mem_rsp_i.id[IndexW-1:0]] <= 1'b1;
        if ((host_rsp_valid_i && host_rsp_i.error) || (mem_rsp_valid_i && mem_rsp_i.error))
          error_q <= 1'b1;
        if (pop) begin
          filled_q[head_q] <= 1'b0;
          head_q           <= head_q + 1'b1;
          pops_left_q      <= pops_left_q - 64'd1;
        end
        used_q   <= used_q + (IndexW + 1)'(read_fire) - (IndexW + 1)'(pop);
        writes_q <= writes_q + 8'(write_fire) - 8'(host_ack) - 8'(mem_ack);
        if (write_fire) begin
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
          write_q      <= copy_i.destination[63:5];
          last_write_q <= destination_last[63:5];
          first_q      <= 1'b1;
          first_mask_q <= '1 << copy_i.destination[4:0];
          last_mask_q  <= '1 >> (5'd31 - destination_last[4:0]);
          pops_left_q  <= {5'd0, source_last[63:5] - copy_i.source[63:5]} + 64'd1;
          reads_left_q <= !copy_i.fill && copy_i.bytes != '0;
          head_q       <= '0;
          next_q       <= '0;
          host_next_q  <= '0;
          if (copy_i.bytes == '0) state_q <= Drain;
          // prev is read first only if the byte for offset 0 lies in the first source sector.
          else if (!copy_i.fill && delta != '0 && aligned_source[63:5] == copy_i.source[63:5])
            state_q <= Prime;
          else state_q <= Move;
        end
        Prime: if (pop) state_q <= Move;
        Move:  if (write_fire && last_write) state_q <= Drain;
        Drain:
        if (writes_q == '0 && used_q == '0) begin
          state_q <= Idle;
          done_o  <= 1'b1;
          error_o <= error_q;
        end
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop) prev_q <= buffer_q[head_q];
    if (host_data) buffer_q[host_next_q] <= host_rsp_i.data;
    if (mem_data) buffer_q[mem_rsp_i.id[IndexW-1:0]] <= mem_rsp_i.data;
  end

endmodule
