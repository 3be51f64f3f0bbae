#include "verify/verify_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "dataset/content_counts.h"
#include "dataset/label_texts.h"
#include "dataset/said_counts.h"
#include "image/image_checker.h"
#include "shard/encoded_image.h"
#include "verify/reading_failure.h"

namespace shardine {
namespace {

void CheckImageOf(const ScannedSample& scanned, const std::string& path,
                  ImageChecker& checker, VerifyResult& result) {
  const ScannedField* image = FindEncodedImage(scanned.fields);
  if (image == nullptr) return;
  const ImageVerdict verdict = checker.Check(image->bytes).verdict;
  if (verdict.good()) return;
  Where where{
      .path = path, .offset = scanned.record_offset, .record = scanned.record};
  if (scanned.key) where.key = std::string(*scanned.key);
  result.findings.push_back(BadImage(verdict).At(where));
}

void CheckNativeIndex(ReadableStorage& storage, const FormatAndLayout& format,
                      const std::string& path,
                      const std::vector<std::uint64_t>& offsets,
                      const std::vector<std::uint64_t>& ids,
                      VerifyResult& result) {
  const std::vector<std::string> places = format.CompanionPlaces(path);
  bool found = places.empty();
  for (const std::string& companion : places) {
    Status status = format.format->check_companion(storage, {path, companion},
                                                   offsets, ids);
    if (status.code() == Code::kNotFound) continue;
    found = true;
    if (status.ok()) continue;
    result.findings.push_back(std::move(status).At({.path = companion}));
  }
  if (found) return;
  result.notes.push_back("no " + std::string(format.layout->companion_suffix) +
                         " beside the shard or in .shardine");
}

// A shard that was cut between two records looks whole by itself.
void CheckCounts(ReadableStorage& storage, const Format& format,
                 const CountedShard& shard, VerifyResult& result) {
  for (Status& status :
       CheckSaidCounts(storage, format, {&shard, 1}, CountedScope::kOneShard)) {
    if (status.code() == Code::kCorrupt) {
      result.findings.push_back(std::move(status));
    } else {
      result.notes.push_back(status.ToString());
    }
  }
}

}  // namespace

Status BadImage(const ImageVerdict& verdict) {
  return Status(Code::kCorrupt, verdict.reason + ": " + verdict.detail);
}

Result<VerifyResult> VerifyFile(ReadableStorage& storage,
                                const VerifyOptions& options, const Job& job) {
  const std::string& path = options.target;
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.OpenForward(path));
  ReadRoles roles;
  static_cast<FieldRoles&>(roles) = options.roles;
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                            job.formats.DetectLayout(*file, roles));
  if (!roles.label.empty() && !roles.one_hot) {
    ShardLabels labels;
    SHARDINE_RETURN_IF_ERROR(
        CollectLabelTexts(*file, format, true, job.stop, labels)
            .At({.path = path}));
    SHARDINE_RETURN_IF_ERROR(labels.lacking);
    const LabelTexts& texts = labels.texts;
    SHARDINE_RETURN_IF_ERROR(NumberLabels(texts, {}, format.roles));
  }
  SHARDINE_ASSIGN_OR_RETURN(auto scanner, format.OpenScanner(*file));
  ImageChecker checker({.level = ImageCheck::kDecode});
  VerifyResult result;
  result.shards = 1;
  Progress done{.bytes_total = file->size()};
  ContentCounts counts;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> ids;
  while (options.level != VerifyLevel::kQuick) {
    if (job.stop.stop_requested())
      return Status(Code::kCancelled, "interrupted");
    auto scanned = scanner->Next();
    if (scanned.status().code() == Code::kInvalidArgument) {
      return std::move(scanned).status().At({.path = path});
    }
    if (!scanned.ok()) {
      result.findings.push_back(std::move(scanned).status().At({.path = path}));
      break;
    }
    if (!*scanned) {
      CheckNativeIndex(storage, format, path, offsets, ids, result);
      CheckCounts(storage, *format.format, {path, offsets.size()}, result);
      SHARDINE_ASSIGN_OR_RETURN(auto lacks, scanner->Warnings());
      std::ranges::move(lacks, std::back_inserter(result.notes));
      break;
    }
    const ScannedSample& sample = **scanned;
    offsets.push_back(sample.record_offset);
    ids.push_back(sample.id.value_or(sample.record));
    counts.unlabelled += sample.labels.empty() ? 1 : 0;
    for (const ScannedField& field : sample.fields) {
      done.bytes += field.bytes.size();
      counts.AddField(field.name);
    }
    if (options.level == VerifyLevel::kDeep) {
      CheckImageOf(sample, path, checker, result);
    }
    ++done.samples;
    if (job.progress) job.progress(done);
  }
  SHARDINE_RETURN_IF_ERROR(ReadingFailure(result.findings));
  result.samples = done.samples;
  result.contents = ContentsOf({&counts, 1}, done.samples);
  result.bytes = done.bytes;
  return result;
}

}  // namespace shardine
