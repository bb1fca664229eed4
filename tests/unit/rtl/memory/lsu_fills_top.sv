// SPDX-License-Identifier: Apache-2.0
// lsu_fills with the fields of each link's answer as ports; parts by the id of their first sector.
module lsu_fills_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        wr_valid_i,     // by link, where there are so many
  output logic [1:0]        wr_ready_o,
  input  logic [1:0]        kind_atomic_i,
  input  logic [1:0]        error_i,
  input  logic [1:0][15:0]  id_i,
  input  logic [1:0][1:0]   piece_i,
  input  logic [1:0]        last_i,
  input  logic [1:0][255:0] data_i,
  output logic [1:0]        arrive_valid_o,
  output logic [1:0][15:0]  arrive_id_o,
  output logic              atomic_valid_o,
  output logic [15:0]       atomic_id_o,
  output logic              atomic_error_o,
  output logic [255:0]      atomic_value_o,
  input  logic              atomic_take_i,
  output logic [7:0]        atomics_o,
  input  logic              read_i,
  input  logic              read_atomic_i,
  input  logic [15:0]       read_first_i,
  output logic              beat_valid_o,
  input  logic              beat_take_i,
  input  logic              beat_last_i,
  output logic [31:0][31:0] beat_o,
  output logic [255:0]      value_o,
  output logic [3:0]        error_o,        // of the part's sectors
  output logic [7:0]        pieces_o,
  output logic [7:0]        pass_sectors_o,
  output logic [7:0]        mshrs_o,
  output logic [7:0]        links_o
);

  localparam int unsigned Links = mem_pkg::Links;
  mem_pkg::answer_t [Links-1:0] rsp;
  always_comb begin
    rsp = '0;
    for (int unsigned p = 0; p < Links; p++) begin
      rsp[p].kind = kind_atomic_i[p] ? mem_pkg::ReqAtomic : mem_pkg::ReqRead;
      rsp[p].error = error_i[p];
      rsp[p].id = mem_pkg::IdW'(id_i[p]);
      rsp[p].piece = mem_pkg::piece_t'(piece_i[p]);
      rsp[p].last = last_i[p];
      rsp[p].data = data_i[p][mem_pkg::PieceBits-1:0];
    end
  end

  logic [Links-1:0]              ready, arrives;
  lsu_pkg::fill_id_t [Links-1:0] arrive_id;
  lsu_pkg::piece_words_t         beat;
  lsu_pkg::sectors_t             error;
  assign wr_ready_o = 2'(ready);
  assign arrive_valid_o = 2'(arrives);
  always_comb begin
    arrive_id_o = '0;
    for (int unsigned p = 0; p < Links; p++) arrive_id_o[p] = 16'(arrive_id[p]);
  end
  assign beat_o = 1024'(beat);
  lsu_pkg::atomic_value_t value, atomic_value;
  assign atomic_value_o = 256'(atomic_value);
  lsu_pkg::atomic_id_t    atomic_id;
  assign atomic_id_o = 16'(atomic_id);
  assign atomics_o = 8'(lsu_pkg::Atomics);
  assign value_o = 256'(value);
  assign error_o = 4'(error);
  assign pieces_o = 8'(mem_pkg::Pieces);
  assign pass_sectors_o = 8'(lsu_pkg::PassSectors);
  assign mshrs_o = 8'(lsu_pkg::Mshrs);
  assign links_o = 8'(Links);

  lsu_fills #(.Depth(4)) u_lsu_fills (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .wr_valid_i     (Links'(wr_valid_i)),
    .wr_ready_o     (ready),
    .wr_data_i      (rsp),
    .arrive_valid_o (arrives),
    .arrive_id_o    (arrive_id),
    .atomic_valid_o (atomic_valid_o),
    .atomic_id_o    (atomic_id),
    .atomic_error_o (atomic_error_o),
    .atomic_value_o (atomic_value),
    .atomic_take_i  (atomic_take_i),
    .read_i         (read_i),
    .read_atomic_i  (read_atomic_i),
    .read_part_i    (lsu_pkg::part_of(lsu_pkg::fill_id_t'(read_first_i))),
    .beat_valid_o   (beat_valid_o),
    .beat_take_i    (beat_take_i),
    .beat_last_i    (beat_last_i),
    .beat_o         (beat),
    .value_o        (value),
    .error_o        (error)
  );

endmodule
