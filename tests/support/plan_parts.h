// A plan file in parts that can be changed, and put together again with the
// checksums that fit.
#ifndef SHARDINE_TESTS_SUPPORT_PLAN_PARTS_H_
#define SHARDINE_TESTS_SUPPORT_PLAN_PARTS_H_

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/compress.h"
#include "io/memory_storage.h"
#include "shardine/format.h"
#include "tasks/plan_file.h"

namespace shardine {

struct PlanParts {
  PlanHead head;
  std::vector<PlanShard> shards;
  std::vector<std::string> rows;  // plain
  PlanLists lists;

  static PlanParts Of(MemoryStorage& storage, const std::string& path) {
    const auto plan = PlanFile::Open(storage, path, BuiltinFormats());
    REQUIRE(plan.ok());
    const std::string bytes = *storage.Get(path);
    const auto lists = (*plan)->ReadLists();
    REQUIRE(lists.ok());
    PlanParts parts{(*plan)->head(), (*plan)->shards(), {}, *lists};
    for (const PlanShard& shard : parts.shards) {
      const auto rows = ZstdDecompress(
          AsBytes(bytes).subspan(shard.rows.offset, shard.rows.stored),
          shard.rows.plain);
      REQUIRE(rows.ok());
      parts.rows.push_back(*rows);
    }
    return parts;
  }

  std::string Bytes() const {
    MemoryStorage storage;
    auto writer = PlanFileWriter::Begin(storage, "forged", head, lists);
    REQUIRE(writer.ok());
    for (std::size_t i = 0; i < shards.size(); ++i) {
      REQUIRE(writer->Add(shards[i], rows[i]).ok());
    }
    REQUIRE(writer->Finish().ok());
    return *storage.Get("forged");
  }
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_PLAN_PARTS_H_
