// SPDX-License-Identifier: Apache-2.0
// atomics.json, atomics.bin and atomics.ptx: what atomic instructions left in memory and returned. A form is an
// instruction on words of its own, with a kernel in atomics.ptx. A case of `lanes` is one instruction of a warp on up
// to eight words; `many_warps` tells whether the lanes of a warp came in ascending order where warps met on one word.
// The layouts are in the first lines of tests/silicon/record_atomics.cu.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/silicon.h"

namespace heddle::tools {
namespace {

constexpr size_t kLanes = 32, kSlots = 8, kMaxStride = 128, kMaxTurns = 1024;
constexpr uint64_t kNone = 0xffffffff;
constexpr char kHeader[] = ".version 8.4\n.target sm_90\n.address_size 64\n";

[[noreturn]] void fail(const std::string& why) { throw std::runtime_error(why); }

// The bytes of atomics.bin that one entry of the index has.
class Bytes {
 public:
  Bytes(const std::string& all, size_t offset, size_t rows, size_t row_bytes) {
    if (rows == 0) fail("it has no rows");
    if (offset > all.size() || rows > (all.size() - offset) / row_bytes)
      fail("its " + std::to_string(rows) + " rows of " + std::to_string(row_bytes) + " bytes from byte " +
           std::to_string(offset) + " lie outside atomics.bin, which has " + std::to_string(all.size()));
    at_ = all.data() + offset;
  }
  // The next number, of up to 16 bytes, in two words.
  std::pair<uint64_t, uint64_t> take(size_t bytes) {
    uint64_t words[2] = {};
    std::memcpy(words, at_, bytes);
    at_ += bytes;
    return {words[0], words[1]};
  }

 private:
  const char* at_;
};

void put(SiliconOp& op, std::pair<uint64_t, uint64_t> words) {
  op.rows.push_back(words.first);
  op.rows.push_back(words.second);
}

// A number of 16 bytes is two words; the upper one has no type where fewer bytes are recorded.
void name_words(std::vector<std::string>& types, std::vector<std::string>& names, const std::string& name,
                size_t bytes) {
  const char* upper = bytes > 8 ? "u64" : "";
  types.insert(types.end(), {bytes ? "u64" : "", upper});
  names.insert(names.end(), {name, name + "_hi"});
}

void require(const nlohmann::json& entry, const char* key, std::initializer_list<size_t> allowed) {
  const size_t value = entry.at(key);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    fail(std::string(key) + " is " + std::to_string(value) + ", which no recording has");
}

// The kernel of that name, up to the brace that closes it in a line of its own.
std::string kernel_text(const std::string& ptx, const std::string& entry) {
  const size_t begin = ptx.find(".visible .entry " + entry + "(");
  if (begin == std::string::npos) fail("atomics.ptx has no kernel " + entry);
  const size_t end = ptx.find("\n}\n", begin);
  if (end == std::string::npos) fail("atomics.ptx: the kernel " + entry + " has no end");
  return ptx.substr(begin, end + 3 - begin);
}

// A row: old value, a, b; new value, returned value, 16 bytes each, which is how the kernels read and write them.
SiliconOp form(const nlohmann::json& entry, const std::string& bin, const std::string& ptx) {
  require(entry, "bytes", {4, 8, 16});
  require(entry, "operands", {1, 2});
  SiliconOp op;
  const size_t bytes = entry.at("bytes"), operands = entry.at("operands");
  const bool returns = entry.at("returns");
  op.kind = SiliconOp::Kind::Atomic;
  op.name = entry.at("name");
  op.count = entry.at("count");
  op.entry = entry.at("entry");
  op.module = kHeader + kernel_text(ptx, op.entry);
  if (entry.at("cluster")) op.cluster = 2;
  op.input_names.clear(), op.output_names.clear();
  name_words(op.inputs, op.input_names, "old", bytes);
  name_words(op.inputs, op.input_names, "a", bytes);
  name_words(op.inputs, op.input_names, "b", operands > 1 ? bytes : 0);
  name_words(op.outputs, op.output_names, "new", bytes);
  name_words(op.outputs, op.output_names, "returned", returns ? bytes : 0);
  Bytes row(bin, entry.at("offset"), op.count, bytes * (2 + operands + returns));
  for (size_t r = 0; r < op.count; ++r) {
    put(op, row.take(bytes));
    put(op, row.take(bytes));
    put(op, row.take(operands > 1 ? bytes : 0));
    put(op, row.take(bytes));
    put(op, row.take(returns ? bytes : 0));
  }
  return op;
}

std::string list(char reg, size_t elements) {
  std::string t;
  for (size_t i = 0; i < elements; ++i) t += (i ? ", " : "") + std::string({'%', reg}) + std::to_string(i);
  return elements == 1 ? t : "{" + t + "}";
}

// A load (`to` registers) or store of elements that lie side by side.
std::string moved(const std::string& space, const std::string& at, size_t offset, size_t bytes, size_t elements,
                  char reg, bool load) {
  std::string t;
  const size_t size = bytes / elements;
  for (size_t i = 0; i < elements; ++i) {
    const std::string where = "[%" + at + "+" + std::to_string(offset + i * size) + "]";
    const std::string r = std::string({'%', reg}) + std::to_string(i);
    if (size == 16) {
      t += load ? "ld." + space + ".v2.b64 {%x, %y}, " + where + "; mov.b128 " + r + ", {%x, %y};"
                : "mov.b128 {%x, %y}, " + r + "; st." + space + ".v2.b64 " + where + ", {%x, %y};";
    } else {
      const std::string type = "." + space + ".b" + std::to_string(8 * size) + " ";
      t += load ? "ld" + type + r + ", " + where + ";" : "st" + type + where + ", " + r + ";";
    }
    t += "\n";
  }
  return t;
}

// A lane's row of `in`: what it brings, what slot `lane` holds at first, where the lane's word lies (kNone: the lane is
// not active), how far slots are apart. Of `out`: what slot `lane` holds at last, what the lane got. Slots are in
// shared memory, in that of the other block of a cluster of two, or in the warp's rows of `out` until all have looked.
std::string lanes_kernel(const std::string& instruction, const std::string& space, size_t bytes, size_t elements,
                         bool returns) {
  const std::string width = std::to_string(8 * bytes / elements),
                    memory = space == "cluster" ? "shared::cluster" : space;
  const bool cluster = space == "cluster";
  const std::string meet = cluster ? "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" : "";
  std::string t = kHeader;
  t += std::string(".visible .entry op(.param .u64 pin, .param .u64 pout)") +
       (cluster ? " .explicitcluster .reqnctapercluster 2" : "") + "\n{\n.reg .b" + width +
       " %a<8>, %d<8>, %m<8>; .reg .b64 %in, %out, %base, %slot, %at, %x, %y;\n"
       ".reg .b32 %t, %c, %r, %where, %stride; .reg .pred %on, %has;\n.shared .align 128 .b8 words[1024];\n"
       "ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;\n"
       "mul.wide.u32 %base, %c, 1024; add.u64 %base, %out, %base; mad.lo.u32 %r, %c, 32, %t;\n"
       "mul.wide.u32 %x, %r, 48; add.u64 %in, %in, %x; mul.wide.u32 %x, %r, 32; add.u64 %out, %out, %x;\n"
       "ld.global.v2.b64 {%x, %y}, [%in+32]; cvt.u32.u64 %where, %x; cvt.u32.u64 %stride, %y;\n";
  if (memory != "global") t += "mov.u64 %base, words;\n";
  if (cluster)
    t += "mov.u32 %r, %cluster_ctarank; xor.b32 %r, %r, 1; mapa.shared::cluster.u64 %base, %base, %r;\n" + meet;
  t += "mad.wide.u32 %slot, %t, %stride, %base; mad.wide.u32 %at, %where, 1, %base;\n"
       "setp.lt.u32 %has, %t, " +
       std::to_string(kSlots) + "; setp.ne.u32 %on, %where, " + std::to_string(kNone) + ";\n" +
       moved("global", "in", 0, bytes, elements, 'a', true) + moved("global", "in", 16, bytes, elements, 'm', true) +
       "@!%has bra SET;\n" + moved(memory, "slot", 0, bytes, elements, 'm', false) + "SET: bar.sync 0;\n@%on " +
       instruction + (returns ? " " + list('d', elements) + "," : "") + " [%at], " + list('a', elements) +
       ";\nbar.sync 0;\n@!%has bra SEEN;\n" + moved(memory, "slot", 0, bytes, elements, 'm', true) +
       "SEEN: bar.sync 0;\nmov.b64 %x, 0; st.global.v2.b64 [%out], {%x, %x}; st.global.v2.b64 [%out+16], {%x, %x};\n"
       "@!%has bra LEFT;\n" +
       moved("global", "out", 0, bytes, elements, 'm', false) + "LEFT:\n";
  if (returns) t += "@!%on bra DONE;\n" + moved("global", "out", 16, bytes, elements, 'd', false);
  return t + "DONE:\n" + meet + "ret;\n}\n";
}

SiliconOp lanes(const nlohmann::json& entry, const std::string& bin) {
  require(entry, "bytes", {2, 4, 8, 16});
  require(entry, "elements", {1, 2, 4, 8});
  SiliconOp op;
  const std::string name = entry.at("name"), space = entry.at("space");
  const size_t bytes = entry.at("bytes"), cases = entry.at("count"), elements = entry.at("elements");
  const bool returns = entry.at("returns");
  if (space != "global" && space != "shared" && space != "cluster") fail("space " + space + " is unknown");
  if (bytes / elements < 2) fail("an element has less than two bytes");
  std::string instruction = name;  // the name is the instruction, but for the space
  if (space == "cluster") {
    const size_t at = name.find(".cluster");
    if (at == std::string::npos) fail("space cluster is not in its name");
    instruction.replace(at, std::strlen(".cluster"), ".shared::cluster");
  }
  op.kind = SiliconOp::Kind::Warp;
  op.name = "warp." + name;
  op.case_rows = kLanes;
  if (space == "cluster") op.cluster = 2;
  op.module = lanes_kernel(instruction, space, bytes, elements, returns);
  op.input_names.clear(), op.output_names.clear();
  name_words(op.inputs, op.input_names, "value", bytes);
  name_words(op.inputs, op.input_names, "initial", bytes);
  for (const char* word : {"at", "stride"}) op.inputs.emplace_back("u32"), op.input_names.emplace_back(word);
  name_words(op.outputs, op.output_names, "memory", bytes);
  name_words(op.outputs, op.output_names, "returned", returns ? bytes : 0);
  Bytes row(bin, entry.at("offset"), cases, 16 + kLanes + bytes * (2 * kSlots + kLanes * (returns ? 2 : 1)));
  op.count = cases * kLanes;
  for (size_t c = 0; c < cases; ++c) {
    const uint64_t mask = row.take(4).first, stride = row.take(4).first;
    row.take(8);  // what the values are like; repeats that differed
    if (stride < bytes || stride > kMaxStride || stride % bytes)
      fail("case " + std::to_string(c) + ": words " + std::to_string(stride) + " bytes apart");
    using Number = std::pair<uint64_t, uint64_t>;
    Number slot[kLanes], initial[kLanes] = {}, value[kLanes], memory[kLanes] = {}, returned[kLanes] = {};
    for (Number& s : slot)
      if (s = row.take(1); s.first >= kSlots)
        fail("case " + std::to_string(c) + ": a lane at word " + std::to_string(s.first) + " of " +
             std::to_string(kSlots));
    for (size_t s = 0; s < kSlots; ++s) initial[s] = row.take(bytes);
    for (Number& v : value) v = row.take(bytes);
    for (size_t s = 0; s < kSlots; ++s) memory[s] = row.take(bytes);
    for (Number& r : returned) r = row.take(returns ? bytes : 0);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      put(op, value[lane]);
      put(op, initial[lane]);
      put(op, {mask >> lane & 1 ? slot[lane].first * stride : kNone, stride});
      put(op, memory[lane]);
      put(op, returned[lane]);
    }
  }
  return op;
}

// Every lane of every warp adds 1 to one word, several times, and counts how often it came after the lane below.
SiliconOp many_warps(const nlohmann::json& entry) {
  const std::string space = entry.at("space"), type = entry.at("type");
  const size_t blocks = entry.at("blocks"), warps = entry.at("warps_a_block"), instructions = entry.at("instructions");
  if (space != "global" && space != "shared") fail("space " + space + " is unknown");
  if (type != "u32" && type != "f32" && type != "f64") fail("type " + type + " is unknown");
  if (blocks == 0 || blocks > 1024 || warps == 0 || warps > 32) fail("there is no grid of so many blocks and warps");
  if (instructions == 0 || instructions % (blocks * warps)) fail("warps have no whole number of instructions each");
  if (entry.at("ascending") != instructions) fail("lanes that do not ascend are no rule to compare with");
  const size_t turns = instructions / (blocks * warps);
  if (turns > kMaxTurns) fail("a warp has more than " + std::to_string(kMaxTurns) + " instructions");
  SiliconOp op;
  op.kind = SiliconOp::Kind::ManyWarps;
  op.name = "warps." + space + ".add." + type + "." + std::to_string(blocks) + "x" + std::to_string(warps);
  op.inputs = {""}, op.outputs = {"u32"};
  op.output_names = {"ascending"};
  op.count = op.case_rows = blocks * warps * kLanes;
  op.block = warps * kLanes;
  for (size_t r = 0; r < op.count; ++r) op.rows.insert(op.rows.end(), {0, turns});
  const bool wide = type == "f64";
  const std::string one = type == "u32" ? "1" : wide ? "0d3ff0000000000000" : "0f3f800000";
  const std::string rank = type == "u32" ? "mov.u32 %v, %d;" : "cvt.rzi.u32." + type + " %v, %d;";
  op.module = kHeader;
  op.module += std::string(".visible .entry op(.param .u64 pin, .param .u64 pout)\n{\n.reg .b") + (wide ? "64" : "32") +
               " %d; .reg .b64 %p, %out, %x; .reg .b32 %t, %n, %c, %lane, %v, %below, %i, %sum;\n"
               ".reg .pred %first, %up, %more; .shared .align 16 .b8 word[16];\n"
               "ld.param.u64 %p, [pin]; ld.param.u64 %out, [pout];\n"
               "mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x; mov.u32 %lane, %laneid;\n"
               "mad.lo.u32 %n, %c, %n, %t; mul.wide.u32 %x, %n, 16; add.u64 %out, %out, %x;\n";
  if (space == "shared")
    op.module +=
        "mov.u64 %p, word; setp.eq.u32 %first, %t, 0; mov.b64 %x, 0; @%first st.shared.b64 [%p], %x;\nbar.sync 0;\n";
  op.module += "setp.eq.u32 %first, %lane, 0; mov.u32 %i, " + std::to_string(turns) + "; mov.u32 %sum, 0;\n" +
               "TURN: atom." + space + ".add." + type + " %d, [%p], " + one + ";\n" + rank +
               "\nshfl.sync.up.b32 %below, %v, 1, 0, -1; setp.gt.u32 %up, %v, %below; or.pred %up, %up, %first;\n"
               "@%up add.u32 %sum, %sum, 1;\nsub.u32 %i, %i, 1; setp.ne.u32 %more, %i, 0; @%more bra TURN;\n"
               "cvt.u64.u32 %x, %sum; st.global.u64 [%out], %x;\nret;\n}\n";
  return op;
}

}  // namespace

Result<std::vector<SiliconOp>> read_silicon_atomics(const std::filesystem::path& folder) {
  const std::string index_name = (folder / "atomics.json").string();
  const auto index = read_file(index_name);
  if (!index) return index.error();
  const auto bin = read_file((folder / "atomics.bin").string());
  if (!bin) return bin.error();
  const auto ptx = read_file((folder / "atomics.ptx").string());
  if (!ptx) return ptx.error();
  std::vector<SiliconOp> ops;
  std::string place;
  try {
    const auto document = nlohmann::json::parse(*index);
    const auto read = [&](const char* part, const auto& make) {
      place = std::string(part) + ": ";
      const auto& list = document.at(part);
      for (size_t i = 0; i < list.size(); ++i) {
        place = std::string(part) + " " + std::to_string(i);
        place += list.at(i).is_object() && list[i].contains("name") ? " (" + list[i].at("name").dump() + "): " : ": ";
        ops.push_back(make(list[i]));
      }
    };
    read("forms", [&](const auto& entry) { return form(entry, *bin, *ptx); });
    read("lanes", [&](const auto& entry) { return lanes(entry, *bin); });
    read("many_warps", many_warps);
  } catch (const std::exception& e) {  // nlohmann's; what no recording has
    return Error(index_name + ": " + place + e.what());
  }
  if (ops.empty()) return Error(index_name + ": it has no forms");
  return ops;
}

}  // namespace heddle::tools
