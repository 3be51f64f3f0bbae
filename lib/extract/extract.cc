#include "shardine/extract.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "base/utf8.h"
#include "dataset/dataset_reader.h"
#include "dataset/index_walk.h"
#include "dataset/payload_ahead.h"
#include "dataset/rejects.h"
#include "dataset/server_cache.h"
#include "extract/annotation_writer.h"
#include "extract/extracted_names.h"
#include "extract/tree_writer.h"
#include "image/check_image.h"
#include "image/check_level.h"
#include "image/undecoded_kind.h"
#include "io/atomic_file.h"
#include "io/output_folder.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"
#include "pipeline/in_order.h"
#include "shard/encoded_image.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/extract_words.h"
#include "shardine/pack_words.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' '; }

// kInvalidArgument: no sample has a field that makes annotations of that form.
Status CheckForm(const DatasetReader& dataset, ExportForm form,
                 const AnnotationWriter& writer) {
  if (form == ExportForm::kHub) return Status();
  const auto annotates = [&](const IndexField& field) {
    return field.name == "bbox" ||
           (field.name == "captions" && writer.Holds(field.name));
  };
  bool has_some = false;
  for (const DatasetReader::ShardRef& ref : dataset.shards()) {
    SHARDINE_ASSIGN_OR_RETURN(const auto index, dataset.OpenIndex(ref));
    SHARDINE_RETURN_IF_ERROR(WalkIndex(
        *index,
        [&](std::uint64_t, const IndexEntry& entry, const std::string&) {
          has_some = has_some || std::ranges::any_of(entry.fields, annotates);
          return Status();
        }));
    if (has_some) return Status();
  }
  return Status(Code::kInvalidArgument,
                "no sample has a field of annotations for this form, such as "
                "bbox");
}

ImageCheckLevel LevelOf(const ExtractOptions& options) {
  if (options.check) return *options.check;
  return options.on_bad == OnBad::kFail ? ImageCheckLevel::kNone
                                        : ImageCheckLevel::kHeader;
}

// Extracts shard after shard: reads are sequential.
class Extraction {
 public:
  Extraction(const OutputFolder& tree, const DatasetReader& dataset,
             const ExtractedNames& names, AnnotationWriter* writer,
             const ExtractOptions& options, const Job& job)
      : dataset_(dataset),
        names_(names),
        writer_(writer),
        options_(options),
        level_(ToImageCheck(LevelOf(options))),
        report_(job.progress),
        stop_(job.stop),
        tree_(tree.storage(), options.overwrite, names.has_twins()) {
    progress_.samples_total = dataset.manifest().samples();
    for (const DatasetReader::ShardRef& ref : dataset.shards()) {
      progress_.bytes_total += ref.shard->file.bytes;
    }
  }

  // In order; of a server the next shards are asked for meanwhile.
  Status Run() {
    const auto shards = dataset_.shards();
    const auto bytes = [&](std::uint64_t i) -> std::size_t {
      return std::min(shards[i].shard->file.bytes, PayloadAhead::kMostBytes);
    };
    const Status extracted = WorkInOrder<OpenedShard>(
        {.count = shards.size(),
         .threads = is_remote() ? kServerBlocks : 1,
         .most_bytes = 4 * PayloadAhead::kMostBytes,
         .bytes = bytes},
        {.make = [&](std::uint64_t i) { return Open(shards[i]); },
         .take = [&](std::uint64_t i,
                     const OpenedShard& opened) -> Result<bool> {
           SHARDINE_RETURN_IF_ERROR(ExtractShard(shards[i], opened));
           return true;
         }});
    SHARDINE_RETURN_IF_ERROR(extracted);
    if (writer_ != nullptr) {
      SHARDINE_RETURN_IF_ERROR(writer_->Finish(tree_));
      result_.annotation_files = writer_->files();
      result_.notes = writer_->notes();
    }
    return ListRejects();
  }

  const ExtractResult& result() const { return result_; }

 private:
  struct OpenedShard {
    std::unique_ptr<ShardIndex> index;
    std::unique_ptr<RandomAccessFile> file;
    std::unique_ptr<PayloadAhead> ahead;  // null: nothing waits
  };

  bool is_remote() const { return !SchemeOf(dataset_.directory()).empty(); }

  Result<OpenedShard> Open(const DatasetReader::ShardRef& ref) const {
    OpenedShard opened;
    SHARDINE_ASSIGN_OR_RETURN(opened.index, dataset_.OpenIndex(ref));
    SHARDINE_ASSIGN_OR_RETURN(opened.file, dataset_.OpenShard(ref));
    if (is_remote()) {
      opened.ahead =
          std::make_unique<PayloadAhead>(*opened.file, *opened.index);
      opened.ahead->Reach(0);
    }
    return opened;
  }

  Status ExtractShard(const DatasetReader::ShardRef& ref,
                      const OpenedShard& opened) {
    const std::string& split = ref.split->name;
    const std::string root =
        writer_ != nullptr
            ? writer_->ImageFolder(split)
            : SplitFolder(dataset_.manifest(), options_.directory, split);
    const RandomAccessFile& shard = *opened.file;
    return WalkIndex(
        *opened.index, [&](std::uint64_t record, const IndexEntry& entry,
                           const std::string& key) {
          if (opened.ahead != nullptr) opened.ahead->Reach(record);
          Reject reject{.split = ref.split->name,
                        .key = key,
                        .reason = "",
                        .action = WordOf(OnBad::kSkip),
                        .detail = "",
                        .file = ref.shard->file.path,
                        .record = record};
          return ExtractSample(shard, entry, root, reject)
              .At({.path = shard.path(), .record = record, .key = key});
        });
  }

  // `reject` has all but the reason.
  Status ExtractSample(const RandomAccessFile& shard, IndexEntry entry,
                       const std::string& root, Reject& reject) {
    if (stop_.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const std::size_t fields = entry.fields.size();
    // A field without a place in the tree is counted, and the result says it.
    KeepFields([&](const IndexField& field) { return HasPlace(field); }, entry);
    result_.fields_left += fields - entry.fields.size();
    const Status read = ReadPayload(shard, entry, payload_);
    if (skips() && read.code() == Code::kCorrupt) {
      reject.reason = WhyUnread(entry, shard.size());
      reject.detail = read.message();
      reject.byte = read.where().offset;
      LeaveOut(std::move(reject));
      return {};
    }
    SHARDINE_RETURN_IF_ERROR(read);
    if (level_ != ImageCheck::kNone && !IsGood(entry, reject)) {
      if (!skips()) {
        return Status(Code::kCorrupt, reject.reason + ": " + reject.detail)
            .At({.offset = reject.byte});
      }
      LeaveOut(std::move(reject));
      return {};
    }
    SHARDINE_RETURN_IF_ERROR(WriteSample(entry, root, reject));
    ++progress_.samples;
    progress_.bytes += payload_.size();
    if (report_) report_(progress_);
    return {};
  }

  bool HasPlace(const IndexField& field) const {
    if (IsEncodedImage(field)) return true;
    return writer_ != nullptr && writer_->Holds(field.name) &&
           HasExtents(field);
  }

  Status WriteSample(const IndexEntry& entry, const std::string& root,
                     const Reject& reject) {
    std::optional<std::string> name;
    std::vector<FieldView> others;
    for (const FieldView& field : FieldsOf(entry, payload_.view())) {
      if (!IsEncodedImage(field)) {
        const bool has_place = writer_ != nullptr && writer_->Holds(field.name);
        if (has_place) others.push_back(field);
        result_.fields_left += has_place ? 0 : 1;
        continue;
      }
      SHARDINE_ASSIGN_OR_RETURN(name,
                                names_.NameOf(entry, reject.key, field.bytes));
      SHARDINE_ASSIGN_OR_RETURN(
          const bool written, tree_.Write(JoinPath(root, *name), field.bytes));
      result_.files += written ? 1 : 0;
      result_.kept += written ? 0 : 1;
      result_.bytes += written ? field.bytes.size() : 0;
    }
    if (writer_ == nullptr || !name) return {};
    if (!IsUtf8(*name) || std::ranges::any_of(*name, IsControl)) {
      return Status(Code::kUnsupported,
                    "the name of its file is no text that annotations hold");
    }
    return writer_->Add({.split = reject.split,
                         .name = *name,
                         .facts = entry.facts,
                         .labels = entry.labels,
                         .fields = others},
                        tree_);
  }

  bool skips() const { return options_.on_bad == OnBad::kSkip; }

  // False: the image of the payload is bad, as `reject` says then.
  bool IsGood(const IndexEntry& entry, Reject& reject) const {
    for (const FieldView& field : FieldsOf(entry, payload_.view())) {
      if (!IsEncodedImage(field)) continue;
      ImageVerdict verdict = CheckImage(field.bytes, level_);
      if (verdict.good() || !UndecodedKind(verdict.facts).empty()) return true;
      reject.reason = std::move(verdict.reason);
      reject.detail = std::move(verdict.detail);
      reject.byte = ImageFieldOf(entry)->extents.front().offset;
      return false;
    }
    return true;
  }

  void LeaveOut(Reject reject) {
    ++progress_.rejected;
    rejects_.push_back(std::move(reject));
    if (report_) report_(progress_);
  }

  Status ListRejects() {
    if (rejects_.empty()) return {};
    std::string lines;
    for (const Reject& reject : rejects_) lines += RejectLine(reject);
    for (const ManifestRejected& entry : CountRejects(rejects_)) {
      result_.rejected.push_back({entry.reason, entry.action, entry.count});
    }
    return tree_
        .Write(JoinPath(options_.directory, kRejectedName), AsBytes(lines))
        .status();
  }

  const DatasetReader& dataset_;
  const ExtractedNames& names_;
  AnnotationWriter* const writer_;  // null: images alone
  const ExtractOptions& options_;
  const ImageCheck level_;
  const ProgressFunction& report_;
  const std::stop_token& stop_;
  TreeWriter tree_;
  ByteBuffer payload_;
  Progress progress_;
  std::vector<Reject> rejects_;
  ExtractResult result_;
};

}  // namespace

Result<ExtractResult> ExtractDataset(const ExtractOptions& options,
                                     const Job& job) {
  const StopScope scope(job.stop);
  if (options.on_bad != OnBad::kFail && options.on_bad != OnBad::kSkip) {
    return Status(Code::kInvalidArgument,
                  "an extraction fails at what is bad, or leaves it out");
  }
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.dataset));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder tree,
                            OutputFolder::Of(job, options.directory));
  SHARDINE_ASSIGN_OR_RETURN(const auto reader,
                            DatasetReader::Open(*storage, options.dataset));
  SHARDINE_RETURN_IF_ERROR(UseServerCache(*reader));
  // All keys are read before the first file is written, so that a dataset that
  // cannot be a tree leaves none.
  SHARDINE_ASSIGN_OR_RETURN(const ExtractedNames names,
                            ExtractedNames::Of(*reader, options.names));
  std::unique_ptr<AnnotationWriter> writer;
  if (options.form) {
    writer = MakeAnnotationWriter(*options.form, reader->manifest(),
                                  options.directory);
    SHARDINE_RETURN_IF_ERROR(CheckForm(*reader, *options.form, *writer)
                                 .At({.path = options.dataset}));
  }
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, tree.Lock());
  Extraction extraction(tree, *reader, names, writer.get(), options, job);
  SHARDINE_RETURN_IF_ERROR(extraction.Run());
  SHARDINE_RETURN_IF_ERROR(lock.Release());
  return extraction.result();
}

OptionList DescribeOptions(ExtractOptions& extract) {
  return {{.group = "Output",
           .name = "names",
           .value = WordValue(extract.names),
           .help = "names of the files: keys, or ids with the extension of the "
                   "content (00000007.jpg), in folders of their classes "
                   "(cat/00000007.jpg)"},
          {.group = "Output",
           .name = "overwrite",
           .value = FlagValue(extract.overwrite),
           .help = "replace files that are there with other contents"},
          {.group = "Output",
           .name = "on-bad",
           .value = ChoiceValue<OnBad>({{WordOf(OnBad::kFail), OnBad::kFail},
                                        {WordOf(OnBad::kSkip), OnBad::kSkip}},
                                       extract.on_bad),
           .help = "leave out records that do not match their checksums and "
                   "bad images; DIR/rejected.jsonl lists them"},
          {.group = "Output",
           .name = "check",
           .value = WordValue(extract.check),
           .help = "how to find bad images; decode finds damage after the "
                   "header, too (default: none under fail, else header)"}};
}

}  // namespace shardine
