// The sources of a pack's samples, and their treatment on the way.
#ifndef SHARDINE_SOURCE_H_
#define SHARDINE_SOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// The treatment of class folders without images. Some tools number them, others
// do not, and all classes after them are others then.
enum class EmptyClasses : std::uint8_t {
  kRefuse,
  kKeep,  // numbered as any other
  kDrop,  // no classes; the others are numbered densely
};

// Classes that are too small for a split when shares are kept class by class.
enum class SmallClasses : std::uint8_t {
  kRefuse,
  kTrain,  // all of them stay in split "train", or the first if there is none
};

// How samples are cut into splits of given shares. Without both they are drawn
// one by one.
struct SplitRule {
  // Each class is cut into the shares: its count in a split is off by at most
  // one, and at least one. Each sample needs one whole number as label.
  bool stratify = false;
  SmallClasses small_classes = SmallClasses::kRefuse;  // of `stratify`
  // All samples of a group are in one split. "folder:2": the name of the second
  // folder in the key is the group; "column:patient": the value of that column
  // of the list, by default of a column `group`; else a regular expression
  // (RE2) that is searched for in the key, whose one capture is. Every key
  // needs a group.
  std::string group_by;
  // Samples whose images are the same bytes are one group, and so are groups
  // that have such samples. Images that may be are read to find them.
  bool dedup_groups = false;
  // So are samples whose images look alike, as an audit finds them
  // (AuditOptions::near), too: all images are decoded, some 700 photos a second
  // and thread. Of up to 50,000 samples any two are compared, of more those
  // that are encoded or sized in another way.
  bool near_groups = false;

  bool unites_copies() const { return dedup_groups || near_groups; }
};

// The treatment of annotations that cannot be: unknown categories, boxes
// without a size, values that are no numbers.
enum class BadAnnotations : std::uint8_t {
  kFail,
  kSkip,  // each is left out, counted and listed
};

// A file or folder of annotations in a known form.
struct AnnotationSource {
  std::string split;  // of SourceOptions::folders; empty: all of them
  std::string kind;   // "coco", "voc" or "yolo"
  std::string path;

  friend bool operator==(const AnnotationSource&,
                         const AnnotationSource&) = default;
};

// A field of samples, and which files it comes from.
struct FileField {
  std::string name;
  std::string files;  // a suffix, or the pattern of a path
};

// Fields from files of an image's stem: "a/1.txt" or "a/1_mask.png" of
// "a/1.jpg".
struct StemFields {
  // A field of each suffix that there is, images left out: ".txt" is "txt",
  // ".en.txt" is "en_txt".
  bool is_auto = false;
  std::vector<FileField> fields;  // by suffixes, in any case of letters
};

struct SourceOptions {
  // {"train", DIR} alone for an unnamed source, else one per NAME=DIR in the
  // order given: ids run on through them.
  struct Folder {
    std::string split;
    std::string path;
  };
  std::vector<Folder> folders;
  // A .lst or a table (CSV, TSV, JSON, JSON lines; "-" is standard input) of
  // paths below the one folder. A path that comes several times is as many
  // samples: the first has it as its key, the others with a number,
  // "a/b#2.jpg". Columns other than path, labels, split and id become fields.
  std::string list;
  // Folder that the relative paths of `list` start from; empty: the one of
  // `folders`. Below that they have to lie all the same, and their keys are
  // relative to that.
  std::string list_root;
  // The name of metadata files, tables beside or above images. Columns but the
  // file's, which starts from the folder, become labels and fields. "auto":
  // metadata.csv and metadata.jsonl; "none": no file; empty: "auto", but "none"
  // for a complete dataset that was packed so.
  std::string metadata_file;
  std::string label_map;  // file: "name label" or "name" lines
  std::int64_t label_offset = 0;
  std::string blacklist;   // file: one key or file name per line
  std::string val_labels;  // file: labels of the flat folder of split "val"
  // Images that have no label, since they lie in no class folder and no list
  // names one, are wanted all the same. Else they are refused.
  bool unlabelled = false;
  std::string class_text;  // file: "name \t text" lines, text for people
  // File: "file,xmin,ymin,xmax,ymax" lines, which become float fields.
  std::string bounding_boxes;
  // Boxes, polygons, masks, points and captions, which become fields of all
  // samples. Images that they name and no sample has are listed.
  std::vector<AnnotationSource> annotations;
  BadAnnotations bad_annotations = BadAnnotations::kFail;
  // Files beside the images are fields of their samples, not images. Those with
  // a suffix of text (.txt, .json, .xml and the like) are text in UTF-8, all
  // others bytes. A sample without the file has no such field.
  StemFields stem_fields;
  // Files of another tree: "masks/{stem}.png". {stem} is the name of the image
  // without its suffix, {stem-_rgb} without "_rgb" before that, too; {class} is
  // the first folder of its path, {dir} all of them. Relative patterns start
  // from the image's folder of `folders`, and the files that they match are no
  // images.
  std::vector<FileField> pairs;
  std::uint64_t min_per_class = 0;
  EmptyClasses empty_classes = EmptyClasses::kRefuse;  // of trees
  // Names that differ in their Unicode form alone are one class, called by the
  // composed form (NFC). Else they are refused.
  bool unite_classes = false;
  // Classes are whole numbers, and those are their labels. Else classes are
  // numbered in the order of their names as text: 0, 1, 10, 2.
  bool numbered_classes = false;
  std::uint64_t hold_out = 0;  // samples per class that go into split "val"
  struct SplitShare {
    std::string name;
    double share = 0;  // of 1
  };
  std::vector<SplitShare> split_shares;  // sums to 1; empty: none
  SplitRule split_rule;                  // of split_shares
  std::uint64_t seed = 0;                // of split_shares and hold_out
};

// SOURCE arguments: one DIR, which is split "train", or one or more NAME=DIR
// with different names. Names are letters, digits, `_`, `.` and `-`, so that
// ./a=b is a DIR. kInvalidArgument quotes the argument that is neither.
Result<std::vector<SourceOptions::Folder>> ParseSourceArguments(
    const std::vector<std::string>& arguments);

// "train=0.9,val=0.1": different names, shares in (0, 1] that sum to 1.
// kInvalidArgument quotes the fault.
Result<std::vector<SourceOptions::SplitShare>> ParseSplitShares(
    std::string_view text);

// "caption=.txt,mask=_mask.png", or "auto"; the text that is read as the same.
// kInvalidArgument quotes the wrong part.
Result<StemFields> ParseStemFields(std::string_view text);
std::string StemFieldsText(const StemFields& fields);

// "mask=masks/{stem}.png,depth=/other/{dir}/{stem}.png", likewise.
Result<std::vector<FileField>> ParsePairs(std::string_view text);
std::string PairsText(const std::vector<FileField>& pairs);

// "coco:instances.json,coco:captions.json" or
// "train=coco:a.json,val=coco:b.json", likewise. A comma inside of a path stays
// where no KIND: follows it.
Result<std::vector<AnnotationSource>> ParseAnnotations(std::string_view text);
std::string AnnotationsText(const std::vector<AnnotationSource>& annotations);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_H_
