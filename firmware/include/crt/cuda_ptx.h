// SPDX-License-Identifier: Apache-2.0
// <cuda/ptx>: functions of cuda::ptx, each one instruction of PTX: mbarriers, copies in bulk, stores and reductions
// that arrive at an mbarrier, fences, the cluster's barrier, special registers. A program that brings its own libcu++
// finds that first, and nothing here.
//
// A function is a template, so an instruction that the architecture lacks is in no program that does not ask for it.
// Tags choose order, scope, space and operation, as in
//
//   mbarrier_arrive(sem_release, scope_cluster, space_cluster, remote_bar)
#if !defined(HEDDLE_CUDA_PTX_H_)
#define HEDDLE_CUDA_PTX_H_

#include "barrier_words.h"
#include "cuda_scope.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#include <cstdint>
#include <type_traits>

#pragma push_macro("HEDDLE_DEVICE")
#pragma push_macro("HEDDLE_OF_ANY")
#pragma push_macro("HEDDLE_OF_SCOPE")
#pragma push_macro("HEDDLE_OF_SIZE")
#pragma push_macro("HEDDLE_IN_SCOPE")
#pragma push_macro("HEDDLE_ARRIVE")
#pragma push_macro("HEDDLE_LOOK")
#pragma push_macro("HEDDLE_LOOK_IN_SCOPE")
#pragma push_macro("HEDDLE_WAIT")
#pragma push_macro("HEDDLE_TRY")
#pragma push_macro("HEDDLE_REDUCE_FAR")
#pragma push_macro("HEDDLE_REDUCE")
#pragma push_macro("HEDDLE_ONE")
#pragma push_macro("HEDDLE_OF_4")
#pragma push_macro("HEDDLE_OF_8")
#pragma push_macro("HEDDLE_RED")
#pragma push_macro("HEDDLE_FAR")
#pragma push_macro("HEDDLE_FENCE")
#pragma push_macro("HEDDLE_REGISTER")
#pragma push_macro("HEDDLE_WORD")
#pragma push_macro("HEDDLE_PART")
#pragma push_macro("HEDDLE_PARTS")
#pragma push_macro("HEDDLE_CHANGING")
#pragma push_macro("HEDDLE_CHANGING_64")
#undef HEDDLE_DEVICE
#undef HEDDLE_OF_ANY
#undef HEDDLE_OF_SCOPE
#undef HEDDLE_OF_SIZE
#undef HEDDLE_IN_SCOPE
#undef HEDDLE_ARRIVE
#undef HEDDLE_LOOK
#undef HEDDLE_LOOK_IN_SCOPE
#undef HEDDLE_WAIT
#undef HEDDLE_TRY
#undef HEDDLE_REDUCE_FAR
#undef HEDDLE_REDUCE
#undef HEDDLE_ONE
#undef HEDDLE_OF_4
#undef HEDDLE_OF_8
#undef HEDDLE_RED
#undef HEDDLE_FAR
#undef HEDDLE_FENCE
#undef HEDDLE_REGISTER
#undef HEDDLE_WORD
#undef HEDDLE_PART
#undef HEDDLE_PARTS
#undef HEDDLE_CHANGING
#undef HEDDLE_CHANGING_64
#define HEDDLE_DEVICE static __device__ __forceinline__
#define HEDDLE_OF_ANY template <typename = void>
#define HEDDLE_OF_SCOPE template <dot_scope Scope>
// Of any type of so many bytes.
#define HEDDLE_OF_SIZE(bytes) \
  template <typename Type, typename ::std::enable_if<sizeof(Type) == bytes, bool>::type = true>

namespace cuda {
namespace ptx {

using ::std::int32_t;
using ::std::int64_t;
using ::std::uint32_t;
using ::std::uint64_t;

// ---- tags ----

enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_space { global, cluster, shared };
enum class dot_scope { cta, cluster, gpu, sys };
enum class dot_op { add, dec, inc, max, min, and_op, or_op, xor_op, cas, exch };

template <dot_sem Sem>
using sem_t = ::std::integral_constant<dot_sem, Sem>;
using sem_acq_rel_t = sem_t<dot_sem::acq_rel>;
using sem_acquire_t = sem_t<dot_sem::acquire>;
using sem_relaxed_t = sem_t<dot_sem::relaxed>;
using sem_release_t = sem_t<dot_sem::release>;
using sem_sc_t = sem_t<dot_sem::sc>;
using sem_weak_t = sem_t<dot_sem::weak>;
static constexpr sem_acq_rel_t sem_acq_rel{};
static constexpr sem_acquire_t sem_acquire{};
static constexpr sem_relaxed_t sem_relaxed{};
static constexpr sem_release_t sem_release{};
static constexpr sem_sc_t sem_sc{};
static constexpr sem_weak_t sem_weak{};

template <dot_space Space>
using space_t = ::std::integral_constant<dot_space, Space>;
using space_global_t = space_t<dot_space::global>;
using space_shared_t = space_t<dot_space::shared>;
using space_cluster_t = space_t<dot_space::cluster>;
static constexpr space_global_t space_global{};
static constexpr space_shared_t space_shared{};
static constexpr space_cluster_t space_cluster{};

template <dot_scope Scope>
using scope_t = ::std::integral_constant<dot_scope, Scope>;
using scope_cta_t = scope_t<dot_scope::cta>;
using scope_cluster_t = scope_t<dot_scope::cluster>;
using scope_gpu_t = scope_t<dot_scope::gpu>;
using scope_sys_t = scope_t<dot_scope::sys>;
static constexpr scope_cta_t scope_cta{};
static constexpr scope_cluster_t scope_cluster{};
static constexpr scope_gpu_t scope_gpu{};
static constexpr scope_sys_t scope_sys{};

template <dot_op Op>
using op_t = ::std::integral_constant<dot_op, Op>;
using op_add_t = op_t<dot_op::add>;
using op_dec_t = op_t<dot_op::dec>;
using op_inc_t = op_t<dot_op::inc>;
using op_max_t = op_t<dot_op::max>;
using op_min_t = op_t<dot_op::min>;
using op_and_op_t = op_t<dot_op::and_op>;
using op_or_op_t = op_t<dot_op::or_op>;
using op_xor_op_t = op_t<dot_op::xor_op>;
using op_cas_t = op_t<dot_op::cas>;
using op_exch_t = op_t<dot_op::exch>;
static constexpr op_add_t op_add{};
static constexpr op_dec_t op_dec{};
static constexpr op_inc_t op_inc{};
static constexpr op_max_t op_max{};
static constexpr op_min_t op_min{};
static constexpr op_and_op_t op_and_op{};
static constexpr op_or_op_t op_or_op{};
static constexpr op_xor_op_t op_xor_op{};
static constexpr op_cas_t op_cas{};
static constexpr op_exch_t op_exch{};

template <int Number>
using n32_t = ::std::integral_constant<int, Number>;

// ---- addresses ----

// An address in shared memory, in that of another block of the cluster too.
HEDDLE_DEVICE uint32_t heddle_shared(const void* p) { return heddle::barriers::shared_address(p); }
HEDDLE_DEVICE uint64_t heddle_global(const void* p) { return __cvta_generic_to_global(p); }

// Where block `target_cta` of the cluster has what this block has at `addr`.
template <typename Type>
HEDDLE_DEVICE Type* mapa(space_cluster_t, const Type* addr, uint32_t target_cta) {
  uint64_t there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(addr), "r"(target_cta));
  return reinterpret_cast<Type*>(there);
}
HEDDLE_OF_ANY HEDDLE_DEVICE uint32_t getctarank(space_cluster_t, const void* addr) {
  uint32_t rank;
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(heddle_shared(addr)));
  return rank;
}

// ---- mbarriers ----

#define HEDDLE_IN_SCOPE(before, after, ...)                                           \
  do {                                                                                \
    static_assert(Scope == dot_scope::cta || Scope == dot_scope::cluster, "a scope"); \
    if (Scope == dot_scope::cta) asm volatile(before ".cta" after __VA_ARGS__);       \
    else asm volatile(before ".cluster" after __VA_ARGS__);                           \
  } while (false)

HEDDLE_OF_ANY HEDDLE_DEVICE void mbarrier_init(uint64_t* addr, uint32_t count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(heddle_shared(addr)), "r"(count) : "memory");
}
HEDDLE_OF_SCOPE HEDDLE_DEVICE void mbarrier_expect_tx(sem_relaxed_t, scope_t<Scope>, space_shared_t, uint64_t* addr,
                                                      uint32_t bytes) {
  HEDDLE_IN_SCOPE("mbarrier.expect_tx.relaxed", ".shared::cta.b64 [%0], %1;", ::"r"(heddle_shared(addr)), "r"(bytes)
                  : "memory");
}
HEDDLE_OF_SCOPE HEDDLE_DEVICE void mbarrier_expect_tx(sem_relaxed_t, scope_t<Scope>, space_cluster_t, uint64_t* addr,
                                                      uint32_t bytes) {
  HEDDLE_IN_SCOPE("mbarrier.expect_tx.relaxed", ".shared::cluster.b64 [%0], %1;", ::"r"(heddle_shared(addr)), "r"(bytes)
                  : "memory");
}

HEDDLE_OF_ANY HEDDLE_DEVICE uint64_t mbarrier_arrive(uint64_t* addr) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(heddle_shared(addr)) : "memory");
  return state;
}
HEDDLE_OF_ANY HEDDLE_DEVICE uint64_t mbarrier_arrive(uint64_t* addr, uint32_t count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(heddle_shared(addr)), "r"(count)
               : "memory");
  return state;
}
HEDDLE_OF_ANY HEDDLE_DEVICE uint64_t mbarrier_arrive_no_complete(uint64_t* addr, uint32_t count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(heddle_shared(addr)), "r"(count)
               : "memory");
  return state;
}
// At the block's own mbarrier, which gives a state, and at any of the cluster.
#define HEDDLE_ARRIVE(sem)                                                                                            \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE uint64_t mbarrier_arrive(sem_##sem##_t, scope_t<Scope>, space_shared_t,               \
                                                         uint64_t* addr) {                                            \
    uint64_t state;                                                                                                   \
    HEDDLE_IN_SCOPE("mbarrier.arrive." #sem, ".shared::cta.b64 %0, [%1];",                                            \
                    : "=l"(state)                                                                                     \
                    : "r"(heddle_shared(addr))                                                                        \
                    : "memory");                                                                                      \
    return state;                                                                                                     \
  }                                                                                                                   \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE uint64_t mbarrier_arrive(sem_##sem##_t, scope_t<Scope>, space_shared_t,               \
                                                         uint64_t* addr, uint32_t count) {                            \
    uint64_t state;                                                                                                   \
    HEDDLE_IN_SCOPE("mbarrier.arrive." #sem, ".shared::cta.b64 %0, [%1], %2;",                                        \
                    : "=l"(state)                                                                                     \
                    : "r"(heddle_shared(addr)), "r"(count)                                                            \
                    : "memory");                                                                                      \
    return state;                                                                                                     \
  }                                                                                                                   \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE uint64_t mbarrier_arrive_expect_tx(sem_##sem##_t, scope_t<Scope>, space_shared_t,     \
                                                                   uint64_t* addr, uint32_t bytes) {                  \
    uint64_t state;                                                                                                   \
    HEDDLE_IN_SCOPE("mbarrier.arrive.expect_tx." #sem, ".shared::cta.b64 %0, [%1], %2;",                              \
                    : "=l"(state)                                                                                     \
                    : "r"(heddle_shared(addr)), "r"(bytes)                                                            \
                    : "memory");                                                                                      \
    return state;                                                                                                     \
  }                                                                                                                   \
  HEDDLE_OF_ANY HEDDLE_DEVICE void mbarrier_arrive(sem_##sem##_t, scope_cluster_t, space_cluster_t, uint64_t* addr) { \
    asm volatile("mbarrier.arrive." #sem ".cluster.shared::cluster.b64 _, [%0];" ::"r"(heddle_shared(addr))           \
                 : "memory");                                                                                         \
  }                                                                                                                   \
  HEDDLE_OF_ANY HEDDLE_DEVICE void mbarrier_arrive(sem_##sem##_t, scope_cluster_t, space_cluster_t, uint64_t* addr,   \
                                                   uint32_t count) {                                                  \
    asm volatile("mbarrier.arrive." #sem ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(heddle_shared(addr)),      \
                 "r"(count)                                                                                           \
                 : "memory");                                                                                         \
  }                                                                                                                   \
  HEDDLE_OF_ANY HEDDLE_DEVICE void mbarrier_arrive_expect_tx(sem_##sem##_t, scope_cluster_t, space_cluster_t,         \
                                                             uint64_t* addr, uint32_t bytes) {                        \
    asm volatile("mbarrier.arrive.expect_tx." #sem                                                                    \
                 ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(heddle_shared(addr)),                              \
                 "r"(bytes)                                                                                           \
                 : "memory");                                                                                         \
  }
HEDDLE_ARRIVE(release)
HEDDLE_ARRIVE(relaxed)

// Whether the phase has completed: by its state or its parity, now or within a time.
#define HEDDLE_LOOK(instruction, operands, ...)                                                                   \
  uint32_t done;                                                                                                  \
  asm volatile("{\n.reg .pred p;\nmbarrier." instruction ".shared.b64 p, " operands ";\nselp.u32 %0, 1, 0, p;\n}" \
               : "=r"(done)                                                                                       \
               : "r"(heddle_shared(addr)), __VA_ARGS__                                                            \
               : "memory");                                                                                       \
  return done != 0
#define HEDDLE_LOOK_IN_SCOPE(instruction, operands, ...)                         \
  uint32_t done;                                                                 \
  HEDDLE_IN_SCOPE("{\n.reg .pred p;\nmbarrier." instruction,                     \
                  ".shared::cta.b64 p, " operands ";\nselp.u32 %0, 1, 0, p;\n}", \
                  : "=r"(done)                                                   \
                  : "r"(heddle_shared(addr)), __VA_ARGS__                        \
                  : "memory");                                                   \
  return done != 0
#define HEDDLE_WAIT(name, operation, word, constraint)                                                 \
  HEDDLE_OF_ANY HEDDLE_DEVICE bool name(uint64_t* addr, word phase) {                                  \
    HEDDLE_LOOK(operation, "[%1], %2", constraint(phase));                                             \
  }                                                                                                    \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE bool name(sem_acquire_t, scope_t<Scope>, uint64_t* addr, word phase) { \
    HEDDLE_LOOK_IN_SCOPE(operation ".acquire", "[%1], %2", constraint(phase));                         \
  }                                                                                                    \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE bool name(sem_relaxed_t, scope_t<Scope>, uint64_t* addr, word phase) { \
    HEDDLE_LOOK_IN_SCOPE(operation ".relaxed", "[%1], %2", constraint(phase));                         \
  }
#define HEDDLE_TRY(name, operation, word, constraint)                                                \
  HEDDLE_WAIT(name, operation, word, constraint)                                                     \
  HEDDLE_OF_ANY HEDDLE_DEVICE bool name(uint64_t* addr, word phase, uint32_t nanoseconds) {          \
    HEDDLE_LOOK(operation, "[%1], %2, %3", constraint(phase), "r"(nanoseconds));                     \
  }                                                                                                  \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE bool name(sem_acquire_t, scope_t<Scope>, uint64_t* addr, word phase, \
                                          uint32_t nanoseconds) {                                    \
    HEDDLE_LOOK_IN_SCOPE(operation ".acquire", "[%1], %2, %3", constraint(phase), "r"(nanoseconds)); \
  }                                                                                                  \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE bool name(sem_relaxed_t, scope_t<Scope>, uint64_t* addr, word phase, \
                                          uint32_t nanoseconds) {                                    \
    HEDDLE_LOOK_IN_SCOPE(operation ".relaxed", "[%1], %2, %3", constraint(phase), "r"(nanoseconds)); \
  }
HEDDLE_WAIT(mbarrier_test_wait, "test_wait", uint64_t, "l")
HEDDLE_WAIT(mbarrier_test_wait_parity, "test_wait.parity", uint32_t, "r")
HEDDLE_TRY(mbarrier_try_wait, "try_wait", uint64_t, "l")
HEDDLE_TRY(mbarrier_try_wait_parity, "try_wait.parity", uint32_t, "r")

// ---- copies ----

HEDDLE_OF_ANY HEDDLE_DEVICE void cp_async_mbarrier_arrive(uint64_t* bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(heddle_shared(bar)) : "memory");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void cp_async_mbarrier_arrive_noinc(uint64_t* bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(heddle_shared(bar)) : "memory");
}

HEDDLE_OF_ANY HEDDLE_DEVICE void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from,
                                               uint32_t bytes, uint64_t* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   heddle_shared(to)),
               "l"(heddle_global(from)), "r"(bytes), "r"(heddle_shared(bar))
               : "memory");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void cp_async_bulk(space_shared_t, space_global_t, void* to, const void* from,
                                               uint32_t bytes, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(heddle_shared(to)),
      "l"(heddle_global(from)), "r"(bytes), "r"(heddle_shared(bar))
      : "memory");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void cp_async_bulk(space_cluster_t, space_shared_t, void* to, const void* from,
                                               uint32_t bytes, uint64_t* remote_bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   heddle_shared(to)),
               "r"(heddle_shared(from)), "r"(bytes), "r"(heddle_shared(remote_bar))
               : "memory");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void cp_async_bulk(space_global_t, space_shared_t, void* to, const void* from,
                                               uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(heddle_global(to)),
               "r"(heddle_shared(from)), "r"(bytes)
               : "memory");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Number>
HEDDLE_DEVICE void cp_async_bulk_wait_group(n32_t<Number>) {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Number) : "memory");
}
template <int Number>
HEDDLE_DEVICE void cp_async_bulk_wait_group_read(n32_t<Number>) {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Number) : "memory");
}

// ---- reductions ----

template <typename Type>
using heddle_of_4 = typename ::std::enable_if<sizeof(Type) == 4>::type;
template <typename Type>
using heddle_of_8 = typename ::std::enable_if<sizeof(Type) == 8>::type;
#define HEDDLE_ONE HEDDLE_OF_ANY HEDDLE_DEVICE void
#define HEDDLE_OF_4        \
  template <typename Type> \
  HEDDLE_DEVICE heddle_of_4<Type>
#define HEDDLE_OF_8        \
  template <typename Type> \
  HEDDLE_DEVICE heddle_of_8<Type>

// Of many in shared memory to as many at another block's place, where bytes complete, or in global memory.
#define HEDDLE_REDUCE_FAR(which, Type, op, operation)                                                                  \
  which cp_reduce_async_bulk(space_cluster_t, space_shared_t, op_##op##_t, Type* to, const Type* from, uint32_t bytes, \
                             uint64_t* remote_bar) {                                                                   \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." operation            \
                 " [%0], [%1], %2, [%3];" ::"r"(heddle_shared(to)),                                                    \
                 "r"(heddle_shared(from)), "r"(bytes), "r"(heddle_shared(remote_bar))                                  \
                 : "memory");                                                                                          \
  }
#define HEDDLE_REDUCE(which, Type, op, operation)                                                     \
  which cp_reduce_async_bulk(space_global_t, space_shared_t, op_##op##_t, Type* to, const Type* from, \
                             uint32_t bytes) {                                                        \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation                      \
                 " [%0], [%1], %2;" ::"l"(heddle_global(to)),                                         \
                 "r"(heddle_shared(from)), "r"(bytes)                                                 \
                 : "memory");                                                                         \
  }
// Of one value.
#define HEDDLE_RED(which, Type, op, operation, constraint, word)                                     \
  which red_async(op_##op##_t, Type* to, const Type& value, uint64_t* remote_bar) {                  \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." operation \
                 " [%0], %1, [%2];" ::"r"(heddle_shared(to)),                                        \
                 constraint(__builtin_bit_cast(word, value)), "r"(heddle_shared(remote_bar))         \
                 : "memory");                                                                        \
  }
#define HEDDLE_FAR(which, Type, op, operation, constraint, word) \
  HEDDLE_REDUCE_FAR(which, Type, op, operation)                  \
  HEDDLE_RED(which, Type, op, operation, constraint, word)

HEDDLE_FAR(HEDDLE_OF_4, Type, and_op, "and.b32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_OF_4, Type, or_op, "or.b32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_OF_4, Type, xor_op, "xor.b32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, uint32_t, inc, "inc.u32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, uint32_t, dec, "dec.u32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, uint32_t, min, "min.u32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, uint32_t, max, "max.u32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, uint32_t, add, "add.u32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, int32_t, min, "min.s32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, int32_t, max, "max.s32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, int32_t, add, "add.s32", "r", uint32_t)
HEDDLE_FAR(HEDDLE_ONE, uint64_t, add, "add.u64", "l", uint64_t)
HEDDLE_FAR(HEDDLE_ONE, int64_t, add, "add.u64", "l", uint64_t)

HEDDLE_REDUCE(HEDDLE_OF_4, Type, and_op, "and.b32")
HEDDLE_REDUCE(HEDDLE_OF_4, Type, or_op, "or.b32")
HEDDLE_REDUCE(HEDDLE_OF_4, Type, xor_op, "xor.b32")
HEDDLE_REDUCE(HEDDLE_OF_8, Type, and_op, "and.b64")
HEDDLE_REDUCE(HEDDLE_OF_8, Type, or_op, "or.b64")
HEDDLE_REDUCE(HEDDLE_OF_8, Type, xor_op, "xor.b64")
HEDDLE_REDUCE(HEDDLE_ONE, uint32_t, inc, "inc.u32")
HEDDLE_REDUCE(HEDDLE_ONE, uint32_t, dec, "dec.u32")
HEDDLE_REDUCE(HEDDLE_ONE, uint32_t, min, "min.u32")
HEDDLE_REDUCE(HEDDLE_ONE, uint32_t, max, "max.u32")
HEDDLE_REDUCE(HEDDLE_ONE, uint32_t, add, "add.u32")
HEDDLE_REDUCE(HEDDLE_ONE, int32_t, min, "min.s32")
HEDDLE_REDUCE(HEDDLE_ONE, int32_t, max, "max.s32")
HEDDLE_REDUCE(HEDDLE_ONE, int32_t, add, "add.s32")
HEDDLE_REDUCE(HEDDLE_ONE, uint64_t, min, "min.u64")
HEDDLE_REDUCE(HEDDLE_ONE, uint64_t, max, "max.u64")
HEDDLE_REDUCE(HEDDLE_ONE, uint64_t, add, "add.u64")
HEDDLE_REDUCE(HEDDLE_ONE, int64_t, min, "min.s64")
HEDDLE_REDUCE(HEDDLE_ONE, int64_t, max, "max.s64")
HEDDLE_REDUCE(HEDDLE_ONE, int64_t, add, "add.u64")
HEDDLE_REDUCE(HEDDLE_ONE, float, add, "add.f32")
HEDDLE_REDUCE(HEDDLE_ONE, double, add, "add.f64")

// ---- stores ----

HEDDLE_OF_SIZE(4) HEDDLE_DEVICE void st_async(Type* to, const Type& value, uint64_t* remote_bar) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(heddle_shared(to)),
      "r"(__builtin_bit_cast(uint32_t, value)), "r"(heddle_shared(remote_bar))
      : "memory");
}
HEDDLE_OF_SIZE(8) HEDDLE_DEVICE void st_async(Type* to, const Type& value, uint64_t* remote_bar) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(heddle_shared(to)),
      "l"(__builtin_bit_cast(uint64_t, value)), "r"(heddle_shared(remote_bar))
      : "memory");
}
HEDDLE_OF_SIZE(4) HEDDLE_DEVICE void st_async(Type* to, const Type (&value)[2], uint64_t* remote_bar) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(
                   heddle_shared(to)),
               "r"(__builtin_bit_cast(uint32_t, value[0])), "r"(__builtin_bit_cast(uint32_t, value[1])),
               "r"(heddle_shared(remote_bar))
               : "memory");
}
HEDDLE_OF_SIZE(8) HEDDLE_DEVICE void st_async(Type* to, const Type (&value)[2], uint64_t* remote_bar) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(
                   heddle_shared(to)),
               "l"(__builtin_bit_cast(uint64_t, value[0])), "l"(__builtin_bit_cast(uint64_t, value[1])),
               "r"(heddle_shared(remote_bar))
               : "memory");
}
HEDDLE_OF_SIZE(4) HEDDLE_DEVICE void st_async(Type* to, const Type (&value)[4], uint64_t* remote_bar) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                   heddle_shared(to)),
               "r"(__builtin_bit_cast(uint32_t, value[0])), "r"(__builtin_bit_cast(uint32_t, value[1])),
               "r"(__builtin_bit_cast(uint32_t, value[2])), "r"(__builtin_bit_cast(uint32_t, value[3])),
               "r"(heddle_shared(remote_bar))
               : "memory");
}

// ---- fences and the cluster's barrier ----

#define HEDDLE_FENCE(sem)                                                                       \
  HEDDLE_OF_SCOPE HEDDLE_DEVICE void fence(sem_##sem##_t, scope_t<Scope>) {                     \
    if (Scope == dot_scope::cta) asm volatile("fence." #sem ".cta;" ::: "memory");              \
    else if (Scope == dot_scope::cluster) asm volatile("fence." #sem ".cluster;" ::: "memory"); \
    else if (Scope == dot_scope::gpu) asm volatile("fence." #sem ".gpu;" ::: "memory");         \
    else asm volatile("fence." #sem ".sys;" ::: "memory");                                      \
  }
HEDDLE_FENCE(sc)
HEDDLE_FENCE(acq_rel)
HEDDLE_FENCE(acquire)
HEDDLE_FENCE(release)
HEDDLE_OF_ANY HEDDLE_DEVICE void fence_mbarrier_init(sem_release_t, scope_cluster_t) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void fence_proxy_alias() { asm volatile("fence.proxy.alias;" ::: "memory"); }
HEDDLE_OF_ANY HEDDLE_DEVICE void fence_proxy_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
template <dot_space Space>
HEDDLE_DEVICE void fence_proxy_async(space_t<Space>) {
  if (Space == dot_space::global) asm volatile("fence.proxy.async.global;" ::: "memory");
  else if (Space == dot_space::cluster) asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
  else asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

HEDDLE_OF_ANY HEDDLE_DEVICE void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
HEDDLE_OF_ANY HEDDLE_DEVICE void barrier_cluster_arrive(sem_release_t) {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void barrier_cluster_arrive(sem_relaxed_t) {
  asm volatile("barrier.cluster.arrive.relaxed;");
}
HEDDLE_OF_ANY HEDDLE_DEVICE void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
HEDDLE_OF_ANY HEDDLE_DEVICE void barrier_cluster_wait(sem_acquire_t) {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// ---- special registers ----

// `how`: volatile where two reads may differ.
#define HEDDLE_REGISTER(how, word, constraint, name, instruction) \
  HEDDLE_OF_ANY HEDDLE_DEVICE word get_sreg_##name() {            \
    word value;                                                   \
    asm how(instruction : "=" constraint(value));                 \
    return value;                                                 \
  }
#define HEDDLE_WORD(name) HEDDLE_REGISTER(, uint32_t, "r", name, "mov.u32 %0, %%" #name ";")
#define HEDDLE_PART(name, part) HEDDLE_REGISTER(, uint32_t, "r", name##_##part, "mov.u32 %0, %%" #name "." #part ";")
#define HEDDLE_PARTS(name) HEDDLE_PART(name, x) HEDDLE_PART(name, y) HEDDLE_PART(name, z)
#define HEDDLE_CHANGING(name) HEDDLE_REGISTER(volatile, uint32_t, "r", name, "mov.u32 %0, %%" #name ";")
#define HEDDLE_CHANGING_64(name) HEDDLE_REGISTER(volatile, uint64_t, "l", name, "mov.u64 %0, %%" #name ";")
HEDDLE_PARTS(tid)
HEDDLE_PARTS(ntid)
HEDDLE_PARTS(ctaid)
HEDDLE_PARTS(nctaid)
HEDDLE_PARTS(clusterid)
HEDDLE_PARTS(nclusterid)
HEDDLE_PARTS(cluster_ctaid)
HEDDLE_PARTS(cluster_nctaid)
HEDDLE_WORD(cluster_ctarank)
HEDDLE_WORD(cluster_nctarank)
HEDDLE_WORD(laneid)
HEDDLE_CHANGING(warpid)
HEDDLE_CHANGING(nwarpid)
HEDDLE_CHANGING(smid)
HEDDLE_CHANGING(nsmid)
HEDDLE_CHANGING_64(gridid)
HEDDLE_WORD(lanemask_eq)
HEDDLE_WORD(lanemask_le)
HEDDLE_WORD(lanemask_lt)
HEDDLE_WORD(lanemask_ge)
HEDDLE_WORD(lanemask_gt)
HEDDLE_CHANGING(clock)
HEDDLE_CHANGING(clock_hi)
HEDDLE_CHANGING_64(clock64)
HEDDLE_CHANGING_64(globaltimer)
HEDDLE_CHANGING(globaltimer_lo)
HEDDLE_CHANGING(globaltimer_hi)
HEDDLE_WORD(total_smem_size)
HEDDLE_WORD(aggr_smem_size)
HEDDLE_WORD(dynamic_smem_size)
HEDDLE_OF_ANY HEDDLE_DEVICE bool get_sreg_is_explicit_cluster() {
  uint32_t is;
  asm("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(is));
  return is != 0;
}

}  // namespace ptx
}  // namespace cuda

#pragma pop_macro("HEDDLE_DEVICE")
#pragma pop_macro("HEDDLE_OF_ANY")
#pragma pop_macro("HEDDLE_OF_SCOPE")
#pragma pop_macro("HEDDLE_OF_SIZE")
#pragma pop_macro("HEDDLE_IN_SCOPE")
#pragma pop_macro("HEDDLE_ARRIVE")
#pragma pop_macro("HEDDLE_LOOK")
#pragma pop_macro("HEDDLE_LOOK_IN_SCOPE")
#pragma pop_macro("HEDDLE_WAIT")
#pragma pop_macro("HEDDLE_TRY")
#pragma pop_macro("HEDDLE_REDUCE_FAR")
#pragma pop_macro("HEDDLE_REDUCE")
#pragma pop_macro("HEDDLE_ONE")
#pragma pop_macro("HEDDLE_OF_4")
#pragma pop_macro("HEDDLE_OF_8")
#pragma pop_macro("HEDDLE_RED")
#pragma pop_macro("HEDDLE_FAR")
#pragma pop_macro("HEDDLE_FENCE")
#pragma pop_macro("HEDDLE_REGISTER")
#pragma pop_macro("HEDDLE_WORD")
#pragma pop_macro("HEDDLE_PART")
#pragma pop_macro("HEDDLE_PARTS")
#pragma pop_macro("HEDDLE_CHANGING")
#pragma pop_macro("HEDDLE_CHANGING_64")

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_CUDA_PTX_H_
