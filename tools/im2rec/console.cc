#include "im2rec/console.h"

#include "shardine/escape.h"

namespace shardine {

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

void Console::ReportPacked(const std::string& rec,
                           const PackedList& packed) const {
  out << PrintableLine(EscapeBytes(rec)) << ": "
      << std::to_string(packed.records) << " records, "
      << std::to_string(packed.bytes) << " bytes\n";
  if (packed.empty == 0) return;
  Note(EscapeBytes(rec) + ": " + std::to_string(packed.empty) +
       " of the records hold an empty file");
}

}  // namespace shardine
