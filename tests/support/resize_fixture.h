// Fixture of tests of resize: a small tree of images in memory.
#ifndef SHARDINE_TESTS_SUPPORT_RESIZE_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_RESIZE_FIXTURE_H_

#include <string>

#include "io/memory_storage.h"
#include "shardine/resize.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine {

// Five images in two classes and a deeper folder, one of them a PNG.
inline void PutPhotos(MemoryStorage& storage, const std::string& tree) {
  storage.Put(tree + "/a/1.jpg", MakeJpeg({.width = 40, .height = 30}));
  storage.Put(tree + "/a/2.JPEG",
              MakeJpeg({.width = 25, .height = 61, .color = JpegColor::kGray}));
  storage.Put(tree + "/a/3.png", MakePng({.width = 50, .height = 20}));
  storage.Put(tree + "/b/1.jpg",
              MakeJpeg({.width = 64, .height = 64, .progressive = true}));
  storage.Put(tree + "/b/deep/er/1.jpeg",
              MakeJpeg({.width = 9, .height = 9, .seed = 5}));
}

// Options that make two sizes of `tree`.
inline ResizeOptions ResizeOf(const std::string& tree,
                              const std::string& output) {
  ResizeOptions options;
  options.source.folders = {{"train", tree}};
  options.output = output;
  options.short_sides = {8, 16};
  options.threads = 2;
  return options;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_RESIZE_FIXTURE_H_
