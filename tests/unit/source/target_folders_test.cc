#include <catch2/catch.hpp>
#include <string>

#include "unit/source/source_fixture.h"

namespace shardine::target_folders_test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("Targets are refused with the pairs that they are",
          "[target_folders]") {
  MemoryStorage storage;
  PutAll(storage, {"t/images/1.jpg", "t/images/2.jpg", "t/Masks/1.png",
                   "t/Masks/2.png"});
  const std::string pairs = LoadError(storage, TreeOptions()).message();
  CHECK_THAT(pairs,
             Contains("; the pairs of t/images without class folders are "
                      "mask=/"));
  CHECK_THAT(pairs, Contains("/t/Masks/{stem}.png"));
  MemoryStorage deep;
  PutAll(deep, {"t/images/a/1.jpg", "t/annotations/a/1.xml"});
  CHECK_THAT(LoadError(deep, TreeOptions()).message(),
             Contains("; the pairs of t/images are annotation=/") &&
                 Contains("/t/annotations/{dir}/{stem}.xml"));
}

// field report B5.
TEST_CASE("Images and their masks are no two classes", "[target_folders]") {
  for (const char* name :
       {"masks", "Labels", "annotations", "SEGMENTATIONS", "images_mask",
        "labels-png", "SegmentationClass", "gtFine", "target"}) {
    INFO(name);
    const std::string target = "t/" + std::string(name);
    MemoryStorage storage;
    PutAll(storage, {"t/images/1.jpg", "t/images/b/2.jpg", target + "/1.png",
                     target + "/b/2.png"});
    CHECK_THAT(LoadError(storage, TreeOptions()).ToString(),
               Contains("2 files of equal names: pairs of an image and its"));
    // A user that names them as classes means them.
    storage.Put("map", "images\n" + std::string(name) + "\n");
    SourceOptions options = TreeOptions();
    options.label_map = "map";
    CHECK(Load(storage, options).samples.size() == 4);
  }
}

TEST_CASE("A folder of annotations without images is no empty class",
          "[target_folders]") {
  for (const EmptyClasses empty :
       {EmptyClasses::kRefuse, EmptyClasses::kKeep, EmptyClasses::kDrop}) {
    MemoryStorage storage;
    PutAll(storage, {"t/train2017/1.jpg", "t/annotations/instances.json"});
    SourceOptions options = TreeOptions();
    options.empty_classes = empty;
    CHECK_THAT(
        LoadError(storage, options).ToString(),
        Contains("annotations holds no images, and is named as targets"));
  }
}

TEST_CASE("A class that is called as targets are is a class",
          "[target_folders]") {
  MemoryStorage storage;
  // Goods of a shop, numbered in each class.
  PutAll(storage, {"t/hats/1.jpg", "t/masks/1.jpg", "t/shoes/1.jpg"});
  CHECK(Load(storage, TreeOptions()).classes.size() == 3);
  MemoryStorage two;
  PutAll(two, {"t/depth/1.jpg", "t/depth/2.jpg", "t/width/3.jpg"});
  CHECK(Load(two, TreeOptions()).classes.size() == 2);
  MemoryStorage faces;
  PutAll(faces, {"t/with_mask/1.jpg", "t/without_mask/1.jpg"});
  CHECK(Load(faces, TreeOptions()).classes.size() == 2);
  MemoryStorage words;
  PutAll(words, {"t/masked/1.jpg", "t/labelled/1.jpg", "t/unmasked/1.jpg"});
  CHECK(Load(words, TreeOptions()).classes.size() == 3);
}

}  // namespace
}  // namespace shardine::target_folders_test
