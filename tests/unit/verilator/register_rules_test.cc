// SPDX-License-Identifier: Apache-2.0
// The checker of the register file stops a row that is read while it is written, and nothing else.
#include <Vregister_rules_top.h>

#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/verilator/stops.h"

namespace heddle::test {
namespace {

class RegisterRules : public ::testing::Test {
 protected:
  RegisterRules() {
    top.rd_valid_i = top.wr_valid_i = top.apart_i = 0;
    bench.reset();
    top.rd_row_i = top.wr_row_i = 9;
    top.rd_slice_i = top.wr_slice_i = 1;
  }
  RtlBench<Vregister_rules_top> bench{seed()};
  Vregister_rules_top& top = *bench.top;
};

TEST_F(RegisterRules, ARowIsNotReadWhileItIsWritten) {
  top.rd_valid_i = top.wr_valid_i = 1;
  EXPECT_STOP(bench.tick(), "a row is read while it is written");
}

TEST_F(RegisterRules, OtherRowsAndSlicesAreAndLanesThatAreMemoriesOfTheirOwn) {
  top.rd_valid_i = 1;
  bench.tick();
  top.wr_valid_i = 1;
  top.rd_valid_i = 0;
  bench.tick();
  top.rd_valid_i = 1;
  top.wr_row_i = 11;
  bench.tick();
  top.wr_row_i = 9;
  top.wr_slice_i = 0;
  bench.tick();
  top.wr_slice_i = 1;
  top.apart_i = 1;
  bench.tick();
}

}  // namespace
}  // namespace heddle::test
