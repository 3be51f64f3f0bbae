// Archives byte by byte, whether they are right or not, and the members that a
// scan finds in them.
#ifndef SHARDINE_TESTS_UNIT_WEBDATASET_TAR_BYTES_H_
#define SHARDINE_TESTS_UNIT_WEBDATASET_TAR_BYTES_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "webdataset/webdataset_format.h"

namespace shardine {

inline const std::string kTarEnd(1024, '\0');

// A header's fields in the order of the block; `checksum` and empty fields are
// filled in.
struct HeaderFields {
  std::string name;
  std::string size;  // as it stands in the field
  char type = '0';
  std::string magic = std::string("ustar\0", 6) + "00";
  std::string prefix = {};
  std::string checksum = {};
  bool signed_sum = false;
};

inline std::string Octal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%011llo",
                static_cast<unsigned long long>(value));
  return text;
}

inline std::string HeaderBlock(const HeaderFields& fields) {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  put(0, fields.name);
  put(100, "0000644");
  put(124, fields.size);
  put(136, Octal(0));
  put(148, "        ");
  block[156] = fields.type;
  put(257, fields.magic);
  put(345, fields.prefix);
  long sum = 0;
  for (const char c : block) {
    sum += fields.signed_sum ? static_cast<signed char>(c)
                             : static_cast<unsigned char>(c);
  }
  char text[16];
  std::snprintf(text, sizeof(text), "%06lo", sum);
  put(148, fields.checksum.empty() ? std::string(text) + '\0' + ' '
                                   : fields.checksum);
  return block;
}

inline std::string Padded(std::string data) {
  data.resize((data.size() + 511) / 512 * 512);
  return data;
}

// A file of an archive, as ustar.
inline std::string TarFile(const std::string& name, const std::string& data,
                           char type = '0') {
  return HeaderBlock({.name = name, .size = Octal(data.size()), .type = type}) +
         Padded(data);
}

inline std::string PaxRecord(const std::string& keyword,
                             const std::string& value) {
  const std::string rest = " " + keyword + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

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
