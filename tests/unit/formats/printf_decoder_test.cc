// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/printf_decoder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "firmware/devrt/runtime_block.h"

namespace heddle::formats {
namespace {

// Device memory of one page, and an argument buffer packed as the compiler packs it.
class PrintfDecoder : public testing::Test {
 protected:
  static constexpr uint64_t kBase = 0x10000;

  uint64_t text(const std::string& s) {
    const uint64_t address = kBase + memory_.size();
    memory_.insert(memory_.end(), s.begin(), s.end());
    memory_.push_back(0);
    return address;
  }

  template <typename T>
  void push(T value) {
    while (arguments_.size() % sizeof(T)) arguments_.push_back(0);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    arguments_.insert(arguments_.end(), bytes, bytes + sizeof(T));
  }

  ReadMemory reader() {
    return [this](uint64_t address, void* to, size_t n) {
      if (address < kBase || address + n > kBase + memory_.size()) return false;
      std::memcpy(to, memory_.data() + (address - kBase), n);
      return true;
    };
  }

  std::string print(const std::string& format) { return format_printf(format, arguments_, reader()); }

  void add_printf(uint64_t format) {
    while (arguments_.size() % kRecordAlignment) arguments_.push_back(0);
    PrintfRecord record{{static_cast<unsigned>(sizeof(PrintfRecord) + arguments_.size()), kRecordPrintf}, format};
    append(&record, sizeof record);
    append(arguments_.data(), arguments_.size());
    arguments_.clear();
  }

  void append(const void* data, size_t n) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    fifo_.insert(fifo_.end(), bytes, bytes + n);
  }

  std::vector<uint8_t> memory_, arguments_, fifo_;
};

TEST_F(PrintfDecoder, TextWithoutConversionsIsKept) { EXPECT_EQ(print("100%% sure\n"), "100% sure\n"); }

TEST_F(PrintfDecoder, IntegersOfEveryWidth) {
  push(-5);
  push(7u);
  push(-1234567890123ll);
  push(0xdeadbeefcafeull);
  push(300);
  EXPECT_EQ(print("%d %u %lld %llx %hhd"), "-5 7 -1234567890123 deadbeefcafe 44");
}

TEST_F(PrintfDecoder, LongIsEightBytes) {
  push(1);
  push(-2ll);
  push(3ull);
  EXPECT_EQ(print("%d %ld %zu"), "1 -2 3");
}

TEST_F(PrintfDecoder, DoublesAfterAnIntAreAligned) {
  push(1);
  push(2.5);
  push(3);
  push(1e-3);
  EXPECT_EQ(print("%d %.2f %i %g"), "1 2.50 3 0.001");
}

TEST_F(PrintfDecoder, WidthAndPrecisionFromArguments) {
  push(6);
  push(2);
  push(3.14159);
  push(-4);
  push(7);
  EXPECT_EQ(print("[%*.*f] [%*d]"), "[  3.14] [7   ]");
}

TEST_F(PrintfDecoder, FlagsAreCs) {
  push(255);
  push(5);
  push(5);
  push(int{'x'});
  EXPECT_EQ(print("%#06x %+d %05d %c"), "0x00ff +5 00005 x");
}

TEST_F(PrintfDecoder, StringsComeFromDeviceMemory) {
  push(text("warp"));
  push(text(std::string(200, 'a')));
  push(uint64_t{0});
  EXPECT_EQ(print("%s %.3s %s"), "warp aaa (null)");
}

TEST_F(PrintfDecoder, AnUnreadableStringIsSaid) {
  push(uint64_t{0x99});
  EXPECT_EQ(print("<%s>"), "<(unreadable)>");
}

TEST_F(PrintfDecoder, PointersPrintInHexadecimal) {
  push(uint64_t{0x7f00});
  EXPECT_EQ(print("%p"), "0x7f00");
}

TEST_F(PrintfDecoder, MissingArgumentsAreMarked) { EXPECT_EQ(print("%d %f"), "? ?"); }

TEST_F(PrintfDecoder, UnknownConversionsAreKept) { EXPECT_EQ(print("%y 50%"), "%y 50%"); }

TEST_F(PrintfDecoder, RecordsDecodeInOrderUpToTheEndMark) {
  push(1);
  add_printf(text("first %d\n"));
  add_printf(text("second\n"));
  const uint64_t zero = 0;
  append(&zero, 8);
  append(&zero, 8);
  const auto output = decode_fifo(fifo_, reader());
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->standard_output, "first 1\nsecond\n");
  EXPECT_EQ(output->printfs, 2u);
}

TEST_F(PrintfDecoder, AnAssertReadsAsCudas) {
  AssertRecord record = {};
  record.header = {sizeof record, kRecordAssert};
  record.message = text("x == 1");
  record.file = text("file.cu");
  record.function = text("void asrt(int)");
  record.line = 9;
  record.thread[0] = 3;
  append(&record, sizeof record);
  const auto output = decode_fifo(fifo_, reader());
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->standard_error,
            "file.cu:9: void asrt(int): block: [0,0,0], thread: [3,0,0] Assertion `x == 1` failed.\n");
  EXPECT_EQ(output->asserts, 1u);
}

TEST_F(PrintfDecoder, ARecordBeyondTheFifoIsAnError) {
  const RecordHeader header = {4096, kRecordPrintf};
  append(&header, sizeof header);
  const auto output = decode_fifo(fifo_, reader());
  ASSERT_FALSE(output.ok());
  EXPECT_NE(output.error().message().find("offset 0"), std::string::npos);
}

TEST_F(PrintfDecoder, AnUnknownKindIsAnError) {
  const RecordHeader header = {8, 77};
  append(&header, sizeof header);
  EXPECT_FALSE(decode_fifo(fifo_, reader()).ok());
}

}  // namespace
}  // namespace heddle::formats
