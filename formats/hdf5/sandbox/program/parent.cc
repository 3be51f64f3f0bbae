#include "hdf5/sandbox/program/parent.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace shardine {
namespace {

// The process ends by _exit, without destructors: a file may have damaged the
// data that they would walk over.
void ReceiveAll(int socket, std::byte* to, std::size_t size) {
  while (size > 0) {
    const ssize_t count = recv(socket, to, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(0);
    to += count;
    size -= static_cast<std::size_t>(count);
  }
}

void SendAll(int socket, const std::byte* from, std::size_t size) {
  while (size > 0) {
    const ssize_t count = send(socket, from, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(0);
    from += count;
    size -= static_cast<std::size_t>(count);
  }
}

}  // namespace

Parent::Frame Parent::Receive() {
  std::byte header[kSandboxFrameHeader];
  ReceiveAll(socket_, header, sizeof(header));
  const auto size = LoadLe<std::uint32_t>(header + 4);
  if (size > kSandboxMaxPayload) _exit(1);
  payload_.Resize(size);
  ReceiveAll(socket_, payload_.data(), size);
  return {static_cast<SandboxMessage>(LoadLe<std::uint32_t>(header)),
          payload_.view()};
}

void Parent::Send(SandboxMessage kind, ByteView payload) {
  std::byte header[kSandboxFrameHeader];
  StoreLe(static_cast<std::uint32_t>(kind), header);
  StoreLe(static_cast<std::uint32_t>(payload.size()), header + 4);
  SendAll(socket_, header, sizeof(header));
  SendAll(socket_, payload.data(), payload.size());
}

void Parent::SetFile(std::uint64_t size) {
  file_size_ = size;
  for (Block& block : blocks_) block.number = ~std::uint64_t{0};
}

bool Parent::Fetch(std::uint64_t offset, std::span<std::byte> out) {
  while (!out.empty()) {
    const std::size_t piece = std::min(out.size(), kSandboxMaxPayload);
    std::byte request[16];
    StoreLe(offset, request);
    StoreLe(std::uint64_t{piece}, request + 8);
    Send(SandboxMessage::kRead, request);
    const Frame reply = Receive();
    if (reply.kind != SandboxMessage::kReadReply) _exit(1);
    // The parent could not read its file. It keeps the error and waits for
    // ours.
    if (reply.payload.size() != piece) return false;
    std::memcpy(out.data(), reply.payload.data(), piece);
    offset += piece;
    out = out.subspan(piece);
  }
  return true;
}

const Parent::Block* Parent::Find(std::uint64_t number) {
  Block* oldest = &blocks_[0];
  for (Block& block : blocks_) {
    if (block.number == number) {
      block.used = ++clock_;
      return &block;
    }
    if (block.used < oldest->used) oldest = &block;
  }
  // A block that is only half fetched must not be found by its old number.
  oldest->number = ~std::uint64_t{0};
  oldest->bytes.Resize(static_cast<std::size_t>(
      std::min<std::uint64_t>(kBlock, file_size_ - number * kBlock)));
  if (!Fetch(number * kBlock, oldest->bytes.span())) return nullptr;
  oldest->number = number;
  oldest->used = ++clock_;
  return oldest;
}

bool Parent::ReadAt(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > file_size_ || out.size() > file_size_ - offset) return false;
  // libhdf5 reads headers in pieces of some bytes, and each piece would be a
  // round trip to the parent. Large pieces are data, which is read once and
  // would push the headers out.
  if (out.size() > kBlock) return Fetch(offset, out);
  while (!out.empty()) {
    const Block* block = Find(offset / kBlock);
    if (block == nullptr) return false;
    const std::size_t at = offset % kBlock;
    const std::size_t piece = std::min(out.size(), block->bytes.size() - at);
    std::memcpy(out.data(), block->bytes.data() + at, piece);
    offset += piece;
    out = out.subspan(piece);
  }
  return true;
}

}  // namespace shardine
