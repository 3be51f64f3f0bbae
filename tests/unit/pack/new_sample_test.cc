// Samples of one's own: names, ids, labels, fields, images.
#include "pack/new_sample.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shardine/dataset_writer.h"
#include "shardine/format.h"
#include "support/jpeg_maker.h"

namespace shardine::new_sample_test {
namespace {

using Catch::Contains;

struct World {
  explicit World(const std::string& name = "webdataset",
                 ImageCheckLevel level = ImageCheckLevel::kNone)
      : format(*ParseFormat(BuiltinFormats(), name)),
        options({.output = "out", .format = name, .check = level}) {}

  NewSampleCheck Begin() {
    return NewSampleCheck(format, BuiltinFormats(), classes, false);
  }
  Status Check(const NewSample& sample) {
    return Begin().Check(sample, 0).status();
  }

  FormatAndLayout format;
  ClassMap classes;
  DatasetWriterOptions options;
};

TEST_CASE("Classes of one's own are sorted by their numbers",
          "[pack][new_sample]") {
  const auto classes =
      ClassesOf({{"c", 7, "sea"}, {"a", -3}, {"b", INT64_MAX}, {"z", 0}});
  REQUIRE(classes.ok());
  CHECK(*classes == ClassMap{{"a", -3, 0, ""},
                             {"z", 0, 0, ""},
                             {"c", 7, 0, "sea"},
                             {"b", INT64_MAX, 0, ""}});
  CHECK(ClassesOf({})->empty());
  const Status name = ClassesOf({{"a", 1}, {"b", 2}, {"a", 3}}).status();
  CHECK(name.where().key == "a");
  CHECK_THAT(ClassesOf({{"a", 5}, {"b", 2}, {"c", 5}}).status().message(),
             Contains("two classes have label 5"));
  CHECK_FALSE(ClassesOf({{"", 1}}).ok());
}

TEST_CASE("Either every sample has an id or none has", "[pack][new_sample]") {
  // Cases differ by whether the first and the next have one.
  for (const bool first : {false, true}) {
    for (const bool next : {false, true}) {
      World world;
      NewSampleCheck check = world.Begin();
      NewSample sample{.key = "a"};
      if (first) sample.id = 70;
      const auto checked = check.Check(sample, 0);
      REQUIRE(checked.ok());
      CHECK(checked->view.id == (first ? 70u : 0u));
      CHECK(check.ids_given() == first);
      sample.id.reset();
      if (next) sample.id = 71;
      const auto other = check.Check(sample, 3);
      CHECK(other.ok() == (first == next));
      if (other.ok()) CHECK(other->view.id == (next ? 71u : 3u));
    }
  }
}

TEST_CASE("Keys have 1 to 65535 bytes of any value", "[pack][new_sample]") {
  World world("recordio");
  const FieldView image{.name = kImageField};
  const auto check = [&](const std::string& key) {
    return world.Check({.key = key, .fields = {&image, 1}});
  };
  CHECK_FALSE(check("").ok());
  CHECK(check(std::string(1, '\0')).ok());
  CHECK(check(std::string("\xFF/../\n", 6)).ok());
  CHECK(check(std::string(65535, 'k')).ok());
  const Status refused = check(std::string(65536, 'k'));
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK_THAT(refused.message(), Contains("65536 bytes") && Contains("65535"));
}

TEST_CASE("DatasetWriter refuses a key beyond its format's limit at once",
          "[pack][new_sample][writer]") {
  MemoryStorage storage;
  const auto writer = DatasetWriter::Create({.output = "out",
                                             .format = "lmdb/fields",
                                             .check = ImageCheckLevel::kNone},
                                            {.storage = &storage});
  REQUIRE(writer.ok());
  const FieldView image{.name = kImageField};
  const std::string longest(511, 'k');
  const std::string longer = longest + "k";
  REQUIRE(
      (*writer)->Append({.key = longest, .fields = {&image, 1}}).ToString() ==
      "OK");
  const Status refused =
      (*writer)->Append({.key = longer, .fields = {&image, 1}});
  CHECK(refused.code() == Code::kUnsupported);
  CHECK(refused.where().key == longer);
  CHECK_THAT(refused.message(),
             Contains("lmdb/fields holds keys of at most 511 bytes, not of "
                      "512; recordio") &&
                 Contains(" do"));
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE("Splits are named so that they can begin a file's name",
          "[pack][new_sample]") {
  World world;
  for (const char* name : {"train", "a", "9", "x_y.z-1", "A"}) {
    CHECK(world.Check({.key = "k", .split = name}).ok());
  }
  for (const char* name :
       {"", ".", "..", ".a", "-a", "_a", "a/b", "a b", "\xC3\xA9", "a\n"}) {
    INFO(name);
    CHECK(world.Check({.key = "k", .split = name}).code() ==
          Code::kInvalidArgument);
  }
}

TEST_CASE("One label is looked up among the classes, several are not",
          "[pack][new_sample]") {
  World world;
  world.classes = {{"a", 1, 0, ""}, {"b", 4, 0, ""}};
  const auto check = [&](const std::vector<Label>& labels) {
    return world.Check({.key = "k", .labels = labels}).ok();
  };
  CHECK(check({}));
  CHECK(check({Label(1)}));
  CHECK(check({Label(4)}));
  CHECK_FALSE(check({Label(2)}));
  CHECK_FALSE(check({Label::FromReal(1.5)}));
  CHECK(check({Label(2), Label(9)}));
  world.classes = {};
  CHECK(check({Label(2)}));
}

TEST_CASE("Fields may come in any order and reach the writer by name",
          "[pack][new_sample]") {
  World world;
  std::vector<FieldView> fields = {
      {.name = "a", .bytes = AsBytes(std::string_view("1"))},
      {.name = "b", .bytes = AsBytes(std::string_view("22"))},
      {.name = "image", .bytes = AsBytes(std::string_view("333"))},
      {.name = "z", .bytes = AsBytes(std::string_view("4444"))}};
  int orders = 0;
  do {
    NewSampleCheck check = world.Begin();
    const auto checked = check.Check({.key = "k", .fields = fields}, 0);
    REQUIRE(checked.ok());
    CHECK(checked->bytes == 10);
    CHECK(std::ranges::is_sorted(checked->view.fields, {}, &FieldView::name));
    CHECK(checked->view.fields.size() == 4);
    CHECK(AsText(checked->view.fields[3].bytes) == "4444");
    ++orders;
  } while (std::ranges::next_permutation(fields, {}, &FieldView::name).found);
  CHECK(orders == 24);
}

TEST_CASE("A field has just the bytes of its type and shape",
          "[pack][new_sample]") {
  World world;
  const std::vector<std::uint64_t> shape = {2, 3};
  const std::pair<const char*, std::size_t> types[] = {
      {"|u1", 1}, {"<i2", 2}, {"<f4", 4}, {"<i8", 8}, {"<f8", 8}};
  for (const auto& [dtype, size] : types) {
    for (const int difference : {-1, 0, 1}) {
      const std::string bytes(
          6 * size + static_cast<std::size_t>(difference + 1) - 1, 'x');
      const FieldView field{
          .name = "x", .dtype = dtype, .shape = shape, .bytes = AsBytes(bytes)};
      INFO(dtype << " " << bytes.size());
      CHECK(world.Check({.key = "k", .fields = {&field, 1}}).ok() ==
            (difference == 0));
    }
  }
  // Dimensions whose product is 6 again, after 2^64.
  const std::vector<std::uint64_t> huge = {std::uint64_t{1} << 63, 2, 3};
  const std::string none;
  const FieldView field{
      .name = "x", .dtype = "|u1", .shape = huge, .bytes = AsBytes(none)};
  CHECK_FALSE(world.Check({.key = "k", .fields = {&field, 1}}).ok());
  for (const char* dtype : {"", ">f4", "f4", "<f3", "object", "|O", "|S4"}) {
    const FieldView odd{.name = "x", .dtype = dtype};
    INFO(dtype);
    CHECK_FALSE(world.Check({.key = "k", .fields = {&odd, 1}}).ok());
  }
}

TEST_CASE("Images are looked at as deep as was asked", "[pack][new_sample]") {
  const std::string good = MakeJpeg({.width = 40, .height = 30});
  const std::string cut = good.substr(0, good.size() / 2);
  const std::string none = "no image";
  const auto check = [](const std::string& bytes, ImageCheckLevel level) {
    World world("recordio", level);
    const FieldView field{.name = kImageField, .bytes = AsBytes(bytes)};
    NewSampleCheck begun = world.Begin();
    auto checked = begun.Check({.key = "k", .fields = {&field, 1}}, 0);
    REQUIRE(checked.ok());
    const Status status = NewContentCheck(world.options).Check(*checked);
    if (status.ok() && level != ImageCheckLevel::kNone) {
      CHECK(checked->view.facts->width == 40);
      CHECK(checked->view.facts->height == 30);
    }
    return status.code();
  };
  CHECK(check(good, ImageCheckLevel::kDecode) == Code::kOk);
  CHECK(check(cut, ImageCheckLevel::kDecode) == Code::kCorrupt);
  for (const std::string& bytes : {good, cut, none}) {
    CHECK(check(bytes, ImageCheckLevel::kNone) == Code::kOk);
  }
  CHECK(check(good, ImageCheckLevel::kHeader) == Code::kOk);
  CHECK(check(none, ImageCheckLevel::kHeader) == Code::kCorrupt);
  // An array of that name is no encoded image, and not looked into.
  World world("lmdb/fields", ImageCheckLevel::kDecode);
  const std::uint64_t size = none.size();
  const FieldView array{.name = kImageField,
                        .dtype = "|u1",
                        .shape = {&size, 1},
                        .bytes = AsBytes(none)};
  NewSampleCheck begun = world.Begin();
  auto checked = begun.Check({.key = "k", .fields = {&array, 1}}, 0);
  REQUIRE(checked.status().ToString() == "OK");
  CHECK(NewContentCheck(world.options).Check(*checked).ToString() == "OK");
}

}  // namespace
}  // namespace shardine::new_sample_test
