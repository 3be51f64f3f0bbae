#include "source/image_folder.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "source/source_file.h"
#include "unit/source/source_fixture.h"

namespace shardine::image_folder_test {
namespace {

TEST_CASE("ImageFolder lists a tree in the order of torchvision",
          "[image_folder]") {
  // samples of torchvision.datasets.folder.make_dataset over this tree.
  const Strings expected = {"train/0 B/x.ppm =0",
                            "train/1 a/ x.jpg =1",
                            "train/2 a/new\nline.jpg =1",
                            "train/3 a/quo\"te.jpg =1",
                            "train/4 a/x.jpg =1",
                            "train/5 a/\xe2\x82\xac.jpg =1",
                            "train/6 a/\xe2\x82.jpg =1",
                            "train/7 a/\xe2\x82z.jpg =1",
                            "train/8 a/d.jpg/inner.png =1",
                            "train/9 a-b/x.jpeg =2",
                            "train/10 b/1.JPG =3",
                            "train/11 b/10.jpg =3",
                            "train/12 b/2.jpg =3",
                            "train/13 b/sub/a.png =3",
                            "train/14 b/sub-2/a.png =3",
                            "train/15 b/sub.d/q.webp =3",
                            "train/16 b/sub/deep/z.tiff =3",
                            "train/17 \xc3\xa9/x.jpg =4",
                            "train/18 \xe2\x82/x.jpg =5",
                            "train/19 \xed\xa0\x80/x.jpg =6",
                            "train/20 \xff/x.jpg =7",
                            "train/21 \xee\x80\x80/x.jpg =8",
                            "train/22 \xf0\x9f\x90\xb1/x.jpg =9"};
  MemoryStorage storage;
  for (const std::string& row : expected) {
    const std::size_t begin = row.find(' ') + 1;
    storage.Put("t/" + row.substr(begin, row.rfind(" =") - begin), "bytes");
  }
  CHECK(RowsOf(Load(storage, TreeOptions())) == expected);
  BackwardStorage backward(storage);
  CHECK(RowsOf(Load(backward, TreeOptions())) == expected);
}

TEST_CASE("Files without a suffix of images are looked at", "[image_folder]") {
  const std::string jpeg = "\xff\xd8\xff\xe0 and more";
  MemoryStorage storage;
  for (const char* name : {"1", "2.jfif", "3.JPE", "4.jif", "5.txt"}) {
    storage.Put("t/a/" + std::string(name), jpeg);
  }
  storage.Put("t/a/6", "\x89PNG\r\n\x1a\n...");
  for (const char* name : {"7", "8.jfif"}) {
    storage.Put("t/a/" + std::string(name), "\xff\xd8");
  }
  const SourceSet set = Load(storage, TreeOptions());
  CHECK(KeysOf(set) == Strings{"a/1", "a/2.jfif", "a/3.JPE", "a/4.jif", "a/6"});
  CHECK(ProblemsOf(set.ignored) == Strings{"not-an-image-suffix a/5.txt",
                                           "not-an-image-suffix a/7",
                                           "not-an-image-suffix a/8.jfif"});
}

TEST_CASE("ImageFolder takes the suffixes of torchvision in any case",
          "[image_folder]") {
  for (const char* name : {"a.jpg", "a.JPEG", "a.Png", "a.ppm", "a.bmp",
                           "a.pgm", "a.tif", "a.TIFF", "a.webp", "a.txt.jpg"}) {
    INFO(name);
    CHECK(HasImageSuffix(name));
  }
  for (const char* name : {"a.gif", "jpg", "a.jpg.txt", "a.jp", "a.npy", "",
                           "a.jpgx", "ajpg", "a.jpg "}) {
    INFO(name);
    CHECK_FALSE(HasImageSuffix(name));
  }
}

TEST_CASE("ImageFolder knows the size and time of each file",
          "[image_folder]") {
  MemoryStorage storage;
  storage.Put("t/a/1.jpg", "123");
  storage.Put("t/a/2.jpg", "");
  storage.PutSymlink("t/a/3.jpg", "1.jpg");
  const SourceSet set = Load(storage, TreeOptions());
  REQUIRE(set.samples.size() == 3);
  CHECK(set.samples.facts(0).size == 3);
  CHECK(set.samples.facts(1).size == 0);
  CHECK(set.samples.facts(2) == set.samples.facts(0));
  const auto info = storage.Stat("t/a/2.jpg");
  REQUIRE(info.ok());
  CHECK(set.samples.facts(1).mtime_ns == info->mtime_ns);
}

TEST_CASE("ImageFolder reports what it leaves out, in order",
          "[image_folder]") {
  MemoryStorage storage;
  PutAll(storage,
         {"t/b/x.jpg", "t/b/notes.txt", "t/b/.thumb.jpg", "t/b/.cache/y.jpg",
          "t/a/readme", "t/loose.jpg", "t/README.md", "t/.git/x.jpg"});
  REQUIRE(storage.CreateDirectories("t/c/deep").ok());
  SourceOptions options = TreeOptions();
  options.empty_classes = EmptyClasses::kKeep;
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/0 b/x.jpg =1"});
  CHECK(ClassesOf(set) == Strings{"0 a x0", "1 b x1", "2 c x0"});
  const Strings expected = {"hidden .git",
                            "not-an-image-suffix README.md",
                            "not-in-a-class loose.jpg",
                            "not-an-image-suffix a/readme",
                            "empty-class a",
                            "hidden b/.cache",
                            "hidden b/.thumb.jpg",
                            "not-an-image-suffix b/notes.txt",
                            "empty-class c"};
  CHECK(ProblemsOf(set.ignored) == expected);
  CHECK(set.bad.empty());
  BackwardStorage backward(storage);
  CHECK(ProblemsOf(Load(backward, options).ignored) == expected);
}

TEST_CASE("ImageFolder gives files that cannot be read a reason and an id",
          "[image_folder]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a/1.jpg", "t/a/5.jpg", "t/a/7.jpg"});
  storage.PutFifo("t/a/2.jpg");
  storage.PutSymlink("t/a/3.jpg", "nowhere");
  storage.PutSymlink("t/a/4.jpg", "4.jpg");
  storage.PutSymlink("t/a/6.jpg", "2.jpg");
  storage.PutFifo("t/a/pipe");
  storage.PutSymlink("t/a/note", "nowhere");
  const SourceSet set = Load(storage, TreeOptions());
  CHECK(RowsOf(set) == Strings{"train/0 a/1.jpg =0", "train/4 a/5.jpg =0",
                               "train/6 a/7.jpg =0"});
  CHECK(ProblemsOf(set.bad) ==
        Strings{"not-a-file a/2.jpg", "dangling-link a/3.jpg",
                "link-loop a/4.jpg", "not-a-file a/6.jpg"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"not-an-image-suffix a/note", "not-an-image-suffix a/pipe"});
}

TEST_CASE("ImageFolder calls a file whose stat fails unreadable",
          "[image_folder]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a/1.jpg", "t/a/2.jpg"});
  FaultStorage probe(storage, {.operation = Operation::kLock});
  Load(probe, TreeOptions());
  const std::uint64_t stats = probe.calls(Operation::kStat);
  FaultStorage fault(
      storage,
      {.operation = Operation::kStat, .call = stats - 1, .error = EACCES});
  const SourceSet set = Load(fault, TreeOptions());
  CHECK(RowsOf(set) == Strings{"train/0 a/1.jpg =0"});
  CHECK(ProblemsOf(set.bad) == Strings{"unreadable a/2.jpg"});
}

TEST_CASE("ImageFolder follows links to files and folders", "[image_folder]") {
  MemoryStorage storage;
  PutAll(storage, {"else/x.jpg", "else/sub/y.jpg", "t/a/1.jpg"});
  storage.PutSymlink("t/b", "../else");
  storage.PutSymlink("t/a/more", "../../else/sub");
  storage.PutSymlink("t/a/0.jpg", "../../else/x.jpg");
  storage.PutSymlink("t/a/dir.jpg", "../../else/sub");
  CHECK(RowsOf(Load(storage, TreeOptions())) ==
        Strings{"train/0 a/0.jpg =0", "train/1 a/1.jpg =0",
                "train/2 a/dir.jpg/y.jpg =0", "train/3 a/more/y.jpg =0",
                "train/4 b/x.jpg =1", "train/5 b/sub/y.jpg =1"});
}

TEST_CASE("ImageFolder ends at a link to a folder that it lies in",
          "[image_folder]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a/1.jpg", "t/a/sub/2.jpg"});
  storage.PutSymlink("t/a/self", ".");
  storage.PutSymlink("t/a/sub/up", "..");
  storage.PutSymlink("t/a/sub/top", "../..");
  storage.PutSymlink("t/round", "../t");
  // The same folder twice is no loop.
  storage.PutSymlink("t/b", "a/sub");
  const SourceSet set = Load(storage, TreeOptions());
  CHECK(KeysOf(set) ==
        Strings{"a/1.jpg", "a/sub/2.jpg", "b/2.jpg", "b/up/1.jpg"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"link-loop round", "link-loop a/self", "link-loop a/sub/top",
                "link-loop a/sub/up", "link-loop b/top", "link-loop b/up/self",
                "link-loop b/up/sub"});
  CHECK(ClassesOf(set) == Strings{"0 a x2", "1 b x2"});
}

TEST_CASE("ImageFolder takes a folder of images without labels",
          "[image_folder]") {
  MemoryStorage storage;
  PutAll(storage, {"t/b.jpg", "t/a.jpg", "t/notes", "t/.hidden/x.jpg"});
  SourceOptions options = TreeOptions();
  options.unlabelled = true;
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/0 a.jpg", "train/1 b.jpg"});
  CHECK(set.classes.empty());
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"hidden .hidden", "not-an-image-suffix notes"});
}

TEST_CASE("ImageFolder refuses a tree of splits with the way out",
          "[image_folder]") {
  for (const char* second : {"val", "valid", "validation", "test", "train"}) {
    MemoryStorage storage;
    PutAll(storage, {"t/train/a/x.jpg", std::string("t/") + second + "/y.jpg",
                     "t/README", "t/.git/x"});
    const Status status = LoadError(storage, TreeOptions());
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.where().path == "t");
    CHECK(status.message().find(" train=t/train") != std::string::npos);
    CHECK(status.message().find(std::string(second) + "=t/" + second) !=
          std::string::npos);
  }
  MemoryStorage storage;
  PutAll(storage, {"t/train/x.jpg", "t/car/y.jpg"});
  CHECK(Load(storage, TreeOptions()).classes.size() == 2);
}

TEST_CASE("ImageFolder refuses a source without images", "[image_folder]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("t/a").ok());
  const Status empty = LoadError(storage, TreeOptions());
  CHECK(empty.code() == Code::kInvalidArgument);
  CHECK(empty.ToString() == "t: no images");
}

TEST_CASE("ImageFolder says which folder is missing or cannot be listed",
          "[image_folder]") {
  MemoryStorage storage;
  const Status missing = LoadError(storage, TreeOptions());
  CHECK(missing.code() == Code::kNotFound);
  CHECK(missing.where().path == "t");

  PutAll(storage, {"t/a/1.jpg", "t/b/sub/2.jpg"});
  FaultStorage probe(storage, {.operation = Operation::kLock});
  Load(probe, TreeOptions());
  const std::uint64_t lists = probe.calls(Operation::kList);
  CHECK(lists == 4);
  const Strings folders = {"t", "t/a", "t/b", "t/b/sub"};
  for (std::uint64_t call = 0; call < lists; ++call) {
    FaultStorage fault(
        storage,
        {.operation = Operation::kList, .call = call, .error = EACCES});
    const Status status = LoadError(fault, TreeOptions());
    CHECK(status.code() == Code::kIo);
    CHECK(status.where().path == folders[call]);
    CHECK(status.system_error() == EACCES);
  }
}

TEST_CASE("ImageFolder refuses a source that is a file", "[image_folder]") {
  MemoryStorage storage;
  storage.Put("t", "bytes");
  CHECK(LoadError(storage, TreeOptions()).system_error() == ENOTDIR);
}

TEST_CASE("ImageFolder takes no dataset or resized tree for a class",
          "[image_folder]") {
  MemoryStorage storage;
  PutAll(storage, {"t/b/x.jpg", "t/c/1.jpg", "t/c/made/shardine.json",
                   "t/c/made/y.jpg"});
  const std::string mark =
      GENERATE("shardine.json", ".pack/journal", ".resize/record");
  PutAll(storage, {"t/a/" + mark, "t/a/out.jpg"});
  const SourceSet set = Load(storage, TreeOptions());
  CHECK(RowsOf(set) == Strings{"train/0 b/x.jpg =0", "train/1 c/1.jpg =1"});
  CHECK(ClassesOf(set) == Strings{"0 b x1", "1 c x1"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"dataset-folder a", "dataset-folder c/made"});
}

}  // namespace
}  // namespace shardine::image_folder_test
