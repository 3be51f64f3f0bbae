// The samples that a scan finds in an archive.
#ifndef SHARDINE_TESTS_UNIT_WEBDATASET_TAR_BYTES_H_
#define SHARDINE_TESTS_UNIT_WEBDATASET_TAR_BYTES_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "unit/archive/tar_blocks.h"
#include "webdataset/webdataset_format.h"

namespace shardine {

struct TarField {
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string bytes;
  std::optional<std::string> at_extents;  // nullopt: no extents
};

struct TarSample {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> id;
  std::optional<std::string> key;
  std::vector<Label> labels;
  std::map<std::string, TarField> fields;
};

struct Found {
  std::vector<TarSample> samples;
  Status status;  // that ended the scan
};

inline TarSample OwnSample(const ScannedSample& view, const std::string& file) {
  TarSample sample{.offset = view.record_offset,
                   .id = view.id,
                   .key = {},
                   .labels = {view.labels.begin(), view.labels.end()},
                   .fields = {}};
  if (view.key) sample.key = std::string(*view.key);
  for (const ScannedField& field : view.fields) {
    TarField found{std::string(field.dtype),
                   {field.shape.begin(), field.shape.end()},
                   std::string(AsText(field.bytes)),
                   {}};
    if (!field.extents.empty()) found.at_extents = "";
    for (const Extent& extent : field.extents) {
      REQUIRE(extent.offset <= file.size());
      *found.at_extents += file.substr(extent.offset, extent.length);
    }
    CHECK(sample.fields.emplace(field.name, std::move(found)).second);
  }
  return sample;
}

// `file` as a shard named "x.tar".
inline Found ScanTar(const std::string& file) {
  MemoryStorage storage;
  storage.Put("x.tar", file);
  const auto opened = storage.Open("x.tar");
  REQUIRE(opened.ok());
  Found found;
  const auto scanner = kWebDatasetFormat.open_scanner(
      **opened, DefaultsOf(kWebDatasetFormat.layouts[0]));
  if (!scanner.ok()) return {{}, scanner.status()};
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok() || !*sample) {
      found.status = sample.status();
      // It stays so.
      CHECK((*scanner)->Next().status().ToString() == found.status.ToString());
      return found;
    }
    CHECK((*sample)->record == found.samples.size());
    found.samples.push_back(OwnSample(**sample, file));
  }
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_WEBDATASET_TAR_BYTES_H_
