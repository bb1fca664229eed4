// SPDX-License-Identifier: Apache-2.0
// nvlink: separable compilation is not supported yet; said here rather than by a wrong program. A device
// link of no objects at all, as CMake makes one for targets without device code, is empty and succeeds.
#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  std::string output;
  int inputs = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--version" || argument == "-V") {
      std::printf("nvlink: Heddle device linker\nCuda compilation tools, release 12.3, V12.3.0\n");
      return 0;
    }
    if ((argument == "-o" || argument == "--output-file") && i + 1 < argc) output = argv[++i];
    else if (!argument.empty() && argument[0] != '-' && argument.find("cudadevrt") == std::string::npos) ++inputs;
  }
  if (inputs == 0 && !output.empty()) {
    if (std::FILE* file = std::fopen(output.c_str(), "wb")) {
      std::fclose(file);
      return 0;
    }
    std::fprintf(stderr, "nvlink fatal   : cannot write '%s'\n", output.c_str());
    return 1;
  }
  std::fprintf(stderr,
               "nvlink fatal   : separable compilation (-rdc=true, -dc) is not supported: compile each "
               ".cu file whole, with all device functions it calls\n");
  return 1;
}
