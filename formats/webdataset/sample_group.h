// Gathers the files of an archive that make one sample: neighbours whose names
// have the same prefix. Rules: FORMAT.md, "Names".
#ifndef SHARDINE_FORMATS_WEBDATASET_SAMPLE_GROUP_H_
#define SHARDINE_FORMATS_WEBDATASET_SAMPLE_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "archive/tar_reader.h"
#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

// One file of a sample.
struct GroupMember {
  TarMember file;
  std::string extension;  // lower case
  ByteView bytes;
};

// Thread-compatible. The file must outlive the reader.
class SampleGroupReader {
 public:
  static constexpr std::uint64_t kMaxNames = std::uint64_t{16} << 20;

  SampleGroupReader(const RandomAccessFile& file, Compression compression)
      : reader_(file, compression) {}

  // False at the clean end of the archive. kCorrupt, besides TarReader's
  // errors, for an extension that a sample has twice; kUnsupported for names of
  // more than kMaxNames bytes in one sample.
  Result<bool> Next();

  // The members of the group that Next() found, in archive order, at least one.
  // Valid until the next call.
  const std::vector<GroupMember>& members() const { return members_; }
  const std::string& prefix() const { return prefix_; }
  // By ascending extension; nullptr if there is none.
  const GroupMember* Find(std::string_view extension) const;
  // From its first header to the end of its last file.
  ByteView bytes() const { return bytes_; }
  std::uint64_t offset() const { return members_.front().file.header; }

  bool compressed() const { return reader_.compressed(); }
  Status Error(Code code, std::uint64_t offset, std::string message) const {
    return reader_.Error(code, offset, std::move(message));
  }

 private:
  Result<bool> Take(TarMember file);
  Status FindBytes();
  void IndexExtensions();

  TarReader reader_;
  std::optional<TarMember> ahead_;  // the first of the next group
  bool ended_ = false;
  std::string prefix_;
  std::vector<GroupMember> members_;
  std::unordered_set<std::string> extensions_;
  std::uint64_t names_bytes_ = 0;
  std::vector<const GroupMember*> by_extension_;
  ByteView bytes_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_SAMPLE_GROUP_H_
