#include "hdf5/split_rows.h"

#include <algorithm>

#include "hdf5/hdf5_scanner.h"
#include "io/memory_storage.h"
#include "unit/hdf5/scripted_channel.h"
#include "unit/hdf5/split_file.h"

namespace shardine::split_rows_test {
namespace {

struct Taken {
  Status status;
  std::vector<std::string> keys;
  std::vector<std::string> images;
  std::vector<std::int64_t> labels;  // -1: none
  std::vector<std::uint64_t> records;
};

Taken Take(const std::string& bytes, std::string_view split) {
  MemoryStorage storage;
  storage.Put("x.h5", bytes);
  const auto file = storage.Open("x.h5");
  const auto scanner = OpenHdf5Scanner(**file, SandboxPool::Global(), split);
  Taken taken;
  taken.status = scanner.status();
  while (taken.status.ok()) {
    const auto sample = (*scanner)->Next();
    taken.status = sample.status();
    if (!sample.ok() || !*sample) break;
    taken.keys.emplace_back((*sample)->key.value_or("none"));
    taken.images.emplace_back(AsText((*sample)->fields[0].bytes));
    taken.labels.push_back(
        (*sample)->labels.empty() ? -1 : (*sample)->labels[0].integer());
    taken.records.push_back((*sample)->record);
  }
  return taken;
}

Result<NamedSplits> Named(const std::string& bytes) {
  MemoryStorage storage;
  storage.Put("x.h5", bytes);
  const auto file = storage.Open("x.h5");
  const auto scanner = OpenHdf5Scanner(**file, SandboxPool::Global());
  REQUIRE(scanner.status().ToString() == "OK");
  return (*scanner)->ReadSplits();
}

std::vector<std::pair<std::string, std::uint64_t>> Counts(
    const Result<NamedSplits>& named) {
  REQUIRE(named.status().ToString() == "OK");
  CHECK(named->samples == 10);
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const auto& split : named->splits) {
    counts.emplace_back(split.name, split.samples);
  }
  return counts;
}

using Keys = std::vector<std::string>;
using Splits = std::vector<std::pair<std::string, std::uint64_t>>;

TEST_CASE("An HDF5 file says which splits it has, and how large",
          "[hdf5][split]") {
  CHECK(Counts(Named(TenRows({}))).empty());
  const auto one = Named(TenRows({{"val", 0, 10}}));
  CHECK(Counts(one) == Splits{{"val", 10}});
  CHECK(one->one());
  // Part of the rows is in no split: not all of the file is val.
  CHECK_FALSE(Named(TenRows({{"val", 0, 9}}))->one());
  const std::string three =
      TenRows({{"train", 0, 6},
               {"valid", 6, 8},
               {"test", 8, 10},
               {"extra", 0, 0, "", "encoded_images", false}});
  CHECK(Counts(Named(three)) ==
        Splits{{"train", 6}, {"valid", 2}, {"test", 2}});
}

TEST_CASE("A scan of a split has its rows and no others", "[hdf5][split]") {
  const std::string bytes = TenRows({{"train", 0, 6},
                                     {"train", 0, 6, "", "targets"},
                                     {"valid", 6, 9},
                                     {"none", 4, 4}});
  const Taken valid = Take(bytes, "valid");
  REQUIRE(valid.status.ToString() == "OK");
  CHECK(valid.keys == Keys{"6.jpg", "7.jpg", "8.jpg"});
  CHECK(valid.images == Keys{SplitImage(6), SplitImage(7), SplitImage(8)});
  CHECK(valid.labels == std::vector<std::int64_t>{6, 7, 8});
  CHECK(valid.records == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(Take(bytes, "train").keys.size() == 6);
  CHECK(Take(bytes, "none").keys.empty());
  CHECK(Take(bytes, "*").keys.size() == 10);
  const Status missing = Take(bytes, "test").status;
  CHECK(missing.code() == Code::kInvalidArgument);
  CHECK(missing.where().path == "x.h5");
  CHECK_THAT(missing.message(),
             Catch::Contains("\"train\", \"valid\", \"none\""));
  CHECK(Take(TenRows({}), "train").status.code() == Code::kInvalidArgument);
}

std::string WithIndices(const std::vector<std::int32_t>& indices) {
  LibraryFile file;
  PutSplitRows(file, 10);
  file.Put("lists/odd", H5T_STD_I32BE, H5T_NATIVE_INT32, {indices.size()},
           Packed(indices));
  PutSplits(file, {{"odd", -1, -1, "lists/odd"}, {"all", 0, 10}});
  return file.Bytes();
}

TEST_CASE("A split whose rows a dataset lists has these, in the file's order",
          "[hdf5][split]") {
  const std::string bytes = WithIndices({9, 1, 5});
  CHECK(Counts(Named(bytes)) == Splits{{"odd", 3}, {"all", 10}});
  const Taken odd = Take(bytes, "odd");
  REQUIRE(odd.status.ToString() == "OK");
  CHECK(odd.keys == Keys{"1.jpg", "5.jpg", "9.jpg"});
  const Status twice = Take(WithIndices({3, 4, 3}), "odd").status;
  CHECK(twice.code() == Code::kUnsupported);
  CHECK_THAT(twice.message(), Catch::Contains("row 3 twice"));
  for (const std::int32_t outside : {10, -1}) {
    const Status status = Take(WithIndices({0, outside}), "odd").status;
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().record == 1);
  }
}

TEST_CASE("A split without labels or keys has none", "[hdf5][split]") {
  const Taken test = Take(TenRows({{"test", 2, 4},
                                   {"test", 0, 0, "", "targets", false},
                                   {"test", 0, 0, "", "filenames", false}}),
                          "test");
  REQUIRE(test.status.ToString() == "OK");
  CHECK(test.keys == Keys{"none", "none"});
  CHECK(test.labels == std::vector<std::int64_t>{-1, -1});
  CHECK(test.images == Keys{SplitImage(2), SplitImage(3)});
}

TEST_CASE("Splits that the rows do not fit are refused", "[hdf5][split]") {
  const auto refused = [](const std::vector<SplitEntry>& entries, Code code) {
    const std::string bytes = TenRows(entries);
    CHECK(Take(bytes, "train").status.code() == code);
    // A reader of the whole file is not told of splits, and gets all of it.
    CHECK(Take(bytes, "*").keys.size() == 10);
    return Named(bytes).status();
  };
  for (const SplitEntry& entry :
       {SplitEntry{"train", 0, 11}, SplitEntry{"train", -1, 5},
        SplitEntry{"train", 5, 4}}) {
    CHECK(refused({entry}, Code::kCorrupt).code() == Code::kCorrupt);
  }
  const Status twice =
      refused({{"train", 0, 5}, {"train", 5, 10}}, Code::kUnsupported);
  CHECK_THAT(twice.message(), Catch::Contains("twice"));
  // Labels of other rows than the images would be wrong ones.
  const Taken other = Take(
      TenRows({{"train", 0, 5}, {"train", 5, 10, "", "targets"}}), "train");
  CHECK(other.status.code() == Code::kUnsupported);
  CHECK_THAT(other.status.message(), Catch::Contains("\"targets\""));
  // A reference to rows has to be a list of them.
  CHECK(refused({{"train", 0, 0, "filenames"}}, Code::kUnsupported).code() ==
        Code::kUnsupported);
}

std::string WithText() {
  LibraryFile file;
  PutSplitRows(file, 10);
  const Hdf5Id type = FixedText(5);
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id attribute(H5Acreate2(file.id(), "split", type.get(), space.get(),
                                    H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  REQUIRE(H5Awrite(attribute.get(), type.get(), "train") >= 0);
  return file.Bytes();
}

std::string WithReals() {
  LibraryFile file;
  PutSplitRows(file, 10);
  PutSplits(file, {{"train", 0, 10}}, H5T_NATIVE_DOUBLE);
  return file.Bytes();
}

TEST_CASE("An attribute split of another program says nothing",
          "[hdf5][split]") {
  CHECK(Counts(Named(WithText())).empty());
  // An attribute with Fuel's members, but of other types, could be misread.
  const Status status = Named(WithReals()).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.message(), Catch::Contains("attribute split"));
}

TEST_CASE("Whatever is damaged around the splits, the next file is read",
          "[hdf5][split][corruption]") {
  const std::string bytes = TenRows({{"train", 0, 6}, {"valid", 6, 10}});
  const std::size_t at = bytes.find("train");
  REQUIRE(at != bytes.npos);
  REQUIRE(at > 300);
  std::size_t errors = 0;
  for (std::size_t byte = at - 300; byte < std::min(bytes.size(), at + 200);
       ++byte) {
    std::string damaged = bytes;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 0x81);
    const Taken taken = Take(damaged, "valid");
    errors += taken.status.ok() ? 0 : 1;
    // Nothing is made up: all images are of the file.
    for (const std::string& image : taken.images) {
      CHECK(image.starts_with("image "));
    }
  }
  CHECK(errors > 0);
  CHECK(Take(bytes, "valid").keys.size() == 4);
}

std::string Encoded(const Hdf5Split& split) {
  std::string text;
  EncodeSplit(split, text);
  return text;
}

Result<std::vector<Hdf5Split>> SaidBy(const std::vector<std::string>& frames) {
  MemoryStorage storage;
  storage.Put("x", std::string(1000, 'x'));
  const auto file = storage.Open("x");
  ScriptedChannel script;
  for (const std::string& frame : frames) {
    script.Say(SandboxMessage::kSplit, frame);
  }
  script.Say(SandboxMessage::kDone);
  SandboxSession session(**file, script);
  return session.ReadSplits();
}

TEST_CASE("SandboxSession takes splits that make sense, and not too many",
          "[hdf5][split][protocol]") {
  const Hdf5Split split = {"train", "encoded_images", -1, 7, "lists/a", true};
  const Hdf5Split other = {"", "", 0, 0, "", false};
  CHECK(*SaidBy({}) == std::vector<Hdf5Split>{});
  CHECK(*SaidBy({Encoded(split), Encoded(other)}) ==
        std::vector<Hdf5Split>{split, other});
  const std::string good = Encoded(split);
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK(SaidBy({good.substr(0, size)}).status().code() == Code::kCorrupt);
  }
  CHECK(SaidBy({good + "x"}).status().code() == Code::kCorrupt);
  std::string unclear = good;
  unclear.back() = 2;
  CHECK(SaidBy({unclear}).status().code() == Code::kCorrupt);
  Hdf5Split large = split;
  large.source = std::string(4096, 's');
  const std::size_t most = 2 * kHdf5MostSplits / Encoded(large).size();
  CHECK(SaidBy(std::vector<std::string>(most, Encoded(large)))->size() == most);
  CHECK(SaidBy(std::vector<std::string>(most + 1, Encoded(large)))
            .status()
            .code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::split_rows_test
