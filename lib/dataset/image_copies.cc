#include "dataset/image_copies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "dataset/located_samples.h"
#include "shard/payload.h"
#include "shardine/sample.h"
#include "source/class_map.h"

namespace shardine {
namespace {

// All pairs of so many splits are listed, even those without common images.
constexpr std::size_t kFewSplits = 8;
// An image may be in each of them, and each pair is counted.
constexpr std::size_t kMostSplits = 100;

// Hashed, so that a table of all samples has 16 bytes for each. nullopt: the
// sample has no image whose CRC is known.
std::optional<std::uint64_t> KeyOf(const IndexEntry& entry) {
  const IndexField* const image = ImageFieldOf(entry);
  if (image == nullptr) return std::nullopt;
  const auto crc = ImageCrcOf(entry, *image);
  if (!crc) return std::nullopt;
  std::byte key[20];
  StoreLe(*crc, key);
  StoreLe(FieldBytes(*image), key + 4);
  StoreLe(entry.facts.width, key + 12);
  StoreLe(entry.facts.height, key + 16);
  return Xxh3_64(key);
}

}  // namespace

ImageCopies::ImageCopies(std::vector<const DatasetReader*> datasets)
    : datasets_(std::move(datasets)) {
  for (const DatasetReader* dataset : datasets_) {
    classes_.push_back(&dataset->manifest().classes);
  }
}

Status ImageCopies::Find(const Options& options, const Job& job) {
  SHARDINE_RETURN_IF_ERROR(ReadIndexes(job));
  SHARDINE_RETURN_IF_ERROR(ReadNames(TakeCandidates(options)));
  if (!options.index_only) SHARDINE_RETURN_IF_ERROR(ReadImages(job));
  Group();
  return Status();
}

std::size_t ImageCopies::ShardOf(std::uint64_t position) const {
  const auto behind = std::ranges::upper_bound(first_, position);
  return static_cast<std::size_t>(behind - first_.begin()) - 1;
}

Status ImageCopies::ReadIndexes(const Job& job) {
  std::uint64_t total = 0;
  for (const DatasetReader* dataset : datasets_) {
    total += dataset->manifest().samples();
  }
  rows_.reserve(static_cast<std::size_t>(total));
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    const DatasetReader& dataset = *datasets_[i];
    const std::string before =
        datasets_.size() > 1 ? dataset.directory() + ":" : "";
    const ManifestSplit* split = nullptr;
    const auto read = [&](const DatasetReader::ShardRef& ref,
                          const ShardIndex& index) -> Result<bool> {
      if (split != ref.split) {
        split = ref.split;
        splits_.push_back({before + split->name, split->samples});
      }
      first_.push_back(samples_);
      split_of_.push_back(static_cast<std::uint32_t>(splits_.size() - 1));
      SHARDINE_RETURN_IF_ERROR(WalkIndex(
          index,
          [&](std::uint64_t, const IndexEntry& entry, const std::string&) {
            if (const auto key = KeyOf(entry))
              rows_.push_back({*key, samples_});
            ++samples_;
            return Status();
          }));
      if (job.progress) {
        job.progress({.samples = samples_, .samples_total = total});
      }
      return true;
    };
    SHARDINE_RETURN_IF_ERROR(dataset.ForEachIndex(dataset.shards(), read));
  }
  images_ = rows_.size();
  return Status();
}

// By position.
std::vector<ImageCopies::Row> ImageCopies::TakeCandidates(
    const Options& options) {
  std::vector<Row> rows = std::exchange(rows_, {});
  std::ranges::sort(rows, {}, [](const Row& row) {
    return std::pair(row.key, row.position);
  });
  std::vector<Row> candidates;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(), [&](const Row& row) {
      return row.key != begin->key;
    });
    const auto split = [&](const Row& row) {
      return split_of_[ShardOf(row.position)];
    };
    // Splits follow one another.
    const bool is_wanted = options.across_splits
                               ? split(*begin) != split(*(end - 1))
                               : end - begin > 1;
    if (is_wanted) candidates.insert(candidates.end(), begin, end);
    begin = end;
  }
  std::ranges::sort(candidates, {}, &Row::position);
  // Other samples of `also` match no sample.
  const std::size_t found = candidates.size();
  for (const std::uint64_t position : options.also) {
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(found);
    const auto at = std::lower_bound(candidates.begin(), end, position,
                                     [](const Row& row, std::uint64_t wanted) {
                                       return row.position < wanted;
                                     });
    if (at != end && at->position == position) continue;
    std::byte key[8];
    StoreLe(position, key);
    candidates.push_back({Xxh3_64(key), position});
  }
  std::ranges::sort(candidates, {}, &Row::position);
  return candidates;
}

Status ImageCopies::ReadNames(std::span<const Row> candidates) {
  auto next = candidates.begin();
  std::size_t shard = 0;
  for (std::uint32_t d = 0; d < datasets_.size(); ++d) {
    const DatasetReader& dataset = *datasets_[d];
    std::vector<DatasetReader::ShardRef> wanted;
    std::vector<std::uint64_t> first;
    std::vector<std::uint32_t> split_of;
    for (const DatasetReader::ShardRef& ref : dataset.shards()) {
      const std::uint32_t split = split_of_[shard];
      const std::uint64_t begin = first_[shard++];
      const auto at =
          std::ranges::lower_bound(candidates, begin, {}, &Row::position);
      if (at == candidates.end() ||
          at->position >= begin + ref.shard->samples) {
        continue;
      }
      wanted.push_back(ref);
      first.push_back(begin);
      split_of.push_back(split);
    }
    std::size_t i = 0;
    const auto read = [&](const DatasetReader::ShardRef&,
                          const ShardIndex& index) -> Result<bool> {
      const auto take = [&](std::uint64_t record, const IndexEntry& entry,
                            const std::string& key) {
        if (next == candidates.end() || next->position != first[i] + record) {
          return Status();
        }
        const IndexField* const image = ImageFieldOf(entry);
        list_.Add(key, entry.id, entry.labels, split_of[i]);
        positions_.push_back(next->position);
        dataset_of_.push_back(d);
        sizes_.push_back(image == nullptr ? 0 : FieldBytes(*image));
        is_readable_.push_back(image != nullptr && HasExtents(*image));
        marks_.push_back({.digest = {.low = next->key, .high = 0}});
        ++next;
        return Status();
      };
      SHARDINE_RETURN_IF_ERROR(WalkIndex(index, take));
      ++i;
      return true;
    };
    SHARDINE_RETURN_IF_ERROR(dataset.ForEachIndex(wanted, read));
  }
  return Status();
}

Status ImageCopies::ReadImages(const Job& job) {
  const std::vector<std::string> wanted = {std::string(kImageField)};
  Progress done;
  for (std::uint32_t i = 0; i < positions_.size(); ++i) {
    if (is_readable_[i]) done.bytes_total += sizes_[i];
  }
  done.samples_total = positions_.size();
  std::size_t shards_before = 0;
  std::uint32_t member = 0;
  for (std::uint32_t d = 0; d < datasets_.size(); ++d) {
    const DatasetReader& dataset = *datasets_[d];
    std::vector<LocatedSample> samples;
    std::vector<std::uint32_t> members;
    for (; member < positions_.size() && dataset_of_[member] == d; ++member) {
      if (!is_readable_[member]) continue;
      const std::size_t shard = ShardOf(positions_[member]);
      samples.push_back({.shard = &dataset.shards()[shard - shards_before],
                         .record = positions_[member] - first_[shard],
                         .bytes = sizes_[member]});
      members.push_back(member);
    }
    shards_before += dataset.shards().size();
    const auto take = [&](std::size_t i, const SampleRead& read) {
      for (const FieldView& field : FieldsOf(read.entry, read.payload)) {
        if (field.name != kImageField) continue;
        marks_[members[i]] = {.digest = Xxh3_128(field.bytes),
                              .is_proved = true};
        bytes_read_ += field.bytes.size();
      }
      done.samples += 1;
      done.bytes = bytes_read_;
      if (job.progress) job.progress(done);
      return Status();
    };
    SHARDINE_RETURN_IF_ERROR(ReadLocated(dataset, samples, &wanted, take));
  }
  return Status();
}

Status ImageCopies::FindFiles(ReadableStorage& storage, const SourceSet& files,
                              std::span<const std::uint64_t> also,
                              const FailedFile& failed) {
  const SourceList& list = files.samples;
  classes_ = {&files.classes};
  for (const std::string& name : files.splits) splits_.push_back({name, 0});
  for (std::size_t i = 0; i < list.size(); ++i)
    ++splits_[list.split(i)].samples;
  samples_ = images_ = list.size();
  SHARDINE_ASSIGN_OR_RETURN(std::vector<Likeness> copies,
                            CopiedFiles(storage, files, failed));
  std::ranges::sort(copies, {}, &Likeness::sample);
  const std::size_t found = copies.size();
  for (const std::uint64_t position : also) {
    const auto sample = static_cast<std::uint32_t>(position);
    if (!std::ranges::binary_search(std::span(copies).first(found), sample, {},
                                    &Likeness::sample)) {
      copies.push_back({{.low = sample, .high = ~std::uint64_t{0}}, sample});
    }
  }
  std::ranges::sort(copies, {}, &Likeness::sample);
  std::vector<Label> labels;
  for (const Likeness& copy : copies) {
    list.GetLabels(copy.sample, labels);
    list_.Add(list.key(copy.sample), list.id(copy.sample), labels,
              list.split(copy.sample));
    positions_.push_back(copy.sample);
    dataset_of_.push_back(0);
    marks_.push_back({.digest = copy.of, .is_proved = true});
    bytes_read_ += list.facts(copy.sample).size;
  }
  Group();
  return Status();
}

void ImageCopies::Group() {
  sorted_.resize(positions_.size());
  for (std::uint32_t i = 0; i < sorted_.size(); ++i) sorted_[i] = i;
  std::ranges::sort(sorted_, {}, [&](std::uint32_t i) {
    const Mark& mark = marks_[i];
    return std::tuple(mark.is_proved, mark.digest.high, mark.digest.low, i);
  });
  const std::span<const std::uint32_t> all(sorted_);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && marks_[all[end]] == marks_[all[begin]]) ++end;
    if (end - begin > 1) {
      groups_.push_back(
          {all.subspan(begin, end - begin), marks_[all[begin]].is_proved});
    }
    begin = end;
  }
  std::ranges::sort(groups_, {},
                    [](const Image& image) { return image.members[0]; });
}

std::string ImageCopies::LabelText(std::uint32_t member) const {
  const ClassMap& classes = *classes_[dataset_of_[member]];
  std::vector<Label> labels;
  list_.GetLabels(member, labels);
  std::string text;
  for (const Label& label : labels) {
    const ClassInfo* const found = FindClass(classes, label);
    text += (text.empty() ? "" : ",") +
            (found == nullptr ? label.ToString() : found->name);
  }
  return text;
}

std::vector<SplitCopies> ImageCopies::CountBySplits() const {
  std::vector<ImagePair> pairs;
  for (const Image& image : groups_) {
    pairs.push_back({image.members, image.members});
  }
  return CountBySplits(pairs);
}

ImageCopies::BySplit ImageCopies::SplitUp(
    std::span<const std::uint32_t> members) const {
  BySplit by_split;
  for (const std::uint32_t member : members) {
    by_split[list_.split(member)][LabelText(member)].push_back(member);
  }
  return by_split;
}

std::vector<SplitCopies> ImageCopies::CountBySplits(
    std::span<const ImagePair> pairs) const {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  if (splits_.size() > kMostSplits) return {};
  // The smaller split is the one that the other spoils.
  const auto pair_of = [&](std::uint32_t a, std::uint32_t b) {
    const bool swap =
        std::pair(splits_[b].samples, a) < std::pair(splits_[a].samples, b);
    return swap ? Pair(b, a) : Pair(a, b);
  };
  // Twice each member, and one more if it has another label.
  std::map<Pair, std::vector<std::uint64_t>> found;
  if (splits_.size() <= kFewSplits) {
    for (std::uint32_t b = 1; b < splits_.size(); ++b) {
      for (std::uint32_t a = 0; a < b; ++a) found[pair_of(a, b)];
    }
  }
  const auto add = [&](const auto& own, const auto& others) {
    const auto& [a, texts] = own;
    const auto& [b, other_texts] = others;
    if (a == b || pair_of(a, b).first != a) return;
    std::vector<std::uint64_t>& to = found[{a, b}];
    for (const auto& [text, members] : texts) {
      std::uint64_t differs = 0;
      for (const auto& each : other_texts) {
        const std::string& other = each.first;
        if (!text.empty() && !other.empty() && other != text) differs = 1;
      }
      for (const std::uint64_t member : members) {
        to.push_back(2 * member + differs);
      }
    }
  };
  for (const ImagePair& pair : pairs) {
    const BySplit first = SplitUp(pair.first);
    const BySplit second = SplitUp(pair.second);
    for (const auto& own : first) {
      for (const auto& others : second) {
        add(own, others);
        add(others, own);
      }
    }
  }
  std::vector<SplitCopies> result;
  for (auto& [pair, members] : found) {
    SplitCopies& copies = result.emplace_back();
    copies = {.split = splits_[pair.first].name,
              .other = splits_[pair.second].name,
              .samples = splits_[pair.first].samples};
    std::ranges::sort(members);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool is_last =
          i + 1 == members.size() || members[i] / 2 != members[i + 1] / 2;
      if (!is_last) continue;
      copies.copies += 1;
      copies.conflicts += members[i] % 2;
    }
  }
  return result;
}

Result<std::vector<SplitCopies>> FindSplitCopies(const DatasetReader& dataset,
                                                 const Job& job) {
  if (dataset.manifest().splits.size() < 2) return std::vector<SplitCopies>();
  ImageCopies copies({&dataset});
  SHARDINE_RETURN_IF_ERROR(copies.Find({.across_splits = true}, job));
  return copies.CountBySplits();
}

std::string ToString(const SplitCopies& copies) {
  std::string text = std::to_string(copies.copies) + " of " +
                     std::to_string(copies.samples) + " " + copies.split +
                     " samples are in " + copies.other;
  if (copies.conflicts > 0) {
    text += ", " + std::to_string(copies.conflicts) + " with another label";
  }
  return text;
}

}  // namespace shardine
