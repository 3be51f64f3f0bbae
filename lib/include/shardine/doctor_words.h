// The words for the findings of Doctor().
#ifndef SHARDINE_DOCTOR_WORDS_H_
#define SHARDINE_DOCTOR_WORDS_H_

#include "shardine/doctor.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<EpochReading> {
  static constexpr EnumWord<EpochReading> kWords[] = {
      {EpochReading::kLooseFiles, "loose files"},
      {EpochReading::kShuffledShards, "shuffled shards"},
      {EpochReading::kBlocks, "blocks"},
      {EpochReading::kRemoteCold, "remote cold"},
      {EpochReading::kRemoteBlocks, "remote cold, blocks"},
      {EpochReading::kRemoteWarm, "remote warm"}};
};

template <>
struct EnumWords<EpochLimit> {
  static constexpr EnumWord<EpochLimit> kWords[] = {
      {EpochLimit::kSeeks, "storage seeks"},
      {EpochLimit::kStorageRate, "storage rate"},
      {EpochLimit::kLatency, "network latency"},
      {EpochLimit::kNetworkRate, "network rate"},
      {EpochLimit::kDecoding, "decoding"}};
};

template <>
struct EnumWords<EpochChange> {
  static constexpr EnumWord<EpochChange> kWords[] = {
      {EpochChange::kNothing, "nothing"},
      {EpochChange::kPack, "pack"},
      {EpochChange::kBlocks, "blocks"},
      {EpochChange::kCache, "cache"},
      {EpochChange::kSize, "size"}};
};

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_WORDS_H_
