#include "conformance/format_fixture.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "base/status_macros.h"
#include "shardine/format.h"

namespace shardine {
std::string BytesAt(const RandomAccessFile& file,
                    std::span<const Extent> extents) {
  std::string joined;
  for (const Extent& extent : extents) {
    REQUIRE(extent.offset <= file.size());
    REQUIRE(extent.length <= file.size() - extent.offset);
    std::string bytes(extent.length, '\0');
    REQUIRE(file.ReadExactly(extent.offset,
                             std::as_writable_bytes(std::span(bytes)))
                .ok());
    joined += bytes;
  }
  return joined;
}

OwnedSample Own(const ScannedSample& view) {
  OwnedSample sample;
  sample.id = view.id;
  if (view.key) sample.key = std::string(*view.key);
  sample.labels.assign(view.labels.begin(), view.labels.end());
  for (const ScannedField& field : view.fields) {
    sample.fields.push_back({std::string(field.name),
                             std::string(field.dtype),
                             {field.shape.begin(), field.shape.end()},
                             std::string(AsText(field.bytes))});
  }
  return sample;
}

OwnedSample MakeSample(std::uint64_t id, std::size_t size) {
  OwnedField image;
  image.bytes.resize(size);
  for (std::size_t i = 0; i < size; i += 16) {
    const auto words = Philox4x32(
        {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(id), 0, 0},
        {1, 2});
    std::memcpy(&image.bytes[i], words.data(),
                std::min<std::size_t>(16, size - i));
  }
  return {.id = id,
          .key = "n0" + std::to_string(id % 7) + "/a b\xff" +
                 std::to_string(id) + ".jpg",
          .labels = {Label(static_cast<std::int64_t>(id % 7))},
          .fields = {std::move(image)}};
}

std::vector<OwnedSample> SmallSamples(std::size_t count) {
  std::vector<OwnedSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(MakeSample(i, i * 37 % 71));
  }
  return samples;
}

FormatAndLayout Case::choice() const {
  return FormatAndLayout{DefaultsOf(*layout), format};
}

std::vector<OwnedSample> MixedSamples() {
  std::vector<OwnedSample> samples = SmallSamples(20);
  samples.push_back(MakeSample(20, 1'300'000));
  for (std::uint64_t id = 21; id < 31; ++id) {
    samples.push_back(MakeSample(id, 120'001));
  }
  return samples;
}

std::string FileOf(const MemoryStorage& storage, const std::string& path) {
  auto bytes = storage.Get(path);
  REQUIRE(bytes.ok());
  return *std::move(bytes);
}

std::string Case::name() const { return choice().Name(); }

ShardPaths Case::paths(const std::string& stem) const {
  const auto with = [&](std::string_view suffix) {
    return suffix.empty() ? std::string() : stem + std::string(suffix);
  };
  return {.shard = with(format->suffix),
          .companion = with(layout->companion_suffix)};
}

OwnedSample Case::Fitted(OwnedSample sample) const {
  OwnedField& image = sample.fields[0];
  if (!layout->limits.encoded_image && image.dtype == kBytesDtype) {
    image.dtype = "|u1";
    image.shape = {3, 4, 4};
    image.bytes.resize(48);
  }
  return sample;
}

OwnedSample Case::Kept(OwnedSample sample) const {
  const Limits& limits = layout->limits;
  sample = Fitted(std::move(sample));
  if (!limits.ids) sample.id.reset();
  if (!limits.keys) sample.key.reset();
  if (limits.max_labels == 0) sample.labels.clear();
  for (Label& label : sample.labels) {
    label = RoundToLabelType(label, limits.label_type);
  }
  return sample;
}

std::vector<OwnedSample> Case::Kept(std::vector<OwnedSample> samples) const {
  for (OwnedSample& sample : samples) sample = Kept(std::move(sample));
  return samples;
}

Result<std::unique_ptr<ShardWriter>> Case::NewWriter(
    Storage& storage, const std::string& stem) const {
  return format->create_writer(storage, paths(stem), {choice()});
}

Status Case::Write(Storage& storage, const std::vector<OwnedSample>& samples,
                   const std::string& stem) const {
  SHARDINE_ASSIGN_OR_RETURN(const auto writer, NewWriter(storage, stem));
  std::uint64_t bytes = 0;
  for (const OwnedSample& sample : samples) {
    SHARDINE_RETURN_IF_ERROR(Append(*writer, sample));
    bytes += Fitted(sample).fields[0].bytes.size();
  }
  SHARDINE_ASSIGN_OR_RETURN(const ShardSummary summary, writer->Finish());
  if (summary.samples == samples.size() && summary.bytes >= bytes) return {};
  return Status(Code::kFailed, "the summary is wrong");
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const Format* format : BuiltinFormats().formats()) {
    for (const Layout& layout : format->layouts) {
      cases.push_back({format, &layout});
    }
  }
  return cases;
}

Status Case::Append(ShardWriter& writer, const OwnedSample& given) const {
  OwnedSample sample = Fitted(given);
  // A writer of shards then leaves all labels to the sidecar, too.
  if (layout->limits.max_labels == 0) sample.labels.clear();
  std::vector<FieldView> fields;
  for (const OwnedField& field : sample.fields) {
    fields.push_back(
        {field.name, field.dtype, field.shape, AsBytes(field.bytes)});
  }
  return writer.Append({.id = sample.id.value_or(0),
                        .key = sample.key ? *sample.key : std::string_view(),
                        .labels = sample.labels,
                        .fields = fields});
}

Scanned ScanFile(const Case& c, Storage& storage, const std::string& path) {
  Scanned scanned;
  const auto file = storage.Open(path);
  if (!file.ok()) return {{}, {}, {}, file.status()};
  const auto scanner = c.format->open_scanner(**file, c.choice());
  if (!scanner.ok()) return {{}, {}, {}, scanner.status()};
  for (;;) {
    const auto next = (*scanner)->Next();
    if (!next.ok() || !*next) {
      scanned.status = next.status();
      return scanned;
    }
    const ScannedSample& sample = **next;
    CHECK(sample.record == scanned.samples.size());
    scanned.samples.push_back(Own(sample));
    scanned.offsets.push_back(sample.record_offset);
    scanned.at_extents.emplace_back();
    for (const ScannedField& field : sample.fields) {
      scanned.at_extents.back().push_back(BytesAt(**file, field.extents));
    }
  }
}

}  // namespace shardine
