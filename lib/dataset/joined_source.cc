#include "dataset/joined_source.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

Status OtherClass(const DatasetClass& known, const DatasetClass& other,
                  const OpenedSource& part) {
  const auto shown = [](const DatasetClass& named) {
    return "\"" + EscapeBytes(named.name) + "\" with the label " +
           std::to_string(named.label);
  };
  return Status(Code::kInvalidArgument,
                "datasets of other classes: " + shown(known) +
                    " is in one before, and " + shown(other) +
                    " here; converted with a label map, classes of one dataset "
                    "become those of another")
      .At({.path = part.path});
}

// By label and by name, so that neither means two things.
Status AddClasses(const OpenedSource& part,
                  std::vector<DatasetClass>& classes) {
  for (const DatasetClass& named : part.classes) {
    const auto known = std::ranges::find_if(classes, [&](const auto& each) {
      return each.label == named.label || each.name == named.name;
    });
    if (known == classes.end()) {
      classes.push_back(named);
    } else if (known->label != named.label || known->name != named.name) {
      return OtherClass(*known, named, part);
    }
  }
  return {};
}

// Each part's number, by the number of its first shard.
struct Numbers {
  std::size_t PartOf(std::size_t shard) const {
    const auto after = std::ranges::upper_bound(first_shards, shard);
    return static_cast<std::size_t>(after - first_shards.begin()) - 1;
  }

  std::vector<std::size_t> first_shards;
};

class JoinedShards : public AwaitedShards {
 public:
  // Null: all shards of the part have sidecars.
  using Part = std::shared_ptr<const AwaitedShards>;

  JoinedShards(Numbers numbers, std::vector<Part> parts)
      : numbers_(std::move(numbers)), parts_(std::move(parts)) {}

  bool IsMade(std::size_t shard) const override {
    const std::size_t part = numbers_.PartOf(shard);
    return parts_[part] == nullptr || parts_[part]->IsMade(In(part, shard));
  }
  bool MayBeJoined() const override { return true; }
  void Want(std::size_t shard, std::span<const std::uint64_t> records,
            AheadBytes& ahead) const override {
    const std::size_t part = numbers_.PartOf(shard);
    parts_[part]->Want(In(part, shard), records, ahead);
  }
  Status Read(std::size_t shard, std::uint64_t record,
              SampleRead& sample) const override {
    const std::size_t part = numbers_.PartOf(shard);
    return parts_[part]->Read(In(part, shard), record, sample);
  }
  Status AddLabels(std::size_t shard, std::uint64_t first, std::uint64_t count,
                   std::vector<IndexEntry>& entries) const override {
    const std::size_t part = numbers_.PartOf(shard);
    return parts_[part]->AddLabels(In(part, shard), first, count, entries);
  }
  Status Keys(std::size_t shard, std::uint64_t first, std::uint64_t count,
              std::vector<std::string>& keys) const override {
    const std::size_t part = numbers_.PartOf(shard);
    return parts_[part]->Keys(In(part, shard), first, count, keys);
  }

 private:
  std::size_t In(std::size_t part, std::size_t shard) const {
    return shard - numbers_.first_shards[part];
  }

  const Numbers numbers_;
  const std::vector<Part> parts_;
};

}  // namespace

Result<OpenedSource> JoinSources(
    const std::vector<const OpenedSource*>& parts) {
  const auto remote = std::ranges::find_if(
      parts, [](const auto* part) { return !SchemeOf(part->path).empty(); });
  const OpenedSource& named = remote == parts.end() ? *parts[0] : **remote;
  OpenedSource joined;
  joined.path = named.path;
  joined.split = named.split;
  joined.variant = named.variant;
  std::vector<ShardPool::Opener> openers;
  Numbers numbers;
  std::vector<JoinedShards::Part> awaited;
  std::uint64_t samples = 0;
  Xxh3Stream digests;
  for (const OpenedSource* const part : parts) {
    if (part->awaited != nullptr && !part->awaited->MayBeJoined()) {
      return Status(Code::kInvalidArgument,
                    "a dataset that is made while it is loaded is one of "
                    "several; mix it once it is there")
          .At({.path = part->path});
    }
    SHARDINE_RETURN_IF_ERROR(AddClasses(*part, joined.classes));
    digests.UpdateLe(part->order_digest.low);
    digests.UpdateLe(part->order_digest.high);
    joined.bytes += part->bytes;
    joined.undecoded += part->undecoded;
    joined.text_fields.insert(joined.text_fields.end(),
                              part->text_fields.begin(),
                              part->text_fields.end());
    joined.is_foreign = joined.is_foreign || part->is_foreign;
    joined.warnings.insert(joined.warnings.end(), part->warnings.begin(),
                           part->warnings.end());
    openers.push_back(part->open);
    awaited.push_back(part->awaited);
    numbers.first_shards.push_back(joined.shards.size());
    joined.shards.insert(joined.shards.end(), part->shards.begin(),
                         part->shards.end());
    for (std::size_t i = 0; i < part->shards.size(); ++i) {
      joined.firsts.push_back(samples + part->firsts[i]);
    }
    samples += part->firsts.back();
  }
  joined.firsts.push_back(samples);
  std::ranges::sort(joined.classes, {}, &DatasetClass::label);
  std::vector<std::string>& texts = joined.text_fields;
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  joined.order_digest = digests.Digest();
  if (std::ranges::any_of(awaited,
                          [](const auto& p) { return p != nullptr; })) {
    joined.awaited =
        std::make_shared<const JoinedShards>(numbers, std::move(awaited));
  }
  joined.open = [openers = std::move(openers),
                 numbers = std::move(numbers)](std::size_t shard) {
    const std::size_t part = numbers.PartOf(shard);
    return openers[part](shard - numbers.first_shards[part]);
  };
  return joined;
}

}  // namespace shardine
