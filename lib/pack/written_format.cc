#include "pack/written_format.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace shardine {

FormatAndLayout WrittenAs(FormatAndLayout format) {
  for (std::size_t i = 0; i < format.values.size(); ++i) {
    const LayoutParameter& parameter = format.layout->parameters[i];
    if (parameter.for_reading) format.values[i] = parameter.default_value;
  }
  format.roles = {};
  return format;
}

// Before anything is written: a writer would refuse it when a folder and a
// journal of such a plan are there already.
Status CheckWritten(const FormatAndLayout& format) {
  if (WrittenAs(format).Name() == format.Name()) return Status();
  return Status(Code::kInvalidArgument,
                format.Name() +
                    " chooses what is read of a file; shards are written "
                    "without it");
}

Status CheckKeysOfShards(const FormatAndLayout& format, const ShardPlan& plan) {
  if (format.format->check_keys == nullptr) return Status();
  return plan.ForEachShard([&](std::size_t number) {
    const PlannedShard& shard = plan.shards()[number];
    std::vector<std::string_view> keys;
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      keys.push_back(plan.source().samples.key(plan.SampleAt(shard, i)));
    }
    return format.format->check_keys(format, keys);
  });
}

}  // namespace shardine
