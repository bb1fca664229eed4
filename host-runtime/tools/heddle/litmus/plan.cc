// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/litmus/plan.h"

#include <algorithm>
#include <numeric>

namespace heddle::tools::litmus {
namespace {

constexpr uint32_t kLineWords = 32, kSectorWords = 8;

uint32_t below(Random& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }

// Which instance and cta a block has. Neighbouring blocks go to different SMs, those an even number apart often to one.
std::vector<uint32_t> deal(uint32_t instances, uint32_t ctas, uint32_t how, Random& random) {
  std::vector<uint32_t> map(instances * ctas);
  std::iota(map.begin(), map.end(), 0u);
  if (how == 1)
    for (uint32_t b = 0; b < map.size(); ++b) map[b] = b % instances * ctas + b / instances;
  if (how == 2)
    for (uint32_t b = static_cast<uint32_t>(map.size()); b > 1; --b) std::swap(map[b - 1], map[below(random, b)]);
  return map;
}

// Many threads begin at once, some a little later, a few much later.
uint32_t delay(Random& random) {
  switch (below(random, 4)) {
    case 0: return 0;
    case 1: return below(random, 4);
    case 2: return below(random, 16);
    default: return below(random, 64);
  }
}

// Words of variables in a slot's own lines or beside those of other slots.
void place(const Plan& p, uint32_t slot, uint32_t variables, Random& random, std::vector<uint32_t>& words) {
  const uint32_t own = slot * variables * kLineWords, shared = p.slots() * variables * kLineWords;
  const uint32_t how = below(random, 4), first = below(random, kSectorWords);
  std::vector<uint32_t> order(variables);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t n = variables; n > 1; --n) std::swap(order[n - 1], order[below(random, n)]);
  for (const uint32_t v : order) {
    if (how == 0) words.push_back(own + (first + v) % std::max(kSectorWords, variables));  // a sector, if they fit
    if (how == 1) words.push_back(own + (first + v * kSectorWords) % (variables * kLineWords));  // sectors of a line
    if (how == 2) words.push_back(own + first + v * kLineWords);                                 // lines
    if (how == 3) words.push_back(shared + (slot / p.instances * variables + v) * p.instances + slot % p.instances);
  }
}

}  // namespace

Plan make_plan(const Test& test, uint32_t rounds, uint32_t instances, uint32_t number, Random& random) {
  Plan p;
  p.rounds = rounds;
  p.instances = instances;
  p.spread = number % 2;
  p.map = deal(instances, static_cast<uint32_t>(test.ctas()), number / 2 % 3, random);
  const auto variables = static_cast<uint32_t>(test.variables.size());
  p.vars.resize(size_t{p.slots()} * variables * (kLineWords + 1));
  for (uint32_t slot = 0; slot < p.slots(); ++slot) {
    for (size_t t = 0; t < test.threads.size(); ++t) {
      const uint32_t late = delay(random);
      // Each gap is there in one of four runs of a thread.
      const auto gaps = static_cast<uint32_t>(random()), warm = static_cast<uint32_t>(random());
      const uint32_t few = below(random, 4) ? gaps & static_cast<uint32_t>(random()) : gaps;
      for (const uint32_t word : {late, few, below(random, 2) ? warm : 0, 0u}) p.plan.push_back(word);
    }
    std::vector<uint32_t> words;
    place(p, slot, variables, random, words);
    size_t v = 0;
    for (const auto& [name, value] : test.variables) {
      p.place.push_back(4 * words[v]);
      p.vars[words[v++]] = static_cast<uint32_t>(value);
    }
  }
  return p;
}

}  // namespace heddle::tools::litmus
