#include "im2rec/console.h"

#include <chrono>
#include <optional>

#include "cli/progress_reporter.h"
#include "im2rec/record_file.h"
#include "shardine/escape.h"

namespace shardine {

namespace {

constexpr std::chrono::seconds kQuiet(1);

std::string Lines(const NotedLines& lines) {
  const std::string first = "line " + std::to_string(lines.first);
  if (lines.count == 1) return first;
  return std::to_string(lines.count) + " lines, first in " + first;
}

}  // namespace

void Console::NoteWithoutEffect(const std::vector<std::string>& options,
                                std::string_view when) const {
  if (options.empty()) return;
  std::string text;
  for (const std::string& option : options) {
    if (!text.empty()) text += ", ";
    text += option;
  }
  Note(text.append(": no effect ").append(when));
}

Result<ExitCode> Console::Pack(Storage& storage, ListPacking packing) const {
  const std::string list = EscapeBytes(packing.list);
  const std::string rec = EscapeBytes(packing.rec);
  std::optional<ProgressReporter> reporter;
  const auto begin = std::chrono::steady_clock::now();
  // Scripts take a quick run that says anything for one that has a complaint.
  const auto report = [&](const Progress& now) {
    if (reporter) return reporter->Report(now);
    if (std::chrono::steady_clock::now() - begin < kQuiet) return;
    reporter.emplace("packing the images of " + list + " ...", "packing");
    reporter->Report(now);
  };
  if (progress) packing.progress = report;
  packing.note = [this](const std::string& text) { Note(text); };
  const Result<PackedList> packed = PackList(storage, packing);
  if (reporter) reporter->Stop();
  if (!packed.ok()) return packed.status();
  out << PrintableLine(rec) << ": " << std::to_string(packed->records)
      << " records, " << std::to_string(packed->bytes) << " bytes\n";
  if (packed->empty > 0) {
    Note(rec + ": " + std::to_string(packed->empty) +
         " of the records hold an empty file");
  }
  if (const NotedLines& lines = packed->dropped; lines.count > 0) {
    Note(list + ": labels after the first are dropped, as always without " +
         "pack-label, in " + Lines(lines));
  }
  if (const NotedLines& lines = packed->rounded; lines.count > 0) {
    Note(list + ": float32 rounds a label in " + Lines(lines) + ": " +
         lines.example);
  }
  if (packed->rejected == 0) return ExitCode::kDone;
  Note(list + ": " + std::to_string(packed->rejected) +
       " of its lines are left out; " + EscapeBytes(ReportPath(packing.rec)) +
       " says which and why");
  return ExitCode::kRejected;
}

}  // namespace shardine
