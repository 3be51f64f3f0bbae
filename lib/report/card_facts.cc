#include "report/card_facts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_format.h"
#include "io/storage_for.h"
#include "pipeline/processor_share.h"
#include "shard/archive_format.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMostCitation = std::uint64_t{1} << 20;  // bytes
constexpr std::size_t kMostMembers = 200;  // groups that are looked at

// The extension of an archived file of this name.
std::string ExtensionOfName(const std::string& name) {
  const std::size_t dot = name.find('.', name.rfind('/') + 1);
  return dot == name.npos ? "" : name.substr(dot + 1);
}

// Extensions whose files programs decode as text.
bool IsText(const std::string& extension) {
  return extension == "txt" || extension == "text" || extension == "transcript";
}

// Finds the names of samples in archives, by one look at each kind.
class MemberSearch {
 public:
  MemberSearch(const DatasetReader& dataset, const FormatAndLayout& format)
      : dataset_(dataset),
        format_(format),
        archive_(FindArchiveFormat(format.format->name)) {}

  // Whether other programs take the shards for archives.
  bool IsPossible() const {
    const auto is_archive = [&](const DatasetReader::ShardRef& ref) {
      const std::string& path = ref.shard->file.path;
      return path.ends_with(format_.format->suffix) && !path.starts_with("../");
    };
    return archive_ != nullptr &&
           std::ranges::all_of(dataset_.shards(), is_archive);
  }

  Status Look(const DatasetReader::ShardRef& ref, const IndexEntry& entry,
              const std::string& key) {
    for (const IndexField& field : entry.fields) {
      const bool is_image = field.name == kImageField;
      const bool is_plain = field.dtype == kBytesDtype &&
                            !field.extents.empty() &&
                            field.extents[0].offset != kNowhere;
      if (!is_plain || looked_.size() > kMostMembers) continue;
      const std::string of_key = is_image ? ExtensionOfName(key) : "";
      const auto kind = is_image ? entry.facts.kind : ImageKind::kUnknown;
      if (!looked_.emplace(field.name, kind, of_key).second) continue;
      SHARDINE_ASSIGN_OR_RETURN(const auto shard, dataset_.OpenShard(ref));
      SHARDINE_ASSIGN_OR_RETURN(
          std::string name,
          archive_->member_extension_at(*shard, field.extents[0].offset));
      // A long name is the name of the key.
      if (name.empty()) name = of_key;
      if (!name.empty() && (is_image || IsText(name))) {
        found_.insert({name, is_image ? PublicField::Kind::kImage
                                      : PublicField::Kind::kText});
      }
    }
    return Status();
  }

  // A list may have given labels that no archive has.
  Status LookForLabel() {
    for (const DatasetReader::ShardRef& ref : dataset_.shards()) {
      if (ref.shard->samples == 0) continue;
      SHARDINE_ASSIGN_OR_RETURN(const auto shard, dataset_.OpenShard(ref));
      SHARDINE_ASSIGN_OR_RETURN(const auto scanner,
                                format_.OpenScanner(*shard));
      SHARDINE_ASSIGN_OR_RETURN(const auto sample, scanner->Next());
      if (sample && sample->labels.size() == 1 &&
          sample->labels[0].is_integer()) {
        found_.insert({std::string(archive_->label_extension),
                       PublicField::Kind::kLabel});
      }
      break;
    }
    return Status();
  }

  std::set<PublicField> Take() { return std::move(found_); }

 private:
  const DatasetReader& dataset_;
  const FormatAndLayout& format_;
  const ArchiveFormat* const archive_;  // null: shards are none
  std::set<std::tuple<std::string, ImageKind, std::string>> looked_;
  std::set<PublicField> found_;
};

// The last part of a path that is a name.
std::string NameOf(const std::string& directory) {
  const std::string name = FileNameOf(directory);
  return name.empty() || name == "." || name == ".." ? "dataset" : name;
}

}  // namespace

Result<CardFacts> CardFacts::Gather(const DatasetReader& dataset,
                                    const CardOptions& options,
                                    const Job& job) {
  CardFacts facts;
  facts.dataset = &dataset;
  facts.name =
      options.name.empty() ? NameOf(dataset.directory()) : options.name;
  facts.license = options.license;
  if (!options.citation.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageFor(job, options.citation));
    SHARDINE_ASSIGN_OR_RETURN(
        facts.citation, ReadFile(*storage, options.citation, kMostCitation));
  }
  SHARDINE_ASSIGN_OR_RETURN(facts.format, FormatOf(dataset, job.formats));
  MemberSearch search(dataset, facts.format);
  const bool may_be_archive = search.IsPossible();
  VisitEntry look;
  if (may_be_archive) {
    look = [&](const DatasetReader::ShardRef& ref, const IndexEntry& entry,
               const std::string& key) { return search.Look(ref, entry, key); };
  }
  SHARDINE_ASSIGN_OR_RETURN(facts.splits, ReadContents(dataset, look));
  if (may_be_archive) SHARDINE_RETURN_IF_ERROR(search.LookForLabel());
  facts.members = search.Take();
  SHARDINE_ASSIGN_OR_RETURN(
      facts.files, DigestFiles(dataset, ThreadCount(options.threads), job));
  return facts;
}

bool CardFacts::is_classified() const {
  return !manifest().classes.empty() &&
         std::ranges::all_of(splits, [](const SplitContents& split) {
           return split.one_class == split.samples;
         });
}

SplitContents CardFacts::contents() const {
  SplitContents all;
  for (const SplitContents& split : splits) all.Add(split);
  return all;
}

}  // namespace shardine
