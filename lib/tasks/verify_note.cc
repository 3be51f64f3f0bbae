#include "tasks/verify_note.h"

#include <algorithm>
#include <utility>

#include "base/errno_words.h"
#include "base/sealed_text.h"
#include "tasks/plan_fields.h"
#include "verify/reading_failure.h"

namespace shardine {
namespace {

constexpr std::string_view kVerifiedMagic = "shardine verified 1\n";

// A finding in pieces that a note has.
struct NotedFinding {
  Code code = Code::kCorrupt;
  std::int32_t system_error = 0;
  std::string message;
  Where where;
};

template <typename Fields, typename T, typename Each>
void VisitOptional(Fields& fields, std::optional<T>& value, const Each& each) {
  bool known = value.has_value();
  fields.Flag(known);
  if (!known) return;
  if (!value) value.emplace();
  each(*value);
}

template <typename Fields>
void VisitFinding(Fields& fields, NotedFinding& finding) {
  const auto visit = [&](auto& value) { fields(value); };
  fields.Choice(finding.code, Code::kCancelled);
  fields(finding.system_error);
  fields(finding.message);
  fields(finding.where.path);
  VisitOptional(fields, finding.where.offset, visit);
  VisitOptional(fields, finding.where.record, visit);
  VisitOptional(fields, finding.where.key, visit);
}

// A failure of the system has its words at the end, which follow from the
// number.
std::string WordsOf(const NotedFinding& finding) {
  return finding.system_error == 0
             ? std::string()
             : ": " + std::string(ErrnoWords(finding.system_error));
}

NotedFinding Noted(const Status& finding) {
  NotedFinding noted{.code = finding.code(),
                     .system_error = finding.system_error(),
                     .message = finding.message(),
                     .where = finding.where()};
  const std::string words = WordsOf(noted);
  if (noted.message.ends_with(words)) {
    noted.message.resize(noted.message.size() - words.size());
  }
  return noted;
}

// The same finding as the one that was noted; ok: there is none like that.
Status Found(const NotedFinding& noted) {
  if (noted.code == Code::kOk) return Status();
  if (noted.system_error == 0) {
    return Status(noted.code, noted.message).At(noted.where);
  }
  Status status =
      Status::FromErrno(noted.system_error, noted.message, noted.where.path);
  if (status.code() != noted.code) return Status();
  return std::move(status).At(noted.where);
}

using Counted = std::vector<std::pair<std::string, std::uint64_t>>;

template <typename Fields, typename Sums>
void VisitSums(Fields& fields, Sums& sums) {
  fields(sums.content);
  fields(sums.names);
  fields(sums.bindings);
  fields(sums.counts.unlabelled);
  fields(sums.counts.images);
  fields(sums.counts.deep);
  fields(sums.entry_points.images);
  fields(sums.entry_points.damaged);
  fields.List(sums.ids, [&](auto& id) { fields(id); });
  fields.List(sums.counts.unsupported, [&](auto& kind) {
    fields(kind.kind);
    fields(kind.count);
  });
}

// Names are reasons such as "no-end-marker", which go into texts for people.
bool IsReason(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void WriteOutcome(FieldWriter& fields, const ShardOutcome& outcome) {
  fields.List(outcome.findings, [&](const Status& finding) {
    NotedFinding noted = Noted(finding);
    VisitFinding(fields, noted);
  });
  fields.Flag(outcome.came_wrong);
  fields(outcome.samples);
  fields(outcome.bytes);
  const Counted kept(outcome.kept.begin(), outcome.kept.end());
  fields.List(kept, [&](const auto& reason) {
    fields(reason.first);
    fields(reason.second);
  });
  const ShardSums sums = outcome.findings.empty() ? outcome.sums : ShardSums();
  VisitSums(fields, sums);
  const auto& counts = sums.counts.fields.counts();
  const Counted counted(counts.begin(), counts.end());
  fields.List(counted, [&](const auto& field) {
    fields(field.first);
    fields(field.second);
  });
}

// False: some part of it is impossible.
bool ReadOutcome(FieldReader& fields, ShardOutcome& outcome) {
  bool sound = true;
  fields.List(outcome.findings, [&](Status& finding) {
    NotedFinding noted;
    VisitFinding(fields, noted);
    finding = Found(noted);
    sound = sound && !finding.ok();
  });
  fields.Flag(outcome.came_wrong);
  fields(outcome.samples);
  fields(outcome.bytes);
  Counted kept;
  fields.List(kept, [&](auto& reason) {
    fields(reason.first);
    fields(reason.second);
    sound = sound && IsReason(reason.first);
  });
  outcome.kept = {kept.begin(), kept.end()};
  sound = sound && std::ranges::equal(outcome.kept, kept, [](auto& a, auto& b) {
            return a.first == b.first && a.second == b.second;
          });
  VisitSums(fields, outcome.sums);
  Counted counted;
  fields.List(counted, [&](auto& field) {
    fields(field.first);
    fields(field.second);
  });
  FieldCounts& counts = outcome.sums.counts.fields;
  for (const auto& [name, samples] : counted) counts.Add(name, samples);
  return sound && counts.counts().size() == counted.size();
}

}  // namespace

std::string VerifyNotePath(const OutputFolder& notes, std::size_t shard) {
  return notes.PathOf("shard-" + std::to_string(shard) + ".verified");
}

std::string VerifyNoteText(const VerifyNote& note) {
  std::string text(kVerifiedMagic);
  FieldWriter fields(text);
  fields(note.plan);
  fields(note.shard);
  fields(note.facts);
  WriteOutcome(fields, note.outcome);
  return SealText(std::move(text));
}

std::optional<VerifyNote> ParseVerifyNote(std::string_view text) {
  const auto body = UnsealText(text, kVerifiedMagic);
  if (!body) return std::nullopt;
  VerifyNote note;
  FieldReader fields(AsBytes(*body));
  fields(note.plan);
  fields(note.shard);
  fields(note.facts);
  if (!ReadOutcome(fields, note.outcome) || !fields.done()) return std::nullopt;
  return note;
}

bool CanBe(const ShardOutcome& outcome, const ManifestShard& shard,
           VerifyLevel level) {
  std::uint64_t kept = 0;
  for (const auto& [reason, count] : outcome.kept) {
    if (count == 0 || count > shard.samples - kept) return false;
    kept += count;
  }
  if (kept > 0 && level != VerifyLevel::kDeep) return false;
  if (!ReadingFailure(outcome.findings).ok()) return false;
  const std::uint64_t looked_at =
      level == VerifyLevel::kQuick ? 0 : shard.samples;
  if (level == VerifyLevel::kQuick &&
      (outcome.samples != 0 || outcome.bytes != 0)) {
    return false;
  }
  if (!outcome.findings.empty()) return outcome.sums.ids.empty();
  return outcome.samples == looked_at && outcome.sums.ids.size() == looked_at &&
         outcome.sums.counts.CanBeOf(looked_at);
}

}  // namespace shardine
