// Checked-in files and what is expected of them: folders of testdata with an
// expected.tsv, a file a line or several.
#ifndef SHARDINE_SUPPORT_EXPECTED_FILES_H_
#define SHARDINE_SUPPORT_EXPECTED_FILES_H_

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/local_storage.h"
#include "shardine/status.h"

namespace shardine {

inline const std::string kTestdata = SHARDINE_TESTDATA;

inline std::string Contents(const std::string& path) {
  auto contents = ReadFile(LocalStorage(), path, 1 << 20);
  INFO(path);
  REQUIRE(contents.ok());
  return *std::move(contents);
}

// The cells of a line, the last one even if it is empty.
inline std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == separator) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

// The lines of a folder's expected.tsv. REQUIREs some.
inline std::vector<std::vector<std::string>> ExpectedRows(
    const std::string& folder) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line :
       Split(Contents(folder + "/expected.tsv"), '\n')) {
    if (!line.empty()) rows.push_back(Split(line, '\t'));
  }
  REQUIRE_FALSE(rows.empty());
  return rows;
}

inline std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return hex;
}

inline Code CodeNamed(const std::string& name) {
  if (name == "corrupt") return Code::kCorrupt;
  REQUIRE(name == "unsupported");
  return Code::kUnsupported;
}

// A number, or none for "" and "-".
inline std::optional<std::uint64_t> NumberIn(const std::string& cell) {
  if (cell.empty() || cell == "-") return std::nullopt;
  return std::stoull(cell);
}

// Every file of the folder whose name has one of these parts is in its
// expected.tsv, and the other way round.
inline void CheckAllListed(const std::string& folder,
                           std::initializer_list<std::string_view> parts) {
  std::set<std::string> listed;
  for (const auto& row : ExpectedRows(folder)) listed.insert(row[0]);
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    for (const std::string_view part : parts) {
      if (name.find(part) != name.npos) there.insert(name);
    }
  }
  CHECK(there == listed);
}

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_EXPECTED_FILES_H_
