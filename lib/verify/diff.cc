#include "shardine/diff.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/field_counts.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_reader.h"
#include "dataset/digest_check.h"
#include "dataset/index_walk.h"
#include "dataset/located_samples.h"
#include "io/storage_for.h"
#include "shard/content_digest.h"
#include "shardine/escape.h"
#include "source/source_list.h"

namespace shardine {
namespace {

void NoteMissing(const FieldCounts& in, const FieldCounts& other,
                 const char* which, std::vector<std::string>& notes) {
  for (const auto& [name, samples] : in.counts()) {
    if (other.counts().contains(name)) continue;
    notes.push_back("the field \"" + EscapeBytes(name) + "\", of " +
                    std::to_string(samples) +
                    (samples == 1 ? " sample" : " samples") + ", is in the " +
                    which + " alone");
  }
}

// Fields that the one has and the other has not.
void CompareFields(const FieldCounts& a, const FieldCounts& b,
                   std::vector<std::string>& notes) {
  if (a.others() > 0 || b.others() > 0) return;
  NoteMissing(a, b, "first", notes);
  NoteMissing(b, a, "second", notes);
}

// Everything about the samples of a dataset that is compared.
class Side {
 public:
  static Result<std::unique_ptr<Side>> Open(const std::string& directory,
                                            const Job& job) {
    auto side = std::make_unique<Side>();
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageFor(job, directory));
    SHARDINE_ASSIGN_OR_RETURN(side->dataset_,
                              DatasetReader::Open(*storage, directory));
    return side;
  }

  const Manifest& manifest() const { return dataset_->manifest(); }

  Status Load() {
    // The comparison trusts the sidecars and reads no payload. So the sidecars
    // have to add up to the manifest first: one that was swapped would be
    // compared as if it were the dataset.
    DigestCheck check(*dataset_);
    const auto add = [&](const DatasetReader::ShardRef& ref,
                         const ShardIndex& index) -> Result<bool> {
      SHARDINE_RETURN_IF_ERROR(check.Begin(*ref.split));
      SHARDINE_RETURN_IF_ERROR(Add(ref, index, check));
      return true;
    };
    SHARDINE_RETURN_IF_ERROR(dataset_->ForEachIndex(dataset_->shards(), add));
    return check.End();
  }

  const FieldCounts& fields() const { return fields_; }
  std::size_t size() const { return list_.size(); }
  std::pair<std::string_view, std::string_view> name(std::size_t i) const {
    return {splits_[list_.split(i)], list_.key(i)};
  }
  std::vector<Label> labels(std::size_t i) const {
    std::vector<Label> labels;
    list_.GetLabels(i, labels);
    return labels;
  }
  const Digest128& digest(std::size_t i) const { return digests_[i]; }
  // Size and CRC of the payload.
  std::pair<std::uint64_t, std::uint32_t> payload(std::size_t i) const {
    return payloads_[i];
  }

  // Whether its payload is in the shard as such; else only a scan gets at it.
  bool has_extents(std::size_t i) const { return has_extents_[i]; }

  // Calls `visit` with each of these samples, and its payload.
  using Numbers = std::vector<std::uint32_t>;
  Status Read(const Numbers& numbers,
              const std::function<Status(std::size_t, const SampleRead&)>&
                  visit) const {
    std::vector<LocatedSample> samples;
    for (const std::uint32_t i : numbers) {
      const auto behind = std::ranges::upper_bound(first_, i);
      const auto shard = static_cast<std::size_t>(behind - first_.begin()) - 1;
      samples.push_back({.shard = &dataset_->shards()[shard],
                         .record = i - first_[shard],
                         .bytes = payloads_[i].first});
    }
    return ReadLocated(*dataset_, samples, nullptr, visit);
  }

 private:
  Status Add(const DatasetReader::ShardRef& ref, const ShardIndex& index,
             DigestCheck& check) {
    if (splits_.empty() || splits_.back() != ref.split->name) {
      splits_.push_back(ref.split->name);
    }
    const auto split = static_cast<std::uint32_t>(splits_.size() - 1);
    first_.push_back(list_.size());
    return WalkIndex(index, [&](std::uint64_t, const IndexEntry& entry,
                                const std::string& key) {
      list_.Add(key, entry.id, entry.labels, split);
      check.Add(entry, key);
      digests_.push_back(entry.content_digest);
      payloads_.push_back({PayloadBytes(entry), entry.payload_crc});
      has_extents_.push_back(HasExtents(entry));
      for (const IndexField& field : entry.fields) fields_.Add(field.name);
      return Status();
    });
  }

  std::unique_ptr<DatasetReader> dataset_;
  std::vector<std::string> splits_;  // by name
  SourceList list_;
  std::vector<std::uint64_t> first_;  // per shard: its first sample
  std::vector<Digest128> digests_;
  FieldCounts fields_{100};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> payloads_;
  std::vector<bool> has_extents_;
};

using Numbers = Side::Numbers;

template <typename Key>
Numbers SortedBy(Numbers numbers, const Key& key) {
  // Stable, so that samples of equal names or contents pair up in the order of
  // the datasets, every time.
  std::ranges::stable_sort(numbers, std::ranges::less(), key);
  return numbers;
}

Numbers All(const Side& side) {
  Numbers numbers(side.size());
  for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  return SortedBy(std::move(numbers),
                  [&](std::uint32_t i) { return side.name(i); });
}

class Comparison {
 public:
  Comparison(const Side& a, const Side& b,
             const std::function<Status(const Difference&)>& visit)
      : a_(a), b_(b), visit_(visit) {}

  Result<DiffResult> Run() {
    SHARDINE_RETURN_IF_ERROR(MatchNames());
    SHARDINE_RETURN_IF_ERROR(MatchContents());
    return std::move(result_);
  }

 private:
  Status MatchNames() {
    const Numbers as = All(a_);
    const Numbers bs = All(b_);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < as.size() && j < bs.size()) {
      if (a_.name(as[i]) < b_.name(bs[j])) {
        only_a_.push_back(as[i++]);
      } else if (b_.name(bs[j]) < a_.name(as[i])) {
        only_b_.push_back(bs[j++]);
      } else {
        Compare(as[i++], bs[j++]);
      }
    }
    only_a_.insert(only_a_.end(), as.begin() + static_cast<long>(i), as.end());
    only_b_.insert(only_b_.end(), bs.begin() + static_cast<long>(j), bs.end());
    SHARDINE_RETURN_IF_ERROR(FindRelabelled());
    for (const Pair& pair : pairs_) {
      SHARDINE_RETURN_IF_ERROR(ReportDiffering(pair));
    }
    return Status();
  }

  // Two samples of one name that differ.
  struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    bool relabelled = false;
  };

  void Compare(std::uint32_t i, std::uint32_t j) {
    if (a_.digest(i) == b_.digest(j)) {
      ++result_.same;
      return;
    }
    // Without the payload, its size and CRC have to do.
    const bool may_be =
        a_.payload(i) == b_.payload(j) && a_.labels(i) != b_.labels(j);
    pairs_.push_back({i, j, may_be});
  }

  // The content digest covers labels and bytes together. If the bytes of one
  // with the labels of the other have the other's digest, only the labels
  // differ.
  Status FindRelabelled() {
    std::vector<Pair*> asked;
    for (Pair& pair : pairs_) {
      if (pair.relabelled && a_.has_extents(pair.a)) asked.push_back(&pair);
    }
    // As they lie in the shards.
    std::ranges::sort(asked, {}, &Pair::a);
    Numbers numbers;
    for (const Pair* pair : asked) numbers.push_back(pair->a);
    return a_.Read(numbers, [&](std::size_t i, const SampleRead& read) {
      Pair& pair = *asked[i];
      const Digest128 digest =
          ContentDigest(b_.labels(pair.b), FieldsOf(read.entry, read.payload));
      pair.relabelled = digest == b_.digest(pair.b);
      return Status();
    });
  }

  Status ReportDiffering(const Pair& pair) {
    const std::vector<Label> labels = a_.labels(pair.a);
    const std::vector<Label> other = b_.labels(pair.b);
    ++(pair.relabelled ? result_.relabelled : result_.changed);
    Difference difference;
    difference.kind = pair.relabelled ? DifferenceKind::kRelabelled
                                      : DifferenceKind::kChanged;
    std::tie(difference.split, difference.key) = a_.name(pair.a);
    difference.labels = labels;
    difference.other_labels = other;
    return visit_(difference);
  }

  // Samples without a namesake may have equal contents.
  Status MatchContents() {
    const Numbers as = SortedBy(
        only_a_, [&](std::uint32_t i) { return Ordered(a_.digest(i)); });
    const Numbers bs = SortedBy(
        only_b_, [&](std::uint32_t i) { return Ordered(b_.digest(i)); });
    std::vector<bool> paired_a(a_.size());
    std::vector<bool> paired_b(b_.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> renamed;
    for (std::size_t i = 0, j = 0; i < as.size() && j < bs.size();) {
      const auto a = Ordered(a_.digest(as[i]));
      const auto b = Ordered(b_.digest(bs[j]));
      // Contents that occur several times pair one to one: the rest was added
      // or removed.
      if (a == b) {
        paired_a[as[i]] = paired_b[bs[j]] = true;
        renamed.push_back({as[i++], bs[j++]});
      } else {
        ++(a < b ? i : j);
      }
    }
    SHARDINE_RETURN_IF_ERROR(ReportUnpaired(paired_a, paired_b));
    std::ranges::sort(renamed, std::ranges::less(),
                      [&](const auto& pair) { return a_.name(pair.first); });
    for (const auto& [i, j] : renamed) {
      SHARDINE_RETURN_IF_ERROR(ReportRenamed(i, j));
    }
    return Status();
  }

  static std::pair<std::uint64_t, std::uint64_t> Ordered(const Digest128& d) {
    return {d.high, d.low};
  }

  Status ReportUnpaired(const std::vector<bool>& paired_a,
                        const std::vector<bool>& paired_b) {
    for (const std::uint32_t i : only_a_) {
      if (paired_a[i]) continue;
      ++result_.removed;
      SHARDINE_RETURN_IF_ERROR(Report(DifferenceKind::kRemoved, a_, i));
    }
    for (const std::uint32_t j : only_b_) {
      if (paired_b[j]) continue;
      ++result_.added;
      SHARDINE_RETURN_IF_ERROR(Report(DifferenceKind::kAdded, b_, j));
    }
    return Status();
  }

  Status Report(DifferenceKind kind, const Side& side, std::uint32_t i) {
    Difference difference;
    difference.kind = kind;
    std::tie(difference.split, difference.key) = side.name(i);
    const std::vector<Label> labels = side.labels(i);
    difference.labels = labels;
    return visit_(difference);
  }

  Status ReportRenamed(std::uint32_t i, std::uint32_t j) {
    ++result_.renamed;
    Difference difference;
    difference.kind = DifferenceKind::kRenamed;
    std::tie(difference.split, difference.key) = a_.name(i);
    std::tie(difference.other_split, difference.other_key) = b_.name(j);
    const std::vector<Label> labels = a_.labels(i);
    difference.labels = labels;
    return visit_(difference);
  }

  const Side& a_;
  const Side& b_;
  const std::function<Status(const Difference&)>& visit_;
  DiffResult result_;
  std::vector<Pair> pairs_;  // by name, as the members below
  Numbers only_a_;
  Numbers only_b_;
};

std::vector<std::string> Notes(const Manifest& a, const Manifest& b) {
  std::vector<std::string> notes;
  const bool same_names = a.names_digest() == b.names_digest();
  if (a.order_digest() != b.order_digest() && same_names) {
    notes.push_back("the order differs");
  }
  if (ClassMapDigest(a.classes) != ClassMapDigest(b.classes)) {
    notes.push_back("class names differ");
  }
  return notes;
}

// By their manifests: per split, contents, names and their binding.
bool AreEqual(const Manifest& a, const Manifest& b) {
  const bool bound = a.has_bindings() && b.has_bindings();
  return std::ranges::equal(
      a.splits, b.splits, [&](const ManifestSplit& x, const ManifestSplit& y) {
        return x.name == y.name && x.samples == y.samples &&
               x.content_digest == y.content_digest &&
               x.names_digest == y.names_digest &&
               (!bound || x.binding_digest == y.binding_digest);
      });
}

}  // namespace

Result<DiffResult> Diff(const std::string& first, const std::string& second,
                        const std::function<Status(const Difference&)>& visit,
                        const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const auto a, Side::Open(first, job));
  SHARDINE_ASSIGN_OR_RETURN(const auto b, Side::Open(second, job));
  std::vector<std::string> notes = Notes(a->manifest(), b->manifest());
  DiffResult result;
  SHARDINE_RETURN_IF_ERROR(a->Load());
  SHARDINE_RETURN_IF_ERROR(b->Load());
  SHARDINE_ASSIGN_OR_RETURN(result, Comparison(*a, *b, visit).Run());
  // Samples are paired by split and key, so that ids alone can still differ.
  // They are in the names and binding digests.
  if (result.equal() && !AreEqual(a->manifest(), b->manifest())) {
    notes.push_back("ids differ");
  }
  // The fields that differ explain changed samples at a glance.
  if (result.changed > 0) CompareFields(a->fields(), b->fields(), notes);
  result.notes = std::move(notes);
  return result;
}

}  // namespace shardine
