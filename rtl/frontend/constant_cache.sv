// SPDX-License-Identifier: Apache-2.0
// Constant cache of an SM, for constant operands: direct mapped sectors of 32 bytes, one word a cycle to one
// sub-partition after the other. Sectors are kept in the pieces in which they come from memory. Bank 0 is the kernel's
// parameters, bank 1 the module's constants. A word outside bank 0, of another bank, or that memory cannot deliver is
// answered with an error.
module constant_cache #(
  // Sectors are block RAM, and looked up in the cycle after the request and once more after a miss. The choice of a
  // small multiprocessor.
  parameter bit          BlockRam = sm_pkg::RowSlices > 1,
  localparam int unsigned Parts = config_pkg::SubPartitions,
  localparam int unsigned PartW = config_pkg::SubPartitionW
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  gpu_pkg::kernel_t              kernel_i,
  input  logic                          invalidate_i,
  output logic                          busy_o,
  // Sub-partitions; each has at most one request under way.
  input  logic [Parts-1:0]              req_valid_i,
  output logic [Parts-1:0]              req_ready_o,
  input  logic [1:0]                    req_bank_i [Parts],
  input  logic [15:0]                   req_offset_i [Parts],   // bytes, multiple of 4
  output logic [Parts-1:0]              rsp_valid_o,
  output logic                          rsp_error_o,
  output logic [31:0]                   rsp_data_o,
  // Memory: one read at a time, answered from piece 0 on, always taken.
  output logic                          mem_req_valid_o,
  input  logic                          mem_req_ready_i,
  output logic [gpu_pkg::AddrW-1:5]     mem_req_sector_o,
  input  logic                          mem_rsp_valid_i,
  input  logic                          mem_rsp_error_i,
  input  mem_pkg::piece_t               mem_rsp_piece_i,
  input  logic [mem_pkg::PieceBits-1:0] mem_rsp_data_i
);

  localparam int unsigned Sectors = config_pkg::ConstantCacheBytes / mem_pkg::SectorBytes;
  localparam int unsigned IndexW = $clog2(Sectors);
  localparam int unsigned AddrW = gpu_pkg::AddrW;
  localparam int unsigned Pieces = mem_pkg::Pieces;
  localparam int unsigned Words = 8 / Pieces;          // of a piece
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned AtW = IndexW + $clog2(Pieces);

  // Where a piece of a sector is kept.
  function automatic logic [AtW-1:0] at(input logic [IndexW-1:0] place, input mem_pkg::piece_t piece);
    return AtW'({place, piece} >> (Pieces > 1 ? 0 : 1));
  endfunction
  // The piece that has a word.
  function automatic mem_pkg::piece_t piece_of(input logic [AddrW-1:2] word);
    return Pieces > 1 ? word[4-:mem_pkg::PieceW] : '0;
  endfunction
  (* no_rw_check, ram_style = "block" *) logic [Words-1:0][31:0] data_q [Sectors*Pieces];  // none is read while one comes
  logic [AddrW-1:5+IndexW]   tag_q [Sectors];
  logic [Sectors-1:0]        valid_q;

  typedef enum logic [2:0] {
    Idle,  // takes a request
    Match, // BlockRam: compares, and reads the word's piece
    Look,  // a hit is answered
    Ask,   // asks memory
    Fill   // waits for it
  } state_e;
  localparam state_e Found = BlockRam ? Match : Look;  // after a request, and after a fill
  state_e            state_q;
  logic [PartW-1:0]  part_q;
  logic              outside_q, failed_q;
  logic [AddrW-1:2]  addr_q;
  logic [Words-1:0][31:0] read_q;  // the piece that has the word
  logic              hit_q;

  logic              valid;
  logic [Parts-1:0]  grant;
  logic [PartW-1:0]  part;
  rr_arbiter #(.N(Parts)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (req_valid_i),
    .advance_i (req_ready_o != '0),
    .valid_o   (valid),
    .gnt_o     (grant),
    .index_o   (part)
  );
  logic answer;
  assign answer = state_q == Look && (hit_q || outside_q || failed_q);
  assign req_ready_o = state_q == Idle || answer ? grant : '0;
  assign busy_o = state_q != Idle;
  always_comb begin
    rsp_valid_o = '0;
    rsp_valid_o[part_q] = answer;
  end
  assign rsp_error_o = outside_q || failed_q;
  assign rsp_data_o = read_q[addr_q[1+WordW:2]];
  assign mem_req_valid_o = state_q == Ask;
  assign mem_req_sector_o = addr_q[AddrW-1:5];

  logic [1:0]       bank;
  logic [15:0]      offset;
  logic [AddrW-1:0] addr;
  assign bank = req_bank_i[part];
  assign offset = req_offset_i[part];
  logic [IndexW-1:0] index;
  logic              match;
  logic [AddrW-1:2]  word;
  assign word = BlockRam ? addr_q : addr[AddrW-1:2];
  assign index = word[4+IndexW:5];
  assign match = valid_q[index] && tag_q[index] == word[AddrW-1:5+IndexW];
  assign addr = (bank == 2'd0 ? kernel_i.param_base : kernel_i.const_base) + AddrW'(offset);

  always_ff @(posedge clk_i) begin
    if (BlockRam ? state_q == Match : req_ready_o != '0) read_q <= data_q[at(index, piece_of(word))];
    if (!BlockRam && state_q == Fill && mem_rsp_valid_i && mem_rsp_piece_i == piece_of(addr_q)) read_q <= mem_rsp_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      valid_q <= '0;
    end else begin
      if (invalidate_i) valid_q <= '0;
      if (req_ready_o != '0) begin
        addr_q <= addr[AddrW-1:2];
        outside_q <= bank > 2'd1 || (bank == 2'd0 && 17'(offset) >= kernel_i.param_bytes);
        failed_q <= 1'b0;
        part_q <= part;
        if (!BlockRam) hit_q <= match;
      end
      case (state_q)
        Idle: if (valid) state_q <= Found;
        Match: begin
          hit_q <= match;
          state_q <= Look;
        end
        Look: state_q <= !answer ? Ask : valid ? Found : Idle;
        Ask:  if (mem_req_ready_i) state_q <= Fill;
        Fill: if (mem_rsp_valid_i) begin
          data_q[at(addr_q[4+IndexW:5], mem_rsp_piece_i)] <= mem_rsp_data_i;
          if (mem_rsp_piece_i == mem_pkg::piece_t'(Pieces - 1)) begin
            tag_q[addr_q[4+IndexW:5]] <= addr_q[AddrW-1:5+IndexW];
            valid_q[addr_q[4+IndexW:5]] <= !mem_rsp_error_i;
            if (!BlockRam) hit_q <= 1'b1;
            failed_q <= mem_rsp_error_i;
            state_q <= Found;
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

endmodule
