#include "dataset/bad_images.h"

#include <utility>

#include "io/atomic_file.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

// A message names at most so many bad images after the first.
constexpr std::size_t kNamed = 5;

// "a.jpg (empty), b.jpg (cut) and 7 more": those after the first.
std::string Others(const std::vector<Reject>& found) {
  std::string text;
  for (std::size_t i = 1; i < found.size() && i <= kNamed; ++i) {
    text += (i == 1 ? ": also " : ", ") + EscapeBytes(found[i].key) + " (" +
            found[i].reason + ")";
  }
  if (found.size() > kNamed + 1) {
    text += " and " + std::to_string(found.size() - kNamed - 1) + " more";
  }
  return text;
}

Status WithMessage(const Status& status, const std::string& more) {
  return Status(status.code(), status.message() + more).At(status.where());
}

}  // namespace

Status SayOthers(Storage& storage, const std::string& path,
                 std::vector<Reject> bad, const Status& looked,
                 const Status& first) {
  std::string lines;
  for (Reject& reject : bad) {
    reject.action = WordOf(OnBad::kFail);
    lines += RejectLine(reject);
  }
  const Status written = WriteFileAtomically(storage, path, AsBytes(lines));
  if (!looked.ok()) {
    const std::size_t others = bad.size() - (bad.empty() ? 0 : 1);
    return WithMessage(first, "; " + std::to_string(others) +
                                  " more were found before this: " +
                                  looked.ToString() + Others(bad));
  }
  if (bad.size() <= 1) return WithMessage(first, "; no other image is bad");
  std::string more =
      "; the first of " + std::to_string(bad.size()) + " bad images";
  if (written.ok()) more += ", listed in " + EscapeBytes(path);
  return WithMessage(first, more + Others(bad));
}

}  // namespace shardine
