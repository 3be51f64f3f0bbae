#include "io/digesting_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/philox.h"
#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"
#include "support/temp_directory.h"

namespace shardine::digesting_file_test {
namespace {

std::string Noise(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    const auto low = static_cast<std::uint32_t>(i);
    text[i] = static_cast<char>(Philox4x32({low, 0, 0, 0}, {3, 4})[0]);
  }
  return text;
}

struct Piece {
  std::uint64_t offset;
  std::size_t size;
};

// Reads the pieces through a DigestingFile, checking their contents; reports
// how many bytes Finish() had to read itself.
std::size_t CheckDigest(const std::string& contents,
                        const std::vector<Piece>& pieces) {
  MemoryStorage storage;
  storage.Put("f", contents);
  const auto below = storage.Open("f");
  REQUIRE(below.ok());
  DigestingFile file(**below);
  CHECK(file.size() == contents.size());
  CHECK(file.path() == "f");
  std::size_t hashed = 0;
  for (const Piece& piece : pieces) {
    std::string out(piece.size, '?');
    const auto count =
        file.ReadAt(piece.offset, std::as_writable_bytes(std::span(out)));
    REQUIRE(count.ok());
    const std::size_t begin =
        std::min(static_cast<std::size_t>(piece.offset), contents.size());
    CHECK(out.substr(0, *count) == contents.substr(begin, piece.size));
    if (piece.offset <= hashed) hashed = std::max(hashed, begin + *count);
  }
  const Digest128 expected = Xxh3_128(AsBytes(contents));
  for (int time = 0; time < 2; ++time) {
    const auto digest = file.Finish();
    REQUIRE(digest.ok());
    CHECK(digest->ToHex() == expected.ToHex());
  }
  return contents.size() - hashed;
}

TEST_CASE("DigestingFile digests what nobody reads", "[digesting]") {
  CHECK(CheckDigest("", {}) == 0);
  CHECK(CheckDigest("x", {}) == 1);
  CHECK(CheckDigest(Noise(600'000), {}) == 600'000);
}

TEST_CASE("DigestingFile digests sequential reads on the way", "[digesting]") {
  const std::string contents = Noise(10'000);
  std::vector<Piece> pieces;
  for (std::uint64_t at = 0; at < 10'000; at += 700)
    pieces.push_back({at, 700});
  CHECK(CheckDigest(contents, pieces) == 0);
}

TEST_CASE("DigestingFile hashes only the new part of an overlapping read",
          "[digesting]") {
  CHECK(CheckDigest(Noise(1000), {{0, 100},
                                  {50, 100},
                                  {0, 120},
                                  {150, 0},
                                  {150, 50},
                                  {0, 1000},
                                  {10, 2000}}) == 0);
}

TEST_CASE("DigestingFile reads again what a scan skipped", "[digesting]") {
  CHECK(CheckDigest(Noise(1000), {{0, 100}, {101, 500}, {900, 100}}) == 900);
  CHECK(CheckDigest(Noise(1000), {{1, 999}}) == 1000);
  CHECK(CheckDigest(Noise(1000), {{2000, 10}, {1000, 10}}) == 1000);
}

TEST_CASE("DigestingFile equals the whole digest under random reads",
          "[digesting]") {
  const std::string contents = Noise(5000);
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    std::vector<Piece> pieces;
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto random = Philox4x32({i, 0, 0, 0}, {seed, 0});
      pieces.push_back({random[0] % 5200, random[1] % 900});
    }
    CheckDigest(contents, pieces);
  }
}

TEST_CASE("DigestingFile keeps to the size at opening when the file grows",
          "[digesting]") {
  MemoryStorage storage;
  storage.Put("f", "begin");
  const auto below = storage.Open("f");
  REQUIRE(below.ok());
  auto more = storage.OpenForAppend("f");
  REQUIRE(more.ok());
  REQUIRE((*more)->Append(AsBytes(" and more")).ok());
  DigestingFile file(**below);
  std::byte out[10];
  CHECK(*file.ReadAt(0, out) == 10);
  CHECK(*file.Finish() == Xxh3_128(AsBytes("begin")));
}

TEST_CASE("DigestingFile reports a file that shrank, and a read that failed",
          "[digesting]") {
  const TempDirectory directory;
  const std::string path = directory / "f";
  REQUIRE(
      WriteFileAtomically(LocalStorage(), path, AsBytes("0123456789")).ok());
  FaultStorage faulty(LocalStorage(), {.operation = Operation::kRead});
  const auto below = faulty.Open(path);
  REQUIRE(below.ok());
  DigestingFile file(**below);
  std::byte out[4];
  CHECK(file.ReadAt(0, out).status().code() == Code::kIo);
  CHECK(file.ReadAt(0, out).ok());
  std::filesystem::resize_file(path, 0);
  const Status status = file.Finish().status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == path);
  CHECK(status.where().offset == 4);
}

// Counts the bytes that are read, and answers for holes as it is told.
class HoleFile : public RandomAccessFile {
 public:
  explicit HoleFile(const RandomAccessFile& file) : file_(file) {}
  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    read_ += out.size();
    return file_.ReadAt(offset, out);
  }
  std::uint64_t StoredFrom(std::uint64_t offset) const override {
    return all_hole ? file_.size() : file_.StoredFrom(offset);
  }
  std::uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }
  std::uint64_t read() const { return read_; }

  bool all_hole = false;

 private:
  const RandomAccessFile& file_;
  mutable std::uint64_t read_ = 0;
};

// The bytes of a file of 70 MB with some at three places.
std::string WriteHoles(const std::string& path) {
  std::string bytes(70'000'000, '\0');
  REQUIRE(WriteFileAtomically(LocalStorage(), path, {}).ok());
  std::filesystem::resize_file(path, bytes.size());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (const std::size_t at : {0, 30'000'000, 30'500'000}) {
    const std::string noise = Noise(10'000);
    bytes.replace(at, noise.size(), noise);
    file.seekp(static_cast<std::streamoff>(at));
    file << noise;
  }
  return bytes;
}

TEST_CASE("DigestingFile does not read the holes of a file", "[digesting]") {
  const TempDirectory directory;
  const std::string path = directory / "f";
  const std::string bytes = WriteHoles(path);
  const auto below = LocalStorage().Open(path);
  REQUIRE(below.ok());
  const HoleFile counted(**below);
  CHECK(*DigestingFile(counted).Finish() == Xxh3_128(AsBytes(bytes)));
  // File systems have blocks of other sizes.
  CHECK(counted.read() < 3'000'000);
  // Some bytes of the hole were read already.
  DigestingFile begun(counted);
  std::string out(5'000'000, '?');
  REQUIRE(begun.ReadAt(0, std::as_writable_bytes(std::span(out))).ok());
  CHECK(*begun.Finish() == Xxh3_128(AsBytes(bytes)));
}

TEST_CASE("DigestingFile reads what is wrongly said to be a hole",
          "[digesting]") {
  MemoryStorage storage;
  const std::string bytes = Noise(20'000'000);
  storage.Put("f", bytes);
  const auto below = storage.Open("f");
  REQUIRE(below.ok());
  HoleFile wrong(**below);
  wrong.all_hole = true;
  CHECK(*DigestingFile(wrong).Finish() == Xxh3_128(AsBytes(bytes)));
}

TEST_CASE("DigestingFile reports a file that shrank in its hole",
          "[digesting]") {
  const TempDirectory directory;
  const std::string path = directory / "f";
  WriteHoles(path);
  const auto below = LocalStorage().Open(path);
  REQUIRE(below.ok());
  std::filesystem::resize_file(path, 40'000'000);
  const Status status = DigestingFile(**below).Finish().status();
  CHECK(status.code() == Code::kCorrupt);
  // The piece that is missing some of its bytes.
  REQUIRE(status.where().offset);
  CHECK(*status.where().offset > 39'000'000);
  CHECK(*status.where().offset <= 40'000'000);
}

}  // namespace
}  // namespace shardine::digesting_file_test
