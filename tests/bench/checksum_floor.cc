// The floor of verify: two threads read shard files from the page cache and
// compute CRC-32C and XXH3-128 over them, and nothing else.
//
//   bench_checksum_floor THREADS FILE...

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "io/local_storage.h"

namespace shardine {
namespace {

constexpr std::size_t kWindow = std::size_t{256} << 10;

Status Checksum(const std::string& path, std::atomic<std::uint64_t>& bytes) {
  auto file = LocalStorage().Open(path);
  if (!file.ok()) return std::move(file).status();
  ByteBuffer window;
  window.Resize(kWindow);
  Xxh3Stream hash;
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0;;) {
    const auto count = (*file)->ReadAt(at, window.span());
    if (!count.ok()) return count.status();
    if (*count == 0) break;
    const ByteView read = window.view().first(*count);
    hash.Update(read);
    crc = Crc32c(read, crc);
    at += *count;
    bytes += *count;
  }
  std::printf("%s %08x %s\n", path.c_str(), crc, hash.Digest().ToHex().c_str());
  return Status();
}

int Run(unsigned threads, const std::vector<std::string>& paths) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      const Status status = Checksum(paths[i], bytes);
      if (status.ok()) continue;
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      failed = true;
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned t = 0; t < threads; ++t) pool.emplace_back(work);
  }
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_checksum_floor THREADS FILE...\n");
    return 2;
  }
  return shardine::Run(
      static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)),
      {argv + 2, argv + argc});
}
