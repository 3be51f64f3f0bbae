// The samples-to-be of a pack: the entries of a tree or a list, before any
// image is read. Built to hold 14 million of them in little more than their
// keys.
#ifndef SHARDINE_SOURCE_SOURCE_SET_H_
#define SHARDINE_SOURCE_SOURCE_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/bounding_boxes.h"
#include "source/category.h"
#include "source/class_map.h"
#include "source/source_list.h"
#include "source/table_fields.h"

namespace shardine {

// Something a source holds that will not become a sample, or should not.
struct SourceProblem {
  // The root of samples of datasets, which are in no folder of a source.
  static constexpr std::uint32_t kNoRoot = 0xFFFFFFFF;

  std::string key;         // of the file or folder; the class, a line of a file
  std::string reason;      // one of the words below
  std::uint32_t root = 0;  // into SourceSet::roots
  std::string list = {};   // the name of a side file whose line it is
  std::uint64_t line = 0;  // in that file, from 1; 0: it is no line
};

struct SourceSet {
  std::vector<std::string> roots;   // folders that keys are relative to
  std::vector<std::string> splits;  // names; index = SourceList::split
  ClassMap classes;                 // empty if the source has none
  SourceList samples;               // in id order for trees, list order else
  BoundingBoxes boxes;              // by file names
  // Left out on purpose or not meant to be samples, in scan order, by reason:
  // "hidden" (name begins with a dot), "not-an-image-suffix",
  // "not-in-a-class" (loose image beside class folders), "empty-class" (a
  // class folder without images; but for EmptyClasses::kDrop it keeps its
  // number), "dataset-folder" (holds a dataset or a resized tree, so that it is
  // no class), "link-loop" (a link to a folder it lies in), "blacklisted",
  // "blacklist-unmatched", "below-min-per-class" (a class), "label-unmatched"
  // (a file name in the validation labels that the folder does not have),
  // "box-unmatched" (a name in the file of boxes that no image has),
  // "annotation-unmatched" (an
  // annotated image that no sample is), "annotation-dropped" (one that cannot
  // be, under BadAnnotations::kSkip), "blacklist-of-several" (its line took
  // several), "label-map-unmatched" (a mapped class without samples),
  // "field-missing", "neighbour-without-image".
  std::vector<SourceProblem> ignored;
  // Would be samples but cannot be read; the bad-image policy applies:
  // "missing", "dangling-link", "link-loop" (of links to files), "not-a-file"
  // (FIFO, device, a folder named by a list), "unreadable", "several-images" (a
  // list's name without a suffix that several have). They are not in
  // `samples`, but ids count them, so that the others have torchvision's
  // numbers: ids may have holes.
  std::vector<SourceProblem> bad;
  // Notes to the user about the labels: which splits have none, where labels
  // were given by position, which classes splits do not share, and how many
  // lines of side files are of no image.
  std::vector<std::string> notes = {};
  // Remarks without a reason to worry: the columns of a table (Job::say).
  std::vector<std::string> remarks = {};
  // Fields that are text (dataset/manifest.h), ascending.
  std::vector<std::string> text_fields = {};
  // Categories of boxes (source/annotations.h).
  CategoryMap categories = {};
  // A column of the list gives the splits.
  bool has_list_splits = false;
  // The rule that samples were kept together by, asked for or taken from a
  // column; empty: none was.
  std::string group_by = {};
  // The columns of SourceList::fields().
  std::vector<TableColumn> columns = {};
};

// Everything SourceOptions ask for, in this order: the tree or list is read;
// classes are numbered, densely over their sorted names or by the label map,
// which then is the list of all classes; labels of a flat folder; blacklist;
// min_per_class, which renumbers densely; hold_out or split_shares; and last
// label_offset, added to every label that is its sample's only one and an
// integer. So neither blacklist nor offset changes the held-out samples.
//
// Annotations are added to the samples before the blacklist.
//
// - Trees: without kKeep or kDrop, a class without images in any folder is
//   refused; ids 0..n-1 in the order of torchvision's ImageFolder
//   (dataset/name_order.h), running on through the folders; classes are the
//   union over the folders; a folder with images and no class folders gives
//   samples without labels, which validation labels may give them. A folder
//   that cannot be listed is an error, since nobody knows how many samples it
//   holds.
// - A list or table (source/listed_source.h): ids and labels are its columns;
//   the split comes from the one folder, or from a column. Numbers as labels
//   have classes only with a label map, which must then have every label.
//
// The files read by the way (label map, blacklist, validation labels) have keys
// and names in the notation of text output (shardine/escape.h); .lst and .json
// take them as they are.
//
// kInvalidArgument: options that contradict each other; no images; images
// without labels, unless that is asked for; an id twice; a label, class or
// count that does not fit; a tree whose only top folders are train, val, valid,
// validation or test, with the hint to give them one by one. kCorrupt: a file
// that does not parse, with path, line and byte.
Result<SourceSet> LoadSource(ReadableStorage& storage,
                             const SourceOptions& options);

// The first folder, or the list where there is none: its storage is the one
// that a source has to be in with all its files.
std::string FirstPath(const SourceOptions& source);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SOURCE_SET_H_
