// Convert: datasets become another dataset, in any format, without touching a
// byte of a payload. Each sample keeps its content digest, unless fields of it
// are left out or its labels changed, and the output is scanned back to prove
// it.
#ifndef SHARDINE_CONVERT_H_
#define SHARDINE_CONVERT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardine/array_layout.h"
#include "shardine/entry_points.h"
#include "shardine/field_roles.h"
#include "shardine/image_check.h"
#include "shardine/job.h"
#include "shardine/list_match.h"
#include "shardine/pack_result.h"
#include "shardine/recode.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

// The channels of arrays of pixels, the first axis of three: channels x height
// x width, u8.
enum class PixelOrder : std::uint8_t {
  kRgb,
  kBgr,   // as Caffe and OpenCV have them
  kGray,  // one channel
};

struct ConvertOptions {
  // Dataset folder, packed or indexed; or a shard file that is in no dataset,
  // which is scanned as IndexShards() does, into memory: about 100 bytes and
  // the key of each sample. Nothing is written beside it.
  std::string input;
  // Several of those instead of `input`, in this order; and the split of each,
  // where that is said: else the one that the file names, or "train".
  std::vector<std::string> files;
  std::vector<std::string> file_splits;
  std::string class_names;  // of such files, as IndexOptions::class_names
  FieldRoles roles;         // of such files, but for its `fields`
  std::string output;       // folder
  std::string format;       // with layout; empty: the input's
  // The shards of a split, by number or size; both 0: those of the input.
  std::uint64_t shards = 0;
  std::uint64_t shard_bytes = 0;
  std::optional<std::uint64_t> reshuffle;  // seed of a new order
  // The samples that are left are cut into splits at random, as those of a pack
  // are: by shares where they are of one split, or so many of each class go
  // from "train" into "val". Shards are then as large as those of the input.
  std::vector<SourceOptions::SplitShare> split_shares;
  SplitRule split_rule;  // of split_shares; groups are those of the new keys
  std::uint64_t hold_out = 0;
  std::uint64_t seed = 0;  // of split_shares and hold_out
  bool no_suffix = false;  // as PackOptions::no_suffix
  // Refuse facts that a record cannot hold and only the sidecar index would
  // keep: ids, keys, exact labels.
  bool strict = false;
  bool lossy_labels = false;  // as PackOptions::lossy_labels
  // Decode the images, all of one size, to arrays: a new dataset, whose
  // manifest names the content digest of the input as its parent's. Where the
  // format holds no encoded images nullopt means kRgb.
  std::optional<PixelOrder> pixels;
  // Images that are encoded again: a new dataset, as with `pixels`.
  RecodeOptions recode;
  // Images that are arrays become encoded ones, too: |u1, |b1 (black and
  // white), <u2 and >u2 of two axes, or of three with 1 or 3 channels in the
  // order of `image_layout`; nullopt: kHwc, but an array whose first axis can
  // be the channels as well is refused. recode.to_8_bits holds for them.
  std::optional<Encoding> encode;
  std::optional<ArrayLayout> image_layout;
  std::uint32_t quality = 90;  // of JPEGs made, 1 to 100
  // The treatment of records of the input that cannot be read or do not match
  // their checksums, and of bad images: those that fail `check`. A record
  // without a readable payload is left out under any other. Of a shard in no
  // dataset whose records cannot be told apart any more, all that follow are
  // left out, and a warning says so.
  OnBad on_bad = OnBad::kFail;
  // nullopt: kDecode where images are decoded to arrays; else kNone under
  // OnBad::kFail, and kHeader.
  std::optional<ImageCheckLevel> check = {};
  // Entry points are found again, whatever the input has.
  EntryPoints entry_points = EntryPoints::kAuto;
  // Which samples, all of them unless said otherwise. The samples of these
  // splits. One only, of a file without a dataset that has several (HDF5 of
  // Fuel).
  std::vector<std::string> splits;
  std::string where;        // that meet this (tools/shardine/README.md)
  std::string label_map;    // file, "OLD NEW" or "OLD -" (left out) lines
  std::uint64_t limit = 0;  // the first so many of each split; 0: all
  // File of keys to leave out, one a line, or a table of them: those of the
  // input, or as they are with `key_prefix`.
  std::string drop_keys;
  std::string key_prefix;  // as MergeOptions has it
  // The fields that are kept beside the image; nullopt: all.
  std::optional<std::vector<std::string>> fields;
  bool check_space = true;  // as PackOptions::check_space
  bool replace = false;     // as PackOptions::replace; `output` may be `input`
  // With `replace`: nothing is changed; PackResult::replaced has the files that
  // would go.
  bool dry_run = false;
  unsigned threads = 0;  // 0: this process's share. Never changes bytes
};

// Ids, labels, keys, fields, splits and order are kept. Deterministic, atomic
// and resumed as Pack() is. `warnings` name the facts that only the sidecar
// index keeps. Samples that were not asked for are counted in `ignored`, fields
// in `fields_left`; a class without samples keeps its number.
//
// Splits that are cut keep the ids; samples that the input lost at random are
// counted with the first one. Classes that a split lacks are said.
//
// kUnsupported: the format cannot hold a sample (its key is named), or with
// `strict` would leave something to the sidecar; images to be decoded are not
// of one size, or to be encoded have another shape. kInvalidArgument: no sample
// has a field that is to be kept, or none is chosen; no sample has a key to
// leave out; a split that is not there, another check than kDecode of arrays, a
// condition that does not parse, a label that the label map leaves open; shares
// of several splits, or a cut that leaves a split or a class empty; `files`
// that belong to a dataset. kCorrupt: the input is damaged (shard, record,
// key), or the output did not read back; the label map is not as said. Others
// as Pack(), and for files without a dataset as IndexShards().
Result<PackResult> Convert(const ConvertOptions& options, const Job& job = {});

struct MergeOptions {
  // Dataset folders, or shard files that are in none, in this order.
  std::vector<std::string> inputs;
  std::string output;
  std::string format;  // empty: the first input's
  // A prefix for keys. In it `{name}` stands for the last part of their input's
  // path, `{n}` for its number in `inputs`, from 0 on, `{shard}` for the name
  // of their shard there up to its first dot, `{id}` for their id there:
  // "{name}/" tells samples of different folders apart, "{n}/" those of any
  // inputs, "{n}/{id}/" all. For samples that an input lost the last two are
  // "-".
  std::string key_prefix;
  // As in ConvertOptions.
  std::vector<SourceOptions::SplitShare> split_shares;
  SplitRule split_rule;
  std::uint64_t seed = 0;  // of split_shares
  std::string drop_keys;
  OnBad on_bad = OnBad::kFail;
  std::optional<ImageCheckLevel> check = {};
  bool lossy_labels = false;  // as PackOptions::lossy_labels
  EntryPoints entry_points = EntryPoints::kAuto;
  bool check_space = true;
  bool replace = false;  // as those of ConvertOptions
  bool dry_run = false;
  unsigned threads = 0;
};

// One dataset of the samples of several, which are not written to. Splits and
// classes unite by name, the classes numbered densely over their sorted names;
// ids become 0..n-1. Shards are those of the inputs, one after the other, or as
// large where splits are cut.
//
// kInvalidArgument: two samples of a split with one key, with the hint at
// `key_prefix`; a `{` in it that begins no word of it; some inputs with classes
// and some without; a label that its input's classes lack. Other errors are
// those of Convert().
Result<PackResult> Merge(const MergeOptions& options, const Job& job = {});

struct RelabelOptions {
  std::string input;
  std::string output;
  std::string list;  // .lst (id, labels, key) or JSON
  MatchBy by = MatchBy::kKey;
  OnBad on_bad = OnBad::kFail;  // both as in ConvertOptions
  std::optional<ImageCheckLevel> check = {};
  bool lossy_labels = false;  // as PackOptions::lossy_labels
  EntryPoints entry_points = EntryPoints::kAuto;
  bool check_space = true;
  unsigned threads = 0;
};

// The input with the labels of a list; samples that the list does not have
// keep theirs, and are counted in `warnings`.
//
// kInvalidArgument: a row that matches no sample, or several; a label that is
// not one of the dataset's classes; by position, a dataset of several splits.
// Others as Convert().
Result<PackResult> Relabel(const RelabelOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_CONVERT_H_
