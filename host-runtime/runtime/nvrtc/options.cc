// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/nvrtc/options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace heddle::cudart::nvrtc {
namespace {

enum class Kind {
  Flag,     // nvcc's of the same meaning
  Value,    // likewise
  Ignored,  // a flag without meaning here
  IgnoredValue,
  Arch,
  DefaultDevice,
  MoveForward,
  NoSourceFolder,
  Refused,
};

struct Option {
  std::string_view name, brief;
  Kind kind;
  std::string_view nvcc = {};  // the option; or why it is refused
};

constexpr std::string_view kNoIntermediate =
    "there is PTX, and with -arch=sm_XX machine code, but no LTO-IR or OptiX-IR";

constexpr Option kOptions[] = {
    {"gpu-architecture", "arch", Kind::Arch},
    {"device-c", "dc", Kind::Flag, "-dc"},
    {"device-w", "dw", Kind::Ignored},
    {"relocatable-device-code", "rdc", Kind::Value, "-rdc"},
    {"extensible-whole-program", "ewp", Kind::Ignored},
    {"device-debug", "G", Kind::Flag, "-G"},
    {"generate-line-info", "lineinfo", Kind::Flag, "-lineinfo"},
    {"dopt", "dopt", Kind::IgnoredValue},
    {"Ofast-compile", "Ofc", Kind::IgnoredValue},
    {"ptxas-options", "Xptxas", Kind::IgnoredValue},
    {"maxrregcount", "maxrregcount", Kind::Value, "-maxrregcount"},
    {"ftz", "ftz", Kind::Value, "-ftz"},
    {"prec-sqrt", "prec-sqrt", Kind::Value, "-prec-sqrt"},
    {"prec-div", "prec-div", Kind::Value, "-prec-div"},
    {"fmad", "fmad", Kind::Value, "-fmad"},
    {"use_fast_math", "use_fast_math", Kind::Flag, "-use_fast_math"},
    {"extra-device-vectorization", "extra-device-vectorization", Kind::Ignored},
    {"modify-stack-limit", "modify-stack-limit", Kind::IgnoredValue},
    {"dlink-time-opt", "dlto", Kind::Refused, kNoIntermediate},
    {"gen-opt-lto", "gen-opt-lto", Kind::Refused, kNoIntermediate},
    {"optix-ir", "optix-ir", Kind::Refused, kNoIntermediate},
    {"jump-table-density", "jtd", Kind::IgnoredValue},
    {"device-stack-protector", "device-stack-protector", Kind::IgnoredValue},
    {"define-macro", "D", Kind::Value, "-D"},
    {"undefine-macro", "U", Kind::Value, "-U"},
    {"include-path", "I", Kind::Value, "-I"},
    {"pre-include", "include", Kind::Value, "-include"},
    {"no-source-include", "no-source-include", Kind::NoSourceFolder},
    {"std", "std", Kind::Value, "-std"},
    {"builtin-move-forward", "builtin-move-forward", Kind::MoveForward},
    {"builtin-initializer-list", "builtin-initializer-list", Kind::IgnoredValue},
    {"pch", "pch", Kind::Ignored},
    {"create-pch", "create-pch", Kind::IgnoredValue},
    {"use-pch", "use-pch", Kind::IgnoredValue},
    {"pch-dir", "pch-dir", Kind::IgnoredValue},
    {"pch-verbose", "pch-verbose", Kind::IgnoredValue},
    {"pch-messages", "pch-messages", Kind::IgnoredValue},
    {"instantiate-templates-in-pch", "instantiate-templates-in-pch", Kind::IgnoredValue},
    {"disable-warnings", "w", Kind::Flag, "-w"},
    {"Wreorder", "Wreorder", Kind::Ignored},
    {"warning-as-error", "Werror", Kind::Value, "-Werror"},
    {"restrict", "restrict", Kind::Ignored},
    {"device-as-default-execution-space", "default-device", Kind::DefaultDevice},
    {"device-int128", "device-int128", Kind::Ignored},
    {"device-float128", "device-float128", Kind::Refused, "there are no numbers of 128 bits with a fraction"},
    {"optimization-info", "opt-info", Kind::IgnoredValue},
    {"display-error-number", "err-no", Kind::Ignored},
    {"no-display-error-number", "no-err-no", Kind::Ignored},
    {"diag-error", "diag-error", Kind::IgnoredValue},
    {"diag-suppress", "diag-suppress", Kind::IgnoredValue},
    {"diag-warn", "diag-warn", Kind::IgnoredValue},
    {"brief-diagnostics", "brief-diag", Kind::IgnoredValue},
    {"time", "time", Kind::IgnoredValue},
    {"split-compile", "split-compile", Kind::IgnoredValue},
    {"fdevice-syntax-only", "fdevice-syntax-only", Kind::Ignored},
    {"fdevice-time-trace", "fdevice-time-trace", Kind::IgnoredValue},
    {"minimal", "minimal", Kind::Ignored},
    {"version-ident", "dversion-ident", Kind::IgnoredValue},
    {"no-cache", "no-cache", Kind::Ignored},
    {"frandom-seed", "frandom-seed", Kind::IgnoredValue},
};

bool takes_value(Kind kind) {
  return kind == Kind::Value || kind == Kind::IgnoredValue || kind == Kind::Arch || kind == Kind::MoveForward;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

const Option* find(std::string_view name) {
  const auto found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                  [&](const Option& o) { return o.name == name || o.brief == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

Error invalid(const Option& option) {
  return Error("nvrtc: error: invalid value for --" + std::string(option.name) +
               (option.brief == option.name ? "" : " (-" + std::string(option.brief) + ")"));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 5 && text.find_first_not_of("0123456789") == text.npos;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& options) : options_(options) {}

  Result<Request> run() {
    for (at_ = 0; at_ < options_.size(); ++at_)
      if (const Status good = one(trimmed(options_[at_])); !good) return good.error();
    if (!standard_) words_.push_back("-std=c++17");
    if (!arch_.empty()) words_.push_back("-arch=" + arch_);
    auto options = nvcc::parse_alone(words_);
    if (!options) return Error("nvrtc: error: " + options.error().message());
    out_.options = std::move(*options);
    return out_;
  }

 private:
  Status one(std::string_view text) {
    if (text.empty()) return {};
    const auto unknown = [&] { return Error("nvrtc: error: unrecognized option " + std::string(text) + " found"); };
    if (text.size() < 2 || text[0] != '-') return unknown();
    const bool is_long = text.starts_with("--");
    const std::string_view body = text.substr(is_long ? 2 : 1);
    const size_t end = body.find_first_of("= \t");
    const Option* option = find(body.substr(0, end));
    if (option && end == body.npos && !takes_value(option->kind)) return apply(*option, "");
    if (option && takes_value(option->kind)) {
      if (end != body.npos) return apply(*option, trimmed(body.substr(end + 1)));
      if (at_ + 1 < options_.size()) return apply(*option, trimmed(options_[++at_]));
      return Error("nvrtc: error: option " + std::string(text) + " lacks its value");
    }
    // -DNAME=VALUE, -Ifolder
    if (!is_long && (body[0] == 'D' || body[0] == 'U' || body[0] == 'I') && body.size() > 1)
      return apply(*find(body.substr(0, 1)), trimmed(body.substr(1)));
    return unknown();
  }

  Status apply(const Option& option, std::string_view value) {
    switch (option.kind) {
      case Kind::Flag: words_.emplace_back(option.nvcc); break;
      case Kind::Value:
        if (value.empty() || (option.nvcc == "-maxrregcount" && !is_number(value))) return invalid(option);
        standard_ |= option.nvcc == "-std";
        words_.push_back(std::string(option.nvcc) + "=" + std::string(value));
        break;
      case Kind::Ignored:
      case Kind::IgnoredValue: break;
      case Kind::Arch: return choose(option, value);
      case Kind::DefaultDevice: out_.device_by_default = true; break;
      case Kind::MoveForward:
        if (value != "true" && value != "false") return invalid(option);
        out_.move_forward = value == "true";
        break;
      case Kind::NoSourceFolder: out_.source_folder = false; break;
      case Kind::Refused:
        return Error("nvrtc: error: option --" + std::string(option.name) + ": " + std::string(option.nvcc));
    }
    return {};
  }

  // The last one counts.
  Status choose(const Option& option, std::string_view value) {
    out_.machine_code = value.starts_with("sm_");
    if (!out_.machine_code && !value.starts_with("compute_")) return invalid(option);
    arch_ = value;
    std::string_view number = value.substr(value.find('_') + 1);
    if (number.ends_with('a')) number.remove_suffix(1);
    const bool newer =
        is_number(number) && std::stoi(std::string(number)) > static_cast<int>(std::rbegin(nvcc::kArchitectures)->sm);
    return is_number(number) && !newer ? Status() : Status(invalid(option));
  }

  const std::vector<std::string>& options_;
  size_t at_ = 0;
  Request out_;
  std::vector<std::string> words_;
  std::string arch_;
  bool standard_ = false;
};

}  // namespace

Result<Request> read_options(const std::vector<std::string>& options) { return Reader(options).run(); }

}  // namespace heddle::cudart::nvrtc
