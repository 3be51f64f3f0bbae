// The sidecar of a shard that is indexed in place, in two steps, since ids can
// only be chosen when all shards were scanned: a scan makes a provisional one,
// and with the ids and the list it becomes the final one.
#ifndef SHARDINE_PACK_INDEX_SIDECAR_H_
#define SHARDINE_PACK_INDEX_SIDECAR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/class_names.h"
#include "dataset/image_census.h"
#include "dataset/rejects.h"
#include "dataset/skipped_records.h"
#include "dataset/text_fields.h"
#include "io/readable_storage.h"
#include "io/storage.h"
#include "pack/index_ids.h"
#include "shard/format_registry.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"
#include "source/label_matcher.h"

namespace shardine {

// A shard on its way into the dataset.
struct IndexSource {
  std::string path;  // as given
  // The split that was asked for, "" for none; once chosen (pack/index_split.h)
  // the split of its samples.
  std::string split;
  // To be asked for where nothing was, of a file that names several.
  std::string split_of_several;
  std::string relative;  // from the output folder
  std::string sidecar;   // file name in the output folder
  bool stands = false;   // the sidecar is there already, and is not replaced
  // The sidecar that stands was made by the command that made the shard, and is
  // bound to it: its keys, ids and labels are taken over.
  bool taken_over = false;
  // Its native index, on the way of `relative`; empty if absent or unusable.
  std::string companion;
  std::string list;  // .lst beside the shard, or the one given
  std::optional<LabelMatcher> listed;  // labels of the list, if any
  bool list_was_asked_for = false;     // its labels count
  MatchBy list_by = MatchBy::kKey;
  UsedList used;  // how the list was used
  ScannedIds ids;
  ClassNames classes;
  ImageCensus images;
  ScannedTexts texts;
  std::vector<std::string> warnings;
  // Records that cannot be read are left out, and noted here; of the rest of a
  // shard in which no record is found any more, one.
  bool leaves_out_bad = false;
  std::vector<Reject> lost = {};
  SkippedRecords skipped = {};
};

// Two, since shards may be where nothing can be written.
struct IndexStorages {
  ReadableStorage& shards;
  Storage& sidecars;
};

// Scans source.path once. The sidecar written to `provisional` has the labels
// of the records, their keys if they have any, and no ids; those go to
// source.ids. A native index that disagrees goes to source.warnings.
Status ScanIntoSidecar(
    const IndexStorages& storages, const FormatAndLayout& format,
    IndexSource& source, const std::string& provisional,
    const std::function<void(const ScannedSample&)>& on_record,
    const std::stop_token& stop);

// Numbers that records of a shard get, beside their own.
struct RecordNumbers {
  const std::vector<std::uint64_t>& ids;  // one per record
  const ListIds& list_ids;
  std::uint64_t first = 0;  // position of its first record among all
};

// If the shard's sidecar is taken over: kAlreadyExists where the sidecar in its
// place has other bytes. Else: fills in ids, keys and exact labels and writes
// the sidecar to `path`; kAlreadyExists where another one stands there. Labels
// of the list fill where a record has none, and replace those that it could
// only hold rounded; where the two disagree those of a list that was asked for
// count, else the record's, and source.warnings counts them. `source.used` says
// how the list was used.
Status FinishSidecar(const IndexStorages& storages,
                     const FormatAndLayout& format, IndexSource& source,
                     const RecordNumbers& numbers,
                     const std::string& provisional, const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEX_SIDECAR_H_
