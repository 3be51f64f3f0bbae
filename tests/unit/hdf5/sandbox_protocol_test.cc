#include "hdf5/sandbox/sandbox_protocol.h"

#include <catch2/catch.hpp>

#include "hdf5/sandbox/sandbox_session.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine {
namespace {

Hdf5Dataset Sample() {
  Hdf5Dataset dataset;
  dataset.group = "train";
  dataset.name = "n01";
  dataset.element = {'f', 4, true};
  dataset.storage = Hdf5Storage::kChunked;
  dataset.offset = 77;
  dataset.dims = {10, 3};
  dataset.chunk = {4, 3};
  dataset.filter = "zstd (32015)";
  dataset.stored = 99;
  return dataset;
}

std::string Encoded(const Hdf5Dataset& dataset) {
  std::string text;
  EncodeDataset(dataset, text);
  return text;
}

TEST_CASE("A dataset survives the way between the processes",
          "[hdf5][protocol]") {
  const auto back = DecodeDataset(AsBytes(Encoded(Sample())));
  REQUIRE(back.ok());
  CHECK(back->path() == "train/n01");
  CHECK(back->element.kind == 'f');
  CHECK(back->element.big_endian);
  CHECK(back->offset == 77);
  CHECK(back->dims == Sample().dims);
  CHECK(back->chunk == Sample().chunk);
  CHECK(back->filter == "zstd (32015)");
  CHECK(back->stored == 99);
}

TEST_CASE("A dataset may claim 64 MiB and what a filter makes of its bytes",
          "[hdf5][protocol]") {
  const Hdf5Widths widths;
  Hdf5Dataset dataset;
  dataset.element = {'u', 1, false};
  const auto is_stored = [&](std::uint64_t rows, std::uint64_t stored) {
    dataset.dims = {rows, 1};
    dataset.stored = stored;
    return IsStored(dataset, widths);
  };
  constexpr std::uint64_t kFree = std::uint64_t{64} << 20;
  CHECK(is_stored(kFree, 0));
  CHECK(is_stored(kFree + 1099, 0));
  CHECK_FALSE(is_stored(kFree + 1100, 0));
  CHECK(is_stored(kFree + 1100 * 1000, 1000));
  CHECK_FALSE(is_stored(std::uint64_t{1} << 40, 1500));
  // References to rows of variable length take 16 bytes each.
  dataset.row = Hdf5Row::kSequence;
  CHECK(is_stored(kFree / 16, 0));
  CHECK_FALSE(is_stored(kFree / 16 + 100, 0));
  // What does not fit 63 bits is not anywhere.
  dataset.element.size = 8;
  dataset.row = Hdf5Row::kFixed;
  CHECK_FALSE(is_stored(std::uint64_t{1} << 62, ~std::uint64_t{0}));
}

TEST_CASE("DecodeDataset refuses every cut and what cannot be",
          "[hdf5][protocol]") {
  const std::string text = Encoded(Sample());
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_FALSE(DecodeDataset(AsBytes(text.substr(0, size))).ok());
  }
  CHECK_FALSE(DecodeDataset(AsBytes(text + "x")).ok());
  const auto refuses = [](auto change) {
    Hdf5Dataset dataset = Sample();
    change(dataset);
    CHECK_FALSE(DecodeDataset(AsBytes(Encoded(dataset))).ok());
  };
  refuses([](auto& d) { d.element.size = 3; });
  refuses([](auto& d) { d.element.kind = 'x'; });
  refuses([](auto& d) { d.chunk[1] = 0; });
  refuses([](auto& d) { d.chunk.pop_back(); });
  refuses([](auto& d) { d.dims = {1ULL << 40, 1ULL << 40}; });
  refuses([](auto& d) { d.storage = static_cast<Hdf5Storage>(9); });
  refuses([](auto& d) { d.dims.assign(33, 1); });
}

// Answers with what it was given, in order.
class Script : public SandboxChannel {
 public:
  void Say(SandboxMessage kind, std::string payload) {
    frames_.emplace_back(kind, std::move(payload));
  }
  Status Send(SandboxMessage kind, ByteView payload) override {
    if (kind == SandboxMessage::kReadReply) read += AsText(payload);
    return {};
  }
  Result<SandboxFrame> Receive() override {
    if (next_ == frames_.size()) return Status(Code::kCorrupt, "gone");
    const auto& [kind, payload] = frames_[next_++];
    return SandboxFrame{kind, AsBytes(payload)};
  }

  std::string read;

 private:
  std::vector<std::pair<SandboxMessage, std::string>> frames_;
  std::size_t next_ = 0;
};

std::string Numbers(std::initializer_list<std::uint64_t> numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) AppendLe(number, text);
  return text;
}

std::string Header() {
  std::string text;
  EncodeWidths({}, text);
  return text;
}

// Opens a file of 1000 bytes; what `script` says decides.
Status OpenWith(Script& script) {
  MemoryStorage storage;
  storage.Put("x", std::string(1000, 'x'));
  const auto file = storage.Open("x");
  SandboxSession session(**file, script);
  return session.Open();
}

TEST_CASE("SandboxSession gives the other process the bytes it asks for",
          "[hdf5][protocol]") {
  Script script;
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
    Script script;
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
  Script script;
  script.Say(SandboxMessage::kHeader, Header());
  script.Say(SandboxMessage::kDataset, Encoded(dataset));
  script.Say(SandboxMessage::kDone, "");
  CHECK_THAT(OpenWith(script).message(), Catch::Contains("beyond the end"));
}

TEST_CASE("SandboxSession ends requests that go in circles, and floods",
          "[hdf5][protocol]") {
  class Circle : public Script {
    Result<SandboxFrame> Receive() override {
      static const std::string text = Numbers({0, 1000});
      return SandboxFrame{SandboxMessage::kRead, AsBytes(text)};
    }
    Status Send(SandboxMessage, ByteView) override { return {}; }
  } circle;
  CHECK_THAT(OpenWith(circle).message(), Catch::Contains("too long"));

  Script flood;
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
  Script script;
  script.Say(SandboxMessage::kRead, Numbers({0, 8}));
  script.Say(SandboxMessage::kFailed, "not an HDF5 file");
  SandboxSession session(**file, script);
  const Status status = session.Open();
  CHECK(status.code() == Code::kIo);
  CHECK(status.where().path == "x");
}

}  // namespace
}  // namespace shardine
