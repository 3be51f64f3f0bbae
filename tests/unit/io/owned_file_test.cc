#include "io/owned_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_directory.h"

namespace shardine::owned_file_test {
namespace {

std::string HostOfThis() {
  char host[256] = {};
  static_cast<void>(::gethostname(host, sizeof host - 1));
  return host;
}

// A process that has ended.
pid_t Gone() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_CASE("OwnedFile excludes another, and says who has it", "[owned_file]") {
  const TempDirectory directory;
  const std::string path = directory / "lock.owner";
  {
    const auto owned = OwnedFile::Make(path);
    REQUIRE(owned.ok());
    CHECK((*owned)->weakness().find(path) != std::string::npos);
    const Status refused = OwnedFile::Make(path).status();
    CHECK(refused.code() == Code::kAlreadyExists);
    CHECK(refused.message().find("process " + std::to_string(::getpid())) !=
          std::string::npos);
  }
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("OwnedFile takes over from a process of this machine that is gone",
          "[owned_file]") {
  const TempDirectory directory;
  const std::string path = directory / "lock.owner";
  std::ofstream(path) << HostOfThis() << " " << Gone() << " 2026-01-01 x\n";
  CHECK(OwnedFile::Make(path).ok());
  std::ofstream(path) << "elsewhere " << Gone() << " 2026-01-01 x\n";
  CHECK(OwnedFile::Make(path).status().code() == Code::kAlreadyExists);
}

TEST_CASE("OwnedFile removes no file of another owner", "[owned_file]") {
  const TempDirectory directory;
  const std::string path = directory / "lock.owner";
  {
    const auto owned = OwnedFile::Make(path);
    REQUIRE(owned.ok());
    std::ofstream(path) << "elsewhere 1 2026-01-01 x\n";
  }
  CHECK(std::filesystem::exists(path));
}

}  // namespace
}  // namespace shardine::owned_file_test
