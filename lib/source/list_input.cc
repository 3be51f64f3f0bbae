#include "source/list_input.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "io/memory_storage.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxStandardInput = std::size_t{4} << 30;

}  // namespace

bool IsStandardInput(const std::string& path) { return path == "-"; }

// Standard input cannot be read at a place, so that it is held whole.
Result<std::unique_ptr<RandomAccessFile>> OpenList(ReadableStorage& storage,
                                                   const std::string& path) {
  if (!IsStandardInput(path)) return storage.Open(path);
  std::string text;
  std::size_t size = 0;
  while (true) {
    text.resize(size + (std::size_t{1} << 20));
    const ssize_t read =
        ::read(STDIN_FILENO, text.data() + size, text.size() - size);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return Status::FromErrno(errno, "read", path);
    size += static_cast<std::size_t>(read);
    if (read == 0) break;
    if (size > kMaxStandardInput) {
      return Status(Code::kUnsupported, "more than 4 GiB of standard input")
          .At({.path = path});
    }
  }
  text.resize(size);
  MemoryStorage memory;
  memory.Put(path, std::move(text));
  return memory.Open(path);
}

}  // namespace shardine
