#include "webdataset/webdataset_index.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "archive/tar_reader.h"
#include "base/ascii.h"
#include "base/status_macros.h"
#include "webdataset/member_name.h"
#include "webdataset/sample_json.h"
#include "webdataset/sample_members.h"

namespace shardine {
namespace {

constexpr std::string_view kIndexVersion = "v1.2 ";

// Goes through the headers of a shard, and collects their lines.
class ShardHeaders {
 public:
  // `ids` are the samples', where they are known.
  explicit ShardHeaders(std::span<const std::uint64_t> ids = {}) : ids_(ids) {}

  Status Read(const RandomAccessFile& file) {
    SHARDINE_ASSIGN_OR_RETURN(const Compression compression,
                              CompressionOfTar(file));
    TarReader reader(file, compression);
    for (;;) {
      SHARDINE_ASSIGN_OR_RETURN(const auto member, reader.Next());
      if (!member) return Status();
      Add(*member);
      SHARDINE_RETURN_IF_ERROR(ReadId(*member, reader));
      SHARDINE_RETURN_IF_ERROR(reader.Release(member->end()));
    }
  }

  std::string IndexText() const { return index_.Text(); }

  // The first sample that differs; nullopt if they are the same.
  std::optional<std::size_t> FirstDifference(
      std::span<const std::uint64_t> offsets,
      std::span<const std::uint64_t> ids) const {
    const std::size_t count = std::min(offsets.size(), samples_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Sample& sample = samples_[i];
      if (sample.offset != offsets[i]) return i;
      // Samples without ids in the shard were numbered elsewhere.
      if (ids.size() == offsets.size() && sample.id && *sample.id != ids[i]) {
        return i;
      }
    }
    if (samples_.size() == offsets.size()) return std::nullopt;
    return count;
  }

 private:
  struct Sample {
    std::uint64_t offset;
    std::optional<std::uint64_t> id;
  };

  void Add(const TarMember& member) {
    index_.Add(member.name, member.data, member.size);
    const auto name = SplitMemberName(member.name);
    if (!name || (!samples_.empty() && name->prefix == prefix_)) return;
    prefix_ = name->prefix;
    samples_.push_back({member.header, IdOfPrefix(prefix_)});
  }

  // Where keys name the files, a number in a name is a part of the key, and the
  // sample's .json has the id. It is read where the number is another.
  Status ReadId(const TarMember& member, TarReader& reader) {
    if (samples_.empty() || samples_.size() > ids_.size()) return Status();
    const auto& said = samples_.back().id;
    if (!said || *said == ids_[samples_.size() - 1]) return Status();
    const auto name = SplitMemberName(member.name);
    if (!name || member.size > kMaxJson) return Status();
    const std::string extension = LowerAscii(name->extension);
    if (extension != kJson && extension != kOwnJson) return Status();
    SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes,
                              reader.View(member.data, member.size));
    SampleJson json;
    // The scan reports JSON that is damaged or of another program.
    if (IsSampleJson(AsText(bytes)) &&
        ParseSampleJson(AsText(bytes), json).ok() && json.id) {
      samples_.back().id = json.id;
    }
    return Status();
  }

  static constexpr std::uint64_t kMaxJson = std::uint64_t{16} << 20;

  const std::span<const std::uint64_t> ids_;
  WdsIndexBuilder index_;
  std::string prefix_;
  std::vector<Sample> samples_;
};

Status CompareTexts(const std::string& found, const std::string& expected,
                    const std::string& path) {
  if (found == expected) return Status();
  const auto [at, end] = std::ranges::mismatch(found, expected);
  const auto offset = static_cast<std::uint64_t>(at - found.begin());
  const auto line =
      static_cast<std::uint64_t>(std::count(found.begin(), at, '\n'));
  return Status(Code::kCorrupt,
                "line " + std::to_string(line + 1) +
                    " is not what the shard's headers say; make the index "
                    "anew from the .tar")
      .At({.path = path, .offset = offset, .record = line});
}

}  // namespace

void WdsIndexBuilder::Add(std::string_view name, std::uint64_t data_offset,
                          std::uint64_t size) {
  // The name is split as wds2idx does: without a dot the name loses its last
  // letter and is its own extension.
  const std::size_t slash = name.rfind('/');
  const std::size_t dot = name.find('.', slash == name.npos ? 0 : slash + 1);
  const std::string_view prefix =
      name.substr(0, dot == name.npos ? name.size() - !name.empty() : dot);
  // A hidden file has no name in front of its dot, and the tool passes it over.
  if (prefix.empty() || prefix.ends_with('/')) return;
  if (prefix == prefix_) {
    // The line of the sample before goes on: its newline becomes a blank.
    lines_.back() = ' ';
  } else {
    prefix_ = prefix;
    ++samples_;
  }
  lines_ += dot == name.npos ? name : name.substr(dot + 1);
  lines_ += ' ';
  lines_ += std::to_string(data_offset);
  lines_ += ' ';
  lines_ += std::to_string(size);
  lines_ += ' ';
  lines_ += name;
  lines_ += '\n';
}

std::string WdsIndexBuilder::Text() const {
  std::string text(kIndexVersion);
  text += std::to_string(samples_);
  text += '\n';
  text += lines_;
  return text;
}

Status CheckWdsIndex(ReadableStorage& storage, const ShardPaths& paths,
                     std::span<const std::uint64_t> record_offsets,
                     std::span<const std::uint64_t> ids) {
  SHARDINE_ASSIGN_OR_RETURN(const auto shard, storage.Open(paths.shard));
  ShardHeaders headers(ids);
  SHARDINE_RETURN_IF_ERROR(headers.Read(*shard));
  if (const auto record = headers.FirstDifference(record_offsets, ids)) {
    return Status(Code::kCorrupt,
                  "the shard's headers say other samples than those scanned")
        .At({.path = paths.shard, .record = *record});
  }
  // The index has one form, so it is made again and compared, which needs no
  // parser and finds every kind of damage.
  const std::string expected = headers.IndexText();
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(paths.companion));
  std::string found;
  // One byte more shows that it goes on.
  found.resize(static_cast<std::size_t>(
      std::min<std::uint64_t>(file->size(), expected.size() + 1)));
  SHARDINE_RETURN_IF_ERROR(
      file->ReadExactly(0, std::as_writable_bytes(std::span(found))));
  return CompareTexts(found, expected, paths.companion);
}

Result<std::string> WdsIndexOf(const RandomAccessFile& tar) {
  SHARDINE_ASSIGN_OR_RETURN(const Compression compression,
                            CompressionOfTar(tar));
  if (compression != Compression::kNone) {
    return Status(Code::kUnsupported,
                  "is compressed: an index has no places in it to tell")
        .At({.path = tar.path()});
  }
  ShardHeaders headers;
  SHARDINE_RETURN_IF_ERROR(headers.Read(tar));
  return headers.IndexText();
}

}  // namespace shardine
