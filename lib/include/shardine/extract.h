// Extract: the images of a dataset as files of a folder tree, and beside them
// the annotations in the forms of other programs.
#ifndef SHARDINE_EXTRACT_H_
#define SHARDINE_EXTRACT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardine/image_check.h"
#include "shardine/job.h"
#include "shardine/rejects.h"
#include "shardine/status.h"

namespace shardine {

// The names of the files of an extraction.
enum class ExtractNames : std::uint8_t {
  kKey,      // the key; "./" in front of it is left out
  kId,       // the id with at least eight digits, ".jpg" or the like by content
  kClassId,  // the same in a folder of the class's name; the label without any
};

// Annotations as other programs read them. Boxes, labels and the rest are the
// fields that SourceOptions::annotations makes (lib/source/annotations.h).
enum class ExportForm : std::uint8_t {
  // annotations/instances_SPLIT.json, captions_SPLIT.json; images as without.
  kCoco,
  // JPEGImages, Annotations/STEM.xml, ImageSets/Main/SPLIT.txt.
  kVoc,
  // images/SPLIT, labels/SPLIT/STEM.txt, data.yaml.
  kYolo,
  // metadata.jsonl beside the images: an image folder of the Hugging Face hub.
  kHub,
};

struct ExtractOptions {
  std::string dataset;
  std::string directory;
  std::optional<ExportForm> form = {};  // none: images alone
  ExtractNames names = ExtractNames::kKey;
  bool overwrite = false;  // files that are there with other contents
  // OnBad::kSkip: records that cannot be read or do not match their checksums,
  // and images that fail `check`, are left out and listed in
  // DIRECTORY/rejected.jsonl.
  OnBad on_bad = OnBad::kFail;
  // nullopt: kNone under OnBad::kFail, else kHeader.
  std::optional<ImageCheckLevel> check = {};
};

struct ExtractResult {
  std::uint64_t files = 0;  // images that were written
  std::uint64_t bytes = 0;  // of them
  std::uint64_t kept = 0;   // were there already, with the same bytes
  // Not written: fields that the form has no place for, and images that are
  // arrays.
  std::uint64_t fields_left = 0;
  std::uint64_t annotation_files = 0;  // of the form, written or kept
  // Sentences about losses: the form has no place for them.
  std::vector<std::string> notes;
  std::vector<RejectedCount> rejected;
};

// Writes each encoded image to DIRECTORY/<name>, or DIRECTORY/<split>/<name>
// when there are several splits, or where the form wants it. No name can leave
// the directory, and nothing that exists is overwritten unless that is asked
// for: kUnsupported and kAlreadyExists name the key, and files that were
// written before stay. Two samples of one name are kAlreadyExists, too,
// whatever is asked for, and names that the file system takes for one. After
// kCancelled or a kill the same call writes the missing files: files that have
// the very bytes are kept; annotations come last. kInvalidArgument: an OnBad
// other than kFail and kSkip; a form for which the dataset has no fields.
// kCorrupt, naming the sample: fields that do not fit together, or
// under OnBad::kFail a record or image that fails its check.
Result<ExtractResult> ExtractDataset(const ExtractOptions& options,
                                     const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_EXTRACT_H_
