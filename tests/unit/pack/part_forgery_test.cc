// Files of parts that are damaged, and files forged with valid checksums: each
// is refused by name, or is samples like any other.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "dataset/dataset_reader.h"
#include "pack/part_file.h"
#include "shardine/dataset_writer.h"
#include "support/pack_fixture.h"

namespace shardine::part_forgery_test {
namespace {

using Catch::Contains;

constexpr char kFile[] = "out/.parts/00000-of-00001/samples";
constexpr char kHeader[] =
    "{\"check\":\"none\",\"classes\":[[\"cat\",0,\"\"]],\"entry_points\":"
    "\"none\",\"format\":\"webdataset\",\"part\":0,\"parts\":1,"
    "\"shard_bytes\":1000,\"shard_samples\":0}";

// The layout of dataset/FORMAT.md once more, with anything in it.
class Forged {
 public:
  explicit Forged(const std::string& header = kHeader) { Add(header); }

  Forged& Add(const std::string& frame) {
    const std::uint64_t checksum = Xxh3_64(AsBytes(frame), frames_++);
    checksums_.UpdateLe(checksum);
    AppendLe(static_cast<std::uint64_t>(frame.size()), file_);
    file_ += frame;
    AppendLe(checksum, file_);
    return *this;
  }
  std::string End(std::uint64_t samples, Digest128 content = {}) const {
    std::string file = file_;
    AppendLe(std::uint64_t{0}, file);
    const Digest128 all = checksums_.Digest();
    for (const std::uint64_t number :
         {samples, content.low, content.high, all.low, all.high}) {
      AppendLe(number, file);
    }
    return file;
  }

 private:
  std::string file_ = "shardine part 1\n";
  std::uint64_t frames_ = 0;
  Xxh3Stream checksums_;
};

struct Frame {
  std::string bytes;

  template <typename T>
  Frame& Number(T number) {
    AppendLe(number, bytes);
    return *this;
  }
  Frame& Text(const std::string& text) {
    AppendLe(static_cast<std::uint32_t>(text.size()), bytes);
    bytes += text;
    return *this;
  }
};

// A frame up to the labels.
Frame Named(std::uint8_t flags, const std::string& split,
            const std::string& key) {
  return Frame().Number(flags).Number(std::uint64_t{0}).Text(split).Text(key);
}
Frame OneField(const std::string& name, const std::string& dtype,
               const std::vector<std::uint64_t>& shape) {
  Frame frame = Named(1, "train", "k").Number(0U).Number(1U);
  frame.Text(name).Text(dtype);
  frame.Number(static_cast<std::uint32_t>(shape.size()));
  for (const std::uint64_t axis : shape) frame.Number(axis);
  frame.Number(std::uint64_t{2}).bytes += "ab";
  return frame;
}

struct World {
  Status Join() {
    return JoinParts({.output = "out", .threads = 1}, {.storage = &storage})
        .status();
  }
  // The part stays as it is, and nothing is made of it.
  Status Refused(const std::string& file) {
    storage.Put(kFile, file);
    const Status status = Join();
    CHECK_FALSE(status.ok());
    CHECK(TakeSnapshot(storage, "out") ==
          Snapshot{{std::string(kFile).substr(4), file}});
    return status;
  }
  Status RefusedSample(const Frame& frame) {
    return Refused(Forged().Add(frame.bytes).End(1));
  }
  std::string Written(std::uint64_t samples) {
    DatasetWriterOptions options{.output = "out",
                                 .format = "webdataset",
                                 .check = ImageCheckLevel::kNone,
                                 .parts = 1};
    auto writer = DatasetWriter::Create(options, {.storage = &storage});
    REQUIRE(writer.ok());
    const Label label = Label::FromReal(0.5);
    for (std::uint64_t i = 0; i < samples; ++i) {
      const std::string bytes = NoiseBytes(5, i);
      const FieldView field{.name = "a", .bytes = AsBytes(bytes)};
      REQUIRE((*writer)
                  ->Append({.labels = {&label, 1}, .fields = {&field, 1}})
                  .ok());
    }
    REQUIRE((*writer)->Finish().ok());
    return *storage.Get(kFile);
  }
  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "A part with any byte changed is refused",
                 "[pack][parts][corruption]") {
  const std::string file = Written(3);
  for (std::size_t i = 0; i < file.size(); ++i) {
    INFO("byte " << i);
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    CHECK(Refused(damaged).where().path == kFile);
  }
  storage.Put(kFile, file);
  CHECK(Join().ToString() == "OK");
}

TEST_CASE_METHOD(World, "A part that is cut or goes on is refused",
                 "[pack][parts][corruption]") {
  const std::string file = Written(3);
  for (std::size_t size = 0; size < file.size(); ++size) {
    INFO("cut to " << size);
    CHECK(Refused(file.substr(0, size)).code() == Code::kCorrupt);
  }
  CHECK(Refused(file + "x").code() == Code::kCorrupt);
  CHECK(Refused(file + file).code() == Code::kCorrupt);
}

TEST_CASE_METHOD(World, "Damage is said with file, record and byte",
                 "[pack][parts][corruption]") {
  std::string file = Written(3);
  const std::size_t last = file.rfind(NoiseBytes(5, 2));
  REQUIRE(last != file.npos);
  file[last] ^= 1;
  const Status status = Refused(file);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().record == 2);
  REQUIRE(status.where().offset);
  CHECK(*status.where().offset < last);
  CHECK(last - *status.where().offset < 100);
}

TEST_CASE_METHOD(World, "Samples that are left out or swapped are missed",
                 "[pack][parts][hostile]") {
  const std::string frame = OneField("a", "|S", {}).bytes;
  // All digests of the contents are right; the totals are not.
  for (const std::uint64_t samples : {0, 2, 3}) {
    const std::string file = Forged().Add(frame).End(samples);
    CHECK_THAT(Refused(file).message(), Contains("samples are missing"));
  }
}

TEST_CASE_METHOD(World, "Frames with sound checksums are no samples yet",
                 "[pack][parts][hostile]") {
  constexpr auto kMany = std::numeric_limits<std::uint32_t>::max();
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  const Frame wrong[] = {
      {"x"},
      Named(4, "train", "k").Number(0U).Number(0U),
      Named(1, "train", "k").Number(kMany),
      Named(1, "train", "k").Number(0U).Number(kMany),
      Named(1, "train", "k").Number(0U).Number(0U).Number(0U),
      Named(1, "train", "k").Number(1U).Number(std::uint8_t{2}).Number(kHuge),
      Named(1, "train", "k")
          .Number(1U)
          .Number(std::uint8_t{1})
          .Number(std::nan(""))
          .Number(0U),
      Named(1, "train", "k")
          .Number(0U)
          .Number(1U)
          .Text("a")
          .Text("|S")
          .Number(kMany),
      Named(1, "train", "k")
          .Number(0U)
          .Number(1U)
          .Text("a")
          .Text("|S")
          .Number(0U)
          .Number(kHuge),
  };
  for (const Frame& frame : wrong) {
    const Status status = RefusedSample(frame);
    CHECK(status.code() == Code::kCorrupt);
    CHECK_THAT(status.message(), Contains("is no sample"));
    CHECK(status.where().record == 0);
  }
  // Fields out of order, which digests of contents do not take.
  Frame two = Named(1, "train", "k").Number(0U).Number(2U);
  for (const char* name : {"b", "a"}) {
    two.Text(name).Text("|S").Number(0U).Number(std::uint64_t{0});
  }
  CHECK_THAT(RefusedSample(two).message(), Contains("is no sample"));
}

TEST_CASE_METHOD(World, "Samples of a part are checked as any others",
                 "[pack][parts][hostile]") {
  const auto empty = [](Frame frame) { return frame.Number(0U).Number(0U); };
  struct Wrong {
    Frame frame;
    const char* message;
  };
  const Wrong all[] = {
      {empty(Named(1, "../../x", "k")), "split's name"},
      {empty(Named(1, "", "k")), "split's name"},
      {empty(Named(1, "train", "")), "needs a key"},
      {empty(Named(1, "train", std::string(70'000, 'k'))), "70000 bytes"},
      {Named(1, "train", "k")
           .Number(1U)
           .Number(std::uint8_t{0})
           .Number(std::int64_t{5})
           .Number(0U),
       "label 5 is none of the classes'"},
      {OneField("a", "<f8", {3}), "a"},
      {OneField("a", "|u1", {std::uint64_t{1} << 63, 2, 2}), "a"},
      {OneField("a", "object", {}), "a"},
  };
  for (const Wrong& wrong : all) {
    const Status status = RefusedSample(wrong.frame);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.where().path == kFile);
    CHECK_THAT(status.message(), Contains(wrong.message));
  }
}

TEST_CASE_METHOD(World, "Options of a part are believed in one form alone",
                 "[pack][parts][hostile]") {
  const std::string frame = OneField("a", "|S", {}).bytes;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string header = kHeader;
    header.replace(header.find(from), from.size(), to);
    return Refused(Forged(header).Add(frame).End(1));
  };
  for (const char* number : {"-1", "1.5", "1e3", "\"1000\"", "null", "[]"}) {
    CHECK(with("1000", number).code() == Code::kCorrupt);
  }
  CHECK(with("1000", "0").code() == Code::kInvalidArgument);
  CHECK(with("webdataset", "floppy").code() == Code::kInvalidArgument);
  CHECK(with("webdataset", "tfrecord/records").code() ==
        Code::kInvalidArgument);
  CHECK(with("[\"cat\",0,\"\"]", "[\"cat\",0]").code() == Code::kCorrupt);
  CHECK(with("[\"cat\",0,\"\"]", "[\"\\\\x\",0,\"\"]").code() ==
        Code::kCorrupt);
  CHECK(with("[\"cat\",0,\"\"]", "[\"a\",0,\"\"],[\"b\",0,\"\"]").code() ==
        Code::kInvalidArgument);
  CHECK(with("\"part\":0", "\"part\":1").code() == Code::kInvalidArgument);
  CHECK(with("\"parts\":1", "\"parts\":4294967297").code() == Code::kCorrupt);
  CHECK(with("{", "{\"a\":1,").code() == Code::kCorrupt);
  CHECK(with("{", "[").code() == Code::kCorrupt);
  CHECK(Refused(Forged("").Add(frame).End(1)).code() == Code::kCorrupt);
  CHECK(Refused(Forged(std::string(5'000, '[')).Add(frame).End(1)).code() ==
        Code::kCorrupt);
}

TEST_CASE_METHOD(World, "A part is the one of its folder, and a folder",
                 "[pack][parts][hostile]") {
  const std::string file = Written(2);
  REQUIRE(storage.Remove(kFile).ok());
  REQUIRE(storage.Remove("out/.parts/00000-of-00001").ok());
  for (const char* name : {"00000-of-00002", "00001-of-00002"}) {
    storage.Put("out/.parts/" + std::string(name) + "/samples", file);
  }
  Status status = Join();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK_THAT(status.message(), Contains("is in the folder of part 0 of 2, and "
                                        "is part 0 of 1"));
  storage.Put("out/.parts/00000-of-00003/samples", file);
  CHECK_THAT(Join().message(), Contains("parts of 2 and of 3"));
  storage.Put("out/.parts/00002-of-00003", "no folder");
  CHECK(Join().code() == Code::kInvalidArgument);
}

TEST_CASE_METHOD(World, "Names that are no part's are nobody's business",
                 "[pack][parts][hostile]") {
  (void)Written(2);
  for (const char* name :
       {"00001-of-00001", "0-of-1", "00000-of-00000", "00000-of-0000x",
        "000000-of-00001", "..00-of-00001", "mine"}) {
    storage.Put("out/.parts/" + std::string(name) + "/samples", "mine");
  }
  const auto joined =
      JoinParts({.output = "out", .threads = 1}, {.storage = &storage});
  REQUIRE(joined.status().ToString() == "OK");
  REQUIRE(joined->warnings.size() == 1);
  CHECK_THAT(joined->warnings[0], Contains("parts stay"));
  CHECK(*storage.Get("out/.parts/mine/samples") == "mine");
  CHECK_FALSE(storage.Stat("out/.parts/00000-of-00001").ok());
  CHECK(DatasetReader::Open(storage, "out").ok());
}

TEST_CASE_METHOD(World, "Parts beside a dataset go if they are in it",
                 "[pack][parts][hostile]") {
  const std::string file = Written(3);
  REQUIRE(Join().ok());
  const Snapshot made = TakeSnapshot(storage, "out");
  storage.Put(kFile, file);
  CHECK(Join().ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == made);
  REQUIRE(storage.CreateDirectories("out").ok());
  // Others stay, whatever a mark says that is not of this dataset.
  storage.Put(kFile, Forged().Add(OneField("a", "|S", {}).bytes).End(3));
  storage.Put("out/.parts/joined", std::string(32, '0'));
  const Snapshot before = TakeSnapshot(storage, "out");
  const Status refused = Join();
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK_THAT(refused.message(), Contains("parts that are not those of it"));
  CHECK(TakeSnapshot(storage, "out") == before);
}

}  // namespace
}  // namespace shardine::part_forgery_test
