// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/nvrtc/compile.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "firmware/devrt/host/device_runtime.h"
#include "heddle/files.h"
#include "host-runtime/clang/command.h"
#include "host-runtime/clang/process.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/runtime/nvrtc/diagnostics.h"
#include "host-runtime/runtime/nvrtc/names.h"
#include "host-runtime/runtime/nvrtc/options.h"

namespace heddle::cudart::nvrtc {
namespace {

namespace fs = std::filesystem;

// The toolkit beside what holds this code, or HEDDLE_HOME's.
fs::path toolkit() {
  Dl_info info{};
  std::error_code ec;
  if (dladdr(reinterpret_cast<const void*>(&toolkit), &info) && info.dli_fname) {
    const fs::path own = fs::canonical(info.dli_fname, ec);
    const fs::path found = nvcc::toolkit(ec ? fs::path("/proc/self/exe") : own);
    if (fs::exists(found / "include/cuda.h", ec)) return found;
  }
  const char* home = std::getenv("HEDDLE_HOME");
  return home && *home ? nvcc::toolkit(fs::path(home) / "lib/libheddle.so.0") : fs::path();
}

// As a text in the source.
std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

std::string with_pointers(const Source& source, bool device_by_default) {
  std::string out;
  if (device_by_default)
    out +=
        "#pragma clang force_cuda_host_device begin\n"
        "#pragma clang attribute push(__attribute__((device)), apply_to = variable(is_global))\n";
  out += "#line 1 " + quoted(source.name) + "\n" + source.text;
  if (device_by_default) out += "\n#pragma clang attribute pop\n#pragma clang force_cuda_host_device end\n";
  return out + pointers_to(source.expressions);
}

// Headers in memory lie in a folder deep enough for names that go up.
struct Headers {
  fs::path folder, base;
};

Result<Headers> write_headers(const Source& source, const fs::path& folder) {
  Headers out{folder / "headers", folder / "headers"};
  size_t ups = 0;
  for (const Header& header : source.headers) {
    const fs::path name = fs::path(header.name).lexically_normal();
    if (name.is_absolute() || !name.has_filename())
      return Error("nvrtc: error: the header \"" + header.name + "\": its name is no path below a folder");
    size_t here = 0;
    for (const fs::path& part : name) here += part == "..";
    ups = std::max(ups, here);
  }
  for (size_t i = 0; i < ups; ++i) out.base /= "d";
  std::error_code ec;
  fs::create_directories(out.base, ec);
  for (const Header& header : source.headers) {
    const fs::path file = (out.base / header.name).lexically_normal();
    if (!ec) fs::create_directories(file.parent_path(), ec);
    if (ec) return Error("cannot make " + file.parent_path().string() + ": " + ec.message());
    if (auto written = write_file(file.string(), header.text.data(), header.text.size()); !written)
      return written.error();
  }
  return out;
}

// Clang's options: what makes it NVRTC, before what the program wants.
void prepare(Request& request, const Source& source, const Headers& headers, const fs::path& top,
             const fs::path& folder) {
  nvcc::Options& o = request.options;
  const fs::path own = top / "include/crt/nvrtc";
  std::vector<std::string> words = {"-nostdinc++",
                                    "-nostdlibinc",
                                    "-D__HEDDLE_NVRTC_BEGINNING__",
                                    "-D__CUDACC_RTC__",
                                    "-I" + own.string(),
                                    "-I" + headers.base.string(),
                                    "-include",
                                    (own / "program.h").string(),
                                    "-fno-color-diagnostics",
                                    "-fno-crash-diagnostics",
                                    "-fdebug-compilation-dir=.",
                                    "-ffile-prefix-map=" + folder.string() + "/="};
  if (request.device_by_default) words.push_back("-Wno-pragma-clang-attribute");  // a source without variables
  if (!request.move_forward) words.push_back("-DHEDDLE_NVRTC_NO_MOVE");
  if (o.device_debug) words.push_back("-D__CUDACC_DEBUG__");
  if (o.relocatable) {
    words.push_back("-D__CUDACC_RDC__");
    // Static variables have names that no other program's have.
    words.push_back("-cuid=" + std::to_string(std::hash<std::string>()(source.name + source.text)));
  }
  // Programs name the folder of another toolkit, out of habit: what Heddle's has is taken from there.
  for (const std::string& word : o.compiler) {
    std::error_code ec;
    const bool toolkit = word.starts_with("-I") && fs::exists(fs::path(word.substr(2)) / "cuda_runtime.h", ec);
    words.push_back(toolkit ? "-idirafter" + word.substr(2) : word);
  }
  words.push_back("-idirafter" + (own / "standard").string());
  if (request.source_folder) {
    const fs::path beside = fs::path(source.name).parent_path();
    words.push_back("-I" + (beside.empty() ? fs::path(".") : beside).string());
  }
  o.compiler = std::move(words);
  o.phase = nvcc::Phase::kPtx;
  o.language = "cu";
}

// -arch=sm_80: what ptxas would make.
bool assemble(const Request& request, const Source& source, Compiled& out) {
  const nvcc::Options& o = request.options;
  compiler::CompileOptions options;
  options.optimization = o.device_debug ? 0 : 3;
  options.newest_target = o.architectures.back();
  options.relocatable = o.relocatable;
  options.libraries = devrt::libraries<compiler::PtxSource>(options.has.fp64);
  for (const std::string& word : o.ptxas)
    if (word.starts_with("--maxrregcount="))
      options.max_registers = static_cast<unsigned>(std::strtoul(word.c_str() + 15, nullptr, 10));
  const std::string name = source.name + ".ptx";
  auto compiled = compiler::compile({name, out.ptx}, options);
  out.log += rewritten(compiled ? compiled->warnings : compiled.error().message(), name, {});
  if (!compiled) return false;
  compiled->cubin.target = "sm_" + nvcc::name_of(o, o.architectures.back());
  out.cubin = formats::serialize(compiled->cubin);
  return true;
}

Compiled failed(nvrtcResult result, const std::string& log) {
  Compiled out;
  out.result = result;
  out.log = log + (log.ends_with('\n') ? "" : "\n");
  return out;
}

Compiled internal(const std::string& what) { return failed(NVRTC_ERROR_INTERNAL_ERROR, "nvrtc: error: " + what); }

}  // namespace

Compiled compile(const Source& source, const std::vector<std::string>& options, const std::function<bool()>& go_on) {
  auto request = read_options(options);
  if (!request) return failed(NVRTC_ERROR_INVALID_OPTION, request.error().message());
  const fs::path top = toolkit();
  if (top.empty()) return internal("Heddle's toolkit is not beside its libraries; HEDDLE_HOME says where Heddle is");
  const nvcc::TemporaryFolder temporary;
  const fs::path& folder = temporary.path();
  if (folder.empty()) return internal("cannot make a temporary folder (TMPDIR says where)");

  auto headers = write_headers(source, folder);
  if (!headers) {
    const std::string& why = headers.error().message();
    return why.starts_with("nvrtc") ? failed(NVRTC_ERROR_INVALID_INPUT, why) : internal(why);
  }
  nvcc::Options& o = request->options;
  prepare(*request, source, *headers, top, folder);
  o.inputs = {(folder / "source.cu").string()};
  o.output = (folder / "program.ptx").string();
  const std::string text = with_pointers(source, request->device_by_default);
  if (auto written = write_file(o.inputs[0], text.data(), text.size()); !written)
    return internal(written.error().message());

  bool cancelled = false;
  const nvcc::Outcome clang = nvcc::run_quietly(nvcc::command(o, top), [&] {
    cancelled = cancelled || !go_on();
    return !cancelled;
  });
  Compiled out;
  for (const std::string& warning : o.warnings) out.log += "nvrtc: warning: " + warning + "\n";
  out.log += rewritten(clang.output, source.name, {headers->base.string(), folder.string()});
  if (cancelled || !go_on()) {
    out.result = NVRTC_ERROR_CANCELLED;
    return out;
  }
  auto ptx = read_file(o.output);
  if (!clang.failure.empty() || clang.status != 0 || !ptx) {
    if (has_error(out.log) && clang.failure.empty()) out.result = NVRTC_ERROR_COMPILATION;
    else out.result = NVRTC_ERROR_INTERNAL_ERROR;
    if (!clang.failure.empty()) {
      out.log += "nvrtc: error: " + clang.failure + "\n";
      if (clang.failure.starts_with("cannot start"))
        out.log += "nvrtc: error: install clang-19, or name another clang++ in HEDDLE_CLANG\n";
    } else if (out.result == NVRTC_ERROR_INTERNAL_ERROR) {
      out.log += "nvrtc: error: '" + nvcc::clang(o) + "' ended with status " + std::to_string(clang.status) + "\n";
    }
    return out;
  }
  out.ptx = std::move(*ptx);
  out.names = take_names(out.ptx, source.expressions);
  if (request->machine_code && !assemble(*request, source, out)) {
    out.ptx.clear();
    out.result = NVRTC_ERROR_COMPILATION;
  }
  return out;
}

}  // namespace heddle::cudart::nvrtc
