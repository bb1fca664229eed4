// SPDX-License-Identifier: Apache-2.0
#include "tests/programs/ptx/device.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "host-runtime/compiler/compile.h"
#include "host-runtime/device/backend.h"

namespace heddle::test {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

uint64_t new_seed() {
  const std::string given = environment("HEDDLE_SEED");
  const uint64_t seed = given.empty() ? std::random_device{}() : std::strtoull(given.c_str(), nullptr, 0);
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace

Data random_data(uint64_t seed, size_t words) {
  std::mt19937_64 random(seed);
  Data data(words);
  for (uint32_t& w : data) w = static_cast<uint32_t>(random() >> random() % 33);
  return data;
}

bool has_tensor_unit() {
  const auto preset = load_preset(environment("HEDDLE_TEST_PRESET"));
  return preset && preset->structure.tensor_fma > 0;
}

bool has_doubles() {
  const auto preset = load_preset(environment("HEDDLE_TEST_PRESET"));
  return preset && preset->structure.fp64_lanes > 0;
}

std::string source(const std::string& name) {
  std::ifstream in(std::string(HEDDLE_PTX_DIR) + "/" + name + ".ptx");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Device::Device(const std::string& ptx, const Shape& shape, unsigned optimization) : shape_(shape), seed_(new_seed()) {
  const Status status = open(ptx, optimization);
  if (!status.ok()) error_ = status.error().message();
}

Status Device::open(const std::string& ptx, unsigned optimization) {
  const std::string preset_file = environment("HEDDLE_TEST_PRESET");
  const auto preset = load_preset(preset_file);
  if (!preset) return preset.error();
  auto transport = device::load_transport(environment("HEDDLE_TEST_SO"));
  if (!transport) return transport.error();
  driver::Settings settings;
  settings.device = environment("HEDDLE_TEST_DEVICE");
  settings.cycle_limit = shape_.cycle_limit;
  settings.seed = seed_;  // undefined state begins with garbage
  auto context = driver::Context::create(settings, *preset, preset_file, *transport, "ptx_test", stdout, stderr);
  if (!context) return context.error();
  context_ = std::move(*context);
  compiler::CompileOptions options;
  options.optimization = optimization;
  options.has = preset->structure.features();
  if (shape_.loops) options.has.float_atomics = false;
  options.verify = true;
  auto compiled = compiler::compile({"kernel.ptx", ptx}, options);
  if (!compiled) return compiled.error();
  auto module = context_->modules().load(std::move(compiled->cubin));
  if (!module) return module.error();
  kernel_ = (*module)->kernel("kernel");
  return kernel_ ? Status() : Status(Error("no kernel"));
}

Status Device::run(Data& out, Data& in) {
  const auto to = context_->memory().allocate(out.size() * 4), from = context_->memory().allocate(in.size() * 4);
  if (!to) return to.error();
  if (!from) return from.error();
  const uint64_t params[2] = {*to, *from};
  driver::LaunchShape shape;
  shape.grid.x = shape_.blocks;
  shape.block.x = shape_.threads;
  shape.dynamic_shared = shape_.dynamic_shared;
  if (auto s = context_->copies().copy_in(*to, out.data(), out.size() * 4); !s) return s.error();
  if (auto s = context_->copies().copy_in(*from, in.data(), in.size() * 4); !s) return s.error();
  if (auto s = context_->launcher().launch(*kernel_, shape, shape_.dynamic_shared, params); !s) return s.error();
  if (auto s = context_->waits().synchronize(); !s) return s;
  if (auto s = context_->copies().copy_out(out.data(), *to, out.size() * 4); !s) return s.error();
  if (auto s = context_->copies().copy_out(in.data(), *from, in.size() * 4); !s) return s.error();
  return context_->waits().synchronize();
}

}  // namespace heddle::test
