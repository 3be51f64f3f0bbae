// One file of a source: looked at, not read.
#ifndef SHARDINE_SOURCE_SOURCE_FILE_H_
#define SHARDINE_SOURCE_SOURCE_FILE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/label.h"
#include "source/source_set.h"

namespace shardine {

struct SourceFile {
  std::string_view key;
  std::uint64_t id = 0;
  std::span<const Label> labels;
  std::uint32_t split = 0;  // into SourceSet::splits
  std::uint32_t root = 0;   // into SourceSet::roots
  bool is_link = false;     // known to be a symbolic link
};

// Adds the file roots[root]/key, whose key is its path, to set.samples with its
// size and mtime, or to set.bad with the reason.
void AddSourceFile(ReadableStorage& storage, const SourceFile& file,
                   SourceSet& set);

// Why a file cannot be read, in a word of SourceSet::bad; nullptr: it can.
// `is_link`: it is known to be a symbolic link.
const char* FileFault(const Result<FileInfo>& info, bool is_link);

// True for the suffixes of torchvision's IMG_EXTENSIONS, in any case.
bool HasImageSuffix(std::string_view name);
// The folder of a path, or empty.
std::string_view FolderOfPath(std::string_view path);
// Whether a name has a suffix of texts, in lower case: .txt, .json, .xml.
bool IsTextName(std::string_view name);
// An image's path without the suffix of its name.
std::string_view StemOf(std::string_view path);

// Whether the first bytes are to tell if a file is an image: no suffix, or one
// that programs save JPEGs with and torchvision does not take: .jfif, .jpe,
// .jif.
bool MayBeImage(std::string_view name);

// Whether the first bytes are those of a JPEG or PNG. False for a
// file that is not regular, or cannot be read.
bool IsImageByContent(ReadableStorage& storage, const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SOURCE_FILE_H_
