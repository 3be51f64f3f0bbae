#include "base/check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <string>

namespace shardine::check_test {
namespace {

TEST_CASE("SHARDINE_CHECK passes what is true, evaluated once", "[check]") {
  int calls = 0;
  SHARDINE_CHECK(++calls == 1);
  CHECK(calls == 1);
}

TEST_CASE("SHARDINE_CHECK stops the process and names place and condition",
          "[check]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);
    SHARDINE_CHECK(1 + 1 == 3);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[256];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(text.find("check_test.cc:") != std::string::npos);
  CHECK(text.find("internal error: !(1 + 1 == 3)") != std::string::npos);
}

}  // namespace
}  // namespace shardine::check_test
