#include "recordio/irheader.h"

#include <cmath>
#include <limits>

#include "shard/format.h"

namespace shardine {
namespace {

float ToFloat(const Label& label) {
  return static_cast<float>(
      RoundToLabelType(label, LabelType::kFloat32).real());
}

}  // namespace

void AppendIrHeader(const IrHeader& header, std::string& to) {
  AppendLe(header.flag, to);
  AppendLe(header.label, to);
  AppendLe(header.id, to);
  AppendLe(header.id2, to);
}

IrHeader LoadIrHeader(const std::byte* from) {
  return {.flag = LoadLe<std::uint32_t>(from),
          .label = LoadLe<float>(from + 4),
          .id = LoadLe<std::uint64_t>(from + 8),
          .id2 = LoadLe<std::uint64_t>(from + 16)};
}

void AppendRecordPrefix(std::uint64_t id, std::span<const Label> labels,
                        std::string& to) {
  IrHeader header{.id = id};
  if (labels.empty()) header.label = std::numeric_limits<float>::quiet_NaN();
  if (labels.size() == 1) header.label = ToFloat(labels[0]);
  if (labels.size() > 1) {
    header.flag = static_cast<std::uint32_t>(labels.size());
  }
  AppendIrHeader(header, to);
  if (labels.size() < 2) return;
  for (const Label& label : labels) AppendLe(ToFloat(label), to);
}

Result<RecordPrefix> ParseRecordPrefix(ByteView record,
                                       std::vector<Label>& labels) {
  labels.clear();
  if (record.size() < kIrHeaderBytes) {
    return Status(Code::kCorrupt,
                  "a record of " + std::to_string(record.size()) +
                      " bytes is too short for the header of an image");
  }
  const IrHeader header = LoadIrHeader(record.data());
  if (header.flag > (record.size() - kIrHeaderBytes) / sizeof(float)) {
    return Status(Code::kCorrupt, std::to_string(header.flag) +
                                      " labels do not fit in a record of " +
                                      std::to_string(record.size()) + " bytes");
  }
  if (header.flag == 0) {
    if (!std::isnan(header.label)) {
      labels.push_back(Label::FromReal(header.label));
    }
    return RecordPrefix{header.id, kIrHeaderBytes};
  }
  labels.reserve(header.flag);
  for (std::size_t i = 0; i < header.flag; ++i) {
    const auto value =
        LoadLe<float>(record.data() + kIrHeaderBytes + i * sizeof(float));
    if (std::isnan(value)) {
      return Status(Code::kUnsupported,
                    "label " + std::to_string(i) + " is not a number");
    }
    labels.push_back(Label::FromReal(value));
  }
  return RecordPrefix{header.id, kIrHeaderBytes + header.flag * sizeof(float)};
}

}  // namespace shardine
