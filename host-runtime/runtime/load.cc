// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/load.h"

#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cuda_runtime_api.h"
#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/driver/module.h"
#include "host-runtime/formats/elf.h"
#include "host-runtime/formats/fatbinary.h"

namespace heddle::cudart {
namespace {

using formats::FatEntry, formats::FatKind;

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The entry of a kind that was made for the newest capability that the device has; if all were made for
// newer ones, the oldest of them: the instruction set is the same, resources may not suffice.
const FatEntry* choose(const std::vector<FatEntry>& entries, FatKind kind, uint32_t capability) {
  const FatEntry* best = nullptr;
  for (const FatEntry& e : entries) {
    if (e.kind != kind) continue;
    const bool fits = e.sm <= capability, best_fits = best && best->sm <= capability;
    if (!best || (fits && (!best_fits || e.sm > best->sm)) || (!fits && !best_fits && e.sm < best->sm)) best = &e;
  }
  return best;
}

// Bytes from `data` to the end of the mapped file part that holds it; 0: in none.
size_t mapped_bytes(const void* data) {
  struct Search {
    uintptr_t address;
    size_t bytes;
  } search{reinterpret_cast<uintptr_t>(data), 0};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* argument) {
        auto& s = *static_cast<Search*>(argument);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type != PT_LOAD || s.address - begin >= part.p_memsz) continue;
          s.bytes = part.p_memsz - (s.address - begin);
          return 1;
        }
        return 0;
      },
      &search);
  return search.bytes;
}

// For a thread, or for a block of as many threads as a kernel's launch bounds promise.
bool too_many_registers(const formats::Cubin& cubin, const Preset& preset) {
  return std::any_of(cubin.kernels.begin(), cubin.kernels.end(), [&](const formats::CubinKernel& k) {
    const uint64_t threads =
        uint64_t{k.max_threads[0]} * std::max(1u, k.max_threads[1]) * std::max(1u, k.max_threads[2]);
    return k.registers > static_cast<uint32_t>(preset.limits.registers_per_thread) ||
           (threads <= static_cast<uint64_t>(preset.limits.threads_per_block) &&
            k.registers * threads > static_cast<uint64_t>(preset.structure.registers_per_sm()));
  });
}

Result<std::vector<FatEntry>> entries_of(const void* container) {
  const bool nvcc = container && formats::is_nvcc_binary(container);
  if (!container || (!nvcc && !formats::is_fat_binary(container)))
    return Error("the program's device code is in no container that is known: compile with Heddle's toolkit",
                 Code::NoKernelImageForDevice);
  const size_t bytes = mapped_bytes(container);
  auto entries = nvcc ? formats::read_nvcc_binary(container, bytes) : formats::read_fat_binary(container, bytes);
  if (!entries) return Error(entries.error().message(), Code::InvalidKernelImage);
  return entries;
}

Result<compiler::PtxSource> source_of(const FatEntry& ptx, const std::string& where) {
  auto text = formats::unpacked(ptx);
  if (!text) return Error(text.error().message(), Code::InvalidKernelImage);
  return compiler::PtxSource{where + "compute_" + std::to_string(ptx.sm) + ".ptx", std::move(*text)};
}

uint32_t capability_of(const Preset& preset) {
  return static_cast<uint32_t>(preset.structure.compute_major * 10 + preset.structure.compute_minor);
}

}  // namespace

const FatWrapper* wrapper_of(const void* data) {
  int magic;
  std::memcpy(&magic, data, sizeof magic);
  return magic == kFatWrapperMagic ? static_cast<const FatWrapper*>(data) : nullptr;
}

Result<formats::Cubin> compile_ptx(const std::vector<compiler::PtxSource>& modules, const Preset& preset, Jit* jit) {
  compiler::CompileOptions options;
  options.more.assign(modules.begin() + 1, modules.end());
  options.max_registers = static_cast<unsigned>(preset.limits.registers_per_thread);
  options.has = preset.structure.features();
  options.libraries = devrt::libraries<compiler::PtxSource>(options.has.fp64);
  if (jit) options.optimization = jit->optimization;
  if (jit && jit->max_registers) options.max_registers = std::min(options.max_registers, jit->max_registers);
  options.registers_per_sm = static_cast<unsigned>(preset.structure.registers_per_sm());
  auto compiled = compiler::compile(modules.front(), options);
  if (!compiled) {
    const Error& e = compiled.error();
    const bool newer = e.message().find("Unsupported .version") != std::string::npos;
    return Error(e.message(), newer ? Code::UnsupportedPtxVersion : e.code_or(Code::InvalidPtx));
  }
  if (jit) jit->warnings += compiled->warnings;
  return std::move(compiled->cubin);
}

Status check_ptx(const compiler::PtxSource& module) {
  compiler::CompileOptions options;
  options.relocatable = true;
  const auto checked = compiler::compile(module, options);
  if (!checked) return Error(checked.error().message(), checked.error().code_or(Code::InvalidPtx));
  return {};
}

Result<formats::Cubin> load_fat_binary(const void* container, const Preset& preset, Jit* jit) {
  const auto entries = entries_of(container);
  if (!entries) return entries.error();
  const uint32_t capability = capability_of(preset);
  if (const FatEntry* elf = choose(*entries, FatKind::kElf, capability)) {
    auto cubin = formats::parse_cubin(bytes_of(elf->payload));
    if (!cubin) return Error(cubin.error().message(), Code::InvalidKernelImage);
    const bool runs = !too_many_registers(*cubin, preset) && !driver::missing_hardware(*cubin, preset.structure);
    if (cubin->relocatable())
      return Error("the program's device code was never linked: link with nvcc, or nvcc -dlink",
                   Code::InvalidKernelImage);
    if (!runs && !cubin->sources.empty()) return compile_ptx(cubin->sources, preset, jit);
    if (runs || !choose(*entries, FatKind::kPtx, capability)) return cubin;
  }
  const FatEntry* ptx = choose(*entries, FatKind::kPtx, capability);
  if (!ptx)
    return Error(formats::is_nvcc_binary(container)
                     ? "the program holds machine code of another vendor, but no PTX: compile with -arch=sm_80"
                     : "the program holds no device code",
                 Code::NoKernelImageForDevice);
  auto source = source_of(*ptx, "");
  if (!source) return source.error();
  return compile_ptx({std::move(*source)}, preset, jit);
}

namespace {

// Memory whose end nobody knows, where a damaged header may lead anywhere: the system copies it, and says where there
// is none.
bool copy_if_there(const void* from, void* to, size_t bytes) {
  iovec local{to, bytes}, remote{const_cast<void*>(from), bytes};
  const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (copied >= 0 || errno == EFAULT) return copied == static_cast<ssize_t>(bytes);
  std::memcpy(to, from, bytes);  // the system does not let us
  return true;
}

// A whole ELF file in memory; empty: its headers are damaged.
std::vector<uint8_t> copy_elf(const void* image) {
  constexpr size_t kStep = 1 << 20;
  const auto* file = static_cast<const uint8_t*>(image);
  const uint64_t bytes = formats::elf_bytes(
      [&](uint64_t offset, void* to, size_t count) { return copy_if_there(file + offset, to, count); });
  std::vector<uint8_t> all;
  while (all.size() < bytes) {
    const size_t begin = all.size(), count = std::min<uint64_t>(kStep, bytes - begin);
    all.resize(begin + count);
    if (!copy_if_there(file + begin, all.data() + begin, count)) return {};
  }
  return all;
}

}  // namespace

Result<formats::Cubin> load_image(const void* image, const std::string& name, const Preset& preset, Jit& jit) {
  const char* text = static_cast<const char*>(image);
  const FatWrapper* wrapper = strnlen(text, 4) == 4 ? wrapper_of(image) : nullptr;
  if (wrapper) image = wrapper->data;
  // Less than any container's beginning.
  if (!wrapper && strnlen(text, 7) < 7) return Error("the image is none that is known", Code::InvalidKernelImage);
  if (formats::is_fat_binary(image) || formats::is_nvcc_binary(image)) return load_fat_binary(image, preset, &jit);
  if (std::memcmp(image, "\177ELF", 4) == 0) {
    const std::vector<uint8_t> file = copy_elf(image);
    if (file.empty()) return Error("an ELF file whose headers are damaged", Code::InvalidKernelImage);
    auto cubin = formats::parse_cubin(file);
    if (!cubin) return Error(cubin.error().message(), Code::InvalidKernelImage);
    if (cubin->relocatable()) return compile_ptx(cubin->sources, preset, &jit);
    const bool runs = !too_many_registers(*cubin, preset) && !driver::missing_hardware(*cubin, preset.structure);
    if (!runs && !cubin->sources.empty()) return compile_ptx(cubin->sources, preset, &jit);
    if (!runs) return Error("the machine code needs more than this device has", Code::NoKernelImageForDevice);
    return cubin;
  }
  if (!std::strstr(text, ".version"))
    return Error("the image is no cubin, no fat binary, and no PTX: that has a .version", Code::InvalidKernelImage);
  return compile_ptx({{name, text}}, preset, &jit);
}

Result<formats::Cubin> load_linked_binaries(const std::vector<const void*>& containers, const Preset& preset) {
  std::vector<compiler::PtxSource> modules;
  for (size_t i = 0; i < containers.size(); ++i) {
    const std::string object = "object " + std::to_string(i + 1) + " of " + std::to_string(containers.size());
    const auto entries = entries_of(containers[i]);
    if (!entries) return entries.error().context(object);
    const FatEntry* ptx = choose(*entries, FatKind::kPtx, capability_of(preset));
    if (!ptx)
      return Error(object + " whose device code nvcc linked holds no PTX: compile each with -arch=sm_80",
                   Code::NoKernelImageForDevice);
    auto source = source_of(*ptx, object + ", ");
    if (!source) return source.error().context(object);
    modules.push_back(std::move(*source));
  }
  return compile_ptx(modules, preset);
}

}  // namespace heddle::cudart
