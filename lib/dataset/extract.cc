#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_reader.h"
#include "dataset/extracted_names.h"
#include "dataset/index_walk.h"
#include "dataset/payload_ahead.h"
#include "dataset/rejects.h"
#include "dataset/server_cache.h"
#include "image/check_image.h"
#include "image/undecoded_kind.h"
#include "io/atomic_file.h"
#include "io/output_folder.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"
#include "pipeline/in_order.h"
#include "shard/encoded_image.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/inspect.h"
#include "shardine/inspect_words.h"
#include "shardine/pack_words.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

Status NotOver(const std::string& path, const char* what) {
  return Status(Code::kAlreadyExists, what).At({.path = path});
}

// Puts files into a tree, over something that is there only if it may.
class TreeWriter {
 public:
  // `twins`: the storage may have one file for two of the names to come.
  TreeWriter(Storage& storage, bool overwrite, bool twins)
      : storage_(storage), overwrite_(overwrite), twins_(twins) {}

  // False if the file was there with these very bytes. The file has its name
  // when it is complete. Not synced: an extracted tree is a copy, and a sync
  // per image would cost more than all the rest.
  Result<bool> Write(const std::string& path, ByteView contents) {
    const std::string directory = DirectoryOf(path);
    SHARDINE_RETURN_IF_ERROR(EnterDirectory(directory));
    SHARDINE_ASSIGN_OR_RETURN(const bool there, HasContents(path, contents));
    if (!there) {
      const std::string temporary = TemporaryName(path);
      Status status = WriteNew(temporary, contents);
      if (status.ok()) status = storage_.Rename(temporary, path);
      if (!status.ok()) {
        static_cast<void>(storage_.Remove(temporary).ok());
        return status;
      }
    }
    SHARDINE_RETURN_IF_ERROR(AddOwn(path));
    return !there;
  }

 private:
  // Stat() follows links, so a dangling one looks like no file: they are
  // looked up once per directory.
  Status EnterDirectory(const std::string& directory) {
    if (!entered_.insert(directory).second) return {};
    SHARDINE_RETURN_IF_ERROR(storage_.CreateDirectories(directory));
    SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage_.List(directory));
    for (const DirEntry& entry : entries) {
      if (entry.kind != FileKind::kSymlink) continue;
      links_.insert(JoinPath(directory, entry.name));
    }
    return {};
  }

  // kAlreadyExists: something else has the name. A link may lead to equal bytes
  // and is no file all the same.
  Result<bool> HasContents(const std::string& path, ByteView contents) {
    const bool link = links_.contains(path);
    const auto info = storage_.Stat(path);
    if (!link && info.status().code() == Code::kNotFound) return false;
    if (!link && !info.ok()) return info.status();
    if (!link && twins_ && own_.contains(IdOf(*info))) {
      return NotOverOwn(path, *info);
    }
    if (!link && info->kind == FileKind::kRegular) {
      SHARDINE_ASSIGN_OR_RETURN(const bool same, Holds(path, contents));
      if (same) return true;
    }
    if (overwrite_) {
      if (!link && own_.contains(IdOf(*info))) return NotOverOwn(path, *info);
      return false;
    }
    return NotOver(
        path, link ? "a link has this name" : "is there with other contents");
  }

  static std::pair<std::uint64_t, std::uint64_t> IdOf(const FileInfo& info) {
    return {info.device, info.inode};
  }

  // Files without an identity are in storages that keep all names apart.
  Status AddOwn(const std::string& path) {
    if (!overwrite_ && !twins_) return {};
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage_.Stat(path));
    if (info.inode != 0) own_.insert(IdOf(info));
    return {};
  }

  // All keys differ, and this file system has one file for two of them.
  Status NotOverOwn(const std::string& path, const FileInfo& own) {
    const std::string directory = DirectoryOf(path);
    std::string other = "a file of another name";
    SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage_.List(directory));
    for (const DirEntry& entry : entries) {
      if (entry.name == FileNameOf(path)) continue;
      const auto info = storage_.Stat(JoinPath(directory, entry.name));
      if (info.ok() && IsSameFile(*info, own)) other = EscapeBytes(entry.name);
    }
    return Status(Code::kAlreadyExists,
                  "is the same file as " + other +
                      ", which holds another sample of this extraction; "
                      "extract to a file system that tells such names apart")
        .At({.path = path});
  }

  Result<bool> Holds(const std::string& path, ByteView contents) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(path));
    if (file->size() != contents.size()) return false;
    there_.Resize(contents.size());
    SHARDINE_ASSIGN_OR_RETURN(const std::size_t read,
                              file->ReadAt(0, there_.span()));
    return read == contents.size() && AsText(there_.view()) == AsText(contents);
  }

  Status WriteNew(const std::string& path, ByteView contents) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Create(path));
    SHARDINE_RETURN_IF_ERROR(file->Append(contents));
    return file->Close();
  }

  Storage& storage_;
  const bool overwrite_;
  const bool twins_;
  ByteBuffer there_;
  std::set<std::string> entered_;
  std::set<std::string> links_;
  // The device and inode of each file written or kept, where one may be written
  // over another.
  std::set<std::pair<std::uint64_t, std::uint64_t>> own_;
};

// Extracts shard after shard: reads are sequential.
class Extraction {
 public:
  Extraction(const OutputFolder& tree, const DatasetReader& dataset,
             const ExtractedNames& names, const ExtractOptions& options,
             const Job& job)
      : dataset_(dataset),
        names_(names),
        options_(options),
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
    return extracted.ok() ? ListRejects() : extracted;
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
    // The splits become folders, as pack takes them; a single one needs none.
    const std::string root = dataset_.manifest().splits.size() > 1
                                 ? JoinPath(options_.directory, ref.split->name)
                                 : options_.directory;
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
    const std::string& key = reject.key;
    if (stop_.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const std::size_t fields = entry.fields.size();
    // Labels, boxes and arrays have no file in a tree of images. They are
    // counted, and the result says that they were left.
    KeepFields(IsEncodedImage<IndexField>, entry);
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
    if (skips() && !IsGood(entry, reject)) {
      LeaveOut(std::move(reject));
      return {};
    }
    for (const FieldView& field : FieldsOf(entry, payload_.view())) {
      if (!IsEncodedImage(field)) {
        ++result_.fields_left;
        continue;
      }
      SHARDINE_ASSIGN_OR_RETURN(const std::string name,
                                names_.NameOf(entry, key, field.bytes));
      SHARDINE_ASSIGN_OR_RETURN(const bool written,
                                tree_.Write(JoinPath(root, name), field.bytes));
      result_.files += written ? 1 : 0;
      result_.kept += written ? 0 : 1;
      result_.bytes += written ? field.bytes.size() : 0;
    }
    ++progress_.samples;
    progress_.bytes += payload_.size();
    if (report_) report_(progress_);
    return {};
  }

  bool skips() const { return options_.on_bad == OnBad::kSkip; }

  // False: the image of the payload is bad, as `reject` says then.
  bool IsGood(const IndexEntry& entry, Reject& reject) const {
    for (const FieldView& field : FieldsOf(entry, payload_.view())) {
      if (!IsEncodedImage(field)) continue;
      ImageVerdict verdict = CheckImage(field.bytes, ImageCheck::kHeader);
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
  const ExtractOptions& options_;
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
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, tree.Lock());
  Extraction extraction(tree, *reader, names, options, job);
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
                   "images without a sound header; DIR/rejected.jsonl lists "
                   "them"}};
}

}  // namespace shardine
