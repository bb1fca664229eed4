// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/litmus/run.h"

#include <algorithm>
#include <set>

#include "host-runtime/tools/heddle/litmus/plan.h"
#include "host-runtime/tools/heddle/session.h"

namespace heddle::tools::litmus {
namespace {

constexpr uint32_t kRounds = 8, kWarp = 32;

uint64_t bytes(const std::vector<uint32_t>& words) { return words.size() * sizeof(uint32_t); }

// Arrays of a launch on the device; released with this.
class Arrays {
 public:
  explicit Arrays(driver::Context& context) : context_(context) {}
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays() {
    for (const uint64_t p : places_) (void)context_.memory().release(p);
  }
  Result<uint64_t> add(const std::vector<uint32_t>& words) {
    auto place = context_.memory().allocate(std::max<uint64_t>(bytes(words), 4));
    if (!place) return place.error();
    places_.push_back(*place);
    if (words.empty()) return *place;
    if (auto s = context_.copies().copy_in(*place, words.data(), bytes(words)); !s) return s.error();
    return *place;
  }

 private:
  driver::Context& context_;
  std::vector<uint64_t> places_;
};

struct Results {
  std::vector<uint32_t> out, vars;
};

Result<Results> launch(driver::Context& context, const driver::Kernel& kernel, const Test& test, const Plan& plan) {
  Arrays arrays(context);
  Results r{std::vector<uint32_t>(plan.slots() * OutRow(test).words), plan.vars};
  const std::vector<uint32_t> meet(plan.slots());
  Params params{};
  params.rounds = plan.rounds;
  params.instances = plan.instances;
  const std::pair<uint64_t*, const std::vector<uint32_t>*> all[] = {
      {&params.map, &plan.map}, {&params.plan, &plan.plan}, {&params.place, &plan.place},
      {&params.vars, &r.vars},  {&params.out, &r.out},      {&params.meet, &meet}};
  for (const auto& [place, words] : all) {
    const auto made = arrays.add(*words);
    if (!made) return made.error();
    *place = *made;
  }
  const driver::LaunchShape shape{{static_cast<uint32_t>(plan.map.size()), 1, 1}, {kWarp * warps_of(test), 1, 1}, 0};
  if (auto s = context.launcher().launch(kernel, shape, 0, &params); !s) return s.error();
  if (auto s = context.copies().copy_out(r.out.data(), params.out, bytes(r.out)); !s) return s.error();
  if (!r.vars.empty())
    if (auto s = context.copies().copy_out(r.vars.data(), params.vars, bytes(r.vars)); !s) return s.error();
  if (auto s = context.waits().synchronize(); !s) return s.error();
  return r;
}

void count(const Test& test, const Plan& plan, const Results& r, Counts& counts) {
  const OutRow row(test);
  for (uint32_t slot = 0; slot < plan.slots(); ++slot) {
    const uint32_t* out = r.out.data() + slot * row.words;
    bool ended = true;
    std::set<uint32_t> sms;
    for (size_t t = 0; t < test.threads.size(); ++t) {
      ended &= out[row.status(t)] == kEnded;
      sms.insert(out[row.sm(t)]);
    }
    if (!ended) {
      ++counts.unfinished;
      continue;
    }
    State state;
    size_t n = 0;
    for (const Observed& o : test.observed) {
      const auto v = static_cast<size_t>(std::distance(test.variables.begin(), test.variables.find(o.name)));
      const uint32_t word = o.thread < 0 ? r.vars[plan.place[slot * test.variables.size() + v] / 4] : out[n++];
      state.push_back(static_cast<int32_t>(word));
    }
    if (test.filter && !test.filter->holds(state)) continue;
    ++counts.runs;
    counts.across += sms.size() > 1;
    ++counts.states[state];
  }
}

}  // namespace

Status Device::open() {
  if (context_) return {};
  auto opened = open_context(options_.device, options_.preset, options_.cycle_limit);
  if (!opened) return opened.error();
  context_ = std::move(*opened);
  return {};
}

Status Device::close() {
  if (!context_) return {};
  const Status s = context_->check_lockstep();
  context_.reset();
  return s;
}

Result<Counts> Device::run(const Test& test) {
  const auto ptx = translate(test, options_.turns);
  if (!ptx) return ptx.error();
  Counts counts;
  if (Status s = open(); !s) return s.error();
  auto module = load_ptx(*context_, test.file, *ptx);
  if (!module) return module.error();
  const driver::Kernel* kernels[] = {(*module)->kernel(kTight), (*module)->kernel(kSpread)};
  if (!kernels[0] || !kernels[1]) return Error("the kernel is not in the module");
  uint32_t registers = 0;
  for (const auto* k : kernels) registers = std::max(registers, static_cast<uint32_t>(k->info->registers));
  const Preset& preset = context_->preset();
  const auto blocks = driver::blocks_per_sm(
      preset,
      {kWarp * warps_of(test), driver::allocated_registers(preset, registers), driver::allocated_shared(preset, 0)});
  // All blocks are resident at once: those of a run may wait for each other.
  const uint32_t most = blocks * static_cast<uint32_t>(preset.structure.sms) / static_cast<uint32_t>(test.ctas());
  if (most == 0) return Error(test.file + ": its blocks do not fit on the device at once");
  const auto instances = static_cast<uint32_t>(std::clamp<uint64_t>(options_.runs / 4, 1, most));
  std::seed_seq seed{static_cast<uint32_t>(options_.seed), static_cast<uint32_t>(options_.seed >> 32)};
  Random random(seed);
  for (uint64_t left = options_.runs; left > 0;) {
    const auto rounds = static_cast<uint32_t>(std::clamp<uint64_t>(
        left / instances / (counts.launches < 6 ? 6 - counts.launches : 1), 1, rounds_of(test, kRounds)));
    const Plan plan = make_plan(test, rounds, instances, static_cast<uint32_t>(counts.launches++), random);
    const auto results = launch(*context_, *kernels[plan.spread], test, plan);
    left -= std::min<uint64_t>(left, plan.slots());
    if (results) {
      count(test, plan, *results, counts);
      continue;
    }
    context_.reset();
    // The device finds barriers that wait for ever by itself.
    const bool deadlock = results.error().message().find("deadlock") != std::string::npos;
    if (!deadlock && results.error().code() != Code::LaunchTimeout) return results.error();
    counts.hung = true;
    counts.why = results.error().message().substr(0, results.error().message().find('\n'));
    counts.unfinished += plan.slots();
    return counts;
  }
  return counts;
}

}  // namespace heddle::tools::litmus
