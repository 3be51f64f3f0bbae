// The head of an answer, whatever it says, gives no more bytes than were asked
// for, and no byte of another object. The first byte chooses the request.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "remote/http_answer.h"

namespace shardine {
namespace {

constexpr std::uint64_t kObject = 1000;

HttpQuestion QuestionOf(std::uint8_t choice) {
  HttpQuestion question{.ask = static_cast<Ask>(choice % 4),
                        .first = 0,
                        .size = std::uint64_t{choice} * 4 + 1};
  if (question.ask != Ask::kRange) return question;
  question.first = choice;
  question.size = kObject - choice;
  question.facts = {.size = kObject, .etag = "\"tag\""};
  return question;
}

void Check(const HttpQuestion& question, const HttpAnswer& answer) {
  const HttpAnswer::Verdict verdict = answer.Judge(question);
  if (!verdict.wrong.empty()) return;
  SHARDINE_CHECK(question.ask == Ask::kFacts || verdict.body <= question.size);
  if (question.ask != Ask::kRange) return;
  SHARDINE_CHECK(verdict.body == question.size);
  SHARDINE_CHECK(verdict.facts.size == kObject);
  const bool is_same =
      verdict.facts.etag.empty() || verdict.facts.etag == question.facts.etag;
  SHARDINE_CHECK(is_same && !verdict.changed);
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  HttpAnswer answer;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t line = end == text.npos ? text.size() : end + 1;
    if (!answer.AddLine(text.substr(0, line))) return 0;
    text.remove_prefix(line);
  }
  // Values that are read from it by themselves.
  static_cast<void>(answer.date());
  static_cast<void>(answer.retry_after());
  SHARDINE_CHECK(answer.words().size() <= 4 * 64);  // each as \xHH
  // Only such are judged.
  if (answer.status() == 200 || answer.status() == 206) {
    Check(QuestionOf(data[0]), answer);
  }
  return 0;
}
