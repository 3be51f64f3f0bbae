#include "report/verdict.h"

#include <algorithm>
#include <functional>

#include "report/page_text.h"

namespace shardine {
namespace {

// The worst case of a kind stays below the mildest of the kind before.
constexpr double kNote = 0;
constexpr double kCopies = 1;
constexpr double kLacks = 2;
constexpr double kDamage = 3;
constexpr double kConflict = 4;
constexpr double kLeak = 5;

double WeighedBy(double kind, std::uint64_t count, std::uint64_t of) {
  const double share =
      of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  return kind + std::min(share, 1.0) * 0.99;
}

// Splits in stored order whose neighbours are mostly of one class.
constexpr double kSorted = 0.5;

void AddLeaks(const ReportFacts& facts, std::vector<ReportProblem>& problems) {
  for (const SplitCopies& pair : facts.audit.splits) {
    if (pair.copies == 0) continue;
    problems.push_back({.kind = "leakage",
                        .weight = WeighedBy(kLeak, pair.copies, pair.samples),
                        .split = PageName(pair.split),
                        .other = PageName(pair.other),
                        .count = pair.copies,
                        .of = pair.samples});
  }
  // Pairs of very many splits are not counted.
  if (facts.audit.splits.empty() && facts.audit.leaking > 0) {
    problems.push_back({.kind = "leakage-somewhere",
                        .weight = kLeak,
                        .count = facts.audit.leaking,
                        .of = facts.audit.samples});
  }
}

void AddOfSplits(const ReportFacts& facts,
                 std::vector<ReportProblem>& problems) {
  const ClassTable& classes = *facts.classes;
  const auto& splits = facts.manifest().splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const ReportProblem problem{.split = PageName(splits[i].name)};
    if (const std::uint64_t missing = classes.missing(i); missing > 0) {
      ReportProblem lacks = problem;
      lacks.kind = "missing-classes";
      lacks.count = missing;
      lacks.of = classes.classes().size();
      lacks.weight = WeighedBy(kLacks, lacks.count, lacks.of);
      problems.push_back(std::move(lacks));
    }
    const auto mixing = classes.mixing(i);
    if (mixing && *mixing < kSorted && splits[i].samples > 100) {
      ReportProblem sorted = problem;
      sorted.kind = "sorted";
      sorted.count = static_cast<std::uint64_t>(*mixing * 100);
      sorted.of = 100;
      sorted.weight = kNote;
      problems.push_back(std::move(sorted));
    }
  }
}

void AddCount(const char* kind, double weight, std::uint64_t count,
              std::uint64_t of, std::vector<ReportProblem>& problems) {
  if (count == 0) return;
  problems.push_back({.kind = kind,
                      .weight = WeighedBy(weight, count, of),
                      .count = count,
                      .of = of});
}

}  // namespace

Verdict VerdictOf(const ReportFacts& facts) {
  const AuditResult& audit = facts.audit;
  Verdict verdict;
  std::vector<ReportProblem>& problems = verdict.problems;
  AddLeaks(facts, problems);
  AddCount("label-conflict", kConflict, audit.conflicting, audit.samples,
           problems);
  AddCount("damaged", kDamage, facts.damaged, facts.shown.size(), problems);
  AddOfSplits(facts, problems);
  AddCount("duplicate", kCopies, audit.duplicates, audit.samples, problems);
  AddCount("not-compared", kCopies, audit.samples - audit.images, audit.samples,
           problems);
  std::ranges::stable_sort(problems, std::greater<>(), &ReportProblem::weight);
  const double worst = problems.empty() ? 0 : problems.front().weight;
  const bool is_partial =
      worst >= kLacks || audit.images < audit.samples || audit.unproved > 0;
  verdict.answer = facts.manifest().splits.size() < 2 ? ReportAnswer::kOneSplit
                   : audit.leaking > 0                ? ReportAnswer::kNo
                   : is_partial                       ? ReportAnswer::kPartly
                                                      : ReportAnswer::kYes;
  return verdict;
}

}  // namespace shardine
