#include "hdf5/sandbox/sandbox_program.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hdf5/sandbox/sandbox_pool.h"
#include "shardine/environment.h"
#include "support/temp_directory.h"

namespace shardine::sandbox_program_test {
namespace {

namespace fs = std::filesystem;

const std::string kProgram = "/libexec/shardine/shardine-hdf5-scan";

TEST_CASE("FindSandboxProgram takes SHARDINE_LIBEXEC_DIR at its word",
          "[hdf5][lookup]") {
  const TempDirectory folder;
  const auto built = FindSandboxProgram();
  REQUIRE(built.ok());
  CHECK_THAT(*built, Catch::EndsWith("/libexec/shardine/shardine-hdf5-scan"));
  setenv("SHARDINE_LIBEXEC_DIR", folder.path().c_str(), 1);
  Environment::Read();
  // A missing program is still returned: the user that set it wants to hear of
  // it.
  CHECK(*FindSandboxProgram() == folder.path() + "/shardine-hdf5-scan");
  setenv("SHARDINE_LIBEXEC_DIR", "", 1);
  Environment::Read();
  CHECK(*FindSandboxProgram() == *built);
  unsetenv("SHARDINE_LIBEXEC_DIR");
  Environment::Read();
  CHECK(*FindSandboxProgram() == *built);
}

TEST_CASE("SHARDINE_LIBEXEC_DIR is a way out, as errors say that it is",
          "[hdf5][lookup]") {
  const auto built = FindSandboxProgram();
  REQUIRE(built.ok());
  const TempDirectory folder;
  setenv("SHARDINE_LIBEXEC_DIR", folder.path().c_str(), 1);
  Environment::Read();
  SandboxPool pool({});
  const Status missing = pool.Take().status();
  fs::copy_file(*built, folder / "shardine-hdf5-scan");
  const Status there = pool.Take().status();
  unsetenv("SHARDINE_LIBEXEC_DIR");
  Environment::Read();
  CHECK(missing.code() == Code::kFailed);
  CHECK_THAT(missing.message(), Catch::Contains("is not there") &&
                                    Catch::Contains("SHARDINE_LIBEXEC_DIR"));
  CHECK(there.ToString() == "OK");
}

TEST_CASE(
    "SandboxProgramPlaces has no folder above but that of an installation",
    "[hdf5][lookup]") {
  for (const std::string own : {"/tmp/tool", "/tmp", "/tmp/a/b/cbin"}) {
    const auto places = SandboxProgramPlaces(own);
    REQUIRE(places.size() == 2);
    CHECK(places[0] == own + kProgram);
    CHECK(places[1] == SandboxProgramPlaces("")[0]);
  }
  const auto installed = SandboxProgramPlaces("/opt/x/bin");
  REQUIRE(installed.size() == 3);
  CHECK(installed[0] == "/opt/x/bin" + kProgram);
  CHECK(installed[1] == "/opt/x/bin/.." + kProgram);
  // A program that cannot tell where it is looks where it was to be installed.
  CHECK(SandboxProgramPlaces("") == std::vector<std::string>{installed.back()});
}

// A folder beside this program, so that there can be links to it.
class FolderBeside {
 public:
  FolderBeside() : path_(fs::read_symlink("/proc/self/exe")) {
    path_ += "-moved-XXXXXX";
    REQUIRE(mkdtemp(path_.data()) != nullptr);
  }
  FolderBeside(const FolderBeside&) = delete;
  FolderBeside& operator=(const FolderBeside&) = delete;
  ~FolderBeside() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr const char* kReport = "SHARDINE_TEST_REPORT";
constexpr const char* kAsked = "FindSandboxProgram looks where its program is";

// The program that this one finds when it is started from another folder.
std::string FoundFrom(const std::string& folder) {
  const std::string moved = folder + "/tests";
  if (!fs::exists(moved)) {
    fs::create_directories(folder);
    fs::create_hard_link(fs::read_symlink("/proc/self/exe"), moved);
  }
  const std::string report = folder + "/report";
  const std::string command = "unset SHARDINE_LIBEXEC_DIR; " +
                              std::string(kReport) + "='" + report + "' '" +
                              moved + "' '" + kAsked + "' >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  INFO(command);
  REQUIRE(status == 0);
  std::ostringstream text;
  text << std::ifstream(report).rdbuf();
  return text.str();
}

void PutProgram(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << "a program";
}

TEST_CASE("FindSandboxProgram looks where its program is", "[hdf5][lookup]") {
  if (const char* report = std::getenv(kReport); report != nullptr) {
    const auto found = FindSandboxProgram();
    std::ofstream(report) << (found.ok() ? *found : found.status().ToString());
    return;
  }
  const std::string installed = SandboxProgramPlaces("")[0];
  if (fs::exists(installed)) {
    WARN("not tried, since there is " << installed);
    return;
  }
  const FolderBeside folder;
  const std::string bin = folder.path() + "/bin";
  const std::string other = folder.path() + "/other";
  // The program is in no place: the message has them all, and a way out.
  const std::string nowhere = FoundFrom(bin);
  for (const std::string& part :
       {bin + kProgram, bin + "/.." + kProgram, installed,
        std::string("SHARDINE_LIBEXEC_DIR")}) {
    CHECK_THAT(nowhere, Catch::Contains(part));
  }
  // An installation's, from its folder of programs alone.
  PutProgram(folder.path() + kProgram);
  CHECK(FoundFrom(bin) == bin + "/.." + kProgram);
  CHECK_THAT(FoundFrom(other), Catch::Contains("in none of its places"));
  // One beside it comes first.
  PutProgram(bin + kProgram);
  PutProgram(other + kProgram);
  CHECK(FoundFrom(bin) == bin + kProgram);
  CHECK(FoundFrom(other) == other + kProgram);
  // A link to the program is not where it is.
  const std::string link = folder.path() + "/link/tests";
  fs::create_directories(folder.path() + "/link");
  fs::create_symlink(other + "/tests", link);
  CHECK(FoundFrom(folder.path() + "/link") == other + kProgram);
}

TEST_CASE("The program says that it is not to be started by hand",
          "[hdf5][lookup]") {
  const auto program = FindSandboxProgram();
  REQUIRE(program.ok());
  FILE* said = popen(("'" + *program + "' 2>&1 </dev/null").c_str(), "r");
  REQUIRE(said != nullptr);
  char text[200] = {};
  const std::size_t size = fread(text, 1, sizeof(text), said);
  const int status = pclose(said);
  CHECK_THAT(std::string(text, size),
             Catch::Contains("is started by shardine"));
  CHECK(WEXITSTATUS(status) == 2);
}

}  // namespace
}  // namespace shardine::sandbox_program_test
