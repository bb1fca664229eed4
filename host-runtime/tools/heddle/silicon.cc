// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/silicon.h"

#include <fnmatch.h>

#include <cstring>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "heddle/files.h"

namespace heddle::tools {
namespace {

constexpr size_t kMaxInputs = 4, kMaxOutputs = 2;

// Words of a row in the kernel's input and output.
size_t words_in(const SiliconOp& op) { return std::max(op.inputs.size(), kMaxInputs); }
size_t words_out(const SiliconOp& op) { return std::max(op.outputs.size(), kMaxOutputs); }

int width(const std::string& type) {
  static const std::map<std::string, int> widths = {
      {"u8", 8},    {"s8", 8},   {"u16", 16}, {"s16", 16}, {"f16", 16},  {"bf16", 16}, {"hf16", 16},
      {"if16", 16}, {"u64", 64}, {"s64", 64}, {"f64", 64}, {"if64", 64}, {"hf64", 64}, {"fewu64", 64}};
  const auto it = widths.find(type);
  return it == widths.end() ? 32 : it->second;
}

std::string reg(const std::string& name, const std::string& type) {
  return ".reg .b" + std::to_string(std::max(width(type), 16)) + " %" + name + ";\n";
}

}  // namespace

namespace {

Result<std::vector<SiliconOp>> read_ptx_ops(const std::filesystem::path& folder) {
  const auto index = read_file((folder / "ptx_ops.json").string());
  if (!index) return index.error();
  auto content = read_file((folder / "ptx_ops.bin").string());
  if (!content) return content.error();
  const std::string bytes = std::move(*content);
  std::vector<SiliconOp> ops;
  try {
    const auto document = nlohmann::json::parse(*index);
    for (const auto& entry : document.at("ops")) {
      SiliconOp op;
      op.name = entry.at("name");
      op.body = entry.at("body");
      op.inputs = entry.at("inputs").get<std::vector<std::string>>();
      op.outputs = entry.at("outputs").get<std::vector<std::string>>();
      op.count = entry.at("count");
      const size_t offset = entry.at("offset");
      if (op.inputs.size() > kMaxInputs || op.outputs.empty() || op.outputs.size() > kMaxOutputs)
        return Error(op.name + ": at most four inputs and one or two outputs are possible");
      if (op.count == 0) return Error(op.name + ": it has no rows");
      if (offset > bytes.size() || op.count > (bytes.size() - offset) / (op.columns() * sizeof(uint64_t)))
        return Error(op.name + ": its rows lie outside ptx_ops.bin");
      op.rows.resize(op.count * op.columns());
      std::memcpy(op.rows.data(), bytes.data() + offset, op.rows.size() * sizeof(uint64_t));
      ops.push_back(std::move(op));
    }
  } catch (const nlohmann::json::exception& e) {
    return Error("ptx_ops.json: " + std::string(e.what()));
  }
  return ops;
}

}  // namespace

Result<std::vector<SiliconOp>> read_silicon(const std::filesystem::path& folder) {
  const auto has = [&](const char* name) { return std::filesystem::exists(folder / name); };
  std::vector<SiliconOp> ops;
  const auto add = [&](Result<std::vector<SiliconOp>> read) -> Status {
    if (!read) return read.error();
    std::move(read->begin(), read->end(), std::back_inserter(ops));
    return {};
  };
  const bool others = has("order.json") || has("mma.json") || has("mma_sp.json") || has("atomics.json");
  if (!others || has("ptx_ops.json"))
    if (Status s = add(read_ptx_ops(folder)); !s) return s.error();
  if (has("order.json"))
    if (Status s = add(read_silicon_order(folder / "order.json")); !s) return s.error();
  for (const std::string tiles : {"mma", "mma_sp"})
    if (has((tiles + ".json").c_str()))
      if (Status s = add(read_silicon_mma(folder, tiles)); !s) return s.error();
  if (has("atomics.json"))
    if (Status s = add(read_silicon_atomics(folder)); !s) return s.error();
  return ops;
}

std::string silicon_ptx(const SiliconOp& op) {
  if (!op.module.empty()) return op.module;
  std::string t =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry op(.param .u64 pin, .param .u64 pout)\n{\n"
      ".reg .b64 %in, %out, %w, %row; .reg .b32 %t, %n, %c0;\n";
  for (size_t i = 0; i < op.inputs.size(); ++i) t += reg(op.input_names[i], op.inputs[i]);
  for (size_t i = 0; i < op.outputs.size(); ++i) t += reg(op.output_names[i], op.outputs[i]);
  t += "mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c0, %ctaid.x;\n"
       "mad.lo.u32 %t, %c0, %n, %t;\nld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];\n"
       "mul.wide.u32 %row, %t, " +
       std::to_string(8 * words_in(op)) +
       "; add.u64 %in, %in, %row;\n"
       "mul.wide.u32 %row, %t, " +
       std::to_string(8 * words_out(op)) + "; add.u64 %out, %out, %row;\n";
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const std::string name = op.input_names[i], at = std::to_string(8 * i);
    const int bits = std::max(width(op.inputs[i]), 16);
    if (bits == 64) t += "ld.global.u64 %" + name + ", [%in+" + at + "];\n";
    else t += "ld.global.u64 %w, [%in+" + at + "]; cvt.u" + std::to_string(bits) + ".u64 %" + name + ", %w;\n";
  }
  t += op.body + "\n";
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const std::string name = op.output_names[i], store = "st.global.u64 [%out+" + std::to_string(8 * i) + "], ";
    const int bits = width(op.outputs[i]);
    if (bits == 64) t += store + "%" + name + ";\n";
    else if (bits == 8)
      t += "and.b16 %" + name + ", %" + name + ", 255; cvt.u64.u16 %w, %" + name + "; " + store + "%w;\n";
    else t += "cvt.u64.u" + std::to_string(bits) + " %w, %" + name + "; " + store + "%w;\n";
  }
  return t + "ret;\n}\n";
}

bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.empty()) return true;
  std::istringstream in(pattern);
  for (std::string part; std::getline(in, part, ',');) {
    const bool shell = part.find_first_of("*?[") != std::string::npos;
    if (shell ? fnmatch(part.c_str(), name.c_str(), 0) == 0 : name.find(part) != std::string::npos) return true;
  }
  return false;
}

Result<std::vector<uint64_t>> run_silicon(driver::Context& context, const driver::Kernel& kernel, const SiliconOp& op) {
  const size_t threads = op.block * op.cluster, blocks = (op.count + threads - 1) / threads * op.cluster;
  const size_t rows = blocks * op.block;
  std::vector<uint64_t> in(rows * words_in(op)), out(rows * words_out(op));
  for (size_t r = 0; r < op.count; ++r)
    std::copy_n(op.rows.begin() + static_cast<long>(r * op.columns()), op.inputs.size(),
                in.begin() + static_cast<long>(r * words_in(op)));
  const size_t in_bytes = in.size() * sizeof(uint64_t), out_bytes = out.size() * sizeof(uint64_t);
  auto source = context.memory().allocate(in_bytes);
  if (!source) return source.error();
  auto target = context.memory().allocate(out_bytes);
  if (!target) return target.error();
  const uint64_t params[] = {*source, *target};
  const driver::LaunchShape shape{{static_cast<uint32_t>(blocks), 1, 1}, {static_cast<uint32_t>(op.block), 1, 1}, 0};
  if (auto s = context.copies().copy_in(*source, in.data(), in_bytes); !s) return s.error();
  if (auto s = context.copies().fill(*target, 0, out_bytes); !s) return s.error();
  if (auto s = context.launcher().launch(kernel, shape, 0, params); !s) return s.error();
  if (auto s = context.copies().copy_out(out.data(), *target, out_bytes); !s) return s.error();
  if (auto s = context.waits().synchronize(); !s) return s.error();
  for (const uint64_t p : {*source, *target})
    if (auto s = context.memory().release(p); !s) return s.error();
  std::vector<uint64_t> answers;
  for (size_t r = 0; r < op.count; ++r)
    for (size_t k = 0; k < op.outputs.size(); ++k) answers.push_back(out[r * words_out(op) + k]);
  return answers;
}

}  // namespace heddle::tools
