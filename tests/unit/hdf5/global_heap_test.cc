#include "hdf5/global_heap.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::global_heap_test {
namespace {

// A collection of objects, each a number and its bytes, padded to `size`.
std::string Collection(
    const std::vector<std::pair<std::uint16_t, std::string>>& objects,
    std::uint64_t size) {
  std::string heap("GCOL\1\0\0\0", 8);
  AppendLe(size, heap);
  for (const auto& [number, bytes] : objects) {
    AppendLe(number, heap);
    AppendLe(std::uint16_t{1}, heap);
    AppendLe(std::uint32_t{0}, heap);
    AppendLe(std::uint64_t{bytes.size()}, heap);
    heap += bytes + std::string((8 - bytes.size() % 8) % 8, '\0');
  }
  REQUIRE(heap.size() <= size);
  heap.resize(static_cast<std::size_t>(size), '\0');
  return heap;
}

// A file and its heap, open.
class OpenHeap {
 public:
  explicit OpenHeap(std::string bytes, Hdf5Widths widths = {})
      : bytes_(std::move(bytes)) {
    storage_.Put("x.h5", bytes_);
    auto file = storage_.Open("x.h5");
    REQUIRE(file.ok());
    file_ = *std::move(file);
    window_.emplace(*file_, FileWindow::Options{.ahead = 64, .gap = 64});
    widths_ = widths;
    budget_.Begin(bytes_.size());
    heap_.emplace(widths_, bytes_.size(), budget_);
  }

  Result<Extent> Find(std::uint64_t address, std::uint32_t index,
                      std::uint32_t length) {
    return heap_->Find(*window_,
                       {.length = length, .address = address, .index = index},
                       length);
  }
  std::uint64_t steps() const { return budget_.steps(); }
  std::string Bytes(std::uint64_t address, std::uint32_t index,
                    std::uint32_t length) {
    const auto found = Find(address, index, length);
    REQUIRE(found.status().ToString() == "OK");
    REQUIRE(found->offset + found->length <= bytes_.size());
    return bytes_.substr(found->offset, found->length);
  }

 private:
  std::string bytes_;
  MemoryStorage storage_;
  std::unique_ptr<RandomAccessFile> file_;
  std::optional<FileWindow> window_;
  Hdf5Widths widths_;
  RecordBudget budget_{std::uint64_t{1} << 30};
  std::optional<GlobalHeap> heap_;
};

TEST_CASE("GlobalHeap finds objects by number, in any order, in many heaps",
          "[hdf5][heap]") {
  std::string file(96, 'h');
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 7; ++i) {
    addresses.push_back(file.size());
    file += Collection({{1, "first of " + std::to_string(i)},
                        {5, std::string(100, static_cast<char>('a' + i))},
                        {3, "xyz"}},
                       512);
  }
  OpenHeap heap(file);
  // More collections than are kept open.
  for (const int i : {0, 6, 3, 0, 1, 2, 3, 4, 5, 6, 0}) {
    const std::uint64_t at = addresses[static_cast<std::size_t>(i)];
    CHECK(heap.Bytes(at, 3, 3) == "xyz");
    CHECK(heap.Bytes(at, 1, 10) == "first of " + std::to_string(i));
    CHECK(heap.Bytes(at, 5, 100) ==
          std::string(100, static_cast<char>('a' + i)));
  }
}

// Parsers review 4: each row was a walk over a collection.
TEST_CASE("GlobalHeap passes the headers of many heaps once",
          "[hdf5][heap][cost]") {
  constexpr std::uint32_t kObjects = 2000;
  std::vector<std::pair<std::uint16_t, std::string>> objects;
  for (std::uint32_t i = 1; i <= kObjects; ++i) {
    objects.emplace_back(static_cast<std::uint16_t>(i), "12345678");
  }
  std::string file;
  constexpr std::uint64_t kSize = 16 + kObjects * 24;
  for (int i = 0; i < 7; ++i) file += Collection(objects, kSize);
  OpenHeap heap(file);
  for (std::uint64_t row = 0; row < 3000; ++row) {
    CHECK(heap.Find(row % 7 * kSize, kObjects, 8).ok());
  }
  CHECK(heap.steps() == 7 * kObjects * GlobalHeap::kHeaderSteps);
}

TEST_CASE("GlobalHeap ends where its budget does", "[hdf5][heap][cost]") {
  // Collections that overlap: each of them has all objects after it.
  constexpr std::size_t kHeads = 3000;
  std::string file;
  for (std::size_t i = 0; i < kHeads; ++i) {
    const std::uint64_t left = (kHeads - i) * 32;
    // A head of 16 bytes, and an object of as many: the next head.
    file += std::string("GCOL\1\0\0\0", 8);
    AppendLe(left, file);
    AppendLe(static_cast<std::uint16_t>(i + 1), file);
    file += std::string(14, '\0');
  }
  OpenHeap heap(file);
  Status status;
  for (std::size_t i = 0; i < kHeads && status.ok(); ++i) {
    const auto found = heap.Find(32 * i, 1, 1);
    if (found.status().code() == Code::kUnsupported) status = found.status();
  }
  CHECK(heap.steps() <=
        RecordBudget::kStepsPerByte * file.size() + RecordBudget::kMoreSteps);
}

TEST_CASE("A row of no elements refers to nothing, wherever it says",
          "[hdf5][heap]") {
  OpenHeap heap("no heap in here");
  const auto found = heap.Find(~std::uint64_t{0}, 7, 0);
  REQUIRE(found.ok());
  CHECK(found->length == 0);
}

TEST_CASE("HeapReference is as wide as the file's addresses", "[hdf5][heap]") {
  std::string bytes;
  AppendLe(std::uint32_t{3}, bytes);
  AppendLe(std::uint64_t{0x1122334455667788}, bytes);
  AppendLe(std::uint32_t{9}, bytes);
  const auto wide = HeapReference::Load(AsBytes(bytes), {});
  CHECK(wide.length == 3);
  CHECK(wide.address == 0x1122334455667788);
  CHECK(wide.index == 9);
  const Hdf5Widths narrow{.address = 4, .length = 4};
  const auto small = HeapReference::Load(AsBytes(bytes), narrow);
  CHECK(small.address == 0x55667788);
  CHECK(small.index == 0x11223344);
  const Hdf5Widths least{.address = 2, .length = 2};
  CHECK(HeapReference::Load(AsBytes(bytes), least).address == 0x7788);
}

TEST_CASE("Addresses count from the file's base", "[hdf5][heap]") {
  OpenHeap heap(std::string(512, 'u') + Collection({{1, "abc"}}, 64),
                {.base = 512});
  CHECK(heap.Bytes(0, 1, 3) == "abc");
  CHECK(heap.Find(512, 1, 3).status().code() == Code::kCorrupt);
}

TEST_CASE("A heap that is none, or lies beyond the file, is refused",
          "[hdf5][heap]") {
  const std::string good = Collection({{1, "abc"}}, 64);
  const auto message = [](const std::string& file, std::uint64_t address) {
    OpenHeap heap(file);
    const Status status = heap.Find(address, 1, 3).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset);
    return std::string(status.message());
  };
  CHECK_THAT(message(good, 65), Catch::Contains("beyond the end"));
  CHECK_THAT(message(good, ~std::uint64_t{0}), Catch::Contains("beyond"));
  CHECK_THAT(message(good, 60), Catch::Contains("beyond the end"));
  CHECK_THAT(message(good, 8), Catch::Contains("no global heap"));
  std::string changed = good;
  changed[4] = 2;  // another version
  CHECK_THAT(message(changed, 0), Catch::Contains("no global heap"));
  for (const std::uint64_t size : {0, 15, 65, 1 << 30}) {
    changed = good;
    StoreLe(size, std::as_writable_bytes(std::span(changed)).data() + 8);
    CHECK_THAT(message(changed, 0), Catch::Contains("does not fit"));
  }
}

TEST_CASE("An object of another length than its row is refused at its place",
          "[hdf5][heap]") {
  OpenHeap heap(Collection({{1, "abc"}, {2, "abcdef"}}, 128));
  const Status status = heap.Find(0, 2, 5).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().offset == 56);
  CHECK_THAT(status.message(), Catch::Contains("6 bytes for a row of 5"));
  // The heap is as usable as before.
  CHECK(heap.Bytes(0, 1, 3) == "abc");
}

TEST_CASE("A number that no object has is looked for to the end of its heap",
          "[hdf5][heap]") {
  // The next collection has the number, but is not ours.
  const std::string file =
      Collection({{1, "abc"}}, 64) + Collection({{2, "def"}}, 64);
  OpenHeap heap(file);
  CHECK_THAT(heap.Find(0, 2, 3).status().message(),
             Catch::Contains("no heap object of number 2"));
  CHECK(heap.Bytes(64, 2, 3) == "def");
  // 0 is free space, never an object.
  CHECK_THAT(heap.Find(0, 0, 3).status().message(),
             Catch::Contains("no heap object of number 0"));
  CHECK_THAT(heap.Find(0, 1 + (1U << 16), 3).status().message(),
             Catch::Contains("number 65537"));
}

TEST_CASE(
    "Objects that reach out of their heap, or share a number, are refused",
    "[hdf5][heap]") {
  const auto with_size = [](std::uint64_t size) {
    std::string file =
        Collection({{1, "abc"}, {2, "def"}}, 64) + std::string(1000, 'x');
    StoreLe(size, std::as_writable_bytes(std::span(file)).data() + 24);
    OpenHeap heap(file);
    return std::string(heap.Find(0, 2, 3).status().message());
  };
  CHECK(with_size(3).empty());
  for (const std::uint64_t size : {std::uint64_t{33}, std::uint64_t{1000},
                                   ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    CHECK_THAT(with_size(size), Catch::Contains("does not fit in its"));
  }
  OpenHeap twice(Collection({{1, "abc"}, {1, "def"}, {2, "x"}}, 128));
  CHECK(twice.Bytes(0, 1, 3) == "abc");
  CHECK_THAT(twice.Find(0, 2, 1).status().message(),
             Catch::Contains("two heap objects of number 1"));
}

TEST_CASE("No byte of a heap, whatever its value, leads out of the file",
          "[hdf5][heap][corruption]") {
  const std::string whole =
      Collection({{1, "abc"}, {2, std::string(30, 'd')}, {3, "e"}}, 160);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 2, 7, 8, 0x7f, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      OpenHeap heap(bytes);
      for (std::uint32_t number = 1; number < 4; ++number) {
        const std::uint32_t length = number == 2 ? 30 : number == 1 ? 3 : 1;
        const auto found = heap.Find(0, number, length);
        if (!found.ok()) continue;
        REQUIRE(found->length == length);
        REQUIRE(found->offset <= bytes.size() - length);
      }
    }
  }
}

}  // namespace
}  // namespace shardine::global_heap_test
