// The dataset of photos that tests of damaged records share, and where in its
// shards they lie.
#ifndef SHARDINE_TESTS_SUPPORT_BAD_RECORDS_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_BAD_RECORDS_FIXTURE_H_

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "dataset/dataset_reader.h"
#include "shardine/convert.h"
#include "support/dataset_checks.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"

namespace shardine {

inline constexpr std::uint64_t kBadRecordImages = 12;

inline std::string PhotoKey(std::uint64_t number) {
  return "a/" + std::to_string(10 + number) + ".jpg";
}

inline std::string PhotoImage(std::uint64_t number) {
  return MakeJpeg(
      {.width = static_cast<std::uint32_t>(40 + number), .height = 24});
}

// A JPEG whose header and end are good and whose rows are not all there.
inline std::string CutPhoto() {
  const std::string photo = MakeJpeg({.width = 45, .height = 240, .seed = 3});
  return photo.substr(0, photo.size() / 2) + "\xff\xd9";
}

// "in": kBadRecordImages photos in two shards, in the order of their keys.
// `odd` stands for the sixth.
inline void PutPhotoDataset(MemoryStorage& storage, const std::string& format,
                            const std::string& odd = PhotoImage(5)) {
  for (std::uint64_t i = 0; i < kBadRecordImages; ++i) {
    storage.Put("tree/" + PhotoKey(i), i == 5 ? odd : PhotoImage(i));
  }
  PackOptions pack = PackOf("tree", "in");
  pack.format = format;
  pack.shards = 2;
  pack.shuffle = false;
  pack.check = ImageCheckLevel::kNone;
  REQUIRE(Pack(pack, {.storage = &storage}).status().ToString() == "OK");
}

inline std::string ShardOf(Storage& storage, std::size_t shard) {
  return "in/" + ManifestOf(storage, "in").splits[0].shards[shard].file.path;
}

// Where the image of a record lies.
inline Extent ImageAt(Storage& storage, std::size_t shard,
                      std::uint64_t record) {
  const auto reader = DatasetReader::Open(storage, "in");
  REQUIRE(reader.status().ToString() == "OK");
  const auto index = (*reader)->OpenIndex((*reader)->shards()[shard]);
  REQUIRE(index.status().ToString() == "OK");
  const auto entry = (*index)->Entry(record);
  REQUIRE(entry.ok());
  const auto image =
      std::ranges::find(entry->fields, kImageField, &IndexField::name);
  REQUIRE(image != entry->fields.end());
  return image->extents.front();
}

inline void Flip(MemoryStorage& storage, const std::string& path,
                 std::uint64_t byte) {
  std::string bytes = *storage.Get(path);
  bytes[byte] = static_cast<char>(bytes[byte] ^ 0x40);
  storage.Put(path, bytes);
}

// The conversion of "in" that fails at a damaged record, and the one that
// leaves it out.
inline ConvertOptions Failing(const std::string& output) {
  ConvertOptions options;
  options.input = "in";
  options.output = output;
  options.format = "recordio";
  options.threads = 2;
  return options;
}
inline ConvertOptions Skipping(const std::string& output) {
  ConvertOptions options = Failing(output);
  options.on_bad = OnBad::kSkip;
  return options;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_BAD_RECORDS_FIXTURE_H_
