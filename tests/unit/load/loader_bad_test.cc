// Damaged samples and shards: each way to treat a bad sample for each way to be
// one, and shards that vanish, shrink or change on the disk while a loader has
// them open.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "support/png_maker.h"
#include "unit/load/loader_fixture.h"

namespace shardine::loader_bad_test {
namespace {

constexpr auto kNoWait = std::chrono::seconds(10);

LoaderOptions Options(Transform transform) {
  LoaderOptions options;
  options.batch_size = 4;
  options.order.order = SampleOrder::kSequential;
  options.last_batch = LastBatch::kShort;
  options.transform = transform;
  options.threads = 2;
  return options;
}

// A tree of files by name, packed as it is, one shard, in the names' order.
class AsIs {
 public:
  explicit AsIs(const std::map<std::string, std::string>& files) {
    std::filesystem::create_directories(temp_ / "tree/a");
    for (const auto& [name, bytes] : files) {
      std::ofstream(temp_ / ("tree/a/" + name), std::ios::binary) << bytes;
    }
    PackOptions pack;
    pack.source.folders = {{"train", temp_ / "tree"}};
    pack.output = temp_ / "out";
    pack.shuffle = false;
    pack.check = ImageCheckLevel::kNone;
    REQUIRE(Pack(pack).status().ToString() == "OK");
    auto dataset = Dataset::Open(temp_ / "out");
    REQUIRE(dataset.ok());
    dataset_ = *std::move(dataset);
  }

  const std::shared_ptr<const Dataset>& dataset() const { return dataset_; }
  std::unique_ptr<Loader> Load(const LoaderOptions& options) const {
    auto loader = Loader::Create(dataset_, options);
    REQUIRE(loader.status().ToString() == "OK");
    return *std::move(loader);
  }

 private:
  TempDirectory temp_;
  std::shared_ptr<const Dataset> dataset_;
};

// With kFail each bad sample ends its batch, which the ways that tolerate it
// deliver: without it, or with gray in its place. Returns the bad ids.
std::set<std::uint64_t> CheckBad(const AsIs& samples, LoaderOptions options) {
  options.on_bad = OnBadSample::kGray;
  auto gray = samples.Load(options);
  const std::uint64_t count = samples.dataset()->size();
  std::set<std::uint64_t> bad;
  Delivered good;
  while (true) {
    const auto batch = gray->Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!batch->has_value()) break;
    const std::span<const std::byte> pixels = (*batch)->pixels();
    const std::size_t slot = pixels.size() / (*batch)->size();
    for (std::size_t i = 0; i < (*batch)->size(); ++i) {
      const auto own = pixels.subspan(slot * i, slot);
      if ((*batch)->bad()[i] == 0) {
        good.ids.push_back((*batch)->ids()[i]);
        good.boxes.push_back((*batch)->boxes()[i]);
        good.pixels.append(reinterpret_cast<const char*>(own.data()), slot);
        continue;
      }
      bad.insert((*batch)->ids()[i]);
      CHECK((*batch)->boxes()[i] == CropBox());
      CHECK(std::ranges::all_of(
          own, [](std::byte value) { return value == std::byte{128}; }));
    }
  }
  CHECK(good.ids.size() + bad.size() == count);
  CHECK(gray->stats().bad == bad.size());

  options.on_bad = OnBadSample::kDrop;
  auto drop = samples.Load(options);
  const Delivered left = Drain(*drop);
  CHECK(left.ids == good.ids);
  CHECK(left.boxes == good.boxes);
  CHECK((left.pixels == good.pixels));
  CHECK(left.sizes.size() == (count + 3) / 4);
  CHECK(drop->stats().bad == bad.size());

  options.on_bad = OnBadSample::kFail;
  options.batch_size = 1;
  auto fail = samples.Load(options);
  for (std::uint64_t id = 0; id < count; ++id) {
    const Status status = fail->Next().status();
    CHECK(status.ok() != bad.contains(id));
    if (status.ok()) continue;
    CHECK((status.code() == Code::kCorrupt ||
           status.code() == Code::kUnsupported));
    CHECK(status.where().record == id);
    CHECK(status.where().key == *samples.dataset()->Key(id));
    CHECK(status.where().path.ends_with(".rec"));
    LoaderState behind = fail->State();
    ++behind.position;
    REQUIRE(fail->SetState(behind).ok());
  }
  return bad;
}

TEST_CASE("Images cut anywhere, or of no kind, are bad samples",
          "[loader][bad]") {
  const std::string jpeg = MakeJpeg({.width = 24, .height = 17});
  const std::string png = MakePng({.width = 23, .height = 19});
  std::map<std::string, std::string> files;
  std::set<std::uint64_t> bad;
  const auto add = [&](const std::string& bytes, bool is_bad) {
    const std::uint64_t id = files.size();
    files[std::to_string(1000 + id) + ".jpg"] = bytes;
    if (is_bad) bad.insert(id);
  };
  for (std::size_t i = 0; i < 30; ++i) {
    add(jpeg.substr(0, jpeg.size() * i / 30), true);
    add(png.substr(0, png.size() * i / 30), true);
    add(i % 2 == 0 ? jpeg : png, false);
  }
  add(jpeg.substr(0, jpeg.size() - 2), true);  // without its end marker
  add("<html>not found</html>", true);
  add(std::string(5000, '\xFF'), true);
  const AsIs samples(files);
  CHECK(CheckBad(samples, Options(Resize{12, 9})) == bad);
  CHECK(CheckBad(samples, Options(CenterCrop{40, 40, 0})) == bad);
}

const std::string kJxl = "\xFF\x0A" + std::string(40, '\0');

// Field reports, B14.
TEST_CASE("A loader refuses kinds that are not decoded, whatever on_bad says",
          "[loader][bad]") {
  const std::string jpeg = MakeJpeg({.width = 24, .height = 17});
  const AsIs samples({{"1.jpg", jpeg}, {"2.jxl.jpg", kJxl}, {"3.jpg", jpeg}});
  LoaderOptions options = Options(Resize{12, 9});
  for (const OnBadSample on_bad :
       {OnBadSample::kFail, OnBadSample::kDrop, OnBadSample::kGray}) {
    options.on_bad = on_bad;
    const Status status = Loader::Create(samples.dataset(), options).status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == "a/2.jxl.jpg");
    CHECK(status.where().record == 1);
    CHECK(status.message() ==
          "1 of 3 samples have an image of a kind that is not decoded: jxl "
          "(1); the first is this jxl; unsupported \"drop\" leaves them out");
  }
  options.unsupported = OnUnsupported::kDrop;
  const auto loader = samples.Load(options);
  CHECK(Drain(*loader).ids == std::vector<std::uint64_t>{0, 2});
  CHECK(loader->stats().unsupported == 1);
  CHECK(loader->stats().bad == 0);
  // Bytes that are delivered as they are need no decoding.
  options.transform.reset();
  options.unsupported = OnUnsupported::kFail;
  CHECK(Drain(*samples.Load(options)).ids.size() == 3);
}

TEST_CASE("A loader refuses images all of which are of such kinds",
          "[loader][bad]") {
  const AsIs samples({{"1.jpg", kJxl}, {"2.jpg", kJxl}});
  LoaderOptions options = Options(Resize{12, 9});
  options.unsupported = OnUnsupported::kDrop;
  const Status status = Loader::Create(samples.dataset(), options).status();
  CHECK(status.message() ==
        "2 of 2 samples have an image of a kind that is not decoded: jxl (2); "
        "the first is this jxl, and no sample is left");
}

TEST_CASE("A loader of chosen samples looks at their kinds alone",
          "[loader][bad]") {
  const std::string jpeg = MakeJpeg({.width = 24, .height = 17});
  const AsIs samples({{"1.jpg", jpeg}, {"2.jpg", kJxl}, {"3.jpg", jpeg}});
  LoaderOptions options = Options(Resize{12, 9});
  const auto choose = [&](std::vector<std::uint64_t> positions) {
    options.positions = std::make_shared<const std::vector<std::uint64_t>>(
        std::move(positions));
  };
  choose({2, 0});
  CHECK(Drain(*samples.Load(options)).ids.size() == 2);
  choose({2, 1});
  CHECK(Loader::Create(samples.dataset(), options).status().code() ==
        Code::kUnsupported);
}

TEST_CASE("A loader says that a whole batch is bad, and how many of an epoch",
          "[loader][bad]") {
  const std::string jpeg = MakeJpeg({.width = 24, .height = 17});
  const std::string cut = jpeg.substr(0, jpeg.size() / 2);
  std::map<std::string, std::string> files;
  for (int i = 0; i < 12; ++i) {
    files[std::to_string(100 + i) + ".jpg"] = i / 4 == 1 ? cut : jpeg;
  }
  const AsIs samples(files);
  LoaderOptions options = Options(Resize{12, 9});
  options.on_bad = OnBadSample::kGray;
  std::vector<std::string> said;
  options.on_warning = [&](const std::string& line) { said.push_back(line); };
  const auto loader = samples.Load(options);
  Drain(*loader);
  REQUIRE(said.size() == 2);
  CHECK(
      said[0].starts_with("all 4 samples of a batch are bad, on_bad \"gray\":"
                          " first "));
  CHECK(said[0].find("a/104.jpg") != std::string::npos);
  CHECK(said[1].starts_with("epoch 0: 4 of 12 samples were bad, "));
  Drain(*loader);
  REQUIRE(said.size() == 3);
  CHECK(said[2].starts_with("epoch 1: 4 of 12 samples were bad, "));
}

TEST_CASE("A state counts samples that were left out", "[loader][bad]") {
  std::map<std::string, std::string> files;
  for (std::uint32_t i = 0; i < 23; ++i) {
    files[std::to_string(100 + i) + ".jpg"] =
        i % 3 == 1 ? "bad"
                   : MakeJpeg({.width = 20, .height = 15, .seed = i + 1});
  }
  const AsIs samples(files);
  LoaderOptions options = Options(RandomResizedCrop{.width = 6, .height = 4});
  options.order = {};
  options.on_bad = OnBadSample::kDrop;
  const Delivered whole = Drain(*samples.Load(options));
  CHECK(whole.ids.size() == 15);
  for (std::uint64_t cut = 0; cut < 6; ++cut) {
    auto begun = samples.Load(options);
    Delivered delivered = Drain(*begun, cut);
    CHECK(begun->State().position == 4 * cut);
    LoaderOptions others = options;
    others.batch_size = 3;
    others.world = 2;
    for (others.rank = 0; others.rank < 2; ++others.rank) {
      auto rest = samples.Load(others);
      REQUIRE(rest->SetState(begun->State()).ok());
      CHECK(rest->steps_left() == (23 - begun->State().position + 5) / 6);
      const Delivered more = Drain(*rest);
      delivered.ids.insert(delivered.ids.end(), more.ids.begin(),
                           more.ids.end());
    }
    std::ranges::sort(delivered.ids);
    std::vector<std::uint64_t> all = whole.ids;
    std::ranges::sort(all);
    CHECK(delivered.ids == all);
  }
}

TEST_CASE("A box of FixedCrop outside of an image is a fault of that image",
          "[loader][bad]") {
  std::map<std::string, std::string> files;
  std::set<std::uint64_t> bad;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t width = 20 + i % 5;
    const std::uint32_t height = 15 + i % 4;
    files[std::to_string(100 + i) + ".jpg"] =
        MakeJpeg({.width = width, .height = height, .seed = i + 1});
    if (width < 22 || height < 17) bad.insert(i);
  }
  const AsIs samples(files);
  CHECK(CheckBad(samples, Options(FixedCrop{10, 9, 12, 8, 6, 4})) == bad);
  // Pixels beyond the last one of every image: none is good, all end.
  CHECK(CheckBad(samples, Options(FixedCrop{100, 0, 1, 1, 6, 4})).size() == 20);
}

TEST_CASE("An image whose other side would be endless is a bad sample",
          "[loader][bad]") {
  const AsIs samples({{"1.jpg", MakeJpeg({.width = 40, .height = 30})},
                      {"2.png", MakePng({.width = 1, .height = 3000})},
                      {"3.jpg", MakeJpeg({.width = 1, .height = 1})}});
  CHECK(CheckBad(samples, Options(CenterCrop{8, 8, 65'535})) ==
        std::set<std::uint64_t>{1});
  // Only a part of the image is made, whatever the whole would take.
  CHECK(CheckBad(samples, Options(CenterCrop{8, 8, 20'000})).empty());
}

// The tests below use the disk.

std::vector<std::filesystem::path> ShardsOf(const LoaderFixture& fixture) {
  std::vector<std::filesystem::path> shards;
  for (const auto& entry :
       std::filesystem::directory_iterator(fixture.path())) {
    if (entry.path().extension() == ".rec") shards.push_back(entry.path());
  }
  std::ranges::sort(shards);
  REQUIRE(shards.size() == 3);
  return shards;
}

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes into the same file: readers that have it open see it.
void Overwrite(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::resize_file(path, bytes.size());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file << bytes;
  REQUIRE(file.flush().good());
}

// 36 samples, 12 to a shard; the loader has taken 2 of the second, and no more
// than 4 behind them are on their way.
struct Midway {
  Midway() : fixture(36), shards(ShardsOf(fixture)) {
    options = Options(RandomResizedCrop{.width = 12, .height = 9});
    options.batch_size = 2;
    options.prefetch = 1;
    options.fetch_bytes = 0;  // shards are opened for their first sample
    whole = Drain(*fixture.Load(options));
    loader = fixture.Load(options);
    delivered = Drain(*loader, 7);
  }

  // The rest, or the first failure.
  Status TakeRest() {
    while (true) {
      REQUIRE(loader->WaitFor(kNoWait));
      const auto batch = loader->Next();
      if (!batch.ok()) return batch.status();
      if (!batch->has_value()) return {};
      delivered.Add(**batch);
    }
  }
  // Resumes at the place of the failure, with the fault gone.
  void CheckGoesOn() {
    REQUIRE(loader->SetState(loader->State()).ok());
    REQUIRE(TakeRest().ToString() == "OK");
    CHECK(delivered == whole);
  }

  const LoaderFixture fixture;
  const std::vector<std::filesystem::path> shards;
  LoaderOptions options;
  Delivered whole;
  std::unique_ptr<Loader> loader;
  Delivered delivered;
};

TEST_CASE_METHOD(Midway, "A shard that vanishes before it is opened is missed",
                 "[loader][bad]") {
  const std::string bytes = Contents(shards[2]);
  std::filesystem::remove(shards[2]);
  const Status status = TakeRest();
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == shards[2]);
  CHECK(status.where().record == 0);
  CHECK(delivered.ids.size() == 24);
  std::ofstream(shards[2], std::ios::binary) << bytes;
  CheckGoesOn();
}

TEST_CASE_METHOD(Midway, "A shard that vanishes while it is open is read on",
                 "[loader][bad]") {
  std::filesystem::remove(shards[1]);
  CHECK(TakeRest().ToString() == "OK");
  CHECK(delivered == whole);
}

TEST_CASE_METHOD(Midway, "A shard that shrinks is an error where it ends",
                 "[loader][bad]") {
  const std::string bytes = Contents(shards[1]);
  SECTION("while it is open") {
    std::filesystem::resize_file(shards[1], 20);
    const Status status = TakeRest();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.message() == "file ends early");
    CHECK(status.where().path == shards[1]);
    CHECK(status.where().record >= 2);
    CHECK(status.where().key.has_value());
  }
  SECTION("before it is opened") {
    loader = fixture.Load(options);
    delivered = {};
    std::filesystem::resize_file(shards[1], bytes.size() - 1);
    const Status status = TakeRest();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == shards[1]);
    CHECK(delivered.ids.size() == 12);
  }
  SECTION("before it is opened: that is no bad sample, and nothing is gray") {
    options.on_bad = OnBadSample::kGray;
    loader = fixture.Load(options);
    delivered = {};
    std::filesystem::resize_file(shards[1], bytes.size() - 1);
    CHECK(TakeRest().code() == Code::kCorrupt);
    CHECK(delivered.ids.size() == 12);
  }
  Overwrite(shards[1], bytes);
  CheckGoesOn();
}

TEST_CASE_METHOD(Midway, "A shard rewritten with other bytes fails its CRCs",
                 "[loader][bad]") {
  const std::string bytes = Contents(shards[1]);
  std::string other = bytes;
  std::ranges::reverse(other);
  SECTION("fail: at once") {
    Overwrite(shards[1], other);
    const Status status = TakeRest();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.message() == "the payload does not match its CRC");
    CHECK(status.where().path == shards[1]);
    CHECK(status.where().key.has_value());
    Overwrite(shards[1], bytes);
    CheckGoesOn();
  }
  SECTION("gray: each sample of it that is read then, by its label") {
    options.on_bad = OnBadSample::kGray;
    loader = fixture.Load(options);
    Overwrite(shards[1], other);
    delivered = {};
    CHECK(TakeRest().ToString() == "OK");
    CHECK(delivered.ids == whole.ids);
    CHECK(delivered.labels == whole.labels);
    CHECK(loader->stats().bad == 12);
  }
  SECTION("with those of another shard of the same length, in its place") {
    const std::filesystem::path beside = shards[1].string() + ".new";
    std::ofstream(beside, std::ios::binary) << other;
    std::filesystem::rename(beside, shards[1]);
    // A reader that has the file open reads the old one on; a new reader does
    // not.
    CHECK(TakeRest().ToString() == "OK");
    CHECK(delivered == whole);
    loader = fixture.Load(options);
    delivered = {};
    CHECK(TakeRest().code() == Code::kCorrupt);
    CHECK(delivered.ids.size() == 12);
  }
}

}  // namespace
}  // namespace shardine::loader_bad_test
