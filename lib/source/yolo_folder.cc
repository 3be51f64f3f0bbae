#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "image/probe.h"
#include "pipeline/parallel_for.h"
#include "pipeline/processor_share.h"
#include "shardine/escape.h"
#include "source/annotation_reader.h"
#include "source/source_file.h"
#include "source/yolo_row.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxYoloYaml = std::uint64_t{16} << 20;
constexpr std::uint64_t kMaxYoloText = std::uint64_t{64} << 20;
constexpr std::size_t kHeaderBytes = std::size_t{64} << 10;
constexpr std::uint64_t kMaxHeader = std::uint64_t{256} << 20;

// The labels of a path: the last folder images becomes labels.
std::string LabelPath(const std::string& image) {
  std::string path(StemOf(image));
  constexpr std::string_view kImagesFolder = "/images/";
  if (const std::size_t at = path.rfind(kImagesFolder); at != path.npos) {
    path.replace(at, kImagesFolder.size(), "/labels/");
  } else if (path.starts_with("images/")) {
    path.replace(0, 6, "labels");
  }
  return path + ".txt";
}

// From the first bytes; where they do not reach, from all.
Result<YoloImage> ReadImageSize(ReadableStorage& storage,
                                const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  YoloImage image;
  for (std::uint64_t most : {std::uint64_t{kHeaderBytes}, kMaxHeader}) {
    ByteBuffer bytes;
    bytes.Resize(static_cast<std::size_t>(std::min(most, file->size())));
    SHARDINE_RETURN_IF_ERROR(file->ReadExactly(0, bytes.span()));
    const ImageFacts facts = ProbeImage(bytes.view()).facts;
    image = {facts.width, facts.height, facts.orientation};
    if (facts.width > 0 || bytes.size() == file->size()) break;
  }
  return image;
}

class YoloReader : public AnnotationReader {
 public:
  explicit YoloReader(std::string path) : path_(std::move(path)) {}

  Status Open(ReadableStorage& storage, const std::string& split,
              const SourceSet& set) {
    SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                              ReadSmallFile(storage, path_, kMaxYoloYaml));
    auto yaml = ParseYoloYaml(text);
    if (!yaml.ok()) return std::move(yaml).status().At({.path = path_});
    yaml_ = *std::move(yaml);
    for (const std::string& name : yaml_.names) {
      const auto label = static_cast<std::int64_t>(categories_.size());
      categories_.push_back(
          {.label = label, .id = std::to_string(label), .name = name});
    }
    SHARDINE_RETURN_IF_ERROR(ReadAll(storage, split, set));
    parts_.boxes = true;
    parts_.points = yaml_.points;
    return NoteStrangers(storage);
  }

  Status Read(std::size_t image, ImageAnnotations& to) override {
    to.objects = files_[image].objects;
    to.source = files_[image].text;
    return Status();
  }

 private:
  struct LabelFile {
    std::string path;
    std::string text;
    std::vector<AnnotatedObject> objects;
    std::vector<AnnotationFault> faults;
    bool is_there = false;
  };

  // Reads the labels of each image, and the headers of images with some.
  Status ReadAll(ReadableStorage& storage, const std::string& split,
                 const SourceSet& set) {
    const SourceList& samples = set.samples;
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (split.empty() || set.splits[samples.split(i)] == split) {
        taken.push_back(i);
      }
    }
    std::vector<LabelFile> files(taken.size());
    SHARDINE_RETURN_IF_ERROR(
        ParallelFor(taken.size(), ThreadCount(0), [&](std::size_t i) {
          const std::string image =
              JoinPath(set.roots[samples.root(taken[i])],
                       std::string(samples.path(taken[i])));
          return ReadFile(storage, image, samples.path(taken[i]), files[i]);
        }));
    for (std::size_t i = 0; i < taken.size(); ++i) {
      known_.insert(files[i].path);
      if (!files[i].is_there) continue;
      for (const AnnotatedObject& object : files[i].objects) {
        parts_.polygons = parts_.polygons || !object.polygons.empty();
      }
      std::ranges::move(files[i].faults, std::back_inserter(faults_));
      images_.push_back(
          {.name = std::string(samples.path(taken[i])), .sample = taken[i]});
      files_.push_back(std::move(files[i]));
    }
    if (!images_.empty()) return Status();
    return Status(Code::kInvalidArgument,
                  "YOLO: no image has labels" +
                      (files.empty() ? std::string()
                                     : "; the first ones would be " +
                                           EscapeBytes(files.front().path)))
        .At({.path = path_});
  }

  Status ReadFile(ReadableStorage& storage, const std::string& image,
                  std::string_view name, LabelFile& file) const {
    file.path = LabelPath(image);
    auto text = ReadSmallFile(storage, file.path, kMaxYoloText);
    // An image of background has no labels.
    if (text.status().code() == Code::kNotFound) return Status();
    if (!text.ok()) return text.status();
    file.is_there = true;
    file.text = *std::move(text);
    if (file.text.find_first_not_of(" \t\r\n") == file.text.npos) {
      return Status();
    }
    auto size = ReadImageSize(storage, image);
    // A file that cannot be read is a bad image, which is no fault of labels.
    const YoloImage known = size.ok() ? *size : YoloImage();
    std::set<std::string_view> lines;
    std::uint64_t number = 0;
    for (std::string_view rest = file.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++number;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      AnnotatedObject object;
      std::string fault = ReadYoloRow(line, yaml_, known, object);
      if (fault.empty() && !lines.insert(line).second) {
        fault = "a line that comes again";
      }
      if (fault.empty()) {
        file.objects.push_back(std::move(object));
        continue;
      }
      file.faults.push_back({.image = std::string(name),
                             .reason = std::move(fault),
                             .path = file.path,
                             .number = number,
                             .is_line = true});
    }
    return Status();
  }

  // Labels beside those of the images.
  Status NoteStrangers(ReadableStorage& storage) {
    std::set<std::string> folders;
    for (const LabelFile& file : files_) {
      folders.insert(file.path.substr(0, file.path.rfind('/')));
    }
    for (const std::string& folder : folders) {
      SHARDINE_ASSIGN_OR_RETURN(auto entries, storage.List(folder));
      std::ranges::sort(entries, {}, &DirEntry::name);
      for (const DirEntry& entry : entries) {
        if (entry.name.starts_with('.') || !entry.name.ends_with(".txt") ||
            entry.name == "classes.txt" || entry.kind == FileKind::kDirectory ||
            known_.contains(JoinPath(folder, entry.name))) {
          continue;
        }
        strangers_.push_back(entry.name);
      }
    }
    return Status();
  }

  const std::string path_;
  YoloYaml yaml_;
  std::vector<LabelFile> files_;  // as images_
  std::set<std::string> known_;   // paths of labels of images
};

}  // namespace

Result<std::unique_ptr<AnnotationReader>> OpenYolo(ReadableStorage& storage,
                                                   const std::string& path,
                                                   const std::string& split,
                                                   const SourceSet& set) {
  auto reader = std::make_unique<YoloReader>(path);
  SHARDINE_RETURN_IF_ERROR(reader->Open(storage, split, set));
  return std::unique_ptr<AnnotationReader>(std::move(reader));
}

}  // namespace shardine
