#include "base/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>

namespace shardine {
namespace {

// zlib counts in 32 bits; whatever is longer goes in pieces.
uInt Clamp(std::size_t size) {
  return static_cast<uInt>(
      std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

Bytef* ZlibBytes(const std::byte* bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes));
}

}  // namespace

std::uint32_t Crc32(ByteView bytes, std::uint32_t previous) {
  return static_cast<std::uint32_t>(
      crc32_z(previous, ZlibBytes(bytes.data()), bytes.size()));
}

struct Inflater::State {
  z_stream stream{};
  bool ready = false;
  bool done = false;

  ~State() {
    if (ready) inflateEnd(&stream);
  }
};

Inflater::Inflater() : state_(std::make_unique<State>()) {}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

Result<Inflater::Progress> Inflater::Inflate(ByteView input,
                                             std::span<std::byte> output) {
  State& state = *state_;
  Progress progress;
  if (!state.ready) {
    if (inflateInit(&state.stream) != Z_OK) {
      return Status(Code::kFailed, "zlib: out of memory");
    }
    state.ready = true;
  }
  while (!state.done && progress.produced < output.size()) {
    const uInt given = Clamp(input.size() - progress.consumed);
    const uInt room = Clamp(output.size() - progress.produced);
    state.stream.next_in = ZlibBytes(input.data() + progress.consumed);
    state.stream.avail_in = given;
    state.stream.next_out = ZlibBytes(output.data() + progress.produced);
    state.stream.avail_out = room;
    const int code = inflate(&state.stream, Z_NO_FLUSH);
    const std::size_t produced = room - state.stream.avail_out;
    progress.consumed += given - state.stream.avail_in;
    progress.produced += produced;
    if (code == Z_STREAM_END) {
      state.done = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      const char* why = state.stream.msg;
      return Status(code == Z_MEM_ERROR ? Code::kFailed : Code::kCorrupt,
                    std::string("zlib: ") + (why ? why : zError(code)));
    } else if (progress.consumed == input.size() && produced < room) {
      break;
    }
  }
  progress.done = state.done;
  return progress;
}

}  // namespace shardine
