// SPDX-License-Identifier: Apache-2.0
// The retirement port (seam 4): what every SM did, for the lockstep checker and for tools. Each struct is
// one event when its valid is set; within one cycle events count in the order of this file (L2, L1,
// loads, retirement, issue). In a synthesized chip the ports are left open and their logic goes away.
//
// An instruction appears once as issue (in program order of its warp's split: operands are final then)
// and, unless it is a control instruction without destination or a barrier's reduction of no lane, with retire
// events, one a slice of a destination row or one a pair of whole rows, until last. Loads also appear as load events at the cycle in which their bytes were read.
package trace_pkg;

  typedef struct packed {
    logic                         valid;
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;     // counts the warp's instructions from 0 at block start
    logic [31:0]                  pc;
    sm_pkg::mask_t                active;  // the running split's lanes, before the guard
  } issue_t;

  typedef struct packed {
    logic           valid;
    sm_pkg::tag_t   tag;
    logic           row_we;   // row written to tag.rd + index for lanes of tag.mask in slice tag.slice
    logic [1:0]     index;
    sm_pkg::row_t   row;
    logic           pair;     // whole rows: row_hi is written to the register after it, if row_we
    sm_pkg::row_t   row_hi;
    logic           p_we;     // p to tag.pd, q to tag.pq for lanes of tag.mask in the slice
    sm_pkg::lanes_t p;
    sm_pkg::lanes_t q;
    logic           last;     // of the instruction, all slices included
  } retire_t;

  typedef enum logic [2:0] {
    LoadShared = 3'd0,  // events of shared_t
    LoadL1     = 3'd1,  // from a valid L1 line
    LoadFill   = 3'd2,  // straight from the fills `id` + number of the sector in its line
    LoadConst  = 3'd3
  } load_source_e;

  // Lanes whose bytes were read in device memory in this cycle.
  typedef struct packed {
    logic                         valid;
    load_source_e                 source;
    logic [mem_pkg::IdW-1:0]      id;      // LoadFill: of sector 0's fill
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;
    sm_pkg::mask_t                lanes;
  } load_t;

  // Lanes that read shared memory in this cycle; or whose store became visible there, or whose atomics were performed.
  typedef struct packed {
    logic                         valid;
    logic                         stores;
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;
    sm_pkg::mask_t                lanes;
  } shared_t;

  typedef enum logic [2:0] {
    L1Fill          = 3'd0,  // sectors read by L2 under `id` + their number arrived; installed: they now are in the cache
    L1Write         = 3'd1,  // a store updated sectors in the cache (if they are there); mask, data
    L1Evict         = 3'd2,  // the line is no longer in the cache
    L1InvalidateAll = 3'd3
  } l1_kind_e;

  typedef struct packed {
    logic                              valid;
    l1_kind_e                          kind;
    logic                              installed;
    logic [mem_pkg::IdW-1:0]           id;
    logic [gpu_pkg::AddrW-1:7]         line;
    logic [3:0]                        sectors;  // Fill, Write: which of the line
    logic [3:0][mem_pkg::SectorBytes-1:0] mask;
    logic [3:0][mem_pkg::SectorW-1:0]  data;
  } l1_t;

  // L2 performed a request: at this point it is visible to all.
  typedef struct packed {
    logic               valid;
    logic [7:0]         client;   // SM number; the copy engine is number Sms
    mem_pkg::req_t      req;      // its last beat
    logic [mem_pkg::SectorW-1:0] old;  // atomic: the value found, or the sector (mem_pkg::SectorAtomics)
    logic [mem_pkg::SectorBytes-1:0] mask;  // write, atomic: all bytes of the sector
    logic [mem_pkg::SectorW-1:0]     data;  // read: what it read; write, atomic: the data of all its beats
  } l2_t;

  // A load looks up sectors of lines in the L1.
  typedef struct packed {
    logic             valid;
    logic [3:0][3:0]  sectors;  // of each line of a pass
    logic [3:0][3:0]  found;
  } l1_read_t;

endpackage
