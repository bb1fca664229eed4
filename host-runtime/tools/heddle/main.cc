// SPDX-License-Identifier: Apache-2.0
// The heddle command.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/commands.h"

namespace tools = heddle::tools;

int main(int argc, char** argv) {
  // What follows a tool's name is the tool's, untouched.
  if (argc > 1 && tools::is_tool(argv[1])) return tools::run_tool(argv[1], argv + 1);

  char** const end = std::find_if(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
  const std::vector<std::string> program(end == argv + argc ? end : end + 1, argv + argc);
  argc = static_cast<int>(end - argv);

  CLI::App app("Heddle: a GPU you can open. Tools of the toolkit: heddle ptxas|disasm|nvcc|fatbinary ARGUMENTS",
               "heddle");
  app.require_subcommand(1);
  int status = 0;
  tools::add_run(app, program, status);
  tools::add_prof(app, program, status);
  tools::add_trace(app, program, status);
  tools::add_demo(app, status);
  tools::add_bench(app, status);
  tools::add_litmus(app, status);
  tools::add_silicon(app, status);
  tools::add_timing(app, status);
  tools::add_doctor(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e, std::cout, std::cerr) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    tools::print_error(e.what());
    return 1;
  }
  if (auto printed = heddle::flush_output(); !printed) {
    tools::print_error(printed.error().message());
    if (status == 0) status = 1;
  }
  return status;
}
