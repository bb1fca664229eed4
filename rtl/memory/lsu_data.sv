// SPDX-License-Identifier: Apache-2.0
// Fourth stage of the load/store unit: reads and writes shared memory and the L1's data, and asks L2,
// one sector a cycle. What happens here happens in order, and here the trace events are made.
//
//   load, half of the line in the L1:  cycle 0 reads the line, asks for sector 2; cycle 1 asks for sector 3
//   store of a line that is there:     four cycles: each sends a sector and updates it
module lsu_data (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          op_valid_i,
  output logic                          op_ready_o,
  input  lsu_pkg::data_op_t             op_i,
  input  lsu_pkg::words_t               words_i,       // store, atomic: from lsu_scatter
  input  lsu_pkg::bytes_t               bytes_i,
  input  logic [4:0]                    atom_lane_i,
  input  logic [4:0]                    atom_offset_i,
  input  lsu_pkg::banks_t               bank_used_i,
  input  lsu_pkg::bank_rows_t           bank_row_i,
  input  logic [mem_pkg::SectorW-1:0]   fill_data_i,

  output logic                          req_valid_o,   // to the request queue, which has room
  output mem_pkg::req_t                 req_o,
  output logic                          store_sent_o,

  output logic                          end_valid_o,   // the instruction has gone through
  output logic [lsu_pkg::EntryW-1:0]    end_entry_o,

  // To the gather stage: bytes of some lanes of an entry, in line order.
  output logic                          gather_valid_o,
  output logic [lsu_pkg::EntryW-1:0]    gather_entry_o,
  output sm_pkg::slice_t                gather_slice_o,
  output logic [2:0]                    gather_size_o,
  output sm_pkg::lanes_t                gather_lanes_o,
  output logic                          gather_at_zero_o,  // the value of an atomic, at the line's begin
  output lsu_pkg::words_t               gather_line_o,
  input  logic                          gather_done_i,     // what is shown there is gathered

  output trace_pkg::load_t              trace_load_o,
  output trace_pkg::shared_store_t      trace_shared_store_o,
  output trace_pkg::l1_t                trace_l1_o
);

  logic [3:0] sent_q, todo, bit_now;
  logic       final_now, first_now, shared, store, fill, load;
  logic [1:0] sector;
  assign todo = op_i.send & ~sent_q;
  assign bit_now = todo & (~todo + 4'd1);
  assign sector = {|bit_now[3:2], bit_now[3] | bit_now[1]};
  assign final_now = todo == bit_now;
  assign first_now = sent_q == '0;
  assign shared = op_i.kind == lsu_pkg::DataShared;
  assign store = op_i.kind == lsu_pkg::DataStore;
  assign fill = op_i.kind == lsu_pkg::DataFill;
  assign load = op_i.kind == lsu_pkg::DataLoad;

  // What is to be gathered waits until the gather stage has done with what it has.
  logic shared_store, gathers, gather_holds, stall, live;
  assign shared_store = op_i.op.cls == lsu_pkg::ClassStore;
  assign gathers = first_now && op_i.lanes != '0 && (fill || load || (shared && !shared_store));
  assign gather_holds = gather_valid_o && !gather_done_i;
  assign stall = gathers && gather_holds;
  assign live = op_valid_i && !stall;
  assign op_ready_o = !op_valid_i || (final_now && !stall);

  // Data and byte mask of the sector that is sent now.
  logic [mem_pkg::SectorW-1:0]     sector_data;
  logic [mem_pkg::SectorBytes-1:0] sector_mask;
  assign sector_data = words_i[8*lsu_pkg::in_pass(sector)+:8];
  assign sector_mask = bytes_i[8*lsu_pkg::in_pass(sector)+:8];

  logic         sends;
  mem_pkg::req_t req;
  assign sends = live && todo != '0;
  assign req_valid_o = sends;
  assign req_o = req;
  assign store_sent_o = sends && store;
  always_comb begin
    req = '0;
    if (sends) begin
      req.sector = {op_i.line, sector};
      req.warp = op_i.op.warp;
      req.seq = op_i.op.seq;
      case (op_i.kind)
        lsu_pkg::DataStore: begin
          req.kind = mem_pkg::ReqWrite;
          req.id = mem_pkg::IdW'(op_i.op.warp);
          req.mask = sector_mask;
          req.data = sector_data;
        end
        lsu_pkg::DataAtomic: begin
          req.kind = mem_pkg::ReqAtomic;
          req.id = mem_pkg::IdW'({op_i.atomic_bank, atom_lane_i});
          req.data[127:0] = words_i[3:0];
          req.offset = atom_offset_i;
          req.wide = op_i.op.size == 3'(isa_pkg::MemSizeB64);
          if (!req.wide) req.data[127:32] = {32'd0, words_i[2], 32'd0};
          req.atom_op = op_i.op.atom_op;
          req.atom_sign = op_i.op.atom_sign;
          req.lane = atom_lane_i;
        end
        default: begin
          req.kind = mem_pkg::ReqRead;
          req.id = mem_pkg::IdW'({op_i.mshr, sector});
        end
      endcase
    end
  end

  lsu_pkg::words_t shared_data, l1_line;
  shared_memory u_shared_memory (
    .clk_i   (clk_i),
    .en_i    (live && shared),
    .write_i (shared_store),
    .used_i  (bank_used_i),
    .row_i   (bank_row_i),
    .data_i  (words_i),
    .bytes_i (bytes_i),
    .data_o  (shared_data)
  );

  logic l1_write;
  assign l1_write = live && ((fill && op_i.install) || (store && op_i.update[sector]));
  l1_data u_l1_data (
    .clk_i    (clk_i),
    .read_i   (live && load && first_now && op_i.lanes != '0),
    .write_i  (l1_write),
    .place_i  (op_i.place),
    .sector_i (store ? sector : op_i.sector),
    .mask_i   (fill ? '1 : sector_mask),
    .data_i   (fill ? fill_data_i : sector_data),
    .data_o   (l1_line)
  );

  typedef enum logic [1:0] {FromShared, FromL1, FromFill} from_e;
  from_e                       from_q;
  logic [mem_pkg::SectorW-1:0] fill_q;
  always_comb begin
    case (from_q)
      FromShared: gather_line_o = shared_data;
      FromL1:     gather_line_o = l1_line;
      default:    gather_line_o = {lsu_pkg::PassSectors{fill_q}};
    endcase
  end

  always_ff @(posedge clk_i) begin
    gather_valid_o <= (live && gathers) || gather_holds;
    end_valid_o <= live && final_now && op_i.last;
    if (live) begin
      sent_q <= final_now ? '0 : sent_q | bit_now;
      end_entry_o <= op_i.op.entry;
      if (gathers) begin
        gather_entry_o <= op_i.op.entry;
        gather_size_o <= op_i.op.size;
        gather_lanes_o <= op_i.lanes;
        from_q <= shared ? FromShared : load ? FromL1 : FromFill;
        gather_slice_o <= op_i.slice;
        gather_at_zero_o <= fill && op_i.atomic;
        if (fill) fill_q <= fill_data_i;
      end
    end
    if (!rst_ni) begin
      gather_valid_o <= 1'b0;
      end_valid_o <= 1'b0;
      sent_q <= '0;
    end
  end

  // ---- trace -------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    trace_load_o.valid <= live && gathers && !(fill && op_i.atomic);
    trace_shared_store_o.valid <= live && shared && shared_store;
    trace_l1_o.valid <= 1'b0;
    if (live) begin
      trace_load_o.source <= shared ? trace_pkg::LoadShared : load ? trace_pkg::LoadL1 : trace_pkg::LoadFill;
      trace_load_o.id <= mem_pkg::IdW'({op_i.mshr, op_i.sector});
      trace_load_o.warp <= op_i.op.warp;
      trace_load_o.seq <= op_i.op.seq;
      trace_load_o.lanes <= sm_pkg::mask_of(op_i.lanes, op_i.slice);
      trace_shared_store_o.warp <= op_i.op.warp;
      trace_shared_store_o.seq <= op_i.op.seq;
      trace_shared_store_o.lanes <= sm_pkg::mask_of(op_i.lanes, op_i.slice);
      if (op_i.invalidate_all) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1InvalidateAll;
      end else if (op_i.evict && first_now) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1Evict;
        trace_l1_o.sector <= {op_i.evict_line, 2'd0};
      end else if (fill && op_i.fill_event) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1Fill;
        trace_l1_o.installed <= op_i.install;
        trace_l1_o.id <= mem_pkg::IdW'({op_i.mshr, op_i.sector});
        trace_l1_o.sector <= {op_i.line, op_i.sector};
        trace_l1_o.data <= fill_data_i;
      end else if (l1_write) begin
        trace_l1_o.valid <= 1'b1;
        trace_l1_o.kind <= trace_pkg::L1Write;
        trace_l1_o.sector <= {op_i.line, sector};
        trace_l1_o.mask <= sector_mask;
        trace_l1_o.data <= sector_data;
      end
    end
    if (!rst_ni) begin
      trace_load_o <= '0;
      trace_shared_store_o <= '0;
      trace_l1_o <= '0;
    end
  end

endmodule
