#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/checksum.h"
#include "tasks/task_note.h"
#include "tasks/task_traces.h"
#include "tasks/verify_note.h"

// Most mutations break the digest, so the text is also tried with one that
// fits. Traces are JSON without any.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string sealed = text + Xxh3_128(AsBytes(text)).ToHex() + "\n";
  for (const std::string& one : {text, sealed}) {
    const auto note = ParseTaskNote(one);
    if (!note) continue;
    const auto again = ParseTaskNote(TaskNoteText(*note));
    if (!again || *again != *note) std::abort();
  }
  for (const std::string& one : {text, sealed}) {
    const auto note = ParseVerifyNote(one);
    if (!note) continue;
    // Findings have no sums, whatever the text says.
    const std::string plain = VerifyNoteText(*note);
    const auto again = ParseVerifyNote(plain);
    if (!again || VerifyNoteText(*again) != plain) std::abort();
  }
  static_cast<void>(ParseRunningTask(text));
  static_cast<void>(ParseFailedTask(text));
  return 0;
}
