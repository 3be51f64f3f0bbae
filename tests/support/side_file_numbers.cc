#include "support/side_file_numbers.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/checksum.h"
#include "base/compress.h"
#include "shard/entry_point_layout.h"
#include "shard/shard_index_layout.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

std::uint64_t Load(const std::string& bytes, std::size_t at,
                   std::size_t width) {
  SHARDINE_CHECK(at + width <= bytes.size());
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

void Store(std::uint64_t value, std::size_t at, std::size_t width,
           std::string& bytes) {
  SHARDINE_CHECK(at + width <= bytes.size());
  for (std::size_t i = 0; i < width; ++i, value >>= 8) {
    bytes[at + i] = static_cast<char>(value & 0xFF);
  }
}

// Lists numbers one after the other.
class Lister {
 public:
  Lister(const std::string& bytes, std::vector<FileNumber>& numbers)
      : bytes_(bytes), numbers_(numbers) {}

  void MoveTo(std::size_t at, std::string prefix) {
    at_ = at;
    prefix_ = std::move(prefix);
  }
  // Its value.
  std::uint64_t Add(const std::string& name, std::size_t width,
                    std::uint64_t limit = 0) {
    const std::uint64_t value = Load(bytes_, at_, width);
    numbers_.push_back(
        {prefix_ + name, at_, width, limit == 0 ? value + 1 : limit});
    at_ += width;
    return value;
  }
  void Skip(std::uint64_t bytes) { at_ += static_cast<std::size_t>(bytes); }

 private:
  const std::string& bytes_;
  std::vector<FileNumber>& numbers_;
  std::size_t at_ = 0;
  std::string prefix_;
};

// Lists the header from byte 8 on, with `names` between version and binding.
void AddHeader(std::size_t page, std::initializer_list<const char*> names,
               Lister& lister) {
  lister.MoveTo(page + 8, "header: ");
  lister.Add("version", 4);
  lister.Add("reserved", 4);
  for (const char* name : names) lister.Add(name, 8);
  lister.Add("bytes of the shard", 8);
  for (const char* half : {"low", "high"}) {
    lister.Add(std::string("shard digest, ") + half, 8);
  }
  for (const char* half : {"low", "high"}) {
    lister.Add(std::string("plan digest, ") + half, 8);
  }
}

// Returns the overflow record: its place in the area and its bytes.
std::pair<std::uint64_t, std::uint64_t> AddRow(Lister& lister) {
  lister.Add("id", 8);
  lister.Add("content digest, low", 8);
  lister.Add("content digest, high", 8);
  lister.Add("first label", 8);
  lister.Add("first extent offset", 8);
  lister.Add("first extent length", 8);
  const std::uint64_t offset = lister.Add("overflow offset", 8);
  const std::uint64_t bytes = lister.Add("overflow bytes", 4);
  lister.Add("payload CRC", 4);
  for (const char* side : {"width", "height"}) lister.Add(side, 4);
  for (const char* fact :
       {"kind", "coding", "components", "bits", "orientation", "flags"}) {
    lister.Add(fact, 1);
  }
  lister.Add("padding", 2);
  return {offset, bytes};
}

void AddOverflow(Lister& lister) {
  lister.Add("record", 8);
  const std::uint64_t labels = lister.Add("labels", 4);
  for (std::uint64_t i = 0; i < labels; ++i) {
    lister.Add("label kind", 1);
    lister.Add("label", 8);
  }
  const std::uint64_t fields = lister.Add("fields", 4);
  for (std::uint64_t i = 0; i < fields; ++i) {
    const std::string field = "field " + std::to_string(i) + " ";
    lister.Skip(lister.Add(field + "name length", 4));
    lister.Skip(lister.Add(field + "type length", 4));
    const std::uint64_t rank = lister.Add(field + "rank", 4);
    for (std::uint64_t d = 0; d < rank; ++d) lister.Add(field + "side", 8);
    const std::uint64_t extents = lister.Add(field + "extents", 4);
    for (std::uint64_t e = 0; e < extents; ++e) {
      lister.Add(field + "extent offset", 8);
      lister.Add(field + "extent length", 8);
    }
  }
}

Digest128 DigestIn(const Json& json, const std::string& name) {
  return Digest128::FromHex(json.at(name).get<std::string>())
      .value_or(Digest128());
}

std::uint64_t NumberIn(const Json& json, const char* name) {
  return json.at(name).is_number_unsigned()
             ? json.at(name).get<std::uint64_t>()
             : static_cast<std::uint64_t>(json.at(name).get<std::int64_t>());
}

// "classes_digest": over name and label of each.
Digest128 ClassesDigest(const Json& classes) {
  Xxh3Stream stream;
  for (const Json& info : classes) {
    const std::string name =
        UnescapeBytes(info.at("name").get<std::string>()).value_or("");
    stream.UpdateLe(static_cast<std::uint32_t>(name.size()));
    stream.Update(AsBytes(name));
    stream.UpdateLe(NumberIn(info, "label"));
  }
  return stream.Digest();
}

// Each member "..._digest" that the splits have too is their sum; but the one
// of the order, which is over theirs.
void MakeSums(Json& manifest) {
  std::uint64_t samples = 0;
  for (Json& split : manifest["splits"]) {
    std::uint64_t sum = 0;
    for (const Json& shard : split["shards"]) sum += NumberIn(shard, "samples");
    split["samples"] = sum;
    samples += sum;
  }
  manifest["samples"] = samples;
  manifest["classes_digest"] = ClassesDigest(manifest["classes"]).ToHex();
  for (auto& [name, value] : manifest.items()) {
    const Json& splits = manifest["splits"];
    if (!name.ends_with("_digest") || splits.empty() ||
        !splits[0].contains(name)) {
      continue;
    }
    Digest128 sum;
    Xxh3Stream stream;
    for (const Json& split : splits) {
      const Digest128 digest = DigestIn(split, name);
      sum += digest;
      stream.UpdateLe(digest.low);
      stream.UpdateLe(digest.high);
    }
    value = (name == "order_digest" ? stream.Digest() : sum).ToHex();
  }
}

void FindNumbers(const Json& json, const Json::json_pointer& at,
                 std::vector<Json::json_pointer>& found) {
  if (json.is_number()) found.push_back(at);
  if (json.is_object()) {
    for (const auto& [name, value] : json.items()) {
      FindNumbers(value, at / name, found);
    }
  }
  for (std::size_t i = 0; json.is_array() && i < json.size(); ++i) {
    FindNumbers(json[i], at / i, found);
  }
}

}  // namespace

std::vector<FileNumber> NumbersOfSidecar(const std::string& bytes) {
  std::vector<FileNumber> numbers;
  Lister lister(bytes, numbers);
  AddHeader(0,
            {"samples", "overflow_offset", "frames_offset", "directory_offset",
             "file_bytes"},
            lister);
  const std::uint64_t samples = Load(bytes, 16, 8);
  const std::uint64_t area = Load(bytes, 24, 8);
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::string row = "row " + std::to_string(i) + ": ";
    lister.MoveTo(kPageBytes * (1 + i / kIndexRowsPerPage) +
                      i % kIndexRowsPerPage * kIndexRowBytes,
                  row);
    const auto [offset, size] = AddRow(lister);
    if (size == 0) continue;
    lister.MoveTo(area + offset, "overflow of " + row);
    AddOverflow(lister);
  }
  for (std::uint64_t i = 0; i < IndexFrames(samples); ++i) {
    lister.MoveTo(Load(bytes, 40, 8) + i * kIndexDirectoryBytes,
                  "key directory: ");
    lister.Add("offset", 8);
    lister.Add("stored bytes", 4);
    lister.Add("bytes", 4, kIndexMaxFrameBytes);
  }
  return numbers;
}

std::vector<FileNumber> NumbersOfEntryPoints(const std::string& bytes) {
  std::vector<FileNumber> numbers;
  Lister lister(bytes, numbers);
  const std::size_t header = bytes.size() - kPageBytes;
  AddHeader(header,
            {"samples", "images", "damaged", "directory_offset", "file_bytes"},
            lister);
  const std::uint64_t samples = Load(bytes, header + 16, 8);
  const std::uint64_t rows = Load(bytes, header + 40, 8);
  for (std::uint64_t i = 0; i < samples; ++i) {
    lister.MoveTo(rows + i / kEntryPointRowsPerPage * kPageBytes +
                      i % kEntryPointRowsPerPage * kEntryPointRowBytes,
                  "row " + std::to_string(i) + ": ");
    lister.Add("offset", 8);
    lister.Add("bytes", 4);
    lister.Add("payload CRC", 4);
  }
  return numbers;
}

void SetNumber(const FileNumber& number, std::uint64_t value,
               std::string& bytes) {
  Store(value, number.at, number.width, bytes);
}

std::string KeysOf(const std::string& sidecar) {
  const std::size_t entry = Load(sidecar, 40, 8);
  SHARDINE_CHECK(entry + kIndexDirectoryBytes == sidecar.size());
  const auto keys =
      ZstdDecompress(AsBytes(sidecar).subspan(Load(sidecar, entry, 8),
                                              Load(sidecar, entry + 8, 4)),
                     Load(sidecar, entry + 12, 4));
  SHARDINE_CHECK(keys.ok());
  return *keys;
}

void ReplaceKeys(const std::string& keys, std::string& sidecar) {
  const std::size_t begin = Load(sidecar, 32, 8);
  std::string entry = sidecar.substr(Load(sidecar, 40, 8));
  const std::string frame = ZstdCompress(AsBytes(keys));
  Store(frame.size(), 8, 4, entry);
  Store(keys.size(), 12, 4, entry);
  sidecar = sidecar.substr(0, begin) + frame + entry;
  Store(begin + frame.size(), 40, 8, sidecar);
  Store(sidecar.size(), 48, 8, sidecar);
}

void GiveOverflow(std::uint64_t row, std::string_view record,
                  std::string& sidecar) {
  const std::uint64_t area = Load(sidecar, 24, 8);
  const std::uint64_t frames = Load(sidecar, 32, 8);
  const std::size_t size = record.size() + 4;  // the CRC
  const std::size_t at = kPageBytes * (1 + row / kIndexRowsPerPage) +
                         row % kIndexRowsPerPage * kIndexRowBytes;
  std::string bytes(record);
  sidecar.insert(frames, bytes.append("CRC."));
  for (const std::size_t offset : {32U, 40U, 48U}) {
    Store(Load(sidecar, offset, 8) + size, offset, 8, sidecar);
  }
  for (std::size_t entry = Load(sidecar, 40, 8); entry < sidecar.size();
       entry += kIndexDirectoryBytes) {
    Store(Load(sidecar, entry, 8) + size, entry, 8, sidecar);
  }
  Store(frames - area, at + 48, 8, sidecar);
  Store(size, at + 56, 4, sidecar);
  Store(Load(sidecar, at + 77, 1) | 8, at + 77, 1, sidecar);
}

std::vector<Json::json_pointer> NumbersOfManifest(const Json& manifest) {
  std::vector<Json::json_pointer> found;
  FindNumbers(manifest, Json::json_pointer(), found);
  return found;
}

Json ManifestIn(const Files& files, const std::string& folder) {
  Json manifest = Json::parse(files.at(folder + "/shardine.json"));
  manifest.erase("xxh3_128");
  return manifest;
}

void PutManifest(Json manifest, Reseal reseal, const std::string& folder,
                 Files& files) {
  try {
    if (reseal == Reseal::kSums) MakeSums(manifest);
  } catch (const Json::exception&) {
    // A missing member, or one of another type, has no sum.
  }
  std::string text =
      manifest.dump(1, ' ', false, Json::error_handler_t::replace);
  if (text.ends_with("\n}")) text.replace(text.size() - 2, 2, ",\n");
  text += " \"xxh3_128\": \"" + Xxh3_128(AsBytes(text)).ToHex() + "\"\n}\n";
  files[folder + "/shardine.json"] = std::move(text);
}

void RefreshFiles(const Files& files, const std::string& folder, Json& json) {
  if (json.is_object() && json.contains("path") && json.contains("bytes") &&
      json["path"].is_string()) {
    const std::string path =
        UnescapeBytes(json["path"].get<std::string>()).value_or("");
    // Files that were indexed in place lie beside the folder.
    const auto file = files.find(path.starts_with("../") ? path.substr(3)
                                                         : folder + "/" + path);
    if (file != files.end()) {
      json["bytes"] = file->second.size();
      json["digest"] = Xxh3_128(AsBytes(file->second)).ToHex();
    }
  }
  for (Json& child : json) {
    if (child.is_structured()) RefreshFiles(files, folder, child);
  }
}

}  // namespace shardine
