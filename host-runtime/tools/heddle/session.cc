// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/session.h"

#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/settings.h"
#include "presets/preset.h"

namespace heddle::tools {

Result<Preset> find_preset(const std::string& preset) {
  const auto file = device::Installation::find().preset_file(preset);
  if (!file) return file.error();
  return load_preset(file->string());
}

Result<std::unique_ptr<driver::Context>> open_context(const std::string& device, const std::string& preset,
                                                      uint64_t cycle_limit) {
  auto settings = driver::Settings::from_environment();
  if (!settings) return settings.error();
  settings->device = device;
  settings->preset = preset;
  settings->status_line = false;
  if (settings->cycle_limit == 0) settings->cycle_limit = cycle_limit;
  const auto installation = device::Installation::find();
  auto file = installation.preset_file(preset);
  if (!file) return file.error();
  auto sizes = find_preset(preset);
  if (!sizes) return sizes.error();
  auto backend = installation.backend(device, sizes->name);
  if (!backend) return backend.error();
  auto transport = device::load_transport(backend->string());
  if (!transport) return transport.error();
  return driver::Context::create(*settings, *sizes, file->string(), *transport, "heddle", stdout, stderr);
}

compiler::CompileOptions options_for(const Preset& preset) {
  compiler::CompileOptions options;
  options.has = preset.structure.features();
  options.libraries = devrt::libraries<compiler::PtxSource>(options.has.fp64);
  options.registers_per_sm = static_cast<unsigned>(preset.structure.registers_per_sm());
  return options;
}

Result<driver::Module*> load_ptx(driver::Context& context, const std::string& name, const std::string& text) {
  auto compiled = compiler::compile({name, text}, options_for(context.preset()));
  if (!compiled) return compiled.error();
  return context.modules().load(std::move(compiled->cubin));
}

}  // namespace heddle::tools
