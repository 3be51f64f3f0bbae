#include "io/file_window.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::file_window_test {
namespace {

// Notes which stretches of it are read.
class ReadLog : public RandomAccessFile {
 public:
  explicit ReadLog(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& path() const override { return path_; }
  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    reads.emplace_back(offset, out.size());
    const auto rest = AsBytes(bytes_).subspan(static_cast<std::size_t>(offset));
    const std::size_t count = std::min(rest.size(), out.size());
    std::ranges::copy(rest.first(count), out.begin());
    return count;
  }

  mutable std::vector<std::pair<std::uint64_t, std::uint64_t>> reads;

 private:
  std::string path_ = "some.bin";
  std::string bytes_;
};

std::string Bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(i * 131 + i / 251);
  }
  return bytes;
}

using Reads = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST_CASE("FileWindow reads a file front to back once, gaps included",
          "[file_window]") {
  const std::string bytes = Bytes(1000);
  const ReadLog file(bytes);
  FileWindow window(file, {.ahead = 100, .gap = 30});
  const std::pair<std::uint64_t, std::uint64_t> pieces[] = {
      {0, 10}, {10, 85}, {90, 20}, {190, 5}, {215, 300}, {530, 1}, {990, 10}};
  for (const auto& [offset, length] : pieces) {
    const auto read = window.Read(offset, length);
    REQUIRE(read.ok());
    CHECK(AsText(*read) == bytes.substr(offset, length));
  }
  // The last lies further on than a gap.
  CHECK(
      file.reads ==
      Reads{
          {0, 100}, {100, 90}, {190, 100}, {290, 225}, {515, 100}, {990, 10}});
}

TEST_CASE("FileWindow moves back for a piece before it", "[file_window]") {
  const std::string bytes = Bytes(500);
  const ReadLog file(bytes);
  FileWindow window(file, {.ahead = 50, .gap = 50});
  REQUIRE(window.Read(400, 10).ok());
  const auto read = window.Read(100, 60);
  REQUIRE(read.ok());
  CHECK(AsText(*read) == bytes.substr(100, 60));
  CHECK(file.reads == Reads{{400, 50}, {100, 60}});
}

TEST_CASE("A stray piece leaves the window where it is until one follows it",
          "[file_window]") {
  const std::string bytes = Bytes(4000);
  const ReadLog file(bytes);
  FileWindow window(file, {.ahead = 100, .gap = 10, .keeps_strays = true});
  const auto reads = [&](std::uint64_t offset, std::uint64_t length) {
    const auto read = window.Read(offset, length);
    REQUIRE(read.ok());
    CHECK(AsText(*read) == bytes.substr(offset, length));
  };
  reads(0, 20);
  reads(3000, 7);  // read alone
  reads(20, 20);   // still held
  reads(3001, 4);  // so is this
  CHECK(file.reads == Reads{{0, 100}, {3000, 7}});
  reads(3007, 20);  // reading goes on there, and ahead
  reads(3030, 40);
  CHECK(file.reads == Reads{{0, 100}, {3000, 7}, {3007, 100}});
}

TEST_CASE("FileWindow gives any pieces in any order as the file has them",
          "[file_window]") {
  const std::string bytes = Bytes(3000);
  const ReadLog file(bytes);
  for (const bool keeps_strays : {false, true}) {
    for (const std::uint64_t ahead : {0, 1, 64, 5000}) {
      FileWindow window(
          file,
          {.ahead = ahead, .gap = ahead / 2, .keeps_strays = keeps_strays});
      std::uint64_t number = 12345;
      for (int i = 0; i < 2000; ++i) {
        number = number * 6364136223846793005U + 1442695040888963407U;
        const std::uint64_t offset = (number >> 33) % 3001;
        const std::uint64_t length = (number >> 20) % (3001 - offset);
        const auto read = window.Read(offset, length);
        REQUIRE(read.ok());
        REQUIRE(AsText(*read) == bytes.substr(offset, length));
      }
    }
  }
}

TEST_CASE("FileWindow refuses what the file does not have, and reads nothing",
          "[file_window]") {
  const ReadLog file(Bytes(100));
  FileWindow window(file, {});
  const std::pair<std::uint64_t, std::uint64_t> beyond[] = {
      {101, 0},
      {100, 1},
      {0, 101},
      {99, ~std::uint64_t{0}},
      {~std::uint64_t{0}, 2}};
  for (const auto& [offset, length] : beyond) {
    const auto read = window.Read(offset, length);
    CHECK(read.status().code() == Code::kCorrupt);
    CHECK(read.status().where().path == "some.bin");
    CHECK(read.status().where().offset == offset);
  }
  CHECK(window.Read(100, 0).ok());
  CHECK(file.reads.empty());
}

TEST_CASE("A failed read leaves no bytes behind that are not the file's",
          "[file_window]") {
  const std::string bytes = Bytes(1000);
  MemoryStorage below;
  below.Put("x", bytes);
  for (const bool keeps_strays : {false, true}) {
    FaultStorage storage(below, {.operation = Operation::kRead, .call = 1});
    const auto file = storage.Open("x");
    REQUIRE(file.ok());
    FileWindow window(**file,
                      {.ahead = 100, .gap = 100, .keeps_strays = keeps_strays});
    REQUIRE(window.Read(0, 10).ok());
    const auto failed = window.Read(150, 10);
    CHECK(failed.status().code() == Code::kIo);
    CHECK(failed.status().where().path == "x");
    for (const std::uint64_t offset : {90, 150, 120, 0}) {
      const auto read = window.Read(offset, 20);
      REQUIRE(read.ok());
      CHECK(AsText(*read) == bytes.substr(offset, 20));
    }
  }
}

}  // namespace
}  // namespace shardine::file_window_test
