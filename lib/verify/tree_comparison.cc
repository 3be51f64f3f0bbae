#include "verify/tree_comparison.h"

#include <algorithm>
#include <utility>

#include "io/many_files.h"
#include "verify/reading_failure.h"

namespace shardine {
namespace {

constexpr std::size_t kMostHeld = 256;
constexpr std::uint64_t kMostHeldBytes = 16 << 20;

}  // namespace

void TreeComparison::Add(ByteView image, const Where& where) {
  auto path = tree_.PathOf(split_, where.key.value_or(""));
  if (!path) {
    findings_.push_back(
        Status(Code::kCorrupt, "the list names no such sample").At(where));
    return;
  }
  if (tree_.storage().many_files() == nullptr) {
    // A larger one differs, whatever is in it.
    const auto file = ReadFile(tree_.storage(), *path, image.size());
    return Judge(file.status(), file.ok() ? AsBytes(*file) : ByteView(), image,
                 *path, where);
  }
  held_.push_back({.path = *std::move(path),
                   .where = where,
                   .image = std::string(AsText(image))});
  held_bytes_ += image.size();
  if (held_.size() >= kMostHeld || held_bytes_ >= kMostHeldBytes) Finish();
}

void TreeComparison::Finish() {
  if (held_.empty()) return;
  std::vector<WholeFile> files;
  for (DeferredImage& held : held_) {
    held.file.resize(held.image.size());
    files.push_back({.path = held.path,
                     .mtime_ns = std::nullopt,
                     .out = std::as_writable_bytes(std::span(held.file))});
  }
  tree_.storage().many_files()->ReadWhole(files);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const DeferredImage& held = held_[i];
    Judge(files[i].status, AsBytes(held.file), AsBytes(held.image), held.path,
          held.where);
  }
  held_.clear();
  held_bytes_ = 0;
}

void TreeComparison::Judge(const Status& read, ByteView file, ByteView image,
                           const std::string& path, const Where& where) {
  // One of another size.
  const bool differs =
      read.code() == Code::kUnsupported || read.code() == Code::kChanged;
  if (!differs && !ReadingFailure(std::span(&read, 1)).ok()) {
    findings_.push_back(read);
  } else if (!differs && !read.ok()) {
    findings_.push_back(
        Status(Code::kCorrupt, "the tree has no such image: " + read.ToString())
            .At(where));
  } else if (differs || !std::ranges::equal(file, image)) {
    findings_.push_back(
        Status(Code::kCorrupt, "differs from " + path).At(where));
  }
}

}  // namespace shardine
