#include "shardine/card.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/card_seal.h"
#include "dataset/manifest.h"
#include "io/atomic_file.h"
#include "io/output_folder.h"
#include "io/path_scheme.h"
#include "io/replaced_file.h"
#include "io/storage_for.h"
#include "report/card_facts.h"
#include "report/card_head.h"
#include "report/card_page.h"
#include "report/card_text.h"
#include "report/croissant.h"
#include "shardine/describe.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMostFile = std::uint64_t{1} << 30;  // bytes

struct CardFile {
  std::string name;
  std::string text;
};

// The page is the last: its seal is of the others.
std::vector<CardFile> MakeFiles(const CardFacts& facts) {
  std::vector<CardFile> files(3);
  files[0].name = kChecksumsName;
  for (const DigestedFile& file : facts.files) {
    files[0].text += ChecksumLine(file.sha256, file.path);
  }
  files[1] = {kCroissantName,
              CroissantText(facts, CardDescription(facts), files[0].text)};
  files[2] = {kCardName, CardHead(facts) + CardPage(facts)};
  CardSeal seal;
  for (const CardFile& file : files) {
    seal[file.name] = Xxh3_128(AsBytes(file.text)).ToHex();
  }
  seal[kManifestName] =
      Xxh3_128(AsBytes(SerializeManifest(facts.manifest()))).ToHex();
  files[2].text += SealLine(seal);
  return files;
}

// The card that stands in a folder.
class StandingCard {
 public:
  StandingCard(const OutputFolder& folder, bool overwrite)
      : folder_(folder), overwrite_(overwrite) {}

  // kInvalidArgument: the page was changed, or somebody else wrote it.
  Status Read() {
    for (const char* name : {kCardName, kCroissantName, kChecksumsName}) {
      const std::string path = folder_.PathOf(name);
      SHARDINE_ASSIGN_OR_RETURN(const bool is_there,
                                HasFileToReplace(folder_.storage(), path));
      if (!is_there) continue;
      SHARDINE_ASSIGN_OR_RETURN(texts_[name],
                                ReadFile(folder_.storage(), path, kMostFile));
    }
    const auto page = texts_.find(kCardName);
    if (page == texts_.end()) return Status();
    seal_ = SealOf(page->second);
    if (seal_ && !IsSealed(page->second, *seal_)) seal_ = std::nullopt;
    return seal_ || overwrite_ ? Status() : Refuse(kCardName);
  }

  bool Holds(const CardFile& file) const {
    const auto text = texts_.find(file.name);
    return text != texts_.end() && text->second == file.text;
  }

  // kInvalidArgument: the file is none that a card has left unchanged.
  Status CheckGivesWay(const CardFile& file) const {
    const auto text = texts_.find(file.name);
    if (text == texts_.end() || overwrite_ || file.name == kCardName ||
        Holds(file)) {
      return Status();
    }
    const bool is_own = seal_ && seal_->at(file.name) ==
                                     Xxh3_128(AsBytes(text->second)).ToHex();
    return is_own ? Status() : Refuse(file.name);
  }

 private:
  Status Refuse(const std::string& name) const {
    return Status(Code::kInvalidArgument,
                  "is there and is no unchanged file of a card, which would "
                  "replace it")
        .At({.path = folder_.PathOf(name)});
  }

  const OutputFolder& folder_;
  const bool overwrite_;
  std::map<std::string, std::string> texts_;
  std::optional<CardSeal> seal_;
};

Status WriteFiles(const OutputFolder& folder, const StandingCard& standing,
                  const std::vector<CardFile>& files, CardResult& result) {
  for (const CardFile& file : files) {
    SHARDINE_RETURN_IF_ERROR(standing.CheckGivesWay(file));
  }
  for (const CardFile& file : files) {
    const std::string path = folder.PathOf(file.name);
    if (standing.Holds(file)) {
      result.kept.push_back(path);
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(
        WriteFileAtomically(folder.storage(), path, AsBytes(file.text)));
    result.written.push_back(path);
  }
  return Status();
}

}  // namespace

Result<CardResult> Card(const CardOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  if (options.output.empty() && !SchemeOf(options.dataset).empty()) {
    return Status(Code::kInvalidArgument,
                  "a card of a dataset on a server needs a folder to write to")
        .At({.path = options.dataset});
  }
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.dataset));
  SHARDINE_ASSIGN_OR_RETURN(const auto dataset,
                            DatasetReader::Open(*storage, options.dataset));
  SHARDINE_ASSIGN_OR_RETURN(
      const OutputFolder folder,
      OutputFolder::Of(
          job, options.output.empty() ? dataset->directory() : options.output));
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, folder.Lock());
  StandingCard standing(folder, options.overwrite);
  SHARDINE_RETURN_IF_ERROR(standing.Read());
  SHARDINE_ASSIGN_OR_RETURN(const CardFacts facts,
                            CardFacts::Gather(*dataset, options, job));
  CardResult result{.samples = dataset->manifest().samples(),
                    .files = facts.files.size()};
  for (const DigestedFile& file : facts.files) result.bytes += file.bytes;
  SHARDINE_RETURN_IF_ERROR(
      WriteFiles(folder, standing, MakeFiles(facts), result));
  SHARDINE_RETURN_IF_ERROR(lock.Release());
  return result;
}

OptionList DescribeOptions(CardOptions& card) {
  constexpr char kCard[] = "Card";
  return {{.group = kCard,
           .name = "out",
           .meta = "DIR",
           .value = PathValue(card.output),
           .help = "folder of the card (default: that of the dataset)"},
          {.group = kCard,
           .name = "name",
           .meta = "NAME",
           .value = TextValue(card.name),
           .help = "name of the dataset (default: that of its folder)"},
          {.group = kCard,
           .name = "license",
           .meta = "LICENSE",
           .value = TextValue(card.license),
           .help = "license, as the hub calls it: \"cc-by-4.0\", \"mit\""},
          {.group = kCard,
           .name = "citation",
           .meta = "FILE",
           .value = PathValue(card.citation),
           .help = "text that says how the dataset is cited, BibTeX say"},
          {.group = kCard,
           .name = "overwrite",
           .value = FlagValue(card.overwrite),
           .help = "also over files that were changed, or are no card's"},
          JobsOption(card.threads)};
}

}  // namespace shardine
