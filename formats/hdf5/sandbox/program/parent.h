// The other end of the socket, as the sandboxed process sees it: frames, and
// the bytes of the file. Any failure of the socket ends the process: without a
// parent there is nothing to do.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_PARENT_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_PARENT_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hdf5/sandbox/sandbox_protocol.h"

namespace shardine {

class Parent {
 public:
  explicit Parent(int socket) : socket_(socket) {}

  struct Frame {
    SandboxMessage kind;
    ByteView payload;  // valid until the next call
  };
  Frame Receive();
  void Send(SandboxMessage kind, ByteView payload);

  // Starts a new file and forgets the bytes read of the one before.
  void SetFile(std::uint64_t size);
  std::uint64_t file_size() const { return file_size_; }
  // Reads from the file, small pieces through a cache of blocks. False if the
  // parent has no such bytes.
  bool ReadAt(std::uint64_t offset, std::span<std::byte> out);

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 14;
  struct Block {
    std::uint64_t number = ~std::uint64_t{0};
    std::uint64_t used = 0;
    ByteBuffer bytes;
  };

  bool Fetch(std::uint64_t offset, std::span<std::byte> out);
  const Block* Find(std::uint64_t number);

  int socket_;
  std::uint64_t file_size_ = 0;
  ByteBuffer payload_;
  std::array<Block, 64> blocks_;
  std::uint64_t clock_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_PARENT_H_
