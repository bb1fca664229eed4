// SPDX-License-Identifier: Apache-2.0
// ECP5 cells that a netlist of the flow in fpga/flow uses, for simulation; the small ones are in cells_map.v. Parameters and
// ports are Lattice's; what the flow never sets (output registers, inverted clocks, chip selects, resets) is not
// modelled and stops the simulation.

// LUT RAM: 16 nibbles, one write port, one asynchronous read port.
module TRELLIS_DPR16X4 #(
    parameter logic [63:0] INITVAL = '0,
    parameter              WCKMUX  = "WCK",
    parameter              WREMUX  = "WRE"
) (
    input  logic [3:0] DI, WAD, RAD,
    input  logic       WRE, WCK,
    output logic [3:0] DO
);
  logic [3:0] mem_q [16];
  initial begin
    if (WCKMUX != "WCK" || WREMUX != "WRE") $fatal(1, "TRELLIS_DPR16X4: mode");
    for (int i = 0; i < 16; i++) mem_q[i] = INITVAL[4*i+:4];
  end
  always_ff @(posedge WCK) if (WRE) mem_q[WAD] <= DI;
  assign DO = mem_q[RAD];
endmodule

// Multiplier, without its registers.
module MULT18X18D #(
    parameter GSR = "ENABLED"
) (
    input  logic
    A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, B0, B1, B2, B3, B4, B5, B6, B7,
    B8, B9, B10, B11, B12, B13, B14, B15, B16, B17, C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13,
    C14, C15, C16, C17,
    input  logic SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
    output logic
    P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17, P18, P19, P20, P21, P22, P23,
    P24, P25, P26, P27, P28, P29, P30, P31, P32, P33, P34, P35
);
  logic [17:0] a, b;
  assign a =
      {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  assign b =
      {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  // One sign bit more: one product serves signed and unsigned.
  logic signed [18:0] a_signed, b_signed;
  assign a_signed = {SIGNEDA & a[17], a};
  assign b_signed = {SIGNEDB & b[17], b};
  assign
      {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15,
      P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0}
      = 36'(a_signed * b_signed);
  logic unused;
  assign unused = ^{SOURCEA, SOURCEB,
                    C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16, C17};
endmodule

// Block RAM: 2,048 bytes of 9 bits, two ports of 1, 2, 4, 9 or 18 bits; with 36 bits, port A writes and port B reads, each
// with the data pins of both. Addresses count bits; the lowest are byte enables at 18 and 36 bits. A read of what
// the other port writes at the same time is not defined by the chip: here it gives the complement of the old data.
module DP16KD #(
    parameter DATA_WIDTH_A = 18,
    parameter DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG",
    parameter REGMODE_B = "NOREG",
    parameter RESETMODE = "SYNC",
    parameter ASYNC_RESET_RELEASE = "SYNC",
    parameter CSDECODE_A = "0b000",
    parameter CSDECODE_B = "0b000",
    parameter CLKAMUX = "CLKA",
    parameter CLKBMUX = "CLKB",
    parameter WRITEMODE_A = "NORMAL",
    parameter WRITEMODE_B = "NORMAL",
    parameter GSR = "AUTO",
    parameter logic [319:0] INITVAL_00 = '0, INITVAL_01 = '0, INITVAL_02 = '0, INITVAL_03 = '0,
    parameter logic [319:0] INITVAL_04 = '0, INITVAL_05 = '0, INITVAL_06 = '0, INITVAL_07 = '0,
    parameter logic [319:0] INITVAL_08 = '0, INITVAL_09 = '0, INITVAL_0A = '0, INITVAL_0B = '0,
    parameter logic [319:0] INITVAL_0C = '0, INITVAL_0D = '0, INITVAL_0E = '0, INITVAL_0F = '0,
    parameter logic [319:0] INITVAL_10 = '0, INITVAL_11 = '0, INITVAL_12 = '0, INITVAL_13 = '0,
    parameter logic [319:0] INITVAL_14 = '0, INITVAL_15 = '0, INITVAL_16 = '0, INITVAL_17 = '0,
    parameter logic [319:0] INITVAL_18 = '0, INITVAL_19 = '0, INITVAL_1A = '0, INITVAL_1B = '0,
    parameter logic [319:0] INITVAL_1C = '0, INITVAL_1D = '0, INITVAL_1E = '0, INITVAL_1F = '0,
    parameter logic [319:0] INITVAL_20 = '0, INITVAL_21 = '0, INITVAL_22 = '0, INITVAL_23 = '0,
    parameter logic [319:0] INITVAL_24 = '0, INITVAL_25 = '0, INITVAL_26 = '0, INITVAL_27 = '0,
    parameter logic [319:0] INITVAL_28 = '0, INITVAL_29 = '0, INITVAL_2A = '0, INITVAL_2B = '0,
    parameter logic [319:0] INITVAL_2C = '0, INITVAL_2D = '0, INITVAL_2E = '0, INITVAL_2F = '0,
    parameter logic [319:0] INITVAL_30 = '0, INITVAL_31 = '0, INITVAL_32 = '0, INITVAL_33 = '0,
    parameter logic [319:0] INITVAL_34 = '0, INITVAL_35 = '0, INITVAL_36 = '0, INITVAL_37 = '0,
    parameter logic [319:0] INITVAL_38 = '0, INITVAL_39 = '0, INITVAL_3A = '0, INITVAL_3B = '0,
    parameter logic [319:0] INITVAL_3C = '0, INITVAL_3D = '0, INITVAL_3E = '0, INITVAL_3F = '0
) (
    input  logic CLKA, WEA, CEA, OCEA, RSTA, CSA0, CSA1, CSA2,
    input  logic
    ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13, DIA0, DIA1, DIA2, DIA3,
    DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
    input  logic CLKB, WEB, CEB, OCEB, RSTB, CSB0, CSB1, CSB2,
    input  logic
    ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13, DIB0, DIB1, DIB2, DIB3,
    DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
    output logic
    DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16,
    DOA17, DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15,
    DOB16, DOB17
);
  logic [13:0] ada, adb;
  logic [17:0] dia, dib, doa_q, dob_q;
  assign ada =
      {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  assign adb =
      {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  assign dia =
      {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
      DIA1, DIA0};
  assign dib =
      {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2,
      DIB1, DIB0};
  assign
      {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
      DOA1, DOA0} = doa_q;
  assign
      {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
      DOB1, DOB0} = dob_q;

  logic [17:0] mem_q [1024];

  // Sixteen words of 18 bits a parameter, 20 bits apart.
  localparam logic [63:0][319:0] Init = {
      INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
      INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
      INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
      INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
      INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
      INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
      INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
      INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};

  localparam bit Wide = DATA_WIDTH_A == 36 || DATA_WIDTH_B == 36;
  initial begin
    if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CLKAMUX != "CLKA" || CLKBMUX != "CLKB" || CSDECODE_A != "0b000" ||
        CSDECODE_B != "0b000" || WRITEMODE_A == "WRITETHROUGH" || WRITEMODE_B == "WRITETHROUGH")
      $fatal(1, "DP16KD: mode");
    // Yosys spreads bits of initial contents over the words in its own way where a port is narrower than a byte.
    if (Init != '0 && (DATA_WIDTH_A < 9 || DATA_WIDTH_B < 9)) $fatal(1, "DP16KD: initial contents of bits");
    for (int i = 0; i < 1024; i++) mem_q[i] = Init[i/16][20*(i%16)+:18];
  end

  // Which bits of the 18-bit word at address[13:4] a port of the given width means, and data put there.
  function automatic logic [17:0] bits_of(input int width, input logic [13:0] address);
    case (width)
      1:       return 18'(9'd1 << address[2:0]) << (address[3] ? 9 : 0);
      2:       return 18'(9'd3 << {address[2:1], 1'b0}) << (address[3] ? 9 : 0);
      4:       return 18'(9'd15 << {address[2], 2'b00}) << (address[3] ? 9 : 0);
      9:       return 18'h1ff << (address[3] ? 9 : 0);
      default: return {{9{address[1]}}, {9{address[0]}}};
    endcase
  endfunction

  function automatic logic [17:0] spread(input int width, input logic [17:0] data);
    case (width)
      1:       return {9'({8{data[0]}}), 9'({8{data[0]}})};
      2:       return {9'({4{data[1:0]}}), 9'({4{data[1:0]}})};
      4:       return {9'({2{data[3:0]}}), 9'({2{data[3:0]}})};
      9:       return {2{data[8:0]}};
      default: return data;
    endcase
  endfunction

  function automatic logic [17:0] pick(input int width, input logic [13:0] address, input logic [17:0] word);
    logic [8:0] part;
    part = address[3] ? word[17:9] : word[8:0];
    case (width)
      1:       return 18'(part[address[2:0]]);
      2:       return 18'(part[{address[2:1], 1'b0}+:2]);
      4:       return 18'(part[{address[2], 2'b00}+:4]);
      9:       return 18'(part);
      default: return word;
    endcase
  endfunction

  always_ff @(posedge CLKA) if (RSTA || RSTB) $fatal(1, "DP16KD: reset");

  if (Wide) begin : g_wide
    // Port A writes, port B reads; a word of 36 bits lies in two rows.
    logic [17:0] mask_low, mask_high, data_low, data_high;
    logic [9:0]  row;
    logic        hit;
    assign row = ada[13:4];
    always_ff @(posedge CLKA) begin
      if (CEA && WEA) begin
        if (DATA_WIDTH_A == 36) begin
          mem_q[{ada[13:5], 1'b0}] <= (mem_q[{ada[13:5], 1'b0}] & ~mask_low) | (dia & mask_low);
          mem_q[{ada[13:5], 1'b1}] <= (mem_q[{ada[13:5], 1'b1}] & ~mask_high) | (dib & mask_high);
        end else begin
          mem_q[row] <= (mem_q[row] & ~mask_low) | (data_low & mask_low);
        end
      end
    end
    assign mask_low = DATA_WIDTH_A == 36 ? {{9{ada[1]}}, {9{ada[0]}}} : bits_of(DATA_WIDTH_A, ada);
    assign mask_high = {{9{ada[3]}}, {9{ada[2]}}};
    assign data_low = spread(DATA_WIDTH_A, dia);
    assign data_high = '0;
    assign hit = CEA && WEA && ada[13:5] == adb[13:5];
    always_ff @(posedge CLKB) begin
      if (CEB) begin
        if (DATA_WIDTH_B == 36) begin
          doa_q <= mem_q[{adb[13:5], 1'b0}] ^ (hit ? mask_low : '0);
          dob_q <= mem_q[{adb[13:5], 1'b1}] ^ (hit ? mask_high : '0);
        end else dob_q <= pick(DATA_WIDTH_B, adb, mem_q[adb[13:4]] ^ {18{hit}});
      end
    end
    logic unused;
    assign unused = ^{data_high, WEB};
  end else begin : g_two
    logic [17:0] mask_a, mask_b;
    logic        same;
    assign mask_a = CEA && WEA ? bits_of(DATA_WIDTH_A, ada) : '0;
    assign mask_b = CEB && WEB ? bits_of(DATA_WIDTH_B, adb) : '0;
    assign same = ada[13:4] == adb[13:4];
    always_ff @(posedge CLKA) begin
      if (mask_a != '0) mem_q[ada[13:4]] <= (mem_q[ada[13:4]] & ~mask_a) | (spread(DATA_WIDTH_A, dia) & mask_a);
      if (mask_b != '0) mem_q[adb[13:4]] <= (mem_q[adb[13:4]] & ~mask_b) | (spread(DATA_WIDTH_B, dib) & mask_b);
      if (CEA && (!WEA || WRITEMODE_A == "READBEFOREWRITE")) doa_q <= pick(DATA_WIDTH_A, ada, mem_q[ada[13:4]] ^ (same ? mask_b : '0));
      if (CEB && (!WEB || WRITEMODE_B == "READBEFOREWRITE")) dob_q <= pick(DATA_WIDTH_B, adb, mem_q[adb[13:4]] ^ (same ? mask_a : '0));
    end
    logic unused;
    assign unused = CLKB;  // one clock in all netlists of ours
  end
  logic unused_pins;
  assign unused_pins = ^{OCEA, OCEB, CSA0, CSA1, CSA2, CSB0, CSB1, CSB2};
endmodule
