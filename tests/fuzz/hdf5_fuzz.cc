// Any bytes, three ways by the first: as answers of the scanning process, as a
// global heap, and as a whole file through a real process. Errors, never
// crashes, and extents at which the file holds the returned bytes.
#include <algorithm>
#include <string>

#include "base/check.h"
#include "hdf5/global_heap.h"
#include "hdf5/hdf5_convention.h"
#include "hdf5/hdf5_scanner.h"
#include "hdf5/sandbox/sandbox_session.h"
#include "hdf5/table_reader.h"
#include "io/memory_storage.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxSamples = 1000;

void CheckExtents(std::string_view file, const ScannedField& field) {
  std::string_view rest = AsText(field.bytes);
  if (field.extents.empty()) return;
  for (const Extent& extent : field.extents) {
    SHARDINE_CHECK(extent.offset <= file.size());
    SHARDINE_CHECK(extent.length <= file.size() - extent.offset);
    SHARDINE_CHECK(rest.starts_with(file.substr(extent.offset, extent.length)));
    rest.remove_prefix(extent.length);
  }
  SHARDINE_CHECK(rest.empty());
}

// Answers as the input says: u8 kind, u16 size, payload, and so on.
class FakeChannel : public SandboxChannel {
 public:
  explicit FakeChannel(ByteView input) : input_(input) {}

  Status Send(SandboxMessage, ByteView payload) override {
    SHARDINE_CHECK(payload.size() <= kSandboxMaxPayload);
    return {};
  }
  Result<SandboxFrame> Receive() override {
    std::uint8_t kind = 0;
    std::uint16_t size = 0;
    ByteView payload;
    if (!input_.Read(kind) || !input_.Read(size) ||
        !input_.ReadBytes(size, payload)) {
      return Status(Code::kCorrupt, "gone");
    }
    return SandboxFrame{static_cast<SandboxMessage>(kind), payload};
  }

 private:
  ByteCursor input_;
};

// A file of 4 KiB with a heap in it, its structure told by `input`.
void Answers(ByteView input) {
  std::string contents(4096, 'x');
  contents.replace(0, 16, std::string("GCOL\1\0\0\0\0\1\0\0\0\0\0\0", 16));
  contents.replace(16, 16,
                   std::string("\1\0\1\0\0\0\0\0\10\0\0\0\0\0\0\0", 16));
  MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  SHARDINE_CHECK(file.ok());
  FakeChannel channel(input);
  SandboxSession session(**file, channel);
  if (!session.Open().ok()) return;
  const auto content = FindContent(session.datasets());
  if (!content.ok()) return;
  TablesOfFile tables(**file, session);
  for (const SampleTable& table : content->tables) {
    const auto reader = TableReader::Open(**file, session, table, tables);
    if (!reader.ok()) return;
    for (std::uint64_t row = 0; row < std::min(table.rows, kMaxSamples);
         ++row) {
      const auto sample = (*reader)->Read(row);
      if (!sample.ok()) return;
      for (const ScannedField& field : sample->fields) {
        CheckExtents(contents, field);
      }
    }
  }
}

// A heap behind references: u8 count, then 16 bytes each.
void Heap(ByteView input) {
  if (input.empty()) return;
  const std::size_t count = std::min<std::size_t>(
      std::to_integer<std::size_t>(input[0]), (input.size() - 1) / 16);
  const std::string contents(AsText(input.subspan(1 + 16 * count)));
  MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  SHARDINE_CHECK(file.ok());
  const Hdf5Widths widths;
  FileWindow window(**file, {.ahead = 64, .gap = 64});
  RecordBudget budget(contents.size());
  budget.Begin(contents.size());
  GlobalHeap heap(widths, contents.size(), budget);
  for (std::size_t i = 0; i < count; ++i) {
    const auto reference =
        HeapReference::Load(input.subspan(1 + 16 * i, 16), widths);
    const auto found = heap.Find(window, reference, reference.length);
    if (!found.ok()) continue;
    SHARDINE_CHECK(found->length == reference.length);
    SHARDINE_CHECK(found->offset <= contents.size());
    SHARDINE_CHECK(found->length <= contents.size() - found->offset);
  }
}

// One process for all, since starting one would take most of the time.
SandboxPool& Pool() {
  static SandboxPool* pool =
      new SandboxPool({.patience = std::chrono::seconds(3)});
  return *pool;
}

void Whole(ByteView input) {
  const std::string contents(AsText(input));
  MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  SHARDINE_CHECK(file.ok());
  const auto scanner = OpenHdf5Scanner(**file, Pool());
  if (!scanner.ok()) {
    SHARDINE_CHECK(scanner.status().where().path == "x");
    return;
  }
  for (std::uint64_t i = 0; i < kMaxSamples; ++i) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) SHARDINE_CHECK(sample.status().where().record);
    if (!sample.ok() || !*sample) return;
    for (const ScannedField& field : (*sample)->fields) {
      CheckExtents(contents, field);
    }
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  if (size == 0) return 0;
  if (data[0] == 0x89) {
    shardine::Whole(input);
  } else if (data[0] == 'H') {
    shardine::Heap(input.subspan(1));
  } else {
    shardine::Answers(input.subspan(1));
  }
  return 0;
}
