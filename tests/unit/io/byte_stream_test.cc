#include "io/byte_stream.h"

#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "base/compress.h"
#include "base/philox.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::byte_stream_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::string Noise(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 4096 == 0 || i % 7 == 0) {
      text[i] = static_cast<char>(
          Philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, {3, 4})[0]);
    }
  }
  return text;
}

std::string Gzip(const std::string& plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// The same contents, plain and compressed, in files of a storage.
struct Form {
  const char* path;
  Compression compression;
};
constexpr Form kForms[] = {{"plain", Compression::kNone},
                           {"gzip", Compression::kGzip},
                           {"zstd", Compression::kZstd}};

void PutAll(MemoryStorage& storage, const std::string& contents) {
  storage.Put("plain", contents);
  storage.Put("gzip", Gzip(contents));
  storage.Put("zstd", ZstdCompress(AsBytes(contents)));
}

std::unique_ptr<RandomAccessFile> Open(Storage& storage, const char* path) {
  auto file = storage.Open(path);
  REQUIRE(file.ok());
  return *std::move(file);
}

TEST_CASE("ByteStream gives the contents in order, read, peeked or skipped",
          "[io][byte_stream]") {
  const std::string contents = Noise(5'000'000);
  MemoryStorage storage;
  PutAll(storage, contents);
  for (const Form& form : kForms) {
    INFO(form.path);
    const auto file = Open(storage, form.path);
    ByteStream stream(*file, form.compression);
    CHECK(stream.compressed() == (form.compression != Compression::kNone));
    std::size_t at = 0;
    for (std::uint32_t i = 0; at < contents.size(); ++i) {
      const auto draw = Philox4x32({i, 1, 0, 0}, {3, 4});
      const std::size_t limit = draw[0] % 8 == 0 ? 1'500'000 : 3000;
      const std::size_t count = draw[1] % limit;
      const std::size_t left = std::min(count, contents.size() - at);
      REQUIRE(stream.position() == at);
      if (draw[2] % 3 == 0) {
        const auto skipped = stream.Skip(count);
        REQUIRE(skipped.ok());
        REQUIRE(*skipped == (left == count));
      } else {
        const auto bytes =
            draw[2] % 3 == 1 ? stream.Read(count) : stream.Peek(count);
        REQUIRE(bytes.ok());
        REQUIRE(
            (AsText(*bytes) == std::string_view(contents).substr(at, left)));
        if (draw[2] % 3 == 2) stream.Advance(left);
      }
      at += left;
    }
    CHECK(stream.position() == contents.size());
    CHECK(stream.Peek(1)->empty());
    CHECK(stream.Read(10)->empty());
    CHECK(*stream.Skip(0));
    CHECK_FALSE(*stream.Skip(1));
  }
}

TEST_CASE("ByteStream keeps what was peeked while it grows to more",
          "[io][byte_stream]") {
  const std::string contents = Noise(4'000'000);
  MemoryStorage storage;
  PutAll(storage, contents);
  for (const Form& form : kForms) {
    const auto file = Open(storage, form.path);
    ByteStream stream(*file, form.compression);
    REQUIRE(stream.Read(12'345).ok());
    for (const std::size_t count : {1U, 1000U, 2'000'000U, 500U, 3'500'000U}) {
      const auto bytes = stream.Peek(count);
      REQUIRE(bytes.ok());
      CHECK(
          (AsText(*bytes) == std::string_view(contents).substr(12'345, count)));
    }
    CHECK(stream.Peek(~std::uint64_t{0} >> 40)->size() ==
          contents.size() - 12'345);
  }
}

TEST_CASE("ByteStream has nothing of an empty file", "[io][byte_stream]") {
  MemoryStorage storage;
  storage.Put("x", "");
  for (const Form& form : kForms) {
    const auto file = Open(storage, "x");
    ByteStream stream(*file, form.compression);
    CHECK(stream.Peek(100)->empty());
    CHECK_FALSE(*stream.Skip(1));
    CHECK(stream.position() == 0);
  }
}

TEST_CASE("ByteStream passes over plain bytes without reading them",
          "[io][byte_stream]") {
  constexpr std::uint64_t kSize = std::uint64_t{1} << 42;
  MemoryStorage below;
  below.PutSparse("x", kSize);
  FaultStorage storage(below, {.call = ~0ULL});
  const auto file = Open(storage, "x");
  ByteStream stream(*file, Compression::kNone);
  REQUIRE(stream.Peek(512)->size() == 512);
  CHECK(*stream.Skip(kSize - 1000));
  CHECK(stream.position() == kSize - 1000);
  CHECK(stream.Peek(2000)->size() == 1000);
  CHECK_FALSE(*stream.Skip(1001));
  CHECK(stream.position() == kSize);
  CHECK(storage.calls(Operation::kRead) == 2);
}

TEST_CASE("ByteStream holds no more of a plain file than there is",
          "[io][byte_stream]") {
  MemoryStorage storage;
  storage.Put("x", "short");
  const auto file = Open(storage, "x");
  ByteStream stream(*file, Compression::kNone);
  const auto bytes = stream.Peek(~std::uint64_t{0});
  REQUIRE(bytes.ok());
  CHECK(AsText(*bytes) == "short");
}

TEST_CASE("ByteStream refuses a record far larger than a compressed file",
          "[io][byte_stream]") {
  const std::string contents(70 * kMiB, 'x');
  MemoryStorage storage;
  storage.Put("x", Gzip(contents));
  const auto file = Open(storage, "x");
  {
    ByteStream stream(*file, Compression::kGzip);
    const auto bytes = stream.Peek(ByteStream::kMaxBeyondFile);
    REQUIRE(bytes.ok());
    CHECK(bytes->size() == ByteStream::kMaxBeyondFile);
    const auto more =
        stream.Peek(file->size() + ByteStream::kMaxBeyondFile + 1);
    CHECK(more.status().code() == Code::kUnsupported);
    CHECK(more.status().where().path == "x");
    CHECK(more.status().where().offset.has_value());
  }
  // All of it can be read in pieces.
  ByteStream stream(*file, Compression::kGzip);
  CHECK(*stream.Skip(70 * kMiB));
  CHECK(stream.Peek(1)->empty());
}

TEST_CASE("ByteStream finds compressed data that is cut or damaged",
          "[io][byte_stream][corruption]") {
  const std::string contents = Noise(20'000);
  for (const Form& form : {kForms[1], kForms[2]}) {
    MemoryStorage storage;
    PutAll(storage, contents);
    const std::string data = *storage.Get(form.path);
    for (std::size_t i = 0; i < data.size(); i += 1 + data.size() / 300) {
      std::string damaged = data;
      damaged[i] ^= 1;
      for (const std::string& bytes : {data.substr(0, i), damaged}) {
        storage.Put("x", bytes);
        const auto file = Open(storage, "x");
        ByteStream stream(*file, form.compression);
        const auto read = stream.Peek(contents.size() + 1);
        INFO(form.path << " byte " << i);
        if (i == 0 && bytes.empty()) {
          CHECK(read->empty());
          continue;
        }
        if (read.ok()) {  // a byte that nothing depends on
          CHECK((AsText(*read) == contents));
          continue;
        }
        const bool named = read.status().code() == Code::kCorrupt ||
                           read.status().code() == Code::kUnsupported;
        CHECK(named);
        CHECK(read.status().where().path == "x");
        CHECK(read.status().where().offset.value_or(~0ULL) <= bytes.size());
      }
    }
  }
}

TEST_CASE("ByteStream names the file of a failed read, and can go on",
          "[io][byte_stream]") {
  const std::string contents = Noise(3'000'000);
  MemoryStorage below;
  PutAll(below, contents);
  for (const Form& form : kForms) {
    FaultStorage storage(below, {.operation = Operation::kRead, .call = 0});
    const auto file = Open(storage, form.path);
    ByteStream stream(*file, form.compression);
    const auto failed = stream.Peek(100);
    CHECK(failed.status().code() == Code::kIo);
    CHECK(failed.status().where().path == form.path);
    CHECK(stream.position() == 0);
    const auto bytes = stream.Read(contents.size());
    REQUIRE(bytes.ok());
    CHECK((AsText(*bytes) == contents));
  }
}

TEST_CASE("ByteStream finds a plain file that became shorter",
          "[io][byte_stream][corruption]") {
  // Says it is larger than it is, as a file does that was cut after open().
  class Shrunk : public RandomAccessFile {
   public:
    Result<std::size_t> ReadAt(std::uint64_t offset,
                               std::span<std::byte> out) const override {
      const std::size_t count =
          offset < 700 ? std::min<std::size_t>(out.size(), 700 - offset) : 0;
      std::fill_n(out.begin(), count, std::byte{'x'});
      return count;
    }
    std::uint64_t size() const override { return 1000; }
    const std::string& path() const override { return path_; }

   private:
    std::string path_ = "shrunk";
  };
  const Shrunk file;
  ByteStream stream(file, Compression::kNone);
  const auto bytes = stream.Peek(10);
  CHECK(bytes.status().code() == Code::kCorrupt);
  CHECK(bytes.status().where().path == "shrunk");
}

}  // namespace
}  // namespace shardine::byte_stream_test
