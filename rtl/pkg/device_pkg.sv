// SPDX-License-Identifier: Apache-2.0
// Generated from host-runtime/device/contract.def by isa_generate; do not edit.
// The device contract: registers, command layout, status codes.
package device_pkg;

  // Id
  localparam logic [31:0] IdMagic = 32'h484c4448;  // RegId reads this: 'HDLH'
  localparam logic [31:0] IdContractVersion = 32'h3;  // RegVersion reads this

  // Reg
  localparam logic [31:0] RegId = 32'h0;  // RO identification
  localparam logic [31:0] RegVersion = 32'h4;  // RO version of this contract
  localparam logic [31:0] RegPresetHash = 32'h8;  // RO hash of the preset's structure
  localparam logic [31:0] RegNumSms = 32'hc;  // RO
  localparam logic [31:0] RegSubPartitions = 32'h10;  // RO sub-partitions an SM
  localparam logic [31:0] RegWarpsPerSm = 32'h14;  // RO resident warps an SM
  localparam logic [31:0] RegBlocksPerSm = 32'h18;  // RO block slots an SM
  localparam logic [31:0] RegRegistersPerSm = 32'h1c;  // RO 32-bit registers an SM
  localparam logic [31:0] RegSharedPerSm = 32'h20;  // RO bytes of shared memory an SM
  localparam logic [31:0] RegNumRings = 32'h24;  // RO
  localparam logic [31:0] RegMemBaseLo = 32'h30;  // RO first byte of device memory
  localparam logic [31:0] RegMemBaseHi = 32'h34;  // 
  localparam logic [31:0] RegMemSizeLo = 32'h38;  // RW bytes of device memory; set at reset by the board or the harness; global accesses outside fault
  localparam logic [31:0] RegMemSizeHi = 32'h3c;  // 
  localparam logic [31:0] RegControl = 32'h40;  // WO ControlReset: abandon all work, empty caches and rings, clear the fault
  localparam logic [31:0] RegStatus = 32'h44;  // RO StatusBits
  localparam logic [31:0] RegIrqStatus = 32'h48;  // RW1C IrqBits
  localparam logic [31:0] RegIrqEnable = 32'h4c;  // RW IrqBits that raise the interrupt line
  localparam logic [31:0] RegCodeBaseLo = 32'h80;  // RW device address of the code segment (PC 0)
  localparam logic [31:0] RegCodeBaseHi = 32'h84;  // 
  localparam logic [31:0] RegCodeSize = 32'h88;  // RW bytes of the code segment; a fetch beyond faults. A write tells that code has changed: the next kernel begins with empty instruction caches
  localparam logic [31:0] RegCycleLimitLo = 32'h90;  // RW a kernel that runs longer times out; 0: no limit
  localparam logic [31:0] RegCycleLimitHi = 32'h94;  // 
  localparam logic [31:0] RegSchedPolicy = 32'ha0;  // RW warp scheduler: 0 loose round robin, 1 greedy then oldest, 2 two-level
  localparam logic [31:0] RegYieldBranches = 32'ha4;  // RW backward branches after which a split yields
  localparam logic [31:0] RegMaxWarpsPerSm = 32'ha8;  // RW limit on resident warps an SM, at most WarpsPerSm
  localparam logic [31:0] RegL1Enable = 32'hb4;  // RW 0: every global access goes to L2
  localparam logic [31:0] RegCyclesLo = 32'h100;  // RO clock cycles since power on; reading Lo latches Hi
  localparam logic [31:0] RegCyclesHi = 32'h104;  // 
  localparam logic [31:0] RegKernelCyclesLo = 32'h108;  // RO cycles of the running or last kernel
  localparam logic [31:0] RegKernelCyclesHi = 32'h10c;  // 
  localparam logic [31:0] RegWarpInstructionsLo = 32'h110;  // RO warp instructions retired by the running or last kernel
  localparam logic [31:0] RegWarpInstructionsHi = 32'h114;  // 
  localparam logic [31:0] RegThreadInstructionsLo = 32'h118;  // RO thread instructions (active and guarded lanes) of the running or last kernel
  localparam logic [31:0] RegThreadInstructionsHi = 32'h11c;  // 
  localparam logic [31:0] RegBlocksDone = 32'h120;  // RO blocks finished of the running or last kernel
  localparam logic [31:0] RegBlocksTotal = 32'h124;  // RO blocks of the running or last kernel
  localparam logic [31:0] RegFaultKind = 32'h140;  // RO Fault
  localparam logic [31:0] RegFaultSm = 32'h144;  // RO
  localparam logic [31:0] RegFaultWarp = 32'h148;  // RO warp slot in the SM
  localparam logic [31:0] RegFaultThread = 32'h14c;  // RO linear thread index in the block
  localparam logic [31:0] RegFaultPc = 32'h150;  // RO
  localparam logic [31:0] RegFaultAddressLo = 32'h154;  // RO
  localparam logic [31:0] RegFaultAddressHi = 32'h158;  // RO
  localparam logic [31:0] RegFaultBlockX = 32'h15c;  // RO
  localparam logic [31:0] RegFaultBlockY = 32'h160;  // RO
  localparam logic [31:0] RegFaultBlockZ = 32'h164;  // RO
  localparam logic [31:0] RegFaultCode = 32'h168;  // RO TRAP's code, or FaultSpace* of a memory fault with FaultWrite
  localparam logic [31:0] RegRingBase = 32'h200;  // ring r at RingBase + r * RingStride: +0 address lo, +4 address hi, +8 entries (power of two), +12 head RO, +16 tail RW (doorbell)
  localparam logic [31:0] RegRingStride = 32'h20;  // 

  // Ring
  localparam logic [31:0] RingAddressLo = 32'h0;  // 
  localparam logic [31:0] RingAddressHi = 32'h4;  // 
  localparam logic [31:0] RingEntries = 32'h8;  // 
  localparam logic [31:0] RingHead = 32'hc;  // 
  localparam logic [31:0] RingTail = 32'h10;  // 

  // Reg
  localparam logic [31:0] RegSmBase = 32'h400;  // SM s at SmBase + s * SmStride: waiting warps, for a report of a deadlock
  localparam logic [31:0] RegSmStride = 32'h20;  // 

  // Sm
  localparam logic [31:0] SmWaitingLo = 32'h0;  // RO warps 31..0 that wait at a barrier
  localparam logic [31:0] SmWaitingHi = 32'h4;  // RO warps 63..32
  localparam logic [31:0] SmResidentLo = 32'h8;  // RO warps 31..0 that hold a block's warp
  localparam logic [31:0] SmResidentHi = 32'hc;  // RO warps 63..32

  // Control
  localparam logic [31:0] ControlReset = 32'h1;  // 

  // StatusBits
  localparam logic [31:0] StatusBitsBusy = 32'h1;  // a command runs or waits
  localparam logic [31:0] StatusBitsFaulted = 32'h2;  // commands abort until reset

  // Irq
  localparam logic [31:0] IrqCompletion = 32'h1;  // a command that asked for it completed
  localparam logic [31:0] IrqFault = 32'h2;  // a kernel faulted

  // Command
  localparam logic [31:0] CommandBytes = 32'h80;  // size of a command: 32 words
  localparam logic [31:0] CommandNop = 32'h0;  // completes at once: a fence or an event
  localparam logic [31:0] CommandLaunch = 32'h1;  // run a grid
  localparam logic [31:0] CommandCopy = 32'h2;  // copy rows of bytes; source and destination do not overlap, nor do the destination's rows; an error ends it, perhaps before its last row
  localparam logic [31:0] CommandFill = 32'h3;  // fill rows of device memory with a repeated pattern

  // Flag
  localparam logic [31:0] FlagIrq = 32'h100;  // in word 0: raise IrqCompletion at the end
  localparam logic [31:0] FlagSourceHost = 32'h200;  // copy: the source is host memory
  localparam logic [31:0] FlagDestinationHost = 32'h400;  // copy: the destination is host memory

  // Word
  localparam logic [31:0] WordOpcode = 32'h0;  // word 0: command | flags
  localparam logic [31:0] WordTag = 32'h1;  // word 1: copied into the completion record
  localparam logic [31:0] WordCompletion = 32'h2;  // words 2-3: host address of the completion record, 0: none
  localparam logic [31:0] WordEntryPc = 32'h4;  // launch: first PC
  localparam logic [31:0] WordRegisters = 32'h5;  // launch: registers a thread
  localparam logic [31:0] WordSharedBytes = 32'h6;  // launch: static and dynamic shared bytes a block
  localparam logic [31:0] WordLocalBytes = 32'h7;  // launch: local bytes a thread, multiple of 16
  localparam logic [31:0] WordGridX = 32'h8;  // launch: words 8-10 grid
  localparam logic [31:0] WordGridY = 32'h9;  // 
  localparam logic [31:0] WordGridZ = 32'ha;  // 
  localparam logic [31:0] WordBlockX = 32'hb;  // launch: words 11-13 block
  localparam logic [31:0] WordBlockY = 32'hc;  // 
  localparam logic [31:0] WordBlockZ = 32'hd;  // 
  localparam logic [31:0] WordParamBase = 32'he;  // launch: words 14-15 device address of constant bank 0 (parameters)
  localparam logic [31:0] WordParamBytes = 32'h10;  // launch: size of constant bank 0
  localparam logic [31:0] WordDynamicShared = 32'h11;  // launch: dynamic part of SharedBytes
  localparam logic [31:0] WordLocalBase = 32'h12;  // launch: words 18-19 device address of local memory: SMs * WarpsPerSm * 32 * LocalBytes bytes
  localparam logic [31:0] WordConstBase = 32'h14;  // launch: words 20-21 device address of constant bank 1
  localparam logic [31:0] WordEnvreg0 = 32'h16;  // launch: SR_ENVREG0
  localparam logic [31:0] WordEnvreg1 = 32'h17;  // launch: SR_ENVREG1
  localparam logic [31:0] WordGridId = 32'h18;  // launch: %gridid
  localparam logic [31:0] WordClusterX = 32'h19;  // launch: words 25-27 blocks of a cluster, of which the grid is a multiple; 0: not in clusters
  localparam logic [31:0] WordClusterY = 32'h1a;  // 
  localparam logic [31:0] WordClusterZ = 32'h1b;  // 
  localparam logic [31:0] WordSource = 32'h4;  // copy: words 4-5 source address
  localparam logic [31:0] WordDestination = 32'h6;  // copy, fill: words 6-7 destination address
  localparam logic [31:0] WordBytes = 32'h8;  // copy, fill: words 8-9 bytes of a row
  localparam logic [31:0] WordPattern = 32'ha;  // fill: pattern, repeated to 32 bits
  localparam logic [31:0] WordMoreRows = 32'hb;  // copy, fill: rows behind the first
  localparam logic [31:0] WordSourcePitch = 32'hc;  // copy: bytes from a row's source address to the next one's
  localparam logic [31:0] WordDestinationPitch = 32'hd;  // copy, fill: bytes from a row's destination address to the next one's

  // Completion
  localparam logic [31:0] CompletionBytes = 32'h20;  // record: u32 tag, u32 status, u64 first cycle, u64 last cycle, u64 0

  // Status
  localparam logic [31:0] StatusOk = 32'h1;  // 
  localparam logic [31:0] StatusFault = 32'h2;  // see the Fault registers
  localparam logic [31:0] StatusTimeout = 32'h3;  // cycle limit reached; the kernel was stopped; device is faulted
  localparam logic [31:0] StatusDeadlock = 32'h4;  // every resident warp waits at a barrier; device is faulted
  localparam logic [31:0] StatusAborted = 32'h5;  // not executed: the device is faulted
  localparam logic [31:0] StatusBadCommand = 32'h6;  // unknown command, a launch that fits no SM, or a copy or fill of memory that is not there

  // Fault
  localparam logic [31:0] FaultNone = 32'h0;  // 
  localparam logic [31:0] FaultIllegalAddress = 32'h1;  // 
  localparam logic [31:0] FaultMisaligned = 32'h2;  // 
  localparam logic [31:0] FaultIllegalInstruction = 32'h3;  // 
  localparam logic [31:0] FaultIllegalPc = 32'h4;  // fetch outside the code segment or misaligned
  localparam logic [31:0] FaultTrap = 32'h5;  // 
  localparam logic [31:0] FaultBus = 32'h6;  // the memory answered with an error

  // FaultSpace
  localparam logic [31:0] FaultSpaceGlobal = 32'h0;  // 
  localparam logic [31:0] FaultSpaceShared = 32'h1;  // 
  localparam logic [31:0] FaultSpaceLocal = 32'h2;  // 
  localparam logic [31:0] FaultSpaceConst = 32'h3;  // 

  // Fault
  localparam logic [31:0] FaultWrite = 32'h10;  // in FaultCode: a store
  localparam logic [31:0] FaultAtomic = 32'h20;  // in FaultCode: an atomic

  // Memory
  localparam logic [63:0] MemoryBase = 64'h1000000000;  // device memory begins here in the unified address space

  // What a resident warp does in a cycle (counters.def)
  localparam logic [4:0] StallSelected = 5'd0;  // its instruction issues
  localparam logic [4:0] StallNotSelected = 5'd1;  // its instruction could issue, another warp's does
  localparam logic [4:0] StallDispatchStall = 5'd2;  // the issue stage is held: steps of a tensor instruction, a fault, a device that stops
  localparam logic [4:0] StallMathPipeThrottle = 5'd3;  // the collectors have no place for its unit's instructions
  localparam logic [4:0] StallLgThrottle = 5'd4;  // the collectors have no place for an instruction of global or local memory
  localparam logic [4:0] StallMioThrottle = 5'd5;  // the collectors have no place for one of shared memory, special functions or exchange between lanes
  localparam logic [4:0] StallWait = 5'd6;  // a result of a unit with a fixed latency is under way
  localparam logic [4:0] StallShortScoreboard = 5'd7;  // a result of shared memory, special functions or exchange between lanes is under way
  localparam logic [4:0] StallLongScoreboard = 5'd8;  // a result of global or local memory is under way
  localparam logic [4:0] StallImcMiss = 5'd9;  // an operand comes from the constant cache
  localparam logic [4:0] StallBranchResolving = 5'd10;  // a control instruction has not said where it goes on
  localparam logic [4:0] StallNoInstruction = 5'd11;  // its next instruction has not been fetched
  localparam logic [4:0] StallMembar = 5'd12;  // a fence or acquire has not ended
  localparam logic [4:0] StallSleeping = 5'd13;  // it sleeps
  localparam logic [4:0] StallBarrier = 5'd14;  // all of its lanes that run wait at a barrier
  localparam logic [4:0] StallDrain = 5'd15;  // it has ended, and its stores have not
  localparam logic [4:0] StallMisc = 5'd16;  // none of these

endpackage
