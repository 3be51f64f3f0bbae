#include "webdataset/sample_fields.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "webdataset/npy_header.h"

namespace shardine {
namespace {

using std::string_view_literals::operator""sv;

// An empty payload has an extent, too: at an offset within any file.
Extent ExtentAt(std::uint64_t offset, std::uint64_t length) {
  if (offset == kNowhere && length == 0) return {0, 0};
  return {offset, length};
}

// Decides by the part after the last dot, as webdataset's own decoder does.
bool IsTextName(std::string_view name) {
  constexpr std::array kTexts = {"txt"sv, "text"sv, "transcript"sv, "json"sv,
                                 "jsn"sv};
  const std::string last = LowerAscii(name.substr(name.rfind('.') + 1));
  return std::ranges::find(kTexts, last) != kTexts.end();
}

}  // namespace

void SampleFields::Clear() {
  fields_.clear();
  views_.clear();
}

void SampleFields::AddBytes(std::string name, ByteView bytes,
                            std::uint64_t offset) {
  fields_.push_back({.name = std::move(name),
                     .dtype = std::string(kBytesDtype),
                     .shape = {},
                     .bytes = bytes,
                     .extent = ExtentAt(offset, bytes.size()),
                     .converted = {}});
}

Status SampleFields::AddNpy(std::string name, ByteView file,
                            std::uint64_t offset) {
  SHARDINE_ASSIGN_OR_RETURN(NpyHeader header, ParseNpyHeader(file));
  const ByteView data = file.subspan(header.header_bytes);
  Field field{.name = std::move(name),
              .dtype = std::move(header.dtype),
              .shape = header.shape,
              .bytes = data,
              .extent = {},
              .converted = {}};
  if (!header.in_place()) {
    ConvertNpyData(header, data, field.converted);
    field.bytes = field.converted.view();
    offset = kNowhere;
  } else if (offset != kNowhere) {
    offset += header.header_bytes;
  }
  field.extent = ExtentAt(offset, data.size());
  fields_.push_back(std::move(field));
  return Status();
}

Result<std::span<const ScannedField>> SampleFields::Sorted() {
  std::ranges::sort(fields_, {}, &Field::name);
  const auto twice = std::ranges::adjacent_find(fields_, {}, &Field::name);
  if (twice != fields_.end()) {
    return Status(Code::kUnsupported,
                  "two files of the sample are field " + ShowName(twice->name));
  }
  views_.clear();
  for (const Field& field : fields_) {
    ScannedField view{.name = field.name,
                      .dtype = field.dtype,
                      .shape = field.shape,
                      .bytes = field.bytes,
                      .extents = {},
                      .is_text = IsTextName(field.name)};
    if (field.extent.offset != kNowhere) view.extents = {&field.extent, 1};
    views_.push_back(view);
  }
  return std::span<const ScannedField>(views_);
}

}  // namespace shardine
