// ArchiveStorage: archives read as the folders that they unpack to.
#ifndef SHARDINE_ARCHIVE_ARCHIVE_STORAGE_H_
#define SHARDINE_ARCHIVE_ARCHIVE_STORAGE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/member_file.h"
#include "archive/tar_index.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

enum class ArchiveKind : std::uint8_t { kTar, kCompressedTar, kZip };

// By the first bytes of the file; nullopt: it is no archive that is read.
Result<std::optional<ArchiveKind>> KindOfArchive(const RandomAccessFile& file);

// A path that leads through an archive's names its member, and the storage
// below answers for any other. Members have the time of their archive and no
// identity. Nothing is unpacked to a disk. Thread-compatible while archives are
// added, thread-safe afterwards.
class ArchiveStorage : public ReadableStorage {
 public:
  // Facts that people are told about an archive.
  struct Added {
    std::uint64_t repeated = 0;   // members that a later one of the name hides
    std::uint64_t left_out = 0;   // of macOS, in __MACOSX/
    std::uint64_t in_memory = 0;  // bytes that are held
  };

  // `below` must outlive it.
  explicit ArchiveStorage(ReadableStorage& below) : below_(below) {}

  // Reads the directory of the archive. Failures: those of IndexTar(),
  // IndexZip() and DecompressTar(); kUnsupported, too, for a file of no kind.
  Result<Added> Add(const std::string& path, const IsWanted& is_wanted);

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;
  // kChanged if the archive is gone or is not as it was when it was added.
  Result<FileInfo> Stat(const std::string& path) override;
  Result<std::vector<DirEntry>> List(const std::string& directory) override;
  Result<std::string> AddressOf(const std::string& path) override;
  std::optional<std::string> NativePath(const std::string& path) const override;

  // The storage that the archives are files of.
  const ReadableStorage& below() const { return below_; }

 private:
  using Archives = std::map<std::string, std::shared_ptr<const OpenArchive>>;
  // An archive and the path of a member in it.
  struct Member {
    std::shared_ptr<const OpenArchive> archive;
    std::string path;
  };

  std::optional<Member> Find(const std::string& path) const;
  Status CheckUnchanged(const OpenArchive& archive);

  ReadableStorage& below_;
  Archives archives_;
};

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_ARCHIVE_STORAGE_H_
