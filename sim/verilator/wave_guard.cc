// SPDX-License-Identifier: Apache-2.0
// wave_guard DIR PREFIX: lets a model's tracing pass over signals that no waveform wants.
//
// Verilator compares every signal of the model with its last value in each traced cycle, however few are kept. This
// takes the generated functions <prefix>…trace_chg_sub… and puts each run of some comparisons under a test of one byte,
// heddle_wave_wanted[run]; <prefix>_wave_runs.h lists the signals' codes run by run, so that fst_trace.cc can set it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr size_t kRun = 16;  // comparisons

[[noreturn]] void die(const std::string& message) {
  std::fprintf(stderr, "wave_guard: %s\n", message.c_str());
  std::exit(1);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) die("cannot read " + path.string());
  return out.str();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) die("cannot write " + path.string());
}

struct Run {
  unsigned first, last;  // codes
};

class Guard {
 public:
  Guard(std::string_view body, unsigned base, std::vector<Run>& runs) : text_(body), base_(base), runs_(runs) {}

  std::string rewrite() {
    block();
    if (at_ != text_.size()) die("a block ends that never began");
    return std::move(out_);
  }

 private:
  static constexpr std::string_view kActivity = "if (VL_UNLIKELY(";

  // Statements up to a closing brace or the end.
  void block() {
    for (;;) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) at_++;
      if (at_ == text_.size() || text_[at_] == '}') return flush();
      if (text_.substr(at_, kActivity.size()) == kActivity) {
        flush();
        const size_t open = text_.find('{', at_);
        out_ += std::string(text_.substr(at_, open + 1 - at_)) + "\n";
        at_ = open + 1;
        block();
        at_++;
        out_ += "}\n";
        continue;
      }
      const std::string_view s = statement();
      if (s.starts_with("bufp->chg")) compare(s);
      else prepare(s);
    }
  }

  // To its semicolon, or a braced statement with what follows after "else".
  std::string_view statement() {
    const size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); at_++) {
      const char c = text_[at_];
      if (c == '(' || c == '{') depth++;
      if (c == ')' || c == '}') depth--;
      if (depth < 0) die("brackets do not match");
      if (depth > 0 || (c != ';' && c != '}')) continue;
      if (c == '}' && text_.substr(at_ + 1, 5) == " else") continue;
      return text_.substr(begin, ++at_ - begin);
    }
    die("a statement has no end");
  }

  static std::set<std::string> temporaries(std::string_view s) {
    std::set<std::string> names;
    for (size_t i = s.find("__Vtemp_"); i != std::string_view::npos; i = s.find("__Vtemp_", i + 1))
      names.emplace(s.substr(i, s.find_first_of("[,); ", i) - i));
    return names;
  }

  // What fills temporaries stays with the comparisons that use them.
  void prepare(std::string_view s) {
    if (compared_ >= kRun) flush();
    for (const auto& name : temporaries(s)) filled_.insert(name);
    pending_ += std::string(s) + "\n";
  }

  void compare(std::string_view s) {
    const auto used = temporaries(s);
    bool here = false;
    for (const auto& name : used) here |= filled_.count(name) != 0;
    if (compared_ >= kRun && !here) flush();
    for (const auto& name : used)
      if (!filled_.count(name)) die("a temporary is used far from where it is filled: " + name);
    const size_t number = s.find("oldp+");
    if (number == std::string_view::npos) die("no code in: " + std::string(s.substr(0, 80)));
    const unsigned code = base_ + static_cast<unsigned>(std::strtoul(s.data() + number + 5, nullptr, 10));
    if (compared_ == 0) run_ = {code, code};
    run_.first = std::min(run_.first, code);
    run_.last = std::max(run_.last, code);
    compared_++;
    pending_ += std::string(s) + "\n";
  }

  void flush() {
    if (compared_ > 0) {
      out_ += "if (VL_UNLIKELY(wanted[" + std::to_string(runs_.size()) + "])) {\n" + pending_ + "}\n";
      runs_.push_back(run_);
    } else {
      out_ += pending_;
    }
    pending_.clear();
    filled_.clear();
    compared_ = 0;
  }

  std::string_view text_;
  const unsigned base_;
  std::vector<Run>& runs_;
  size_t at_ = 0;
  std::string out_, pending_;
  std::set<std::string> filled_;
  size_t compared_ = 0;
  Run run_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) die("usage: wave_guard DIR PREFIX");
  const fs::path dir = argv[1];
  const std::string prefix = argv[2];
  std::vector<Run> runs;
  for (int number = 0;; number++) {
    const fs::path file = dir / (prefix + "__Trace__" + std::to_string(number) + ".cpp");
    if (!fs::exists(file)) break;
    std::string text = read_file(file);
    for (size_t at = 0;;) {
      at = text.find("trace_chg_sub_", at);
      if (at == std::string::npos) break;
      const size_t line = text.find('\n', at);
      const size_t end = text.find("\n}\n", line);
      const size_t base = text.find("bufp->oldp(vlSymsp->__Vm_baseCode + ", line);
      const size_t body = text.find("    // Body\n", line);
      if (text[line - 1] != '{') {  // a declaration or a call
        at = line;
        continue;
      }
      if (end == std::string::npos || base > end || body > end) die(file.string() + ": no function as expected");
      const size_t begin = text.find('\n', body) + 1;
      const unsigned first = static_cast<unsigned>(std::strtoul(text.c_str() + text.find("+ ", base) + 2, nullptr, 10));
      Guard guard(std::string_view(text).substr(begin, end + 1 - begin), first, runs);
      const std::string guarded = "    const unsigned char* const wanted = heddle_wave_wanted;\n" + guard.rewrite();
      text.replace(begin, end + 1 - begin, guarded);
      at = begin + guarded.size();
    }
    const size_t include = text.find("#include");
    text.insert(include, "extern __thread const unsigned char* heddle_wave_wanted;\n");
    write_file(file, text);
  }
  if (runs.empty()) die("no tracing in " + dir.string());
  std::string header =
      "// Codes of the signals, run by run: first, last, from the model's first code on.\n"
      "inline constexpr unsigned kWaveRuns[][2] = {\n";
  for (const Run& run : runs) header += "{" + std::to_string(run.first) + ", " + std::to_string(run.last) + "},\n";
  write_file(dir / (prefix + "_wave_runs.h"), header + "};\n");
  std::printf("wave_guard: %zu runs\n", runs.size());
}
