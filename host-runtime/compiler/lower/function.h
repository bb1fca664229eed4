// SPDX-License-Identifier: Apache-2.0
// Lowering of one function. The class is one; its methods are spread by instruction family:
//   function.cc     blocks, parameters, the dispatch table
//   operands.cc     PTX operands to machine operands, extension, immediates
//   integer.cc      32-bit and narrow integer arithmetic        wide.cc     64-bit
//   divide.cc       integer division and remainder              bits.cc     fields, shifts, counts
//   divide_constant.cc  the same by constants
//   compare.cc      setp, set, selp, slct, predicates
//   floating.cc     f32, f64 arithmetic                         half.cc     f16, bf16
//   special.cc      approximate functions                       root.cc     f32 division and roots
//   convert.cc      cvt                                         narrow.cc   of f16, bf16 and 8 bits
//   move.cc         mov, addresses
//   memory.cc       loads, stores                               parameter.cc ld.param, st.param
//   atomic.cc       atomics, fences, prefetches                 atomic_wide.cc  of 128 bits
//   control.cc      branches, barriers
//   call.cc         calls                                       warp.cc     votes, shuffles, reductions
//   video.cc        video, packed 16-bit integers         mma.cc      matrix products
//   copy.cc        cp.async                                     bulk.cc     in bulk, tensor_copy.cc: of tensors
//   mbarrier.cc    mbarriers
//   matrix.cc      matrices between memory and registers           wmma.cc     wmma
//   wgmma.cc       warpgroups' products of matrices in shared memory  descriptor.cc  where those are
// Not for other folders.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host-runtime/compiler/lower/program.h"
#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/ptx/mma.h"
#include "host-runtime/compiler/ptx/special_registers.h"

namespace heddle::compiler::lower {

// The bits that a floating-point literal has in `type` (f32 rounded to nearest, f64; for bit types
// of 32 and 64 bits alike).
uint64_t float_bits(uint64_t bits, bool is_double, ptx::Type type);

class FunctionLowering {
 public:
  using Operand = mir::Operand;
  using Pred = mir::Pred;
  using Op = isa::Opcode;
  using Type = ptx::Type;
  using Insn = ptx::Instruction;

  FunctionLowering(Program& program, const ptx::Module& module, const ptx::Function& function, mir::Function& out);

  void run();
  // After run(), for machines without unit Fp64: its instructions become calls.
  void soften();
  // The same without unit Fp16: its instructions become f32's.
  void soften_half();

 private:
  struct Writer;
  using Handler = void (FunctionLowering::*)(const Insn&);
  static const std::unordered_map<std::string_view, Handler>& handlers();

  // ---- parameter.cc: signatures
  void declare_signature();
  void declare_params(const std::vector<ptx::Variable*>& list, std::vector<mir::AbiValue>& out);
  mir::AbiValue abi_value(const ptx::Variable& variable);
  std::vector<mir::AbiValue> register_values(const ptx::Variable& variable);
  void store_predicate(const Operand& word, Pred p);
  void load_predicate(mir::VReg p, const Operand& word);
  void enter();  // what a function does first, and last
  void leave();
  void lower_kernel_params();

  // ---- function.cc
  void analyse(const ptx::Block& block);
  void count_mentions(const ptx::Operand& operand);
  // Whether a destination is named anywhere else in the function.
  bool is_read(const ptx::Operand& destination) const;
  // The one instruction that writes the operand, when using its sources instead is safe.
  const Insn* sole_writer(const ptx::Operand& operand) const;
  bool is_stable_source(const ptx::Operand& operand, const Writer& reader) const;
  void lower_block(const ptx::Block& block);
  void lower_instruction(const Insn& insn);
  void lower_guarded(const Insn& insn, Handler handler);
  void name_registers(const ptx::Operand& operand);
  void unguard(mir::BlockId block, size_t first, mir::VReg temporaries);
  bool is_destination(const Insn& insn, uint32_t reg) const;
  void unsupported(const Insn& insn);
  void unsupported_here() { unsupported(*current_); }
  void error(ptx::Loc loc, std::string message);
  // `block` follows the current one, unless that has ended, and becomes current.
  void start_block(mir::BlockId block);
  void set_block(mir::BlockId block);
  // Blocks come out in the order in which they were begun, rare ones (slow paths) last.
  void order_blocks();
  mir::BlockId block_of(const ptx::Label& label);

  // ---- operands.cc
  mir::VReg vreg(uint32_t ptx_register);
  Operand reg(uint32_t ptx_register) { return b_.reg(vreg(ptx_register)); }
  // A source: register, or immediate of the type's width (64-bit ones stay one Imm).
  Operand src(const ptx::Operand& operand, Type type);
  // The register written; a fresh one for '_'.
  Operand dst(const ptx::Operand& operand, Type type);
  Pred pred(const ptx::Operand& operand);
  mir::VReg pred_dst(const ptx::Operand& operand);
  // The second destination of d|p; kNone when absent.
  mir::VReg second_dst(const ptx::Operand& operand);
  Operand t32() { return b_.reg(b_.r32()); }
  Operand t64() { return b_.reg(b_.r64()); }
  mir::VReg tp() { return b_.pred(); }
  static Pred when(mir::VReg p) { return {p, false}; }
  static Pred unless(mir::VReg p) { return {p, true}; }
  // Word i of a register or 64-bit immediate.
  static Operand word(const Operand& operand, unsigned i);
  // The value of a register's low 8 or 16 bits in all 32; wider types unchanged.
  Operand extend(const Operand& operand, Type type);
  // The same in 64 bits.
  Operand extend64(const Operand& operand, Type type);
  Operand source(const ptx::Operand& operand, Type type) { return extend(src(operand, type), type); }
  // A register holding the operand, for where the machine takes no other.
  Operand in_register(const Operand& operand);
  Operand in_register64(const Operand& operand);

  // Appends an instruction; refuses the PTX instruction when the machine op is not built.
  mir::Builder::Ref emit(Op op, Operand d, Operand a = {}, Operand b = {}, Operand c = {});
  Operand iadd(Operand a, Operand b);
  Operand isub(Operand a, Operand b);
  Operand imad(Operand a, Operand b, Operand c);
  Operand imul_hi(Operand a, Operand b, bool is_signed, Operand c = {});
  Operand lop(isa::LogicOp op, Operand a, Operand b);
  Operand shl(Operand a, Operand b);
  Operand shr(Operand a, Operand b, bool is_signed);
  Operand select(Pred p, Operand a, Operand b);
  mir::VReg isetp(isa::ICmp cmp, bool is_signed, Operand a, Operand b, Pred with = {},
                  isa::BoolOp op = isa::BoolOp::And);
  mir::VReg isetp64(isa::ICmp cmp, bool is_signed, Operand a, Operand b);
  Operand pair(Operand low, Operand high);  // a fresh R64 of two words
  Operand add64(Operand a, Operand b);
  Operand sub64(Operand a, Operand b);
  Operand mul_wide(Operand a, Operand b, bool is_signed, Operand c = {});
  Operand mul_lo64(Operand a, Operand b, Operand c = {});
  Operand mul_hi64(Operand a, Operand b, bool is_signed);
  Operand shl64(Operand a, Operand n);
  Operand shr64(Operand a, Operand n, bool is_signed);
  Operand select64(Pred p, Operand a, Operand b);
  void copy(Operand d, Operand s);  // registers of equal width, immediates, 32 or 64 bits

  // ---- integer.cc, wide.cc
  void lower_add(const Insn& insn);    // add, sub (integer; f32 goes on to floating.cc)
  void lower_carry(const Insn& insn);  // add.cc, addc, sub.cc, subc
  void add_carry(Operand d, Operand a, Operand b, bool wide, bool carry_in, bool carry_out);
  void sub_borrow(Operand d, Operand a, Operand b, bool wide, bool carry_in, bool carry_out);
  void lower_mul(const Insn& insn);  // mul, mad
  void lower_mad_carry(const Insn& insn);
  void lower_mul24(const Insn& insn);
  void lower_sad(const Insn& insn);
  void lower_neg(const Insn& insn);
  void lower_abs(const Insn& insn);
  void lower_minmax(const Insn& insn);
  void lower_dot(const Insn& insn);
  bool fuse_wide_add(const Insn& insn);

  // ---- divide.cc, divide_constant.cc
  void lower_divrem(const Insn& insn);
  std::optional<int64_t> constant_divisor(const ptx::Operand& operand, Type type);
  void divide_by_constant(Operand d, Operand a, int64_t divisor, bool is_signed, bool wide, bool remainder);
  Operand unsigned_quotient(Operand a, uint64_t divisor, bool wide);
  Operand signed_quotient(Operand a, int64_t divisor, bool wide);
  void udivrem32(Operand a, Operand b, Operand* quotient, Operand* remainder);
  void udivrem64(Operand a, Operand b, Operand* quotient, Operand* remainder);

  // ---- bits.cc
  void lower_logic(const Insn& insn);
  void lower_not(const Insn& insn);
  void lower_cnot(const Insn& insn);
  void lower_lop3(const Insn& insn);
  void lower_shift(const Insn& insn);
  void lower_shf(const Insn& insn);
  void lower_prmt(const Insn& insn);
  void lower_bfe(const Insn& insn);
  void lower_bfi(const Insn& insn);
  void lower_bfind(const Insn& insn);
  void lower_count(const Insn& insn);  // popc, clz, brev
  void lower_szext(const Insn& insn);
  void lower_bmsk(const Insn& insn);
  void lower_fns(const Insn& insn);
  Operand field_spec(const Operand& pos, const Operand& len);
  Operand bits_left(const Operand& len);

  // ---- compare.cc
  void lower_setp(const Insn& insn);
  void lower_set(const Insn& insn);
  void lower_selp(const Insn& insn);
  void lower_slct(const Insn& insn);
  void lower_testp(const Insn& insn);
  void compare(const Insn& insn, mir::VReg pd, mir::VReg pq, const ptx::Operand& a, const ptx::Operand& b, Pred with);

  // ---- floating.cc, special.cc, root.cc
  static isa::Rounding arithmetic_rounding(const Insn& insn);
  void lower_fadd(const Insn& insn);
  void lower_fmul(const Insn& insn);
  void lower_fma(const Insn& insn);
  void lower_fminmax(const Insn& insn);
  void lower_fsign(const Insn& insn);  // abs, neg
  void lower_copysign(const Insn& insn);
  void lower_fdiv(const Insn& insn);
  void lower_rcp(const Insn& insn);
  void lower_sqrt(const Insn& insn);  // sqrt, rsqrt
  void lower_sfu(const Insn& insn);
  Operand mufu(isa::MufuOp op, Operand x);
  mir::VReg is_subnormal(Operand x);
  mir::VReg is_large(Operand x);
  void scale(mir::VReg p, Operand x, uint32_t factor, bool ftz = false);
  Operand own(Operand x);
  Operand fadd(Operand a, Operand b, bool subtract = false);
  Operand fmul(Operand a, Operand b);
  Operand ffma(Operand a, Operand b, Operand c, bool neg_product = false);
  Operand fround(Operand a, bool ftz, bool sat);  // no rounding: flushes and saturates
  // 1 / x, correctly rounded, and a / b, while nothing on the way overflows or is subnormal.
  Operand reciprocal(Operand x);
  Operand quotient(Operand a, Operand b, Operand y, Operand q, isa::Rounding rounding);
  Operand root(Operand x, isa::Rounding rounding);
  // Where `fast` does not hold, what `slowly` does, out of the way; else `quickly`, which begins while the branch is
  // decided.
  void slow_path(mir::VReg fast, const char* name, const std::function<void()>& slowly,
                 const std::function<void()>& quickly = {});
  void divide(Operand d, Operand a, Operand b, isa::Rounding rounding, bool ftz);
  mir::BlockId rare_block(const char* name);
  void either_rarely(mir::VReg p, const std::function<void()>& where_it_holds, const std::function<void()>& elsewhere);
  void divide_slowly(Operand d, Operand a, Operand b, isa::Rounding rounding, bool ftz);
  void divide_special(Operand d, Operand a, Operand b, Operand size_b);
  void divide_general(Operand d, Operand a, Operand b, Operand size_a, Operand size_b, isa::Rounding rounding);
  void round_subnormal(Operand d, Operand truncated, Operand sticky, Operand shift, Operand sign,
                       isa::Rounding rounding);
  void square_root(Operand d, Operand x, isa::Rounding rounding, bool ftz);
  void square_root_slowly(Operand d, Operand x, isa::Rounding rounding, bool ftz);

  // ---- root64.cc
  Operand constant64(int64_t bits);
  Operand dmul(Operand a, Operand b, isa::Rounding rounding = isa::Rounding::Rn);
  Operand dfma(Operand a, Operand b, Operand c, bool neg_product = false, isa::Rounding rounding = isa::Rounding::Rn);
  Operand single64(Operand x);
  Operand guess64(isa::MufuOp function, Operand single);
  Operand root_guess64(Operand x);
  mir::VReg has_reciprocal64(Operand x);
  Operand reciprocal64(Operand x, Operand* near = nullptr);
  // a / b, where y = 1 / b, correctly rounded, and q is near a / b.
  Operand quotient64(Operand a, Operand b, Operand y, Operand q, isa::Rounding rounding);
  Operand fraction64(Operand x, Operand top);
  void divide64(Operand d, Operand a, Operand b, isa::Rounding rounding);
  void divide_slowly64(Operand d, Operand a, Operand b, isa::Rounding rounding);
  void divide_special64(Operand d, Operand a, Operand b, Operand size_b, Operand any_b);
  void divide_general64(Operand d, Operand a, Operand b, Operand size_a, Operand size_b, isa::Rounding rounding);
  Operand round_subnormal64(Operand truncated, Operand rest, Operand shift, Operand sign, isa::Rounding rounding);
  Operand root_error64(Operand x, Operand y);
  Operand root64(Operand x, Operand y, Operand g, Operand e, isa::Rounding rounding);
  void square_root64(Operand d, Operand x, isa::Rounding rounding);
  mir::VReg has_root64(Operand x);
  Operand root_fraction64(Operand x, Operand* k);
  void square_root_slowly64(Operand d, Operand x, isa::Rounding rounding);
  void inverse_root64(Operand d, Operand x);
  void special_root64(Operand d, Operand x, bool inverse);
  void reciprocal_of_high_word(Operand d, Operand x);

  // ---- half.cc
  static bool is_half(Type type);                    // f16, bf16, or two of them
  static bool is_half_pair(Type type);               // two
  static isa::FloatFormat narrow_format(Type type);  // of one of a pair; F32 for other types
  void lower_half(const Insn& insn);
  Operand without_outside(Operand sum, Operand a, Operand b, bool pair);
  void lower_half_special(const Insn& insn);
  mir::Builder::Ref f2f(Operand d, Operand x, isa::FloatFormat from, isa::FloatFormat to);
  Operand convert(Operand x, isa::FloatFormat from, isa::FloatFormat to, bool high = false);
  Operand odd(const std::function<void(Operand, isa::Rounding)>& operation);
  Operand half_as_f32(const mir::Instruction& i, const Operand& operand, bool high);
  void soften_half_arithmetic(const mir::Instruction& i);
  void soften_half_compare(const mir::Instruction& i);

  // ---- narrow.cc
  void convert_narrow(const Insn& insn);
  Operand by_f32(const Insn& insn, Operand x);
  void convert_from_half(const Insn& insn, Operand d, Operand x);
  void convert_pair(const Insn& insn);
  void convert_to_tf32(const Insn& insn);

  // ---- soften.cc
  void soften_call(const mir::Instruction& i);

  // ---- convert.cc
  void lower_cvt(const Insn& insn);
  Operand convert_int(Operand a, Type from, Type to, bool saturate);
  void convert_pack(const Insn& insn);
  void convert_int_to_float(const Insn& insn);
  static isa::Rounding conversion_rounding(const Insn& insn);
  void convert_float_to_int(const Insn& insn);
  void float_to_int(const Insn& insn, Operand d, Operand a);  // a: f32 or f64
  void convert_float(const Insn& insn);
  Operand saturate_to(Operand a, Type from, Type to);

  // ---- move.cc
  void lower_mov(const Insn& insn);
  void lower_cvta(const Insn& insn);
  void lower_isspacep(const Insn& insn);
  void lower_mapa(const Insn& insn);
  void lower_getctarank(const Insn& insn);
  void lower_alloca(const Insn& insn);
  void lower_stack(const Insn& insn);
  void mov_elements(const Insn& insn);
  void mov_vector(const Insn& insn);
  Operand src_whole(const ptx::Operand& operand, Type type);
  void mov_special(Operand d, const ptx::Operand& operand, Type type);
  // The address of a variable within its space (64 bits), offset added.
  Operand address_of(const ptx::Variable& variable, int64_t offset, ptx::Loc use);
  Operand generic_address(Operand address, ptx::Space space);
  Operand own_rank();
  Operand own_rank_plus_1();
  Operand in_block(Operand address, Operand rank_plus_1);
  Operand own_shared_address(Operand address);
  Operand constants_address();
  Operand address_of(mir::SymbolId variable);

  // ---- memory.cc
  struct Address {
    Operand base;  // None: zero
    Operand offset;
    ptx::Space space;  // kNone: generic
  };
  Address address(const Insn& insn, const ptx::Operand& operand);
  Address address(const ptx::Operand& operand, ptx::Space space);
  Operand place_of(const Address& where);
  static std::span<const ptx::Operand> elements(const ptx::Operand& operand);
  void lower_ld(const Insn& insn);
  void lower_st(const Insn& insn);
  void lower_policy(const Insn& insn);
  void lower_nothing(const Insn&) {}
  void load(const Insn& insn, const Address& from, std::span<const ptx::Operand> to);
  void load_constant(Operand d, const Address& from, isa::MemSize size);
  void store(const Insn& insn, const Address& to, std::span<const ptx::Operand> from);
  void load_param(const Insn& insn);
  void store_param(const Insn& insn);
  Operand param_piece(const Operand& value, uint32_t offset, Type type);
  void lower_atom(const Insn& insn);
  void emit_atomic(const Insn& insn, const Address& where, isa::AtomOp op, Operand d, Operand b, Operand c);
  void emit_atomic(const Insn& insn, const Address& where, isa::AtomOp op, isa::AtomType type, Operand d, Operand b,
                   Operand c);
  void load_word(const Insn& insn, const Address& where, Operand word);
  bool is_loop_on_shared(const Insn& insn) const;
  void shared_loop(const Insn& insn, Address where, Operand d, Operand b);
  void generic_loop(const Insn& insn, const Address& where, Operand d, Operand b);
  void narrow_swap(const Insn& insn, const Address& where, Operand d, Operand compare, Operand value);
  std::optional<isa::AtomType> memory_computes(const Insn& insn);
  void atomic_words(const Insn& insn, const Address& where, isa::AtomType kind);
  void atomic_elements(const Insn& insn, const Address& where);
  void atomic_sum(const Insn& insn, Address where, Operand d, Operand b, bool keeps_subnormals = false);
  void wide_swap(const Insn& insn, const Address& where, Operand d, Operand compare, Operand value);
  void lower_fence(const Insn& insn);
  void lower_prefetch(const Insn& insn);
  void fence(isa::Scope scope, bool sc);
  isa::Scope scope_of(const Insn& insn) const;
  static constexpr uint32_t kStackAlign = 16;
  static constexpr uint32_t kMaxParamBytes = 32764;  // of a kernel
  bool over_aligned(const ptx::Variable& variable) const;
  Operand local_address(const ptx::Variable& variable, int64_t offset);
  mir::FrameId frame_of(const ptx::Variable& variable);

  // ---- control.cc
  void lower_bra(const Insn& insn);
  void lower_brx(const Insn& insn);
  void lower_ret(const Insn& insn);
  void lower_exit(const Insn& insn);
  void lower_trap(const Insn& insn);
  void lower_brkpt(const Insn& insn);
  void lower_nanosleep(const Insn& insn);
  void lower_bar(const Insn& insn);

  // ---- warp.cc
  // Who takes part in a warp instruction.
  struct Members {
    Operand heed;  // each lane takes notice of these lanes only; none: of all that execute
    Operand wait;  // for these lanes, before each machine instruction; none: they are here
  };
  // Does `operation` with the lanes of the member mask. `one_mask`: it cannot serve two masks at once.
  void with_members(const Insn& insn, bool one_mask, const std::function<void(const Members&)>& operation);
  mir::Builder::Ref emit_warp(const Members& members, Op op, Operand d, Operand a = {}, Operand b = {}, Operand c = {});
  static const ptx::Operand* member_mask(const Insn& insn);
  const ptx::Operand* constant_mask(const ptx::Operand& operand) const;
  Operand ballot(const Members& members, Pred p);
  Operand lowest_lane(Operand mask);
  Operand lower_lanes_with(Operand key);
  mir::VReg first_waiting(Operand before, Pred waits);
  void lower_vote(const Insn& insn);
  void lower_match(const Insn& insn);
  void lower_shfl(const Insn& insn);
  void lower_redux(const Insn& insn);
  void lower_elect(const Insn& insn);
  void lower_activemask(const Insn& insn);
  void lower_warp_barrier(const Insn& insn);

  // ---- mma.cc
  Operand fragment(const ptx::Operand& operand, size_t first, size_t count);
  Operand fragment(const Insn& insn, const ptx::MmaForm& form, char matrix);
  Operand new_fragment(size_t count);
  void store_fragment(const ptx::Operand& operand, Operand d, size_t first = 0);
  mir::Builder::Ref emit_mma(const Insn& insn, const ptx::MmaForm& form, Op op, Operand d, Operand a, Operand b,
                             Operand c);
  bool has_tensor_unit(const Insn& insn, unsigned target);
  void lower_mma(const Insn& insn);
  void lower_product(const Insn& insn, const ptx::MmaForm& form);
  Operand multiply(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b, Operand c);
  Operand mma_float(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b, Operand c);
  Operand mma_integer(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b, Operand c);
  Operand nibbles(Operand x, bool odd, bool is_signed);
  Operand mma_nibbles(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b, Operand c);
  void lower_mma_double(const Insn& insn, const ptx::MmaForm& form);
  Operand halves_of_bytes(Operand x, bool upper, Type type);
  struct SparseHalf {
    Operand b, metadata;
  };
  std::array<SparseHalf, 2> sparse_halves(Operand b, Operand metadata);
  Operand mma_bytes(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b, Operand c);

  // ---- mma_quads.cc
  Operand from_lane(Operand x, Operand lane);
  Operand turn_quads(Operand x, Operand lane);
  std::array<Operand, 4> four_numbers(Operand x);
  void lower_mma_quads(const Insn& insn, const ptx::MmaForm& form);

  // ---- copy.cc
  struct Copy {
    Address to, from;
    int size;  // bytes
    isa::CacheOp cache;
  };
  Operand first_bytes(Operand word, Operand bytes, int end);
  void lower_copy_group(const Insn& insn);
  void load_and_store(const Copy& copied, Operand bytes, Pred some);
  void copy_async(const Copy& copied, Pred whole);
  void lower_copy(const Insn& insn);

  // ---- bulk.cc
  Operand bulk_units(const ptx::Operand& size);
  Address moving(const ptx::Operand& operand, ptx::Space space);
  void advance(const Address& where, int bytes);
  void repeat(Operand times, const std::function<void()>& turn);
  void copy_units_async(Operand units, const Address& from, const Address& to);
  void reduce_unit(const Insn& one, const Address& to, Operand data);
  void lower_bulk(const Insn& insn);

  // ---- tensor_copy.cc
  void call_library(const Insn& insn, const std::string& name, const std::vector<Operand>& arguments);
  std::vector<Operand> tensor_arguments(const ptx::Operand& tensor);
  Operand shared_place(const ptx::Operand& operand);
  void lower_tensor_copy(const Insn& insn);
  void lower_multicast(const Insn& insn);

  // ---- mbarrier.cc
  Operand mbarrier_count(Operand count);
  Operand mbarrier_word(Operand pending, bool both, Operand bytes);
  Operand negative(Operand x);
  void mbarrier_arrive(const Address& bar, Operand token, Operand word, isa::Scope scope);
  void mbarrier_test(const Address& bar, Operand token, isa::Scope scope, mir::VReg completed);
  Operand mbarrier_rest(const Insn& insn);
  void mbarrier_wait(const Insn& insn, const Address& bar);
  void lower_mbarrier(const Insn& insn);
  void lower_copy_arrive(const Insn& insn);
  void lower_with_bytes(const Insn& insn);

  // ---- matrix.cc
  Operand lane_id();
  Operand transpose(Operand x, Operand lane);
  std::vector<Operand> row_addresses(const Address& rows, Operand lane, size_t matrices);
  Address shared_address(const Insn& insn, const ptx::Operand& operand);
  Operand load_matrices(const Address& from, size_t count, bool transposed);
  void lower_ldmatrix(const Insn& insn);
  void lower_stmatrix(const Insn& insn);
  void lower_movmatrix(const Insn& insn);

  // ---- wmma.cc
  struct WmmaMemory {
    Op op;
    Operand base, offset;          // of the lane's first number
    Operand stride;                // in bytes
    std::map<int, Operand> bases;  // moved by so many strides, where the stride is in a register
  };
  WmmaMemory wmma_memory(const Insn& insn, const ptx::WmmaForm& form, const ptx::Operand& operand);
  mir::Builder::Ref wmma_access(WmmaMemory& memory, int strides, int bytes, int size, Operand d, Operand data);
  void lower_wmma(const Insn& insn);
  void lower_wmma_load(const Insn& insn, const ptx::WmmaForm& form);
  void lower_wmma_store(const Insn& insn, const ptx::WmmaForm& form);
  void lower_wmma_mma(const Insn& insn, const ptx::WmmaForm& form);

  // ---- descriptor.cc
  struct Known {
    uint64_t mask = 0, bits = 0;  // which bits of 64 are known, and those; other bits are 0
  };
  Known known_bits(const ptx::Operand& operand, int depth = 16) const;
  Known written_bits(const Insn* writer, int depth) const;
  // 8 rows of 16 bytes each of a matrix in shared memory.
  struct Pieces {
    bool rows_of_k;           // each row is of one k, not of one m or n
    int pitch = 0;            // from row to row, in bytes; 0: the constants are not known
    Operand start = {};       // of this lane's row and part of K in the first
    Operand swizzle = {};     // which bits of an address are changed: those within a row of memory
    Operand phase = {};       // - 16 times the number of the row where the pattern begins
    Operand stride = {};      // in bytes; with rows of k from those in one row of memory to those in the next
    Operand group_bits = {};  // of how many there are in a row of memory the binary logarithm
    std::map<int64_t, Operand> repeated = {};  // addresses in a pattern of 8 rows of memory
  };
  Pieces pieces_of(const ptx::Operand& descriptor, bool rows_of_k, Operand row, Operand part);
  Operand place_of(const Pieces& pieces, Operand from, Operand number);
  Address address_of(Pieces& pieces, Operand from, int number);
  Address swizzled(const Pieces& pieces, Operand place);

  // ---- wgmma.cc
  Operand warp_in_group();
  Operand group_factor(const ptx::Operand& descriptor, bool rows_of_k);
  Operand negative_factor(Operand a, Type type);
  void clear_unless(Pred kept, const ptx::Operand& sums);
  void lower_wgmma(const Insn& insn);

  // ---- video.cc
  Operand video_result(const Insn& insn, std::string_view op, Operand x, Operand y, bool wide, bool is_signed);
  Operand video_saturate(Operand v, unsigned bits, Type to, bool is_signed);
  Operand video_source(const ptx::Operand& operand, Type type, bool wide);
  void video_finish(const Insn& insn, Operand v, Type type, bool is_signed);
  void lower_video(const Insn& insn);
  void lower_vmad(const Insn& insn);
  void lower_video_simd(const Insn& insn);
  void lower_packed(const Insn& insn);

  // ---- call.cc
  void lower_call(const Insn& insn);
  mir::AbiValue call_value(const ptx::Operand& actual, const ptx::Variable& formal);
  std::vector<mir::AbiValue> call_registers(std::span<const ptx::Operand> actual, const ptx::Variable& formal);

  Program& program_;
  const ptx::Module& module_;
  const uint32_t module_number_;
  const ptx::Function& function_;
  mir::Function& out_;
  mir::Builder b_;
  const Insn* current_ = nullptr;
  Pred guard_;                        // of the current instruction
  std::vector<mir::VReg> vregs_;      // by PTX register
  std::vector<mir::BlockId> labels_;  // by Label::index
  std::vector<mir::BlockId> order_, rare_;
  std::unordered_map<const ptx::Variable*, mir::FrameId> frames_;
  std::unordered_map<const ptx::Variable*, Operand> params_;          // in registers
  std::unordered_map<const ptx::Variable*, uint32_t> param_offsets_;  // of a kernel
  mir::VReg carry_ = mir::kNone;                                      // CC.CF
  bool carry_is_inverted_ = false;                                    // after sub.cc: holds "no borrow"
  // Of each PTX register: how often it is written; when once and unguarded: by which instruction,
  // in which run of instructions without labels or branches (0: the first), at which place.
  struct Writer {
    uint32_t writes = 0;
    const Insn* insn = nullptr;
    uint32_t run = 0;
    uint32_t place = 0;
  };
  std::vector<Writer> writers_;
  std::vector<unsigned> mentions_;  // of each PTX register
  uint32_t analysed_runs_ = 0, analysed_places_ = 0;
};

}  // namespace heddle::compiler::lower
