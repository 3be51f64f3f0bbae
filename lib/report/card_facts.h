// CardFacts: all that a card says of a dataset.
#ifndef SHARDINE_REPORT_CARD_FACTS_H_
#define SHARDINE_REPORT_CARD_FACTS_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/split_contents.h"
#include "report/file_digests.h"
#include "shard/format_registry.h"
#include "shardine/card.h"

namespace shardine {

// A field under the name that other programs give it.
struct PublicField {
  enum class Kind : std::uint8_t { kImage, kText, kLabel };

  std::string name;  // "jpg"
  Kind kind = Kind::kImage;

  friend auto operator<=>(const PublicField&, const PublicField&) = default;
};

struct CardFacts {
  // Reads the indexes, and all files once. `dataset` must outlive the facts.
  static Result<CardFacts> Gather(const DatasetReader& dataset,
                                  const CardOptions& options, const Job& job);

  const Manifest& manifest() const { return dataset->manifest(); }
  // Whether programs that read archives find the samples in these shards.
  bool is_archive() const { return !members.empty(); }
  // Whether each sample has one label, and classes name them.
  bool is_classified() const;
  // The contents of all splits together.
  SplitContents contents() const;

  const DatasetReader* dataset = nullptr;
  std::string name;
  std::string license;
  std::string citation;
  FormatAndLayout format;
  std::vector<SplitContents> splits;  // as the manifest has them
  // For shards that are archives: the members of a sample.
  std::set<PublicField> members;
  std::vector<DigestedFile> files;  // by path
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_CARD_FACTS_H_
