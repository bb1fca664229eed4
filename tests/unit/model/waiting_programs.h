// SPDX-License-Identifier: Apache-2.0
// Programs whose threads wait for each other: at a spin lock, at block barriers.
#pragma once

#include <string>

#include "tests/unit/model/machine_fixture.h"

namespace heddle::test {

// data[0] is the lock: a thread that finds R20 = 0 there and leaves R21 = 1 has it. `acquire` does so; then the thread
// counts in data[1], releases the lock and ends.
inline std::string with_lock(const std::string& acquire) {
  return kPrologue + R"(
    MOV R20, 0
    MOV R21, 1
)" + acquire +
         R"(
    LDG.32 R4, [R2+4]
    IADD R4, R4, 1
    STG.32 [R2+4], R4
    ATOMG.32.EXCH.U R5, R2, R20, RZ
    EXIT
  )";
}

// The halves of a warp spin in two loops, each in its turn; who has the lock waits for the others at a barrier.
inline const std::string kLockTakenInTwoLoops = with_lock(R"(
    BSSY B3, $join
    ISETP.LT P1, PT, R10, 16, PT
    @P1 BRA $other
  spin:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
    BSYNC B3
  other:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $other
    BSYNC B3
  join:
)");

// Of 64 threads a warp waits at barrier 0 and the other at barrier 1, each for both: a deadlock.
inline const std::string kTwoBarriersThatWait = kPrologue + R"(
    ISETP.GE P0, PT, R10, 32, PT
    MOV R20, 64
    @P0 BRA $other
    BAR.SYNC.POPC RZ, 0, R20, PT
    EXIT
  other:
    BAR.SYNC.POPC RZ, 1, R20, PT
    EXIT
)";

}  // namespace heddle::test
