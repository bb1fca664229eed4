// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;

void collect(Body& body, std::vector<Body*>& out) {
  out.push_back(&body);
  for (Statement& s : body) {
    for (Body& b : s.bodies) collect(b, out);
    for (Term& t : s.condition) collect(t.before, out);
  }
}
std::vector<Body*> bodies_of(Program& program) {
  std::vector<Body*> out;
  for (Function& f : program.functions) collect(f.body, out);
  for (Function& f : program.phases) collect(f.body, out);
  return out;
}

// Breaks and continues of the loop around the body.
bool leaves_loop(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& s) {
    if (s.kind == Kind::Break || s.kind == Kind::Continue) return true;
    return s.kind != Kind::Loop && std::any_of(s.bodies.begin(), s.bodies.end(), leaves_loop);
  });
}

// The changes that may make statement k of a body smaller; false when there are no more.
bool simplify(Body& body, size_t k, unsigned way) {
  if (way == 0) {
    body.erase(body.begin() + static_cast<ptrdiff_t>(k));
    return true;
  }
  Statement& s = body[k];
  if (s.kind == Kind::Plain) {
    if (way > 1 || s.instruction.guard.reg < 0) return false;
    s.instruction.guard.reg = -1;
    return true;
  }
  if (way > s.bodies.size() || (s.kind == Kind::Loop && leaves_loop(s.bodies[0]))) return false;
  Body inner = std::move(s.bodies[way - 1]);
  body.erase(body.begin() + static_cast<ptrdiff_t>(k));
  body.insert(body.begin() + static_cast<ptrdiff_t>(k), inner.begin(), inner.end());
  return true;
}

}  // namespace

uint64_t environment(const char* name, uint64_t otherwise) {
  const char* s = std::getenv(name);
  return s ? std::strtoull(s, nullptr, 0) : otherwise;
}

uint64_t seed() {
  const uint64_t value = environment("HEDDLE_SEED", std::random_device{}());
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

Case random_case(uint64_t seed, const Shape& shape) {
  std::mt19937_64 random(seed);
  Case c;
  c.program = random_program(random, shape);
  c.input.resize(kInputWords);
  for (uint64_t& w : c.input) w = random() >> random() % 64;
  return c;
}

std::vector<uint8_t> buffer_of(const std::vector<uint64_t>& input) {
  std::vector<uint8_t> buffer(kThreads * kRecordBytes, 0xcd);
  buffer.resize(buffer.size() + input.size() * 8);
  std::memcpy(&buffer[kThreads * kRecordBytes], input.data(), input.size() * 8);
  return buffer;
}

std::optional<std::vector<uint8_t>> expected_records(const Case& c) {
  std::vector<uint8_t> records(kThreads * kRecordBytes, 0xcd);
  if (!evaluate(c.program, c.input, records)) return std::nullopt;
  return records;
}

std::string difference(const std::vector<uint8_t>& got, const std::vector<uint8_t>& expected) {
  for (unsigned t = 0; t < kThreads; t++)
    for (const File f : {File::H, File::W, File::D, File::F})
      for (unsigned r = 0; r < kRegisters[static_cast<int>(f)]; r++) {
        const unsigned bytes = f == File::H ? 2 : f == File::D ? 8 : 4;
        uint64_t x = 0, y = 0;
        std::memcpy(&x, &got[t * kRecordBytes + record_offset(f, r)], bytes);
        std::memcpy(&y, &expected[t * kRecordBytes + record_offset(f, r)], bytes);
        if (x == y) continue;
        if (f == File::F && std::isnan(std::bit_cast<float>(static_cast<uint32_t>(x))) &&
            std::isnan(std::bit_cast<float>(static_cast<uint32_t>(y))))
          continue;
        char text[128];
        std::snprintf(text, sizeof text, "thread %u, %%%c%u: 0x%llx instead of 0x%llx", t, "hwdf"[static_cast<int>(f)], r,
                      static_cast<unsigned long long>(x), static_cast<unsigned long long>(y));
        return text;
      }
  return {};
}

Program shrink(Program program, const std::function<bool(const Program&)>& wrong) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = 0; n < bodies_of(program).size(); n++)
      for (size_t k = bodies_of(program)[n]->size(); k-- > 0;)
        for (unsigned way = 0; k < bodies_of(program)[n]->size(); way++) {
          Program smaller = program;
          if (!simplify(*bodies_of(smaller)[n], k, way)) break;
          if (!wrong(smaller)) continue;
          program = std::move(smaller);
          changed = true;
          if (n >= bodies_of(program).size()) return shrink(std::move(program), wrong);
          break;
        }
  }
  return program;
}

}  // namespace heddle::compiler::test
