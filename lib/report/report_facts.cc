#include "report/report_facts.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>
#include <utility>

#include "base/status_macros.h"
#include "dataset/ignored.h"
#include "dataset/index_walk.h"
#include "dataset/located_samples.h"
#include "dataset/server_cache.h"
#include "io/storage_for.h"
#include "report/page_text.h"
#include "report/thumbnails.h"
#include "shard/payload.h"
#include "shardine/escape.h"
#include "shardine/sample.h"
#include "source/line_reader.h"

namespace shardine {
namespace {

constexpr std::size_t kMostPictured = 60;  // images that were found
constexpr std::size_t kMostFiles = 2000;   // rejected ones, and ignored ones

// An image that is read to be shown.
struct WantedImage {
  LocatedSample sample;
  std::size_t shard = 0;
  std::optional<std::size_t> shown;  // into ReportFacts::shown
  std::optional<std::size_t> found;  // else into ReportFacts::found
};

// Goes through the indexes, then through the images that are shown.
class Survey {
 public:
  Survey(ReportFacts& facts, const Job& job)
      : facts_(facts), job_(job), manifest_(facts.manifest()) {}

  Status ReadIndexes(const ReportOptions& options) {
    facts_.classes = std::make_unique<ClassTable>(manifest_.classes,
                                                  manifest_.splits.size());
    ShownChoice choice(
        options.seed,
        EqualShares(StrataSizes(), static_cast<std::size_t>(options.samples),
                    options.seed));
    NoteFound();
    std::size_t shard = 0;
    const auto read = [&](const DatasetReader::ShardRef& ref,
                          const ShardIndex& index) -> Result<bool> {
      SHARDINE_RETURN_IF_ERROR(ReadIndex(ref, index, shard++, choice));
      return true;
    };
    const DatasetReader& dataset = *facts_.dataset;
    SHARDINE_RETURN_IF_ERROR(dataset.ForEachIndex(dataset.shards(), read));
    TakeShown(choice);
    return Status();
  }

  // A damaged image is shown as that, and ends nothing.
  Status ReadImages() {
    // Findings come first, should there be room for few thumbnails.
    std::ranges::sort(wanted_, {}, [](const WantedImage& image) {
      return std::tuple(image.shown.has_value(), image.shard,
                        image.sample.record);
    });
    std::vector<LocatedSample> samples;
    for (const WantedImage& image : wanted_) samples.push_back(image.sample);
    const std::vector<std::string> fields = {std::string(kImageField)};
    std::size_t done = 0;
    const auto take = [&](std::size_t, const SampleRead& read) {
      TakeImage(wanted_[done++], read);
      if (job_.progress) {
        job_.progress({.samples = done, .samples_total = wanted_.size()});
      }
      return Status();
    };
    while (done < samples.size()) {
      const Status status = ReadLocated(
          *facts_.dataset, std::span(samples).subspan(done), &fields, take);
      if (status.ok()) break;
      if (status.code() != Code::kCorrupt &&
          status.code() != Code::kUnsupported) {
        return status;
      }
      ++facts_.damaged;
      SayProblem(wanted_[done++], status);
    }
    return Status();
  }

 private:
  // The samples of each class, and those without one.
  std::vector<std::uint64_t> StrataSizes() const {
    std::vector<std::uint64_t> sizes;
    std::uint64_t without = manifest_.samples();
    for (const ClassInfo& info : manifest_.classes) {
      sizes.push_back(info.count);
      without -= std::min(without, info.count);
    }
    sizes.push_back(without);
    return sizes;
  }

  // By split and id, the image in `found`.
  void NoteFound() {
    const std::size_t count = std::min(facts_.found.size(), kMostPictured);
    facts_.found_pictures.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const FoundImage& image = facts_.found[i];
      found_[{image.split, image.samples[0].id}] = i;
    }
  }

  Status ReadIndex(const DatasetReader::ShardRef& ref, const ShardIndex& index,
                   std::size_t shard, ShownChoice& choice) {
    const auto split =
        static_cast<std::size_t>(ref.split - manifest_.splits.data());
    SHARDINE_RETURN_IF_ERROR(
        WalkIndex(index, [&](std::uint64_t record, const IndexEntry& entry,
                             const std::string& key) {
          facts_.tally.Add(entry);
          const IndexField* const image = ImageFieldOf(entry);
          const bool is_there = image != nullptr && HasExtents(*image);
          const ChosenSample sample{
              .split = split,
              .shard = shard,
              .record = record,
              .bytes = is_there ? FieldBytes(*image) : 0,
              .row = facts_.classes->Add(split, entry.labels)};
          choice.Offer(sample, key);
          const auto found = found_.find(std::pair(ref.split->name, entry.id));
          if (found != found_.end() && is_there) {
            Want(sample, {}, found->second);
          }
          return Status();
        }));
    samples_ += ref.shard->samples;
    if (job_.progress) {
      job_.progress(
          {.samples = samples_, .samples_total = manifest_.samples()});
    }
    return Status();
  }

  void TakeShown(ShownChoice& choice) {
    for (ChosenSample& sample : choice.Take()) {
      const std::size_t number = facts_.shown.size();
      if (sample.bytes > 0) Want(sample, number, {});
      facts_.shown.push_back({.chosen = std::move(sample)});
      if (facts_.shown.back().chosen.bytes == 0) {
        facts_.shown.back().problem = "no image that the shard has as such";
      }
    }
  }

  void Want(const ChosenSample& sample, std::optional<std::size_t> shown,
            std::optional<std::size_t> found) {
    wanted_.push_back(
        {.sample = {.shard = &facts_.dataset->shards()[sample.shard],
                    .record = sample.record,
                    .bytes = sample.bytes},
         .shard = sample.shard,
         .shown = shown,
         .found = found});
  }

  void TakeImage(const WantedImage& wanted, const SampleRead& read) {
    for (const FieldView& field : FieldsOf(read.entry, read.payload)) {
      if (field.name != kImageField) continue;
      if (wanted.shown) {
        ShownSample& shown = facts_.shown[*wanted.shown];
        shown.id = read.entry.id;
        shown.facts = read.entry.facts;
        shown.quality = JpegQualityOf(field.bytes);
        facts_.tally.AddBytes(field.bytes);
      }
      const auto picture =
          field.dtype == kBytesDtype
              ? thumbnails_.Make(field.bytes)
              : Status(Code::kUnsupported, "an array is not drawn");
      if (!picture.ok()) {
        facts_.damaged += picture.status().code() == Code::kCorrupt ? 1 : 0;
        SayProblem(wanted, picture.status());
        continue;
      }
      (wanted.shown ? facts_.shown[*wanted.shown].picture
                    : facts_.found_pictures[*wanted.found]) =
          facts_.pictures.size();
      facts_.pictures.push_back(Base64(*picture));
    }
  }

  void SayProblem(const WantedImage& wanted, const Status& status) {
    if (!wanted.shown) return;
    facts_.shown[*wanted.shown].problem = PageName(status.message());
  }

  ReportFacts& facts_;
  const Job& job_;
  const Manifest& manifest_;
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> found_;
  std::vector<WantedImage> wanted_;
  std::uint64_t samples_ = 0;
  Thumbnails thumbnails_;
};

// Empty: the line has no such text.
std::string TextOfLine(const nlohmann::json& line, const char* name) {
  const auto found = line.is_object() ? line.find(name) : line.end();
  const bool has_text =
      line.is_object() && found != line.end() && found->is_string();
  return has_text ? found->get<std::string>() : std::string();
}

// The first lines of ignored.jsonl; keys are escaped there already.
Status ReadIgnored(ReadableStorage& storage, const std::string& path,
                   std::vector<LeftOutFile>& ignored) {
  const auto file = storage.Open(path);
  if (file.status().code() == Code::kNotFound) return Status();
  if (!file.ok()) return file.status();
  LineReader lines(**file);
  while (ignored.size() < kMostFiles) {
    SHARDINE_ASSIGN_OR_RETURN(const auto line, lines.Next());
    if (!line) break;
    const auto object = nlohmann::json::parse(line->text, nullptr, false);
    ignored.push_back(
        {.key = UnescapeBytes(TextOfLine(object, "key")).value_or(""),
         .reason = TextOfLine(object, "reason"),
         .split = TextOfLine(object, "split")});
  }
  return Status();
}

// Reads the files that became no sample, as the dataset lists them.
Status ReadLeftOut(ReportFacts& facts) {
  ReadableStorage& storage = facts.dataset->storage();
  const std::string& folder = facts.dataset->directory();
  auto rejects = ReadRejects(storage, JoinPath(folder, kRejectedName));
  if (rejects.ok()) {
    facts.rejects = *std::move(rejects);
    facts.rejects.resize(std::min(facts.rejects.size(), kMostFiles));
  } else if (rejects.status().code() != Code::kNotFound) {
    return rejects.status();
  }
  return ReadIgnored(storage, JoinPath(folder, kIgnoredName), facts.ignored);
}

}  // namespace

Result<ReportFacts> ReportFacts::Gather(const ReportOptions& options,
                                        const Job& job) {
  ReportFacts facts;
  facts.path = options.dataset;
  facts.seed = options.seed;
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.dataset));
  SHARDINE_ASSIGN_OR_RETURN(facts.dataset,
                            DatasetReader::Open(*storage, options.dataset));
  SHARDINE_RETURN_IF_ERROR(UseServerCache(*facts.dataset));
  FoundCopies found;
  const auto add = [&](const CopiedImage& image) {
    found.Add(image);
    return Status();
  };
  SHARDINE_ASSIGN_OR_RETURN(facts.audit,
                            Audit({.datasets = {options.dataset}}, add, job));
  facts.found = found.Images();
  facts.pairs = found.Pairs();
  Survey survey(facts, job);
  SHARDINE_RETURN_IF_ERROR(survey.ReadIndexes(options));
  SHARDINE_RETURN_IF_ERROR(survey.ReadImages());
  SHARDINE_RETURN_IF_ERROR(ReadLeftOut(facts));
  return facts;
}

}  // namespace shardine
