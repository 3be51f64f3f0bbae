#include "shardine/environment.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace shardine::environment_test {
namespace {

constexpr char kName[] = "SHARDINE_TEST_VARIABLE";

Environment Of(const std::string& value) {
  Environment::Variables variables;
  variables[kName] = value;
  return Environment(std::move(variables));
}

TEST_CASE("Environment keeps the variables as they were", "[environment]") {
  ::setenv(kName, "a=b", 1);
  const Environment before = Environment::Read();
  ::setenv(kName, "other", 1);
  CHECK(before.Of(kName) == "a=b");
  CHECK(Environment::Latest().Of(kName) == "a=b");
  CHECK(Environment::Current().Of(kName) == "other");
  CHECK(Environment::Latest().Of(kName) == "other");
  ::unsetenv(kName);
  CHECK(Environment::Read().Of(kName).empty());
  CHECK(Environment().variables().empty());
}

TEST_CASE("EnvironmentScope is of its thread, and may be nested",
          "[environment]") {
  const EnvironmentScope outer(Of("1"));
  {
    const EnvironmentScope inner(Of("2"));
    CHECK(Environment::Current().Of(kName) == "2");
    std::thread([] {
      CHECK(Environment::InScope() == nullptr);
      CHECK(Environment::Current().Of(kName).empty());
    }).join();
  }
  CHECK(Environment::Current().Of(kName) == "1");
}

int kept = 0;

TEST_CASE("WithStillEnvironment runs its work under the keeper",
          "[environment]") {
  bool is_done = false;
  const auto work = [&] { is_done = true; };
  WithStillEnvironment(work);
  CHECK(std::exchange(is_done, false));
  SetEnvironmentKeeper([](const std::function<void()>& given) {
    ++kept;
    given();
  });
  WithStillEnvironment(work);
  SetEnvironmentKeeper(nullptr);
  CHECK(is_done);
  CHECK(kept == 1);
}

}  // namespace
}  // namespace shardine::environment_test
