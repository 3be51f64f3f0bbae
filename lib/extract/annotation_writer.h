// The seam of exports: a writer for each form of annotations.
#ifndef SHARDINE_EXTRACT_ANNOTATION_WRITER_H_
#define SHARDINE_EXTRACT_ANNOTATION_WRITER_H_

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/manifest.h"
#include "extract/tree_writer.h"
#include "image/image_facts.h"
#include "shardine/extract.h"
#include "shardine/label.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/annotation_reader.h"

namespace shardine {

// An image that was extracted. Views are valid during a call.
struct ExtractedImage {
  const std::string& split;
  const std::string& name;  // of its file, below the folder of images
  ImageFacts facts;
  std::span<const Label> labels;
  std::span<const FieldView> fields;  // all but the image, by ascending name
};

// The folder of the images of a split: splits become folders, as pack takes
// them, and a single one needs none.
std::string SplitFolder(const Manifest& manifest, const std::string& directory,
                        const std::string& split);

// Thread-compatible.
class AnnotationWriter {
 public:
  // `held`: the fields that the form has a place for, with static storage;
  // empty: it has one for all.
  AnnotationWriter(const Manifest& manifest, const std::string& directory,
                   std::span<const std::string_view> held)
      : manifest_(manifest), directory_(directory), held_(held) {}
  virtual ~AnnotationWriter() = default;

  // The folder of the images of a split; SplitFolder() unless the form has one.
  virtual std::string ImageFolder(const std::string& split) const {
    return SplitFolder(manifest_, directory_, split);
  }
  // Whether the form has a place for a field of that name.
  bool Holds(std::string_view field) const;
  // Writes the annotations of an image, now or with Finish(). kCorrupt: fields
  // do not fit together; kUnsupported: the form has no such sample.
  virtual Status Add(const ExtractedImage& image, TreeWriter& tree) = 0;
  virtual Status Finish(TreeWriter& tree) = 0;

  std::uint64_t files() const { return files_; }  // written or kept
  // Sentences about losses.
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  const Manifest& manifest() const { return manifest_; }
  // `path` is below the directory of the extraction.
  Status Write(const std::string& path, std::string_view text,
               TreeWriter& tree);
  // Adds the note "SENTENCE: 3 objects", unless `count` is 0.
  void NoteObjects(std::uint64_t count, const char* sentence);
  // The annotations of a sample. kCorrupt, naming the field, and kUnsupported
  // as ReadAnnotations(); kCorrupt: a label that is no category.
  Result<ImageAnnotations> Read(const ExtractedImage& image);
  // The labels of all categories, ascending. A dataset without names has the
  // labels that were read so far.
  std::vector<std::int64_t> CategoryLabels() const;
  // The name of a category; its number where the dataset has no names.
  std::string CategoryName(std::int64_t label) const;

  std::vector<std::string> notes_;

 private:
  const Manifest& manifest_;
  const std::string& directory_;
  const std::span<const std::string_view> held_;
  std::set<std::int64_t> labels_;  // of boxes that were read
  std::uint64_t files_ = 0;
};

// `manifest` and `directory` must outlive the writer.
std::unique_ptr<AnnotationWriter> MakeCocoWriter(const Manifest& manifest,
                                                 const std::string& directory);
std::unique_ptr<AnnotationWriter> MakeVocWriter(const Manifest& manifest,
                                                const std::string& directory);
std::unique_ptr<AnnotationWriter> MakeYoloWriter(const Manifest& manifest,
                                                 const std::string& directory);
std::unique_ptr<AnnotationWriter> MakeHubWriter(const Manifest& manifest,
                                                const std::string& directory);
std::unique_ptr<AnnotationWriter> MakeAnnotationWriter(
    ExportForm form, const Manifest& manifest, const std::string& directory);

}  // namespace shardine

#endif  // SHARDINE_EXTRACT_ANNOTATION_WRITER_H_
