#include "source/class_text.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"

namespace shardine::class_text_test {
namespace {

Status Apply(const std::string& text, ClassMap& classes) {
  MemoryStorage storage;
  storage.Put("words.txt", text);
  return ApplyClassText(storage, "words.txt", classes);
}

ClassMap TwoClasses() { return {{"n01440764", 0, 3}, {"n01443537", 1, 4}}; }

TEST_CASE("ApplyClassText sets the texts of the classes it knows",
          "[class_text]") {
  ClassMap classes = TwoClasses();
  REQUIRE(Apply("n99\tother\nn01440764\ttench, Tinca tinca\n", classes)
              .ToString() == "OK");
  CHECK(classes[0].text == "tench, Tinca tinca");
  CHECK(classes[1].text.empty());
}

TEST_CASE("ApplyClassText refuses files that cannot be meant", "[class_text]") {
  ClassMap classes = TwoClasses();
  CHECK(Apply("n01440764 tench\n", classes).code() == Code::kCorrupt);
  const Status twice = Apply("n01440764\ta\nn01440764\tb\n", classes);
  CHECK(twice.code() == Code::kCorrupt);
  CHECK_THAT(twice.message(), Catch::Contains("line 2"));
  CHECK(Apply("n99\tother\n", classes).code() == Code::kInvalidArgument);
  CHECK((classes == TwoClasses()));
}

TEST_CASE("FindClass knows the class of one integer label only",
          "[class_text]") {
  const ClassMap classes = TwoClasses();
  const auto name = [&](std::vector<Label> labels) {
    const ClassInfo* found = FindClass(classes, labels);
    return found == nullptr ? "" : found->name;
  };
  CHECK(name({1}) == "n01443537");
  CHECK(name({2}).empty());
  CHECK(name({}).empty());
  CHECK(name({0, 1}).empty());
  CHECK(name({Label::FromReal(0.5)}).empty());
}

}  // namespace
}  // namespace shardine::class_text_test
