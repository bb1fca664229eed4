// SPDX-License-Identifier: Apache-2.0
// share DIR PREFIX: makes the instances of a module use one copy of their code.
//
// Verilator writes a C++ function an instance, even when the instances differ in nothing but the serial
// numbers of temporaries and labels. This takes the generated files of a model, finds functions that are
// equal up to those numbers, keeps the first of each and lets the others' callers call it: the
// instance is an argument already. The default preset's model becomes several times smaller, and so do its
// compile time and its instruction cache misses.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fs = std::filesystem;

namespace {

[[noreturn]] void die(const std::string& message) {
  std::fprintf(stderr, "share: %s\n", message.c_str());
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

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// A name whose serial numbers mean nothing: a temporary of an inlined function or task, a label, or
// a temporary of an expression.
bool is_serial(std::string_view word) {
  for (const std::string_view start : {"__Vfunc_", "__Vtask_", "__Vlabel", "__Vtemp_", "__Vilp"})
    if (word.substr(0, start.size()) == start) return true;
  return false;
}

// The body with serial names numbered by their first appearance, white space only between words, and without
// debugging messages, which name the instance.
std::string canonical(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  std::unordered_map<std::string_view, size_t> serials;
  size_t i = 0;
  bool space = false;
  while (i < body.size()) {
    const char c = body[i];
    if (std::isspace(static_cast<unsigned char>(c))) {
      space = true;
      i++;
      continue;
    }
    if (is_word(c)) {
      size_t end = i;
      while (end < body.size() && is_word(body[end])) end++;
      const std::string_view word = body.substr(i, end - i);
      i = end;
      if (word == "VL_DEBUG_IF") {  // VL_DEBUG_IF(VL_DBG_MSGF("+ …\n"); );
        i = body.find("\n", i);
        continue;
      }
      if (space && !out.empty() && is_word(out.back())) out += ' ';
      if (is_serial(word)) {
        const size_t number = serials.emplace(word, serials.size()).first->second;
        out += "__V#" + std::to_string(number);
      } else {
        out += word;
      }
    } else {
      out += c;
      i++;
    }
    space = false;
  }
  return out;
}

struct Function {
  fs::path file;
  std::string name, signature;  // signature: what follows the name
  size_t begin, end;            // in the file's text
};

// Definitions `[VL_INLINE_OPT |VL_ATTR_COLD ]void <prefix>…(…) {` that begin at a line's start and end with a lone "}".
std::vector<Function> functions(const fs::path& file, const std::string& text, const std::string& prefix) {
  std::vector<Function> found;
  size_t line = 0;
  while (line < text.size()) {
    size_t next = text.find('\n', line);
    next = next == std::string::npos ? text.size() : next + 1;
    std::string_view head(text.data() + line, next - line);
    for (const std::string_view attribute : {"VL_INLINE_OPT ", "VL_ATTR_COLD "})
      if (head.substr(0, attribute.size()) == attribute) head.remove_prefix(attribute.size());
    if (head.substr(0, 5 + prefix.size()) == "void " + prefix && head.find(") {") != std::string_view::npos) {
      const size_t open = head.find('(');
      const size_t close = text.find("\n}\n", line);
      if (close == std::string::npos) die(file.string() + ": no end of a function");
      Function f{file, std::string(head.substr(5, open - 5)), std::string(head.substr(open)), line, close + 3};
      // Only methods of a module's class: their first argument is the instance.
      if (f.signature.find(" vlSelf") != std::string::npos) found.push_back(f);
      next = close + 3;
    }
    line = next;
  }
  return found;
}

// The instance's place that a function's name tells, as messages write it: gpu.g_sm[0].u_sm of
// …__TOP__gpu__DOT__g_sm__BRA__0__KET____DOT__u_sm__3; empty where it tells none.
std::string instance_of(const std::string& name) {
  constexpr std::string_view kTop = "__TOP__";
  size_t i = name.find(kTop);
  if (i == std::string::npos) return {};
  size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1]))) end--;
  if (end == name.size() || end < 2 || name.compare(end - 2, 2, "__") != 0) return {};
  end -= 2;
  std::string path;
  for (i += kTop.size(); i < end;) {
    if (name.compare(i, 7, "__DOT__") == 0) {
      path += '.', i += 7;
    } else if (name.compare(i, 7, "__BRA__") == 0) {
      path += '[', i += 7;
    } else if (name.compare(i, 7, "__KET__") == 0) {
      path += ']', i += 7;
    } else {
      path += name[i++];
    }
  }
  return path;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  size_t from = 0;
  for (size_t at; (at = text.find(what, from)) != std::string_view::npos; from = at + what.size()) {
    out += text.substr(from, at - from);
    out += with;
  }
  out += text.substr(from);
  return out;
}

size_t occurrences(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) count++;
  return count;
}

// Where the statement that begins at `at` ends, behind its semicolon.
size_t statement_end(std::string_view text, size_t at) {
  bool quoted = false;
  for (; at < text.size(); at++) {
    if (quoted && text[at] == '\\') {
      at++;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (text[at] == ';' && !quoted) {
      return at + 1;
    }
  }
  return text.size();
}

// The file with the messages of its functions ("%N" prints a name and a dot) naming their place by the instance's own
// name, where Verilator writes it out: they print the same, and instances then have the same text.
std::string with_own_names(const fs::path& file, const std::string& text, const std::string& prefix) {
  constexpr std::string_view kMessage = "VL_WRITEF(", kName = "%N", kTopName = "vlSymsp->name()";
  std::string out;
  size_t from = 0;
  for (const Function& f : functions(file, text, prefix)) {
    const std::string path = instance_of(f.name);
    if (path.empty()) continue;
    const std::string place = std::string(kName) + path + '.';
    for (size_t at = text.find(kMessage, f.begin); at < f.end; at = text.find(kMessage, at)) {
      const size_t end = statement_end(text, at);
      const std::string_view message = std::string_view(text).substr(at, end - at);
      const size_t names = occurrences(message, kName);
      if (names != 0 && occurrences(message, place) == names && occurrences(message, kTopName) == names) {
        out.append(text, from, at - from);
        out += replaced(replaced(message, place, kName), kTopName, "vlSelf->name()");
        from = end;
      }
      at = end;
    }
  }
  out.append(text, from);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) die("usage: share DIR PREFIX");
  const fs::path dir = argv[1];
  const std::string prefix = argv[2];

  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(dir))
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  std::sort(files.begin(), files.end());

  std::map<fs::path, std::string> texts;
  std::set<fs::path> renamed_in;  // whose messages were changed
  std::vector<Function> all;
  for (const fs::path& file : files) {
    const std::string written = read_file(file);
    const std::string& text = texts[file] = with_own_names(file, written, prefix);
    if (text != written) renamed_in.insert(file);
    for (Function& f : functions(file, text, prefix)) all.push_back(std::move(f));
  }

  std::unordered_map<std::string, std::string> kept;          // canonical text -> name
  std::unordered_map<std::string, std::string> replacements;  // dropped name -> kept name
  std::map<fs::path, std::vector<const Function*>> dropped;
  for (const Function& f : all) {
    const std::string& text = texts[f.file];
    const size_t body = text.find('\n', f.begin);
    const auto [at, is_new] =
        kept.emplace(f.signature + canonical(std::string_view(text).substr(body, f.end - body)), f.name);
    if (is_new) continue;
    replacements[f.name] = at->second;
    dropped[f.file].push_back(&f);
  }

  for (auto& [file, text] : texts) {
    std::string out;
    out.reserve(text.size());
    size_t from = 0;
    for (const Function* f : dropped[file]) {
      out.append(text, from, f->begin - from);
      from = f->end;
    }
    out.append(text, from);
    // Calls and declarations.
    std::string renamed;
    renamed.reserve(out.size());
    bool changed = from != 0 || renamed_in.contains(file);
    for (size_t i = 0; i < out.size();) {
      if (!is_word(out[i])) {
        renamed += out[i++];
        continue;
      }
      size_t end = i;
      while (end < out.size() && is_word(out[end])) end++;
      const std::string word = out.substr(i, end - i);
      const auto at = word.compare(0, prefix.size(), prefix) == 0 ? replacements.find(word) : replacements.end();
      renamed += at == replacements.end() ? word : at->second;
      changed |= at != replacements.end();
      i = end;
    }
    if (changed) write_file(file, renamed);
  }
  std::printf("share: %zu of %zu functions were copies\n", replacements.size(), all.size());
  return 0;
}
