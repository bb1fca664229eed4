// SPDX-License-Identifier: Apache-2.0
// Sizes of a slice of the L2 cache, what travels between its stages, and what an atomic computes.
package l2_pkg;

  localparam int unsigned Slices = config_pkg::L2Slices;   // a power of two; l2_network says which lines are whose
  localparam int unsigned SliceBits = $clog2(Slices);      // 0: one slice
  localparam int unsigned Lines = config_pkg::L2Bytes / mem_pkg::LineBytes / Slices;
  localparam int unsigned Ways = config_pkg::L2Ways;
  localparam int unsigned Sets = Lines / Ways;
  localparam int unsigned SetW = $clog2(Sets);
  localparam int unsigned WayW = $clog2(Ways);
  localparam int unsigned PlaceW = SetW + WayW;    // {set, way}
  // Device memory lies in [MemoryBase, 2 MemoryBase): inside the L2 a line is known by its number from MemoryBase on.
  localparam int unsigned MemoryW = $clog2(device_pkg::MemoryBase);
  localparam int unsigned TagW = MemoryW - 7 - SetW;
  localparam int unsigned Mshrs = config_pkg::L2Mshrs;  // lines being fetched; a power of two, at most 16
  localparam int unsigned MshrW = $clog2(Mshrs);
  localparam int unsigned FillW = MshrW + 2;       // {MSHR, sector}
  // Requests that the L2 holds: most of them wait for a fill. A power of two; one of them is always free.
  localparam int unsigned Slots = Mshrs > 16 ? 4 * Mshrs : Mshrs > 4 ? 8 * Mshrs : 16;
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned Aside = Mshrs > 4 ? 4 : 2;    // requests that stand aside; a power of two
  localparam int unsigned WriteBacks = 4;          // lines on their way to memory; a power of two
  // A narrow memory port takes many cycles for a line. Then the L2 takes several for an operation instead of one, which
  // cuts its long paths and leaves nothing to forward, and its data array gives one sector of a line at a time.
  localparam bit Narrow = config_pkg::AxiDataBits < 256;
  localparam int unsigned Apart = Narrow ? 4 : 1;    // cycles from one operation to the next
  localparam int unsigned Banks = Narrow ? 1 : 4;
  localparam int unsigned SliceIdW = MshrW > 4 ? MshrW : 4;   // AXI ids of a slice: an MSHR, or a place of the write-back buffer
  // Memory has channels, a power of two and Slices at most, each a port of its own. Slice s uses channel s % Channels: of
  // lines that follow each other a channel has one in Channels.
  localparam int unsigned Channels = config_pkg::MemoryChannels;
  localparam int unsigned ChannelSlices = Slices / Channels;
  localparam int unsigned AxiIdW = SliceIdW + $clog2(ChannelSlices);   // at a channel: {s / Channels, id}
  localparam int unsigned ClientW = $clog2(config_pkg::Sms + 2);

  typedef logic [MemoryW-1:7] line_t;
  typedef logic [TagW-1:0]    tag_t;
  typedef logic [SetW-1:0]    set_t;

  // Which slice has a line: bit n of its number is the xor of these bits of the line, every width-th from the n-th on, where
  // slices have numbers of `width` bits.
  function automatic line_t slice_mask(input int unsigned n, input int unsigned width);
    line_t mine;
    mine = '0;
    for (int unsigned b = 7 + n; b < MemoryW; b += width) mine[b] = 1'b1;
    return mine;
  endfunction

  // On which link answers about a line come to an SM: that of its slice, whose number is the same modulo Links.
  localparam line_t LinkMask = mem_pkg::Links > 1 ? slice_mask(0, SliceBits) : '0;
  function automatic mem_pkg::link_t link_of(input line_t line);
    return mem_pkg::link_t'(^(line & LinkMask));
  endfunction

  // A line's set, and its tag, which tells it from the others of the set. Any SliceBits lowest bits go with any others to
  // each slice: of lines that follow each other a slice has one in Slices. The set's number lies above these bits, so
  // that a slice uses all of its sets, and the tag has them beside the bits above:
  //
  //   {upper, set, low} -> set, tag {upper, low}
  function automatic set_t set_of(input line_t line);
    return set_t'(line >> SliceBits);
  endfunction
  function automatic tag_t tag_of(input line_t line);
    return tag_t'(line >> (SetW + SliceBits) << SliceBits | line & line_t'(Slices - 1));
  endfunction
  function automatic line_t line_of(input tag_t tag, input set_t set);
    line_t t;
    t = line_t'(tag);
    return t >> SliceBits << (SetW + SliceBits) | line_t'(set) << SliceBits | t & line_t'(Slices - 1);
  endfunction

  function automatic logic [gpu_pkg::AddrW-1:0] address(input line_t line, input logic [1:0] sector);
    return gpu_pkg::AddrW'(device_pkg::MemoryBase) | gpu_pkg::AddrW'({line, sector, 5'd0});
  endfunction

  // A request and who sent it.
  typedef struct packed {
    logic [ClientW-1:0] client;
    mem_pkg::req_t      req;
  } request_t;

  // What a request carries beside the bytes of its beats; what of it only the trace tells.
  typedef struct packed {
    logic [ClientW-1:0]      client;
    mem_pkg::req_kind_e      kind;
    logic [mem_pkg::IdW-1:0] id;
    logic [4:0]              offset;
    logic                    wide;
    logic [3:0]              atom_op;
    mem_pkg::atom_type_t     atom_type;
  } head_t;
  typedef struct packed {
    logic [gpu_pkg::AddrW-1:5]    sector;
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;
    logic [4:0]                   lane;
  } origin_t;

  // What the L2 knows of the line at a place.
  typedef struct packed {
    logic             present;
    logic             fetching;   // held by `mshr`: cannot be evicted
    logic [MshrW-1:0] mshr;
    logic [3:0]       valid;      // sectors; while fetching the MSHR has them
    logic [3:0]       dirty;
  } state_t;

  // What the look-up wants to know of a request.
  typedef struct packed {
    logic [ClientW-1:0]        client;
    mem_pkg::req_kind_e        kind;
    logic                      full;       // writes all bytes
    logic [gpu_pkg::AddrW-1:5] sector;
  } look_t;

  // An operation of the data stage: a request, with or without a fill under it; or the eviction of Banks sectors.
  typedef struct packed {
    logic                evict;
    logic                first;      // evict: of its line
    logic                error;      // answer with an error, touch nothing
    logic                fill;       // the sector's data come from memory, under its dirty bytes
    logic [FillW-1:0]    fill_id;
    logic [SlotW-1:0]    slot;       // of the request
    logic [PlaceW-1:0]   place;
    logic [1:0]          sector;
    logic [3:0]          dirty;      // sectors with dirty bytes before this; of a request its own sector's counts
    line_t               line;       // evict
  } op_t;

  // A sector that memory delivered; axi_reader keeps its data under the id.
  typedef struct packed {
    logic [FillW-1:0] id;
    logic             error;
  } fill_t;

  // A piece of a sector, or of each sector of a line, on the way to memory, and which of its bytes are dirty.
  typedef struct packed {
    logic [mem_pkg::PieceBytes-1:0] mask;
    logic [mem_pkg::PieceBits-1:0]  data;
  } dirty_piece_t;
  typedef struct packed {
    logic [1:0]                 sector;   // where one comes at a time
    logic [mem_pkg::PieceW-1:0] piece;
    dirty_piece_t [Banks-1:0]   data;
  } write_back_t;

  // Bytes of `over` where mask says so, else of `under`.
  function automatic logic [mem_pkg::PieceBits-1:0] merge(input logic [mem_pkg::PieceBits-1:0] under,
                                                          input logic [mem_pkg::PieceBits-1:0] over,
                                                          input logic [mem_pkg::PieceBytes-1:0] mask);
    logic [mem_pkg::PieceBits-1:0] r;
    logic [31:0] bits;
    for (int unsigned w = 0; w < mem_pkg::PieceBytes / 4; w++) begin
      bits = {{8{mask[4*w+3]}}, {8{mask[4*w+2]}}, {8{mask[4*w+1]}}, {8{mask[4*w]}}};
      r[32*w+:32] = (under[32*w+:32] & ~bits) | (over[32*w+:32] & bits);
    end
    return r;
  endfunction

endpackage
