#include "hdf5/sandbox/sandbox_session.h"

#include <catch2/catch.hpp>

#include "base/philox.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"
#include "unit/hdf5/scripted_channel.h"

namespace shardine::sandbox_session_test {
namespace {

using enum SandboxMessage;

// Ten rows of twelve bytes, in chunks.
Hdf5Dataset Sample() {
  Hdf5Dataset dataset;
  dataset.name = "d";
  dataset.element = {'f', 4, false};
  dataset.storage = Hdf5Storage::kChunked;
  dataset.dims = {10, 3};
  dataset.chunk = {4, 3};
  return dataset;
}

// Opens a file of 1000 bytes; `script` decides.
Status OpenWith(ScriptedChannel& script) {
  MemoryStorage storage;
  storage.Put("x", std::string(1000, 'x'));
  const auto file = storage.Open("x");
  SandboxSession session(**file, script);
  return session.Open();
}

TEST_CASE("SandboxSession gives the other process the bytes it asks for",
          "[hdf5][protocol]") {
  ScriptedChannel script;
  script.Say(SandboxMessage::kRead, Numbers({990, 10}));
  script.Say(SandboxMessage::kHeader, Header());
  script.Say(SandboxMessage::kDone, "");
  CHECK(OpenWith(script).ok());
  CHECK(script.read == std::string(10, 'x'));
}

TEST_CASE("SandboxSession refuses requests and answers beyond the file",
          "[hdf5][protocol]") {
  const std::pair<SandboxMessage, std::string> bad[] = {
      {SandboxMessage::kRead, Numbers({991, 10})},
      {SandboxMessage::kRead, Numbers({~0ULL, 10})},
      {SandboxMessage::kRead, Numbers({0, kSandboxMaxPayload + 1})},
      {SandboxMessage::kRead, Numbers({0})},
      {SandboxMessage::kDataset, "x"},
      {SandboxMessage::kData, "x"},
      {SandboxMessage::kHeader, Header()},
      {static_cast<SandboxMessage>(99), ""},
      {SandboxMessage::kFailed, "words of the library"}};
  for (const auto& [kind, payload] : bad) {
    ScriptedChannel script;
    script.Say(SandboxMessage::kHeader, Header());
    script.Say(kind, payload);
    script.Say(SandboxMessage::kDone, "");
    const Status status = OpenWith(script);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "x");
  }
  Hdf5Dataset dataset = Sample();
  dataset.storage = Hdf5Storage::kContiguous;
  dataset.chunk.clear();
  dataset.offset = 881;  // 120 bytes
  ScriptedChannel script;
  script.Say(SandboxMessage::kHeader, Header());
  script.Say(SandboxMessage::kDataset, Encoded(dataset));
  script.Say(SandboxMessage::kDone, "");
  CHECK_THAT(OpenWith(script).message(), Catch::Contains("beyond the end"));
}

TEST_CASE("SandboxSession ends requests that go in circles, and floods",
          "[hdf5][protocol]") {
  class Circle : public ScriptedChannel {
    Result<SandboxFrame> Receive() override {
      static const std::string text = Numbers({0, 1000});
      return SandboxFrame{SandboxMessage::kRead, AsBytes(text)};
    }
    Status Send(SandboxMessage, ByteView) override { return {}; }
  } circle;
  CHECK_THAT(OpenWith(circle).message(), Catch::Contains("too long"));

  ScriptedChannel flood;
  flood.Say(SandboxMessage::kHeader, Header());
  for (int i = 0; i < 100; ++i) {
    flood.Say(SandboxMessage::kDataset, Encoded(Sample()));
  }
  flood.Say(SandboxMessage::kDone, "");
  CHECK_THAT(OpenWith(flood).message(), Catch::Contains("more datasets"));
}

TEST_CASE("SandboxSession reports the read that failed, not what followed",
          "[hdf5][protocol]") {
  MemoryStorage below;
  below.Put("x", std::string(1000, 'x'));
  FaultStorage storage(below, {.operation = Operation::kRead, .call = 0});
  const auto file = storage.Open("x");
  REQUIRE(file.ok());
  ScriptedChannel script;
  script.Say(SandboxMessage::kRead, Numbers({0, 8}));
  script.Say(SandboxMessage::kFailed, "not an HDF5 file");
  SandboxSession session(**file, script);
  const Status status = session.Open();
  CHECK(status.code() == Code::kIo);
  CHECK(status.where().path == "x");
}

// A file of 1000 bytes in which the process found one dataset.
class Opened {
 public:
  explicit Opened(const Hdf5Dataset& dataset = Sample()) {
    storage_.Put("x", std::string(1000, 'x'));
    file_ = *storage_.Open("x");
    script.Say(kHeader, Header());
    script.Say(kDataset, Encoded(dataset));
    script.Say(kDone);
    session.emplace(*file_, script);
    REQUIRE(session->Open().ToString() == "OK");
    script.asked.clear();
  }

  Result<std::string> Rows(std::uint64_t bytes) {
    ByteBuffer rows;
    rows.Append(AsBytes("of before"));
    const Status status = session->ReadRows(0, 2, 3, bytes, rows);
    if (!status.ok()) return status;
    return std::string(AsText(rows.view()));
  }
  Result<std::vector<Extent>> Chunks(std::uint64_t count) {
    std::vector<Extent> places = {{1, 2}};
    const Status status = session->FindChunks(0, 5, count, places);
    if (!status.ok()) return status;
    return places;
  }

  ScriptedChannel script;
  std::optional<SandboxSession> session;

 private:
  MemoryStorage storage_;
  std::unique_ptr<RandomAccessFile> file_;
};

TEST_CASE("SandboxSession asks with the numbers that it was given",
          "[hdf5][session]") {
  MemoryStorage storage;
  storage.Put("x", std::string(1000, 'x'));
  const auto file = storage.Open("x");
  ScriptedChannel script;
  SandboxSession session(**file, script);
  CHECK_FALSE(session.Open().ok());
  CHECK(script.asked ==
        std::vector<ScriptedChannel::Frame>{{kOpen, Numbers({1000})}});
  Opened opened;
  opened.script.Say(kDone);
  CHECK(opened.Rows(0)->empty());
  opened.script.Say(kDone);
  CHECK(opened.Chunks(0)->empty());
  CHECK(opened.script.asked ==
        std::vector<ScriptedChannel::Frame>{{kRows, Numbers({0, 2, 3})},
                                            {kChunks, Numbers({0, 5, 0})}});
}

TEST_CASE("SandboxSession gives just the pieces of the file it is asked for",
          "[hdf5][session]") {
  std::string contents;
  for (int i = 0; i < 1000; ++i) contents += static_cast<char>(i * 7);
  MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  ScriptedChannel script;
  std::string expected;
  const auto ask = [&](std::uint64_t offset, std::uint64_t length) {
    script.Say(kRead, Numbers({offset, length}));
    expected += contents.substr(offset, length);
  };
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto draw = Philox4x32({i, 0, 0, 0}, {1, 1});
    const std::uint64_t offset = draw[0] % 1001;
    ask(offset, draw[1] % (1001 - offset));
  }
  ask(0, 1000);
  ask(1000, 0);
  ask(999, 1);
  script.Say(kHeader, Header());
  script.Say(kDone);
  SandboxSession session(**file, script);
  CHECK(session.Open().ok());
  CHECK((script.read == expected));
}

TEST_CASE("SandboxSession joins rows from pieces of any size",
          "[hdf5][session]") {
  std::string rows;
  for (int i = 0; i < 36; ++i) rows += static_cast<char>(i);
  for (std::size_t piece = 1; piece <= 36; ++piece) {
    Opened opened;
    for (std::size_t at = 0; at < rows.size(); at += piece) {
      opened.script.Say(kData);  // empty
      opened.script.Say(kRead, Numbers({5, 6}));
      opened.script.Say(kData, rows.substr(at, piece));
    }
    opened.script.Say(kDone);
    REQUIRE(*opened.Rows(36) == rows);
    REQUIRE(opened.session->answered());
  }
}

TEST_CASE("SandboxSession refuses rows of another size than it wants",
          "[hdf5][session]") {
  const struct {
    std::vector<ScriptedChannel::Frame> frames;
    bool answered;  // only a process that is done can be asked again
  } cases[] = {
      {{{kDone, ""}}, true},
      {{{kData, std::string(35, 'r')}, {kDone, ""}}, true},
      {{{kData, std::string(37, 'r')}, {kDone, ""}}, false},
      {{{kData, std::string(36, 'r')}, {kData, "r"}, {kDone, ""}}, false},
      {{{kData, std::string(30, 'r')}, {kData, "seven b"}, {kDone, ""}}, false},
      {{{kHeader, Header()}, {kDone, ""}}, false},
      {{{kDataset, Encoded(Sample())}, {kDone, ""}}, false},
      {{{static_cast<SandboxMessage>(99), "?"}, {kDone, ""}}, false}};
  for (const auto& c : cases) {
    Opened opened;
    for (const auto& [kind, payload] : c.frames) {
      opened.script.Say(kind, payload);
    }
    const auto rows = opened.Rows(36);
    CHECK(rows.status().code() == Code::kCorrupt);
    CHECK(rows.status().where().path == "x");
    CHECK_THAT(rows.status().message(), Catch::Contains("makes no sense"));
    CHECK(opened.session->answered() == c.answered);
  }
}

TEST_CASE("SandboxSession repeats its first failure and asks no more",
          "[hdf5][session]") {
  Opened opened;
  opened.script.Say(kFailed, "the first");
  opened.script.Say(kFailed, "the second");
  const std::string first = opened.Rows(36).status().ToString();
  CHECK(first == "x: the first");
  CHECK(opened.session->answered());
  CHECK(opened.Rows(36).status().ToString() == first);
  CHECK(opened.Chunks(1).status().ToString() == first);
  CHECK(opened.script.asked.size() == 1);
}

TEST_CASE("SandboxSession says by which filter rows are unreadable",
          "[hdf5][session]") {
  Hdf5Dataset packed = Sample();
  packed.group = "train";
  packed.filter = "zstd (32015)";
  {
    Opened opened(packed);
    opened.script.Say(kFailed, "no such filter");
    const Status status = opened.Rows(36).status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(),
               Catch::Contains("\"train/d\" is packed by the filter zstd "
                               "(32015)") &&
                   Catch::Contains("h5repack"));
  }
  // The filter causes no crash, nor bad places.
  Opened crashed(packed);
  CHECK(crashed.Rows(36).status().message() == "gone");
  CHECK_FALSE(crashed.session->answered());
  Opened lost(packed);
  lost.script.Say(kFailed, "no such chunks");
  CHECK(lost.Chunks(1).status().code() == Code::kCorrupt);
  Opened plain;
  plain.script.Say(kFailed, "damaged");
  CHECK(plain.Rows(36).status().code() == Code::kCorrupt);
}

TEST_CASE("SandboxSession takes places within the file and no others",
          "[hdf5][session]") {
  constexpr std::uint64_t kNone = ~0ULL;
  const std::vector<Extent> good = {
      {0, 1000}, {999, 1}, {1000, 0}, {kNone, 0}, {40, 0}};
  Opened opened;
  std::string text;
  for (const Extent& place : good)
    text += Numbers({place.offset, place.length});
  opened.script.Say(kData, text.substr(0, 21));
  opened.script.Say(kData, text.substr(21));
  opened.script.Say(kDone);
  const auto places = opened.Chunks(5);
  REQUIRE(places.ok());
  CHECK(*places == good);
  for (const Extent bad : {Extent{0, 1001},
                           {1000, 1},
                           {1001, 0},
                           {500, kNone},
                           {kNone - 1, 2},
                           {1ULL << 63, 1}}) {
    Opened other;
    other.script.Say(kData, Numbers({0, 10, bad.offset, bad.length}));
    other.script.Say(kDone);
    const Status status = other.Chunks(2).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK_THAT(status.message(), Catch::Contains("a chunk of \"d\" reaches"));
    CHECK(other.Rows(36).status().ToString() == status.ToString());
  }
  Opened few;
  few.script.Say(kData, Numbers({0, 10}));
  few.script.Say(kDone);
  CHECK_FALSE(few.Chunks(2).ok());
}

TEST_CASE("SandboxSession checks where a contiguous dataset ends",
          "[hdf5][session]") {
  const auto opens = [](char kind, Hdf5Row row, std::uint64_t offset) {
    Hdf5Dataset dataset = Sample();
    dataset.storage = Hdf5Storage::kContiguous;
    dataset.chunk.clear();
    dataset.element.kind = kind;
    dataset.row = row;
    dataset.offset = offset;
    ScriptedChannel script;
    script.Say(kHeader, Header());
    script.Say(kDataset, Encoded(dataset));
    script.Say(kDone);
    return OpenWith(script).ok();
  };
  CHECK(opens('f', Hdf5Row::kFixed, 880));
  CHECK_FALSE(opens('f', Hdf5Row::kFixed, 881));
  CHECK_FALSE(opens('f', Hdf5Row::kFixed, ~0ULL));
  // A dataset that is not read there may claim to be anywhere.
  CHECK(opens('O', Hdf5Row::kFixed, 881));
  CHECK(opens('f', Hdf5Row::kSequence, 881));
}

TEST_CASE("SandboxSession believes no dataset to take more than its file",
          "[hdf5][session]") {
  Hdf5Dataset dataset = Sample();
  dataset.stored = 999;
  CHECK(Opened(dataset).session->datasets()[0].stored == 999);
  dataset.stored = ~0ULL;
  CHECK(Opened(dataset).session->datasets()[0].stored == 1000);
}

TEST_CASE("SandboxSession wants a header, once and first", "[hdf5][session]") {
  const std::vector<ScriptedChannel::Frame> cases[] = {
      {{kDone, ""}},
      {{kDataset, Encoded(Sample())}, {kHeader, Header()}, {kDone, ""}},
      {{kHeader, Header()}, {kHeader, Header()}, {kDone, ""}},
      {{kHeader, ""}, {kDone, ""}},
      {{kHello, ""}, {kHeader, Header()}, {kDone, ""}}};
  for (const auto& frames : cases) {
    ScriptedChannel script;
    for (const auto& [kind, payload] : frames) script.Say(kind, payload);
    CHECK_THAT(OpenWith(script).message(), Catch::Contains("makes no sense"));
  }
}

TEST_CASE("SandboxSession reports a failed read though the process went on",
          "[hdf5][session]") {
  MemoryStorage below;
  below.Put("x", std::string(1000, 'x'));
  FaultStorage storage(below, {.operation = Operation::kRead, .call = 1});
  const auto file = storage.Open("x");
  REQUIRE(file.ok());
  ScriptedChannel script;
  script.Say(kRead, Numbers({0, 8}));
  script.Say(kHeader, Header());
  script.Say(kDataset, Encoded(Sample()));
  script.Say(kDone);
  SandboxSession session(**file, script);
  REQUIRE(session.Open().ok());
  script.Say(kRead, Numbers({8, 8}));
  script.Say(kRead, Numbers({16, 8}));
  script.Say(kData, std::string(36, 'r'));
  script.Say(kDone);
  ByteBuffer rows;
  CHECK(session.ReadRows(0, 0, 3, 36, rows).code() == Code::kIo);
  CHECK(session.answered());
  // It was given nothing in place of the bytes that could not be read.
  CHECK(script.read == std::string(16, 'x'));
}

}  // namespace
}  // namespace shardine::sandbox_session_test
