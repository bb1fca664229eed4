// SPDX-License-Identifier: Apache-2.0
// What travels between command processor, block dispatcher and SMs.
package gpu_pkg;

  localparam int unsigned AddrW = 40;  // device addresses
  localparam int unsigned SeqW = 16;   // instruction number within a warp, for the trace ports

  // Blocks of a cluster lie in slots of one SM that follow each other, by rank.
  localparam bit HasClusters = config_pkg::ClusterBlocks > 1;
  typedef logic [3:0] rank_t;

  // A kernel, constant from the first block's start to the last block's end.
  typedef struct packed {
    logic [31:0]      entry_pc;
    logic [7:0]       registers;       // rows a warp takes: rounded up to even by the SM
    logic [17:0]      shared_bytes;    // a block
    logic [17:0]      dynamic_shared;
    logic [31:0]      local_bytes;     // a thread, multiple of 16
    logic [31:0]      grid_x;
    logic [15:0]      grid_y;
    logic [15:0]      grid_z;
    logic [10:0]      block_x;
    logic [10:0]      block_y;
    logic [6:0]       block_z;
    logic [10:0]      block_threads;   // x * y * z
    logic [5:0]       block_warps;     // ceil(threads / 32)
    logic             clusters;        // the launch asked for them; else each block is one
    logic [4:0]       cluster_x;       // blocks
    logic [4:0]       cluster_y;
    logic [4:0]       cluster_z;
    logic [4:0]       cluster_blocks;  // x * y * z
    logic [AddrW-1:0] param_base;      // constant bank 0
    logic [16:0]      param_bytes;
    logic [AddrW-1:0] const_base;      // constant bank 1
    logic [AddrW-1:0] local_base;
    logic [31:0]      envreg0;
    logic [31:0]      envreg1;
    logic [31:0]      grid_id;
  } kernel_t;

  // Run-time settings: registers of the device contract.
  typedef struct packed {
    logic             code_changed;    // since the last kernel began
    logic [AddrW-1:0] code_base;
    logic [31:0]      code_size;
    logic [AddrW-1:0] mem_end;         // first address past device memory
    logic [1:0]       sched_policy;
    logic [15:0]      yield_branches;
    logic             l1_enable;
  } settings_t;

  // A block given to an SM. Its warps take consecutive warp slots from first_warp on; slot s belongs to
  // sub-partition s % SubPartitions as its local warp s / SubPartitions, whose register rows begin at
  // local warp * registers (rounded up to even). One kernel runs at a time, so all blocks are alike.
  typedef struct packed {
    logic [config_pkg::BlockSlotW-1:0] slot;
    logic [config_pkg::WarpW-1:0]      first_warp;
    logic [config_pkg::SharedW-1:0]    shared_base;
    logic [31:0]                       ctaid_x;
    logic [15:0]                       ctaid_y;
    logic [15:0]                       ctaid_z;
    rank_t                             rank;       // in its cluster: x first, then y, then z
    rank_t                             cluster_x;  // and its place there
    rank_t                             cluster_y;
    rank_t                             cluster_z;
  } block_t;

  // A fault, precise to instruction and thread; kind and code as device_pkg's Fault* constants.
  typedef struct packed {
    logic [3:0]                   kind;
    logic [31:0]                  code;
    logic [config_pkg::WarpW-1:0] warp;
    logic [9:0]                   thread;   // linear index in the block
    logic [31:0]                  pc;
    logic [63:0]                  address;
    logic [31:0]                  ctaid_x;
    logic [15:0]                  ctaid_y;
    logic [15:0]                  ctaid_z;
  } fault_t;

  // A command of the device contract, as the copy engine takes it.
  typedef struct packed {
    logic        fill;
    logic        source_host;
    logic        destination_host;
    logic [63:0] source;
    logic [63:0] destination;
    logic [63:0] bytes;              // of a row
    logic [31:0] more_rows;          // behind the first
    logic [31:0] source_pitch;
    logic [31:0] destination_pitch;
    logic [31:0] pattern;
  } copy_t;

  // How a kernel ended, as device_pkg's Status* constants.
  typedef logic [2:0] status_t;

endpackage
