// SPDX-License-Identifier: Apache-2.0
// Refused by the front end: more bits than there are.
module bad_select (
  input  logic [1:0] a_i,
  output logic [3:0] b_o
);

  assign b_o = a_i[0+:4];

endmodule
