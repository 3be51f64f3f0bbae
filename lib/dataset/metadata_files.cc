#include "dataset/metadata_files.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_summary.h"
#include "dataset/index_entry.h"
#include "dataset/own_path.h"
#include "io/atomic_file.h"

namespace shardine {
namespace {

DatasetFacts::Shard FactsOf(const ManifestShard& shard, const Layout& layout) {
  DatasetFacts::Shard facts{.path = shard.file.path,
                            .companion = {},
                            .samples = shard.samples,
                            .bytes = shard.file.bytes};
  for (const ManifestFile& file : shard.companions) {
    // Shardine's own files beside a shard have other suffixes.
    if (!layout.companion_suffix.empty() &&
        file.path.ends_with(layout.companion_suffix)) {
      facts.companion = file.path;
    }
  }
  return facts;
}

DatasetFacts FactsOf(const std::string& directory, const Layout& layout,
                     const Manifest& manifest) {
  DatasetFacts facts;
  facts.directory = directory;
  for (const ManifestSplit& split : manifest.splits) {
    DatasetFacts::Split& of_split = facts.splits.emplace_back();
    of_split.name = split.name;
    of_split.samples = split.samples;
    of_split.unlabelled = split.unlabelled;
    for (const ManifestShard& shard : split.shards) {
      of_split.shards.push_back(FactsOf(shard, layout));
    }
  }
  facts.classes = ClassFactsOf(manifest.classes);
  return facts;
}

Status Make(ReadableStorage& storage, const DatasetFacts& facts,
            const FormatAndLayout& format, MetadataSink& sink) {
  const auto write = format.format->write_metadata;
  return write == nullptr ? Status() : write(storage, facts, format, sink);
}

// Publishes each file when the next one begins.
class WritingSink : public MetadataSink {
 public:
  WritingSink(Storage& storage, const std::string& directory)
      : storage_(storage), directory_(directory) {}

  Status Begin(std::string_view path) override {
    SHARDINE_RETURN_IF_ERROR(End());
    path_ = path;
    SHARDINE_RETURN_IF_ERROR(CheckOwnFile(storage_, directory_, path_));
    SHARDINE_ASSIGN_OR_RETURN(
        file_, AtomicFile::Create(storage_, JoinPath(directory_, path_)));
    digest_ = Xxh3Stream();
    bytes_ = 0;
    return Status();
  }

  Status Append(std::string_view text) override {
    digest_.Update(AsBytes(text));
    bytes_ += text.size();
    return file_->Append(AsBytes(text));
  }

  // Ends the last file.
  Status End() {
    if (!file_) return Status();
    ManifestFile made{path_, bytes_, digest_.Digest()};
    const auto there = DescribeFile(storage_, directory_, path_);
    if (there.status().code() == Code::kNotFound) {
      created_.push_back(path_);
      SHARDINE_RETURN_IF_ERROR(file_->Publish());
    } else {
      SHARDINE_RETURN_IF_ERROR(there.status());
      // The name does not tell the owner of the file. A file left by an earlier
      // try of this run is the same to the byte.
      if (*there != made) return InTheWay();
    }
    file_.reset();
    files_.push_back(std::move(made));
    return Status();
  }

  const std::vector<ManifestFile>& files() const { return files_; }
  const std::vector<std::string>& created() const { return created_; }

  // Best effort: the next try reports a file that is in its way.
  void RemoveCreated() {
    file_.reset();
    for (const std::string& path : created_) {
      (void)storage_.Remove(JoinPath(directory_, path));
    }
  }

 private:
  Status InTheWay() const {
    return Status(Code::kAlreadyExists,
                  "is in the way: it does not hold what belongs beside these "
                  "shards under that name; move it away and run the same "
                  "command again")
        .At({.path = JoinPath(directory_, path_)});
  }

  Storage& storage_;
  const std::string& directory_;
  std::string path_;
  std::optional<AtomicFile> file_;
  Xxh3Stream digest_;
  std::uint64_t bytes_ = 0;
  std::vector<ManifestFile> files_;
  std::vector<std::string> created_;
};

// Compares the text that would be written with the existing files.
class ComparingSink : public MetadataSink {
 public:
  ComparingSink(ReadableStorage& storage, const std::string& directory,
                const Manifest& manifest)
      : storage_(storage), directory_(directory), manifest_(manifest) {}

  Status Begin(std::string_view path) override {
    SHARDINE_RETURN_IF_ERROR(End());
    const std::string at = JoinPath(directory_, std::string(path));
    if (std::ranges::find(manifest_.files, path, &ManifestFile::path) ==
        manifest_.files.end()) {
      return Status(Code::kCorrupt,
                    "the manifest's format has this file, and "
                    "the manifest does not list it")
          .At({.path = at});
    }
    SHARDINE_ASSIGN_OR_RETURN(file_, storage_.Open(at));
    position_ = 0;
    return Status();
  }

  Status Append(std::string_view text) override {
    ByteBuffer there;
    there.Resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(text.size(), file_->size() - position_)));
    SHARDINE_RETURN_IF_ERROR(file_->ReadExactly(position_, there.span()));
    const std::string_view found = AsText(there.view());
    const auto [differs, _] =
        std::mismatch(found.begin(), found.end(), text.begin(), text.end());
    const auto same = static_cast<std::uint64_t>(differs - found.begin());
    if (same < text.size()) return Differs(position_ + same);
    position_ += text.size();
    return Status();
  }

  // Ends the last file.
  Status End() const {
    if (file_ == nullptr || position_ == file_->size()) return Status();
    return Differs(position_);
  }

 private:
  Status Differs(std::uint64_t offset) const {
    return Status(Code::kCorrupt,
                  "says something else than the manifest and the shards' "
                  "indexes do")
        .At({.path = file_->path(), .offset = offset});
  }

  ReadableStorage& storage_;
  const std::string& directory_;
  const Manifest& manifest_;
  std::unique_ptr<RandomAccessFile> file_;
  std::uint64_t position_ = 0;
};

}  // namespace

Result<std::vector<std::string>> WriteMetadata(Storage& storage,
                                               const std::string& directory,
                                               const FormatAndLayout& format,
                                               Manifest& manifest) {
  const DatasetFacts facts = FactsOf(directory, *format.layout, manifest);
  WritingSink sink(storage, directory);
  Status status = Make(storage, facts, format, sink);
  if (status.ok()) status = sink.End();
  if (!status.ok()) {
    sink.RemoveCreated();
    return status;
  }
  manifest.files.insert(manifest.files.end(), sink.files().begin(),
                        sink.files().end());
  std::ranges::sort(manifest.files, {}, &ManifestFile::path);
  return sink.created();
}

Status CheckMetadata(ReadableStorage& storage, const std::string& directory,
                     const FormatAndLayout& format, const Manifest& manifest) {
  const DatasetFacts facts = FactsOf(directory, *format.layout, manifest);
  ComparingSink sink(storage, directory, manifest);
  SHARDINE_RETURN_IF_ERROR(Make(storage, facts, format, sink));
  return sink.End();
}

}  // namespace shardine
