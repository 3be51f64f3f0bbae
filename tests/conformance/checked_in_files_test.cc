// The files of other programs in testdata/golden and the damaged ones in
// testdata/must_fail: a format's folder there is all that its tests need. Names
// no format.
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <set>

#include "conformance/expected_files.h"
#include "shardine/format.h"

namespace shardine::checked_in_files_test {
namespace {

std::string FolderOf(const char* kind, const Format& format) {
  return std::string(SHARDINE_TESTDATA) + "/" + kind + "/" +
         std::string(format.name);
}

std::unique_ptr<RandomAccessFile> OpenFile(const std::string& path) {
  auto file = LocalStorage().Open(path);
  REQUIRE(file.ok());
  return *std::move(file);
}

// Compares line by line, so that the first that differs is told.
void CheckSame(const std::vector<Cells>& found,
               const std::vector<Cells>& expected) {
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    INFO("line " << i << " about it");
    CHECK(found[i] == expected[i]);
  }
  CHECK(found.size() == expected.size());
}

void CheckCompanion(const Format& format, const ShardPaths& paths,
                    const CheckedInScan& scanned) {
  REQUIRE(format.check_companion != nullptr);
  CHECK(
      format
          .check_companion(LocalStorage(), paths, scanned.offsets, scanned.ids)
          .ToString() == "OK");
  if (format.read_companion_ids == nullptr) return;
  const auto ids = format.read_companion_ids(LocalStorage(), paths.companion,
                                             scanned.offsets);
  REQUIRE(ids.ok());
  CHECK(*ids == scanned.ids);
}

std::string CellOf(std::optional<std::uint64_t> number) {
  return number ? std::to_string(*number) : "-";
}

Code CodeNamed(const std::string& name) {
  if (name == "corrupt") return Code::kCorrupt;
  REQUIRE(name == "unsupported");
  return Code::kUnsupported;
}

bool IsCompanion(const Format& format, const std::string& name) {
  return std::ranges::any_of(format.layouts, [&](const Layout& layout) {
    return !layout.companion_suffix.empty() &&
           name.ends_with(layout.companion_suffix);
  });
}

// The last status of reading a damaged file; `samples`: how many it gave
// before.
Status ReadDamaged(const Format& format, const std::string& path,
                   std::size_t& samples) {
  samples = 0;
  if (!IsCompanion(format, path)) {
    const CheckedInScan scanned = ScanCheckedIn(*OpenFile(path));
    samples = scanned.offsets.size();
    return scanned.status;
  }
  if (format.read_companion_ids != nullptr) {
    return format.read_companion_ids(LocalStorage(), path, {}).status();
  }
  return format.check_companion(
      LocalStorage(),
      {.shard = "x" + std::string(format.suffix), .companion = path}, {}, {});
}

TEST_CASE("A format's golden files hold what is listed of them",
          "[conformance][golden]") {
  for (const Format* format : BuiltinFormats().formats()) {
    DYNAMIC_SECTION(format->name) {
      const std::string folder = FolderOf("golden", *format);
      for (const auto& [name, expected] : ExpectedFiles(folder)) {
        INFO(name);
        const std::string path = folder + "/" + name;
        const CheckedInScan scanned = ScanCheckedIn(*OpenFile(path));
        CHECK(scanned.status.ToString() == "OK");
        CheckSame(scanned.contents, expected.contents);
        for (const Cells& companion : expected.companions) {
          CheckCompanion(
              *format,
              {.shard = path, .companion = folder + "/" + companion[0]},
              scanned);
        }
        CHECK(expected.errors.empty());
      }
    }
  }
}

TEST_CASE("A format's damaged files each give the listed error",
          "[conformance][corruption]") {
  for (const Format* format : BuiltinFormats().formats()) {
    DYNAMIC_SECTION(format->name) {
      const std::string folder = FolderOf("must_fail", *format);
      for (const auto& [name, expected] : ExpectedFiles(folder)) {
        INFO(name);
        const std::string path = folder + "/" + name;
        REQUIRE(expected.errors.size() == 1);
        CHECK(expected.contents.empty());
        CHECK(expected.companions.empty());
        const Cells& error = expected.errors[0];
        std::size_t samples = 0;
        const Status status = ReadDamaged(*format, path, samples);
        INFO(status.ToString());
        CHECK(status.code() == CodeNamed(error[0]));
        CHECK(CellOf(samples) == error[1]);
        CHECK(status.where().path == path);
        CHECK(CellOf(status.where().record) == error[2]);
        CHECK(CellOf(status.where().offset) == error[3]);
        CHECK_FALSE(error[4].empty());
        CHECK_THAT(status.message(), Catch::Contains(error[4]));
      }
    }
  }
}

TEST_CASE("Golden and damaged files are listed, of every format and no other",
          "[conformance][golden]") {
  for (const char* kind : {"golden", "must_fail"}) {
    std::set<std::string> formats;
    for (const Format* format : BuiltinFormats().formats()) {
      formats.emplace(format->name);
      INFO(FolderOf(kind, *format));
      CHECK(FolderFaults(FolderOf(kind, *format)) ==
            std::vector<std::string>());
    }
    std::set<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(
             std::string(SHARDINE_TESTDATA) + "/" + kind)) {
      folders.insert(entry.path().filename());
    }
    CHECK(folders == formats);
  }
}

}  // namespace
}  // namespace shardine::checked_in_files_test
