// SPDX-License-Identifier: Apache-2.0
// The waveform of a run: selected signals of the model, over a window of cycles, and a save file for GTKWave.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "heddle/result.h"
#include "sim/verilator/fst_trace.h"
#include "sim/verilator/fst_writer.h"
#include "sim/verilator/wave_options.h"
#include "sim/verilator/wave_rescue.h"
#include "sim/verilator/wave_save.h"
#include "sim/verilator/wave_selection.h"
#include "verilated_fst_c.h"

namespace heddle::rtl {

// A nanosecond of the file is a cycle. A waveform that cannot go on (a full disk) ends where it is, with a message on
// stderr; the simulation does not notice. Not thread-safe.
class Waves final : public TraceSink {
 public:
  // `attach` adds the model to the trace. Errors: no such scope or group, with what there is; no signal is in both;
  // the file cannot be written.
  static Result<std::unique_ptr<Waves>> open(const WaveOptions& options,
                                             const std::function<void(VerilatedFstC&)>& attach);
  // Ends the file. One that has no cycle of the window in it is removed, and the save file with it.
  ~Waves() override;

  // With WaveOptions::of_launch: where the window counts from. Later calls have no effect.
  void begin_at(uint64_t now);

  // After each clock cycle.
  void cycle(uint64_t now) {
    if (now >= begin_ && now <= end_) dump(now);
  }

  uint32_t enumeration(const std::string& name, const std::vector<std::string>& names,
                       const std::vector<std::string>& values) override;
  uint32_t declare(const Declaration& declaration) override;
  void time(uint64_t now) override { writer_.time(now); }
  void change(uint32_t handle, uint64_t value) override { writer_.change(handle, value); }
  void change(uint32_t handle, const uint32_t* words) override { writer_.change(handle, words); }

 private:
  Waves(const WaveOptions& options, WaveSelection selection);
  void dump(uint64_t now);
  void finish();

  const std::string file_;
  uint64_t begin_, end_;
  const uint64_t first_, last_;  // as asked for
  WaveSelection selection_;
  FstWriter writer_;
  std::unique_ptr<WaveRescue> rescue_;
  WaveSave save_;
  std::vector<std::string> at_;  // the scope in which the last signal was declared
  std::unique_ptr<VerilatedFstC> trace_;
};

}  // namespace heddle::rtl
