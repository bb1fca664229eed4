// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "host-runtime/tools/heddle/litmus/condition.h"

namespace heddle::tools::litmus {
namespace {

constexpr size_t kMaxThreads = 32;

const std::set<std::string> kProxies = {"tld", "suld", "cold", "sust", "suatom", "sured"};
const std::map<std::string, const char*> kBranches = {{"beq", "eq"}, {"bne", "ne"}, {"blt", "lt"},
                                                      {"ble", "le"}, {"bgt", "gt"}, {"bge", "ge"}};

class Parser {
 public:
  Parser(const std::string& file, const std::string& text) : tokens_(text) { test_.file = file; }

  Test parse() {
    if (!tokens_.take("PTX") && !tokens_.take("ptx")) tokens_.fail("PTX");
    const size_t from = tokens_.place();
    while (tokens_.peek().text != "{" && !tokens_.at_end()) tokens_.next();
    test_.name = tokens_.joined(from, tokens_.place());
    test_.name.erase(std::remove(test_.name.begin(), test_.name.end(), ' '), test_.name.end());
    initial_state();
    threads();
    while (!tokens_.at_end() && !ending()) row();
    labels();
    parse_ending(tokens_, test_);
    return std::move(test_);
  }

 private:
  // The first reason counts.
  void refuse(int line, const std::string& why) {
    if (test_.refused.empty()) test_.refused = test_.file + ":" + std::to_string(line) + ": " + why;
  }

  void initial_state() {
    tokens_.expect("{");
    while (!tokens_.take("}")) {
      if (tokens_.take(";")) continue;
      declaration();
      if (tokens_.peek().text != "}") tokens_.expect(";");
    }
    tokens_.take(";");
  }

  void declaration() {
    const int line = tokens_.peek().line;
    if (tokens_.peek(1).text == ":") {
      const int thread = parse_thread(tokens_);
      tokens_.expect(":");
      const std::string name = tokens_.identifier("a register");
      tokens_.expect("=");
      first_registers_[thread][name] = {line, initial_value(line)};
      return;
    }
    const std::string name = tokens_.identifier("a variable");
    if (test_.variables.contains(name)) throw SyntaxError{line, "variable '" + name + "' is there twice"};
    int32_t& value = test_.variables[name];
    if (tokens_.take("@")) {
      const std::string proxy = tokens_.identifier("a proxy");
      tokens_.expect("aliases");
      tokens_.identifier("a variable");
      refuse(line, "a second name of a place (" + proxy + " alias)");
    } else {
      tokens_.expect("=");
      value = initial_value(line);
    }
  }

  int32_t initial_value(int line) {
    const std::string& text = tokens_.peek().text;
    if (text != "-" && (text.empty() || text[0] < '0' || text[0] > '9')) {
      tokens_.take("&");
      tokens_.identifier("a number");
      refuse(line, "an address as an initial value");
      return 0;
    }
    return tokens_.number();
  }

  void threads() {
    do {
      Thread t;
      t.line = tokens_.peek().line;
      if (parse_thread(tokens_) != static_cast<int>(test_.threads.size()))
        throw SyntaxError{t.line, "threads are P0, P1 and so on, in this order"};
      tokens_.expect("@");
      tokens_.expect("cta");
      t.cta = tokens_.number();
      tokens_.expect(",");
      tokens_.expect("gpu");
      gpus_.insert(tokens_.number());
      if (gpus_.size() > 1) refuse(t.line, "more than one GPU");
      test_.threads.push_back(std::move(t));
    } while (tokens_.take("|"));
    tokens_.expect(";");
    if (test_.threads.size() > kMaxThreads) throw SyntaxError{tokens_.peek().line, "more than 32 threads"};
    std::map<int, int> numbers;  // of ctas: any, made 0, 1 and so on
    for (Thread& t : test_.threads) t.cta = numbers.try_emplace(t.cta, static_cast<int>(numbers.size())).first->second;
    for (const auto& [thread, registers] : first_registers_)
      for (const auto& [name, value] : registers) {
        if (thread >= static_cast<int>(test_.threads.size()))
          throw SyntaxError{value.first, "there is no thread P" + std::to_string(thread)};
        test_.threads[static_cast<size_t>(thread)].registers[name] = value.second;
      }
  }

  bool ending() const {
    static const std::set<std::string> words = {"exists", "forall", "~", "not", "filter", "locations", "final"};
    return words.contains(tokens_.peek().text);
  }

  void row() {
    for (size_t thread = 0;; ++thread) {
      if (thread == test_.threads.size()) tokens_.fail("';': there are no more threads than that");
      thread_ = &test_.threads[thread];
      if (tokens_.peek().text != "|" && tokens_.peek().text != ";") thread_->code.push_back(instruction());
      if (tokens_.take(";")) return;
      tokens_.expect("|");
    }
  }

  Instruction instruction() {
    Instruction i;
    i.line = tokens_.peek().line;
    if (tokens_.peek(1).text == ":") {
      i.kind = Instruction::Kind::Label;
      i.place = tokens_.identifier("a label");
      tokens_.next();
      return i;
    }
    std::vector<std::string> words = {tokens_.identifier("an instruction")};
    while (tokens_.take(".")) words.push_back(tokens_.identifier("a modifier"));
    const std::string& name = words[0];
    if (name == "ld" || name == "mov") load(i, words);
    else if (name == "st") store(i, words);
    else if (name == "atom" || name == "red") atomic(i, words);
    else if (name == "fence" || name == "membar") fence(i, words);
    else if (name == "bar" || name == "barrier") barrier(i, words);
    else if (name == "goto") i.kind = Instruction::Kind::Goto, i.place = label();
    else if (kBranches.contains(name)) {
      i.kind = Instruction::Kind::Branch;
      i.operation = kBranches.at(name);
      i.values = {value(), value_after_comma()};
      tokens_.expect(",");
      i.place = label();
    } else if (name == "add" || name == "sub" || name == "mul" || name == "div") {
      i.kind = Instruction::Kind::Arithmetic;
      i.operation = name;
      i.target = target();
      i.values = {value_after_comma(), value_after_comma()};
    } else if (kProxies.contains(name)) {
      refuse(i.line, name + ": proxies of textures, surfaces and constants");
      while (tokens_.peek().text != "|" && tokens_.peek().text != ";" && !tokens_.at_end()) {
        const Token t = tokens_.next();
        if (tokens_.peek().text == "," && name.find("st") == std::string::npos) thread_->registers.try_emplace(t.text);
      }
    } else {
      throw SyntaxError{i.line, "there is no instruction '" + name + "'"};
    }
    return i;
  }

  // The order and the scope behind an instruction's name, one of those allowed.
  void order(Instruction& i, const std::vector<std::string>& words, const std::set<std::string>& orders) {
    if (words.size() < 2 || !orders.contains(words[1]))
      throw SyntaxError{i.line, "'" + words[0] + "' has no order '" + (words.size() < 2 ? "" : words[1]) + "'"};
    i.order = words[1];
    const bool plain = i.order == "weak" || i.order == "volatile";
    if (plain) return;
    const bool known = words.size() > 2 && (words[2] == "cta" || words[2] == "gpu" || words[2] == "sys");
    if (!known) throw SyntaxError{i.line, "'" + words[0] + "." + i.order + "' needs a scope: cta, gpu or sys"};
    i.scope = words[2];
  }
  void no_more(const Instruction& i, const std::vector<std::string>& words) {
    const size_t wanted = 2 + !i.scope.empty() + !i.operation.empty();
    if (words.size() > wanted) throw SyntaxError{i.line, "'" + words[0] + "' with '" + words[wanted] + "'"};
  }

  void load(Instruction& i, const std::vector<std::string>& words) {
    if (words.size() == 1) {
      i.target = target();
      i.values = {value_after_comma()};
      return;
    }
    i.kind = Instruction::Kind::Load;
    order(i, words, {"weak", "relaxed", "acquire", "volatile"});
    no_more(i, words);
    i.target = target();
    tokens_.expect(",");
    i.place = variable();
  }

  void store(Instruction& i, const std::vector<std::string>& words) {
    i.kind = Instruction::Kind::Store;
    order(i, words, {"weak", "relaxed", "release", "volatile"});
    no_more(i, words);
    i.place = variable();
    i.values = {value_after_comma()};
  }

  void atomic(Instruction& i, const std::vector<std::string>& words) {
    static const std::set<std::string> known = {"add", "sub", "and", "or", "xor", "min", "max", "exch", "cas"};
    const bool reduces = words[0] == "red";
    i.kind = reduces ? Instruction::Kind::Reduction : Instruction::Kind::Atomic;
    order(i, words, {"relaxed", "acquire", "release", "acq_rel"});
    if (words.size() < 4) throw SyntaxError{i.line, "'" + words[0] + "' without an operation"};
    i.operation = words[3];
    if (i.operation == "mul" || i.operation == "div") refuse(i.line, "atomic " + i.operation + ", which PTX has not");
    else if (!known.contains(i.operation) || (reduces && (i.operation == "exch" || i.operation == "cas")))
      throw SyntaxError{i.line, "'" + words[0] + "' has no operation '" + i.operation + "'"};
    no_more(i, words);
    if (!reduces) {
      i.target = target();
      tokens_.expect(",");
    }
    i.place = variable();
    i.values = {value_after_comma()};
    if (i.operation == "cas") i.values.push_back(value_after_comma());
  }

  void fence(Instruction& i, std::vector<std::string> words) {
    i.kind = Instruction::Kind::Fence;
    if (words.size() == 3 && words[1] == "proxy") {
      if (words[2] != "alias") refuse(i.line, "fence.proxy." + words[2]);
      i.order = "proxy";
      i.scope = words[2];
      return;
    }
    if (words[0] == "membar" && words.size() == 2) words = {"fence", "sc", words[1] == "gl" ? "gpu" : words[1]};
    order(i, words, {"sc", "acq_rel"});
    no_more(i, words);
  }

  void barrier(Instruction& i, std::vector<std::string> words) {
    i.kind = Instruction::Kind::Barrier;
    if (words.size() > 1 && words[1] == "cta") words.erase(words.begin() + 1);
    if (words.size() != 2 || (words[1] != "sync" && words[1] != "arrive"))
      throw SyntaxError{i.line, "'" + words[0] + "' is .sync or .arrive"};
    i.operation = words[1];
    i.instance = tokens_.number();
    while (i.values.size() < 2 && tokens_.peek().text == ",") i.values.push_back(value_after_comma());
  }

  std::string target() {
    const std::string name = tokens_.identifier("a register");
    thread_->registers.try_emplace(name);
    return name;
  }
  std::string label() { return tokens_.identifier("a label"); }

  std::string variable() {
    const bool bracket = tokens_.take("[");
    const int line = tokens_.peek().line;
    const std::string name = tokens_.identifier("a variable");
    if (bracket) tokens_.expect("]");
    if (thread_->registers.contains(name)) refuse(line, "an address in a register");
    test_.variables.try_emplace(name);
    return name;
  }

  Value value() {
    const std::string& text = tokens_.peek().text;
    if (text == "-" || (!text.empty() && text[0] >= '0' && text[0] <= '9')) return {false, tokens_.number(), ""};
    const int line = tokens_.peek().line;
    const std::string name = tokens_.identifier("a number or register");
    if (test_.variables.contains(name))
      throw SyntaxError{line, "'" + name + "' is a variable, wanted a number or register"};
    thread_->registers.try_emplace(name);
    return {true, 0, name};
  }
  Value value_after_comma() {
    tokens_.expect(",");
    return value();
  }

  // Each once, and there for every branch.
  void labels() {
    for (const Thread& t : test_.threads) {
      std::set<std::string> there;
      for (const Instruction& i : t.code)
        if (i.kind == Instruction::Kind::Label && !there.insert(i.place).second)
          throw SyntaxError{i.line, "label '" + i.place + "' is there twice"};
      for (const Instruction& i : t.code)
        if ((i.kind == Instruction::Kind::Branch || i.kind == Instruction::Kind::Goto) && !there.contains(i.place))
          throw SyntaxError{i.line, "there is no label '" + i.place + "'"};
    }
  }

  Tokens tokens_;
  Test test_;
  Thread* thread_ = nullptr;
  std::set<int> gpus_;
  std::map<int, std::map<std::string, std::pair<int, int32_t>>> first_registers_;
};

}  // namespace

int Test::ctas() const {
  int most = 0;
  for (const Thread& t : threads) most = std::max(most, t.cta + 1);
  return most;
}

size_t Test::observe(const Observed& what) {
  const auto index = static_cast<size_t>(std::find(observed.begin(), observed.end(), what) - observed.begin());
  if (index == observed.size()) observed.push_back(what);
  return index;
}

Result<Test> parse(const std::string& file, const std::string& text) {
  try {
    return Parser(file, text).parse();
  } catch (const SyntaxError& e) {
    return Error(file + ":" + std::to_string(e.line) + ": " + e.message);
  }
}

const char* name_of(Quantifier quantifier) {
  return quantifier == Quantifier::Exists ? "exists" : quantifier == Quantifier::Forall ? "forall" : "~exists";
}

}  // namespace heddle::tools::litmus
