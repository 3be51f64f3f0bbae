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
  std::vector<std::size_t> first_shards;
  std::uint64_t samples = 0;
  Xxh3Stream digests;
  for (const OpenedSource* const part : parts) {
    if (part->awaited != nullptr) {
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
    first_shards.push_back(joined.shards.size());
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
  joined.open = [openers = std::move(openers),
                 first_shards = std::move(first_shards)](std::size_t shard) {
    const auto behind = std::ranges::upper_bound(first_shards, shard);
    const auto part =
        static_cast<std::size_t>(behind - first_shards.begin()) - 1;
    return openers[part](shard - first_shards[part]);
  };
  return joined;
}

}  // namespace shardine
