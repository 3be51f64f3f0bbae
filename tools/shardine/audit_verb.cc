#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "shardine/audit.h"
#include "shardine/audit_words.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kAuditExamples[] =
    "shardine audit out --odd --fail-on dark,blurry\n"
    "shardine audit train=photos val=more --near --fail-on leakage\n";

constexpr char kAuditText[] =
    "Finds images that the datasets have more than once, byte for byte: in "
    "two\n"
    "splits (leakage), with different labels (label-conflict), or twice in a\n"
    "split (duplicate). A line for each, tabs between: the findings; then of\n"
    "each sample split, key and class. The indexes give the candidates, whose\n"
    "images are read again and compared. SOURCE is a folder of images that is\n"
    "no dataset, or several: train=DIR val=DIR.\n"
    "\n"
    "With --near, images that look alike are found, too: a line for each "
    "image\n"
    "that samples have in other bytes (pixels), and for each two images that\n"
    "were compared and are alike (near), those of the one first. An image is\n"
    "hashed by PDQ at 64 x 64; where two hashes differ in few of 256 bits, at\n"
    "any flip or quarter turn, the pixels decide: their correlation must be\n"
    "0.606, and 0.004 more for each bit, or 0.95 where one is cut at its "
    "sides.\n"
    "Of 150 edited photos it found, beside a split of up to 50000 samples, "
    "all\n"
    "that were encoded again (JPEG quality 10 to 90), halved, gray, brighter,\n"
    "flipped or cut by 2 % a side, 96 % turned by 2 degrees, 60 % cut by 5 % "
    "a\n"
    "side; between larger splits 27 % cut by 2 %, 18 % turned, none cut by 5 "
    "%.\n"
    "It called none of 11175 pairs of other photos alike. Of 286 pairs known "
    "in\n"
    "CIFAR-10 it finds 160, in 296 test images. So what it does not name may "
    "be\n"
    "a copy all the same. A thread takes a second for some 700 photos of 110 "
    "kB;\n"
    "where variants sz/N exist, the smallest is decoded.\n"
    "\n"
    "With --odd, a line for each odd image follows, by the definitions of\n"
    "CleanVision 0.3.7. Brightness is sqrt(0.241 R^2 + 0.691 G^2 + 0.068 "
    "B^2).\n"
    "  dark              its 99th percentile is below 0.32 of white\n"
    "  light             its 5th percentile is above 0.95 of white\n"
    "  odd_aspect_ratio  the short side is below 0.35 of the long one\n"
    "  low_information   the entropy of the levels is below 3 bits\n"
    "  blurry            few edges and few tones at a long side of 64 pixels\n"
    "  grayscale         one channel\n"
    "  odd_size          sqrt(width * height) is three times the distance of\n"
    "                    the quartiles beyond the nearer quartile of all "
    "images\n"
    "The exact_duplicates and near_duplicates of CleanVision are the copies.\n"
    "Percentiles and entropy are those of a JPEG at the least of its eight "
    "sizes\n"
    "with 64 pixels at the short side.\n";

// A search that takes longer is announced.
constexpr double kLong = 60;  // seconds

// An object has no more images; lines have all.
constexpr std::size_t kMostInJson = 1000;

std::string Word(AuditFinding finding) { return WordOf(finding); }

std::string WordsText(const std::vector<AuditFinding>& findings) {
  std::string text;
  for (const AuditFinding finding : findings) {
    text += (text.empty() ? "" : ",") + Word(finding);
  }
  return text;
}

std::string FindingsText(const CopiedImage& image) {
  const std::string text = WordsText(image.findings);
  if (image.kind != CopyKind::kBytes) {
    return text + "," + WordOf(image.kind);
  }
  return image.is_proved ? text : text + ",unproved";
}

// Names are escaped, so that no key can have a tab or a line break.
std::string Line(std::string line, std::span<const AuditedSample> samples) {
  for (const AuditedSample& sample : samples) {
    line += "\t" + EscapeBytes(sample.split) + "\t" + EscapeBytes(sample.key) +
            "\t" + EscapeBytes(sample.label_text);
  }
  return line + "\n";
}

Json WordsJson(const std::vector<AuditFinding>& findings) {
  Json words = Json::array();
  for (const AuditFinding finding : findings) words.push_back(Word(finding));
  return words;
}

Json SampleJson(const AuditedSample& sample) {
  Json labels = Json::array();
  for (const Label& label : sample.labels) labels.push_back(JsonLabel(label));
  return {{"split", JsonText(sample.split)},
          {"key", JsonText(sample.key)},
          {"id", sample.id},
          {"labels", std::move(labels)},
          {"label_text", JsonText(sample.label_text)}};
}

Json OddJson(const OddImage& image) {
  return {{"findings", WordsJson(image.findings)},
          {"sample", SampleJson(image.sample)}};
}

Json ImageJson(const CopiedImage& image) {
  Json samples = Json::array();
  for (const AuditedSample& sample : image.samples) {
    samples.push_back(SampleJson(sample));
  }
  return {{"findings", WordsJson(image.findings)},
          {"kind", WordOf(image.kind)},
          {"second", image.second},
          {"proved", image.is_proved},
          {"samples", std::move(samples)}};
}

std::string FindingRow(AuditFinding finding, const std::string& said) {
  std::string name = Word(finding);
  name.resize(std::max<std::size_t>(name.size() + 1, 16), ' ');
  return "  " + name + said + "\n";
}

// The findings in the same bytes or, `near`, in images that look alike.
struct FoundCopies {
  std::uint64_t leaking = 0;
  std::uint64_t conflicting = 0;
  std::uint64_t duplicates = 0;
  const std::vector<SplitCopies>& splits;
  bool near = false;
};

std::string FoundText(const FoundCopies& found) {
  const std::string what = found.near ? "finding" : "image";
  std::string text;
  if (found.splits.empty() && found.leaking > 0) {
    text += FindingRow(AuditFinding::kLeakage,
                       FormatCount(found.leaking, what) + " in several splits");
  }
  for (const SplitCopies& copies : found.splits) {
    text += FindingRow(AuditFinding::kLeakage, EscapeBytes(ToString(copies)));
  }
  return text +
         FindingRow(
             AuditFinding::kLabelConflict,
             FormatCount(found.conflicting, what) + " with different labels") +
         FindingRow(AuditFinding::kDuplicate,
                    FormatCount(found.duplicates, "sample") +
                        " like an earlier one of the same split");
}

std::string NotComparedText(const AuditResult& result) {
  std::string text;
  const auto say = [&](std::uint64_t count, const char* noun, const char* why) {
    if (count == 0) return;
    text += "  not compared: " + FormatCount(count, noun) + " " + why + "\n";
  };
  say(result.samples - result.images, "sample",
      "without an image that has a checksum of its own");
  say(result.unread, "image", "that cannot be read");
  for (const Status& problem : result.problems) {
    text += "    " + problem.ToString() + "\n";
  }
  if (result.unread > result.problems.size()) {
    text += "    ... (the first " + std::to_string(result.problems.size()) +
            " are named)\n";
  }
  say(result.unsupported, "image", "of kinds that are not decoded");
  say(result.plain, "image", "with next to nothing in it");
  say(result.cut, "image", "with all that may be like it");
  return text;
}

std::string OddText(const AuditResult& result) {
  std::string text = result.odd.empty() ? "" : "odd images:\n";
  for (const OddCount& count : result.odd) {
    text += FindingRow(count.finding, FormatCount(count.images, "image"));
  }
  return text;
}

std::string Summary(const AuditResult& result, bool near) {
  std::string text = FormatCount(result.samples, "sample") + ", " +
                     FormatBytes(result.bytes) + " of images read again\n" +
                     FoundText({.leaking = result.leaking,
                                .conflicting = result.conflicting,
                                .duplicates = result.duplicates,
                                .splits = result.splits});
  if (result.unproved > 0) {
    text += "  unproved: " + FormatCount(result.unproved, "image") +
            " by checksum and size alone\n";
  }
  if (near) {
    text +=
        "images that look alike: " + FormatCount(result.same_pixels, "image") +
        " in other bytes, " + FormatCount(result.near_pairs, "pair") +
        " alike\n" +
        FoundText({.leaking = result.near_leaking,
                   .conflicting = result.near_conflicting,
                   .duplicates = result.near_duplicates,
                   .splits = result.near_splits,
                   .near = true});
  }
  text += OddText(result) + NotComparedText(result);
  for (const std::string& list : result.lists) {
    text += "  wrote " + EscapeBytes(list) + "\n";
  }
  if (!result.lists.empty()) {
    text += "  left out: " + FormatCount(result.left_out, "sample") + "\n";
  }
  return text;
}

// "comparing the looks of 1281167 images: about 0:35:10".
std::string WorkText(const NearWork& work) {
  return "comparing the looks of " + FormatCount(work.images, "image") +
         ", hashes " + std::to_string(work.comparisons) + " times: about " +
         FormatSeconds(work.seconds) + "\n";
}

class AuditVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET|SOURCE...", 1, 100, kAuditText, kAuditExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override { return DescribeOptions(audit_); }

  void Declare(Options& options) override {
    options.BeginGroup("Checks");
    options.Parsed(
        "fail-on", "FINDING[,...]",
        [this](const std::string& text) { return TakeFailures(text); },
        "exit with 8 if there are any: leakage, label-conflict, duplicate, "
        "with `near` also of images that look alike; with `odd` dark, light, "
        "odd_aspect_ratio, low_information, blurry, grayscale, odd_size");
    options.BeginGroup("Output");
    options.Flag("json", json_,
                 "print the counts and the first 1000 images (and the first "
                 "1000 odd ones) as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    audit_.datasets = operands;
    const Status checked = CheckFailures();
    if (!checked.ok()) return checked;
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "looking at " + EscapeBytes(operands[0]) +
            (operands.size() > 1 ? " and others ..." : " ..."),
        "auditing");
    audit_.near_begins = [](const NearWork& work) {
      if (work.seconds >= kLong) std::fputs(WorkText(work).c_str(), stderr);
    };
    Json images = Json::array();
    const auto show = [&](const CopiedImage& image) {
      if (json_) {
        if (images.size() < kMostInJson) images.push_back(ImageJson(image));
        return Status();
      }
      progress.Stop();  // lines that may go to the same terminal
      return output.Write(Line(FindingsText(image), image.samples));
    };
    Json odd = Json::array();
    audit_.visit_odd = [&](const OddImage& image) {
      if (json_) {
        if (odd.size() < kMostInJson) odd.push_back(OddJson(image));
        return Status();
      }
      progress.Stop();
      return output.Write(
          Line(WordsText(image.findings), std::span(&image.sample, 1)));
    };
    const auto result = Audit(
        audit_, show,
        {.progress = progress.function(), .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written = output.Write(
        json_ ? JsonLine(ResultJson(*result, std::move(images), std::move(odd)))
              : Summary(*result, audit_.near));
    if (!written.ok()) return written;
    const bool fails = std::ranges::any_of(
        fail_on_, [&](AuditFinding finding) { return result->has(finding); });
    return fails                ? ExitCode::kFindings
           : result->unread > 0 ? ExitCode::kRejected
                                : ExitCode::kDone;
  }

 private:
  Status TakeFailures(const std::string& text) {
    std::vector<std::string> words;
    Status status = NamesValue(words).set(text);
    for (const std::string& word : words) {
      if (!status.ok()) break;
      AuditFinding finding = AuditFinding::kLeakage;
      status = WordValue(finding).set(word);
      fail_on_.push_back(finding);
    }
    return status;
  }

  // A check for odd images that never looks for them passes always.
  Status CheckFailures() const {
    for (const AuditFinding finding : fail_on_) {
      if (!audit_.odd &&
          std::ranges::find(kOddFindings, finding) != std::end(kOddFindings)) {
        return Status(Code::kInvalidArgument,
                      "--fail-on " + Word(finding) + " needs --odd");
      }
    }
    return Status();
  }

  static Json ResultJson(const AuditResult& result, Json images, Json odd) {
    Json odd_counts = Json::object();
    for (const OddCount& count : result.odd) {
      odd_counts[Word(count.finding)] = count.images;
    }
    Json problems = Json::array();
    for (const Status& problem : result.problems) {
      problems.push_back(JsonText(problem.ToString()));
    }
    return {{"samples", result.samples},
            {"images", result.images},
            {"bytes", result.bytes},
            {"leaking", result.leaking},
            {"conflicting", result.conflicting},
            {"duplicates", result.duplicates},
            {"unproved", result.unproved},
            {"splits", CopiesJson(result.splits)},
            {"same_pixels", result.same_pixels},
            {"near_pairs", result.near_pairs},
            {"near_leaking", result.near_leaking},
            {"near_conflicting", result.near_conflicting},
            {"near_duplicates", result.near_duplicates},
            {"near_splits", CopiesJson(result.near_splits)},
            {"odd_counts", std::move(odd_counts)},
            {"unread", result.unread},
            {"problems", std::move(problems)},
            {"unsupported", result.unsupported},
            {"plain", result.plain},
            {"cut", result.cut},
            {"left_out", result.left_out},
            {"lists", PathsJson(result.lists)},
            {"copies", std::move(images)},
            {"odd", std::move(odd)}};
  }

  AuditOptions audit_;
  std::vector<AuditFinding> fail_on_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeAuditVerb() { return std::make_unique<AuditVerb>(); }

}  // namespace shardine
