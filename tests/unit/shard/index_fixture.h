// Entries of all kinds, and sidecars of them in memory.
#ifndef SHARDINE_TESTS_UNIT_SHARD_INDEX_FIXTURE_H_
#define SHARDINE_TESTS_UNIT_SHARD_INDEX_FIXTURE_H_

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shard/shard_index.h"

namespace shardine {

inline constexpr std::uint64_t kShardBytes = 1'000'000'000;
inline const std::string kSidecar = "d/s.rec.sdx";

inline IndexBinding TestBinding() {
  return {.shard_bytes = kShardBytes,
          .shard_digest = {11, 12},
          .plan_digest = {13, 14}};
}

// The common case: one label, one image, one extent.
inline IndexEntry PhotoEntry(std::uint64_t i) {
  IndexEntry entry;
  entry.id = 1000 + i;
  entry.labels = {Label(static_cast<std::int64_t>(i % 7))};
  entry.fields = {{"image", "|S", {}, {{64 + 1000 * i, 900 + i}}}};
  entry.payload_crc = static_cast<std::uint32_t>(i * 2654435761u);
  entry.content_digest = {i * 3, ~i};
  entry.facts = {.kind = ImageKind::kJpeg,
                 .coding = ImageCoding::kProgressive,
                 .width = static_cast<std::uint32_t>(500 + i),
                 .height = 375,
                 .components = 3,
                 .bits = 8,
                 .orientation = static_cast<std::uint8_t>(i % 9)};
  return entry;
}

// Whatever does not fit into a row, a different kind for each `i`.
inline IndexEntry RichEntry(std::uint64_t i) {
  IndexEntry entry = PhotoEntry(i);
  switch (i % 8) {
    case 0:
      entry.labels.clear();
      break;
    case 1:
      entry.labels = {Label::FromReal(0.5)};
      break;
    case 2:
      entry.labels = {Label(1), Label::FromReal(-1e300), Label(-1)};
      break;
    case 3:
      entry.fields.clear();
      break;
    case 4:
      entry.fields[0].extents = {{5, 10}, {19, 8}, {31, 0}};
      break;
    case 5:
      entry.fields.push_back({"mask", "|u1", {4, 5, 1}, {{7, 19}, {50, 1}}});
      break;
    case 6:
      entry.fields = {{"boxes", "<f8", {0, 4}, {}},
                      {"image", "|S", {}, {{0, 3}}}};
      break;
    case 7:
      entry.fields[0].extents.clear();
      break;
  }
  return entry;
}

inline std::string TestKey(std::uint64_t i) {
  return "n" + std::to_string(i % 10) + "/photo_" + std::to_string(i) + ".jpg";
}

struct IndexContents {
  std::vector<IndexEntry> entries;
  std::vector<std::string> keys;
};

inline IndexContents MakeContents(std::uint64_t count,
                                  IndexEntry (*make)(std::uint64_t)) {
  IndexContents contents;
  for (std::uint64_t i = 0; i < count; ++i) {
    contents.entries.push_back(make(i));
    contents.keys.push_back(TestKey(i));
  }
  return contents;
}

inline Status WriteIndex(Storage& storage, const IndexContents& contents,
                         const IndexBinding& binding = TestBinding()) {
  REQUIRE(storage.CreateDirectories("d").ok());
  ShardIndexWriter writer;
  for (std::size_t i = 0; i < contents.entries.size(); ++i) {
    writer.Add(contents.entries[i], contents.keys[i]);
  }
  REQUIRE(writer.size() == contents.entries.size());
  Result<AtomicFile> file = AtomicFile::Create(storage, kSidecar);
  REQUIRE(file.ok());
  Status status = writer.WriteTo(*file, binding);
  return status.ok() ? file->Publish() : std::move(status);
}

inline std::string IndexBytes(const IndexContents& contents,
                              const IndexBinding& binding = TestBinding()) {
  MemoryStorage storage;
  REQUIRE(WriteIndex(storage, contents, binding).ok());
  Result<std::string> bytes = storage.Get(kSidecar);
  REQUIRE(bytes.ok());
  return *std::move(bytes);
}

// Everything a sidecar says, or the first reason why it does not.
inline Result<IndexContents> ReadContents(Storage& storage) {
  auto index = ShardIndex::Open(storage, kSidecar);
  if (!index.ok()) return std::move(index).status();
  IndexContents contents;
  const std::uint64_t size = (*index)->size();
  Status status = (*index)->Entries(0, size, contents.entries);
  if (status.ok()) status = (*index)->Keys(0, size, contents.keys);
  if (!status.ok()) return status;
  return contents;
}

inline Result<IndexContents> ReadContents(std::string bytes) {
  MemoryStorage storage;
  storage.Put(kSidecar, std::move(bytes));
  return ReadContents(storage);
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_SHARD_INDEX_FIXTURE_H_
