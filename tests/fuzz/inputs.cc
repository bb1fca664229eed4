// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/inputs.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/compile.h"
#include "isa/isa.h"

namespace heddle::fuzz {
namespace {

void require(bool held, const std::string& what) {
  if (held) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

// A linked image, as far as the cubin lets itself be linked.
bool link_and_look(const formats::Cubin& cubin) {
  if (cubin.global_bytes > 1 << 20 || cubin.const_bytes > 1 << 20) return true;  // memory is the driver's to refuse
  const auto external = [](std::string_view name) -> std::optional<uint64_t> {
    if (name == formats::kParameterBlock) return 0x300000;
    if (name == formats::kRuntimeBlock) return 0x310000;
    if (name == formats::kWideLocks) return 0x320000;
    return std::nullopt;
  };
  const auto image =
      formats::link(cubin, {.code = 0x100, .global = 0x10000, .constant = 0x200000, .external = external});
  if (!image) return false;
  require(image->code.size() == cubin.code.size(), "linking changes the size of code");
  for (const isa::Unit unit : {isa::Unit::Fp64, isa::Unit::Fp16}) (void)cubin.first_use(unit);
  (void)compiler::resource_usage(cubin);
  for (const auto& kernel : cubin.kernels)
    require(cubin.find_kernel(kernel.name) != nullptr, "a kernel is not found by its name");
  for (size_t n = 0; n < image->code.size(); n++) {
    const auto pc = static_cast<uint32_t>(n * 8);
    (void)cubin.find_line(pc);
    (void)cubin.find_function(pc);
    const std::string text = isa::disassemble(image->code[n], pc);
    require(isa::assemble(text, pc) == image->code[n], "does not assemble again: " + text);
  }
  return true;
}

}  // namespace

bool take_ptx(std::span<const uint8_t> bytes) {
  compiler::CompileOptions options;
  options.optimization = bytes.size() % 4;
  options.max_registers = bytes.size() % 5 == 0 ? 24 : 0;
  options.relocatable = bytes.size() % 7 == 0;
  options.verify = true;
  options.libraries = devrt::libraries<compiler::PtxSource>(true);
  const auto compiled = compiler::compile({"fuzz.ptx", std::string(bytes.begin(), bytes.end())}, options);
  if (!compiled) {
    const std::string message = compiled.error().message();
    require(!message.empty(), "refused without a word");
    // Of PTX that is wrong the text is quoted, and may hold anything.
    if (compiled.error().code() == Code::InvalidPtx) return false;
    for (const char* ours : {"after pass '", "register allocation: "})
      require(message.find(ours) == message.npos, message);
    return false;
  }
  const std::vector<uint8_t> file = serialize(compiled->cubin);
  const auto back = formats::parse_cubin(file);
  require(back.ok(), "the compiler's own cubin is refused");
  require(serialize(*back) == file, "a cubin read and written is another");
  return link_and_look(*back) || options.relocatable;
}

bool take_cubin(std::span<const uint8_t> bytes) {
  const auto cubin = formats::parse_cubin(bytes);
  if (!cubin) {
    require(!cubin.error().message().empty(), "refused without a word");
    return false;
  }
  return link_and_look(*cubin);
}

}  // namespace heddle::fuzz
