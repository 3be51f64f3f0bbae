// Bounds on the cost of files of labels, classes, boxes, names and counts that
// stand beside images and shards.
#include "corruption/doubling.h"
#include "dataset/said_counts.h"
#include "pack/class_name_file.h"
#include "pack/label_name_file.h"
#include "source/blacklist.h"
#include "source/bounding_boxes.h"
#include "source/class_label_file.h"
#include "source/class_numbers.h"
#include "source/class_text.h"
#include "source/label_table.h"
#include "source/sample_table.h"
#include "source/val_labels.h"

namespace shardine::list_cost_test {
namespace {

using Reader = std::function<Status(Storage&, const std::string& path)>;

// A file of `size` parts. `end`: as for CheckDoubling().
void CheckFile(const Reader& reader, const std::string& end,
               const std::function<std::string(std::size_t)>& make,
               const std::string& path = "file", std::size_t first = 50) {
  CheckDoubling(first, end, make, [&](const std::string& bytes) {
    MemoryStorage storage;
    storage.Put(path, bytes);
    return reader(storage, path);
  });
}

void CheckLines(const Reader& reader, const std::string& end,
                const std::function<std::string(std::size_t)>& line) {
  CheckFile(reader, end, [&](std::size_t size) { return Each(size, line); });
}

std::string Number(std::size_t i) { return std::to_string(i); }

TEST_CASE("Label tables cost what their bytes do", "[cost][list]") {
  for (const auto by : {LabelTable::By::kId, LabelTable::By::kBoth}) {
    const Reader read = [by](Storage& storage, const std::string& path) {
      return LabelTable::Read(storage, path, by).status();
    };
    CheckLines(read, "OK", [](std::size_t i) {
      return Number(i) + "\t1\t" + Name(i) + "\n";
    });
    // One id, and one key of other labels.
    CheckLines(read, "", [](std::size_t) { return "7\t1\tx\n"; });
    CheckLines(read, "", [](std::size_t i) {
      return Number(i) + "\t" + Number(i) + "\tx\n";
    });
    const auto json = [&](const std::string& end, const std::string& entry) {
      CheckFile(
          read, end,
          [&](std::size_t size) {
            return "[" + Times(size, entry + ",") + entry + "]";
          },
          "list.json");
    };
    json("", R"({"path":"x","label":1})");
    json("", R"({"path":"x","labels":[1,2,3],"id":7})");
    json("", R"("x")");
    CheckFile(read, "", Lists, "list.json", 5'000);
    CheckFile(read, "", Numbers, "list.json", 5'000);
  }
}

TEST_CASE("Tables cost what their bytes do", "[cost][list][table]") {
  const Reader read = [](Storage& storage, const std::string& path) {
    return ReadListTable(storage, path,
                         [](const TableSample&) { return Status(); })
        .status();
  };
  const auto check = [&](const std::string& end, const std::string& begin,
                         const std::function<std::string(std::size_t)>& each,
                         const std::string& path = "l.csv") {
    CheckFile(
        read, end, [&](std::size_t size) { return begin + Each(size, each); },
        path);
  };
  check("OK", "path,label\n",
        [](std::size_t i) { return Name(i) + ",n" + Number(i) + "\n"; });
  check("OK", "path,x\n", [](std::size_t) { return "a,\"\n\n\"\n"; });
  // Columns, a quote that is open, and quotes that double.
  check("", "path", [](std::size_t i) { return "," + Name(i); });
  check("", "path,x\na,\"", [](std::size_t) { return "x\n"; });
  check("", "path,x\na,\"", [](std::size_t) { return "\"\""; });
  check("", "", [](std::size_t) { return ",;"; });
  check(
      "OK", "",
      [](std::size_t i) {
        return R"({"path":"x",")" + Name(i) + "\":[1,{}]}\n";
      },
      "l.jsonl");
  check(
      "", R"({"path":"x","y":)", [](std::size_t) { return "["; }, "l.jsonl");
}

TEST_CASE("Files of classes cost what their bytes do", "[cost][list]") {
  const Reader labels = [](Storage& storage, const std::string& path) {
    static_cast<void>(ClassNumbers::ReadLabelMap(storage, path));
    static_cast<void>(LinesOfClassLabels(storage, path));
    static_cast<void>(ReadLabelNames(storage, path, {}));
    static_cast<void>(ReadClassNames(storage, path));
    return ReadClassLabels(storage, path).status();
  };
  CheckLines(labels, "OK",
             [](std::size_t i) { return Name(i) + " " + Number(i) + "\n"; });
  CheckLines(labels, "OK", [](std::size_t i) { return "n" + Name(i) + "\n"; });
  CheckLines(labels, "", [](std::size_t) { return "same 1\n"; });
  const auto json = [&](const std::string& end,
                        const std::function<std::string(std::size_t)>& member) {
    CheckFile(labels, end, [&](std::size_t size) {
      return "{" + Each(size, member) + R"("last":999999})";
    });
  };
  json("OK",
       [](std::size_t i) { return "\"n" + Name(i) + "\":" + Number(i) + ","; });
  json("", [](std::size_t i) { return "\"" + Number(i) + R"(":["n","x"],)"; });
  json("", [](std::size_t) { return R"("same":1,)"; });
  CheckFile(labels, "", Lists, "file", 5'000);
  CheckFile(labels, "", Numbers, "file", 5'000);

  const Reader texts = [](Storage& storage, const std::string& path) {
    ClassMap classes = {{"00000000", 0}};
    return ApplyClassText(storage, path, classes);
  };
  CheckLines(texts, "OK", [](std::size_t i) { return Name(i) + "\ttext\n"; });
}

// A folder of as many images as lines.
SourceSet ImagesOf(std::size_t count) {
  SourceSet set;
  set.roots = {"tree"};
  set.splits = {"train"};
  for (std::size_t i = 0; i < count; ++i) {
    set.samples.Add(Name(i) + ".jpg", i, {}, 0);
  }
  return set;
}

TEST_CASE("Files about images cost what their bytes do", "[cost][list]") {
  const Reader boxes = [](Storage& storage, const std::string& path) {
    return BoundingBoxes::Read(storage, path).status();
  };
  CheckLines(boxes, "OK",
             [](std::size_t i) { return Name(i) + ".jpg,0,0,1,1\n"; });
  CheckLines(boxes, "OK", [](std::size_t) { return "x.jpg,0,0,1,1\n"; });

  const Reader black = [](Storage& storage, const std::string& path) {
    SourceSet set = ImagesOf(3);
    return ApplyBlacklist(storage, path, set);
  };
  CheckLines(black, "OK", [](std::size_t i) { return Name(i) + ".jpg\n"; });
  CheckLines(black, "", [](std::size_t) { return "1\n"; });

  const Reader named = [](Storage& storage, const std::string& path) {
    SourceSet set = ImagesOf(50);
    ClassNumbers numbers;
    return ApplyValLabels(storage, path, {0, 0, 50}, numbers, set);
  };
  CheckLines(named, "OK", [](std::size_t i) {
    return Name(i) + ".jpg " + Number(i) + "\n";
  });
  CheckLines(named, "",
             [](std::size_t i) { return Name(i) + ".jpg c" + Name(i) + "\n"; });
  CheckLines(named, "", [](std::size_t i) { return Number(i) + "\n"; });
}

TEST_CASE("Files of counts beside shards cost what their bytes do",
          "[cost][list]") {
  const std::vector<CountedShard> shards = {{"x-0.tar", 1}};
  const auto check = [&](const char* format, const std::string& path,
                         const std::string& begin, const std::string& each,
                         const std::string& end) {
    const auto choice = ParseFormat(BuiltinFormats(), format);
    REQUIRE(choice.ok());
    const Reader read = [&](Storage& storage, const std::string&) {
      for (const Status& said : CheckSaidCounts(
               storage, *choice->format, shards, CountedScope::kDataset)) {
        if (!said.ok()) return said;
      }
      return Status();
    };
    CheckFile(
        read, "",
        [&](std::size_t size) { return begin + Times(size, each) + end; },
        path);
    CheckFile(
        read, "", [&](std::size_t size) { return begin + Lists(size) + end; },
        path, 3'000);
  };
  check("webdataset", "_info.json", R"({"splits":{"train":{"filenames":[)",
        R"("x-0.tar",)", R"("y"],"num_samples":1}}})");
  check("webdataset", "_info.json", R"({"splits":{"train":{"a":)", "[", "]}}}");
  check("webdataset", "index.json", R"({"shardlist":[)",
        R"({"url":"x","nsamples":1},)", R"({"url":"y"}]})");
  check("webdataset", "sizes.json", "{", R"("x-0.tar":1,)", R"("y":2})");
  check("tfrecord", "dataset_info.json",
        R"({"splits":[{"name":"train","shardLengths":[)", R"("1",)",
        R"("1"]}]})");
}

}  // namespace
}  // namespace shardine::list_cost_test
