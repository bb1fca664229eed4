// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/forms.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heddle::compiler::ptx {
namespace {

struct Text {
  std::string_view opcode, modifiers, operands;
};

struct Alternatives {
  std::string_view name, list;
};

constexpr Alternatives kAlternatives[] = {
#define HEDDLE_ALTERNATIVES(name, list) {#name, list},
#define HEDDLE_FORM(...)
#include "host-runtime/compiler/ptx/forms.def"
};

constexpr Text kForms[] = {
#define HEDDLE_ALTERNATIVES(...)
#define HEDDLE_FORM(opcode, modifiers, operands) {opcode, modifiers, operands},
#include "host-runtime/compiler/ptx/forms.def"
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// "a|$x" -> a and what $x stands for.
std::vector<std::string_view> expand(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::string_view word : split(text, '|')) {
    if (word[0] != '$') {
      out.push_back(word);
      continue;
    }
    for (const Alternatives& a : kAlternatives) {
      if (a.name == word.substr(1)) {
        for (std::string_view w : split(a.list, '|')) out.push_back(w);
      }
    }
  }
  return out;
}

int slot_of(char letter) { return letter == 't' ? 0 : letter == 'u' ? 1 : letter == 'v' ? 2 : -1; }

ModifierGroup parse_group(std::string_view word) {
  ModifierGroup group;
  if (word == "...") {
    group.kind = ModifierGroup::Kind::kRest;
  } else if (word.size() > 2 && word[1] == '=' && slot_of(word[0]) >= 0) {
    group.kind = ModifierGroup::Kind::kType;
    group.slot = slot_of(word[0]);
    for (std::string_view name : expand(word.substr(2))) {
      group.types.push_back(type_by_name(name).value_or(Type::kNone));
    }
  } else if (word[0] == '[') {
    group.kind = ModifierGroup::Kind::kOptional;
    group.alternatives = expand(word.substr(1, word.size() - 2));
  } else {
    group.alternatives = expand(word);
  }
  return group;
}

OperandSpec parse_operand(std::string_view word) {
  OperandSpec spec;
  auto eat_front = [&](std::string_view mark) {
    bool found = word.starts_with(mark);
    if (found) word.remove_prefix(mark.size());
    return found;
  };
  auto eat_back = [&](std::string_view mark) {
    bool found = word.size() > mark.size() && word.ends_with(mark);
    if (found) word.remove_suffix(mark.size());
    return found;
  };
  spec.optional = eat_back("?");
  spec.destination = eat_front("=");
  spec.relaxed = eat_front("~");
  spec.mixed = eat_front("x:");
  spec.minus = eat_front("-");
  if (eat_front("p:")) spec.lanes = 1;
  if (eat_front("p2:")) spec.lanes = 2;
  if (eat_front("p4:")) spec.lanes = 4;
  spec.predicate_too = eat_back("/p");
  spec.vector = eat_back("V");
  bool wide = eat_back("W");
  if (word == "@") {
    spec.kind = OperandSpec::Kind::kAddress;
  } else if (word == "#") {
    spec.kind = OperandSpec::Kind::kInteger;
  } else if (word == "*") {
    spec.kind = OperandSpec::Kind::kAny;
    spec.optional = true;
  } else if (word.size() == 1 && slot_of(word[0]) >= 0) {
    spec.kind = wide ? OperandSpec::Kind::kWide : OperandSpec::Kind::kSlot;
    spec.slot = slot_of(word[0]);
  } else {
    spec.kind = OperandSpec::Kind::kType;
    spec.type = type_by_name(word).value_or(Type::kNone);
  }
  return spec;
}

struct Table {
  std::unordered_map<std::string_view, std::vector<Form>> forms;
  std::unordered_set<std::string_view> words;

  Table() {
    for (const Text& text : kForms) {
      Form form;
      for (std::string_view word : split(text.modifiers, ' ')) {
        form.modifiers.push_back(parse_group(word));
        const ModifierGroup& group = form.modifiers.back();
        words.insert(group.alternatives.begin(), group.alternatives.end());
        for (Type type : group.types) words.insert(type_name(type));
      }
      for (std::string_view word : split(text.operands, ' ')) {
        form.operands.push_back(parse_operand(word));
      }
      forms[text.opcode].push_back(std::move(form));
    }
  }
};

const Table& table() {
  static const Table t;
  return t;
}

}  // namespace

std::span<const Form> forms_of(std::string_view opcode) {
  auto it = table().forms.find(opcode);
  if (it == table().forms.end()) return {};
  return it->second;
}

bool is_known_modifier(std::string_view word) { return table().words.contains(word) || type_by_name(word).has_value(); }

bool Form::takes_rest() const {
  return std::any_of(modifiers.begin(), modifiers.end(),
                     [](const ModifierGroup& group) { return group.kind == ModifierGroup::Kind::kRest; });
}

ModifierMatch match_modifiers(const Form& form, std::span<const std::string_view> modifiers) {
  ModifierMatch match;
  uint64_t used = 0;  // groups taken; no form has more than 64
  const bool rest = form.takes_rest();
  for (size_t m = 0; m < modifiers.size(); ++m) {
    std::string_view word = modifiers[m];
    bool placed = false;
    for (size_t g = 0; g < form.modifiers.size() && !placed; ++g) {
      if (used >> g & 1) continue;
      const ModifierGroup& group = form.modifiers[g];
      if (group.kind == ModifierGroup::Kind::kType) {
        auto type = type_by_name(word);
        if (!type) continue;
        placed = std::find(group.types.begin(), group.types.end(), *type) != group.types.end();
        if (placed) match.types[group.slot] = *type;
        if (!placed) break;  // types keep their order: the next type group is not for this one
      } else if (group.kind != ModifierGroup::Kind::kRest) {
        placed = std::find(group.alternatives.begin(), group.alternatives.end(), word) != group.alternatives.end();
      }
      if (placed) used |= uint64_t{1} << g;
    }
    if (!placed && !rest) {
      match.bad = static_cast<int>(m);
      return match;
    }
  }
  for (size_t g = 0; g < form.modifiers.size(); ++g) {
    ModifierGroup::Kind kind = form.modifiers[g].kind;
    bool needed = kind == ModifierGroup::Kind::kRequired || kind == ModifierGroup::Kind::kType;
    if (needed && !(used >> g & 1)) {
      match.missing = &form.modifiers[g];
      return match;
    }
  }
  match.ok = true;
  return match;
}

}  // namespace heddle::compiler::ptx
