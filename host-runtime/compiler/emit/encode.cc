// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/emit/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/legalize.h"

namespace heddle::compiler {

using isa::Form;
using isa::Opcode;
using mir::BlockId;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pred;
using Kind = mir::Terminator::Kind;

namespace {

// Only arms, gathers and leaves: made by the convergence pass for an edge.
bool is_way(const Function& f, BlockId b) {
  const mir::Block& block = f.blocks[b];
  return b != 0 && !block.body.empty() && block.end.kind == Kind::Jump &&
         std::all_of(block.body.begin(), block.body.end(), [](const Instruction& i) {
           return i.is(Opcode::Bsync) || i.is(Opcode::Bssy) || i.is(Opcode::Break);
         });
}

}  // namespace

// As they are numbered; the blocks of an edge in front of where it leads when that costs no jump, else behind a block
// that goes there and nowhere else, else at the end. (BSYNC is itself a jump, so it may stand anywhere.)
std::vector<BlockId> block_order(const Function& f) {
  const auto n = static_cast<BlockId>(f.blocks.size());
  std::vector<char> way(n);
  for (BlockId b = 0; b < n; b++) way[b] = is_way(f, b);
  std::vector<BlockId> previous(n, kNone);  // among those that are no ways
  std::vector<BlockId> jumper(n, kNone);    // a block that goes only there
  std::vector<char> forward(n);             // some block in front of what a way leads to takes it
  std::vector<BlockId> to(n);               // what a way leads to
  std::vector<unsigned> steps(n);           // and how many ways there are on the way
  BlockId last = kNone;
  for (BlockId b = 0; b < n; b++) {
    to[b] = b;
    while (way[to[b]] && steps[b] <= n) to[b] = f.blocks[to[b]].end.targets[0], steps[b]++;
    if (!way[b]) previous[b] = std::exchange(last, b);
  }
  const auto goes_to = [&](BlockId from, BlockId target) {
    const std::vector<BlockId>& targets = f.blocks[from].end.targets;
    return std::find(targets.begin(), targets.end(), target) != targets.end();
  };
  for (BlockId b = 0; b < n; b++) {
    const mir::Terminator& t = f.blocks[b].end;
    if (way[b]) continue;
    if (t.kind == Kind::Jump && t.targets[0] != b + 1) jumper[t.targets[0]] = b;
    for (BlockId w : t.targets)
      for (unsigned k = steps[w]; k > 0 && k <= n; k--, w = f.blocks[w].end.targets[0]) forward[w] |= b < to[w];
  }
  struct Place {
    bool not_fallen_into;
    unsigned steps;
    bool falls_on;
    BlockId block;
    auto key() const { return std::tuple(not_fallen_into, ~steps, falls_on, block); }
  };
  std::vector<std::vector<Place>> before(n);
  for (BlockId b = 0; b < n; b++)
    if (way[b] && steps[b] <= n && forward[b] && to[b] != 0 && !goes_to(previous[to[b]], to[b]))
      before[to[b]].push_back({!goes_to(previous[to[b]], b), steps[b], !f.blocks[b].body[0].is(Opcode::Bsync), b});
  std::vector<char> placed(n);
  for (BlockId b = 0; b < n; b++) {
    std::vector<Place>& places = before[b];
    std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.key() < y.key(); });
    // Nothing between a way that falls on and what it leads to.
    for (size_t k = 0; k + 1 < places.size(); k++)
      if (places[k].falls_on && !goes_to(places[k].block, places[k + 1].block)) places.resize(k + 1);
    for (const Place& p : places) placed[p.block] = 1;
  }
  std::vector<std::vector<BlockId>> behind(n);
  for (BlockId b = 0; b < n; b++)
    if (way[b] && !placed[b] && jumper[b] != kNone) placed[b] = 1, behind[jumper[b]].push_back(b);
  std::vector<BlockId> order;
  for (BlockId b = 0; b < n; b++) {
    if (way[b]) continue;
    for (const Place& p : before[b]) order.push_back(p.block);
    order.push_back(b);
    order.insert(order.end(), behind[b].begin(), behind[b].end());
  }
  for (BlockId b = 0; b < n; b++)
    if (way[b] && !placed[b]) order.push_back(b);
  return order;
}

namespace {

class Encoder {
 public:
  Encoder(const Function& f, const Allocation& allocation) : f_(f), allocation_(allocation) {}

  Result<EncodedFunction> run() {
    order_ = block_order(f_);
    start_.assign(f_.blocks.size(), 0);
    for (size_t n = 0; n < order_.size() && !error_; n++) {
      const mir::Block& block = f_.blocks[order_[n]];
      start_[order_[n]] = here();
      for (const Instruction& i : block.body) instruction(i);
      terminator(order_[n], block.end, n + 1 < order_.size() ? order_[n + 1] : kNone);
    }
    for (const auto& [at, block] : table_users_)
      out_.relocs.push_back({at, false, kNone, mir::SymbolPart::Lo, table_[block]});
    for (const Branch& b : branches_) {
      const int64_t distance = static_cast<int64_t>(start_[b.target]) - b.at - isa::kInstructionBytes;
      uint64_t& word = out_.words[b.at / 8];
      word = (word & 0xffffffff) | static_cast<uint64_t>(static_cast<uint32_t>(distance)) << 32;
    }
    if (error_) return Error(*error_);
    return std::move(out_);
  }

 private:
  struct Branch {
    uint32_t at;
    BlockId target;
  };

  uint32_t here() const { return static_cast<uint32_t>(out_.words.size() * 8); }

  void fail(const Instruction& i, std::string_view why) {
    if (!error_) error_ = fmt::format("{}: cannot encode '{}': {}", f_.name, to_string(f_, i), why);
  }

  void location(const mir::Loc& loc) {
    note(out_.lines, {here(), loc.file, loc.line});
    note(out_.ptx_lines, {here(), loc.module, loc.ptx_line});
  }

  static void note(std::vector<CodeLine>& lines, const CodeLine& line) {
    if (line.line == 0) return;  // made by the compiler: belongs to what is around it
    if (!lines.empty() && lines.back().file == line.file && lines.back().line == line.line) return;
    if (!lines.empty() && lines.back().offset == line.offset) lines.back() = line;
    else lines.push_back(line);
  }

  unsigned pred(const Pred& p) const {
    return (p.present() ? allocation_.color[p.reg] : isa::kPt) | (p.negated ? 8u : 0u);
  }
  unsigned pred_number(mir::VReg v) const { return v == kNone ? isa::kPt : allocation_.color[v]; }
  uint8_t reg(const Operand& o) const {
    return o.is_reg() || o.is_phys() ? static_cast<uint8_t>(allocation_.at(o)) : isa::kRz;
  }

  void emit(const Instruction& i, isa::Instruction e) {
    const unsigned g = pred(i.guard);
    e.guard = g & 7;
    e.guard_negated = g & 8;
    const std::optional<uint64_t> word = isa::encode(e);
    if (!word) return fail(i, "no such encoding");
    out_.words.push_back(*word);
  }

  void instruction(const Instruction& i) {
    location(i.loc);
    switch (i.pseudo) {
      case mir::Pseudo::Undef: return;
      case mir::Pseudo::Copy: return copy(i);
      case mir::Pseudo::Call: return call(i);
      case mir::Pseudo::None: break;
    }
    if (i.info().status == isa::Status::Reserved)
      return fail(i, "the instruction is reserved for a unit that is not built");
    isa::Instruction e;
    e.op = i.op;
    e.mod = i.mod;
    e.rd = reg(i.dst);
    e.ra = reg(i.a);
    e.rc = reg(i.c);
    if (!i.metadata.is_none()) e.set_field("metadata", reg(i.metadata));
    predicates(i, e);
    const std::optional<Form> form = choose_form(i);
    if (!form) return fail(i, "no form holds its operands");
    e.form = *form;
    b_operand(i, e);
    emit(i, e);
  }

  void predicates(const Instruction& i, isa::Instruction& e) {
    const isa::OpInfo& op = i.info();
    if (op.dst == isa::Operand::P2) e.rd = static_cast<uint8_t>(pred_number(i.pd) | pred_number(i.pq) << 3);
    if (op.dst == isa::Operand::Bar) e.rd = i.barrier;
    switch (i.op) {
      case Opcode::Bar:
        if (i.pd != kNone) e.rd = static_cast<uint8_t>(pred_number(i.pd));
        e.set_field("p", pred(i.p));
        return;
      case Opcode::Iadd:
      case Opcode::Iadd64:
        if (i.p.present()) {
          e.set_field("use_cin", 1);
          e.set_field("cin", pred(i.p) & 7);
        }
        if (i.pd != kNone) e.set_field("cout_plus1", pred_number(i.pd) + 1);
        return;
      case Opcode::Plop:
        e.set_field("pa", pred(i.p));
        e.set_field("pb", pred(i.p2));
        return;
      case Opcode::Shfl:
      case Opcode::Match: e.set_field("pd", pred_number(i.pd)); return;
      default:
        for (const isa::FieldInfo& f : op.fields)
          if (f.kind == "PredSrc") e.set_field(f.name, pred(i.p));
    }
  }

  void b_operand(const Instruction& i, isa::Instruction& e) {
    const Operand& b = i.b;
    if (e.form == Form::R) {
      e.rb = reg(b);
    } else if (b.is_const()) {
      e.bank = b.aux;
      e.imm = static_cast<int32_t>(b.id / 4);
    } else if (b.is_imm()) {
      const bool upper = e.form == Form::S && i.info().b == isa::Operand::F32;
      const auto bits = static_cast<uint32_t>(b.imm);
      e.imm = upper ? static_cast<int16_t>(bits >> 16) : static_cast<int32_t>(bits);
    } else if (b.is_symbol()) {
      out_.relocs.push_back({here(), false, b.id, b.part(), b.imm});
    } else if (b.is_table()) {
      table_users_.emplace_back(here(), b.id);
    } else if (b.is_block()) {
      branches_.push_back({here(), b.id});
    } else if (!b.is_none()) {
      fail(i, "its b operand");
    }
  }

  void copy(const Instruction& i) {
    isa::Instruction e;
    if (i.pd != kNone) {
      e.op = Opcode::Plop;
      e.form = Form::S;
      e.rd = static_cast<uint8_t>(pred_number(i.pd) | isa::kPt << 3);
      e.set_field("pa", pred(i.p));
      e.set_field("pb", isa::kPt);
      return emit(i, e);
    }
    if (reg(i.dst) == reg(i.a)) return;
    for (unsigned w = 0; w < i.dst.count; w++) {
      e = {};
      e.op = Opcode::Mov;
      e.rd = static_cast<uint8_t>(reg(i.dst) + w);
      e.rb = static_cast<uint8_t>(reg(i.a) + w);
      emit(i, e);
    }
  }

  void call(const Instruction& i) {
    const mir::Call& c = f_.calls[i.call];
    isa::Instruction e;
    e.rd = 2;
    if (c.callee != kNone) {
      e.op = Opcode::Call;
      e.form = Form::L;
      out_.relocs.push_back({here(), true, c.callee, mir::SymbolPart::Lo, 0});
    } else {
      e.op = Opcode::Callx;
      e.ra = reg(c.target);
    }
    emit(i, e);
  }

  void branch(const Pred& guard, BlockId target, bool uniform) {
    Instruction i;
    i.op = Opcode::Bra;
    i.guard = guard;
    isa::Instruction e;
    e.op = Opcode::Bra;
    e.form = Form::L;
    e.set_field("uniform", uniform);
    branches_.push_back({here(), target});
    emit(i, e);
  }

  void terminator(BlockId block, const mir::Terminator& t, BlockId next) {
    location(t.loc);
    Instruction i;
    isa::Instruction e;
    switch (t.kind) {
      case Kind::Jump:
        if (t.targets[0] != next) branch({}, t.targets[0], false);
        return;
      case Kind::Branch:
        if (t.targets[0] == next) return branch(!t.cond, t.targets[1], t.uniform);
        branch(t.cond, t.targets[0], t.uniform);
        if (t.targets[1] != next) branch({}, t.targets[1], false);
        return;
      case Kind::Table:
        e.op = Opcode::Brx;
        e.ra = reg(t.index);
        emit(i, e);
        table_[block] = here();
        for (BlockId target : t.targets) branch({}, target, false);
        return;
      case Kind::Exit:
        e.op = Opcode::Exit;
        e.form = Form::L;
        return emit(i, e);
      case Kind::Return:
        e.op = Opcode::Ret;
        e.ra = reg(t.index);
        return emit(i, e);
      case Kind::Unreachable:
        e.op = Opcode::Trap;
        e.form = Form::L;
        emit(i, e);
        e.op = Opcode::Exit;
        return emit(i, e);
      default: error_ = fmt::format("{}: a block without end", f_.name);
    }
  }

  const Function& f_;
  const Allocation& allocation_;
  std::vector<BlockId> order_;
  std::vector<uint32_t> start_;
  std::vector<Branch> branches_;
  std::map<BlockId, uint32_t> table_;                      // where a block's table of branches begins
  std::vector<std::pair<uint32_t, BlockId>> table_users_;  // instructions that name one
  EncodedFunction out_;
  std::optional<std::string> error_;
};

}  // namespace

Result<EncodedFunction> encode_function(const Function& f, const Allocation& allocation) {
  return Encoder(f, allocation).run();
}

}  // namespace heddle::compiler
