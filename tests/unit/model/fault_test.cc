// SPDX-License-Identifier: Apache-2.0
// Faults of the functional machine: what is told of each kind.
#include <gtest/gtest.h>

#include "host-runtime/device/contract.h"
#include "tests/unit/model/machine_fixture.h"

namespace heddle::test {
namespace {

using model::Machine;

struct FaultCase {
  const char* name;
  const char* body;  // after the prologue
  uint32_t kind, code, thread;
  uint64_t address;
};
void PrintTo(const FaultCase& c, std::ostream* out) { *out << c.name; }

class Faults : public testing::TestWithParam<FaultCase> {};

TEST_P(Faults, NameKindThreadAndAddress) {
  const FaultCase& c = GetParam();
  Bench b(kPrologue + "ISETP.LT P0, PT, R10, 37, PT\n" + c.body + "\nEXIT\n", 64, 2);
  ASSERT_EQ(b.run(), Machine::State::Fault);
  const model::FaultRecord& f = b.machine.fault();
  EXPECT_EQ(f.info.kind, c.kind);
  EXPECT_EQ(f.info.code, c.code);
  EXPECT_EQ(f.thread, c.thread);
  EXPECT_EQ(f.info.address, c.address);
}

using namespace contract;  // NOLINT(google-build-using-namespace)
INSTANTIATE_TEST_SUITE_P(
    Machine, Faults,
    testing::Values(
        FaultCase{"null", "@!P0 LDG.32 R0, [RZ+0]", kFaultIllegalAddress, 0, 37, 0},
        FaultCase{"past_the_end", "MOV R4, 0\nMOV R5, 16\nIMAD R5, R15, R15, R5\n@!P0 STG.32 [R4+8], R0",
                  kFaultIllegalAddress, kFaultWrite, 37, 0x2000000008},
        FaultCase{"misaligned", "IADD R12, R12, 2\n@!P0 LDG.32 R0, [R12+0]", kFaultMisaligned, 0, 37,
                  kData + 4 * 37 + 2},
        FaultCase{"misaligned_and_outside", "MOV R4, 3\nMOV R5, 0\n@!P0 LDG.64 R0, [R4+0]", kFaultMisaligned, 0, 37, 3},
        FaultCase{"shared", "MOV R4, 1020\n@!P0 STS.64 [R4+4], R0", kFaultIllegalAddress,
                  kFaultWrite | kFaultSpaceShared, 37, 1024},
        FaultCase{"copy_to_past_the_end", "MOV R4, 1020\n@!P0 LDGSTS.64 [R2+0], R4", kFaultMisaligned,
                  kFaultWrite | kFaultSpaceShared, 37, 1020},
        FaultCase{"copy_to_outside", "MOV R4, 1024\n@!P0 LDGSTS.128 [R2+0], R4", kFaultIllegalAddress,
                  kFaultWrite | kFaultSpaceShared, 37, 1024},
        FaultCase{"copy_from_nowhere", "MOV R4, 1024\n@!P0 LDGSTS.32 [RZ+8], R4", kFaultIllegalAddress, 0, 37, 8},
        FaultCase{"copy_of_a_byte", "LDGSTS.U8 [R2+0], R4", kFaultIllegalInstruction, 0, 0, 0},
        FaultCase{"local", "MOV R4, 64\n@!P0 LDL.32 R0, [R4+0]", kFaultIllegalAddress, kFaultSpaceLocal, 37, 64},
        FaultCase{"generic_shared", "MOV R4, 4096\nMOV R5, 15\n@!P0 LD.32 R0, [R4+0]", kFaultIllegalAddress,
                  kFaultSpaceShared, 37, 0xf00001000},
        FaultCase{"constant", "MOV R4, 64\n@!P0 LDC.32 R0, R4, c[0][0x0]", kFaultIllegalAddress, kFaultSpaceConst, 37,
                  64},
        FaultCase{"atomic", "@!P0 ATOMG.32.ADD.U R0, RZ, R4, RZ", kFaultIllegalAddress, kFaultAtomic, 37, 0},
        FaultCase{"trap", "@!P0 TRAP 0x00000011", kFaultTrap, 0x11, 37, 0},
        FaultCase{"reserved", "SULD R0, R4, R5, R6", kFaultIllegalInstruction, 0, 0, 0},
        FaultCase{"register_out_of_range", "MOV R40, 1", kFaultIllegalInstruction, 0, 0, 0},
        FaultCase{"odd_pair", "S2R.64 R5, SR_CLOCK", kFaultIllegalInstruction, 0, 0, 0},
        FaultCase{"pc_outside", "MOV R4, 4096\nBRX R4", kFaultIllegalPc, 0, 0, 0}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
