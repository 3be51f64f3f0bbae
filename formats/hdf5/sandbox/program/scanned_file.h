// The file that the sandboxed process has open: its datasets, their rows, and
// where their chunks lie.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_SCANNED_FILE_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_SCANNED_FILE_H_

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hdf5/sandbox/program/chunk_reader.h"
#include "hdf5/sandbox/program/parent.h"

namespace shardine {

// Failures throw SandboxFailure; the library stays usable.
struct SandboxFailure {
  std::string text;
  bool damage = true;  // else the library has no means for the file
};
// The memory of this process has a bound, whatever the file is.
inline SandboxFailure OutOfMemory() { return {"out of memory", false}; }
// `what`, followed by the library's message of its last failure. An unknown
// form or a lack of memory is not reported as damage.
SandboxFailure LibraryFailure(const std::string& what);
[[noreturn]] inline void FailWith(const std::string& what) {
  throw LibraryFailure(what);
}

class ScannedFile {
 public:
  // Opens the parent's file and sends kHeader and a kDataset for each dataset
  // at most two groups deep, in order of names. Links to other files, and
  // symbolic ones, are not followed.
  ScannedFile(Parent& parent, hid_t access);
  ScannedFile(const ScannedFile&) = delete;
  ScannedFile& operator=(const ScannedFile&) = delete;
  ~ScannedFile();

  // False if the library did not let go of all there was: this process should
  // not be used for another file.
  bool Close();

  // kData pieces: `count` rows, elements little-endian, references as they are
  // in the file.
  void SendRows(std::uint64_t dataset, std::uint64_t first,
                std::uint64_t count);
  // kData pieces: place of each chunk, counted in C order; ~0 and 0 for one
  // that is not there.
  void SendChunks(std::uint64_t dataset, std::uint64_t first,
                  std::uint64_t count);

  // kData: Hdf5Unwritten.
  void SendUnwritten(std::uint64_t dataset);

  // A kSplit for each row of Fuel's attribute.
  void SendSplits();

 private:
  static herr_t OnLink(hid_t group, const char* name, const H5L_info_t* link,
                       void* data);
  void List(hid_t group, const std::string& path, int depth);
  void Describe(hid_t group, const std::string& path, const char* name);
  struct Opened {
    hid_t id = H5I_INVALID_HID;
    std::string path;
    Hdf5Dataset info;
    std::unique_ptr<ChunkReader> chunks;  // null: the library reads rows
  };
  Opened& Open(std::uint64_t dataset);
  void ReadRows(Opened& opened, std::uint64_t first, std::uint64_t count,
                std::span<std::byte> rows);
  void SendBytes(ByteView bytes);

  Parent& parent_;
  hid_t file_ = H5I_INVALID_HID;
  Hdf5Widths widths_;
  std::vector<std::string> paths_;
  std::map<std::uint64_t, Opened> open_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_SCANNED_FILE_H_
