// SPDX-License-Identifier: Apache-2.0
// Verilator's class VerilatedFst, told anew: what the model declares and changes goes to a TraceSink. It stands in
// the place of verilated_fst_c.cpp, which writes the file itself, through mapped scratch files.
#include "sim/verilator/fst_trace.h"

#include <algorithm>
#include <sstream>

#include "Vgpu_wave_runs.h"
#include "verilated.h"
#include "verilated_config.h"
#include "verilated_fst_c.h"

#if VERILATOR_VERSION_INTEGER != 5006000
#error "fst_trace.cc stands in for a class of Verilator 5.006; with another version configure with -DHEDDLE_WAVES=OFF"
#endif

#define VL_SUB_T VerilatedFst
#define VL_BUF_T VerilatedFstBuffer
#include "verilated_trace_imp.h"
#undef VL_SUB_T
#undef VL_BUF_T

// What the model's tracing looks at; set for each cycle, for a process may have several devices.
__thread const unsigned char* heddle_wave_wanted = nullptr;

namespace {

heddle::rtl::TraceSink& sink(void* fst) { return *static_cast<heddle::rtl::TraceSink*>(fst); }

}  // namespace

// The argument of VerilatedFstC's constructor, a TraceSink that outlives this. Until open() it waits in a member that
// is not needed here, for m_fst means "open".
VerilatedFst::VerilatedFst(void* fst) : m_strbufp(static_cast<char*>(fst)) {}

VerilatedFst::~VerilatedFst() { delete[] m_symbolp; }

void VerilatedFst::open(const char*) VL_MT_SAFE_EXCLUDES(m_mutex) {
  const VerilatedLockGuard lock{m_mutex};
  m_fst = m_strbufp;
  fullDump(true);
  Super::traceInit();
  delete[] m_symbolp;
  m_symbolp = new fstHandle[nextCode()]{0};
  for (const auto& [code, handle] : m_code2symbol) m_symbolp[code] = handle;
  m_code2symbol.clear();
  auto& wanted = sink(m_fst).wanted;
  for (const auto& [first, last] : kWaveRuns)  // counted from code 1, the first of a trace
    wanted.push_back(std::any_of(m_symbolp + 1 + first, m_symbolp + 1 + last + 1, [](fstHandle h) { return h != 0; }));
}

void VerilatedFst::close() VL_MT_SAFE_EXCLUDES(m_mutex) {}
void VerilatedFst::flush() VL_MT_SAFE_EXCLUDES(m_mutex) {}

void VerilatedFst::emitTimeChange(uint64_t now) {
  heddle_wave_wanted = sink(m_fst).wanted.data();
  sink(m_fst).time(now);
}

// ---- declarations -----------------------------------------------------------------------------------

void VerilatedFst::declDTypeEnum(int number, const char* name, uint32_t count, unsigned int bits, const char** names,
                                 const char** values) {
  std::vector<std::string> digits(values, values + count);
  for (std::string& v : digits) v.insert(0, v.size() < bits ? bits - v.size() : 0, '0');
  m_local2fstdtype[number] = sink(m_fst).enumeration(name, std::vector<std::string>(names, names + count), digits);
}

void VerilatedFst::declare(uint32_t code, const char* name, int dtype, fstVarDir direction, fstVarType type, bool array,
                           int element, bool bussed, int msb, int lsb) {
  const int bits = std::max(msb, lsb) - std::min(msb, lsb) + 1;
  Super::declCode(code, name, static_cast<uint32_t>(bits), false);
  heddle::rtl::Declaration d{};
  std::istringstream words(namePrefix() + name);
  for (std::string word; words >> word;) d.scopes.push_back(word);
  d.name = d.scopes.back();
  d.scopes.pop_back();
  if (array) d.name += "[" + std::to_string(element) + "]";
  if (bussed) d.range = " [" + std::to_string(msb) + ":" + std::to_string(lsb) + "]";
  d.bits = static_cast<uint32_t>(bits);
  d.type = type;
  d.direction = direction;
  if (dtype > 0) d.enumeration = m_local2fstdtype[dtype];
  const auto known = m_code2symbol.find(code);
  d.alias = known == m_code2symbol.end() ? 0 : known->second;
  if (const uint32_t handle = sink(m_fst).declare(d)) m_code2symbol[code] = handle;
}

void VerilatedFst::declEvent(uint32_t code, const char* name, int dtype, fstVarDir dir, fstVarType type, bool array,
                             int element) {
  declare(code, name, dtype, dir, type, array, element, false, 0, 0);
}
void VerilatedFst::declBit(uint32_t code, const char* name, int dtype, fstVarDir dir, fstVarType type, bool array,
                           int element) {
  declare(code, name, dtype, dir, type, array, element, false, 0, 0);
}
void VerilatedFst::declBus(uint32_t code, const char* name, int dtype, fstVarDir dir, fstVarType type, bool array,
                           int element, int msb, int lsb) {
  declare(code, name, dtype, dir, type, array, element, true, msb, lsb);
}
void VerilatedFst::declQuad(uint32_t code, const char* name, int dtype, fstVarDir dir, fstVarType type, bool array,
                            int element, int msb, int lsb) {
  declare(code, name, dtype, dir, type, array, element, true, msb, lsb);
}
void VerilatedFst::declArray(uint32_t code, const char* name, int dtype, fstVarDir dir, fstVarType type, bool array,
                             int element, int msb, int lsb) {
  declare(code, name, dtype, dir, type, array, element, true, msb, lsb);
}
// The GPU has no reals; one would show its bits.
void VerilatedFst::declDouble(uint32_t code, const char* name, int dtype, fstVarDir dir, fstVarType type, bool array,
                              int element) {
  declare(code, name, dtype, dir, type, array, element, false, 63, 0);
}

// ---- buffers: one, without threads -------------------------------------------------------------------

VerilatedFst::Buffer* VerilatedFst::getTraceBuffer() { return new Buffer{*this}; }
void VerilatedFst::commitTraceBuffer(VerilatedFst::Buffer* buffer) { delete buffer; }
void VerilatedFst::configure(const VerilatedTraceConfig&) {}

// ---- changes; they come from verilated_trace_imp.h only, so are inlined there --------------------------

VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitEvent(uint32_t code, VlEvent) {
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, uint64_t{1});
}
VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitBit(uint32_t code, CData value) {
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, uint64_t{value});
}
VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitCData(uint32_t code, CData value, int) {
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, uint64_t{value});
}
VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitSData(uint32_t code, SData value, int) {
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, uint64_t{value});
}
VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitIData(uint32_t code, IData value, int) {
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, uint64_t{value});
}
VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitQData(uint32_t code, QData value, int) {
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, uint64_t{value});
}
VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitWData(uint32_t code, const WData* words, int) {
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, words);
}
VL_ATTR_ALWINLINE
void VerilatedFstBuffer::emitDouble(uint32_t code, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (const fstHandle handle = m_symbolp[code]) sink(m_fst).change(handle, bits);
}
