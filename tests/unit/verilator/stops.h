// SPDX-License-Identifier: Apache-2.0
// Tests of rules: a model that an assertion stops.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

// Verilator says on standard output why it stops.
#define EXPECT_STOP(statement, says)        \
  EXPECT_DEATH(                             \
      {                                     \
        dup2(STDERR_FILENO, STDOUT_FILENO); \
        statement;                          \
      },                                    \
      says)
