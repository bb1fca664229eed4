// SPDX-License-Identifier: Apache-2.0
// Writes an FST waveform file (the format of GTKWave, of two-valued signals).
//
// Names come first, then one block after another, each a stretch of time, each written whole by plain write(): at
// every moment the file can be read up to its last block, also after kill -9. All else lies in memory. So a disk that
// runs full ends the waveform, never the process: the writer Verilator ships maps scratch files, and dies by SIGBUS.
//
//   FstWriter fst("run.fst");
//   fst.scope(FST_ST_VCD_MODULE, "gpu");
//   const uint32_t pc = fst.variable(FST_VT_SV_LOGIC, FST_VD_IMPLICIT, 32, "pc [31:0]", 0);
//   if (auto ok = fst.begin(); !ok) …
//   fst.time(17);
//   fst.change(pc, words);
//   if (auto ok = fst.close(); !ok) …
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::rtl {

class FstWriter {
 public:
  // `block_bytes` of changes make a block, fewer at the beginning.
  explicit FstWriter(std::string file, size_t block_bytes = size_t{8} << 20);
  ~FstWriter();
  FstWriter(const FstWriter&) = delete;
  FstWriter& operator=(const FstWriter&) = delete;

  // ---- names; types and directions are the numbers of fstapi.h --------------------------------------
  void scope(unsigned type, std::string_view name);
  void up_scope();
  // A table of an enumeration's names, and the mark that the next variable shows them. Values in binary digits.
  uint32_t enumeration(std::string_view name, const std::vector<std::string>& names,
                       const std::vector<std::string>& values);
  void enumeration_of_next(uint32_t table);
  // Returns the handle, from 1; `alias`: the handle of the same signal under another name, 0: none.
  uint32_t variable(unsigned type, unsigned direction, uint32_t bits, std::string_view name, uint32_t alias);
  uint32_t variables() const { return static_cast<uint32_t>(signals_.size()); }

  // Makes the file. Errors: it cannot be made, or has no room for the names; then there is none.
  Status begin();

  // ---- values ---------------------------------------------------------------------------------------
  // Times go up. After a failed write nothing more is kept.
  void time(uint64_t now);
  // Bit 0 is bit 0 of words[0].
  void change(uint32_t handle, const uint32_t* words);
  void change(uint32_t handle, uint64_t value);

  // Why the waveform ended early, at time last(); no error while all is well.
  const Status& state() const { return state_; }
  uint64_t last() const { return written_; }  // what the file reaches
  bool empty() const { return blocks_ == 0; }
  // Writes what is left. The file is whole afterwards, also when this fails; one without any value is removed.
  Status close();
  // Writes it by system calls alone, in a signal handler of a process that is about to die.
  void rescue();

 private:
  struct Signal {
    uint32_t bits;
    size_t value;                  // place of its last value in values_, bytes from the most significant on
    uint32_t index = 0;            // of the time of its last change in this block
    std::vector<uint8_t> changes;  // as the file has them
  };

  void attribute(unsigned subtype, std::string_view name, uint64_t argument);
  void record(Signal& signal, const uint8_t* value);
  void begin_block();
  void write_block(bool dying);
  void write_header();
  void update_header();
  template <typename Sink>
  void block(Sink& out, uint64_t length, bool compress);
  bool append(const void* data, size_t bytes);

  const std::string file_;
  const size_t block_bytes_;
  int descriptor_ = -1;
  uint64_t end_ = 0;  // of the whole blocks in the file
  Status state_;

  std::string names_;  // as the file has them, before compression
  uint64_t scopes_ = 0, names_count_ = 0, tables_ = 0;
  std::vector<Signal> signals_;

  std::vector<uint8_t> values_;   // of all signals, now
  std::vector<uint8_t> scratch_;  // a wide value on its way
  std::string frame_;             // of all signals as the block began, a digit a bit
  std::vector<uint8_t> times_;    // of the block
  uint64_t time_count_ = 0, changed_bytes_ = 0, blocks_ = 0;
  uint64_t first_ = 0, block_begin_ = 0, now_ = 0, written_ = 0;
  bool timed_ = false, open_block_ = false;
};

}  // namespace heddle::rtl
