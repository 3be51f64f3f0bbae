// Runs a fuzz target over every file of the seed folder it is given, so that
// seeds are tested by any compiler. An absent or empty folder is a failure.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesIn(const char* folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Exactly as long as its content, so that a read past it is seen.
std::vector<std::uint8_t> ContentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s SEED_FOLDER\n", argv[0]);
    return 2;
  }
  const std::vector<fs::path> files = FilesIn(argv[1]);
  for (const fs::path& path : files) {
    // Before the run: the last line names the seed that crashes.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    std::vector<std::uint8_t> content = ContentOf(path);
    content.shrink_to_fit();
    LLVMFuzzerTestOneInput(content.data(), content.size());
  }
  if (files.empty()) std::fprintf(stderr, "no seeds in %s\n", argv[1]);
  return files.empty() ? 1 : 0;
}
