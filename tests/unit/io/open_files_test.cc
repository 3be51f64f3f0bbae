#include "io/open_files.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>

namespace shardine::open_files_test {
namespace {

TEST_CASE("OpenFileLimit is the process's soft limit", "[open_files]") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit lower = before;
  lower.rlim_cur = 77;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &lower) == 0);
  CHECK(OpenFileLimit() == 77);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(OpenFileLimit() != 77);
}

}  // namespace
}  // namespace shardine::open_files_test
