#include "extract/annotation_writer.h"

#include <algorithm>
#include <numeric>

#include "base/status_macros.h"
#include "extract/annotation_fields.h"
#include "io/output_names.h"

namespace shardine {

std::string SplitFolder(const Manifest& manifest, const std::string& directory,
                        const std::string& split) {
  return manifest.splits.size() > 1 ? JoinPath(directory, split) : directory;
}

bool AnnotationWriter::Holds(std::string_view field) const {
  return held_.empty() || std::ranges::find(held_, field) != held_.end();
}

Status AnnotationWriter::Write(const std::string& path, std::string_view text,
                               TreeWriter& tree) {
  SHARDINE_RETURN_IF_ERROR(
      tree.Write(JoinPath(directory_, path), AsBytes(text)).status());
  ++files_;
  return Status();
}

void AnnotationWriter::NoteObjects(std::uint64_t count, const char* sentence) {
  if (count == 0) return;
  notes_.push_back(std::string(sentence) + ": " + std::to_string(count) +
                   (count == 1 ? " object" : " objects"));
}

Result<ImageAnnotations> AnnotationWriter::Read(const ExtractedImage& image) {
  SHARDINE_ASSIGN_OR_RETURN(ImageAnnotations annotations,
                            ReadAnnotations(image.fields));
  const auto named = static_cast<std::int64_t>(manifest_.categories.size());
  for (const AnnotatedObject& object : annotations.objects) {
    if (named > 0 && object.category >= named) {
      return Status(Code::kCorrupt,
                    "field \"bbox_label\": " + std::to_string(object.category) +
                        " is no category of the dataset");
    }
    labels_.insert(object.category);
  }
  return annotations;
}

std::vector<std::int64_t> AnnotationWriter::CategoryLabels() const {
  if (manifest_.categories.empty()) return {labels_.begin(), labels_.end()};
  std::vector<std::int64_t> labels(manifest_.categories.size());
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

std::string AnnotationWriter::CategoryName(std::int64_t label) const {
  const auto number = static_cast<std::uint64_t>(label);
  if (number < manifest_.categories.size()) {
    return manifest_.categories[number].name;
  }
  return std::to_string(label);
}

std::unique_ptr<AnnotationWriter> MakeAnnotationWriter(
    ExportForm form, const Manifest& manifest, const std::string& directory) {
  switch (form) {
    case ExportForm::kCoco:
      return MakeCocoWriter(manifest, directory);
    case ExportForm::kVoc:
      return MakeVocWriter(manifest, directory);
    case ExportForm::kYolo:
      return MakeYoloWriter(manifest, directory);
    case ExportForm::kHub:
      break;
  }
  return MakeHubWriter(manifest, directory);
}

}  // namespace shardine
