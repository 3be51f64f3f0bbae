#include "im2rec/left_out.h"

#include <cerrno>
#include <string_view>

#include "cli/json_text.h"
#include "shardine/escape.h"
#include "shardine/image_check.h"
#include "shardine/pack_words.h"

namespace shardine {

namespace {

constexpr std::string_view kUnreadable = "unreadable";

// Errors of the system about one file only. A lack of descriptors or memory
// would make every image bad.
bool IsAboutOneFile(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENXIO:
    case EIO:
    case ENAMETOOLONG:
      return true;
    default:
      return false;
  }
}

// "REASON: DETAIL" of an image that does not decode. A reason is one word: a
// text with blanks is the sentence about a file that shrank while it was read.
LeftOut Damaged(const Status& failure) {
  const std::string& message = failure.message();
  const std::size_t colon = message.find(": ");
  const bool is_word = colon < message.find(' ');
  LeftOut left_out{std::string(kUnreadable), message};
  if (is_word) {
    left_out = {message.substr(0, colon), message.substr(colon + 2)};
  }
  if (const auto offset = failure.where().offset) {
    left_out.detail =
        "byte " + std::to_string(*offset) + ": " + left_out.detail;
  }
  return left_out;
}

}  // namespace

std::optional<LeftOut> LeftOutFor(ReadableStorage& storage,
                                  const std::string& path,
                                  const Status& failure) {
  const std::string& message = failure.message();
  switch (failure.code()) {
    case Code::kCorrupt:
      return Damaged(failure);
    case Code::kNotFound:
      return LeftOut{"missing", message};
    case Code::kUnsupported: {
      const Result<FileInfo> info = storage.Stat(path);
      const bool is_file = info.ok() && info->kind == FileKind::kRegular;
      return LeftOut{is_file ? "too-large" : "not-a-file", message};
    }
    default:
      break;
  }
  if (!IsAboutOneFile(failure.system_error())) return std::nullopt;
  const bool loop = failure.system_error() == ELOOP;
  return LeftOut{loop ? "link-loop" : std::string(kUnreadable), message};
}

std::string ReportLine(const LeftOut& left_out, const LeftOutLine& at) {
  Json line = {{"action", WordOf(OnBad::kSkip)},
               {"detail", EscapeBytes(left_out.detail)}};
  if (at.id) line["id"] = *at.id;
  line["key"] = JsonText(at.key);
  line["line"] = at.line;
  line["reason"] = left_out.reason;
  return JsonLine(line);
}

}  // namespace shardine
