// SPDX-License-Identifier: Apache-2.0
// fatbinary: packs PTX and cubins into one container, with the command line that clang and CMake use:
//   fatbinary -64 --create OUT --image=profile=sm_80,file=a.o --image=profile=compute_80,file=a.s
// (clang 20 and later: --image3=kind=elf,sm=80,file=a.o); `fatbinary --list FILE` shows what is inside.
#include "host-runtime/formats/fatbinary.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "heddle/files.h"
#include "host-runtime/formats/embedded.h"

namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "fatbinary fatal   : %s\n", message.c_str());
  return 1;
}

struct Image {
  heddle::formats::FatKind kind;
  uint32_t sm;
  std::string file;
  std::string content;
};

// "profile=sm_80,file=a.o" or "kind=elf,sm=80,file=a.o". Returns an error, or nothing.
std::string parse_image(const std::string& text, Image& image) {
  std::map<std::string, std::string> fields;
  size_t at = 0;
  while (at < text.size()) {
    const size_t equals = text.find('=', at);
    if (equals == std::string::npos) return "image '" + text + "': a field without '='";
    const std::string key = text.substr(at, equals - at);
    // A file name may hold commas; it comes last.
    const size_t end = key == "file" ? text.size() : std::min(text.find(',', equals), text.size());
    fields[key] = text.substr(equals + 1, end - equals - 1);
    at = end + 1;
  }
  std::string number;
  if (fields.count("profile")) {
    const std::string& profile = fields["profile"];
    if (profile.rfind("sm_", 0) == 0) {
      image.kind = heddle::formats::FatKind::kElf;
      number = profile.substr(3);
    } else if (profile.rfind("compute_", 0) == 0) {
      image.kind = heddle::formats::FatKind::kPtx;
      number = profile.substr(8);
    } else {
      return "image '" + text + "': profile '" + profile + "' is neither sm_ nor compute_";
    }
  } else if (fields.count("kind") && fields.count("sm")) {
    if (fields["kind"] != "elf" && fields["kind"] != "ptx")
      return "image '" + text + "': kind '" + fields["kind"] + "' is neither elf nor ptx";
    image.kind = fields["kind"] == "elf" ? heddle::formats::FatKind::kElf : heddle::formats::FatKind::kPtx;
    number = fields["sm"];
  } else {
    return "image '" + text + "' names no profile";
  }
  if (fields["file"].empty()) return "image '" + text + "' names no file";
  image.file = fields["file"];
  char* end = nullptr;
  image.sm = static_cast<uint32_t>(std::strtoul(number.c_str(), &end, 10));
  if (end == number.c_str()) return "image '" + text + "': no compute capability";
  return {};
}

// C source that holds the container, for CMake's separable compilation.
heddle::Status write_embedded(const std::string& path, const std::vector<uint8_t>& container) {
  std::string text = "static const unsigned long long heddle_fatbin_data[]\n";
  text += "    __attribute__((section(\"" + std::string(heddle::formats::kFatSection) + "\"), aligned(16))) = {\n";
  char number[32];
  for (size_t i = 0; i < container.size(); i += 8) {
    unsigned long long word = 0;
    for (size_t k = 0; k < 8 && i + k < container.size(); ++k)
      word |= static_cast<unsigned long long>(container[i + k]) << (8 * k);
    std::snprintf(number, sizeof number, "0x%016llxull,%s", word, i % 32 == 24 ? "\n" : "");
    text += number;
  }
  text += "};\n";
  return heddle::write_file(path, text.data(), text.size());
}

int list(const std::string& path) {
  const auto content = heddle::read_file(path);
  if (!content) return fail(content.error().message());
  const auto entries = heddle::formats::read_fat_binary(content->data(), content->size());
  if (!entries) return fail("'" + path + "': " + entries.error().message());
  for (const auto& entry : *entries)
    std::printf("%s sm_%u %zu bytes\n", entry.kind == heddle::formats::FatKind::kPtx ? "ptx" : "elf", entry.sm,
                entry.payload.size());
  if (const auto printed = heddle::flush_output(); !printed) return fail(printed.error().message());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output, embedded;
  std::vector<Image> images;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    std::string key = argument.substr(0, argument.find('='));
    std::string value;
    bool has_value = argument.find('=') != std::string::npos;
    if (has_value) value = argument.substr(argument.find('=') + 1);
    const auto next = [&]() -> bool {
      if (has_value) return true;
      if (i + 1 >= argc) return false;
      value = argv[++i];
      return true;
    };
    if (argument == "-64" || argument == "--64" || key == "--cmdline" || key == "-cmdline" || key == "-g" ||
        key == "--compress" || key == "-c" || key == "-link" || key == "--link" || key == "--ident" ||
        key == "-no-asm" || key == "--host" || key == "-compress-all")
      continue;
    if (argument == "--version" || argument == "-V") {
      std::printf("fatbinary: Heddle fat binary tool\nCuda compilation tools, release 12.3, V12.3.0\n");
      return 0;
    }
    if (argument == "-32") return fail("-32: only 64-bit programs are supported");
    if (key == "--list") return next() ? list(value) : fail("--list: no file");
    if (key == "--create" || key == "-create") {
      if (!next()) return fail(key + ": no file");
      output = value;
    } else if (key == "--embedded-fatbin" || key == "-embedded-fatbin") {
      if (!next()) return fail(key + ": no file");
      embedded = value;
    } else if (key == "--image" || key == "-im" || key == "-image" || key == "--image3") {
      if (!next()) return fail(key + ": no image");
      Image image;
      if (const std::string error = parse_image(value, image); !error.empty()) return fail(error);
      images.push_back(std::move(image));
    } else {
      return fail("unknown option '" + argument + "'");
    }
  }
  if (output.empty() && embedded.empty()) return fail("nothing to write; --create FILE");
  if (images.empty()) return fail("no image; --image=profile=sm_80,file=FILE");

  std::vector<heddle::formats::FatEntry> entries;
  for (Image& image : images) {
    auto content = heddle::read_file(image.file);
    if (!content) return fail(content.error().message());
    image.content = std::move(*content);
    entries.push_back({image.kind, image.sm, image.content});
  }
  const std::vector<uint8_t> container = heddle::formats::write_fat_binary(entries);
  if (!output.empty())
    if (auto written = heddle::write_file(output, container.data(), container.size()); !written)
      return fail(written.error().message());
  if (!embedded.empty())
    if (auto written = write_embedded(embedded, container); !written) return fail(written.error().message());
  return 0;
}
