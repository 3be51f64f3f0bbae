#include "pack/plan_difference.h"

#include <algorithm>

#include "base/checksum.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kShownNames = 3;  // of each kind

std::uint64_t NameHash(std::string_view split, std::string_view key) {
  Xxh3Stream hash;
  hash.Update(AsBytes(split));
  // No split's name has a zero byte, so "a" and "b/c" are not "ab" and "/c".
  hash.UpdateLe<std::uint8_t>(0);
  hash.Update(AsBytes(key));
  return hash.Digest().low;
}

std::string Join(const std::vector<std::string>& texts,
                 const char* between = ", ") {
  std::string joined;
  for (const std::string& text : texts) {
    joined += (joined.empty() ? "" : between) + EscapeBytes(text);
  }
  return joined;
}

// "shard-size 256M", "no-shuffle given", "shards not given".
std::string Said(const std::map<std::string, std::string>& options,
                 const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end()) return "not given";
  return found->second.empty() ? "given" : EscapeBytes(found->second);
}

std::string LabelsText(std::span<const Label> labels) {
  if (labels.empty()) return "none";
  std::string text = labels[0].ToString();
  return labels.size() > 1 ? text + " ..." : text;
}

}  // namespace

std::string DescribeDifference(const Provenance& before,
                               const Provenance& now) {
  std::vector<std::string> parts;
  if (before.command != now.command) {
    parts.push_back("command " + before.command + ", now " + now.command);
  }
  // How sources are written decides no plan digest, so this alone is no
  // difference; but where samples differ it tells why.
  if (before.sources != now.sources) {
    parts.push_back("source " + Join(before.sources, " ") + ", now " +
                    Join(now.sources, " "));
  }
  // Options of one command mean nothing to another.
  std::map<std::string, std::string> names;
  if (before.command == now.command) {
    names = before.options;
    names.insert(now.options.begin(), now.options.end());
  }
  for (const auto& [name, value] : names) {
    const std::string was = Said(before.options, name);
    const std::string is = Said(now.options, name);
    if (was != is) parts.push_back(name + " " + was + ", now " + is);
  }
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : "; ") + part;
  return text;
}

SampleDifference::SampleDifference(const SourceSet& now, bool sizes)
    : now_(now), sizes_(sizes), known_(now.samples.size()) {
  const SourceList& samples = now.samples;
  by_hash_.reserve(samples.size());
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    // Sixteen bytes a sample are sorted instead of the names: this runs for
    // datasets of any size, and only to word an error. A hash that is found is
    // compared by its names.
    by_hash_.push_back(
        {NameHash(now.splits[samples.split(i)], samples.key(i)), i});
  }
  std::ranges::sort(by_hash_);
}

// samples.size() if there is none.
std::size_t SampleDifference::Find(std::string_view split,
                                   std::string_view key) const {
  const SourceList& samples = now_.samples;
  const std::uint64_t hash = NameHash(split, key);
  auto at = std::ranges::lower_bound(by_hash_, std::pair(hash, 0u));
  for (; at != by_hash_.end() && at->first == hash; ++at) {
    if (samples.key(at->second) == key &&
        now_.splits[samples.split(at->second)] == split) {
      return at->second;
    }
  }
  return samples.size();
}

std::string SampleDifference::Name(std::string_view split,
                                   std::string_view key) const {
  const std::string name = EscapeBytes(key);
  return now_.splits.size() > 1 ? EscapeBytes(split) + " " + name : name;
}

void SampleDifference::Note(Kind& kind, std::string name) {
  if (kind.count++ < kShownNames) kind.names.push_back(std::move(name));
}

void SampleDifference::Add(const SampleBefore& before) {
  const std::size_t i = Find(before.split, before.key);
  if (i == now_.samples.size()) {
    return Note(removed_, Name(before.split, before.key));
  }
  known_[i] = true;
  Compare(before, i);
}

// The first that differs, so that no sample is counted twice.
void SampleDifference::Compare(const SampleBefore& before, std::size_t i) {
  const SourceList& samples = now_.samples;
  const std::string name = Name(before.split, before.key);
  const std::uint64_t bytes = samples.facts(i).size;
  if (sizes_ && before.bytes != bytes) {
    return Note(resized_, name + ": " + std::to_string(before.bytes) +
                              " bytes, now " + std::to_string(bytes));
  }
  std::vector<Label> labels;
  samples.GetLabels(i, labels);
  if (!std::ranges::equal(before.labels, labels)) {
    return Note(relabelled_, name + ": " + LabelsText(before.labels) +
                                 ", now " + LabelsText(labels));
  }
  if (before.id != samples.id(i)) {
    Note(renumbered_, name + ": " + std::to_string(before.id) + ", now " +
                          std::to_string(samples.id(i)));
  }
}

void SampleDifference::AddRejected(std::string_view split,
                                   std::string_view key) {
  const std::size_t i = Find(split, key);
  // An image that was bad and is still in the source is not a sample that was
  // added.
  if (i < now_.samples.size()) known_[i] = true;
}

std::string SampleDifference::Finish() {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (known_[i]) continue;
    Note(added_, Name(now_.splits[now_.samples.split(i)], now_.samples.key(i)));
  }
  std::string text;
  for (const Kind* kind :
       {&added_, &removed_, &resized_, &relabelled_, &renumbered_}) {
    if (kind->count == 0) continue;
    const std::string noun = kind->count == 1 ? " sample " : " samples ";
    text += (text.empty() ? "" : ", ") + std::to_string(kind->count) +
            (text.empty() ? noun : " ") + kind->what + " (";
    for (std::size_t n = 0; n < kind->names.size(); ++n) {
      text += (n > 0 ? ", " : "") + kind->names[n];
    }
    text += kind->count > kind->names.size() ? ", ...)" : ")";
  }
  return text;
}

}  // namespace shardine
