#include "remote/http_engine.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "shardine/environment.h"
#include "unit/remote/tiny_server.h"

namespace shardine::http_engine_test {
namespace {

constexpr std::uint64_t kSize = 1'000'000;

char ByteAt(std::uint64_t offset) {
  return static_cast<char>(offset * 7 + offset / 251);
}

// The answer to a request for a range, as a sound server gives it.
std::string Part(const std::string& head) {
  const std::size_t at = head.find("Range: bytes=") + 13;
  char* end = nullptr;
  const std::uint64_t first = std::strtoull(head.c_str() + at, &end, 10);
  const std::uint64_t last = std::strtoull(end + 1, nullptr, 10);
  std::string answer = "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\n";
  answer += "Content-Length: " + std::to_string(last - first + 1) + "\r\n";
  answer += "Content-Range: bytes " + std::to_string(first) + "-" +
            std::to_string(last) + "/" + std::to_string(kSize) + "\r\n\r\n";
  for (std::uint64_t i = first; i <= last; ++i) answer += ByteAt(i);
  return answer;
}

struct Read {
  Read(const std::string& url, std::uint64_t first, std::size_t size)
      : bytes(size, '?') {
    request.url = url;
    request.name = "the object";
    request.question.ask = Ask::kRange;
    request.question.first = first;
    request.question.size = size;
    request.question.facts = {.size = kSize, .etag = "\"1\""};
    request.segments = {{first, std::as_writable_bytes(std::span(bytes))}};
  }
  bool IsRight() const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != ByteAt(request.question.first + i)) return false;
    }
    return true;
  }

  std::string bytes;
  HttpRequest request;
};

std::unique_ptr<HttpEngine> MakeEngine(const RequestLimits& limits = {}) {
  // Proxies of the environment are not for loopback.
  ::setenv("no_proxy", "127.0.0.1", 1);
  Environment::Read();
  auto engine = HttpEngine::Make(limits);
  REQUIRE(engine.ok());
  return *std::move(engine);
}

TEST_CASE("Requests of many threads get their own bytes", "[remote]") {
  const TinyServer server(Part);
  const auto engine = MakeEngine({.requests = 16});
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (std::uint64_t k = 0; k < 50; ++k) {
        Read read(server.url(), (i * 50 + k) * 997, 1 + k * 31);
        right += engine->Get(read.request, {}).status.ok() && read.IsRight();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 200);
  CHECK(engine->stats().requests == 200);
  // On a busy machine some are late and sent twice.
  CHECK(engine->stats().tries == 200 + engine->stats().hedges);
}

TEST_CASE("No reader of the numbers sees a request without a try", "[remote]") {
  const TinyServer server(Part);
  const auto engine = MakeEngine();
  std::atomic<int> wrong = 0;
  const std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const RemoteStats stats = engine->stats();
      wrong += stats.tries != stats.requests + stats.hedges;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  for (std::uint64_t i = 0; i < 500; ++i) {
    Read read(server.url(), i, 10);
    REQUIRE(engine->Get(read.request, {}).status.ok());
  }
  CHECK(wrong == 0);
}

TEST_CASE("A server that fails twice is asked a third time", "[remote]") {
  std::atomic<int> asked = 0;
  const TinyServer server([&](const std::string& head) {
    if (++asked < 3) {
      return std::string("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n");
    }
    CHECK(head.find("If-Match: \"1\"") != std::string::npos);
    CHECK(head.find("Accept-Encoding: identity") != std::string::npos);
    return Part(head);
  });
  Read read(server.url(), 5, 100);
  CHECK(MakeEngine()->Get(read.request, {}).status.ToString() == "OK");
  CHECK(read.IsRight());
  CHECK(asked == 3);
}

TEST_CASE("A failure says what of which object was asked for how often",
          "[remote]") {
  const TinyServer server([](const std::string&) {
    return "HTTP/1.1 403 No\r\nX-Request-Id: 4711\r\nContent-Length: 0\r\n\r\n";
  });
  Read read(server.url(), 5, 100);
  const HttpOutcome outcome = MakeEngine()->Get(read.request, {});
  CHECK(outcome.status.ToString() ==
        "the object: byte 5: 403 No (bytes 5 to 104, request 4711)");
  CHECK(outcome.status.code() == Code::kRemote);
  CHECK(outcome.http_status == 403);
}

TEST_CASE("A request that is late is sent twice and the first answer counts",
          "[remote]") {
  std::atomic<int> asked = 0;
  const TinyServer server([&](const std::string& head) {
    return ++asked == 31 ? std::string() : Part(head);
  });
  const auto engine = MakeEngine();
  for (int i = 0; i < 40; ++i) {
    Read read(server.url(), static_cast<std::uint64_t>(i), 100);
    CHECK(engine->Get(read.request, {}).status.ok());
    CHECK(read.IsRight());
  }
  CHECK(engine->stats().hedges >= 1);
  CHECK(engine->stats().tries == 40 + engine->stats().hedges);
}

TEST_CASE("A stop ends all that is under way and waits, in no time",
          "[remote]") {
  const TinyServer server([](const std::string&) { return std::string(); });
  const auto engine = MakeEngine({.requests = 64});
  std::stop_source stop;
  std::vector<std::unique_ptr<Read>> reads;
  std::atomic<int> cancelled = 0;
  std::latch ended(200);
  for (std::uint64_t i = 0; i < 200; ++i) {
    reads.push_back(std::make_unique<Read>(server.url(), i, 10));
    engine->Start(reads.back()->request, stop.get_token(),
                  [&](const HttpOutcome& outcome) {
                    cancelled += outcome.status.code() == Code::kCancelled;
                    ended.count_down();
                  });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_FALSE(ended.try_wait());
  const auto begin = std::chrono::steady_clock::now();
  stop.request_stop();
  ended.wait();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  CHECK(cancelled == 200);
}

TEST_CASE("An engine that ends answers all that was asked of it", "[remote]") {
  const TinyServer server([](const std::string&) { return std::string(); });
  auto engine = MakeEngine();
  Read under_way(server.url(), 0, 10);
  Status status;
  engine->Start(under_way.request, {}, [&](HttpOutcome outcome) {
    status = std::move(outcome.status);
  });
  engine->Shut();
  CHECK(status.code() == Code::kCancelled);
  Read late(server.url(), 0, 10);
  CHECK(engine->Get(late.request, {}).status.code() == Code::kCancelled);
}

TEST_CASE("Patience ends a request that gets no answer", "[remote]") {
  const TinyServer server([](const std::string&) { return std::string(); });
  const auto engine = MakeEngine({.patience = Milliseconds(300)});
  Read read(server.url(), 0, 10);
  const Status status = engine->Get(read.request, {}).status;
  CHECK(status.code() == Code::kRemote);
  CHECK(status.message() == "no answer (bytes 0 to 9)");
}

}  // namespace
}  // namespace shardine::http_engine_test
