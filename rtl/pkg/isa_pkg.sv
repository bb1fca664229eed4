// SPDX-License-Identifier: Apache-2.0
// Generated from isa/isa.def by isa_generate; do not edit.
// Encodings of instructions: opcodes, modifier fields, and what each opcode reads and writes.
package isa_pkg;

  typedef enum logic [7:0] {
    OpNop = 8'h01,
    OpExit = 8'h02,
    OpBra = 8'h03,
    OpBrx = 8'h04,
    OpCall = 8'h05,
    OpCallx = 8'h06,
    OpRet = 8'h07,
    OpBssy = 8'h08,
    OpBsync = 8'h09,
    OpBreak = 8'h0a,
    OpWarpsync = 8'h0b,
    OpYield = 8'h0c,
    OpNanosleep = 8'h0d,
    OpTrap = 8'h0e,
    OpBpt = 8'h0f,
    OpBar = 8'h10,
    OpBmov = 8'h11,
    OpCbar = 8'h12,
    OpMov = 8'h20,
    OpS2r = 8'h21,
    OpS2r64 = 8'h22,
    OpIadd = 8'h23,
    OpIadd64 = 8'h24,
    OpImad = 8'h25,
    OpImadWide = 8'h26,
    OpIsetp = 8'h27,
    OpIsetp64 = 8'h28,
    OpImnmx = 8'h29,
    OpIabs = 8'h2a,
    OpLop = 8'h2b,
    OpLop3 = 8'h2c,
    OpPlop = 8'h2d,
    OpSel = 8'h2e,
    OpShl = 8'h2f,
    OpShr = 8'h30,
    OpShl64 = 8'h31,
    OpShr64 = 8'h32,
    OpShf = 8'h33,
    OpBfe = 8'h34,
    OpBfi = 8'h35,
    OpBrev = 8'h36,
    OpPopc = 8'h37,
    OpFlo = 8'h38,
    OpPrmt = 8'h39,
    OpSad = 8'h3a,
    OpDp4a = 8'h3b,
    OpDp2a = 8'h3c,
    OpVsimd = 8'h3d,
    OpImnmx64 = 8'h3e,
    OpIadd3 = 8'h3f,
    OpFadd = 8'h50,
    OpFmul = 8'h51,
    OpFfma = 8'h52,
    OpFmnmx = 8'h53,
    OpFsetp = 8'h54,
    OpI2f = 8'h60,
    OpI642f = 8'h61,
    OpF2i = 8'h62,
    OpF2i64 = 8'h63,
    OpFrnd = 8'h64,
    OpF2d = 8'h65,
    OpD2f = 8'h66,
    OpI2d = 8'h67,
    OpI642d = 8'h68,
    OpD2i = 8'h69,
    OpD2i64 = 8'h6a,
    OpDrnd = 8'h6b,
    OpF2f = 8'h6c,
    OpMufu = 8'h70,
    OpDadd = 8'h74,
    OpDmul = 8'h75,
    OpDfma = 8'h76,
    OpDmnmx = 8'h77,
    OpDsetp = 8'h78,
    OpHadd2 = 8'h80,
    OpHmul2 = 8'h81,
    OpHfma2 = 8'h82,
    OpHmnmx2 = 8'h83,
    OpHsetp2 = 8'h84,
    OpLdg = 8'h90,
    OpStg = 8'h91,
    OpLds = 8'h92,
    OpSts = 8'h93,
    OpLdl = 8'h94,
    OpStl = 8'h95,
    OpLd = 8'h96,
    OpSt = 8'h97,
    OpLdc = 8'h98,
    OpMembar = 8'h99,
    OpCctl = 8'h9a,
    OpAtomg = 8'ha0,
    OpAtoms = 8'ha1,
    OpAtom = 8'ha2,
    OpRed = 8'ha3,
    OpLdgsts = 8'ha8,
    OpDepbar = 8'ha9,
    OpLdgdepbar = 8'had,
    OpMbarrier = 8'haa,
    OpBulk = 8'hab,
    OpVote = 8'hc0,
    OpBallot = 8'hc1,
    OpMatch = 8'hc2,
    OpShfl = 8'hc3,
    OpRedux = 8'hc4,
    OpHmma = 8'hd0,
    OpImma = 8'hd1,
    OpDmma = 8'hd2,
    OpLdsm = 8'hd3,
    OpTex = 8'he0,
    OpSuld = 8'he1,
    OpSust = 8'he2
  } opcode_e;

  typedef enum logic [3:0] {
    UnitInt = 0,
    UnitImad = 1,
    UnitFp32 = 2,
    UnitFp16 = 3,
    UnitCvt = 4,
    UnitSfu = 5,
    UnitWarp = 6,
    UnitFp64 = 7,
    UnitTensor = 8,
    UnitLsu = 9,
    UnitCtl = 10,
    UnitTex = 11
  } unit_e;

  // Those that some instruction needs; they come first.
  localparam int unsigned Units = 11;

  typedef enum logic [5:0] {
    LatCtl = 0,
    LatIndirect = 1,
    LatFall = 2,
    LatJoin = 3,
    LatGuard = 4,
    LatBar = 5,
    LatArrive = 6,
    LatAlu = 7,
    LatMul = 8,
    LatWide = 9,
    LatWideSum = 10,
    LatExtract = 11,
    LatExtractAt = 12,
    LatInsert = 13,
    LatBit = 14,
    LatZeros = 15,
    LatFma = 16,
    LatHalf = 17,
    LatDbl = 18,
    LatDcvt = 19,
    LatCvt = 20,
    LatRound = 21,
    LatSfu = 22,
    LatShfl = 23,
    LatVote = 24,
    LatMatch = 25,
    LatValue = 26,
    LatRedux = 27,
    LatMma = 28,
    LatDmma = 29,
    LatShared = 30,
    LatSwap = 31,
    LatConst = 32,
    LatAddress = 33,
    LatMem = 34,
    LatAtom = 35,
    LatWord = 36,
    LatSum = 37,
    LatTurn = 38,
    LatRow = 39,
    LatPass = 40,
    LatMask = 41,
    LatCopy = 42,
    LatBlockFence = 43,
    LatFence = 44,
    LatSysFence = 45,
    LatCrossing = 46,
    LatTex = 47
  } latency_e;

  localparam int unsigned Latencies = 48;

  typedef enum logic [3:0] {
    OpndNone = 0,
    OpndR32 = 1,
    OpndF32 = 2,
    OpndR64 = 3,
    OpndRSz = 4,
    OpndP2 = 5,
    OpndBar = 6,
    OpndVar = 7,
    OpndFragA = 8,
    OpndFragB = 9,
    OpndFragC = 10
  } operand_e;

  typedef enum logic [1:0] {
    FormR = 0,
    FormC = 1,
    FormS = 2,
    FormL = 3
  } form_e;


  // Rounding
  localparam int unsigned RoundingRn = 0;
  localparam int unsigned RoundingRz = 1;
  localparam int unsigned RoundingRm = 2;
  localparam int unsigned RoundingRp = 3;

  // ICmp
  localparam int unsigned ICmpLt = 0;
  localparam int unsigned ICmpLe = 1;
  localparam int unsigned ICmpGt = 2;
  localparam int unsigned ICmpGe = 3;
  localparam int unsigned ICmpEq = 4;
  localparam int unsigned ICmpNe = 5;
  localparam int unsigned ICmpAny = 6;
  localparam int unsigned ICmpNone = 7;

  // FCmp
  localparam int unsigned FCmpLt = 0;
  localparam int unsigned FCmpLe = 1;
  localparam int unsigned FCmpGt = 2;
  localparam int unsigned FCmpGe = 3;
  localparam int unsigned FCmpEq = 4;
  localparam int unsigned FCmpNe = 5;
  localparam int unsigned FCmpNum = 6;
  localparam int unsigned FCmpNan = 7;
  localparam int unsigned FCmpLtu = 8;
  localparam int unsigned FCmpLeu = 9;
  localparam int unsigned FCmpGtu = 10;
  localparam int unsigned FCmpGeu = 11;
  localparam int unsigned FCmpEqu = 12;
  localparam int unsigned FCmpNeu = 13;

  // BoolOp
  localparam int unsigned BoolOpAnd = 0;
  localparam int unsigned BoolOpOr = 1;
  localparam int unsigned BoolOpXor = 2;

  // LogicOp
  localparam int unsigned LogicOpAnd = 0;
  localparam int unsigned LogicOpOr = 1;
  localparam int unsigned LogicOpXor = 2;
  localparam int unsigned LogicOpAndn = 3;

  // LeadMode
  localparam int unsigned LeadModeBit = 0;
  localparam int unsigned LeadModeShift = 1;
  localparam int unsigned LeadModeClz = 2;

  // PrmtMode
  localparam int unsigned PrmtModeIdx = 0;
  localparam int unsigned PrmtModeF4e = 1;
  localparam int unsigned PrmtModeB4e = 2;
  localparam int unsigned PrmtModeRc8 = 3;
  localparam int unsigned PrmtModeEcl = 4;
  localparam int unsigned PrmtModeEcr = 5;
  localparam int unsigned PrmtModeRc16 = 6;

  // IntWidth
  localparam int unsigned IntWidthW32 = 0;
  localparam int unsigned IntWidthW16 = 1;
  localparam int unsigned IntWidthW8 = 2;

  // FloatFormat
  localparam int unsigned FloatFormatF32 = 0;
  localparam int unsigned FloatFormatF16 = 1;
  localparam int unsigned FloatFormatBf16 = 2;
  localparam int unsigned FloatFormatE4m3 = 3;
  localparam int unsigned FloatFormatE5m2 = 4;

  // MufuOp
  localparam int unsigned MufuOpRcp = 0;
  localparam int unsigned MufuOpRsq = 1;
  localparam int unsigned MufuOpSqrt = 2;
  localparam int unsigned MufuOpSin = 3;
  localparam int unsigned MufuOpCos = 4;
  localparam int unsigned MufuOpEx2 = 5;
  localparam int unsigned MufuOpLg2 = 6;
  localparam int unsigned MufuOpTanh = 7;

  // MemSize
  localparam int unsigned MemSizeU8 = 0;
  localparam int unsigned MemSizeS8 = 1;
  localparam int unsigned MemSizeU16 = 2;
  localparam int unsigned MemSizeS16 = 3;
  localparam int unsigned MemSizeB32 = 4;
  localparam int unsigned MemSizeB64 = 5;
  localparam int unsigned MemSizeB128 = 6;

  // CacheOp
  localparam int unsigned CacheOpCa = 0;
  localparam int unsigned CacheOpCg = 1;
  localparam int unsigned CacheOpCs = 2;
  localparam int unsigned CacheOpLu = 3;
  localparam int unsigned CacheOpCv = 4;
  localparam int unsigned CacheOpNc = 5;

  // MemOrder
  localparam int unsigned MemOrderWeak = 0;
  localparam int unsigned MemOrderRelaxed = 1;
  localparam int unsigned MemOrderAcquire = 2;
  localparam int unsigned MemOrderRelease = 3;

  // Scope
  localparam int unsigned ScopeCta = 0;
  localparam int unsigned ScopeCluster = 1;
  localparam int unsigned ScopeGpu = 2;
  localparam int unsigned ScopeSys = 3;

  // CctlOp
  localparam int unsigned CctlOpPrefetch = 0;
  localparam int unsigned CctlOpPrefetchL2 = 1;
  localparam int unsigned CctlOpInvalidate = 2;
  localparam int unsigned CctlOpInvalidateAll = 3;

  // AtomOp
  localparam int unsigned AtomOpAdd = 0;
  localparam int unsigned AtomOpMin = 1;
  localparam int unsigned AtomOpMax = 2;
  localparam int unsigned AtomOpInc = 3;
  localparam int unsigned AtomOpDec = 4;
  localparam int unsigned AtomOpAnd = 5;
  localparam int unsigned AtomOpOr = 6;
  localparam int unsigned AtomOpXor = 7;
  localparam int unsigned AtomOpExch = 8;
  localparam int unsigned AtomOpCas = 9;
  localparam int unsigned AtomOpArrive = 10;

  // AtomType
  localparam int unsigned AtomTypeU = 0;
  localparam int unsigned AtomTypeS = 1;
  localparam int unsigned AtomTypeF32 = 2;
  localparam int unsigned AtomTypeF64 = 3;
  localparam int unsigned AtomTypeF16x2 = 4;
  localparam int unsigned AtomTypeBf16x2 = 5;

  // BarMode
  localparam int unsigned BarModeSync = 0;
  localparam int unsigned BarModeArrive = 1;
  localparam int unsigned BarModeRed = 2;

  // BarRed
  localparam int unsigned BarRedPopc = 0;
  localparam int unsigned BarRedAnd = 1;
  localparam int unsigned BarRedOr = 2;

  // VoteMode
  localparam int unsigned VoteModeAll = 0;
  localparam int unsigned VoteModeAny = 1;
  localparam int unsigned VoteModeUni = 2;

  // ShflMode
  localparam int unsigned ShflModeUp = 0;
  localparam int unsigned ShflModeDown = 1;
  localparam int unsigned ShflModeBfly = 2;
  localparam int unsigned ShflModeIdx = 3;

  // ReduxOp
  localparam int unsigned ReduxOpAdd = 0;
  localparam int unsigned ReduxOpMin = 1;
  localparam int unsigned ReduxOpMax = 2;
  localparam int unsigned ReduxOpAnd = 3;
  localparam int unsigned ReduxOpOr = 4;
  localparam int unsigned ReduxOpXor = 5;

  // MmaFormat
  localparam int unsigned MmaFormatF16 = 0;
  localparam int unsigned MmaFormatBf16 = 1;
  localparam int unsigned MmaFormatTf32 = 2;

  // SpecialReg
  localparam int unsigned SpecialRegTidX = 0;
  localparam int unsigned SpecialRegTidY = 1;
  localparam int unsigned SpecialRegTidZ = 2;
  localparam int unsigned SpecialRegLaneId = 3;
  localparam int unsigned SpecialRegNtidX = 4;
  localparam int unsigned SpecialRegNtidY = 5;
  localparam int unsigned SpecialRegNtidZ = 6;
  localparam int unsigned SpecialRegWarpId = 7;
  localparam int unsigned SpecialRegCtaidX = 8;
  localparam int unsigned SpecialRegCtaidY = 9;
  localparam int unsigned SpecialRegCtaidZ = 10;
  localparam int unsigned SpecialRegSmId = 11;
  localparam int unsigned SpecialRegNctaidX = 12;
  localparam int unsigned SpecialRegNctaidY = 13;
  localparam int unsigned SpecialRegNctaidZ = 14;
  localparam int unsigned SpecialRegNSmId = 15;
  localparam int unsigned SpecialRegLanemaskEq = 16;
  localparam int unsigned SpecialRegLanemaskLt = 17;
  localparam int unsigned SpecialRegLanemaskLe = 18;
  localparam int unsigned SpecialRegLanemaskGt = 19;
  localparam int unsigned SpecialRegLanemaskGe = 20;
  localparam int unsigned SpecialRegNWarpId = 21;
  localparam int unsigned SpecialRegGridId = 22;
  localparam int unsigned SpecialRegActiveMask = 23;
  localparam int unsigned SpecialRegClock = 24;
  localparam int unsigned SpecialRegClockHi = 25;
  localparam int unsigned SpecialRegGlobaltimerLo = 26;
  localparam int unsigned SpecialRegGlobaltimerHi = 27;
  localparam int unsigned SpecialRegDynSmemSize = 28;
  localparam int unsigned SpecialRegTotalSmemSize = 29;
  localparam int unsigned SpecialRegLocalSize = 30;
  localparam int unsigned SpecialRegEnvreg0 = 32;
  localparam int unsigned SpecialRegEnvreg1 = 33;
  localparam int unsigned SpecialRegClusterCtaidX = 34;
  localparam int unsigned SpecialRegClusterCtaidY = 35;
  localparam int unsigned SpecialRegClusterCtaidZ = 36;
  localparam int unsigned SpecialRegClusterNctaidX = 37;
  localparam int unsigned SpecialRegClusterNctaidY = 38;
  localparam int unsigned SpecialRegClusterNctaidZ = 39;
  localparam int unsigned SpecialRegClusterCtaRank = 40;
  localparam int unsigned SpecialRegClusterNctaRank = 41;
  localparam int unsigned SpecialRegClusterExplicit = 42;

  // Modifier fields: bit positions within the 18-bit modifier.
  localparam int unsigned BranchUniformLsb = 0;
  localparam int unsigned BlockBarrierModeLsb = 0;
  localparam int unsigned BlockBarrierModeWidth = 2;
  localparam int unsigned BlockBarrierRedLsb = 2;
  localparam int unsigned BlockBarrierRedWidth = 2;
  localparam int unsigned BlockBarrierPLsb = 4;
  localparam int unsigned BlockBarrierPWidth = 4;
  localparam int unsigned ClusterBarrierWaitLsb = 0;
  localparam int unsigned AddNegBLsb = 0;
  localparam int unsigned AddNegALsb = 1;
  localparam int unsigned AddSatLsb = 2;
  localparam int unsigned AddUseCinLsb = 3;
  localparam int unsigned AddCinLsb = 4;
  localparam int unsigned AddCinWidth = 3;
  localparam int unsigned AddCoutPlus1Lsb = 7;
  localparam int unsigned AddCoutPlus1Width = 3;
  localparam int unsigned Add3NegBLsb = 0;
  localparam int unsigned Add3NegALsb = 1;
  localparam int unsigned MulHiLsb = 0;
  localparam int unsigned MulSignLsb = 1;
  localparam int unsigned MulWideSignLsb = 0;
  localparam int unsigned ISetpCmpLsb = 0;
  localparam int unsigned ISetpCmpWidth = 3;
  localparam int unsigned ISetpSignLsb = 3;
  localparam int unsigned ISetpOpLsb = 4;
  localparam int unsigned ISetpOpWidth = 2;
  localparam int unsigned ISetpPcLsb = 6;
  localparam int unsigned ISetpPcWidth = 4;
  localparam int unsigned IMinMaxMaxLsb = 0;
  localparam int unsigned IMinMaxSignLsb = 1;
  localparam int unsigned LogicOpLsb = 0;
  localparam int unsigned LogicOpWidth = 2;
  localparam int unsigned LutLutLsb = 0;
  localparam int unsigned LutLutWidth = 8;
  localparam int unsigned PLogicPaLsb = 0;
  localparam int unsigned PLogicPaWidth = 4;
  localparam int unsigned PLogicPbLsb = 4;
  localparam int unsigned PLogicPbWidth = 4;
  localparam int unsigned PLogicOpLsb = 8;
  localparam int unsigned PLogicOpWidth = 2;
  localparam int unsigned SelectPLsb = 0;
  localparam int unsigned SelectPWidth = 4;
  localparam int unsigned SignSignLsb = 0;
  localparam int unsigned FunnelRightLsb = 0;
  localparam int unsigned FunnelWrapLsb = 1;
  localparam int unsigned FindLeadModeLsb = 0;
  localparam int unsigned FindLeadModeWidth = 2;
  localparam int unsigned FindLeadSignLsb = 2;
  localparam int unsigned PermuteModeLsb = 0;
  localparam int unsigned PermuteModeWidth = 3;
  localparam int unsigned DotSignALsb = 0;
  localparam int unsigned DotSignBLsb = 1;
  localparam int unsigned DotHiLsb = 2;
  localparam int unsigned VideoOpLsb = 0;
  localparam int unsigned VideoOpWidth = 4;
  localparam int unsigned FAddRndLsb = 0;
  localparam int unsigned FAddRndWidth = 2;
  localparam int unsigned FAddFtzLsb = 2;
  localparam int unsigned FAddSatLsb = 3;
  localparam int unsigned FAddNegALsb = 4;
  localparam int unsigned FAddNegBLsb = 5;
  localparam int unsigned FAddAbsALsb = 6;
  localparam int unsigned FAddAbsBLsb = 7;
  localparam int unsigned FMulRndLsb = 0;
  localparam int unsigned FMulRndWidth = 2;
  localparam int unsigned FMulFtzLsb = 2;
  localparam int unsigned FMulSatLsb = 3;
  localparam int unsigned FMulNegLsb = 4;
  localparam int unsigned FFmaRndLsb = 0;
  localparam int unsigned FFmaRndWidth = 2;
  localparam int unsigned FFmaFtzLsb = 2;
  localparam int unsigned FFmaSatLsb = 3;
  localparam int unsigned FFmaNegPLsb = 4;
  localparam int unsigned FFmaNegCLsb = 5;
  localparam int unsigned FMinMaxMaxLsb = 0;
  localparam int unsigned FMinMaxFtzLsb = 1;
  localparam int unsigned FMinMaxNanLsb = 2;
  localparam int unsigned FMinMaxXorsignAbsLsb = 3;
  localparam int unsigned FSetpCmpLsb = 0;
  localparam int unsigned FSetpCmpWidth = 4;
  localparam int unsigned FSetpOpLsb = 4;
  localparam int unsigned FSetpOpWidth = 2;
  localparam int unsigned FSetpPcLsb = 6;
  localparam int unsigned FSetpPcWidth = 4;
  localparam int unsigned FSetpFtzLsb = 10;
  localparam int unsigned FSetpAbsALsb = 11;
  localparam int unsigned FSetpAbsBLsb = 12;
  localparam int unsigned FSetpNegALsb = 13;
  localparam int unsigned FSetpNegBLsb = 14;
  localparam int unsigned DAddRndLsb = 0;
  localparam int unsigned DAddRndWidth = 2;
  localparam int unsigned DAddNegALsb = 4;
  localparam int unsigned DAddNegBLsb = 5;
  localparam int unsigned DAddAbsALsb = 6;
  localparam int unsigned DAddAbsBLsb = 7;
  localparam int unsigned DMulRndLsb = 0;
  localparam int unsigned DMulRndWidth = 2;
  localparam int unsigned DMulNegLsb = 4;
  localparam int unsigned DFmaRndLsb = 0;
  localparam int unsigned DFmaRndWidth = 2;
  localparam int unsigned DFmaNegPLsb = 4;
  localparam int unsigned DFmaNegCLsb = 5;
  localparam int unsigned DMinMaxMaxLsb = 0;
  localparam int unsigned DSetpCmpLsb = 0;
  localparam int unsigned DSetpCmpWidth = 4;
  localparam int unsigned DSetpOpLsb = 4;
  localparam int unsigned DSetpOpWidth = 2;
  localparam int unsigned DSetpPcLsb = 6;
  localparam int unsigned DSetpPcWidth = 4;
  localparam int unsigned DSetpAbsALsb = 11;
  localparam int unsigned DSetpAbsBLsb = 12;
  localparam int unsigned DSetpNegALsb = 13;
  localparam int unsigned DSetpNegBLsb = 14;
  localparam int unsigned D2IRndLsb = 0;
  localparam int unsigned D2IRndWidth = 2;
  localparam int unsigned D2ISignLsb = 3;
  localparam int unsigned D2IWidthLsb = 4;
  localparam int unsigned D2IWidthWidth = 2;
  localparam int unsigned DRndRndLsb = 0;
  localparam int unsigned DRndRndWidth = 2;
  localparam int unsigned DRndSatLsb = 3;
  localparam int unsigned DRndIntegralLsb = 4;
  localparam int unsigned I2FRndLsb = 0;
  localparam int unsigned I2FRndWidth = 2;
  localparam int unsigned I2FSignLsb = 2;
  localparam int unsigned F2IRndLsb = 0;
  localparam int unsigned F2IRndWidth = 2;
  localparam int unsigned F2IFtzLsb = 2;
  localparam int unsigned F2ISignLsb = 3;
  localparam int unsigned F2IWidthLsb = 4;
  localparam int unsigned F2IWidthWidth = 2;
  localparam int unsigned FRndRndLsb = 0;
  localparam int unsigned FRndRndWidth = 2;
  localparam int unsigned FRndFtzLsb = 2;
  localparam int unsigned FRndSatLsb = 3;
  localparam int unsigned FRndIntegralLsb = 4;
  localparam int unsigned F2FFromLsb = 0;
  localparam int unsigned F2FFromWidth = 3;
  localparam int unsigned F2FToLsb = 3;
  localparam int unsigned F2FToWidth = 3;
  localparam int unsigned F2FRndLsb = 6;
  localparam int unsigned F2FRndWidth = 2;
  localparam int unsigned F2FFtzLsb = 8;
  localparam int unsigned F2FSatLsb = 9;
  localparam int unsigned F2FReluLsb = 10;
  localparam int unsigned F2FPackLsb = 11;
  localparam int unsigned F2FHighLsb = 12;
  localparam int unsigned F2FFiniteLsb = 13;
  localparam int unsigned F2FKeepLsb = 14;
  localparam int unsigned F2FBothLsb = 15;
  localparam int unsigned MufuOpLsb = 0;
  localparam int unsigned MufuOpWidth = 3;
  localparam int unsigned MufuNegLsb = 3;
  localparam int unsigned MufuAbsLsb = 4;
  localparam int unsigned HAddBf16Lsb = 0;
  localparam int unsigned HAddFtzLsb = 1;
  localparam int unsigned HAddSatLsb = 2;
  localparam int unsigned HAddNegALsb = 4;
  localparam int unsigned HAddNegBLsb = 5;
  localparam int unsigned HAddAbsALsb = 6;
  localparam int unsigned HFmaBf16Lsb = 0;
  localparam int unsigned HFmaFtzLsb = 1;
  localparam int unsigned HFmaSatLsb = 2;
  localparam int unsigned HFmaReluLsb = 3;
  localparam int unsigned HMinMaxBf16Lsb = 0;
  localparam int unsigned HMinMaxFtzLsb = 1;
  localparam int unsigned HMinMaxMaxLsb = 2;
  localparam int unsigned HMinMaxNanLsb = 3;
  localparam int unsigned HMinMaxXorsignAbsLsb = 4;
  localparam int unsigned HSetpCmpLsb = 0;
  localparam int unsigned HSetpCmpWidth = 4;
  localparam int unsigned HSetpOpLsb = 4;
  localparam int unsigned HSetpOpWidth = 2;
  localparam int unsigned HSetpPcLsb = 6;
  localparam int unsigned HSetpPcWidth = 4;
  localparam int unsigned HSetpBf16Lsb = 10;
  localparam int unsigned HSetpFtzLsb = 11;
  localparam int unsigned HSetpBothLsb = 12;
  localparam int unsigned MemorySizeLsb = 0;
  localparam int unsigned MemorySizeWidth = 3;
  localparam int unsigned MemoryCacheLsb = 3;
  localparam int unsigned MemoryCacheWidth = 3;
  localparam int unsigned MemoryOrderLsb = 6;
  localparam int unsigned MemoryOrderWidth = 2;
  localparam int unsigned MemoryScopeLsb = 8;
  localparam int unsigned MemoryScopeWidth = 2;
  localparam int unsigned MatrixLoadSizeLsb = 0;
  localparam int unsigned MatrixLoadSizeWidth = 3;
  localparam int unsigned MatrixLoadTransLsb = 3;
  localparam int unsigned FenceScopeLsb = 0;
  localparam int unsigned FenceScopeWidth = 2;
  localparam int unsigned FenceScLsb = 2;
  localparam int unsigned CacheCtlOpLsb = 0;
  localparam int unsigned CacheCtlOpWidth = 2;
  localparam int unsigned CopyWaitAllLsb = 0;
  localparam int unsigned AtomicSizeLsb = 0;
  localparam int unsigned AtomicSizeWidth = 3;
  localparam int unsigned AtomicOpLsb = 3;
  localparam int unsigned AtomicOpWidth = 4;
  localparam int unsigned AtomicTypeLsb = 7;
  localparam int unsigned AtomicTypeWidth = 3;
  localparam int unsigned AtomicOrderLsb = 10;
  localparam int unsigned AtomicOrderWidth = 2;
  localparam int unsigned AtomicScopeLsb = 12;
  localparam int unsigned AtomicScopeWidth = 2;
  localparam int unsigned MbarOpLsb = 0;
  localparam int unsigned MbarOpWidth = 4;
  localparam int unsigned VotePLsb = 0;
  localparam int unsigned VotePWidth = 4;
  localparam int unsigned VoteModeLsb = 4;
  localparam int unsigned VoteModeWidth = 2;
  localparam int unsigned BallotPLsb = 0;
  localparam int unsigned BallotPWidth = 4;
  localparam int unsigned MatchAllLsb = 0;
  localparam int unsigned MatchPdLsb = 2;
  localparam int unsigned MatchPdWidth = 3;
  localparam int unsigned ShuffleModeLsb = 0;
  localparam int unsigned ShuffleModeWidth = 2;
  localparam int unsigned ShufflePdLsb = 2;
  localparam int unsigned ShufflePdWidth = 3;
  localparam int unsigned ShuffleClampLsb = 5;
  localparam int unsigned ShuffleNarrowLsb = 6;
  localparam int unsigned ShuffleNarrowWidth = 3;
  localparam int unsigned ReduxOpLsb = 0;
  localparam int unsigned ReduxOpWidth = 3;
  localparam int unsigned ReduxSignLsb = 3;
  localparam int unsigned HmmaFormatLsb = 0;
  localparam int unsigned HmmaFormatWidth = 2;
  localparam int unsigned HmmaF16DLsb = 2;
  localparam int unsigned HmmaHalfKLsb = 3;
  localparam int unsigned HmmaSparseLsb = 4;
  localparam int unsigned HmmaSelectorLsb = 5;
  localparam int unsigned HmmaSelectorWidth = 2;
  localparam int unsigned HmmaMetadataLsb = 10;
  localparam int unsigned HmmaMetadataWidth = 8;
  localparam int unsigned ImmaSignALsb = 0;
  localparam int unsigned ImmaSignBLsb = 1;
  localparam int unsigned ImmaSatLsb = 2;
  localparam int unsigned ImmaHalfKLsb = 3;
  localparam int unsigned ImmaSparseLsb = 4;
  localparam int unsigned ImmaSelectorLsb = 5;
  localparam int unsigned ImmaSelectorWidth = 2;
  localparam int unsigned ImmaM8Lsb = 7;
  localparam int unsigned ImmaBitsLsb = 8;
  localparam int unsigned ImmaXorLsb = 9;
  localparam int unsigned ImmaMetadataLsb = 10;
  localparam int unsigned ImmaMetadataWidth = 8;
  localparam int unsigned TextureOpLsb = 0;
  localparam int unsigned TextureOpWidth = 4;
  localparam int unsigned TextureGeometryLsb = 4;
  localparam int unsigned TextureGeometryWidth = 4;

  // What decode needs of an opcode. built is 0 for reserved encodings and holes.
  typedef struct packed {
    logic     built;
    unit_e    unit;
    latency_e latency;
    operand_e dst;
    operand_e a;
    operand_e b;
    operand_e c;
    logic [3:0] forms;  // bit form_e: the op has that form
  } op_props_t;

  function automatic op_props_t op_props(input logic [7:0] opcode);
    unique case (opcode)
      8'h01: return '{1'b1, UnitCtl, LatCtl, OpndNone, OpndNone, OpndNone, OpndNone, 4'd8};  // NOP
      8'h02: return '{1'b1, UnitCtl, LatCtl, OpndNone, OpndNone, OpndNone, OpndNone, 4'd8};  // EXIT
      8'h03: return '{1'b1, UnitCtl, LatCtl, OpndNone, OpndNone, OpndNone, OpndNone, 4'd8};  // BRA
      8'h04: return '{1'b1, UnitCtl, LatIndirect, OpndNone, OpndR32, OpndNone, OpndNone, 4'd1};  // BRX
      8'h05: return '{1'b1, UnitCtl, LatCtl, OpndR32, OpndNone, OpndNone, OpndNone, 4'd8};  // CALL
      8'h06: return '{1'b1, UnitCtl, LatIndirect, OpndR32, OpndR32, OpndNone, OpndNone, 4'd1};  // CALLX
      8'h07: return '{1'b1, UnitCtl, LatIndirect, OpndNone, OpndR32, OpndNone, OpndNone, 4'd1};  // RET
      8'h08: return '{1'b1, UnitCtl, LatCtl, OpndBar, OpndNone, OpndNone, OpndNone, 4'd8};  // BSSY
      8'h09: return '{1'b1, UnitCtl, LatCtl, OpndBar, OpndNone, OpndNone, OpndNone, 4'd8};  // BSYNC
      8'h0a: return '{1'b1, UnitCtl, LatCtl, OpndBar, OpndNone, OpndNone, OpndNone, 4'd8};  // BREAK
      8'h0b: return '{1'b1, UnitCtl, LatCtl, OpndNone, OpndNone, OpndR32, OpndNone, 4'd13};  // WARPSYNC
      8'h0c: return '{1'b1, UnitCtl, LatCtl, OpndNone, OpndNone, OpndNone, OpndNone, 4'd8};  // YIELD
      8'h0d: return '{1'b1, UnitCtl, LatCtl, OpndNone, OpndNone, OpndR32, OpndNone, 4'd13};  // NANOSLEEP
      8'h0e: return '{1'b1, UnitCtl, LatCtl, OpndNone, OpndNone, OpndNone, OpndNone, 4'd8};  // TRAP
      8'h10: return '{1'b1, UnitCtl, LatBar, OpndVar, OpndNone, OpndR32, OpndR32, 4'd5};  // BAR
      8'h12: return '{1'b1, UnitCtl, LatBar, OpndNone, OpndNone, OpndNone, OpndNone, 4'd8};  // CBAR
      8'h20: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndNone, OpndR32, OpndNone, 4'd15};  // MOV
      8'h21: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndNone, OpndNone, OpndNone, 4'd4};  // S2R
      8'h22: return '{1'b1, UnitInt, LatAlu, OpndR64, OpndNone, OpndNone, OpndNone, 4'd4};  // S2R.64
      8'h23: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndNone, 4'd15};  // IADD
      8'h24: return '{1'b1, UnitInt, LatAlu, OpndR64, OpndR64, OpndR64, OpndNone, 4'd5};  // IADD.64
      8'h25: return '{1'b1, UnitImad, LatMul, OpndR32, OpndR32, OpndR32, OpndR32, 4'd15};  // IMAD
      8'h26: return '{1'b1, UnitImad, LatWide, OpndR64, OpndR32, OpndR32, OpndR64, 4'd15};  // IMAD.WIDE
      8'h27: return '{1'b1, UnitInt, LatAlu, OpndP2, OpndR32, OpndR32, OpndNone, 4'd7};  // ISETP
      8'h28: return '{1'b1, UnitInt, LatAlu, OpndP2, OpndR64, OpndR64, OpndNone, 4'd5};  // ISETP.64
      8'h29: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndNone, 4'd15};  // IMNMX
      8'h2a: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndNone, OpndR32, OpndNone, 4'd1};  // IABS
      8'h2b: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndNone, 4'd15};  // LOP
      8'h2c: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndR32, 4'd7};  // LOP3
      8'h2d: return '{1'b1, UnitInt, LatAlu, OpndP2, OpndNone, OpndNone, OpndNone, 4'd4};  // PLOP
      8'h2e: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndNone, 4'd7};  // SEL
      8'h2f: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndNone, 4'd5};  // SHL
      8'h30: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndNone, 4'd13};  // SHR
      8'h31: return '{1'b1, UnitInt, LatAlu, OpndR64, OpndR64, OpndR32, OpndNone, 4'd5};  // SHL.64
      8'h32: return '{1'b1, UnitInt, LatAlu, OpndR64, OpndR64, OpndR32, OpndNone, 4'd13};  // SHR.64
      8'h33: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndR32, 4'd5};  // SHF
      8'h34: return '{1'b1, UnitInt, LatExtract, OpndR32, OpndR32, OpndR32, OpndNone, 4'd13};  // BFE
      8'h35: return '{1'b1, UnitInt, LatInsert, OpndR32, OpndR32, OpndR32, OpndR32, 4'd5};  // BFI
      8'h36: return '{1'b1, UnitInt, LatBit, OpndR32, OpndNone, OpndR32, OpndNone, 4'd1};  // BREV
      8'h37: return '{1'b1, UnitInt, LatBit, OpndR32, OpndNone, OpndR32, OpndNone, 4'd1};  // POPC
      8'h38: return '{1'b1, UnitInt, LatBit, OpndR32, OpndNone, OpndR32, OpndNone, 4'd1};  // FLO
      8'h39: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndR32, 4'd5};  // PRMT
      8'h3a: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndR32, 4'd5};  // SAD
      8'h3b: return '{1'b1, UnitImad, LatMul, OpndR32, OpndR32, OpndR32, OpndR32, 4'd1};  // DP4A
      8'h3c: return '{1'b1, UnitImad, LatMul, OpndR32, OpndR32, OpndR32, OpndR32, 4'd1};  // DP2A
      8'h3e: return '{1'b1, UnitInt, LatAlu, OpndR64, OpndR64, OpndR64, OpndNone, 4'd1};  // IMNMX.64
      8'h3f: return '{1'b1, UnitInt, LatAlu, OpndR32, OpndR32, OpndR32, OpndR32, 4'd7};  // IADD3
      8'h50: return '{1'b1, UnitFp32, LatFma, OpndR32, OpndF32, OpndF32, OpndNone, 4'd15};  // FADD
      8'h51: return '{1'b1, UnitFp32, LatFma, OpndR32, OpndF32, OpndF32, OpndNone, 4'd15};  // FMUL
      8'h52: return '{1'b1, UnitFp32, LatFma, OpndR32, OpndF32, OpndF32, OpndF32, 4'd15};  // FFMA
      8'h53: return '{1'b1, UnitFp32, LatAlu, OpndR32, OpndF32, OpndF32, OpndNone, 4'd15};  // FMNMX
      8'h54: return '{1'b1, UnitFp32, LatAlu, OpndP2, OpndF32, OpndF32, OpndNone, 4'd7};  // FSETP
      8'h60: return '{1'b1, UnitCvt, LatCvt, OpndR32, OpndNone, OpndR32, OpndNone, 4'd3};  // I2F
      8'h61: return '{1'b1, UnitCvt, LatCvt, OpndR32, OpndNone, OpndR64, OpndNone, 4'd1};  // I2F.64
      8'h62: return '{1'b1, UnitCvt, LatRound, OpndR32, OpndNone, OpndF32, OpndNone, 4'd3};  // F2I
      8'h63: return '{1'b1, UnitCvt, LatRound, OpndR64, OpndNone, OpndF32, OpndNone, 4'd3};  // F2I.64
      8'h64: return '{1'b1, UnitCvt, LatRound, OpndR32, OpndNone, OpndF32, OpndNone, 4'd3};  // FRND
      8'h65: return '{1'b1, UnitCvt, LatRound, OpndR64, OpndNone, OpndF32, OpndNone, 4'd3};  // F2D
      8'h66: return '{1'b1, UnitCvt, LatRound, OpndR32, OpndNone, OpndR64, OpndNone, 4'd1};  // D2F
      8'h67: return '{1'b1, UnitFp64, LatDcvt, OpndR64, OpndNone, OpndR32, OpndNone, 4'd1};  // I2D
      8'h68: return '{1'b1, UnitFp64, LatDcvt, OpndR64, OpndNone, OpndR64, OpndNone, 4'd1};  // I2D.64
      8'h69: return '{1'b1, UnitFp64, LatDcvt, OpndR32, OpndNone, OpndR64, OpndNone, 4'd1};  // D2I
      8'h6a: return '{1'b1, UnitFp64, LatDcvt, OpndR64, OpndNone, OpndR64, OpndNone, 4'd1};  // D2I.64
      8'h6b: return '{1'b1, UnitFp64, LatDcvt, OpndR64, OpndNone, OpndR64, OpndNone, 4'd1};  // DRND
      8'h6c: return '{1'b1, UnitCvt, LatCvt, OpndR32, OpndR32, OpndR32, OpndNone, 4'd1};  // F2F
      8'h70: return '{1'b1, UnitSfu, LatSfu, OpndR32, OpndNone, OpndF32, OpndNone, 4'd3};  // MUFU
      8'h74: return '{1'b1, UnitFp64, LatDbl, OpndR64, OpndR64, OpndR64, OpndNone, 4'd1};  // DADD
      8'h75: return '{1'b1, UnitFp64, LatDbl, OpndR64, OpndR64, OpndR64, OpndNone, 4'd1};  // DMUL
      8'h76: return '{1'b1, UnitFp64, LatDbl, OpndR64, OpndR64, OpndR64, OpndR64, 4'd1};  // DFMA
      8'h77: return '{1'b1, UnitFp64, LatDbl, OpndR64, OpndR64, OpndR64, OpndNone, 4'd1};  // DMNMX
      8'h78: return '{1'b1, UnitFp64, LatDbl, OpndP2, OpndR64, OpndR64, OpndNone, 4'd1};  // DSETP
      8'h80: return '{1'b1, UnitFp16, LatHalf, OpndR32, OpndR32, OpndR32, OpndNone, 4'd11};  // HADD2
      8'h81: return '{1'b1, UnitFp16, LatHalf, OpndR32, OpndR32, OpndR32, OpndNone, 4'd11};  // HMUL2
      8'h82: return '{1'b1, UnitFp16, LatHalf, OpndR32, OpndR32, OpndR32, OpndR32, 4'd3};  // HFMA2
      8'h83: return '{1'b1, UnitFp16, LatHalf, OpndR32, OpndR32, OpndR32, OpndNone, 4'd3};  // HMNMX2
      8'h84: return '{1'b1, UnitFp16, LatHalf, OpndP2, OpndR32, OpndR32, OpndNone, 4'd1};  // HSETP2
      8'h90: return '{1'b1, UnitLsu, LatMem, OpndRSz, OpndR64, OpndNone, OpndNone, 4'd4};  // LDG
      8'h91: return '{1'b1, UnitLsu, LatMem, OpndNone, OpndR64, OpndNone, OpndRSz, 4'd4};  // STG
      8'h92: return '{1'b1, UnitLsu, LatShared, OpndRSz, OpndR32, OpndNone, OpndNone, 4'd4};  // LDS
      8'h93: return '{1'b1, UnitLsu, LatMem, OpndNone, OpndR32, OpndNone, OpndRSz, 4'd4};  // STS
      8'h94: return '{1'b1, UnitLsu, LatMem, OpndRSz, OpndR32, OpndNone, OpndNone, 4'd4};  // LDL
      8'h95: return '{1'b1, UnitLsu, LatMem, OpndNone, OpndR32, OpndNone, OpndRSz, 4'd4};  // STL
      8'h96: return '{1'b1, UnitLsu, LatMem, OpndRSz, OpndR64, OpndNone, OpndNone, 4'd4};  // LD
      8'h97: return '{1'b1, UnitLsu, LatMem, OpndNone, OpndR64, OpndNone, OpndRSz, 4'd4};  // ST
      8'h98: return '{1'b1, UnitLsu, LatConst, OpndRSz, OpndR32, OpndNone, OpndNone, 4'd2};  // LDC
      8'h99: return '{1'b1, UnitLsu, LatFence, OpndNone, OpndNone, OpndNone, OpndNone, 4'd4};  // MEMBAR
      8'h9a: return '{1'b1, UnitLsu, LatMem, OpndNone, OpndR64, OpndNone, OpndNone, 4'd4};  // CCTL
      8'ha0: return '{1'b1, UnitLsu, LatAtom, OpndRSz, OpndR64, OpndR32, OpndR32, 4'd1};  // ATOMG
      8'ha1: return '{1'b1, UnitLsu, LatShared, OpndRSz, OpndR32, OpndR32, OpndR32, 4'd1};  // ATOMS
      8'ha2: return '{1'b1, UnitLsu, LatAtom, OpndRSz, OpndR64, OpndR32, OpndR32, 4'd1};  // ATOM
      8'ha8: return '{1'b1, UnitLsu, LatCopy, OpndNone, OpndR64, OpndNone, OpndR32, 4'd4};  // LDGSTS
      8'ha9: return '{1'b1, UnitLsu, LatAlu, OpndNone, OpndNone, OpndNone, OpndNone, 4'd4};  // DEPBAR
      8'had: return '{1'b1, UnitLsu, LatAlu, OpndNone, OpndNone, OpndNone, OpndNone, 4'd4};  // LDGDEPBAR
      8'hc0: return '{1'b1, UnitWarp, LatVote, OpndP2, OpndNone, OpndNone, OpndNone, 4'd4};  // VOTE
      8'hc1: return '{1'b1, UnitWarp, LatVote, OpndR32, OpndNone, OpndNone, OpndNone, 4'd4};  // BALLOT
      8'hc2: return '{1'b1, UnitWarp, LatMatch, OpndR32, OpndR32, OpndNone, OpndNone, 4'd1};  // MATCH
      8'hc3: return '{1'b1, UnitWarp, LatShfl, OpndR32, OpndR32, OpndR32, OpndR32, 4'd5};  // SHFL
      8'hc4: return '{1'b1, UnitWarp, LatRedux, OpndR32, OpndR32, OpndNone, OpndNone, 4'd1};  // REDUX
      8'hd0: return '{1'b1, UnitTensor, LatMma, OpndFragC, OpndFragA, OpndFragB, OpndFragC, 4'd1};  // HMMA
      8'hd1: return '{1'b1, UnitTensor, LatMma, OpndFragC, OpndFragA, OpndFragB, OpndFragC, 4'd1};  // IMMA
      8'hd2: return '{1'b1, UnitTensor, LatDmma, OpndFragC, OpndFragA, OpndFragB, OpndFragC, 4'd1};  // DMMA
      8'hd3: return '{1'b1, UnitLsu, LatShared, OpndRSz, OpndR32, OpndNone, OpndNone, 4'd4};  // LDSM
      default: return '{1'b0, UnitCtl, LatCtl, OpndNone, OpndNone, OpndNone, OpndNone, 4'd0};
    endcase
  endfunction

endpackage
