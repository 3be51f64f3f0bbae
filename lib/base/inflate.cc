#include "base/inflate.h"

#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/status_macros.h"

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

// REQUIRES: the stream has not ended.
Result<Inflater::Progress> InflateByIsaL(inflate_state& state, ByteView input,
                                         std::span<std::byte> output) {
  Inflater::Progress progress;
  while (progress.produced < output.size()) {
    const uInt given = Clamp(input.size() - progress.consumed);
    const uInt room = Clamp(output.size() - progress.produced);
    state.next_in = ZlibBytes(input.data() + progress.consumed);
    state.avail_in = given;
    state.next_out =
        reinterpret_cast<std::uint8_t*>(output.data()) + progress.produced;
    state.avail_out = room;
    const int code = isal_inflate(&state);
    if (code < 0) return Status(Code::kCorrupt, "inflate: damaged data");
    progress.consumed += given - state.avail_in;
    progress.produced += room - state.avail_out;
    progress.done = state.block_state == ISAL_BLOCK_FINISH;
    const bool is_stuck = state.avail_in == given && state.avail_out == room;
    if (progress.done || is_stuck) break;
    if (progress.consumed == input.size() && state.avail_out > 0) break;
  }
  return progress;
}

}  // namespace

std::uint32_t Crc32(ByteView bytes, std::uint32_t previous) {
  return static_cast<std::uint32_t>(
      crc32_z(previous, ZlibBytes(bytes.data()), bytes.size()));
}

struct Inflater::State {
  std::unique_ptr<inflate_state> isal;  // of kIsaL
  z_stream stream{};
  bool ready = false;
  bool done = false;

  ~State() {
    if (ready) inflateEnd(&stream);
  }
};

Inflater::Inflater(Kind kind) : state_(std::make_unique<State>()) {
  if (kind == Kind::kZlib) return;
  state_->isal = std::make_unique_for_overwrite<inflate_state>();
  isal_inflate_init(state_->isal.get());
  state_->isal->crc_flag = ISAL_ZLIB;
}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

Result<Inflater::Progress> Inflater::Inflate(ByteView input,
                                             std::span<std::byte> output) {
  State& state = *state_;
  Progress progress;
  if (state.isal != nullptr) {
    if (!state.done) {
      SHARDINE_ASSIGN_OR_RETURN(progress,
                                InflateByIsaL(*state.isal, input, output));
    }
    state.done = state.done || progress.done;
    progress.done = state.done;
    return progress;
  }
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
