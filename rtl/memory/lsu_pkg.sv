// SPDX-License-Identifier: Apache-2.0
// What travels between the stages of the load/store unit (README.md has the picture).
package lsu_pkg;

  localparam int unsigned Mshrs = config_pkg::L1Mshrs;    // lines with fills in flight; a power of two
  localparam int unsigned MshrW = $clog2(Mshrs);
  localparam int unsigned Entries = config_pkg::LsuEntries;  // warp instructions in flight
  localparam int unsigned EntryW = $clog2(Entries);

  localparam int unsigned Lines = config_pkg::L1Bytes / mem_pkg::LineBytes;
  localparam int unsigned Ways = config_pkg::L1Ways;
  localparam int unsigned Sets = Lines / Ways;
  localparam int unsigned SetW = $clog2(Sets);
  localparam int unsigned WayW = $clog2(Ways);
  localparam int unsigned LineW = SetW + WayW;             // {set, way}: place in the data array
  localparam int unsigned TagW = gpu_pkg::AddrW - 7 - SetW;

  // A pass serves lanes of one slice. It reaches a word for each of them, but no less than a sector: a row of the
  // banks, or `PassSectors` sectors of device memory, which are a line in a machine of full width and a part of
  // one in a narrower one.
  localparam int unsigned Lanes = sm_pkg::RowLanes;
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned SectorWords = mem_pkg::SectorBytes / 4;
  localparam int unsigned Words = Lanes > SectorWords ? Lanes : SectorWords;
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned OffsetW = WordW + 2;             // byte in what a pass reaches
  localparam int unsigned PassSectors = Words / SectorWords;
  localparam int unsigned LineParts = 4 / PassSectors;
  localparam int unsigned SectorW = $clog2(PassSectors);
  typedef logic [(SectorW > 0 ? SectorW : 1)-1:0] sector_t;  // in a pass
  typedef logic [PassSectors-1:0] sectors_t;               // of what a pass reaches
  // Of each of its sectors a piece is read at once (mem_pkg::Pieces).
  localparam int unsigned PieceWords = SectorWords / mem_pkg::Pieces;
  localparam int unsigned PieceWordW = $clog2(PassSectors * PieceWords);
  // Rows and sectors move whole.
  localparam bit FullWidth = mem_pkg::Pieces == 1 && sm_pkg::RowSlices == 1;
  // An atomic on shared memory is performed at every bank at once, for a lane each; else, and of floating-point numbers, lane
  // by lane.
  localparam bit BankAtomics = FullWidth;
  // Of one on device memory a pass has a lane for each word of a sector; else one lane. What comes back: the sector, or the word.
  localparam bit SectorAtomics = FullWidth;
  typedef logic [(mem_pkg::SectorAtomics ? mem_pkg::SectorW : 64)-1:0] atomic_value_t;
  // Atomics that are under way and have a reader: a request's id is {which of them, its lowest lane}, as many as ids allow and
  // there are entries for; in slices two.
  localparam int unsigned AtomicW = sm_pkg::RowSlices > 1 ? 1 : mem_pkg::IdW - 6 < EntryW ? mem_pkg::IdW - 6 : EntryW;  // the upper half is mem_hub's
  localparam int unsigned Atomics = 1 << AtomicW;
  typedef logic [AtomicW-1:0] atomic_t;
  typedef logic [AtomicW+4:0] atomic_id_t;
  localparam int unsigned Places = Entries * sm_pkg::RowSlices;  // {entry, slice}
  localparam int unsigned PlaceW = $clog2(Places);

  // Lanes that have hardware of their own where each needs much of it, four in a small machine: a slice takes so many beats.
  localparam int unsigned BeatLanes = sm_pkg::RowSlices == 1 || Lanes < 4 ? Lanes : 4;
  localparam int unsigned Beats = Lanes / BeatLanes;

  // Rows that move whole: shared memory and device memory have a pipe each, from lsu_select to their data stages. In slices passes of
  // both go one after the other.
  localparam int unsigned Pipes = sm_pkg::RowSlices == 1 ? 2 : 1;
  localparam int unsigned SharedPipe = 0;
  localparam int unsigned DevicePipe = Pipes - 1;
  localparam int unsigned PipeDepth = 4;                   // instructions that wait before each
  // Rows of instructions in flight are collected in as many banks, by the lowest bit of their entry.
  localparam int unsigned BankPlaces = Places / Pipes;
  localparam int unsigned BankPlaceW = $clog2(BankPlaces);

  localparam int unsigned Banks = Words;
  localparam int unsigned BankRows = config_pkg::SharedBytes / (4 * Banks);
  localparam int unsigned BankRowW = $clog2(BankRows);

  typedef logic [gpu_pkg::AddrW-1:7] line_t;              // address / 128
  typedef logic [Lanes-1:0][7:0] offsets_t;               // byte in what the pass reaches, one a lane
  typedef logic [Words-1:0][31:0] words_t;                // what a pass reaches
  typedef logic [Words-1:0][3:0] bytes_t;                 // bytes of it
  typedef logic [PassSectors*PieceWords-1:0][31:0] piece_words_t;  // one piece of each of its sectors
  typedef logic [PassSectors*PieceWords-1:0][3:0] piece_bytes_t;
  typedef logic [mem_pkg::Pieces-1:0] pieces_t;           // of a sector
  typedef logic [Banks-1:0] banks_t;
  // Lines in which a pass of a load has lanes, where rows move whole: their words lie in different banks of the L1.
  localparam int unsigned PassLines = FullWidth ? 4 : 1;
  localparam int unsigned PassLineW = PassLines > 1 ? $clog2(PassLines) : 1;
  typedef logic [PassLines-1:0] lines_t;                  // of a pass
  typedef logic [Banks-1:0][PassLineW-1:0] bank_lines_t;  // the line that a bank reads
  // Whole bytes where that is quicker to simulate, the bits needed where they are registers of a small chip.
  typedef logic [Banks-1:0][(sm_pkg::RowSlices == 1 ? 16 : BankRowW)-1:0] bank_rows_t;
  typedef logic [PlaceW-1:0] place_t;
  typedef logic [BankPlaceW-1:0] bank_place_t;

  // A sector of a line, as the pass that reaches it counts.
  function automatic sector_t in_pass(input logic [1:0] sector);
    return PassSectors == 1 ? '0 : sector_t'(sector);
  endfunction

  // What an MSHR brings comes, is kept and is served in parts, as passes reach them: {MSHR, part of the line}.
  localparam int unsigned Parts = Mshrs * LineParts;
  localparam int unsigned PartW = $clog2(Parts);
  typedef logic [PartW-1:0] part_t;
  typedef logic [MshrW+1:0] fill_id_t;                     // {MSHR, sector}: the id of a read
  function automatic part_t part_of(input fill_id_t id);
    return part_t'(id >> SectorW);
  endfunction
  function automatic fill_id_t first_of(input part_t part);  // its first sector
    return fill_id_t'(part) << SectorW;
  endfunction
  // Its sectors come on the link that the lowest bits of the MSHR's number say (l1_mshrs); its number among those of the link.
  localparam int unsigned LinkParts = Parts / mem_pkg::Links;
  function automatic mem_pkg::link_t link_of(input part_t part);
    return mem_pkg::Links == 1 ? '0 : mem_pkg::link_t'(part >> $clog2(LineParts));
  endfunction
  function automatic part_t in_link(input part_t part);
    return part >> $clog2(mem_pkg::Links * LineParts) << $clog2(LineParts) | part & part_t'(LineParts - 1);
  endfunction
  // Of a line: the sectors of the part that has this one.
  function automatic logic [3:0] part_mask(input logic [1:0] sector);
    return 4'((1 << PassSectors) - 1) << (sector & ~2'(PassSectors - 1));
  endfunction

  // Of a line's sectors those that a pass reaches; `first` is one of them.
  function automatic sectors_t reached(input logic [3:0] sectors, input logic [1:0] first);
    return sectors_t'(sectors >> (first & ~2'(PassSectors - 1)));
  endfunction

  // The piece in which a word lies of those that a pass reaches, and where there.
  function automatic mem_pkg::piece_t piece_of(input logic [WordW-1:0] word);
    return mem_pkg::Pieces == 1 ? '0 : word[$clog2(SectorWords)-1-:mem_pkg::PieceW];
  endfunction
  function automatic logic [PieceWordW-1:0] in_piece(input logic [WordW-1:0] word);
    return PieceWordW'({word >> $clog2(SectorWords), word[$clog2(PieceWords)-1:0]});
  endfunction
  function automatic logic [WordW-1:0] word_of(input int unsigned sector, input mem_pkg::piece_t piece);
    return mem_pkg::Pieces == 1 ? WordW'(SectorWords * sector) : WordW'(SectorWords * sector + PieceWords * 32'(piece));
  endfunction

  // Where a slice of an instruction keeps its offsets and rows.
  function automatic place_t place_of(input logic [EntryW-1:0] entry, input sm_pkg::slice_t slice);
    return sm_pkg::RowSlices == 1 ? place_t'(entry) : place_t'({entry, slice});
  endfunction

  // Instructions on shared memory alone.
  function automatic logic is_shared(input logic [7:0] op);
    return op == isa_pkg::OpLds || op == isa_pkg::OpSts || op == isa_pkg::OpAtoms || op == isa_pkg::OpLdsm;
  endfunction

  // Rows that an instruction brings: addresses, of 64 bits but in a window of their own, and data.
  function automatic logic [2:0] operand_rows(input logic [7:0] op, input logic [17:0] mod);
    logic [2:0] address, words;
    address = is_shared(op) || op == isa_pkg::OpLdl || op == isa_pkg::OpStl || op == isa_pkg::OpLdc ? 3'd1 : 3'd2;
    words = size_words(mod[2:0]);
    case (op)
      isa_pkg::OpLdgsts: return address + 3'd1;
      isa_pkg::OpStg, isa_pkg::OpSts, isa_pkg::OpStl, isa_pkg::OpSt: return address + words;
      isa_pkg::OpAtomg, isa_pkg::OpAtoms, isa_pkg::OpAtom:
        return address + (mod[isa_pkg::AtomicOpLsb+:4] == 4'(isa_pkg::AtomOpCas) ? words << 1 : words);
      default: return address;
    endcase
  endfunction

  // The bank of an entry's rows, and its place there.
  function automatic logic bank_of(input logic [EntryW-1:0] entry);
    return Pipes > 1 && entry[0];
  endfunction
  function automatic bank_place_t in_bank(input place_t place);
    return bank_place_t'(place >> (Pipes - 1));
  endfunction

  typedef enum logic [2:0] {
    ClassLoad       = 3'd0,
    ClassStore      = 3'd1,
    ClassAtomic     = 3'd2,
    ClassFence      = 3'd3,
    ClassPrefetch   = 3'd4,  // a load that nobody waits for
    ClassInvalidate = 3'd5   // of single lines
  } class_e;

  // LDSM, which has lanes' 16 bytes each in shared memory: 1 << log2 matrices of 8 lanes.
  typedef struct packed {
    logic       there;
    logic       trans;
    logic [1:0] log2;
  } matrix_t;

  // What all passes of an instruction share.
  typedef struct packed {
    class_e                       cls;
    matrix_t                      matrix;
    logic [EntryW-1:0]            entry;
    logic [2:0]                   size;        // isa_pkg::MemSize*
    logic                         bypass;      // a load: global data comes from L2, never from the L1; a store: it leaves at once
    logic                         waits;       // fence, release: after the warp's earlier accesses
    logic                         stores_too;  // with waits: also until its stores are acknowledged
    logic                         invalidate;  // MEMBAR, CCTL: empties the L1
    logic                         acquire;     // the L1 is emptied before the response
    logic                         copies;      // LDGSTS: what it loads goes to shared memory (lsu_copy)
    logic                         konst;       // constant memory: a pass serves lanes of one address
    logic [3:0]                   atom_op;
    mem_pkg::atom_type_t          atom_type;
    logic                         reduces;     // an atomic whose old values nobody reads: it ends as a store does
    logic [config_pkg::WarpW-1:0] warp;
    logic [gpu_pkg::SeqW-1:0]     seq;
  } op_t;
  // It brings data.
  function automatic logic stores(input op_t op);
    return op.cls == ClassStore || op.cls == ClassAtomic;
  endfunction
  // Lanes wait for their values.
  function automatic logic answers(input op_t op);
    return op.cls == ClassLoad || (op.cls == ClassAtomic && !op.reduces);
  endfunction

  // An asynchronous copy that has loaded: it stores in shared memory.
  typedef struct packed {
    op_t                op;
    sm_pkg::lanes_t     lanes;
    sm_pkg::row_t       addr;
    sm_pkg::row_t [3:0] data;
  } copy_t;

  // Lanes of the instruction behind that go along with a pass (lsu_select).
  typedef struct packed {
    sm_pkg::lanes_t lanes;
    offsets_t       offset;
    sm_pkg::row_t   data;
  } join_t;

  // One pass: the lanes of an instruction that are served together.
  typedef struct packed {
    op_t                  op;
    logic                 shared;        // shared memory, else a line of device memory
    logic                 first;         // of the instruction in its pipe
    logic                 last;          // of the instruction
    sm_pkg::slice_t       slice;
    sm_pkg::lanes_t       lanes;
    sm_pkg::lanes_t       told;          // the same, and those that passes of another took along: the trace tells them now
    sm_pkg::lanes_t [PassSectors-1:0] sector_lanes;  // device memory: lanes by sector
    sm_pkg::lanes_t [PassLines-1:0]   line_lanes;    // and by line, the first with the lowest lane
    line_t [PassLines-1:0] line;
    logic [1:0]           sector;        // of the line: the first of sector_lanes
    bank_lines_t          bank_line;
  } pass_t;

  // What the data stage of device memory does.
  typedef enum logic [2:0] {
    DataNone   = 3'd0,  // ends an instruction or only changes tags
    DataLoad   = 3'd1,  // read the L1 for `lanes`, ask L2 for the sectors in `send`
    DataStore  = 3'd2,  // send the sectors in `send`, update those in `update`
    DataAtomic = 3'd3,
    DataFill   = 3'd4   // answers of L2: install, serve `lanes` of one entry
  } data_e;

  typedef struct packed {
    data_e                       kind;
    op_t                         op;
    logic                        last;      // ends the instruction, unless it waits for lanes
    sm_pkg::slice_t              slice;
    sm_pkg::lanes_t              lanes;     // read now (L1, answer); stored now
    logic [3:0]                  send;      // sectors for L2
    logic [3:0]                  update;    // store: sectors present in the L1; fill: that came
    logic [PassLines-1:0][LineW-1:0] place;  // in the L1's data array: of each line of a load, else of the first
    bank_lines_t                 bank_line; // load
    logic [MshrW-1:0]            mshr;
    line_t                       line;
    logic [1:0]                  sector;    // the first that the pass reaches, of a fill that came or might have
    logic                        install;   // fill: write it into the L1
    logic                        fill_event;  // fill: first use of these answers
    logic                        atomic;    // fill: an atomic's old value
    atomic_t                     which;     // of the atomics with a reader
    logic                        evict;     // for the trace: the line at `evict_line` left
    line_t                       evict_line;
    logic                        invalidate_all;
  } data_op_t;

  // Bytes of some lanes of an entry, which a data stage has read: a line or a row of the banks comes beside it, piece by piece.
  typedef struct packed {
    logic [EntryW-1:0] entry;
    sm_pkg::slice_t    slice;
    logic [2:0]        size;
    matrix_t           matrix;
    sm_pkg::lanes_t    lanes;
    logic              at_zero;  // the old value of an atomic, at the line's begin
    mem_pkg::piece_t   piece;
    logic              last;     // of their pieces
  } gather_t;

  // Requests to L2 for sectors of a pass, on their way to the link (lsu_requests), where they leave sector by sector.
  // Whole sectors of a pass go there together; in pieces a read, too, and of what carries data one sector after the other.
  localparam int unsigned PassRequests = mem_pkg::Pieces == 1 ? 1 : PassSectors * mem_pkg::Pieces;
  localparam int unsigned RequestDepth = mem_pkg::Pieces == 1 ? 32 : 16 * mem_pkg::Pieces;
  localparam bit          Combines = config_pkg::WriteCombineLines != 0;
  localparam int unsigned DataDepth = mem_pkg::Pieces == 1 ? 8 : RequestDepth;  // of those that carry data
  typedef struct packed {
    mem_pkg::req_kind_e             kind;
    logic [mem_pkg::IdW-1:0]        id;       // read: of sector 0 of the line; those of the others follow
    line_t                          line;
    logic [1:0]                     sector;   // of the line: the first that the pass reaches
    sectors_t                       sectors;  // asked for, one at least
    mem_pkg::piece_t                piece;
    logic                           last;     // of the pieces
    logic [4:0]                     offset;
    logic                           wide;
    logic [3:0]                     atom_op;
    mem_pkg::atom_type_t            atom_type;
    logic [config_pkg::WarpW-1:0]   warp;
    logic [gpu_pkg::SeqW-1:0]       seq;
    logic [4:0]                     lane;
    logic                           several;  // an atomic of several lanes
    logic                           joins;    // a write that write_combine may keep
  } line_req_t;
  // Beside it, of a write or an atomic: as in mem_pkg::req_t, of each sector; an atomic's are the same for each.
  typedef struct packed {
    piece_bytes_t                   mask;
    piece_words_t                   data;
  } line_data_t;

  function automatic logic [4:0] size_bytes(input logic [2:0] size);
    case (size)
      3'(isa_pkg::MemSizeU8), 3'(isa_pkg::MemSizeS8):   return 5'd1;
      3'(isa_pkg::MemSizeU16), 3'(isa_pkg::MemSizeS16): return 5'd2;
      3'(isa_pkg::MemSizeB64):                          return 5'd8;
      3'(isa_pkg::MemSizeB128):                         return 5'd16;
      default:                                          return 5'd4;
    endcase
  endfunction

  // Lanes whose addresses count.
  function automatic logic [31:0] matrix_lanes(input matrix_t matrix);
    return !matrix.there || matrix.log2 == 2'd2 ? '1 : matrix.log2 == 2'd1 ? 32'h0000_ffff : 32'h0000_00ff;
  endfunction

  // Registers of the data: 1, 2 or 4.
  function automatic logic [2:0] size_words(input logic [2:0] size);
    case (size)
      3'(isa_pkg::MemSizeB64):  return 3'd2;
      3'(isa_pkg::MemSizeB128): return 3'd4;
      default:                  return 3'd1;
    endcase
  endfunction

  // Where lanes of a warp store to one place, silicon has groups of 32, 16 or 8 lanes (of up to 4, 8 or 16 bytes) follow each
  // other, and of each group the lowest lane's value stay. Lanes of a group in one slice:
  function automatic logic [5:0] group_lanes(input logic [2:0] words);
    logic [5:0] group;
    group = words[2] ? 6'd8 : words[1] ? 6'd16 : 6'd32;
    return 32'(group) < Lanes ? group : 6'(Lanes);
  endfunction

  // Slices of a group store in descending order, so that the lowest lane's value is the last: the n-th slice that stores is
  // n ^ this.
  function automatic sm_pkg::slice_t store_order(input logic [2:0] words);
    return sm_pkg::slice_t'(((words[2] ? 32'd8 : words[1] ? 32'd16 : 32'd32) - 32'd1) / Lanes);
  endfunction

  // Pieces in which words of the lanes lie.
  function automatic pieces_t pieces_of(input sm_pkg::lanes_t lanes, input offsets_t offset, input logic [2:0] size);
    pieces_t pieces, at;
    pieces = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      // More than a piece: the one that follows, too; 16 bytes may begin with their second half.
      at = pieces_t'(1) << piece_of(offset[lane][2+:WordW] & ~WordW'(size_words(size) == 3'd4 ? 3 : 0));
      if (32'(size_words(size)) > PieceWords) at |= at << 1;
      if (lanes[lane]) pieces |= at;
    end
    return pieces;
  endfunction

endpackage
