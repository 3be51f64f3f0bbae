#include "conformance/expected_files.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <set>

#include "conformance/format_fixture.h"
#include "shardine/format.h"

namespace shardine {
namespace {

// Cells after the file and the kind.
const std::map<std::string, std::size_t> kShapes = {
    {"layout", 1}, {"companion", 1}, {"sample", 5}, {"field", 5}, {"error", 5}};

// The pieces of a text, the last one even if it is empty.
Cells Split(std::string_view text, char separator) {
  Cells pieces(1);
  for (const char c : text) {
    if (c == separator) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

// The lines of the folder's expected.tsv, in cells; none without such a file.
std::vector<Cells> Lines(const std::string& folder) {
  const auto text = ReadFile(LocalStorage(), folder + "/expected.tsv", 1 << 22);
  std::vector<Cells> lines;
  if (!text.ok()) return lines;
  for (const std::string& line : Split(*text, '\n')) {
    if (!line.empty()) lines.push_back(Split(line, '\t'));
  }
  return lines;
}

bool HasShape(const Cells& line) {
  if (line.size() < 2) return false;
  const auto shape = kShapes.find(line[1]);
  return shape != kShapes.end() && line.size() == shape->second + 2;
}

std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return hex;
}

template <typename Values, typename ToText>
std::string Joined(const Values& values, const char* separator, ToText text) {
  std::string joined;
  for (const auto& value : values) {
    joined += (joined.empty() ? "" : separator) + text(value);
  }
  return joined;
}

Cells SampleCells(const ScannedSample& sample) {
  return {"sample",
          sample.id ? std::to_string(*sample.id) : "-",
          std::string(sample.key.value_or("-")),
          Joined(sample.labels, " ",
                 [](const Label& label) { return label.ToString(); }),
          std::string(sample.class_name),
          std::string(sample.class_text)};
}

Cells FieldCells(const ScannedField& field) {
  return {"field",
          std::string(field.name),
          std::string(field.dtype),
          Joined(field.shape, "x",
                 [](std::uint64_t side) { return std::to_string(side); }),
          field.extents.empty() ? "no" : "yes",
          ToHex(AsText(field.bytes))};
}

void AddSample(const RandomAccessFile& file, const ScannedSample& sample,
               CheckedInScan& scanned) {
  CHECK(sample.record == scanned.offsets.size());
  CHECK(std::ranges::is_sorted(sample.fields, std::less_equal(),
                               &ScannedField::name));
  scanned.offsets.push_back(sample.record_offset);
  if (sample.id) scanned.ids.push_back(*sample.id);
  scanned.contents.push_back(SampleCells(sample));
  for (const ScannedField& field : sample.fields) {
    scanned.contents.push_back(FieldCells(field));
    if (field.extents.empty()) continue;
    CHECK((BytesAt(file, field.extents) == AsText(field.bytes)));
  }
}

}  // namespace

std::map<std::string, ExpectedFile> ExpectedFiles(const std::string& folder) {
  std::map<std::string, ExpectedFile> files;
  for (const Cells& line : Lines(folder)) {
    REQUIRE(HasShape(line));
    ExpectedFile& file = files[line[0]];
    const Cells rest(line.begin() + 2, line.end());
    if (line[1] == "companion") {
      file.companions.push_back(rest);
    } else if (line[1] == "error") {
      file.errors.push_back(rest);
    } else {
      file.contents.emplace_back(line.begin() + 1, line.end());
    }
  }
  return files;
}

std::vector<std::string> FolderFaults(const std::string& folder) {
  // The program that made the files, and the lists that describe them.
  std::set<std::string> named = {"README.md", "make.py", "expected.tsv"};
  std::vector<std::string> faults;
  const std::vector<Cells> lines = Lines(folder);
  if (lines.empty()) faults.push_back("no line in an expected.tsv");
  for (const Cells& line : lines) {
    named.insert(line[0]);
    if (!HasShape(line)) {
      faults.push_back("a line of another shape about " + line[0]);
    } else if (line[1] == "companion") {
      named.insert(line[2]);
    }
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!named.contains(name)) faults.push_back("no line names " + name);
  }
  if (error) faults.push_back("no such folder");
  for (const std::string& name : named) {
    if (!std::filesystem::exists(folder + "/" + name)) {
      faults.push_back(name + " is not there");
    }
  }
  return faults;
}

CheckedInScan ScanCheckedIn(const RandomAccessFile& file) {
  CheckedInScan scanned;
  const auto layout = BuiltinFormats().DetectLayout(file);
  if (!layout.ok()) return {{}, {}, {}, layout.status()};
  scanned.contents.push_back({"layout", layout->Name()});
  const auto scanner = layout->format->open_scanner(file, *layout);
  if (!scanner.ok()) return {{}, {}, {}, scanner.status()};
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) {
      scanned.status = sample.status();
      CHECK((*scanner)->Next().status().ToString() ==
            scanned.status.ToString());
      return scanned;
    }
    if (!*sample) return scanned;
    AddSample(file, **sample, scanned);
  }
}

}  // namespace shardine
