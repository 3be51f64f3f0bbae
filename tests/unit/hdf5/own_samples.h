// Samples for the writers of this format, and the files of them.
#ifndef SHARDINE_TESTS_UNIT_HDF5_OWN_SAMPLES_H_
#define SHARDINE_TESTS_UNIT_HDF5_OWN_SAMPLES_H_

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdf5/hdf5_format.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine {

struct OwnSample {
  std::string key = "k";
  std::vector<Label> labels = {};
  std::vector<ScannedRow::Field> fields = {};  // by ascending name
};

inline OwnSample Encoded(std::string image) {
  return {.fields = {{"image", "|S", {}, std::move(image), true}}};
}

// An array of three axes.
inline OwnSample Pixels(std::string_view dtype,
                        std::vector<std::uint64_t> shape, std::string bytes) {
  return {.labels = {Label(1)},
          .fields = {{"image", std::string(dtype), std::move(shape),
                      std::move(bytes), true}}};
}

inline LayoutChoice ChoiceNamed(std::string_view name,
                                const char* chunk = nullptr) {
  for (const Layout& layout : kHdf5Format.layouts) {
    if (layout.name != name) continue;
    LayoutChoice choice = DefaultsOf(layout);
    if (chunk != nullptr) choice.values[0] = chunk;
    return choice;
  }
  FAIL("no such layout");
  return {};
}

inline Result<std::unique_ptr<ShardWriter>> NewWriter(
    Storage& storage, const LayoutChoice& choice,
    const std::string& path = "x.h5") {
  const bool listed = !choice.layout->companion_suffix.empty();
  return kHdf5Format.create_writer(
      storage, {.shard = path, .companion = listed ? path + ".txt" : ""},
      choice);
}

inline Status AppendTo(ShardWriter& writer, const OwnSample& sample) {
  std::vector<FieldView> fields;
  for (const auto& field : sample.fields) {
    fields.push_back(
        {field.name, field.dtype, field.shape, AsBytes(field.bytes)});
  }
  return writer.Append(
      {.key = sample.key, .labels = sample.labels, .fields = fields});
}

// All of them, in one file; the first error.
inline Status WriteAll(Storage& storage, const LayoutChoice& choice,
                       const std::vector<OwnSample>& samples,
                       const std::string& path = "x.h5") {
  const auto writer = NewWriter(storage, choice, path);
  Status status = writer.status();
  for (const OwnSample& sample : samples) {
    if (status.ok()) status = AppendTo(**writer, sample);
  }
  if (!status.ok()) return status;
  const auto summary = (*writer)->Finish();
  if (summary.ok() && summary->samples != samples.size()) FAIL("lost samples");
  return summary.status();
}

inline std::string FileOf(const LayoutChoice& choice,
                          const std::vector<OwnSample>& samples) {
  MemoryStorage storage;
  REQUIRE(WriteAll(storage, choice, samples).ToString() == "OK");
  return *storage.Get("x.h5");
}

// The writer takes no sample of `refused`, by its key, and all leave no trace:
// the others make the file that they make alone.
inline void CheckRefused(const LayoutChoice& choice,
                         const std::vector<OwnSample>& fine,
                         const std::vector<OwnSample>& refused) {
  MemoryStorage storage;
  const auto writer = NewWriter(storage, choice);
  REQUIRE(writer.ok());
  for (const OwnSample& sample : fine) {
    for (OwnSample bad : refused) {
      bad.key = "bad";
      const Status status = AppendTo(**writer, bad);
      INFO(status.ToString());
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.where().key == "bad");
    }
    REQUIRE(AppendTo(**writer, sample).ToString() == "OK");
  }
  REQUIRE((*writer)->Finish().ok());
  CHECK((*storage.Get("x.h5") == FileOf(choice, fine)));
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_OWN_SAMPLES_H_
