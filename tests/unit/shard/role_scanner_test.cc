#include "shard/role_scanner.h"

#include <catch2/catch.hpp>
#include <map>

#include "shard/field_label.h"

namespace shardine::role_scanner_test {
namespace {

struct Field {
  std::string bytes;
  std::string dtype = std::string(kBytesDtype);
  std::vector<std::uint64_t> shape = {};
};
using Fields = std::map<std::string, Field>;

// The samples of a test, in their order.
class GivenScanner : public ShardScanner {
 public:
  explicit GivenScanner(std::vector<Fields> samples, std::string key = "own")
      : samples_(std::move(samples)), key_(std::move(key)) {}

  Result<std::optional<ScannedSample>> Next() override {
    if (next_ == samples_.size()) return std::optional<ScannedSample>();
    fields_.clear();
    for (const auto& [name, field] : samples_[next_]) {
      ScannedField& given = fields_.emplace_back();
      given.name = name;
      given.dtype = field.dtype;
      given.shape = field.shape;
      given.bytes = AsBytes(field.bytes);
    }
    ScannedSample sample;
    sample.record = next_++;
    sample.key = key_;
    sample.fields = fields_;
    return std::optional(sample);
  }

 private:
  const std::vector<Fields> samples_;
  const std::string key_;
  std::size_t next_ = 0;
  std::vector<ScannedField> fields_;
};

std::unique_ptr<ShardScanner> Open(std::vector<Fields> samples,
                                   const ReadRoles& roles) {
  return MakeRoleScanner(std::make_unique<GivenScanner>(std::move(samples)),
                         roles);
}

ReadRoles Label(const std::string& name) {
  ReadRoles roles;
  roles.label = name;
  return roles;
}

Field Int64s(std::initializer_list<std::int64_t> numbers) {
  Field field{.bytes = {}, .dtype = "<i8", .shape = {numbers.size()}};
  for (const std::int64_t number : numbers) AppendLe(number, field.bytes);
  return field;
}

// The labels of the only sample, or its error.
std::string LabelsOf(const Field& label, const ReadRoles& roles = Label("y")) {
  const auto scanner = Open({{{"y", label}}}, roles);
  const auto sample = scanner->Next();
  if (!sample.ok()) return std::string(sample.status().message());
  CHECK((*sample)->fields.empty());
  std::string text;
  for (const auto& each : (*sample)->labels) text += each.ToString() + " ";
  return text;
}

TEST_CASE("Image, label and key come from the named fields", "[shard][roles]") {
  ReadRoles roles;
  roles.image = "photo";
  roles.label = "kind";
  roles.key = "id";
  const auto scanner =
      Open({{{"photo", {"jpeg"}}, {"kind", Int64s({3})}, {"id", {" a/1 \n"}}},
            {{"photo", {"png"}}, {"above", {"x"}}},
            {{"kind", {"4\n"}}, {"id", Int64s({12})}}},
           roles);
  auto sample = scanner->Next();
  REQUIRE(sample.ok());
  CHECK((*sample)->key == "a/1");
  REQUIRE((*sample)->labels.size() == 1);
  CHECK((*sample)->labels[0] == shardine::Label(3));
  REQUIRE((*sample)->fields.size() == 1);
  CHECK((*sample)->fields[0].name == kImageField);
  sample = scanner->Next();
  REQUIRE(sample.ok());
  CHECK((*sample)->key == "own");
  CHECK((*sample)->labels.empty());
  REQUIRE((*sample)->fields.size() == 2);
  CHECK((*sample)->fields[0].name == "above");
  sample = scanner->Next();
  REQUIRE(sample.ok());
  CHECK((*sample)->key == "12");
  CHECK((*sample)->labels[0] == shardine::Label(4));
  sample = scanner->Next();
  REQUIRE(sample.ok());
  CHECK(!*sample);
}

TEST_CASE("Only the fields that were asked for are kept, and others are said",
          "[shard][roles]") {
  ReadRoles roles;
  roles.fields = {"b"};
  const auto scanner = Open(
      {{{"a", {"1"}}, {"b", {"2"}}, {"image", {"3"}}}, {{"a", {"1"}}}}, roles);
  auto sample = scanner->Next();
  REQUIRE(sample.ok());
  REQUIRE((*sample)->fields.size() == 2);
  CHECK((*sample)->fields[0].name == "b");
  REQUIRE((*scanner->Next())->fields.empty());
  REQUIRE(scanner->Next().ok());
  const auto warnings = scanner->Warnings();
  REQUIRE(warnings.ok());
  CHECK(*warnings ==
        std::vector<std::string>{"fields left out: \"a\" (2 of 2)"});
}

TEST_CASE("A name that no record has is refused with those that there are",
          "[shard][roles]") {
  ReadRoles roles = Label("kind");
  roles.needs_label = true;
  const auto scanner = Open({{{"a", {"1"}}}, {{"b", {"2"}}}}, roles);
  REQUIRE(scanner->Next().ok());
  REQUIRE(scanner->Next().ok());
  const auto end = scanner->Next();
  CHECK(end.status().code() == Code::kInvalidArgument);
  CHECK(end.status().message() ==
        "no record has a field \"kind\"; the fields are \"a\" (1 of 2), \"b\" "
        "(1 of 2)");
  CHECK(scanner->Next().status().message() == end.status().message());
}

TEST_CASE("A label may be one of other shards alone", "[shard][roles]") {
  const auto scanner = Open({{{"a", {"1"}}}}, Label("kind"));
  const auto sample = scanner->Next();
  REQUIRE(sample.ok());
  CHECK((*sample)->labels.empty());
  CHECK(scanner->Next().ok());
}

// The class of a sample of that key; "!" for an error.
std::string FolderOf(const std::string& key) {
  ReadRoles roles = Label(kFolderLabel);
  roles.text_label = TextLabel::kAsIs;
  const auto scanner = MakeRoleScanner(
      std::make_unique<GivenScanner>(std::vector<Fields>{{}}, key), roles);
  const auto sample = scanner->Next();
  if (!sample.ok()) return "!";
  return std::string((*sample)->class_name);
}

TEST_CASE("The last folder of a key is a label on request", "[shard][roles]") {
  CHECK(FolderOf("cat/0.jpg") == "cat");
  CHECK(FolderOf("train/cat/0.jpg") == "cat");
  CHECK(FolderOf("/cat/0.jpg") == "cat");
  for (const char* key : {"0.jpg", "", "/0.jpg", "cat//0.jpg", "/", "//"}) {
    CHECK(FolderOf(key).empty());
  }
  CHECK(FolderOf(std::string("a\0b/x", 5)) == std::string("a\0b", 3));

  ReadRoles roles = Label(kFolderLabel);
  CHECK(Open({{}}, roles)->Next().ok());
  roles.needs_label = true;
  const auto scanner = Open({{}}, roles);
  REQUIRE(scanner->Next().ok());
  CHECK(scanner->Next().status().code() == Code::kInvalidArgument);
}

TEST_CASE("Two images are refused, unless one is left out", "[shard][roles]") {
  ReadRoles roles;
  roles.image = "photo";
  const Fields both = {{"image", {"1"}}, {"photo", {"2"}}};
  CHECK(Open({both}, roles)->Next().status().code() == Code::kUnsupported);
  roles.fields.emplace();
  const auto scanner = Open({both}, roles);
  const auto sample = scanner->Next();
  REQUIRE(sample.ok());
  REQUIRE((*sample)->fields.size() == 1);
  CHECK(AsText((*sample)->fields[0].bytes) == "2");
}

TEST_CASE("A label is numbers of any type, or a text that spells one",
          "[shard][roles]") {
  CHECK(LabelsOf(Int64s({1, -2})) == "1 -2 ");
  CHECK(LabelsOf({"\7", "|u1", {}}) == "7 ");
  CHECK(LabelsOf({std::string("\0\0\0\x3f", 4), "<f4", {1}}) == "0.5 ");
  CHECK(LabelsOf({std::string("\0\0\xc0\x7f", 4), "<f4", {}}).empty());
  CHECK(LabelsOf(Int64s({std::numeric_limits<std::int64_t>::min()})).empty());
  CHECK(LabelsOf({std::string(8, '\xff'), "<u8", {}}).find("beyond 64 bits") !=
        std::string::npos);
  CHECK(LabelsOf({"ab", "<U1", {}}).find("is no label") != std::string::npos);
  CHECK(LabelsOf({" 7 \n"}) == "7 ");
  CHECK(LabelsOf({"0.5"}) == "0.5 ");
  CHECK(LabelsOf({" "}).empty());
  CHECK(LabelsOf({"cat"}).find("which is no number") != std::string::npos);
  CHECK(!LabelOfText("99999999999999999999"));
  CHECK(!LabelOfText("nan"));
  CHECK(!LabelOfText(""));
}

TEST_CASE("A one-hot row becomes the place of its 1", "[shard][roles]") {
  ReadRoles roles = Label("y");
  roles.one_hot = true;
  CHECK(LabelsOf(Int64s({0, 0, 1, 0}), roles) == "2 ");
  for (const auto& row :
       {Int64s({0, 0}), Int64s({1, 1}), Int64s({0, 2}), Int64s({1})}) {
    CHECK(LabelsOf(row, roles).find("no row of zeros") != std::string::npos);
  }
}

TEST_CASE("A text is the name of a class where classes are known",
          "[shard][roles]") {
  ReadRoles roles = Label("y");
  roles.text_label = TextLabel::kClass;
  roles.classes = {{"cat", 0}, {"dog", 5}};
  const auto scanner = Open({{{"y", {"dog\n"}}}, {{"y", {"cow"}}}}, roles);
  const auto sample = scanner->Next();
  REQUIRE(sample.ok());
  CHECK((*sample)->labels[0] == shardine::Label(5));
  CHECK((*sample)->class_name == "dog");
  const auto other = scanner->Next();
  CHECK(other.status().code() == Code::kCorrupt);
  CHECK(scanner->SkipDamaged());
  CHECK(scanner->Next().ok());
}

TEST_CASE("A key is one integer or a short text", "[shard][roles]") {
  ReadRoles roles;
  roles.key = "k";
  for (const Field& key : {Field{""}, Field{std::string(70'000, 'x')},
                           Int64s({1, 2}), Field{"\1\2", "<U1", {}}}) {
    CHECK(Open({{{"k", key}}}, roles)->Next().status().code() ==
          Code::kUnsupported);
  }
}

TEST_CASE("Roles are read from the text that they have in a format's name",
          "[shard][roles]") {
  ReadRoles roles;
  roles.image = "a,b+c=d:\\\x01";
  roles.label = "kind";
  roles.key = "id";
  roles.one_hot = true;
  roles.fields = {"x+y", "z"};
  const std::string text = roles.text();
  CHECK(text ==
        "image=a\\x2Cb\\x2Bc=d:\\x5C\\x01,label=kind,label_as=one-hot,key=id,"
        "fields=x\\x2By+z");
  ReadRoles read;
  for (const char* one : {"image=a\\x2Cb\\x2Bc=d:\\x5C\\x01", "label=kind",
                          "label_as=one-hot", "key=id", "fields=x\\x2By+z"}) {
    CHECK(read.Set(one));
  }
  CHECK(read.text() == text);
  for (const char* one : {"", "image", "image=", "label=\\x", "label_as=x",
                          "fields=a++b", "split=train"}) {
    CHECK(!read.Set(one));
  }
  CHECK(read.Check().ok());
  read.key = "kind";
  CHECK(read.Check().code() == Code::kInvalidArgument);
  CHECK(ReadRoles().text().empty());
}

}  // namespace
}  // namespace shardine::role_scanner_test
