// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <numeric>

#include "tests/unit/driver/context_fixture.h"

namespace heddle::driver {
namespace {

TEST_F(ContextTest, ABackendThatDoesNotOpenSaysWhy) {
  fake.open_error = "no memory for the model";
  const auto r = Context::create(settings, preset, "x", fake.table(), "p", stdout, stderr);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message(), "no memory for the model");
}

TEST_F(ContextTest, ADeviceThatIsNotThereIsUnavailable) {
  fake.open_error = "there is no serial port /dev/ttyUSB0";
  fake.open_result = HEDDLE_UNAVAILABLE;
  const auto r = Context::create(settings, preset, "x", fake.table(), "p", stdout, stderr);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::DevicesUnavailable);
}

TEST_F(ContextTest, ADeviceWithAnotherIdentityIsRefused) {
  fake.wrong_id = 0x12345678;
  EXPECT_FALSE(Context::create(settings, preset, "x", fake.table(), "p", stdout, stderr));
}

TEST_F(ContextTest, ADeviceOfAnotherPresetIsRefused) {
  const Preset other = test::preset("tiny");
  const auto r = Context::create(settings, other, "x", fake.table(), "p", stdout, stderr);
  ASSERT_FALSE(r);
  EXPECT_TRUE(has(r.error().message(), "preset 'tiny'")) << r.error().message();
}

TEST_F(ContextTest, RunTimeSettingsReachTheRegisters) {
  settings.cycle_limit = 5'000'000'000;
  open();
  EXPECT_EQ(fake.device().registers[c::kRegSchedPolicy], 1u);  // gto
  EXPECT_EQ(fake.device().registers[c::kRegCycleLimitLo], 705032704u);
  EXPECT_EQ(fake.device().registers[c::kRegCycleLimitHi], 1u);
}

TEST_F(ContextTest, DataTravelsThereAndBack) {
  open();
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 0);
  const uint64_t a = *context->memory().allocate(4000), b = *context->memory().allocate(4000);
  ASSERT_TRUE(context->copies().copy_in(a, in.data(), 4000));
  ASSERT_TRUE(context->copies().copy_device(b, a, 4000));
  ASSERT_TRUE(context->copies().copy_out(out.data(), b, 4000));
  EXPECT_NE(out, in);  // nothing moved yet
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(out, in);
}

TEST_F(ContextTest, RowsAreOneCommand) {
  open();
  std::vector<char> in(300), out(300);
  std::iota(in.begin(), in.end(), 1);
  const uint64_t a = *context->memory().allocate(300);
  const Copies::Piece there{a + 7, reinterpret_cast<uint64_t>(in.data()), 20, 5, 50, 30};
  const Copies::Piece back{reinterpret_cast<uint64_t>(out.data()), a + 7, 20, 5, 60, 50};
  const size_t before = fake.device().executed.size();
  ASSERT_TRUE(context->copies().copy(Copies::Direction::In, {&there, 1}));
  ASSERT_TRUE(context->copies().copy(Copies::Direction::Out, {&back, 1}));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(fake.device().executed.size() - before, 2u);
  for (size_t i = 0; i < out.size(); i++)
    EXPECT_EQ(out[i], i / 60 < 5 && i % 60 < 20 ? in[i / 60 * 30 + i % 60] : 0) << i;
}

TEST_F(ContextTest, AFillRepeatsItsPattern) {
  open();
  const uint64_t a = *context->memory().allocate(10);
  ASSERT_TRUE(context->copies().fill(a, 0x04030201, 6));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(std::memcmp(fake.device().memory(a), "\1\2\3\4\1\2\xcd", 7), 0);
}

TEST_F(ContextTest, TheDevicesWindowEndsWithThePageInUse) {
  open();
  const auto window = [&] { return fake.device().registers[c::kRegMemSizeLo]; };
  const uint64_t a = *context->memory().allocate(100);
  ASSERT_TRUE(context->copies().fill(a, 0, 100));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(window(), 2u << 20);
  const uint64_t b = *context->memory().allocate(5 << 20);
  ASSERT_TRUE(context->copies().fill(b, 0, 100));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(window(), 6u << 20);
  EXPECT_TRUE(context->memory().allocate(8 << 20));  // the heap is as large as before
}

TEST_F(ContextTest, OutOfMemoryIsNotSticky) {
  open();
  const auto r = context->memory().allocate(heddle_device::kMemory * 2);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::MemoryAllocation);
  EXPECT_TRUE(context->outcome().status());
  EXPECT_TRUE(context->memory().allocate(100));
}

// Device cycles repeat only if the order of commands does not depend on how far the device is when the host comes.
TEST_F(ContextTest, AModuleIsLoadedBehindWhatWasSubmitted) {
  open();
  const uint64_t memory = *context->memory().allocate(4096);
  fake.device().executed.clear();
  for (uint32_t i = 0; i < 3; i++) ASSERT_TRUE(context->copies().fill(memory, i, 4096));
  ASSERT_NE(load(), nullptr);
  ASSERT_TRUE(context->waits().synchronize());
  std::vector<uint32_t> opcodes;
  for (const c::Command& command : fake.device().executed) opcodes.push_back(command.words[c::kWordOpcode] & 0xff);
  ASSERT_GE(opcodes.size(), 4u);
  for (size_t i = 0; i < opcodes.size(); i++) EXPECT_EQ(opcodes[i] == c::kCommandFill, i < 3) << i;
}

// A kernel runs the code where it was when it was launched; one that is launched later finds the new code.
TEST_F(ContextTest, LoadingAModuleWaitsForNoKernel) {
  open();
  const Kernel* first = load();
  ASSERT_TRUE(context->waits().synchronize());
  const uint64_t before = code_base();
  std::vector<uint64_t> bases;
  const auto expected = image().code;
  fake.kernel = [&](heddle_device& d, const c::Command& command) {
    bases.push_back(code_base());
    EXPECT_EQ(std::memcmp(d.memory(code_base() + command.words[c::kWordEntryPc]), expected.data() + 2, 16), 0);
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(first));
  formats::Cubin large = image();
  large.code.resize(25 * 1024);
  auto second = context->modules().load(std::move(large));
  ASSERT_TRUE(second);
  // Whoever takes memory meanwhile does not get the old code's.
  const uint64_t other = *context->memory().allocate(64 * 1024);
  ASSERT_TRUE(context->copies().fill(other, 0, 64 * 1024));
  EXPECT_TRUE(bases.empty());
  EXPECT_EQ(code_base(), before);
  ASSERT_TRUE(launch((*second)->kernel("_Z3addPfi")));
  ASSERT_TRUE(launch(first));
  ASSERT_TRUE(context->waits().synchronize());
  ASSERT_EQ(bases.size(), 3u);
  EXPECT_EQ(bases[0], before);
  EXPECT_NE(bases[1], before);
  EXPECT_EQ(bases[2], bases[1]);
}

// A stream whose host function waits for another stream's kernel does not hold up what that kernel needs.
TEST_F(ContextTest, LoadingAModuleWaitsForNoHostFunction) {
  open();
  const auto waits = context->work().open_stream(false), free = context->work().open_stream(false);
  std::string order;
  fake.kernel = [&](heddle_device&, const c::Command&) {
    order += 'k';
    return c::kStatusOk;
  };
  ASSERT_TRUE(context->work().host([&](bool) { order += 'h'; }, false, waits.get()));
  const Kernel* kernel = load();
  const uint8_t params[12] = {};
  ASSERT_TRUE(context->launcher().launch(*kernel, {{1, 1, 1}, {32, 1, 1}, 0}, 48000, params, free.get()));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(order, "kh");
}

TEST_F(ContextTest, ALoadedModuleHasItsCodeAndDataInPlace) {
  open();
  auto module = context->modules().load(image());
  ASSERT_TRUE(module);
  ASSERT_TRUE(context->waits().synchronize());
  const Variable* table = (*module)->variable("table");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(std::memcmp(fake.device().memory(table->address), "\1\2\3\4", 4), 0);
  const Variable* constants = (*module)->variable("coefficients");
  EXPECT_TRUE(constants->constant);
  EXPECT_EQ(std::memcmp(fake.device().memory(constants->address), "\x9\x8\x7\x6", 4), 0);
  const uint64_t code = code_base();
  const auto expected = image().code;
  const uint32_t pc = (*module)->placement().code_pc;
  EXPECT_GT(pc, 0u);  // nothing lies where a null pointer calls
  EXPECT_EQ(std::memcmp(fake.device().memory(code + pc), expected.data(), 32), 0);
  EXPECT_GE(fake.device().registers[c::kRegCodeSize], pc + 32);
}

TEST_F(ContextTest, ProgramCountersStayValidWhenTheCodeSegmentMoves) {
  open();
  const Kernel* first = load();
  const uint32_t pc = first->pc;
  formats::Cubin large = image();
  large.code.resize(25 * 1024);
  auto second = context->modules().load(std::move(large));
  ASSERT_TRUE(second);
  EXPECT_GE((*second)->kernel("first")->pc, 32u);
  ASSERT_TRUE(context->waits().synchronize());
  const uint64_t code = code_base();
  const auto expected = image().code;
  EXPECT_EQ(std::memcmp(fake.device().memory(code + pc), expected.data() + 2, 16), 0);
}

TEST_F(ContextTest, AModuleThatGoesGivesItsMemoryBack) {
  open();
  const Kernel* stays = load();
  const uint32_t pc = stays->pc;
  uint64_t free = 0;
  uint32_t size = 0;
  for (int round = 0; round < 1000; ++round) {
    formats::Cubin other = image();
    other.code.resize(static_cast<size_t>(100 + round % 7));
    auto module = context->modules().load(std::move(other));
    ASSERT_TRUE(module) << module.error().message();
    ASSERT_NE((*module)->placement().code_pc, stays->module->placement().code_pc);
    bool ended = false;
    fake.kernel = [&](heddle_device&, const c::Command&) {
      ended = true;
      return c::kStatusOk;
    };
    ASSERT_TRUE(launch((*module)->kernel("_Z3addPfi")));
    ASSERT_TRUE(context->modules().unload(**module));
    ASSERT_TRUE(ended);
    if (round == 9) free = context->memory().heap().free(), size = fake.device().registers[c::kRegCodeSize];
    if (round >= 9) ASSERT_EQ(context->memory().heap().free(), free);
  }
  EXPECT_EQ(fake.device().registers[c::kRegCodeSize], size);
  const auto expected = image().code;
  EXPECT_EQ(std::memcmp(fake.device().memory(code_base() + pc), expected.data() + 2, 16), 0);
}

TEST_F(ContextTest, AModuleThatCannotBeLoadedLeavesNothingBehind) {
  open();
  load();
  uint64_t free = 0;
  for (int round = 0; round < 10; ++round) {
    formats::Cubin wrong = image();
    wrong.relocs.emplace_back();
    wrong.relocs.back().name = "nowhere";
    ASSERT_FALSE(context->modules().load(std::move(wrong)));
    if (round == 0) free = context->memory().heap().free();
    ASSERT_EQ(context->memory().heap().free(), free);
  }
}

TEST_F(ContextTest, RelocationsGetFinalAddresses) {
  open();
  formats::Cubin i = image();
  formats::CubinReloc pointer_to_two;
  pointer_to_two.where = pointer_to_two.target = formats::Segment::Global;
  pointer_to_two.kind = formats::CubinReloc::Kind::Abs;
  pointer_to_two.offset = pointer_to_two.size = 8;
  pointer_to_two.value = 2;
  i.relocs.push_back(pointer_to_two);
  auto module = context->modules().load(std::move(i));
  ASSERT_TRUE(module) << module.error().message();
  ASSERT_TRUE(context->waits().synchronize());
  const uint64_t globals = (*module)->variable("table")->address;
  uint64_t pointer;
  std::memcpy(&pointer, fake.device().memory(globals + 8), 8);
  EXPECT_EQ(pointer, globals + 2);
}

// A module in whose variable `table`, from byte 8 on, a symbol's address stands.
formats::Cubin pointing_at(formats::Cubin image, const char* symbol) {
  formats::CubinReloc place;
  place.where = formats::Segment::Global;
  place.kind = formats::CubinReloc::Kind::Abs;
  place.offset = place.size = 8;
  place.name = symbol;
  image.relocs.push_back(place);
  return image;
}

TEST_F(ContextTest, TheRuntimeBlockIsKnownByItsSymbol) {
  open();
  auto module = context->modules().load(pointing_at(image(), formats::kRuntimeBlock));
  ASSERT_TRUE(module) << module.error().message();
  ASSERT_TRUE(context->waits().synchronize());
  uint64_t address;
  std::memcpy(&address, fake.device().memory((*module)->variable("table")->address + 8), 8);
  EXPECT_TRUE(context->memory().is_allocated(address, sizeof(RuntimeBlock)));
}

TEST_F(ContextTest, AnUndefinedSymbolIsNamed) {
  open();
  formats::Cubin i = image();
  i.relocs.emplace_back();
  i.relocs[0].name = "elsewhere";
  const auto r = context->modules().load(std::move(i));
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::SymbolNotFound);
  EXPECT_TRUE(has(r.error().message(), "elsewhere")) << r.error().message();
}

// A kernel with the instruction is loaded, and refused by name where a setting of the preset has another value.
class MissingHardwareTest : public ContextTest {
 protected:
  void refuses(const char* instruction, int& setting, int value, const std::string& what) {
    formats::Cubin i = image();
    const auto word = isa::assemble(instruction);
    ASSERT_TRUE(word);
    i.code[2] = *word;
    i.functions.resize(2);
    i.functions[0] = {"first", 0, 16};
    i.functions[1] = {"_Z3addPfi", 16, 16};
    open();
    EXPECT_TRUE(context->modules().load(i));
    context.reset();
    setting = value;
    decltype(fake) other(preset);
    auto without = Context::create(settings, preset, "cc80.toml", other.table(), "prog", stdout, log());
    ASSERT_TRUE(without) << without.error().message();
    const auto r = (*without)->modules().load(i);
    ASSERT_FALSE(r);
    EXPECT_TRUE(has(r.error().message(), "'add(float*, int)' needs " + what)) << r.error().message();
    EXPECT_EQ(r.error().code(), Code::NoKernelImageForDevice);
  }
};

TEST_F(MissingHardwareTest, DoublePrecisionThatTheDeviceLacksIsRefusedByTheKernelsName) {
  refuses("DADD R2, R4, R6", preset.structure.fp64_lanes, 0, "double precision");
}

TEST_F(MissingHardwareTest, HalfPrecisionThatTheDeviceLacksIsRefusedByTheKernelsName) {
  refuses("HADD2 R2, R4, R6", preset.structure.fp16_lanes, 0, "half precision");
}

TEST_F(MissingHardwareTest, ATensorUnitThatTheDeviceLacksIsNamed) {
  refuses("HMMA.F16 R8, R0, R4, R8", preset.structure.tensor_fma, 0, "a tensor unit");
}

TEST_F(MissingHardwareTest, SumsInMemoryThatTheDeviceLacksAreNamed) {
  refuses("ATOMG.32.ADD.F32.RELAXED.GPU R8, R4, R6, RZ", preset.structure.float_atomics, 0,
          "atomics of floating-point numbers");
}

TEST_F(MissingHardwareTest, MatricesOfDoublesThatTheDeviceDoesNotMultiplyAreNamed) {
  refuses("DMMA R8, R4, R6, R8", preset.structure.row_lanes, 4, "matrix products in double precision");
}

TEST_F(MissingHardwareTest, LoadsOfMatricesThatTheDeviceLacksAreNamed) {
  refuses("LDSM.128 R8, [R4+0]", preset.structure.row_lanes, 4, "loads of matrices");
}

TEST_F(ContextTest, AnIllegalAddressIsStickyAndNamesThePlace) {
  open();
  const Error e = fault(c::kStatusFault, c::kFaultIllegalAddress, 8, 37, 128 + 16, c::kFaultWrite);
  EXPECT_EQ(e.code(), Code::IllegalAddress);
  for (const char* part : {"illegal address: store to global address 0x8 (null pointer)", "kernel add(float*, int)",
                           "grid (2,1,1)", "thread (37,0,0)", "PC 0x90", "MOV R1", "add.cu:12"})
    EXPECT_TRUE(has(e.message(), part)) << part << "\n" << e.message();
  EXPECT_TRUE(has(logged(), "heddle: illegal address"));
  EXPECT_EQ(context->memory().allocate(16).error().code(), Code::IllegalAddress);
  EXPECT_EQ(context->copies().copy_device(0, 0, 1).error().code(), Code::IllegalAddress);
  EXPECT_EQ(context->waits().synchronize().error().code(), Code::IllegalAddress);
}

TEST_F(ContextTest, AnAddressPastAnAllocationNamesTheAllocation) {
  open();
  const uint64_t p = *context->memory().allocate(400);
  const Error e = fault(c::kStatusFault, c::kFaultIllegalAddress, p + 500, 0, 0, 0);
  EXPECT_TRUE(has(e.message(), "100 bytes after the allocation at 0x")) << e.message();
  EXPECT_TRUE(has(e.message(), "of 400 bytes")) << e.message();
}

TEST_F(ContextTest, FaultsGetTheirCudaCodes) {
  const struct {
    uint32_t status, kind, code;
    Code cuda;
    const char* text;
  } cases[] = {
      {c::kStatusFault, c::kFaultMisaligned, 0, Code::MisalignedAddress,
       "misaligned address: load from global address"},
      {c::kStatusFault, c::kFaultMisaligned, c::kFaultSpaceShared | c::kFaultWrite, Code::MisalignedAddress,
       "store to shared"},
      {c::kStatusFault, c::kFaultIllegalAddress, c::kFaultAtomic, Code::IllegalAddress, "atomic on global"},
      {c::kStatusFault, c::kFaultIllegalInstruction, 0, Code::IllegalInstruction, "illegal instruction"},
      {c::kStatusFault, c::kFaultIllegalPc, 0, Code::InvalidPc, "instruction fetch from illegal address"},
      {c::kStatusFault, c::kFaultTrap, 7, Code::LaunchFailure, "trap with code 7"},
      {c::kStatusFault, c::kFaultTrap, formats::kTrapBadCall, Code::InvalidPc,
       "call through a null function pointer, or one that"},
      {c::kStatusFault, c::kFaultBus, 0, Code::LaunchFailure, "memory answered with an error"},
      {c::kStatusTimeout, 0, 0, Code::LaunchTimeout, "ran longer than the limit of 1234 cycles"},
      {c::kStatusDeadlock, 0, 0, Code::LaunchFailure, "a barrier can never complete"},
      {c::kStatusBadCommand, 0, 0, Code::LaunchFailure, "refused the command"},
  };
  settings.cycle_limit = 1234;
  for (const auto& x : cases) {
    open();
    const Error e = fault(x.status, x.kind, 0x1000000101, 0, 128, x.code);
    EXPECT_EQ(e.code(), x.cuda) << x.text;
    EXPECT_TRUE(has(e.message(), x.text)) << e.message();
  }
}

TEST_F(ContextTest, ControlThatLeftTheCodeIsToldFromABadInstruction) {
  open();
  const Error null = fault(c::kStatusFault, c::kFaultIllegalInstruction, 0, 0, 8);
  EXPECT_EQ(null.code(), Code::InvalidPc);
  EXPECT_TRUE(has(null.message(), "control went to 0x8, where no code is")) << null.message();
}

TEST_F(ContextTest, TheFirstLaunchThatPrintsOrAllocatesWaitsForNoKernel) {
  open();
  const Kernel* runs = load();
  formats::Cubin other = image();
  other.functions = {{"vprintf", 0, 16}, {"malloc", 0, 16}};
  auto second = context->modules().load(std::move(other));
  ASSERT_TRUE(second);
  ASSERT_TRUE(context->runtime().set_heap_bytes(1 << 20));
  ASSERT_TRUE(context->waits().synchronize());
  unsigned ran = 0;
  RuntimeBlock block{};
  fake.kernel = [&](heddle_device& d, const c::Command&) {
    ++ran;
    std::memcpy(&block, d.memory(context->runtime().block()), sizeof block);
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(runs));
  ASSERT_TRUE(launch((*second)->kernel("_Z3addPfi")));
  EXPECT_EQ(ran, 0u);
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(ran, 2u);
  EXPECT_EQ(block.fifo_bytes, context->runtime().printf_bytes());
  EXPECT_EQ(block.heap_bytes, 1u << 20);
}

// Two modules may change the same 128 bits.
TEST_F(ContextTest, ModulesShareTheLocksOfAtomicsWhichAreFreeAtFirst) {
  open();
  std::fill(fake.device().bytes.begin(), fake.device().bytes.end(), 0xff);
  uint64_t known[2];
  const Kernel* kernels[2];
  for (int n = 0; n < 2; n++) {
    auto module = context->modules().load(pointing_at(image(), formats::kWideLocks));
    ASSERT_TRUE(module) << module.error().message();
    ASSERT_TRUE(context->waits().synchronize());
    std::memcpy(&known[n], fake.device().memory((*module)->variable("table")->address + 8), 8);
    kernels[n] = (*module)->kernel("_Z3addPfi");
  }
  EXPECT_EQ(known[0], known[1]);
  EXPECT_TRUE(context->memory().is_allocated(known[0], 4 * formats::kWideLockCount));
  std::vector<uint32_t> seen(formats::kWideLockCount);
  fake.kernel = [&](heddle_device& d, const c::Command&) {
    std::memcpy(seen.data(), d.memory(known[0]), 4 * seen.size());
    d.memory(known[0])[4] = 1;
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(kernels[0]));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(seen, std::vector<uint32_t>(formats::kWideLockCount));
  ASSERT_TRUE(launch(kernels[1]));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(seen[1], 1u);  // whose it is does not change between kernels
}

// A kernel faults before the first one that prints has its buffer: what lies in memory there is no output.
TEST_F(ContextTest, NothingIsPrintedByKernelsThatNeverRan) {
  open();
  std::fill(fake.device().bytes.begin(), fake.device().bytes.end(), 0xff);
  const Kernel* faults = load();
  formats::Cubin prints = image();
  prints.functions = {{"vprintf", 0, 16}};
  auto second = context->modules().load(std::move(prints));
  ASSERT_TRUE(second);
  fake.kernel = [](heddle_device& d, const c::Command&) {
    d.fault(c::kFaultTrap, 0, 0, 0, 0);
    return c::kStatusFault;
  };
  ASSERT_TRUE(launch(faults));
  ASSERT_TRUE(launch((*second)->kernel("_Z3addPfi")));
  ASSERT_FALSE(context->waits().synchronize());
  EXPECT_FALSE(has(logged(), "printf"));
}

TEST_F(ContextTest, ADeadlockListsTheWaitingWarps) {
  open();
  fake.device().set64(c::kRegSmBase + c::kSmWaitingLo, 0b0101);
  fake.device().set64(c::kRegSmBase + c::kSmResidentLo, 0b1111);
  const Error e = fault(c::kStatusDeadlock, 0);
  EXPECT_TRUE(has(e.message(), "SM 0: warps waiting at a barrier: 0,2; resident: 0,1,2,3")) << e.message();
}

TEST_F(ContextTest, AMismatchInLockstepIsTheStickyError) {
  open();
  const Kernel* k = load();
  fake.kernel = [](heddle_device& d, const c::Command&) {
    d.failure_text = "lockstep mismatch: SM 0 warp 1 lane 3";
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(k));
  const auto end = context->waits().synchronize();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), Code::Unknown);
  EXPECT_TRUE(has(end.error().message(), "SM 0 warp 1 lane 3"));
}

TEST_F(ContextTest, ADeviceThatGoesAwayIsALaunchFailureAndStays) {
  open();
  const Kernel* k = load();
  fake.kernel = [](heddle_device& d, const c::Command&) {
    d.failure_text = "the serial port has been gone for 10 s";
    d.failure_result = HEDDLE_UNAVAILABLE;
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(k));
  const auto end = context->waits().synchronize();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), Code::LaunchFailure);
  EXPECT_TRUE(has(end.error().message(), "gone for 10 s"));
  EXPECT_EQ(context->outcome().status().error().code(), Code::LaunchFailure);
}

TEST_F(ContextTest, TheReportHoldsWhatTheDeviceCounted) {
  open();
  const Kernel* k = load();
  fake.kernel = [](heddle_device& d, const c::Command&) {
    d.set64(c::kRegKernelCyclesLo, 5000);
    d.set64(c::kRegWarpInstructionsLo, 1000);
    d.set64(c::kRegThreadInstructionsLo, 24000);
    d.counts.compared_instructions += 1000;
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(k));
  ASSERT_TRUE(launch(k));
  ASSERT_TRUE(context->waits().synchronize());
  const Report r = context->report();
  ASSERT_EQ(r.kernels.size(), 2u);
  EXPECT_EQ(r.kernels[1].name, "add(float*, int)");
  EXPECT_EQ(r.kernels[1].compared_instructions, 1000u);
  EXPECT_EQ(r.total.cycles, 10000u);
  EXPECT_DOUBLE_EQ(r.total.ipc(), 0.2);
  EXPECT_DOUBLE_EQ(r.total.active_lanes(), 24.0);
  EXPECT_TRUE(context->check_lockstep());
}

TEST_F(ContextTest, LockstepThatComparesNothingIsAFailure) {
  open();
  const Kernel* k = load();
  fake.kernel = [](heddle_device& d, const c::Command&) {
    d.set64(c::kRegWarpInstructionsLo, 10);
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(k));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_FALSE(context->check_lockstep());
}

TEST_F(ContextTest, WhatOnlyShowsAtTheEndIsInTheReport) {
  open();
  fake.device().failure_text = "lockstep mismatch: device memory\nmore";
  const Status status = context->check_lockstep();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), fake.device().failure_text);
  EXPECT_EQ(context->report().status, "lockstep mismatch: device memory");
  EXPECT_FALSE(context->outcome().status());
}

TEST_F(ContextTest, AFaultedKernelIsInTheReportAsNotCompleted) {
  open();
  (void)fault(c::kStatusFault, c::kFaultMisaligned);
  const Report r = context->report();
  ASSERT_EQ(r.kernels.size(), 1u);
  EXPECT_FALSE(r.kernels[0].completed);
  EXPECT_TRUE(has(r.status, "misaligned")) << r.status;
}

}  // namespace
}  // namespace heddle::driver
