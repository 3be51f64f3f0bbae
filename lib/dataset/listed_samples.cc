#include "dataset/listed_samples.h"

#include <string>

#include "dataset/index_entry.h"

namespace shardine {
namespace {

// "00000017" and "00000017.jpg" of id 17.
bool IsMadeUp(std::string_view key, std::uint64_t id) {
  const std::string number = MadeUpKey(id, {});
  return key.starts_with(number) &&
         (key.size() == number.size() || key[number.size()] == '.');
}

}  // namespace

ListedSamples ListedSamples::Of(const Manifest& manifest,
                                const FormatRegistry& formats) {
  // Only shards that were indexed in place have no plan.
  if (manifest.plan_digest != Digest128()) return {};
  const auto format = ParseFormat(formats, manifest.format);
  return {.makes_keys_up = true,
          .has_ids = !format.ok() || format->limits().ids};
}

NamedSample ListedSamples::operator()(std::string_view key, std::uint64_t id,
                                      std::uint64_t position) const {
  NamedSample sample{.key = key, .id = {}, .position = position};
  if (makes_keys_up && IsMadeUp(key, id)) sample.key = {};
  if (has_ids) sample.id = id;
  return sample;
}

}  // namespace shardine
