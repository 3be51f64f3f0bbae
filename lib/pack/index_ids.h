// Which ids, keys and labels the samples of shards that were indexed in place
// get: those of their records, of the native index, of a list, or made up.
#ifndef SHARDINE_PACK_INDEX_IDS_H_
#define SHARDINE_PACK_INDEX_IDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/storage.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// What a scan found of the ids of one shard, in record order.
struct ScannedIds {
  std::vector<std::uint64_t> record_ids;     // empty: the format has none
  std::vector<std::uint64_t> companion_ids;  // empty: none, or unusable
  std::uint64_t samples = 0;
};

struct ChosenIds {
  // Per shard: ids over the whole dataset, and those its own list speaks of.
  std::vector<std::vector<std::uint64_t>> ids;
  std::vector<std::vector<std::uint64_t>> list_ids;
  std::string warning;  // empty when the records' own ids could be kept
};

// The records' ids if they are unique over all shards, else those of the native
// indexes if these are, else scan order.
ChosenIds ChooseIds(std::vector<ScannedIds> shards);

// Labels and keys by id from a .lst.
class ListedSamples {
 public:
  struct Row {
    std::string key;
    std::vector<Label> labels;
  };

  // kInvalidArgument if an id is there twice; kNotFound if there is no file.
  static Result<ListedSamples> Read(Storage& storage, const std::string& path);

  // nullptr if the list has no such id.
  const Row* Find(std::uint64_t id) const;
  std::size_t size() const { return rows_.size(); }

 private:
  std::map<std::uint64_t, Row> rows_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEX_IDS_H_
