// Samples as lines of text to a TFRecord file, and back, for the tests beside
// this file. Columns are divided by tabs, bytes are in hex:
//
//   sample  id      key    labels  class name  class text
//   field   name    dtype  shape   bytes       extents
//
//   example_files write LAYOUT OUT <LINES      (extents left out)
//   example_files scan FILE >LINES             (id or key absent: -)
//
// A scan ends with "end", or with "error" and the status.

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "image/probe.h"
#include "io/local_storage.h"
#include "shard/format_registry.h"
#include "shardine/format.h"

namespace shardine {
namespace {

using Columns = std::vector<std::string>;

std::string ToHex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    hex += digits;
  }
  return hex;
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

template <typename T>
std::vector<T> Numbers(const std::string& text) {
  std::istringstream stream(text);
  std::vector<T> numbers;
  for (T number; stream >> number;) numbers.push_back(number);
  return numbers;
}

bool ReadColumns(Columns& columns) {
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  columns.assign(1, "");
  for (const char c : line) {
    if (c == '\t') {
      columns.emplace_back();
    } else {
      columns.back() += c;
    }
  }
  return true;
}

struct Field {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

Status WriteSample(const Columns& line, const std::vector<Field>& owned,
                   ShardWriter& writer) {
  std::vector<FieldView> fields;
  ImageFacts facts;
  bool has_facts = false;
  for (const Field& field : owned) {
    const ByteView bytes = AsBytes(field.bytes);
    fields.push_back({field.name, field.dtype, field.shape, bytes});
    if (field.name != kImageField || field.dtype != kBytesDtype) continue;
    facts = ProbeImage(bytes).facts;
    has_facts = true;
  }
  const std::vector<std::int64_t> numbers = Numbers<std::int64_t>(line[3]);
  const std::vector<Label> labels(numbers.begin(), numbers.end());
  const std::string key = FromHex(line[2]);
  const std::string class_name = FromHex(line[4]);
  const std::string class_text = FromHex(line[5]);
  return writer.Append({.id = std::stoull(line[1]),
                        .key = key,
                        .labels = labels,
                        .fields = fields,
                        .facts = has_facts ? &facts : nullptr,
                        .class_name = class_name,
                        .class_text = class_text});
}

Status Write(const std::string& layout, const std::string& out) {
  const auto format = ParseFormat(BuiltinFormats(), layout);
  SHARDINE_CHECK(format.ok());
  const ShardPaths paths{.shard = out, .companion = format->CompanionName(out)};
  SHARDINE_CHECK(
      LocalStorage().CreateDirectories(DirectoryOf(paths.companion)).ok());
  const auto writer =
      format->format->create_writer(LocalStorage(), paths, *format);
  SHARDINE_CHECK(writer.ok());
  Columns sample;
  std::vector<Field> fields;
  Columns line;
  for (bool more = true; more;) {
    more = ReadColumns(line);
    if (more && line[0] == "field") {
      fields.push_back({FromHex(line[1]), line[2],
                        Numbers<std::uint64_t>(line[3]), FromHex(line[4])});
      continue;
    }
    if (!sample.empty()) {
      Status status = WriteSample(sample, fields, **writer);
      if (!status.ok()) return status;
    }
    sample = line;
    fields.clear();
  }
  return (*writer)->Finish().status();
}

void Print(const ScannedSample& sample) {
  std::string labels;
  for (const Label& label : sample.labels) labels += label.ToString() + " ";
  std::cout << "sample\t" << (sample.id ? std::to_string(*sample.id) : "-")
            << '\t' << (sample.key ? ToHex(*sample.key) : "-") << '\t' << labels
            << '\t' << ToHex(sample.class_name) << '\t'
            << ToHex(sample.class_text) << '\n';
  for (const ScannedField& field : sample.fields) {
    std::cout << "field\t" << ToHex(field.name) << '\t' << field.dtype << '\t';
    for (const std::uint64_t dim : field.shape) std::cout << dim << ' ';
    std::cout << '\t' << ToHex(AsText(field.bytes)) << '\t';
    for (const Extent& extent : field.extents) {
      std::cout << extent.offset << ' ' << extent.length << ' ';
    }
    std::cout << '\n';
  }
}

Status Scan(const std::string& path) {
  const auto file = LocalStorage().Open(path);
  if (!file.ok()) return file.status();
  const auto format = BuiltinFormats().DetectLayout(**file);
  if (!format.ok()) return format.status();
  const auto scanner = format->format->open_scanner(**file, *format);
  if (!scanner.ok()) return scanner.status();
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok() || !*sample) return sample.status();
    Print(**sample);
  }
}

int Run(const Columns& words) {
  if (words.size() == 3 && words[0] == "write") {
    const Status status = Write(words[1], words[2]);
    if (status.ok()) return 0;
    std::cerr << status.ToString() << '\n';
    return 1;
  }
  if (words.size() == 2 && words[0] == "scan") {
    const Status status = Scan(words[1]);
    std::cout << (status.ok() ? "end" : "error\t" + status.ToString()) << '\n';
    return 0;
  }
  std::cerr << "usage: example_files write LAYOUT OUT | scan FILE\n";
  return 2;
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  return shardine::Run({argv + 1, argv + argc});
}
