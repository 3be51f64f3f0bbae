#include "remote/http_answer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::http_answer_test {
namespace {

HttpAnswer Answer(const std::vector<std::string>& lines) {
  HttpAnswer answer;
  for (const std::string& line : lines) CHECK(answer.AddLine(line + "\r\n"));
  return answer;
}

const ObjectFacts kFacts{.size = 1000,
                         .etag = "\"v1\"",
                         .modified = "Sun, 06 Nov 1994 08:49:37 GMT"};

HttpQuestion Range(std::uint64_t first, std::uint64_t size) {
  return {.ask = Ask::kRange, .first = first, .size = size, .facts = kFacts};
}

HttpAnswer Part(const std::string& range, const std::string& etag = "\"v1\"") {
  std::vector<std::string> lines = {
      "HTTP/1.1 206 Partial Content", "Content-Range: " + range,
      "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"};
  if (!etag.empty()) lines.push_back("ETag: " + etag);
  return Answer(lines);
}

TEST_CASE("Content-Range is read as RFC 9110 writes it", "[remote]") {
  const auto range = ParseContentRange("bytes 5-99/1000");
  REQUIRE(range);
  CHECK(range->first == 5);
  CHECK(range->last == 99);
  CHECK(range->total == 1000);
  CHECK(ParseContentRange(" Bytes  0-0/1 ")->last == 0);
  CHECK_FALSE(ParseContentRange("bytes 0-9/*")->total);
  CHECK(ParseContentRange("bytes */0")->total == 0);
  CHECK(
      ParseContentRange("bytes 18446744073709551614-18446744073709551614/"
                        "18446744073709551615"));
}

TEST_CASE("A Content-Range that cannot be true is none", "[remote]") {
  for (const char* text :
       {"", "bytes", "bytes ", "bytes 0-9", "bytes 9-0/10", "bytes 0-10/10",
        "bytes -9/10", "bytes 0-/10", "bytes +0-9/10", "bytes 0-9/10x",
        "bytes 0-9/-1", "bytes 0--9/10", "octets 0-9/10", "bytes=0-9/10",
        "bytes 0-9/18446744073709551616", "bytes 0x0-9/10", "bytes 0-9/ 10"}) {
    INFO(text);
    CHECK_FALSE(ParseContentRange(text));
  }
}

TEST_CASE("A part that is called the whole is a part", "[remote]") {
  const HttpAnswer answer = Answer({"HTTP/1.1 200 OK", "Content-Length: 1",
                                    "Content-Range: bytes 0-0/1000"});
  const auto verdict =
      answer.Judge({.ask = Ask::kFirst, .first = 0, .size = 1, .facts = {}});
  CHECK(verdict.wrong.empty());
  CHECK(verdict.body == 1);
  CHECK(verdict.facts.size == 1000);
}

TEST_CASE("A word of a service has as many bytes as are allowed", "[remote]") {
  const HttpQuestion question{
      .ask = Ask::kWhole, .first = 0, .size = 10, .facts = {}};
  const auto known =
      Answer({"HTTP/1.1 200 OK", "Content-Length: 7"}).Judge(question);
  CHECK(known.wrong.empty());
  CHECK(known.body == 7);
  CHECK_FALSE(known.at_most);
  const auto open = Answer({"HTTP/1.1 200 OK"}).Judge(question);
  CHECK(open.body == 10);
  CHECK(open.at_most);
  CHECK_FALSE(Answer({"HTTP/1.1 200 OK", "Content-Length: 11"})
                  .Judge(question)
                  .wrong.empty());
}

TEST_CASE("Retry-After is seconds or a date in any of HTTP's forms",
          "[remote]") {
  constexpr std::int64_t kThen = 784111777;  // as RFC 9110's example
  CHECK(ParseRetryAfter("120", 0) == 120);
  CHECK(ParseRetryAfter(" 0 ", 0) == 0);
  for (const char* date :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994"}) {
    INFO(date);
    CHECK(ParseRetryAfter(date, kThen - 30) == 30);
    CHECK(ParseRetryAfter(date, kThen + 30) == 0);
  }
  for (const char* text :
       {"", "soon", "-1", "1.5", "Sun, 06 Nov", "99999999999999999999",
        "Sun, 06 Foo 1994 08:49:37 GMT"}) {
    INFO(text);
    CHECK_FALSE(ParseRetryAfter(text, 0));
  }
}

TEST_CASE("Retry-After as a date is by the server's clock", "[remote]") {
  const HttpAnswer answer =
      Answer({"HTTP/1.1 503 Slow Down", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
              "Retry-After: Sun, 06 Nov 1994 08:49:44 GMT"});
  CHECK(answer.retry_after() == 7);
  CHECK(answer.words() == "503 Slow Down");
}

TEST_CASE("A part that was asked for is taken with its facts", "[remote]") {
  const auto verdict = Part("bytes 100-199/1000").Judge(Range(100, 100));
  CHECK(verdict.wrong.empty());
  CHECK(verdict.body == 100);
  CHECK(verdict.facts.size == 1000);
  CHECK(verdict.facts.etag == "\"v1\"");
}

TEST_CASE("An answer to another question is none", "[remote]") {
  for (const char* range :
       {"bytes 101-200/1000", "bytes 100-198/1000", "bytes 100-200/1000",
        "bytes 0-99/1000", "bytes */1000", "bytes 100-199/*", "nonsense"}) {
    INFO(range);
    const auto verdict = Part(range).Judge(Range(100, 100));
    CHECK_FALSE(verdict.wrong.empty());
    CHECK_FALSE(verdict.changed);
  }
  CHECK_FALSE(Answer({"HTTP/1.1 206 Partial Content"})
                  .Judge(Range(100, 100))
                  .wrong.empty());
  CHECK_FALSE(
      Answer({"HTTP/1.1 200 OK", "Content-Length: 1000", "ETag: \"v1\""})
          .Judge(Range(100, 100))
          .wrong.empty());
  CHECK_FALSE(Answer({"HTTP/1.1 206 Partial Content", "Content-Encoding: gzip",
                      "Content-Range: bytes 100-199/1000", "ETag: \"v1\""})
                  .Judge(Range(100, 100))
                  .wrong.empty());
  CHECK_FALSE(Answer({"HTTP/1.1 206 Partial Content", "Content-Length: 101",
                      "Content-Range: bytes 100-199/1000", "ETag: \"v1\""})
                  .Judge(Range(100, 100))
                  .wrong.empty());
}

TEST_CASE("An object that is another one by size, ETag or time has changed",
          "[remote]") {
  CHECK(Part("bytes 100-199/1001").Judge(Range(100, 100)).changed);
  CHECK(Part("bytes 100-199/1000", "\"v2\"").Judge(Range(100, 100)).changed);
  CHECK(Part("bytes 100-199/1000", "W/\"v1\"").Judge(Range(100, 100)).changed);
  // A server that forgets its ETag may remember it next time.
  const auto without = Part("bytes 100-199/1000", "").Judge(Range(100, 100));
  CHECK_FALSE(without.wrong.empty());
  CHECK_FALSE(without.changed);
  HttpQuestion question = Range(100, 100);
  question.facts.etag.clear();
  CHECK(Part("bytes 100-199/1000", "").Judge(question).wrong.empty());
  question.facts.modified = "Mon, 07 Nov 1994 08:49:37 GMT";
  CHECK(Part("bytes 100-199/1000", "").Judge(question).changed);
}

TEST_CASE("A first answer may be all of a small object and no more",
          "[remote]") {
  const HttpQuestion first{.ask = Ask::kFirst, .first = 0, .size = 100};
  const auto whole =
      Answer({"HTTP/1.1 200 OK", "Content-Length: 100"}).Judge(first);
  CHECK(whole.wrong.empty());
  CHECK(whole.body == 100);
  CHECK(whole.facts.size == 100);
  CHECK_FALSE(Answer({"HTTP/1.1 200 OK", "Content-Length: 101"})
                  .Judge(first)
                  .wrong.empty());
  CHECK_FALSE(Answer({"HTTP/1.1 200 OK"}).Judge(first).wrong.empty());
  CHECK(Part("bytes 0-59/60").Judge(first).body == 60);
  CHECK_FALSE(Part("bytes 0-58/60").Judge(first).wrong.empty());
  CHECK(Answer({"HTTP/1.1 416 No", "Content-Range: bytes */0"})
            .IsOfEmptyObject());
  CHECK_FALSE(Answer({"HTTP/1.1 416 No", "Content-Range: bytes */9"})
                  .IsOfEmptyObject());
}

TEST_CASE("A redirect's head is forgotten for the next", "[remote]") {
  const HttpAnswer answer =
      Answer({"HTTP/1.1 302 Found", "ETag: \"old\"", "Content-Encoding: gzip",
              "Content-Length: 7", "HTTP/1.1 200 OK", "Content-Length: 5"});
  CHECK(answer.status() == 200);
  const auto verdict =
      answer.Judge({.ask = Ask::kFirst, .first = 0, .size = 100});
  CHECK(verdict.wrong.empty());
  CHECK(verdict.body == 5);
  CHECK(verdict.facts.etag.empty());
}

TEST_CASE("A head without end is refused", "[remote]") {
  HttpAnswer answer;
  const std::string line = "X: " + std::string(1000, 'x');
  bool refused = false;
  for (int i = 0; i < 100 && !refused; ++i) {
    // Redirects count together: they may be without end, too.
    refused = !answer.AddLine("HTTP/1.1 302 Found") || !answer.AddLine(line);
  }
  CHECK(refused);
}

TEST_CASE("Only an ETag in quotes promises equal bytes", "[remote]") {
  CHECK(IsStrong("\"a\""));
  CHECK(IsStrong("\"\""));
  for (const char* weak : {"", "a", "W/\"a\"", "\"", "\"a"}) {
    CHECK_FALSE(IsStrong(weak));
  }
}

}  // namespace
}  // namespace shardine::http_answer_test
