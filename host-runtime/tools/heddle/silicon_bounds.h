// SPDX-License-Identifier: Apache-2.0
// Instructions whose bits PTX leaves open (`*.approx`, div.full): how far from the exact value an answer may be. The
// bounds are the PTX ISA manual's (8.5, chapter 9.7.3 and 9.7.4); for f64 it gives none, and silicon's own error
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::tools {

class ErrorBound {
 public:
  // None where bits are defined.
  static std::optional<ErrorBound> of(const std::string& op);

  struct Verdict {
    bool within;
    double ulps;  // between the answer and the exact value, where the bound was asked
  };
  // One answer (words zero-extended, packed halves one by one). What silicon answered is right in any case; it alone
  // says which zero, infinity or NaN comes out where there is no exact value, or it is zero.
  Verdict judge(const uint64_t* inputs, uint64_t answer, uint64_t silicon) const;

 private:
  using Function = long double (*)(long double a, long double b);
  enum class Kind : uint8_t { Ulp, Relative, Absolute, Sine, Log2 };
  struct Rule {
    const char* name;
    Function exact;
    Kind kind;
    double bound;
  };
  struct Format {
    int bits, fraction, elements;  // of one element; packed elements
  };
  static const Rule kRules[];

  ErrorBound(const Rule& rule, Format format, bool flush) : rule_(&rule), format_(format), flush_(flush) {}
  long double value(uint64_t bits) const;
  Verdict judge_one(long double a, long double b, long double answer) const;
  // The largest error that the manual allows, in units of the last place `ulp` of the exact value; negative: it says
  // nothing.
  long double allowed(long double a, long double exact, long double ulp) const;

  const Rule* rule_;
  Format format_;
  bool flush_;  // .ftz: subnormal inputs and results are zero
};

}  // namespace heddle::tools
