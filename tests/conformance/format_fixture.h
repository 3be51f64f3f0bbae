// The conformance suite's tools for any format: owned samples, writing them,
// scanning them back, and the part of a sample that a format's Limits keep.
#ifndef SHARDINE_TESTS_CONFORMANCE_FORMAT_FIXTURE_H_
#define SHARDINE_TESTS_CONFORMANCE_FORMAT_FIXTURE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/philox.h"
#include "io/memory_storage.h"
#include "shard/format_registry.h"

namespace shardine {

struct OwnedField {
  std::string name = std::string(kImageField);
  std::string dtype = std::string(kBytesDtype);
  std::vector<std::uint64_t> shape;
  std::string bytes;

  friend bool operator==(const OwnedField&, const OwnedField&) = default;
};

struct OwnedSample {
  std::optional<std::uint64_t> id;
  std::optional<std::string> key;
  std::vector<Label> labels;
  std::vector<OwnedField> fields;

  friend bool operator==(const OwnedSample&, const OwnedSample&) = default;
};

// A photo-like sample: `size` reproducible bytes, one label.
OwnedSample MakeSample(std::uint64_t id, std::size_t size);
// Samples 0 .. count-1 of odd and even sizes from 0 to 70.
std::vector<OwnedSample> SmallSamples(std::size_t count);

// Some small samples, and some that no buffer holds.
std::vector<OwnedSample> MixedSamples();

std::string FileOf(const MemoryStorage& storage, const std::string& path);

// One line of the format table with one of its layouts.
struct Case {
  const Format* format = nullptr;
  const Layout* layout = nullptr;

  // The choice with the defaults of the layout's parameters.
  FormatAndLayout choice() const;
  std::string name() const;
  ShardPaths paths(const std::string& stem = "x") const;
  // `sample` as the layout can be given it: its image made an array of 3 x 4 x
  // 4 where it must be one.
  OwnedSample Fitted(OwnedSample sample) const;
  // The fitted sample as a scan returns it, its values cut down to the layout's
  // Limits.
  OwnedSample Kept(OwnedSample sample) const;
  std::vector<OwnedSample> Kept(std::vector<OwnedSample> samples) const;

  Result<std::unique_ptr<ShardWriter>> NewWriter(
      Storage& storage, const std::string& stem = "x") const;
  // Appends the fitted sample.
  Status Append(ShardWriter& writer, const OwnedSample& sample) const;
  // All steps from NewWriter to Finish; the first failure.
  Status Write(Storage& storage, const std::vector<OwnedSample>& samples,
               const std::string& stem = "x") const;
};
std::vector<Case> AllCases();

OwnedSample Own(const ScannedSample& view);

// The bytes at these places, joined; REQUIREs that the file has them.
std::string BytesAt(const RandomAccessFile& file,
                    std::span<const Extent> extents);

struct Scanned {
  std::vector<OwnedSample> samples;
  std::vector<std::uint64_t> offsets;
  // Per sample and field: the bytes read from the file at its extents.
  std::vector<std::vector<std::string>> at_extents;
  Status status;  // that ended the scan
};
// Reads `path` to its end or first error.
Scanned ScanFile(const Case& c, Storage& storage, const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_TESTS_CONFORMANCE_FORMAT_FIXTURE_H_
