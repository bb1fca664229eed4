// SPDX-License-Identifier: Apache-2.0
// What holds back the warps of a sub-partition: which of them may issue, and why the others may not. One bit a warp; a
// warp may be held for several reasons.
module hazards (
  // Its decoded instruction.
  input  core_pkg::warps_t   decoded_i,         // it is there
  input  core_pkg::warps_t   constant_i,        // its constant operand is not
  input  core_pkg::warps_by_unit_t   to_i,
  input  core_pkg::warps_t   drains_i,          // it waits until nothing of its warp is under way
  input  core_pkg::warps_t   ordered_i,         // until the warp's memory instructions have reached the load/store unit
  // What is under way.
  input  core_pkg::units_t   room_i,            // units that take an instruction
  input  core_pkg::warps_t   clear_i,           // it depends on no result that is not there
  input  core_pkg::warps_t   entry_i,           // the scoreboard has an entry for its own
  input  core_pkg::warps_t   blocked_i,         // a fence or acquire of the warp has not ended, or copies that it waits for
  input  core_pkg::warps_t   idle_i,            // nothing of the warp is under way
  input  core_pkg::warps_t   unsent_i,          // memory instructions have not reached the load/store unit
  input  core_pkg::warps_t   store_pending_i,   // stores have not been acknowledged
  output core_pkg::warps_t   ready_o,           // it may issue
  // Why it may not, each for itself, which costs a simulator nothing where nobody looks.
  output core_pkg::warps_t   fetch_o,           // no decoded instruction
  output core_pkg::warps_t   constant_o,
  output core_pkg::warps_t   depends_o,
  output core_pkg::warps_t   full_o,            // the scoreboard
  output core_pkg::warps_t   blocked_o,
  output core_pkg::warps_t   drain_o,
  output core_pkg::warps_t   unsent_o,
  output core_pkg::warps_t   stores_o,
  output core_pkg::warps_t   unit_o             // takes none
);

  core_pkg::warps_t fits;
  always_comb begin
    fits = '0;
    if (decoded_i != '0) for (int unsigned u = 0; u < core_pkg::Units; u++) fits |= room_i[u] ? to_i[u] : '0;
  end
  assign fetch_o = ~decoded_i;
  assign constant_o = decoded_i & constant_i;
  assign depends_o = decoded_i & ~clear_i;
  assign full_o = decoded_i & ~entry_i;
  assign blocked_o = decoded_i & blocked_i;
  assign drain_o = decoded_i & drains_i & ~idle_i;
  assign unsent_o = decoded_i & ordered_i & unsent_i;
  assign stores_o = decoded_i & ordered_i & store_pending_i;
  assign unit_o = decoded_i & ~fits;
  assign ready_o = fits & decoded_i & ~constant_i & clear_i & entry_i & ~blocked_i & ~(drains_i & ~idle_i) &
                   ~(ordered_i & (unsent_i | store_pending_i));

endmodule
