#include "source/annotations.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/annotation_cells.h"
#include "source/annotation_names.h"
#include "source/annotation_reader.h"
#include "source/name_file.h"

namespace shardine {
namespace {

std::string Counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// An image of a reader, and the sample that it is.
struct AnnotatedSample {
  std::size_t sample = 0;
  std::size_t reader = 0;
  std::size_t image = 0;
};

class Annotator {
 public:
  Annotator(ReadableStorage& storage, const SourceOptions& options,
            SourceSet& set)
      : storage_(storage), options_(options), set_(set) {}

  Status Run() {
    SHARDINE_RETURN_IF_ERROR(OpenAll());
    SHARDINE_RETURN_IF_ERROR(NumberCategories());
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      SHARDINE_RETURN_IF_ERROR(
          Match(i).At({.path = options_.annotations[i].path}));
    }
    std::ranges::sort(found_, [](const auto& a, const auto& b) {
      return std::tie(a.sample, a.reader, a.image) <
             std::tie(b.sample, b.reader, b.image);
    });
    SHARDINE_RETURN_IF_ERROR(CheckFound());
    return AddFields();
  }

 private:
  const std::string& PathOf(std::size_t reader) const {
    return options_.annotations[reader].path;
  }

  Status OpenAll() {
    for (const AnnotationSource& source : options_.annotations) {
      if (source.kind != options_.annotations.front().kind) {
        return Status(Code::kInvalidArgument,
                      "annotations of two kinds, " +
                          options_.annotations.front().kind + " and " +
                          source.kind +
                          "; datumaro or panlabel unites them "
                          "as COCO");
      }
      const auto& folders = options_.folders;
      if (!source.split.empty() &&
          std::ranges::find(folders, source.split,
                            &SourceOptions::Folder::split) == folders.end()) {
        return Status(Code::kInvalidArgument, "annotations of split " +
                                                  EscapeBytes(source.split) +
                                                  ", which no source has");
      }
      auto reader = source.kind == "coco" ? OpenCoco(storage_, source.path)
                    : source.kind == "voc"
                        ? OpenVoc(storage_, source.path)
                        : OpenYolo(storage_, source.path, source.split, set_);
      if (!reader.ok()) return std::move(reader).status();
      readers_.push_back(*std::move(reader));
      SHARDINE_RETURN_IF_ERROR(TakeFaults(*readers_.back(), source.path));
    }
    return Status();
  }

  Status TakeFaults(const AnnotationReader& reader, const std::string& path) {
    const auto& notes = reader.notes();
    set_.notes.insert(set_.notes.end(), notes.begin(), notes.end());
    const auto& faults = reader.faults();
    if (faults.empty()) return Status();
    const AnnotationFault& first = faults.front();
    std::string text = (first.is_line ? "line " : "annotation ") +
                       std::to_string(first.number);
    if (!first.image.empty()) text += " (" + EscapeBytes(first.image) + ")";
    text += ": " + first.reason;
    if (options_.bad_annotations == BadAnnotations::kFail) {
      text += faults.size() == 1
                  ? " (an annotation that cannot be)"
                  : " (the first of " + std::to_string(faults.size()) +
                        " annotations that cannot be)";
      return Status(Code::kCorrupt, text).At({.path = first.path});
    }
    set_.notes.push_back(Counted(faults.size(), "annotation") + " of " +
                         EscapeBytes(path) + " left out, first " + text);
    for (const AnnotationFault& fault : faults) {
      set_.ignored.push_back({.key = fault.image,
                              .reason = "annotation-dropped",
                              .list = FileNameOf(fault.path),
                              .line = fault.number});
    }
    return Status();
  }

  // One numbering for all files: the same id is the same category.
  Status NumberCategories() {
    std::map<std::string, Category> by_id;
    bool are_numbers = true;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      for (const Category& category : readers_[i]->categories()) {
        const auto [known, is_new] = by_id.try_emplace(category.id, category);
        if (!is_new && known->second.name != category.name) {
          return Status(Code::kInvalidArgument,
                        "category " + EscapeBytes(category.id) + " is " +
                            EscapeBytes(category.name) + ", and " +
                            EscapeBytes(known->second.name) + " in " +
                            EscapeBytes(PathOf(0)))
              .At({.path = PathOf(i)});
        }
        are_numbers = are_numbers && ParseSigned(category.id).has_value();
      }
    }
    for (auto& [id, category] : by_id) set_.categories.push_back(category);
    if (are_numbers) {
      std::ranges::sort(set_.categories, {}, [](const Category& category) {
        return *ParseSigned(category.id);
      });
    }
    std::map<std::string, std::int64_t> labels;
    for (Category& category : set_.categories) {
      category.label = static_cast<std::int64_t>(labels.size());
      labels[category.id] = category.label;
    }
    for (const auto& reader : readers_) {
      std::vector<std::int64_t>& of_reader = labels_.emplace_back();
      for (const Category& category : reader->categories()) {
        of_reader.push_back(labels[category.id]);
      }
    }
    return Status();
  }

  Status Match(std::size_t number) {
    const AnnotationReader& reader = *readers_[number];
    const AnnotationNames names(set_, options_.annotations[number].split);
    std::vector<std::string> strangers = reader.strangers();
    std::uint64_t matched = 0;
    for (std::size_t i = 0; i < reader.images().size(); ++i) {
      const AnnotatedImage& image = reader.images()[i];
      SHARDINE_ASSIGN_OR_RETURN(const auto found, names.Find(image));
      if (found.samples.empty() && !found.is_known) {
        strangers.push_back(image.name);
        continue;
      }
      ++matched;
      for (const std::size_t sample : found.samples) {
        found_.push_back({sample, number, i});
      }
    }
    if (strangers.empty()) return Status();
    std::string text = std::to_string(strangers.size()) + " of " +
                       Counted(strangers.size() + matched, "annotated image") +
                       " of " + EscapeBytes(PathOf(number)) +
                       " not in the source, such as " +
                       EscapeBytes(strangers.front());
    if (matched == 0) return Status(Code::kInvalidArgument, std::move(text));
    set_.notes.push_back(std::move(text));
    for (std::string& name : strangers) {
      set_.ignored.push_back({.key = std::move(name),
                              .reason = "annotation-unmatched",
                              .list = FileNameOf(PathOf(number))});
    }
    return Status();
  }

  // An image has the boxes of one file, and of one image of it.
  Status CheckFound() const {
    for (std::size_t i = 1; i < found_.size(); ++i) {
      const AnnotatedSample& a = found_[i - 1];
      const AnnotatedSample& b = found_[i];
      if (a.sample != b.sample) continue;
      const std::string key = EscapeBytes(set_.samples.path(a.sample));
      if (a.reader == b.reader) {
        const auto& images = readers_[a.reader]->images();
        return Status(Code::kInvalidArgument,
                      "two annotated images could be " + key + ": " +
                          EscapeBytes(images[a.image].name) + " (image " +
                          std::to_string(a.image + 1) + ") and " +
                          EscapeBytes(images[b.image].name) + " (image " +
                          std::to_string(b.image + 1) + ")")
            .At({.path = PathOf(a.reader)});
      }
      if (readers_[a.reader]->parts().boxes &&
          readers_[b.reader]->parts().boxes) {
        return Status(Code::kInvalidArgument,
                      key + " has boxes in two files, here and in " +
                          EscapeBytes(PathOf(b.reader)) +
                          "; give one of them, or each with its split")
            .At({.path = PathOf(a.reader)});
      }
    }
    return Status();
  }

  Status AddFields() {
    AnnotationParts parts;
    for (const auto& reader : readers_) {
      const AnnotationParts& own = reader->parts();
      parts.boxes = parts.boxes || own.boxes;
      parts.crowds = parts.crowds || own.crowds;
      parts.flags = parts.flags || own.flags;
      parts.polygons = parts.polygons || own.polygons;
      parts.masks = parts.masks || own.masks;
      parts.captions = parts.captions || own.captions;
      parts.points = std::max(parts.points, own.points);
    }
    SHARDINE_ASSIGN_OR_RETURN(const AnnotationCells writer,
                              AnnotationCells::AddTo(set_, parts));
    auto found = found_.begin();
    std::uint64_t bare = 0;
    for (std::size_t i = 0; i < set_.samples.size(); ++i) {
      ImageAnnotations annotations;
      if (found == found_.end() || found->sample != i) ++bare;
      for (; found != found_.end() && found->sample == i; ++found) {
        const std::size_t begin = annotations.objects.size();
        SHARDINE_RETURN_IF_ERROR(
            readers_[found->reader]->Read(found->image, annotations));
        for (auto k = begin; k < annotations.objects.size(); ++k) {
          std::int64_t& category = annotations.objects[k].category;
          category = labels_[found->reader][static_cast<std::size_t>(category)];
        }
      }
      // Points are filled up to those of the object with most.
      const std::uint64_t points = annotations.objects.size() * parts.points;
      std::string cells(set_.samples.fields(i));
      if (points <= SourceList::kMaxKey) cells += writer.Of(annotations);
      if (cells.size() > SourceList::kMaxKey || points > SourceList::kMaxKey) {
        return Status(Code::kUnsupported,
                      "annotations of more than 16 MiB of one image")
            .At({.key = std::string(set_.samples.key(i))});
      }
      set_.samples.SetFields(i, cells);
    }
    if (bare > 0) {
      set_.notes.push_back(Counted(bare, "image") + " of " +
                           std::to_string(set_.samples.size()) +
                           " without annotations");
    }
    return Status();
  }

  ReadableStorage& storage_;
  const SourceOptions& options_;
  SourceSet& set_;
  std::vector<std::unique_ptr<AnnotationReader>> readers_;
  std::vector<std::vector<std::int64_t>> labels_;  // of each reader's
  std::vector<AnnotatedSample> found_;
};

}  // namespace

Status AddAnnotations(ReadableStorage& storage, const SourceOptions& options,
                      SourceSet& set) {
  return Annotator(storage, options, set).Run();
}

}  // namespace shardine
