#include "dataset/index_entry.h"

#include <cstdio>
#include <string>

#include "base/checksum.h"
#include "image/probe.h"
#include "shard/content_digest.h"
#include "shard/encoded_image.h"

namespace shardine {
namespace {

const char* SuffixOf(ImageKind kind) {
  switch (kind) {
    case ImageKind::kJpeg:
      return ".jpg";
    case ImageKind::kPng:
      return ".png";
    default:
      return "";
  }
}

}  // namespace

IndexEntry MakeIndexEntry(const ScannedSample& scanned, std::uint64_t id,
                          std::span<const Label> labels) {
  IndexEntry entry;
  entry.id = id;
  entry.labels.assign(labels.begin(), labels.end());
  std::vector<FieldView> fields;
  fields.reserve(scanned.fields.size());
  for (const ScannedField& field : scanned.fields) {
    entry.payload_crc = Crc32c(field.bytes, entry.payload_crc);
    fields.push_back({field.name, field.dtype, field.shape, field.bytes});
    entry.fields.push_back({std::string(field.name),
                            std::string(field.dtype),
                            {field.shape.begin(), field.shape.end()},
                            {field.extents.begin(), field.extents.end()}});
    if (scanned.fields.size() > 1) {
      entry.fields.back().crc = Crc32c(field.bytes);
    }
    if (field.extents.empty()) {
      entry.fields.back().extents = {{kNowhere, field.bytes.size()}};
    }
    if (IsEncodedImage(field)) entry.facts = ProbeImage(field.bytes).facts;
  }
  entry.content_digest = ContentDigest(labels, fields);
  return entry;
}

SampleView RecordOf(SampleView sample, const Limits& limits,
                    const ClassMap& classes) {
  if (const ClassInfo* info = FindClass(classes, sample.labels)) {
    sample.class_name = info->name;
    sample.class_text = info->text;
  }
  sample.labels = LabelsWithin(sample.labels, limits);
  return sample;
}

std::vector<DatasetFacts::Class> ClassFactsOf(const ClassMap& classes) {
  std::vector<DatasetFacts::Class> facts;
  for (const ClassInfo& info : classes) {
    facts.push_back({info.name, info.label});
  }
  return facts;
}

Status CompareWithRecord(const ScannedSample& scanned, const Limits& limits,
                         std::uint64_t id, std::span<const Label> labels,
                         std::string_view key) {
  const auto differs = [&](const char* what) {
    return Status(Code::kCorrupt,
                  std::string(what) + " in the record is not that of the index")
        .At({.offset = scanned.record_offset,
             .record = scanned.record,
             .key = std::string(key)});
  };
  if (limits.ids && scanned.id != id) return differs("id");
  if (limits.keys && scanned.key != key) return differs("key");
  labels = LabelsWithin(labels, limits);
  bool equal = scanned.labels.size() == labels.size();
  for (std::size_t i = 0; equal && i < labels.size(); ++i) {
    equal = scanned.labels[i] == RoundToLabelType(labels[i], limits.label_type);
  }
  return equal ? Status() : differs("label");
}

std::string MadeUpKey(std::uint64_t id, const ImageFacts& facts) {
  char text[32];
  std::snprintf(text, sizeof(text), "%08llu",
                static_cast<unsigned long long>(id));
  return text + std::string(SuffixOf(facts.kind));
}

}  // namespace shardine
