// The program's end of the socket, and the driver that reads through it.
#include <sys/wait.h>

#include <algorithm>
#include <functional>

#include "hdf5/sandbox/program/remote_driver.h"
#include "unit/hdf5_program/file_peer.h"
#include "unit/hdf5_program/hdf5_maker.h"

namespace shardine::sandbox_parent_test {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 14;

std::optional<std::string> Read(Parent& parent, std::uint64_t offset,
                                std::size_t size) {
  std::string bytes(size, '\x77');
  if (!parent.ReadAt(offset, std::as_writable_bytes(std::span(bytes)))) {
    return std::nullopt;
  }
  return bytes;
}

TEST_CASE("Parent reads the bytes of its file, whatever the piece",
          "[hdf5][parent]") {
  Draws draws(1);
  // The last block is a part of one.
  const std::string contents = draws.Bytes(5 * kBlock + 1234);
  FilePeer peer(contents);
  Parent parent(peer.socket());
  parent.SetFile(contents.size());
  for (int i = 0; i < 400; ++i) {
    const auto most = static_cast<std::uint32_t>(contents.size());
    const std::uint32_t offset = draws.Below(most);
    const std::uint32_t limit =
        std::min(most - offset, draws.Below(2) == 0 ? 64U : most) + 1;
    const std::uint32_t size = draws.Below(limit);
    const auto read = Read(parent, offset, size);
    if (!read || *read != contents.substr(offset, size)) {
      FAIL("other bytes at " << offset << ", " << size << " of them");
    }
  }
  CHECK(*Read(parent, 0, contents.size()) == contents);
  CHECK(*Read(parent, contents.size(), 0) == "");
}

TEST_CASE("Parent asks once for a block of small pieces, and anew for a file",
          "[hdf5][parent]") {
  const std::string contents = Draws(2).Bytes(3 * kBlock);
  FilePeer peer(contents);
  Parent parent(peer.socket());
  parent.SetFile(contents.size());
  for (std::size_t at = 0; at < kBlock; at += 8) Read(parent, at, 8);
  CHECK(peer.TakeAsked() == std::vector<Extent>{{0, kBlock}});
  // Over the edge of a block.
  Read(parent, kBlock - 4, 8);
  CHECK(peer.TakeAsked() == std::vector<Extent>{{kBlock, kBlock}});
  // A large piece is asked for as it is, and kept nowhere.
  CHECK(Read(parent, 100, kBlock + 1));
  CHECK(Read(parent, 100, kBlock + 1));
  CHECK(peer.TakeAsked() ==
        std::vector<Extent>{{100, kBlock + 1}, {100, kBlock + 1}});
  const std::string other(2 * kBlock, 'o');
  peer.SetContents(other);
  parent.SetFile(other.size());
  CHECK(*Read(parent, 5, 3) == "ooo");
  CHECK(peer.TakeAsked() == std::vector<Extent>{{0, kBlock}});
}

TEST_CASE("Parent asks for large pieces in frames of at most 1 MiB",
          "[hdf5][parent]") {
  const std::string contents = Draws(3).Texture(2 * kSandboxMaxPayload + 9);
  FilePeer peer(contents);
  Parent parent(peer.socket());
  parent.SetFile(contents.size());
  CHECK((*Read(parent, 0, contents.size()) == contents));
  CHECK(peer.TakeAsked() ==
        std::vector<Extent>{{0, kSandboxMaxPayload},
                            {kSandboxMaxPayload, kSandboxMaxPayload},
                            {2 * kSandboxMaxPayload, 9}});
}

TEST_CASE("Parent keeps the 64 blocks that were used last", "[hdf5][parent]") {
  const std::string contents = Draws(4).Texture(66 * kBlock);
  FilePeer peer(contents);
  Parent parent(peer.socket());
  parent.SetFile(contents.size());
  for (std::size_t block = 0; block < 64; ++block) {
    Read(parent, block * kBlock, 1);
  }
  Read(parent, 0, 1);
  CHECK(peer.TakeAsked().size() == 64);
  // Block 1 goes, since 0 was used again.
  Read(parent, 64 * kBlock, 1);
  Read(parent, 0, 1);
  Read(parent, 2 * kBlock, 1);
  CHECK(peer.TakeAsked() == std::vector<Extent>{{64 * kBlock, kBlock}});
  CHECK(*Read(parent, kBlock + 3, 4) == contents.substr(kBlock + 3, 4));
  CHECK(peer.TakeAsked() == std::vector<Extent>{{kBlock, kBlock}});
}

TEST_CASE("Parent does not ask for what its file has not", "[hdf5][parent]") {
  FilePeer peer(std::string(100, 'x'));
  Parent parent(peer.socket());
  parent.SetFile(100);
  CHECK_FALSE(Read(parent, 101, 0));
  CHECK_FALSE(Read(parent, 99, 2));
  CHECK_FALSE(Read(parent, ~std::uint64_t{0}, 1));
  CHECK_FALSE(Read(parent, 0, 2 * kBlock));
  CHECK(peer.TakeAsked().empty());
  CHECK(Read(parent, 99, 1));
}

TEST_CASE("Parent keeps nothing of an answer that was too short",
          "[hdf5][parent]") {
  const std::string contents = Draws(5).Bytes(3 * kBlock);
  FilePeer peer(contents);
  Parent parent(peer.socket());
  parent.SetFile(contents.size());
  peer.SetShort(true);
  CHECK_FALSE(Read(parent, 10, 10));
  CHECK_FALSE(Read(parent, 10, 2 * kBlock));
  peer.SetShort(false);
  CHECK(*Read(parent, 10, 10) == contents.substr(10, 10));
  CHECK((*Read(parent, 10, 2 * kBlock) == contents.substr(10, 2 * kBlock)));
}

std::string Frame(std::uint32_t kind, std::uint32_t size,
                  const std::string& payload) {
  std::string frame;
  AppendLe(kind, frame);
  AppendLe(size, frame);
  return frame + payload;
}

// How a process ends that does `work` with a Parent which hears `said`.
int EndOf(const std::string& said,
          const std::function<void(Parent& parent)>& work) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[1]);
    Parent parent(ends[0]);
    parent.SetFile(1000);
    work(parent);
    _exit(42);
  }
  close(ends[0]);
  REQUIRE(send(ends[1], said.data(), said.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(said.size()));
  shutdown(ends[1], SHUT_WR);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  close(ends[1]);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST_CASE("Parent ends the process when there is nobody to hear it",
          "[hdf5][parent]") {
  const auto receive = [](Parent& parent) { parent.Receive(); };
  const auto read = [](Parent& parent) { Read(parent, 0, 4); };
  const std::string whole = Frame(5, 3, "abc");
  CHECK(EndOf(whole, receive) == 42);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(EndOf(whole.substr(0, size), receive) == 0);
  }
  CHECK(EndOf("", read) == 0);
}

TEST_CASE("Parent ends the process when it hears nonsense", "[hdf5][parent]") {
  const auto receive = [](Parent& parent) { parent.Receive(); };
  const auto read = [](Parent& parent) { Read(parent, 0, 4); };
  constexpr auto kMost = static_cast<std::uint32_t>(kSandboxMaxPayload);
  CHECK(EndOf(Frame(5, kMost + 1, ""), receive) == 1);
  CHECK(EndOf(Frame(5, ~0U, ""), receive) == 1);
  // A frame that is too large shows at once, a cut one at its end.
  CHECK(EndOf(Frame(5, kMost, ""), receive) == 0);
  const auto kind_of = [](SandboxMessage kind) {
    return static_cast<std::uint32_t>(kind);
  };
  CHECK(EndOf(Frame(kind_of(SandboxMessage::kClose), 0, ""), read) == 1);
  CHECK(EndOf(Frame(kind_of(SandboxMessage::kHello), 4, "abcd"), read) == 1);
  CHECK(EndOf(Frame(kind_of(SandboxMessage::kReadReply), 3, "abc"), read) ==
        42);
}

// The driver knows one Parent per process.
FilePeer& ThePeer() {
  static FilePeer peer;
  return peer;
}
Parent& TheParent() {
  static Parent parent(ThePeer().socket());
  return parent;
}

Hdf5Id OpenRemote(const std::string& image, unsigned flags = H5F_ACC_RDONLY) {
  static const hid_t access = MakeRemoteAccess(TheParent());
  ThePeer().SetContents(image);
  TheParent().SetFile(image.size());
  return {H5Fopen("any name", flags, access), H5Fclose};
}

// A dataset "d" of 30 numbers, and one "c" of it in chunks of eight.
std::string TwoDatasets() {
  const Hdf5Id file = NewFile();
  std::vector<std::uint32_t> numbers(30);
  for (std::uint32_t i = 0; i < 30; ++i) numbers[i] = i * i;
  const Hdf5Id plain = MakeDataset(file.get(), "d", H5T_STD_U32LE, {30});
  WriteAll(plain, H5T_STD_U32LE, numbers.data());
  const Hdf5Id chunked =
      MakeDataset(file.get(), "c", H5T_STD_U32LE, {30}, Chunked({8}).get());
  WriteAll(chunked, H5T_STD_U32LE, numbers.data());
  return ImageOf(file);
}

TEST_CASE("The remote driver lets libhdf5 read, and never write",
          "[hdf5][driver]") {
  const std::string image = TwoDatasets();
  const Hdf5Id file = OpenRemote(image);
  REQUIRE(file.valid());
  for (const char* name : {"d", "c"}) {
    const Hdf5Id dataset(H5Dopen2(file.get(), name, H5P_DEFAULT), H5Dclose);
    std::uint32_t numbers[30] = {};
    REQUIRE(H5Dread(dataset.get(), H5T_STD_U32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    numbers) >= 0);
    for (std::uint32_t i = 0; i < 30; ++i) CHECK(numbers[i] == i * i);
    CHECK(H5Dwrite(dataset.get(), H5T_STD_U32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   numbers) < 0);
  }
  CHECK_FALSE(OpenRemote(image, H5F_ACC_RDWR).valid());
}

TEST_CASE("The remote driver passes on that bytes cannot be read",
          "[hdf5][driver]") {
  const std::string image = TwoDatasets();
  ThePeer().SetShort(true);
  CHECK_FALSE(OpenRemote(image).valid());
  ThePeer().SetShort(false);
  CHECK(OpenRemote(image).valid());
  // Where the parent has fewer bytes than the file says it has.
  for (const std::size_t cut : {1UL, 100UL, image.size() - 7}) {
    CHECK_FALSE(OpenRemote(image.substr(0, image.size() - cut)).valid());
  }
}

TEST_CASE("ReadTrap learns where a chunk lies, and reads nothing",
          "[hdf5][driver]") {
  const Hdf5Id file = OpenRemote(TwoDatasets());
  const Hdf5Id dataset(H5Dopen2(file.get(), "c", H5P_DEFAULT), H5Dclose);
  for (const hsize_t start : {0, 8, 16, 24}) {
    haddr_t offset = 0;
    hsize_t size = 0;
    unsigned mask = 0;
    const Dims at = {start};
    REQUIRE(H5Dget_chunk_info_by_coord(dataset.get(), at.data(), &mask, &offset,
                                       &size) >= 0);
    std::uint8_t buffer[32];
    std::fill_n(buffer, sizeof(buffer), 0x5a);
    const auto read = [&] {
      std::uint32_t filters = 0;
      return H5Dread_chunk(dataset.get(), H5P_DEFAULT, at.data(), &filters,
                           buffer) >= 0;
    };
    {
      const ReadTrap trap;
      CHECK(trap.place().size == 0);
      REQUIRE(read());
      CHECK(trap.place().offset == offset);
      CHECK(trap.place().size == size);
      CHECK(std::ranges::count(buffer, 0x5a) == 32);
    }
    // Without one, the bytes come.
    REQUIRE(read());
    CHECK(std::ranges::count(buffer, 0x5a) < 32);
  }
}

}  // namespace
}  // namespace shardine::sandbox_parent_test
