// SPDX-License-Identifier: Apache-2.0
// l1_control with the fields of a pass and of a data operation as ports. Lanes are those of the whole warp; a pass has
// lanes of one slice, in sectors that it reaches.
module l1_control_top (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       busy_o,
  input  logic                       invalidate_valid_i,
  output logic                       invalidate_ready_o,
  input  logic                       arrive_valid_i,
  input  logic [7:0]                 arrive_id_i,
  input  logic                       atomic_valid_i,
  input  logic [15:0]                atomic_id_i,
  input  logic                       atomic_direct_i,
  input  logic                       atomic_take_i,
  output logic [7:0]                 gather_entry_o,
  output logic [2:0]                 gather_size_o,
  output logic [31:0]                gather_lanes_o,
  output logic                       directs_o,     // atomics may go so
  output logic                       fill_o,
  output logic                       fill_atomic_o,
  output logic [7:0]                 fill_first_o,  // the part's first sector, as an id
  input  logic                       pass_valid_i,
  output logic                       pass_ready_o,
  input  logic [2:0]                 cls_i,
  input  logic                       reduces_i,
  input  logic [7:0]                 entry_i,
  input  logic                       bypass_i,
  input  logic                       invalidate_i,
  input  logic [gpu_pkg::SeqW-1:0]   seq_i,
  input  logic                       waits_i,
  input  logic                       first_i,
  input  logic                       last_i,
  input  logic [31:0]                lanes_i,
  input  logic [3:0][31:0]           sector_lanes_i,
  input  lsu_pkg::line_t             line_i,
  input  logic [3:1][31:0]           other_lanes_i,  // of them those that are in another line
  input  logic [3:1][63:0]           other_line_i,
  input  logic [31:0][1:0]           bank_line_i,
  input  logic                       hold_i,
  input  logic                       room_i,
  output logic                       data_valid_o,
  input  logic                       data_ready_i,
  output logic [2:0]                 kind_o,
  output logic [2:0]                 cls_o,
  output logic [7:0]                 entry_o,
  output logic [gpu_pkg::SeqW-1:0]   seq_o,
  output logic                       last_o,
  output logic [31:0]                lanes_o,
  output logic [3:0]                 send_o,
  output logic [3:0]                 update_o,
  output logic [3:0][15:0]           place_o,
  output logic [31:0][1:0]           bank_line_o,
  output logic [7:0]                 mshr_o,
  output lsu_pkg::line_t             line_o,
  output logic [7:0]                 slice_o,
  output logic [1:0]                 sector_o,
  output logic                       install_o,
  output logic                       fill_event_o,
  output logic                       atomic_o,
  output logic [7:0]                 which_o,
  output logic                       evict_o,
  output lsu_pkg::line_t             evict_line_o,
  output logic                       invalidate_all_o,
  // Sizes of the preset.
  output logic [7:0]                 entries_o,
  output logic [7:0]                 mshrs_o,
  output logic [7:0]                 ways_o,
  output logic [15:0]                sets_o,
  output logic [7:0]                 row_lanes_o,
  output logic [7:0]                 pass_sectors_o,
  output logic [7:0]                 pass_lines_o,
  output logic [7:0]                 atomics_o     // under way at most
);

  assign entries_o = 8'(lsu_pkg::Entries);
  assign mshrs_o = 8'(lsu_pkg::Mshrs);
  assign ways_o = 8'(lsu_pkg::Ways);
  assign row_lanes_o = 8'(lsu_pkg::Lanes);
  assign sets_o = 16'(lsu_pkg::Sets);

  lsu_pkg::part_t    fill_part;
  assign fill_first_o = 8'(lsu_pkg::first_of(fill_part));
  assign pass_sectors_o = 8'(lsu_pkg::PassSectors);
  assign pass_lines_o = 8'(lsu_pkg::PassLines);
  assign atomics_o = 8'(lsu_pkg::Atomics);
  assign directs_o = lsu_pkg::SectorAtomics;
  lsu_pkg::gather_t gather;
  assign gather_entry_o = 8'(gather.entry);
  assign gather_size_o = gather.size;
  assign gather_lanes_o = sm_pkg::mask_of(gather.lanes, gather.slice);

  lsu_pkg::pass_t    pass;
  lsu_pkg::data_op_t data;

  always_comb begin
    pass = '0;
    pass.op.cls = lsu_pkg::class_e'(cls_i);
    pass.op.reduces = reduces_i;
    pass.op.entry = entry_i[lsu_pkg::EntryW-1:0];
    pass.op.bypass = bypass_i;
    pass.op.invalidate = invalidate_i;
    pass.op.seq = seq_i;
    pass.op.size = seq_i[2:0];
    pass.op.waits = waits_i;
    pass.first = first_i;
    pass.last = last_i;
    for (int unsigned s = 0; s < sm_pkg::RowSlices; s++) begin
      if (sm_pkg::lanes_of(lanes_i, sm_pkg::slice_t'(s)) != '0) pass.slice = sm_pkg::slice_t'(s);
    end
    for (int unsigned s = 0; s < 4; s++) begin
      if (sector_lanes_i[s] != '0) pass.sector = 2'(s) & ~2'(lsu_pkg::PassSectors - 1);
    end
    pass.lanes = sm_pkg::lanes_of(lanes_i, pass.slice);
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++)
      pass.sector_lanes[s] = sm_pkg::lanes_of(sector_lanes_i[pass.sector | 2'(s)], pass.slice);
    pass.line[0] = line_i;
    pass.line_lanes[0] = pass.lanes;
    for (int unsigned n = 1; n < lsu_pkg::PassLines; n++) begin
      pass.line[n] = lsu_pkg::line_t'(other_line_i[n]);
      pass.line_lanes[n] = sm_pkg::lanes_t'(other_lanes_i[n]);
      pass.line_lanes[0] &= ~pass.line_lanes[n];
    end
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) pass.bank_line[bank] = lsu_pkg::PassLineW'(bank_line_i[bank]);
  end

  assign kind_o = data.kind;
  assign cls_o = data.op.cls;
  assign entry_o = 8'(data.op.entry);
  assign seq_o = data.op.seq;
  assign last_o = data.last;
  assign lanes_o = sm_pkg::mask_of(data.lanes, data.slice);
  assign slice_o = 8'(data.slice);
  assign send_o = data.send;
  assign update_o = data.update;
  always_comb begin
    place_o = '0;
    for (int unsigned n = 0; n < lsu_pkg::PassLines; n++) place_o[n] = 16'(data.place[n]);
    bank_line_o = '0;
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) bank_line_o[bank] = 2'(data.bank_line[bank]);
  end
  assign mshr_o = 8'(data.mshr);
  assign line_o = data.line;
  assign sector_o = data.sector;
  assign install_o = data.install;
  assign fill_event_o = data.fill_event;
  assign atomic_o = data.atomic;
  assign which_o = 8'(data.which);
  assign evict_o = data.evict;
  assign evict_line_o = data.evict_line;
  assign invalidate_all_o = data.invalidate_all;

  l1_control u_l1_control (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .busy_o             (busy_o),
    .invalidate_valid_i (invalidate_valid_i),
    .invalidate_ready_o (invalidate_ready_o),
    .arrive_valid_i     (arrive_valid_i),   // of one link
    .arrive_id_i        (lsu_pkg::fill_id_t'(arrive_id_i)),
    .atomic_valid_i     (atomic_valid_i),
    .atomic_id_i        (lsu_pkg::atomic_id_t'(atomic_id_i)),
    .atomic_direct_i    (atomic_direct_i),
    .atomic_take_i      (atomic_take_i),
    .atomic_gather_o    (gather),
    .fill_o             (fill_o),
    .fill_atomic_o      (fill_atomic_o),
    .fill_part_o        (fill_part),
    .pass_valid_i       (pass_valid_i),
    .pass_ready_o       (pass_ready_o),
    .pass_i             (pass),
    .hold_i             (hold_i),
    .room_i             (room_i),
    .data_valid_o       (data_valid_o),
    .data_ready_i       (data_ready_i),
    .data_o             (data),
    .trace_read_o       ()
  );

endmodule
