#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "unit/source/source_fixture.h"

namespace shardine::load_source_test {
namespace {

SourceOptions ListOptions(const std::string& list) {
  SourceOptions options = TreeOptions();
  options.list = list;
  return options;
}

// Three classes: 3, 2 and 1 images.
MemoryStorage& Tree(MemoryStorage& storage) {
  PutAll(storage, {"t/a/1.jpg", "t/a/2.jpg", "t/a/3.jpg", "t/b/1.jpg",
                   "t/b/4.jpg", "t/c/5.jpg"});
  return storage;
}

TEST_CASE("LoadSource numbers ids and classes through all folders",
          "[load_source]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a/1.jpg", "t/c/2.jpg", "v/b/1.jpg", "v/c/2.jpg"});
  SourceOptions options;
  options.folders = {{"train", "t"}, {"val", "v"}};
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/0 a/1.jpg =0", "train/1 c/2.jpg =2",
                               "val/2 b/1.jpg =1", "val/3 c/2.jpg =2"});
  CHECK(ClassesOf(set) == Strings{"0 a x1", "1 b x1", "2 c x2"});
  CHECK(set.roots == Strings{"t", "v"});
  CHECK(set.samples.root(1) == 0);
  CHECK(set.samples.root(2) == 1);

  options.folders = {{"val", "v"}, {"train", "t"}};
  CHECK(RowsOf(Load(storage, options)) ==
        Strings{"val/0 b/1.jpg =1", "val/1 c/2.jpg =2", "train/2 a/1.jpg =0",
                "train/3 c/2.jpg =2"});
}

TEST_CASE("LoadSource numbers classes as the label map says", "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("map", "d\nc\nb\na\n");
  SourceOptions options = TreeOptions();
  options.label_map = "map";
  CHECK(ClassesOf(Load(storage, options)) ==
        Strings{"0 d x0", "1 c x1", "2 b x2", "3 a x3"});
  CHECK(RowsOf(Load(storage, options)).front() == "train/0 a/1.jpg =3");
  storage.Put("map", "a\nb\n");
  CHECK(LoadError(storage, options).ToString() ==
        "map: class c is not in the label map");
}

TEST_CASE("LoadSource adds the offset to class numbers only", "[load_source]") {
  MemoryStorage storage;
  Tree(storage);
  SourceOptions options = TreeOptions();
  options.label_offset = 1;
  const SourceSet set = Load(storage, options);
  CHECK(ClassesOf(set) == Strings{"1 a x3", "2 b x2", "3 c x1"});
  CHECK(RowsOf(set).back() == "train/5 c/5.jpg =3");

  storage.Put("l.lst", "0\t7\ta/1.jpg\n1\t0.5\ta/2.jpg\n2\t1\t2\tb/1.jpg\n");
  options.list = "l.lst";
  CHECK(RowsOf(Load(storage, options)) == Strings{"train/0 a/1.jpg =8",
                                                  "train/1 a/2.jpg =0.5",
                                                  "train/2 b/1.jpg =1 =2"});
  options.label_offset = INT64_MAX;
  CHECK(LoadError(storage, options).message() ==
        "the label offset is too large");
}

TEST_CASE(
    "LoadSource leaves out what the blacklist names, without "
    "renumbering",
    "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("black", "a/2.jpg\r\n1.jpg\n\nb/5.jpg\nnone.jpg\n");
  storage.PutSymlink("t/c/6.jpg", "nowhere");
  storage.PutSymlink("t/c/7.jpg", "nowhere");
  storage.Put("black2", "7.jpg\n");
  SourceOptions options = TreeOptions();
  options.blacklist = "black";
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/2 a/3.jpg =0", "train/4 b/4.jpg =1",
                               "train/5 c/5.jpg =2"});
  CHECK(ClassesOf(set) == Strings{"0 a x1", "1 b x1", "2 c x1"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"blacklisted a/1.jpg", "blacklisted a/2.jpg",
                "blacklisted b/1.jpg", "blacklist-of-several 1.jpg (black:2)",
                "blacklist-unmatched b/5.jpg (black:4)",
                "blacklist-unmatched none.jpg (black:5)"});
  options.blacklist = "black2";
  const SourceSet other = Load(storage, options);
  CHECK(ProblemsOf(other.ignored) == Strings{"blacklisted c/7.jpg"});
  CHECK(ProblemsOf(other.bad) == Strings{"dangling-link c/6.jpg"});
}

TEST_CASE("LoadSource reads blacklisted keys in the notation of text output",
          "[load_source]") {
  MemoryStorage storage;
  PutAll(storage,
         {"t/a/x\ny.jpg", "t/a/\xff.jpg", "t/a/b\\c.jpg", "t/a/z.jpg"});
  storage.Put("black", "x\\x0Ay.jpg\na/\\xFF.jpg\nb\\x5Cc.jpg\n");
  SourceOptions options = TreeOptions();
  options.blacklist = "black";
  CHECK(KeysOf(Load(storage, options)) == Strings{"a/z.jpg"});
  storage.Put("black", "z.jpg\nb\\c.jpg\n");
  const Status status = LoadError(storage, options);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().offset == 6);
}

TEST_CASE("LoadSource refuses a source of which nothing is left",
          "[load_source]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a/1.jpg"});
  storage.Put("black", "1.jpg\n");
  SourceOptions options = TreeOptions();
  options.blacklist = "black";
  CHECK(LoadError(storage, options).ToString() == "t: no samples");
  // All of them bad is for the bad-image policy to judge.
  MemoryStorage bad;
  bad.PutFifo("t/a/1.jpg");
  CHECK(Load(bad, TreeOptions()).bad.size() == 1);
}

TEST_CASE("LoadSource removes small classes before it holds out",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("black", "b/4.jpg\n");
  SourceOptions options = TreeOptions();
  options.min_per_class = 2;
  options.hold_out = 1;
  const SourceSet set = Load(storage, options);
  CHECK(ClassesOf(set) == Strings{"0 a x3", "1 b x2"});
  CHECK(set.splits == Strings{"train", "val"});
  options.blacklist = "black";
  CHECK(ClassesOf(Load(storage, options)) == Strings{"0 a x3"});
}

TEST_CASE("LoadSource holds out the same samples whatever the offset",
          "[load_source]") {
  MemoryStorage storage;
  for (int i = 0; i < 50; ++i) {
    storage.Put("t/a/" + std::to_string(i) + ".jpg", "bytes");
  }
  SourceOptions options = TreeOptions();
  options.hold_out = 10;
  options.seed = 5;
  const SourceSet plain = Load(storage, options);
  options.label_offset = 1000;
  const SourceSet offset = Load(storage, options);
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(plain.samples.split(i) == offset.samples.split(i));
  }
}

TEST_CASE("LoadSource splits by shares without renumbering", "[load_source]") {
  MemoryStorage storage;
  SourceOptions options = TreeOptions();
  options.split_shares = {{"train", 0.5}, {"val", 0.5}};
  const SourceSet set = Load(Tree(storage), options);
  CHECK(set.splits == Strings{"train", "val"});
  CHECK(ClassesOf(set) == Strings{"0 a x3", "1 b x2", "2 c x1"});
  std::size_t val = 0;
  for (std::size_t i = 0; i < 6; ++i) val += set.samples.split(i);
  CHECK(val == 3);
  CHECK(set.samples.id(5) == 5);
}

TEST_CASE("LoadSource takes ids, labels and order from a .lst",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("l.lst",
                    "9\t1\tb/1.jpg\n3\t0.5\t2\ta/1.jpg\n4\t./c/5.jpg\n");
  SourceOptions options = ListOptions("l.lst");
  options.unlabelled = true;
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/9 b/1.jpg =1", "train/3 a/1.jpg =0.5 =2",
                               "train/4 c/5.jpg"});
  CHECK(set.classes.empty());
  CHECK(set.samples.facts(0).size == 5);
  options.folders = {{"val", "t"}};
  CHECK(RowsOf(Load(storage, options)).front() == "val/9 b/1.jpg =1");
}

TEST_CASE("LoadSource reports listed files that are no files",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).PutFifo("t/pipe");
  storage.Put("l.lst", "0\t1\tgone.jpg\n1\t1\ta\n2\t1\tpipe\n3\t1\ta/1.jpg\n");
  const SourceSet set = Load(storage, ListOptions("l.lst"));
  CHECK(RowsOf(set) == Strings{"train/3 a/1.jpg =1"});
  CHECK(ProblemsOf(set.bad) == Strings{"missing gone.jpg (l.lst:1)",
                                       "not-a-file a (l.lst:2)",
                                       "not-a-file pipe (l.lst:3)"});
}

TEST_CASE("LoadSource names classes of a .lst by the label map",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("l.lst", "0\t1.000000\ta/1.jpg\n1\t0\tb/1.jpg\n");
  storage.Put("map", "cat 1\ndog 0\n");
  SourceOptions options = ListOptions("l.lst");
  options.label_map = "map";
  CHECK(ClassesOf(Load(storage, options)) == Strings{"0 dog x1", "1 cat x1"});
  storage.Put("l.lst", "0\t2\ta/1.jpg\n");
  const Status status = LoadError(storage, options);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().key == "a/1.jpg");
}

TEST_CASE("LoadSource refuses a list with an id twice, and takes a path twice",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("l.lst", "0\t1\ta/1.jpg\n0\t1\ta/2.jpg\n");
  CHECK(LoadError(storage, ListOptions("l.lst")).ToString() ==
        "l.lst: id 0 comes twice: a/1.jpg and a/2.jpg");
  storage.Put("l.lst", "0\t1\ta/1.jpg\n1\t1\t./a/1.jpg\n");
  CHECK(KeysOf(Load(storage, ListOptions("l.lst"))) ==
        Strings{"a/1.jpg", "a/1#2.jpg"});
}

TEST_CASE("LoadSource refuses listed paths that leave their folder",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage);
  for (const char* path :
       {"/t/a/1.jpg", "../u/a/1.jpg", "a/../../1.jpg", "..", "a/.."}) {
    INFO(path);
    storage.Put("l.lst", "0\t1\ta/2.jpg\n1\t1\t" + std::string(path) + "\n");
    const Status lst = LoadError(storage, ListOptions("l.lst"));
    CHECK(lst.where().path == "l.lst");
    CHECK(lst.where().offset == 12);
    storage.Put("l.json", "[\"a/2.jpg\", \"" + std::string(path) + "\"]");
    const Status json = LoadError(storage, ListOptions("l.json"));
    CHECK(json.where().path == "l.json");
    CHECK(json.where().record == 1);
  }
  storage.Put("t/a/..b.jpg", "bytes");
  storage.Put("l.lst", "0\t1\ta/..b.jpg\n");
  CHECK(Load(storage, ListOptions("l.lst")).samples.size() == 1);
}

TEST_CASE("LoadSource takes a JSON index as it takes the tree",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("t/loose.jpg", "bytes");
  storage.PutSymlink("t/b/0.jpg", "nowhere");
  const SourceSet tree = Load(storage, TreeOptions());
  // Not in the order of the walk, and as find(1) prints it.
  storage.Put("l.json",
              R"(["./c/5.jpg", "b/4.jpg", "b/1.jpg", "b/0.jpg", "loose.jpg",
                  "a/3.jpg", "a/1.jpg", {"path": "a/2.jpg"}])");
  const SourceSet index = Load(storage, ListOptions("l.json"));
  CHECK(RowsOf(index) == RowsOf(tree));
  CHECK(index.classes == tree.classes);
  CHECK(ProblemsOf(index.ignored) == ProblemsOf(tree.ignored));
  CHECK(ProblemsOf(index.bad) == Strings{"missing b/0.jpg"});
}

TEST_CASE("LoadSource takes ids and labels from a JSON index",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("l.json",
                    R"([{"path": "b/1.jpg", "id": 8, "label": 5},
          {"path": "a/1.jpg", "id": 2, "labels": [0.5, 1]}])");
  const SourceSet set = Load(storage, ListOptions("l.json"));
  CHECK(RowsOf(set) ==
        Strings{"train/8 b/1.jpg =5", "train/2 a/1.jpg =0.5 =1"});
  CHECK(set.classes.empty());
  storage.Put("l.json", R"([{"path": "b/1.jpg", "id": 8}, "a/1.jpg"])");
  const Status mixed = LoadError(storage, ListOptions("l.json"));
  CHECK(mixed.message() == "some entries have ids, others do not");
  CHECK(mixed.where().record == 1);
}

TEST_CASE("LoadSource takes a flat JSON index without labels",
          "[load_source]") {
  MemoryStorage storage;
  PutAll(storage, {"t/b.jpg", "t/a.jpg"});
  storage.Put("l.json", R"(["b.jpg", "a.jpg"])");
  SourceOptions options = ListOptions("l.json");
  options.unlabelled = true;
  const SourceSet set = Load(storage, options);
  CHECK(RowsOf(set) == Strings{"train/0 a.jpg", "train/1 b.jpg"});
  CHECK(set.classes.empty());
}

TEST_CASE("LoadSource numbers the classes of a JSON index by the label map",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("l.json", R"(["a/1.jpg", "c/5.jpg"])");
  storage.Put("map", "c\nb\na\n");
  SourceOptions options = ListOptions("l.json");
  options.label_map = "map";
  CHECK(RowsOf(Load(storage, options)) ==
        Strings{"train/0 a/1.jpg =2", "train/1 c/5.jpg =0"});
  storage.Put("map", "c\nb\n");
  CHECK(LoadError(storage, options).message() ==
        "class a is not in the label map");
}

TEST_CASE("LoadSource refuses options that contradict each other",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("l.lst", "0\t1\ta/1.jpg\n");
  const auto refused = [&storage](const SourceOptions& options) {
    return LoadError(storage, options).code() == Code::kInvalidArgument;
  };
  CHECK(refused(SourceOptions()));
  SourceOptions two = ListOptions("l.lst");
  two.folders.push_back({"val", "t"});
  CHECK(refused(two));
  two.list.clear();
  two.split_shares = {{"a", 1}};
  CHECK(refused(two));
  two.split_shares.clear();
  two.hold_out = 1;
  CHECK(refused(two));
  SourceOptions both = TreeOptions();
  both.hold_out = 1;
  both.split_shares = {{"a", 1}};
  CHECK(refused(both));
  SourceOptions labels = ListOptions("l.lst");
  labels.val_labels = "l.lst";
  CHECK(refused(labels));
}

TEST_CASE("LoadSource names the file that it cannot open", "[load_source]") {
  MemoryStorage storage;
  Tree(storage);
  for (std::string SourceOptions::*file :
       {&SourceOptions::list, &SourceOptions::label_map,
        &SourceOptions::blacklist}) {
    SourceOptions options = TreeOptions();
    options.*file = "gone";
    const Status status = LoadError(storage, options);
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.where().path == "gone");
  }
}

TEST_CASE("LoadSource fails with the cause wherever the storage does",
          "[load_source]") {
  MemoryStorage storage;
  Tree(storage).Put("black", "a/1.jpg\n");
  storage.Put("map", "a\nb\nc\n");
  SourceOptions options = TreeOptions();
  options.blacklist = "black";
  options.label_map = "map";
  FaultStorage probe(storage, {.operation = Operation::kLock});
  Load(probe, options);
  const std::uint64_t calls = probe.calls(Operation::kAny);
  REQUIRE(calls > 10);
  for (std::uint64_t call = 0; call < calls; ++call) {
    INFO(call);
    FaultStorage fault(storage, {.call = call});
    const auto set = LoadSource(fault, options);
    REQUIRE(fault.struck());
    if (set.ok()) {
      // A file that cannot be looked at is for the policy to judge.
      REQUIRE(set->bad.size() + set->samples.size() >= 5);
      CHECK(ProblemsOf(set->bad).size() + ProblemsOf(set->ignored).size() > 0);
    } else {
      CHECK(set.status().code() == Code::kIo);
      CHECK_FALSE(set.status().where().path.empty());
    }
  }
}

// Has every file below "t", as long as its key.
class EveryFileStorage : public FaultStorage {
 public:
  using FaultStorage::FaultStorage;

  Result<FileInfo> Stat(const std::string& path) override {
    if (!path.starts_with("t/")) return FaultStorage::Stat(path);
    return FileInfo{.kind = FileKind::kRegular, .size = path.size() - 2};
  }
};

std::string KeyOf(std::uint64_t i) {
  return "n" + std::to_string(i % 1000) + "/image_" + std::to_string(i) +
         ".JPEG";
}

TEST_CASE("LoadSource takes 200,000 listed files", "[load_source]") {
  constexpr std::uint64_t kCount = 200'000;
  std::string list;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    list += std::to_string(kCount - i) + "\t" + std::to_string(i % 1000) +
            ".000000\t" + KeyOf(i) + "\n";
  }
  MemoryStorage memory;
  memory.Put("l.lst", std::move(list));
  EveryFileStorage storage(memory, {.operation = Operation::kLock});
  const SourceSet set = Load(storage, ListOptions("l.lst"));
  REQUIRE(set.samples.size() == kCount);
  for (std::uint64_t i = 0; i < kCount; i += 997) {
    REQUIRE(set.samples.key(i) == KeyOf(i));
    REQUIRE(set.samples.id(i) == kCount - i);
    REQUIRE(set.samples.class_label(i) == static_cast<std::int64_t>(i % 1000));
    REQUIRE(set.samples.facts(i).size == KeyOf(i).size());
  }
}

TEST_CASE("LoadSource refuses classes without images unless asked",
          "[load_source]") {
  MemoryStorage storage;
  storage.Put("t/b/1.jpg", "x");
  storage.Put("t/d/1.jpg", "x");
  for (const char* empty : {"t/a", "t/c/deep", "v/b", "v/c"}) {
    REQUIRE(storage.CreateDirectories(empty).ok());
  }
  storage.Put("v/d/1.jpg", "x");
  SourceOptions options = TreeOptions();
  options.folders = {{"train", "t"}, {"val", "v"}};
  // b has images in one of the folders.
  CHECK(LoadError(storage, options).ToString() ==
        "t: 2 class folders hold no images, first a");
  options.empty_classes = EmptyClasses::kKeep;
  CHECK(ClassesOf(Load(storage, options)) ==
        Strings{"0 a x0", "1 b x1", "2 c x0", "3 d x2"});
  options.empty_classes = EmptyClasses::kDrop;
  const SourceSet dropped = Load(storage, options);
  CHECK(ClassesOf(dropped) == Strings{"0 b x1", "1 d x2"});
  CHECK(RowsOf(dropped) == Strings{"train/0 b/1.jpg =0", "train/1 d/1.jpg =1",
                                   "val/2 d/1.jpg =1"});
  options.empty_classes = EmptyClasses::kRefuse;
  options.min_per_class = 1;
  CHECK(ClassesOf(Load(storage, options)) == Strings{"0 b x1", "1 d x2"});
  options.min_per_class = 0;
  storage.Put("map", "a\nb\nc\nd\n");
  options.label_map = "map";
  CHECK(ClassesOf(Load(storage, options)).size() == 4);
}

}  // namespace
}  // namespace shardine::load_source_test
