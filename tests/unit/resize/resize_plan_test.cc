#include "resize/resize_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "io/memory_storage.h"

namespace shardine::resize_plan_test {
namespace {

using Keys = std::vector<std::string>;

ResizeOptions Options() {
  ResizeOptions options;
  options.source.folders = {{"train", "/in"}};
  options.output = "/out";
  options.short_sides = {160, 320};
  return options;
}

Result<ResizePlan> PlanOf(const Keys& keys, const ResizeOptions& options) {
  MemoryStorage storage;
  for (const std::string& key : keys) storage.Put("/in/" + key, "x");
  return ResizePlan::Make(storage, {storage, options.output}, options);
}

TEST_CASE("A suffix stays where it names the encoding, and is replaced else",
          "[resize]") {
  const auto jpeg = [](const char* key) {
    return NameForEncoding(key, Encoding::kJpeg);
  };
  CHECK(jpeg("a/b.jpg") == "a/b.jpg");
  CHECK(jpeg("a/b.JPEG") == "a/b.JPEG");
  CHECK(jpeg("a/b.jpeg") == "a/b.jpeg");
  CHECK(jpeg("a/b.Jpg") == "a/b.Jpg");
  CHECK(jpeg("a/b.png") == "a/b.jpg");
  CHECK(jpeg("a/b.tar.png") == "a/b.tar.jpg");
  CHECK(jpeg("a.b/c") == "a.b/c.jpg");
  CHECK(jpeg("a/.png") == "a/.png.jpg");
  CHECK(jpeg("b.") == "b.jpg");
  const auto png = [](const char* key) {
    return NameForEncoding(key, Encoding::kPng);
  };
  CHECK(png("a/b.PNG") == "a/b.PNG");
  CHECK(png("a/b.JPEG") == "a/b.png");
}

TEST_CASE("A resize plan names files by side, source and key", "[resize]") {
  ResizeOptions options = Options();
  const auto plain = PlanOf({"train/n01440764/x.JPEG"}, options);
  REQUIRE(plain.ok());
  CHECK(plain->outputs() == 2);
  CHECK(plain->OutputName(0, 0) == "sz/160/train/n01440764/x.JPEG");
  CHECK(plain->OutputName(0, 1) == "sz/320/train/n01440764/x.JPEG");
  CHECK(plain->SourcePath(0) == "/in/train/n01440764/x.JPEG");
  options.named = true;
  options.image.encoding = Encoding::kPng;
  const auto named = PlanOf({"n01440764/x.JPEG"}, options);
  REQUIRE(named.ok());
  CHECK(named->OutputName(0, 0) == "sz/160/train/n01440764/x.png");
}

TEST_CASE("Two images that would become one file are refused by name",
          "[resize]") {
  const Status status =
      PlanOf({"a/x.jpg", "a/y.jpg", "a/x.png", "b/x.jpg"}, Options()).status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().key == "a/x.jpg");
  CHECK(status.message() == "would become a/x.jpg, and so would a/x.png");
}

TEST_CASE("A file in the place of another's folder is refused by name",
          "[resize]") {
  const Status status =
      PlanOf({"a/x.png", "a/x.jpg/deep/y.jpg", "z.jpg"}, Options()).status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().key == "a/x.png");
  CHECK(status.message() ==
        "would become a/x.jpg, which is the folder of a/x.jpg/deep/y.jpg");
}

// 32 bytes whose first eight are those of XXH3's secret: the next eight are
// multiplied by zero, so that all such names have one hash.
std::string SameHash(std::uint64_t number) {
  std::string name = "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe";
  return name + std::to_string(10'000'000 + number) + "0123456789ab.jpg";
}

TEST_CASE("Names of one hash are not taken for one name", "[resize]") {
  REQUIRE(Xxh3_64(AsBytes(SameHash(0))) == Xxh3_64(AsBytes(SameHash(4999))));
  Keys keys;
  for (std::uint64_t i = 0; i < 5000; ++i) keys.push_back(SameHash(i));
  const Status plain = PlanOf(keys, Options()).status();
  CHECK(plain.ToString() == "OK");
  const std::string name = SameHash(700);
  keys.push_back(name.substr(0, name.size() - 4) + ".png");
  const Status twin = PlanOf(keys, Options()).status();
  CHECK(twin.code() == Code::kInvalidArgument);
  CHECK(twin.where().key == name);
}

using Twins = std::set<std::pair<std::string, std::string>>;

// All pairs of keys of which the second takes the first one's name or lies
// below it, by comparing all with all.
Twins TwinsOf(const std::set<std::string>& keys) {
  Twins twins;
  for (const std::string& key : keys) {
    const std::string name = NameForEncoding(key, Encoding::kJpeg);
    for (const std::string& other : keys) {
      const std::string taken = NameForEncoding(other, Encoding::kJpeg);
      if (other != key && (taken == name || taken.starts_with(name + "/"))) {
        twins.emplace(key, other);
      }
    }
  }
  return twins;
}

std::set<std::string> DrawKeys(std::mt19937& random) {
  constexpr const char* kFolders[] = {"a/", "a.jpg/", "b/", "b.png/"};
  constexpr const char* kNames[] = {"a.jpg", "a.png", "b.jpg", "b.PNG",
                                    "c.jpg"};
  std::set<std::string> keys;
  for (auto count = 2 + random() % 12; count > 0; --count) {
    std::string key;
    for (auto depth = random() % 3; depth > 0; --depth) {
      key += kFolders[random() % 4];
    }
    keys.insert(key + kNames[random() % 5]);
  }
  return keys;
}

// A folder cannot have the name of a file: those trees there are not.
bool CanBe(const std::set<std::string>& keys) {
  return std::ranges::none_of(keys, [&](const std::string& key) {
    const auto below = keys.lower_bound(key + "/");
    return below != keys.end() && below->starts_with(key + "/");
  });
}

TEST_CASE("A plan is refused for a collision that there is, and for none else",
          "[resize]") {
  std::mt19937 random(3);
  int refused = 0;
  int allowed = 0;
  while (refused + allowed < 400) {
    const std::set<std::string> keys = DrawKeys(random);
    if (!CanBe(keys)) continue;
    const Twins twins = TwinsOf(keys);
    const Status status =
        PlanOf({keys.begin(), keys.end()}, Options()).status();
    CAPTURE(keys, status.ToString());
    ++(status.ok() ? allowed : refused);
    CHECK(status.ok() == twins.empty());
    if (status.ok()) continue;
    CHECK(std::ranges::any_of(twins, [&](const auto& pair) {
      return pair.first == status.where().key &&
             status.message().ends_with(" " + pair.second);
    }));
  }
  CHECK(refused > 50);
  CHECK(allowed > 50);
}

TEST_CASE("No name of a list leaves the output", "[resize]") {
  const std::string line = GENERATE(
      "0\t0\t../x.jpg\n", "0\t0\t/x.jpg\n", "0\t0\ta/../../x.jpg\n",
      "0\t0\ta//x.jpg\n", "0\t0\ta/./x.jpg\n", "0\t0\ta/..\n", "0\t0\ta/\n");
  MemoryStorage storage;
  storage.Put("/x.jpg", "x");
  storage.Put("/in/a/x.jpg", "x");
  storage.Put("/in/x.jpg", "x");
  storage.Put("/x.lst", line);
  ResizeOptions options = Options();
  options.source.list = "/x.lst";
  options.on_bad = OnBad::kSkip;
  const auto plan =
      ResizePlan::Make(storage, {storage, options.output}, options);
  if (!plan.ok()) return;
  // An unreadable file is no image of the plan.
  CHECK(plan->source().samples.size() == 0);
}

TEST_CASE("A file name that is too long for the system is refused",
          "[resize]") {
  CHECK_FALSE(PlanOf({std::string(252, 'a') + ".jpg"}, Options()).ok());
  CHECK(PlanOf({std::string(251, 'a') + ".jpg"}, Options()).ok());
}

TEST_CASE("All that changes bytes changes the digest of a resize plan",
          "[resize]") {
  const auto digest = [](const ResizeOptions& options,
                         const Keys& keys = {"a/x.jpg", "b/y.jpg"}) {
    const auto plan = PlanOf(keys, options);
    REQUIRE(plan.ok());
    return plan->digest();
  };
  const Digest128 base = digest(Options());
  ResizeOptions same = Options();
  same.threads = 7;
  same.output = "/other";
  CHECK(digest(same) == base);
  // The action for bad images may change on the way.
  same.on_bad = OnBad::kSkip;
  CHECK(digest(same) == base);
  std::vector<ResizeOptions> others(6, Options());
  others[0].short_sides = {160};
  others[1].image.quality = 91;
  others[2].image.filter = Filter::kBox;
  others[3].image.upscale = false;
  others[4].named = true;
  others[5].image.color = ColorMode::kGray;
  for (std::size_t i = 0; i < others.size(); ++i) {
    INFO(i);
    CHECK_FALSE(digest(others[i]) == base);
  }
  CHECK_FALSE(digest(Options(), {"a/x.jpg", "b/z.jpg"}) == base);
}

TEST_CASE("Options of a resize that cannot be are refused", "[resize]") {
  ResizeOptions options = Options();
  options.short_sides = {};
  CHECK(PlanOf({"a.jpg"}, options).status().message() == "no short side");
  options.short_sides = {0};
  CHECK_FALSE(PlanOf({"a.jpg"}, options).ok());
  options.short_sides = {160, 20, 160};
  CHECK(PlanOf({"a.jpg"}, options).status().message() ==
        "a short side is given twice");
  options = Options();
  options.source.folders.push_back({"val", "/in"});
  CHECK(PlanOf({"a.jpg"}, options).status().message() ==
        "several sources need names");
}

}  // namespace
}  // namespace shardine::resize_plan_test
