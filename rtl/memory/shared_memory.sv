// SPDX-License-Identifier: Apache-2.0
// Shared memory of an SM: 32 banks of 32 bits, each with its own row address; a bank reads or writes one
// word a cycle, with byte enables. Read data stand in data_o from the next cycle on.
module shared_memory (
  input  logic              clk_i,
  input  logic              en_i,
  input  logic              write_i,
  input  logic [31:0]       used_i,     // banks
  input  logic [31:0][15:0] row_i,
  input  sm_pkg::row_t      data_i,
  input  logic [31:0][3:0]  bytes_i,    // write
  output sm_pkg::row_t      data_o      // word of bank b in element b
);

  localparam int unsigned RowW = lsu_pkg::BankRowW;

  for (genvar bank = 0; bank < 32; bank++) begin : g_bank
    logic [31:0] mem_q [lsu_pkg::BankRows];
    logic [31:0] out_q;
    always_ff @(posedge clk_i) begin
      if (en_i && used_i[bank]) begin
        if (write_i) begin
          for (int unsigned b = 0; b < 4; b++)
            if (bytes_i[bank][b]) mem_q[row_i[bank][RowW-1:0]][8*b+:8] <= data_i[bank][8*b+:8];
        end else out_q <= mem_q[row_i[bank][RowW-1:0]];
      end
    end
    assign data_o[bank] = out_q;
  end

endmodule
