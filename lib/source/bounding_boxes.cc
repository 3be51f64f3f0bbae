#include "source/bounding_boxes.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "source/name_file.h"

namespace shardine {
namespace {

// Cuts ",0.5" from the end of `text`. False if there is no such number.
bool CutNumber(std::string_view& text, float& value) {
  const std::size_t comma = text.rfind(',');
  if (comma == std::string_view::npos) return false;
  const char* const first = text.data() + comma + 1;
  const char* const last = text.data() + text.size();
  const auto parsed = std::from_chars(first, last, value);
  text = text.substr(0, comma);
  return parsed.ec == std::errc() && parsed.ptr == last && value >= 0 &&
         value <= 1;
}

NameColumns BoxColumns() {
  NameColumns columns{
      .wanted = {FileColumn()}, .between = ',', .takes_input = true};
  for (const char* name : {"xmin", "ymin", "xmax", "ymax"}) {
    columns.wanted.push_back({.names = {name}});
  }
  return columns;
}

}  // namespace

Result<BoundingBoxes> BoundingBoxes::Read(ReadableStorage& storage,
                                          const std::string& path) {
  BoundingBoxes boxes;
  SHARDINE_RETURN_IF_ERROR(ForEachName(
      storage, path, BoxColumns(),
      [&](const std::string& line, const LineError& error) {
        std::string_view name = line;
        BoundingBox box;
        if (!CutNumber(name, box.ymax) || !CutNumber(name, box.xmax) ||
            !CutNumber(name, box.ymin) || !CutNumber(name, box.xmin) ||
            name.empty()) {
          return error("not file,xmin,ymin,xmax,ymax with numbers from 0 to 1");
        }
        if (box.xmin > box.xmax || box.ymin > box.ymax) {
          return error("a box with xmin > xmax or ymin > ymax");
        }
        Named& named = boxes.boxes_[std::string(name)];
        named.boxes.push_back(box);
        if (named.line == 0) named.line = error.number();
        return Status();
      }));
  return boxes;
}

void BoundingBoxes::Add(std::string_view file_name,
                        std::span<const BoundingBox> boxes) {
  std::vector<BoundingBox>& list = boxes_[std::string(file_name)].boxes;
  list.insert(list.end(), boxes.begin(), boxes.end());
}

std::span<const BoundingBox> BoundingBoxes::Find(std::string_view path) const {
  const auto of_path = FindName(path);
  if (!of_path.empty()) return of_path;
  return FindName(path.substr(path.rfind('/') + 1));
}

std::span<const BoundingBox> BoundingBoxes::FindName(
    std::string_view name) const {
  const auto found = boxes_.find(name);
  if (found == boxes_.end()) return {};
  return found->second.boxes;
}

std::uint64_t BoundingBoxes::LineOf(std::string_view name) const {
  const auto found = boxes_.find(name);
  return found == boxes_.end() ? 0 : found->second.line;
}

std::vector<std::string_view> BoundingBoxes::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, named] : boxes_) names.push_back(name);
  return names;
}

Digest128 BoundingBoxes::digest() const {
  Xxh3Stream hash;
  for (const auto& [name, named] : boxes_) {
    hash.UpdateLe(static_cast<std::uint32_t>(name.size()));
    hash.Update(AsBytes(name));
    hash.UpdateLe(static_cast<std::uint32_t>(named.boxes.size()));
    for (const BoundingBox& box : named.boxes) {
      for (const float value : {box.xmin, box.ymin, box.xmax, box.ymax}) {
        hash.UpdateLe(value);
      }
    }
  }
  return hash.Digest();
}

}  // namespace shardine
