#include "remote/credential_source.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <latch>
#include <new>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/stop_scope.h"

namespace shardine::credential_source_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

WallTime In(std::chrono::seconds time) {
  return std::chrono::system_clock::now() + time;
}

FetchedCredentials Numbered(int number, std::optional<WallTime> expires = {}) {
  return {.credentials = {.key_id = std::to_string(number),
                          .secret = "s",
                          .token = {}},
          .expires = expires};
}

// The key that there is once it is no longer `before`, or after two seconds.
std::string NextKey(CredentialSource& source, const std::string& before) {
  for (int i = 0; i < 200 && source.Last().key_id == before; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  return source.Last().key_id;
}

TEST_CASE("Credentials are fetched once for all who ask", "[remote]") {
  std::atomic<int> fetched = 0;
  const auto source = CredentialSource::Named("test once", [&] {
    std::this_thread::sleep_for(milliseconds(30));
    return Numbered(++fetched, In(hours(1)));
  });
  CHECK(source->Last() == Credentials());
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { right += source->Get()->key_id == "1"; });
    }
  }
  CHECK(right == 8);
  CHECK(fetched == 1);
  CHECK(CredentialSource::Named("test once", nullptr) == source);
}

TEST_CASE("Credentials near their end are renewed aside", "[remote]") {
  std::atomic<int> fetched = 0;
  const auto source = CredentialSource::Named("test early", [&] {
    const int number = ++fetched;
    return Numbered(number, In(number == 1 ? minutes(0) : minutes(60)));
  });
  REQUIRE(source->Get().ok());
  // The credentials have expired: a caller that needs some waits for others.
  CHECK(source->Get()->key_id == "2");
  CHECK(source->Get()->key_id == "2");
  CHECK(source->Last().key_id == "2");
}

TEST_CASE("What a service calls expired is renewed, once a second",
          "[remote]") {
  std::atomic<int> fetched = 0;
  const auto source = CredentialSource::Named(
      "test renew", [&] { return Numbered(++fetched, In(hours(1))); });
  const Credentials first = *source->Get();
  CHECK(source->Renew(first));
  std::this_thread::sleep_for(milliseconds(50));
  CHECK(source->Last() == first);
  std::this_thread::sleep_for(milliseconds(1'000));
  CHECK(source->Renew(first));
  CHECK(NextKey(*source, "1") == "2");
  // A late caller renews the first credentials.
  CHECK(source->Renew(first));
  CHECK(fetched == 2);
  CHECK_FALSE(CredentialSource::Of(first)->Renew(first));
}

TEST_CASE("A failure to fetch is said and forgotten", "[remote]") {
  std::atomic<int> fetched = 0;
  const auto source = CredentialSource::Named(
      "test failure", [&]() -> Result<FetchedCredentials> {
        if (++fetched == 1) return Status(Code::kRemote, "not now");
        if (fetched == 2) {
          return FetchedCredentials{
              .credentials = {.key_id = "a\nb", .secret = "s", .token = {}}};
        }
        return Numbered(fetched);
      });
  CHECK(source->Get().status().message() == "not now");
  CHECK(source->Get().status().code() == Code::kInvalidArgument);
  CHECK(source->Get()->key_id == "3");
}

// Concurrency review 15: the turn was never given back, and every later call
// waited for it.
TEST_CASE("A fetch that throws is a failure, and the next call fetches",
          "[remote]") {
  std::atomic<int> fetched = 0;
  const auto source = CredentialSource::Named(
      "test throw", [&]() -> Result<FetchedCredentials> {
        if (++fetched != 2) throw std::bad_alloc();
        return Numbered(fetched);
      });
  CHECK(source->Get().status().code() == Code::kFailed);
  CHECK(source->Get()->key_id == "2");
  CHECK(fetched == 2);
}

TEST_CASE("Who waits for credentials ends when stopped, and in a child fetches",
          "[remote]") {
  std::latch is_inside(1), may_go_on(1);
  const pid_t parent = getpid();
  const auto source = CredentialSource::Named("test stop", [&] {
    if (getpid() == parent) {
      is_inside.count_down();
      may_go_on.wait();
    }
    return Numbered(7);
  });
  std::jthread first([&] { CHECK(source->Get().ok()); });
  is_inside.wait();
  {
    std::stop_source stop;
    const StopScope scope(stop.get_token());
    stop.request_stop();
    CHECK(source->Get().status().code() == Code::kCancelled);
  }
  const pid_t child = fork();
  if (child == 0) _exit(source->Get().ok() ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  may_go_on.count_down();
}

}  // namespace
}  // namespace shardine::credential_source_test
