// SPDX-License-Identifier: Apache-2.0
// The sub-commands of `heddle`. Each adds itself to the command line and leaves its exit status in `status`
// when it was chosen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;  // its header takes seconds to read
}

namespace heddle::tools {

// `program`: the words after "--", which are not options of ours; empty when there is no "--".
void add_run(CLI::App& app, const std::vector<std::string>& program, int& status);
void add_prof(CLI::App& app, const std::vector<std::string>& program, int& status);
void add_trace(CLI::App& app, const std::vector<std::string>& program, int& status);
void add_doctor(CLI::App& app, int& status);
void add_litmus(CLI::App& app, int& status);
void add_silicon(CLI::App& app, int& status);
void add_timing(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_demo(CLI::App& app, int& status);

// ptxas, disasm, nvcc, fatbinary: the tool itself takes over, with all that follows its name. Returns the
// exit status if it cannot be started.
int run_tool(const std::string& name, char** arguments);
bool is_tool(const std::string& name);
std::string tool_file(const std::string& name);  // empty: it is not built

// The folder of the heddle command, and the libraries beside it (<root>/lib).
std::filesystem::path own_folder();
std::filesystem::path library_folder();

// A child process with this environment added: its wait status, or -1 when it could not be started.
// While it runs, Ctrl-C is the child's to handle. Its standard output goes to the file `output`, if that has a name.
int run_child(const std::vector<std::string>& command,
              const std::vector<std::pair<std::string, std::string>>& environment, const std::string& output = "");

// Ends this process as the child ended: its exit status, or death by the same signal for SIGINT.
int exit_like(int wait_status);

void print_error(const std::string& message);

}  // namespace heddle::tools
