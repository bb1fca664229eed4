// SPDX-License-Identifier: Apache-2.0
// lsu_slices with the fields of operations as ports; rows in the low lanes of theirs.
module lsu_slices_top (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic [31:0]          sizes_o,        // {warp slots, entries, lanes of a slice} of the preset
  input  logic                 data_write_i,
  input  logic [7:0]           data_write_entry_i,
  input  logic [7:0]           data_write_slice_i,
  input  logic [3:0][7:0][31:0] data_i,
  input  logic                 valid_i,
  input  logic                 last_i,
  input  logic [47:0]          op_i,           // {warp, seq, the others}
  input  logic [7:0]           entry_i,
  input  logic [7:0]           slice_i,
  input  logic [7:0]           lanes_i,
  input  logic [7:0]           shared_i,
  input  logic [7:0][31:0]     addr_i,
  input  logic [7:0][7:0]      addr_hi_i,
  output logic                 valid_o,
  input  logic                 taken_i,
  output logic                 final_o,
  output logic [47:0]          op_o,
  output logic [7:0]           entry_o,
  output logic [7:0]           slice_o,
  output logic [7:0]           lanes_o,
  output logic [7:0]           shared_o,
  output logic [7:0][31:0]     addr_o,
  output logic [7:0][7:0]      addr_hi_o,
  input  logic                 data_read_i,
  input  logic [7:0]           data_read_entry_i,
  input  logic [7:0]           data_read_slice_i,
  output logic [3:0][7:0][31:0] data_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign sizes_o = {16'(config_pkg::WarpsPerSm), 8'(lsu_pkg::Entries), 8'(Lanes)};

  lsu_pkg::op_t op_in, op_out;
  always_comb begin
    op_in = '0;
    op_in.entry = lsu_pkg::EntryW'(entry_i);
    op_in.warp = config_pkg::WarpW'(op_i[47:32]);
    op_in.seq = op_i[31:16];
    op_in.cls = lsu_pkg::class_e'(op_i[2:0]);
    {op_in.atom_type[0], op_in.atom_op, op_in.acquire, op_in.invalidate, op_in.stores_too, op_in.waits, op_in.bypass, op_in.size} = op_i[15:3];
  end
  assign op_o = {16'(op_out.warp), op_out.seq, op_out.atom_type[0], op_out.atom_op, op_out.acquire, op_out.invalidate, op_out.stores_too,
                 op_out.waits, op_out.bypass, op_out.size, op_out.cls};
  assign entry_o = 8'(op_out.entry);

  sm_pkg::slice_t                 slice;
  sm_pkg::lanes_t                 lanes, shared;
  sm_pkg::row_t                   addr;
  logic [Lanes-1:0][7:0]          addr_hi;
  sm_pkg::row_t [3:0]             data_in, data_out;
  always_comb begin
    for (int unsigned w = 0; w < 4; w++) begin
      data_in[w] = data_i[w][Lanes-1:0];
      data_o[w] = 256'(data_out[w]);
    end
  end
  assign slice_o = 8'(slice);
  assign lanes_o = 8'(lanes);
  assign shared_o = 8'(shared);
  assign addr_o = 256'(addr);
  assign addr_hi_o = 64'(addr_hi);

  lsu_slices u_lsu_slices (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .data_write_i       (data_write_i),
    .data_write_place_i (lsu_pkg::place_of(lsu_pkg::EntryW'(data_write_entry_i), sm_pkg::slice_t'(data_write_slice_i))),
    .data_i             (data_in),
    .valid_i            (valid_i),
    .last_i             (last_i),
    .op_i               (op_in),
    .slice_i            (sm_pkg::slice_t'(slice_i)),
    .lanes_i            (lanes_i[Lanes-1:0]),
    .shared_i           (shared_i[Lanes-1:0]),
    .addr_i             (addr_i[Lanes-1:0]),
    .addr_hi_i          (addr_hi_i[Lanes-1:0]),
    .valid_o            (valid_o),
    .taken_i            (taken_i),
    .final_o            (final_o),
    .op_o               (op_out),
    .slice_o            (slice),
    .lanes_o            (lanes),
    .shared_o           (shared),
    .addr_o             (addr),
    .addr_hi_o          (addr_hi),
    .data_read_i        (data_read_i),
    .data_read_place_i  (lsu_pkg::place_of(lsu_pkg::EntryW'(data_read_entry_i), sm_pkg::slice_t'(data_read_slice_i))),
    .data_o             (data_out)
  );

endmodule
