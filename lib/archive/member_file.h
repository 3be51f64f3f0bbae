// Contents of a member of an archive, as a file.
#ifndef SHARDINE_ARCHIVE_MEMBER_FILE_H_
#define SHARDINE_ARCHIVE_MEMBER_FILE_H_

#include <memory>
#include <string>

#include "archive/archive_index.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// An archive that is open, and its directory.
struct OpenArchive {
  std::unique_ptr<RandomAccessFile> file;  // a plain tar, or a zip
  ArchiveIndex index;
  FileInfo info = {};  // of the archive, when it was opened
};

// `name` is the member's path, `place` lies in the archive. Thread-safe. A
// stored member is read where it lies, a deflated one as a whole for each read
// from its start, and once into memory for a read from elsewhere. kCorrupt with
// the path and byte of the archive, and the member in the message: bytes that
// do not inflate to the stated size and checksum, or a stored member that is
// read at once and has another checksum.
std::unique_ptr<RandomAccessFile> OpenMember(
    std::shared_ptr<const OpenArchive> archive, std::string name,
    const MemberPlace& place);

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_MEMBER_FILE_H_
