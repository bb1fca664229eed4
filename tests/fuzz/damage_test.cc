// SPDX-License-Identifier: Apache-2.0
// Damaged text and damaged cubins without libFuzzer: sound ones with bytes, words and lines changed, moved, doubled,
// taken out. HEDDLE_DAMAGED=n: so many of each; the file that breaks something is left in the test's folder as
// damaged.ptx or .cubin.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/random/check.h"
#include "tests/fuzz/inputs.h"
#include "tests/rounds.h"

namespace heddle::fuzz {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

// Sound programs: those of the tests, and random ones.
std::vector<Bytes> sound_ptx() {
  std::vector<Bytes> out;
  for (const char* folder : {"/compiler/ptx/good", "/programs/ptx"})
    for (const auto& entry : fs::directory_iterator(std::string(HEDDLE_TESTS_DIR) + folder)) {
      constexpr uint64_t kLargest = 32 << 10;  // damage to a line of thousands teaches little
      if (entry.path().extension() != ".ptx" || entry.file_size() > kLargest) continue;
      std::ifstream in(entry.path());
      out.push_back(bytes_of({std::istreambuf_iterator<char>(in), {}}));
    }
  for (unsigned n = 0; n < 8; n++)
    out.push_back(bytes_of(
        to_ptx(compiler::test::random_case(n, {.phases = 1 + n % 2, .functions = n % 3, .statements = 4}).program)));
  return out;
}

class Damage {
 public:
  explicit Damage(uint64_t seed) : random_(seed) {}

  Bytes operator()(const std::vector<Bytes>& sound) {
    Bytes b = sound[below(sound.size())];
    for (size_t n = 1 + below(4); n-- > 0 && !b.empty();) once(b, sound[below(sound.size())]);
    return b;
  }

 private:
  size_t below(size_t n) { return n ? random_() % n : 0; }
  // A word (between blanks and commas) or line, or just some bytes: begin and end.
  std::pair<size_t, size_t> piece(const Bytes& b) {
    const size_t at = below(b.size());
    const auto ends = [&](uint8_t c, bool line) {
      return line ? c == '\n' : c == ' ' || c == ',' || c == '\n' || c == ';' || c == '.';
    };
    if (below(3) == 0) return {at, std::min(b.size(), at + 1 + below(16))};
    const bool line = below(2);
    size_t first = at, last = at;
    while (first > 0 && !ends(b[first - 1], line)) first--;
    while (last < b.size() && !ends(b[last], line)) last++;
    return {first, std::min(b.size(), last + line)};
  }
  void once(Bytes& b, const Bytes& other) {
    const auto at = [&](size_t n) { return b.begin() + static_cast<ptrdiff_t>(n); };
    const auto [first, last] = piece(b);
    const auto [from, to] = piece(other);
    switch (below(8)) {
      case 0: b[first] ^= static_cast<uint8_t>(1u << below(8)); break;
      case 1: b[first] = static_cast<uint8_t>(random_()); break;
      case 2: b.erase(at(first), at(last)); break;
      case 3: b.resize(first); break;
      case 4: {  // a number of 32 bits gets an awkward value
        constexpr uint32_t kAwkward[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, 0x10000};
        const uint32_t v = kAwkward[below(std::size(kAwkward))];
        for (size_t k = 0; k < 4 && first + k < b.size(); k++) b[first + k] = static_cast<uint8_t>(v >> 8 * k);
        break;
      }
      case 5: {
        const Bytes copy(at(first), at(last));
        b.insert(at(below(b.size())), copy.begin(), copy.end());
        break;
      }
      default:
        b.erase(at(first), at(last));
        b.insert(at(first), other.begin() + static_cast<ptrdiff_t>(from), other.begin() + static_cast<ptrdiff_t>(to));
    }
  }

  std::mt19937_64 random_;
};

void feed(const std::vector<Bytes>& sound, const char* file, bool (*take)(std::span<const uint8_t>)) {
  for (const Bytes& b : sound) EXPECT_TRUE(take(b));
  Damage damage(compiler::test::seed());
  const auto count = compiler::test::environment("HEDDLE_DAMAGED", test::rounds(3000));
  unsigned accepted = 0;
  for (uint64_t n = 0; n < count; n++) {
    const Bytes b = damage(sound);
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(b.data()), static_cast<std::streamsize>(b.size()));
    const auto start = std::chrono::steady_clock::now();
    accepted += take(b);
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << "see " << file;
  }
  fs::remove(file);
  std::printf("%u of %llu were sound still\n", accepted, static_cast<unsigned long long>(count));
  EXPECT_GT(accepted, 0u);
  EXPECT_LT(accepted, count);
}

TEST(Damaged, TextIsRefusedOrCompiles) { feed(sound_ptx(), "damaged.ptx", take_ptx); }

TEST(Damaged, CubinsAreRefusedOrHoldTogether) {
  std::vector<Bytes> sound;
  for (const Bytes& text : sound_ptx()) {
    compiler::CompileOptions options;
    options.libraries = devrt::libraries<compiler::PtxSource>(true);
    const auto compiled = compiler::compile({"sound.ptx", {text.begin(), text.end()}}, options);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message();
    sound.push_back(serialize(compiled->cubin));
  }
  feed(sound, "damaged.cubin", take_cubin);
}

// Code with bits changed runs to an end, a fault or the limit: never past the model's own memory, never for ever.
TEST(Damaged, CodeComesToAnEndOnTheModel) {
  using namespace compiler::test;
  const uint64_t base = seed();
  const uint64_t count = environment("HEDDLE_DAMAGED", heddle::test::rounds(300));
  std::mt19937_64 random(base);
  unsigned ended = 0;
  for (uint64_t n = 0; n < count; n++) {
    const Case c = random_case(base + n / 20, {.phases = 2, .functions = 2, .statements = 6});
    auto compiled = compiler::compile({"sound.ptx", to_ptx(c.program)});
    ASSERT_TRUE(compiled.ok()) << compiled.error().message();
    std::vector<uint64_t>& code = compiled->cubin.code;
    for (uint64_t k = 1 + random() % 4; k-- > 0;) {
      uint64_t& word = code[random() % code.size()];
      word = random() % 3   ? word ^ uint64_t { 1 } << random() % 64
             : random() % 2 ? code[random() % code.size()]
                            : random();
    }
    const auto run =
        run_on_model(compiled->cubin, "k", buffer_of(c.input), {}, {.threads = kThreads, .instruction_limit = 100'000});
    if (!run) {
      EXPECT_FALSE(run.error().message().empty());
    }
    ended += run.ok();
  }
  std::printf("%u of %llu ran to the kernel's end\n", ended, static_cast<unsigned long long>(count));
  EXPECT_GT(ended, 0u);
  EXPECT_LT(ended, count);
}

}  // namespace
}  // namespace heddle::fuzz
