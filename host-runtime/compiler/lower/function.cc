// SPDX-License-Identifier: Apache-2.0
// One function: its signature, its blocks, and which method lowers which instruction.
#include "host-runtime/compiler/lower/function.h"

#include <algorithm>

#include "host-runtime/compiler/lower/memory_modifiers.h"
#include "host-runtime/compiler/mir/access.h"

namespace heddle::compiler::lower {

FunctionLowering::FunctionLowering(Program& program, const ptx::Module& module, const ptx::Function& function,
                                   mir::Function& out)
    : program_(program),
      module_(module),
      module_number_(program.number_of(module)),
      function_(function),
      out_(out),
      b_(out),
      vregs_(function.registers.size(), mir::kNone),
      labels_(function.labels.size(), mir::kNone),
      writers_(function.registers.size()),
      mentions_(function.registers.size()) {}

void FunctionLowering::run() {
  out_.is_kernel = function_.is_entry;
  out_.noreturn = function_.signature.noreturn;
  set_block(b_.new_block("entry"));
  declare_signature();
  analyse(function_.body);
  enter();
  lower_block(function_.body);
  if (!b_.ended()) leave();
  // A label at the end of a block without anything after it, or one only branched to.
  for (mir::Block& block : out_.blocks) {
    if (block.end.kind == mir::Terminator::Kind::None) {
      block.end.kind = mir::Terminator::Kind::Unreachable;
    }
  }
  order_blocks();
}

void FunctionLowering::order_blocks() {
  order_.insert(order_.end(), rare_.begin(), rare_.end());
  std::vector<mir::BlockId> place(out_.blocks.size(), mir::kNone);
  std::vector<mir::Block> blocks;
  blocks.reserve(out_.blocks.size());
  for (mir::BlockId id : order_) {
    if (place[id] != mir::kNone) continue;
    place[id] = static_cast<mir::BlockId>(blocks.size());
    blocks.push_back(std::move(out_.blocks[id]));
  }
  for (mir::BlockId id = 0; id < place.size(); ++id) {
    if (place[id] != mir::kNone) continue;
    place[id] = static_cast<mir::BlockId>(blocks.size());
    blocks.push_back(std::move(out_.blocks[id]));
  }
  for (mir::Block& block : blocks) {
    for (mir::BlockId& target : block.end.targets) target = place[target];
  }
  out_.blocks = std::move(blocks);
}

void FunctionLowering::error(ptx::Loc loc, std::string message) {
  program_.diagnostics().error(module_.source, loc, std::move(message));
}

void FunctionLowering::unsupported(const Insn& insn) {
  error(insn.loc, "Instruction '" + insn.full_name() + "' is not supported by this version");
}

// ---- analysis -------------------------------------------------------------------------------

void FunctionLowering::analyse(const ptx::Block& block) {
  auto written = [&](const ptx::Operand& operand, const Insn& insn) {
    if (!operand.is_register()) return;
    Writer& writer = writers_[operand.ref.index];
    writer.insn = ++writer.writes == 1 && !insn.guarded ? &insn : nullptr;
    writer.run = analysed_runs_;
    writer.place = analysed_places_;
  };
  for (const ptx::Statement& statement : block.statements) {
    if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) analyse(**inner);
    if (std::holds_alternative<ptx::LabelStatement>(statement)) ++analysed_runs_;
    auto* insn = std::get_if<Insn>(&statement);
    if (!insn) continue;
    ++analysed_places_;
    count_mentions(insn->guard);
    for (const ptx::Operand& operand : insn->operands) count_mentions(operand);
    if (insn->opcode == "bra" || insn->opcode == "brx") ++analysed_runs_;
    if (insn->operands.empty()) continue;
    const ptx::Operand& first = insn->operands[0];
    written(first, *insn);
    for (const ptx::Operand& element : first.elements) {
      if (first.kind != ptx::Operand::Kind::kAddress) written(element, *insn);
    }
  }
}

void FunctionLowering::count_mentions(const ptx::Operand& operand) {
  if (operand.ref.kind == ptx::Ref::Kind::kRegister) ++mentions_[operand.ref.index];
  for (const ptx::Operand& element : operand.elements) count_mentions(element);
}

bool FunctionLowering::is_read(const ptx::Operand& destination) const {
  return destination.is_register() && mentions_[destination.ref.index] > 1;
}

// A source keeps, wherever the reader's result is used, the value that the reader saw: it is
// written once, and either before everything else or right before its reader, so never without it.
bool FunctionLowering::is_stable_source(const ptx::Operand& operand, const Writer& reader) const {
  if (operand.is_int()) return true;
  if (!operand.is_register()) return false;
  const Writer& writer = writers_[operand.ref.index];
  return writer.insn && writer.place < reader.place && (writer.run == 0 || writer.run == reader.run);
}

const ptx::Instruction* FunctionLowering::sole_writer(const ptx::Operand& operand) const {
  if (!operand.is_register()) return nullptr;
  const Writer& writer = writers_[operand.ref.index];
  if (!writer.insn) return nullptr;
  for (size_t i = 1; i < writer.insn->operands.size(); ++i) {
    if (!is_stable_source(writer.insn->operands[i], writer)) return nullptr;
  }
  return writer.insn;
}

bool FunctionLowering::is_destination(const Insn& insn, uint32_t r) const {
  if (insn.operands.empty()) return false;
  const ptx::Operand& first = insn.operands[0];
  if (first.is_register() && first.ref.index == r) return true;
  return std::any_of(first.elements.begin(), first.elements.end(),
                     [&](const ptx::Operand& e) { return e.is_register() && e.ref.index == r; });
}

// ---- blocks ---------------------------------------------------------------------------------

mir::BlockId FunctionLowering::block_of(const ptx::Label& label) {
  mir::BlockId& block = labels_[label.index];
  if (block == mir::kNone) block = b_.new_block(std::string(label.name));
  return block;
}

void FunctionLowering::set_block(mir::BlockId block) {
  order_.push_back(block);
  b_.set_block(block);
}

void FunctionLowering::start_block(mir::BlockId block) {
  if (!b_.ended()) b_.jump(block);
  set_block(block);
}

void FunctionLowering::lower_block(const ptx::Block& block) {
  for (const ptx::Statement& statement : block.statements) {
    if (auto* insn = std::get_if<Insn>(&statement)) {
      lower_instruction(*insn);
    } else if (auto* label = std::get_if<ptx::LabelStatement>(&statement)) {
      start_block(block_of(*label->label));
    } else if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      lower_block(**inner);
    } else if (auto* pragma = std::get_if<ptx::Pragma>(&statement)) {
      if (pragma->text == "nounroll" && !b_.ended()) b_.function().blocks[b_.block()].no_unroll = true;
    } else if (auto* loc = std::get_if<ptx::LocDirective>(&statement)) {
      mir::Loc here = b_.loc();
      here.file = program_.file_of(module_, loc->file), here.line = loc->line, here.column = loc->column;
      b_.set_loc(here);
    }
  }
}

void FunctionLowering::lower_instruction(const Insn& insn) {
  // What follows a branch without a label is never reached, but must still be lowered.
  if (b_.ended()) set_block(b_.new_block());
  current_ = &insn;
  mir::Loc here = b_.loc();
  here.module = module_number_, here.ptx_line = insn.loc.line;
  b_.set_loc(here);
  auto it = handlers().find(insn.opcode);
  if (it == handlers().end()) {
    unsupported(insn);
  } else if (insn.guarded) {
    lower_guarded(insn, it->second);
  } else {
    (this->*it->second)(insn);
  }
  current_ = nullptr;
}

// A guarded instruction either guards the machine instructions it becomes, or, when it becomes
// several blocks or guarded ones, is branched around.
void FunctionLowering::lower_guarded(const Insn& insn, Handler handler) {
  static const std::string_view kOwn[] = {"bra", "ret", "exit"};
  static const std::string_view kAround[] = {"call",     "brx",       "div",  "rem",  "rcp", "sqrt",
                                             "rsqrt",    "ex2",       "lg2",  "fns",  "mma", "ldmatrix",
                                             "stmatrix", "movmatrix", "wmma", "wgmma"};
  auto in = [&](auto& list) { return std::find(std::begin(list), std::end(list), insn.opcode) != std::end(list); };
  guard_ = pred(insn.guard);
  if (in(kOwn)) {
    (this->*handler)(insn);
    guard_ = {};
    return;
  }
  if (in(kAround) || member_mask(insn) || is_atomic_arithmetic(insn) || is_narrow_swap(insn) || is_wide_swap(insn) ||
      is_loop_on_shared(insn) || is_partial_copy(insn) || is_built_bulk(insn) ||
      insn.has("mbarrier::complete_tx::bytes") || (insn.opcode == "mbarrier" && insn.has("try_wait"))) {
    mir::BlockId body = b_.new_block(), join = b_.new_block();
    b_.branch(guard_, body, join);
    guard_ = {};
    set_block(body);
    (this->*handler)(insn);
    start_block(join);
    return;
  }
  if (insn.guard.is_register() && is_destination(insn, insn.guard.ref.index)) {
    mir::VReg copy = tp();
    b_.copy_pred(copy, guard_);
    guard_ = {copy, false};
  }
  for (const ptx::Operand& operand : insn.operands) name_registers(operand);
  const mir::BlockId block = b_.block();
  const size_t first = out_.blocks[block].body.size();
  const auto temporaries = static_cast<mir::VReg>(out_.vregs.size());
  b_.set_guard(guard_);
  (this->*handler)(insn);
  b_.set_guard({});
  if (b_.block() == block && !insn.has("param")) unguard(block, first, temporaries);
  guard_ = {};
}

void FunctionLowering::name_registers(const ptx::Operand& operand) {
  if (operand.is_register()) (void)vreg(operand.ref.index);
  for (const ptx::Operand& element : operand.elements) name_registers(element);
}

// What only computes a value that nobody but the same PTX instruction reads needs no guard: then it keeps no old value.
void FunctionLowering::unguard(mir::BlockId block, size_t first, mir::VReg temporaries) {
  const auto is_temporary = [&](mir::VReg v) { return v == mir::kNone || (v >= temporaries && v != carry_); };
  std::vector<mir::Instruction>& body = out_.blocks[block].body;
  for (size_t n = first; n < body.size(); ++n) {
    mir::Instruction& i = body[n];
    if (!(i.guard == guard_) || i.pseudo == mir::Pseudo::Call || mir::has_side_effects(i) || mir::is_memory(i) ||
        mir::is_convergent(i) || mir::is_volatile_read(i))
      continue;
    if (!i.dst.is_phys() && is_temporary(i.dst.is_reg() ? i.dst.id : mir::kNone) && is_temporary(i.pd) &&
        is_temporary(i.pq))
      i.guard = {};
  }
}

const std::unordered_map<std::string_view, FunctionLowering::Handler>& FunctionLowering::handlers() {
  using F = FunctionLowering;
  static const std::unordered_map<std::string_view, Handler> map = {
      {"add", &F::lower_add},
      {"sub", &F::lower_add},
      {"addc", &F::lower_carry},
      {"subc", &F::lower_carry},
      {"mul", &F::lower_mul},
      {"mad", &F::lower_mul},
      {"madc", &F::lower_mad_carry},
      {"mul24", &F::lower_mul24},
      {"mad24", &F::lower_mul24},
      {"sad", &F::lower_sad},
      {"neg", &F::lower_neg},
      {"abs", &F::lower_abs},
      {"min", &F::lower_minmax},
      {"max", &F::lower_minmax},
      {"dp4a", &F::lower_dot},
      {"dp2a", &F::lower_dot},
      {"div", &F::lower_divrem},
      {"rem", &F::lower_divrem},
      {"and", &F::lower_logic},
      {"or", &F::lower_logic},
      {"xor", &F::lower_logic},
      {"not", &F::lower_not},
      {"cnot", &F::lower_cnot},
      {"lop3", &F::lower_lop3},
      {"shl", &F::lower_shift},
      {"shr", &F::lower_shift},
      {"shf", &F::lower_shf},
      {"prmt", &F::lower_prmt},
      {"bfe", &F::lower_bfe},
      {"bfi", &F::lower_bfi},
      {"bfind", &F::lower_bfind},
      {"popc", &F::lower_count},
      {"clz", &F::lower_count},
      {"brev", &F::lower_count},
      {"szext", &F::lower_szext},
      {"bmsk", &F::lower_bmsk},
      {"fns", &F::lower_fns},
      {"setp", &F::lower_setp},
      {"set", &F::lower_set},
      {"selp", &F::lower_selp},
      {"slct", &F::lower_slct},
      {"testp", &F::lower_testp},
      {"fma", &F::lower_fma},
      {"copysign", &F::lower_copysign},
      {"rcp", &F::lower_rcp},
      {"sqrt", &F::lower_sqrt},
      {"rsqrt", &F::lower_sqrt},
      {"sin", &F::lower_sfu},
      {"cos", &F::lower_sfu},
      {"ex2", &F::lower_sfu},
      {"lg2", &F::lower_sfu},
      {"tanh", &F::lower_sfu},
      {"cvt", &F::lower_cvt},
      {"mov", &F::lower_mov},
      {"cvta", &F::lower_cvta},
      {"isspacep", &F::lower_isspacep},
      {"mapa", &F::lower_mapa},
      {"getctarank", &F::lower_getctarank},
      {"alloca", &F::lower_alloca},
      {"stacksave", &F::lower_stack},
      {"stackrestore", &F::lower_stack},
      {"ld", &F::lower_ld},
      {"ldu", &F::lower_ld},
      {"st", &F::lower_st},
      {"atom", &F::lower_atom},
      {"red", &F::lower_atom},
      {"membar", &F::lower_fence},
      {"fence", &F::lower_fence},
      {"createpolicy", &F::lower_policy},
      {"applypriority", &F::lower_nothing},
      {"discard", &F::lower_nothing},
      {"pmevent", &F::lower_nothing},
      // A grid begins when those before it have ended: there is nothing to wait for, nor anybody to tell.
      {"griddepcontrol", &F::lower_nothing},
      {"cp", &F::lower_copy},
      {"mbarrier", &F::lower_mbarrier},
      {"prefetch", &F::lower_prefetch},
      {"prefetchu", &F::lower_prefetch},
      {"bra", &F::lower_bra},
      {"brx", &F::lower_brx},
      {"call", &F::lower_call},
      {"ret", &F::lower_ret},
      {"exit", &F::lower_exit},
      {"trap", &F::lower_trap},
      {"brkpt", &F::lower_brkpt},
      {"nanosleep", &F::lower_nanosleep},
      {"bar", &F::lower_bar},
      {"barrier", &F::lower_bar},
      {"vote", &F::lower_vote},
      {"match", &F::lower_match},
      {"shfl", &F::lower_shfl},
      {"redux", &F::lower_redux},
      {"elect", &F::lower_elect},
      {"activemask", &F::lower_activemask},
      {"mma", &F::lower_mma},
      {"ldmatrix", &F::lower_ldmatrix},
      {"stmatrix", &F::lower_stmatrix},
      {"movmatrix", &F::lower_movmatrix},
      {"wmma", &F::lower_wmma},
      {"wgmma", &F::lower_wgmma},
      {"setmaxnreg", &F::lower_nothing},
      {"vadd", &F::lower_video},
      {"vsub", &F::lower_video},
      {"vabsdiff", &F::lower_video},
      {"vmin", &F::lower_video},
      {"vmax", &F::lower_video},
      {"vshl", &F::lower_video},
      {"vshr", &F::lower_video},
      {"vset", &F::lower_video},
      {"vmad", &F::lower_vmad},
      {"vadd2", &F::lower_video_simd},
      {"vadd4", &F::lower_video_simd},
      {"vsub2", &F::lower_video_simd},
      {"vsub4", &F::lower_video_simd},
      {"vavrg2", &F::lower_video_simd},
      {"vavrg4", &F::lower_video_simd},
      {"vabsdiff2", &F::lower_video_simd},
      {"vabsdiff4", &F::lower_video_simd},
      {"vmin2", &F::lower_video_simd},
      {"vmin4", &F::lower_video_simd},
      {"vmax2", &F::lower_video_simd},
      {"vmax4", &F::lower_video_simd},
      {"vset2", &F::lower_video_simd},
      {"vset4", &F::lower_video_simd},
  };
  return map;
}

}  // namespace heddle::compiler::lower
