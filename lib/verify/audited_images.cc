#include "verify/audited_images.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "shard/payload.h"
#include "source/read_source.h"

namespace shardine {
namespace {

// What is about one image, and not about the machine.
bool IsOfImage(const Status& status) {
  return status.code() == Code::kCorrupt || status.code() == Code::kUnsupported;
}

bool IsOfFile(const Status& status) {
  return IsOfImage(status) || IsUnreadable(status) ||
         status.code() == Code::kNotFound || status.code() == Code::kChanged;
}

}  // namespace

Result<AuditedImages> AuditedImages::Open(
    std::span<const DatasetReader* const> datasets, const Job& job) {
  AuditedImages images;
  for (const DatasetReader* dataset : datasets) {
    for (const ManifestSplit& split : dataset->manifest().splits) {
      SHARDINE_ASSIGN_OR_RETURN(
          auto samples,
          SampleSource::Open(dataset->storage(), dataset->directory(),
                             {.split = split.name}, job.stop, job.formats));
      const std::uint64_t count = samples->size();
      images.parts_.push_back({images.size_, count, std::move(samples)});
      images.size_ += count;
    }
  }
  return images;
}

AuditedImages AuditedImages::Of(ReadableStorage& storage,
                                const SourceSet& files) {
  AuditedImages images;
  images.storage_ = &storage;
  images.files_ = &files;
  images.size_ = files.samples.size();
  return images;
}

std::vector<bool> AuditedImages::InSmallSplits(std::uint64_t most) const {
  std::vector<std::uint64_t> counts;
  for (const Part& part : parts_) counts.push_back(part.count);
  if (files_ != nullptr) {
    counts.resize(files_->splits.size());
    for (std::size_t i = 0; i < size_; ++i) ++counts[files_->samples.split(i)];
  }
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return counts[i]; });
  std::vector<bool> is_small(counts.size());
  std::uint64_t sum = 0;
  for (const std::size_t i : order) {
    sum += counts[i];
    is_small[i] = sum <= most;
  }
  std::vector<bool> flags;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    flags.insert(flags.end(), static_cast<std::size_t>(counts[k]), is_small[k]);
  }
  for (std::size_t i = flags.size(); i < size_; ++i) {
    flags.push_back(is_small[files_->samples.split(i)]);
  }
  return flags;
}

Status AuditedImages::Read(std::span<const std::uint64_t> positions,
                           const Visit& visit, const Failed& failed) const {
  if (files_ != nullptr) return ReadFiles(positions, visit, failed);
  std::size_t begin = 0;
  for (const Part& part : parts_) {
    std::size_t end = begin;
    while (end < positions.size() && positions[end] < part.first + part.count) {
      ++end;
    }
    if (end == begin) continue;
    SHARDINE_RETURN_IF_ERROR(ReadPart(
        part, positions.subspan(begin, end - begin), begin, visit, failed));
    begin = end;
  }
  return Status();
}

Status AuditedImages::ReadPart(const Part& part,
                               std::span<const std::uint64_t> positions,
                               std::size_t offset, const Visit& visit,
                               const Failed& failed) const {
  const std::vector<std::string> wanted = {std::string(kImageField)};
  std::vector<std::uint64_t> own(positions.begin(), positions.end());
  for (std::uint64_t& position : own) position -= part.first;
  std::vector<SampleRead> reads(own.size());
  for (SampleRead& read : reads) read.wanted = &wanted;
  std::vector<Status> statuses(own.size());
  part.samples->ReadMany(own, EntryPointUse::kSkip, reads, statuses);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!statuses[i].ok()) {
      if (!IsOfImage(statuses[i])) return statuses[i];
      failed(offset + i, statuses[i]);
      continue;
    }
    bool is_there = false;
    for (const FieldView& field : FieldsOf(reads[i].entry, reads[i].payload)) {
      if (field.name != kImageField) continue;
      is_there = true;
      visit(offset + i, field);
    }
    if (!is_there) {
      failed(offset + i, Status(Code::kUnsupported, "the sample has no image"));
    }
  }
  return Status();
}

Status AuditedImages::ReadFiles(std::span<const std::uint64_t> positions,
                                const Visit& visit,
                                const Failed& failed) const {
  const SourceList& list = files_->samples;
  ByteBuffer bytes;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto sample = static_cast<std::size_t>(positions[i]);
    const std::string path = JoinPath(files_->roots[list.root(sample)],
                                      std::string(list.path(sample)));
    bytes.Resize(0);
    Status status = CheckSourceSize(path, list.facts(sample).size);
    if (status.ok()) {
      status = ReadSource(*storage_, path, list.facts(sample), bytes);
    }
    if (status.ok()) {
      visit(i, {kImageField, kBytesDtype, {}, bytes.view()});
    } else if (IsOfFile(status)) {
      failed(i, status);
    } else {
      return status;
    }
  }
  return Status();
}

}  // namespace shardine
