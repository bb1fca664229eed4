// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/waves.h"

#include <algorithm>
#include <cstdio>

namespace heddle::rtl {
namespace {

constexpr uint64_t kNever = UINT64_MAX, kNotYet = UINT64_MAX - 1;

}  // namespace

Waves::Waves(const WaveOptions& options, WaveSelection selection)
    : file_(options.file),
      begin_(options.of_launch ? kNotYet : options.begin),
      end_(options.end),
      first_(options.begin),
      last_(options.end),
      selection_(std::move(selection)),
      writer_(options.file),
      save_(options.file, options.begin) {}

Result<std::unique_ptr<Waves>> Waves::open(const WaveOptions& options,
                                           const std::function<void(VerilatedFstC&)>& attach) {
  auto selection = WaveSelection::parse(options.scopes, options.groups);
  if (!selection) return selection.error();
  std::unique_ptr<Waves> waves(new Waves(options, std::move(*selection)));
  waves->writer_.scope(FST_ST_VCD_MODULE, "gpu");
  waves->trace_ = std::make_unique<VerilatedFstC>(static_cast<TraceSink*>(waves.get()));
  attach(*waves->trace_);
  waves->trace_->open("");  // declares all signals
  if (auto ok = waves->selection_.check(); !ok) return ok.error();
  if (waves->writer_.variables() == 0)
    return Error("waveform " + options.file + ": no signal of the groups '" + options.groups + "' is in the scopes '" +
                 options.scopes + "'");
  if (auto ok = waves->writer_.begin(); !ok) return ok.error().context("waveform " + options.file);
  waves->rescue_ = std::make_unique<WaveRescue>(waves->writer_);
  // The waveform is of use without it.
  if (auto ok = waves->save_.write(); !ok) std::fprintf(stderr, "heddle: %s\n", ok.error().message().c_str());
  return waves;
}

void Waves::begin_at(uint64_t now) {
  if (begin_ != kNotYet) return;
  begin_ = now + first_;
  end_ = last_ < kNotYet - now ? now + last_ : kNotYet;
}

Waves::~Waves() {
  finish();
  if (writer_.empty()) save_.remove();
}

uint32_t Waves::enumeration(const std::string& name, const std::vector<std::string>& names,
                            const std::vector<std::string>& values) {
  return writer_.enumeration(name, names, values);
}

uint32_t Waves::declare(const Declaration& d) {
  const WavePath path = wave_path(d.scopes);
  if (!path.shown || !selection_.wants(path.scopes, d.name)) return 0;
  const auto [left, entered] = std::mismatch(at_.begin(), at_.end(), path.scopes.begin(), path.scopes.end());
  for (auto scope = left; scope != at_.end(); ++scope) writer_.up_scope();
  for (auto scope = entered; scope != path.scopes.end(); ++scope) writer_.scope(FST_ST_VCD_MODULE, *scope);
  at_ = path.scopes;
  if (d.enumeration) writer_.enumeration_of_next(d.enumeration);
  save_.add(path.scopes, d.name, d.range, d.bits);
  return writer_.variable(d.type, d.direction, d.bits, d.name + d.range, d.alias);
}

void Waves::dump(uint64_t now) {
  {
    const WaveRescue::Change change(*rescue_);
    if (!change.allowed()) return;
    trace_->dump(now);
  }
  if (now == end_ || !writer_.state()) finish();
}

void Waves::finish() {
  if (begin_ == kNever) return;
  begin_ = kNever, end_ = 0;
  rescue_.reset();
  if (auto ok = writer_.close(); !ok && trace_)
    std::fprintf(stderr, "heddle: waveform %s ends at cycle %llu: %s\n", file_.c_str(),
                 static_cast<unsigned long long>(writer_.last()), ok.error().message().c_str());
}

}  // namespace heddle::rtl
