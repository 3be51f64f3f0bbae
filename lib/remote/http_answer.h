// The facts in a server's answer, and whether it is an answer to the request.
// Nothing here knows of connections.
#ifndef SHARDINE_REMOTE_HTTP_ANSWER_H_
#define SHARDINE_REMOTE_HTTP_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

// "bytes 0-99/1000". `first` > `last`: "bytes */1000".
struct ContentRange {
  std::uint64_t first = 1;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total;  // nullopt: "*"
};
// nullopt: the text is no Content-Range.
std::optional<ContentRange> ParseContentRange(std::string_view text);

// Seconds, or a date of any of HTTP's three forms; in seconds from `now`, which
// is in seconds since 1970 as the server's clock has it. A date that is past is
// 0. nullopt for any other text.
std::optional<std::uint64_t> ParseRetryAfter(std::string_view text,
                                             std::int64_t now);

// A date of any of HTTP's three forms, in seconds since 1970. nullopt: the text
// is no date.
std::optional<std::int64_t> ParseHttpDate(std::string_view text);

// The facts of an object in its first answer. Each later answer has to agree.
struct ObjectFacts {
  std::uint64_t size = 0;
  std::string etag = {};      // as the server writes it, with its quotes
  std::string modified = {};  // Last-Modified, compared where there is no ETag
  std::string mark = {};      // x-amz-meta-shardine: its writer's mark
};

// Can be sent as If-Match: it promises equal bytes.
bool IsStrong(std::string_view etag);

enum class Ask : std::uint8_t {
  kFacts,  // HEAD
  kFirst,  // the first bytes of an object nothing is known of
  kRange,  // bytes of an object whose facts are known
  kWhole,  // the body of the answer, of `size` bytes at most
};

// One request for bytes [first, first + size).
struct HttpQuestion {
  Ask ask = Ask::kFacts;
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  ObjectFacts facts = {};  // of kRange
};

// The head of an answer, line by line.
class HttpAnswer {
 public:
  // With or without its line end. A status line begins a new answer, as after a
  // redirect. False: the head is larger than any server's has to be.
  bool AddLine(std::string_view line);

  int status() const { return status_; }
  const std::string& request_id() const { return request_id_; }
  // Where S3 has the bucket; empty: the answer does not say it.
  const std::string& region() const { return region_; }
  // By the server's clock, in seconds since 1970.
  std::optional<std::int64_t> date() const;
  // In seconds; nullopt: the server said none.
  std::optional<std::uint64_t> retry_after() const;
  // At most 64 bytes of the status line, for people: "503 Slow Down".
  const std::string& words() const { return words_; }

  // An object without bytes has no range either, and some servers say so.
  bool IsOfEmptyObject() const;

  // After the head: how an answer with status 200 or 206 to `question`
  // disagrees with it, in words; empty if it does not. Then `body` is how many
  // bytes of body belong to it and `facts` the object's facts in the answer.
  struct Verdict {
    std::string wrong = {};
    bool changed = false;  // `wrong`: it is another object than before
    std::uint64_t body = 0;
    bool at_most = false;  // `body`: it may have fewer, and does not say
    ObjectFacts facts = {};
  };
  Verdict Judge(const HttpQuestion& question) const;

 private:
  ObjectFacts Facts(std::uint64_t size) const;
  Verdict JudgeRange(const HttpQuestion& question) const;
  Verdict JudgeWhole(const HttpQuestion& question) const;
  Verdict JudgeAnswer(const HttpQuestion& question) const;
  void Compare(const HttpQuestion& question, Verdict& verdict) const;

  int status_ = 0;
  std::size_t bytes_ = 0;
  std::string words_;
  std::string request_id_;
  std::string region_;
  std::optional<std::string> range_;
  std::optional<std::uint64_t> length_;
  std::string etag_;
  std::string modified_;
  std::string mark_;
  std::string encoding_;
  std::string retry_after_;
  std::string date_;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_HTTP_ANSWER_H_
