// SPDX-License-Identifier: Apache-2.0
// What each operation of units Int and Imad must give, written from isa.def and the PTX manual in wide host integers.
#ifndef HEDDLE_TESTS_UNIT_RTL_EXECUTE_INT_REFERENCE_H_
#define HEDDLE_TESTS_UNIT_RTL_EXECUTE_INT_REFERENCE_H_

#include "tests/unit/rtl/execute/unit_driver.h"

namespace heddle::test {

Reference int_reference(const Request& request);

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_EXECUTE_INT_REFERENCE_H_
