#include "source/source_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "base/ascii.h"
#include "base/bytes.h"

namespace shardine {
namespace {

constexpr std::array<std::string_view, 14> kTextSuffixes = {
    ".txt", ".text", ".caption", ".json", ".jsonl", ".xml", ".csv",
    ".tsv", ".md",   ".yaml",    ".yml",  ".html",  ".srt", ".vtt"};

}  // namespace

const char* FileFault(const Result<FileInfo>& info, bool is_link) {
  if (info.ok()) {
    return info->kind == FileKind::kRegular ? nullptr : "not-a-file";
  }
  const Status status = info.status();
  if (status.code() == Code::kNotFound) {
    return is_link ? "dangling-link" : "missing";
  }
  return status.system_error() == ELOOP ? "link-loop" : "unreadable";
}

void AddSourceFile(ReadableStorage& storage, const SourceFile& file,
                   SourceSet& set) {
  const std::string key(file.key);
  const Result<FileInfo> info =
      storage.Stat(JoinPath(set.roots[file.root], key));
  if (const char* fault = FileFault(info, file.is_link)) {
    set.bad.push_back({key, fault, file.root});
    return;
  }
  const std::size_t index =
      set.samples.Add(key, file.id, file.labels, file.split);
  set.samples.SetRoot(index, file.root);
  set.samples.SetFacts(index, {info->size, info->mtime_ns});
}

bool HasImageSuffix(std::string_view name) {
  constexpr std::string_view kSuffixes[] = {".jpg", ".jpeg", ".png",
                                            ".ppm", ".bmp",  ".pgm",
                                            ".tif", ".tiff", ".webp"};
  return std::any_of(
      std::begin(kSuffixes), std::end(kSuffixes), [name](auto suffix) {
        return name.size() >= suffix.size() &&
               std::equal(suffix.rbegin(), suffix.rend(), name.rbegin(),
                          [](char a, char b) { return a == LowerAscii(b); });
      });
}

bool MayBeImage(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return true;
  const std::string suffix = LowerAscii(name.substr(dot));
  return suffix == ".jfif" || suffix == ".jpe" || suffix == ".jif";
}

bool IsImageByContent(ReadableStorage& storage, const std::string& path) {
  constexpr std::string_view kJpeg = "\xff\xd8\xff";
  constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";
  const auto info = storage.Stat(path);
  if (!info.ok() || info->kind != FileKind::kRegular) return false;
  const auto file = storage.Open(path);
  if (!file.ok()) return false;
  std::array<std::byte, kPng.size()> bytes;
  const auto count = (*file)->ReadAt(0, bytes);
  if (!count.ok()) return false;
  const std::string_view begin = AsText(ByteView(bytes).first(*count));
  return begin.starts_with(kJpeg) || begin == kPng;
}

std::string_view FolderOfPath(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

bool IsTextName(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot != name.npos &&
         std::ranges::find(kTextSuffixes, name.substr(dot)) !=
             kTextSuffixes.end();
}

std::string_view StemOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t begin = slash == path.npos ? 0 : slash + 1;
  const std::size_t dot = path.rfind('.');
  // A name such as ".jpg" has no other stem.
  return dot == path.npos || dot <= begin ? path : path.substr(0, dot);
}

}  // namespace shardine
