// The process's answers about whole files, and to requests that make no sense.
#include "hdf5/sandbox/program/scanned_file.h"

#include <catch2/catch.hpp>

#include "hdf5/sandbox/sandbox_program.h"
#include "unit/hdf5_program/hdf5_maker.h"
#include "unit/hdf5_program/sandboxed_file.h"

namespace shardine::scanned_file_test {
namespace {

Hdf5Id MakeGroup(hid_t where, const char* name) {
  return {H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          H5Gclose};
}

// Bytes in a dataset of one axis.
void Put(hid_t where, const char* name, const std::string& bytes) {
  WriteAll(MakeDataset(where, name, H5T_STD_U8LE, {bytes.size()}), H5T_STD_U8LE,
           bytes.data());
}

TEST_CASE("Datasets are listed by name, at most two groups deep",
          "[hdf5][scanned]") {
  const Hdf5Id file = NewFile();
  const Hdf5Id b = MakeGroup(file.get(), "b");
  const Hdf5Id inner = MakeGroup(b.get(), "inner");
  const Hdf5Id deep = MakeGroup(inner.get(), "deep");
  Put(file.get(), "z", "1");
  Put(file.get(), "a", "2");
  Put(b.get(), "x", "3");
  Put(inner.get(), "y", "4");
  Put(deep.get(), "unseen", "5");
  MakeGroup(file.get(), "empty");
  SandboxedFile scanned(ImageOf(file));
  REQUIRE(scanned.status().ToString() == "OK");
  CHECK(scanned.paths() ==
        std::vector<std::string>{"a", "b/inner/y", "b/x", "z"});
  CHECK(scanned.Dataset("b/inner/y").group == "b/inner");
  CHECK(scanned.Dataset("b/inner/y").name == "y");
  CHECK(*scanned.Rows("b/inner/y", 0, 1) == "4");
}

TEST_CASE("Links to names and to other files are not followed",
          "[hdf5][scanned]") {
  const Hdf5Id file = NewFile();
  Put(file.get(), "d", "data");
  REQUIRE(H5Lcreate_soft("/d", file.get(), "soft", H5P_DEFAULT, H5P_DEFAULT) >=
          0);
  REQUIRE(H5Lcreate_soft("/nowhere", file.get(), "dangling", H5P_DEFAULT,
                         H5P_DEFAULT) >= 0);
  REQUIRE(H5Lcreate_external("/etc/hostname", "/d", file.get(), "outside",
                             H5P_DEFAULT, H5P_DEFAULT) >= 0);
  REQUIRE(H5Lcreate_hard(file.get(), "d", file.get(), "second", H5P_DEFAULT,
                         H5P_DEFAULT) >= 0);
  const Hdf5Id type(H5Tcopy(H5T_STD_I32BE), H5Tclose);
  REQUIRE(H5Tcommit2(file.get(), "type", type.get(), H5P_DEFAULT, H5P_DEFAULT,
                     H5P_DEFAULT) >= 0);
  // A group that is in itself.
  const Hdf5Id loop = MakeGroup(file.get(), "loop");
  REQUIRE(H5Lcreate_hard(file.get(), "loop", loop.get(), "loop", H5P_DEFAULT,
                         H5P_DEFAULT) >= 0);
  Put(loop.get(), "x", "inner");
  SandboxedFile scanned(ImageOf(file));
  REQUIRE(scanned.status().ToString() == "OK");
  CHECK(scanned.paths() ==
        std::vector<std::string>{"d", "loop/loop/x", "loop/x", "second"});
  CHECK(*scanned.Rows("second", 0, 4) == "data");
}

TEST_CASE("The widths of a file's numbers are those it was made with",
          "[hdf5][scanned]") {
  const struct {
    std::size_t address, length;
    hsize_t block;
  } cases[] = {{8, 8, 0}, {4, 4, 0}, {4, 8, 512}, {8, 8, 2048}};
  for (const auto& c : cases) {
    const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_sizes(creation.get(), c.address, c.length);
    H5Pset_userblock(creation.get(), c.block);
    const Hdf5Id file = NewFile(creation.get());
    Put(file.get(), "plain", "contiguous bytes");
    WriteAll(MakeDataset(file.get(), "pieces", H5T_STD_U8LE, {6},
                         Chunked({3}).get()),
             H5T_STD_U8LE, "abcdef");
    const std::string image = ImageOf(file);
    SandboxedFile scanned(image);
    REQUIRE(scanned.status().ToString() == "OK");
    const Hdf5Widths& widths = scanned.session().widths();
    CHECK(widths.address == c.address);
    CHECK(widths.length == c.length);
    CHECK(widths.base == c.block);
    // Places count from the start of the file, whatever is before the data.
    CHECK(image.substr(scanned.Dataset("plain").offset, 16) ==
          "contiguous bytes");
    const auto chunks = scanned.Chunks("pieces", 0, 2);
    REQUIRE(chunks.ok());
    CHECK(image.substr((*chunks)[1].offset, 3) == "def");
  }
}

TEST_CASE("What is no HDF5 file, or a part of one, is said to be so",
          "[hdf5][scanned]") {
  const Hdf5Id file = NewFile();
  Put(file.get(), "d", std::string(300, 'x'));
  const std::string image = ImageOf(file);
  const std::uint64_t started = SandboxedFile::Pool().started();
  for (std::size_t size = 0; size < image.size(); size += 97) {
    INFO("cut at " << size);
    SandboxedFile cut(image.substr(0, size));
    CHECK(cut.status().code() == Code::kCorrupt);
    CHECK(cut.status().where().path == "made.h5");
    CHECK(cut.session().answered());
  }
  SandboxedFile text(std::string(5000, 't'));
  CHECK_THAT(text.status().message(),
             Catch::Contains("libhdf5 cannot open it"));
  // One process said all of that.
  CHECK(SandboxedFile::Pool().started() <= started + 2);
}

TEST_CASE("Rows that were never written are filled, or zeros",
          "[hdf5][scanned]") {
  const Hdf5Id file = NewFile();
  const std::uint16_t fill = 0x1234;
  for (const bool chunked : {false, true}) {
    const Hdf5Id filled = chunked ? Chunked({3}) : NewCreation();
    H5Pset_fill_value(filled.get(), H5T_NATIVE_UINT16, &fill);
    MakeDataset(file.get(), chunked ? "c" : "p", H5T_STD_U16BE, {5},
                filled.get());
    const Hdf5Id left = chunked ? Chunked({3}) : NewCreation();
    H5Pset_fill_time(left.get(), H5D_FILL_TIME_NEVER);
    MakeDataset(file.get(), chunked ? "nc" : "np", H5T_STD_U16BE, {5},
                left.get());
  }
  SandboxedFile scanned(ImageOf(file));
  REQUIRE(scanned.status().ok());
  std::string expected;
  for (int i = 0; i < 5; ++i) AppendLe(fill, expected);
  CHECK(*scanned.Rows("p", 0, 5) == expected);
  CHECK(*scanned.Rows("c", 0, 5) == expected);
  CHECK(*scanned.Rows("np", 0, 5) == std::string(10, '\0'));
  CHECK(*scanned.Rows("nc", 0, 5) == std::string(10, '\0'));
}

TEST_CASE("More datasets than are held open can be read in turn",
          "[hdf5][scanned]") {
  const Hdf5Id file = NewFile();
  const auto name = [](int number) { return "d" + std::to_string(number); };
  for (int i = 0; i < 80; ++i) {
    Put(file.get(), name(i).c_str(), name(i) + "data");
  }
  const std::uint64_t started = SandboxedFile::Pool().started();
  const std::string image = ImageOf(file);
  {
    SandboxedFile scanned(image);
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 80; ++i) {
        const std::string data = name(i) + "data";
        const auto rows = scanned.Rows(name(i), 0, data.size());
        REQUIRE(rows.ok());
        REQUIRE(*rows == data);
      }
    }
  }
  // All were closed, so the process is given the next file.
  SandboxedFile next(image);
  CHECK(SandboxedFile::Pool().started() <= started + 1);
}

TEST_CASE("What a dataset takes in the file is counted where it claims much",
          "[hdf5][scanned]") {
  const Hdf5Id file = NewFile();
  const hsize_t many = hsize_t{1} << 27;
  const Hdf5Id large = MakeDataset(file.get(), "large", H5T_STD_U8LE, {many},
                                   Chunked({1000}).get());
  WriteChunk(large, {0}, 0, std::string(1000, 'x'));
  Put(file.get(), "small", "bytes");
  MakeDataset(file.get(), "none", H5T_STD_U8LE, {many});
  SandboxedFile scanned(ImageOf(file));
  REQUIRE(scanned.status().ok());
  CHECK(scanned.Dataset("large").stored == 1000);
  CHECK(scanned.Dataset("small").stored == 0);
  CHECK(scanned.Dataset("none").stored == 0);
  const Hdf5Widths& widths = scanned.session().widths();
  CHECK_FALSE(IsStored(scanned.Dataset("large"), widths));
  CHECK_FALSE(IsStored(scanned.Dataset("none"), widths));
  CHECK(IsStored(scanned.Dataset("small"), widths));
}

// A process asked by hand; the file's bytes it gets as it wants them.
class ByHand {
 public:
  explicit ByHand(std::string image) : image_(std::move(image)) {
    const auto program = FindSandboxProgram();
    REQUIRE(program.ok());
    auto process = SandboxProcess::Start(*program, std::chrono::seconds(10));
    REQUIRE(process.ok());
    process_ = *std::move(process);
  }

  // Its failure, or all data that it sends.
  std::string Ask(SandboxMessage kind,
                  std::initializer_list<std::uint64_t> numbers) {
    std::string request;
    for (const std::uint64_t number : numbers) AppendLe(number, request);
    REQUIRE(process_->Send(kind, AsBytes(request)).ok());
    std::string data;
    for (;;) {
      const auto frame = process_->Receive();
      REQUIRE(frame.ok());
      if (frame->kind == SandboxMessage::kDone) return data;
      if (frame->kind == SandboxMessage::kFailed) {
        return "failed: " + std::string(AsText(frame->payload));
      }
      if (frame->kind == SandboxMessage::kCannot) {
        return "cannot: " + std::string(AsText(frame->payload));
      }
      if (frame->kind == SandboxMessage::kData) data += AsText(frame->payload);
      if (frame->kind == SandboxMessage::kRead) Answer(frame->payload);
    }
  }

 private:
  void Answer(ByteView request) {
    REQUIRE(request.size() == 16);
    const auto offset = LoadLe<std::uint64_t>(request.data());
    const auto length = LoadLe<std::uint64_t>(request.data() + 8);
    REQUIRE(offset + length <= image_.size());
    REQUIRE(process_
                ->Send(SandboxMessage::kReadReply,
                       AsBytes(image_).subspan(offset, length))
                .ok());
  }

  std::string image_;
  std::unique_ptr<SandboxProcess> process_;
};

TEST_CASE("The process refuses requests for what its file has not",
          "[hdf5][scanned]") {
  using enum SandboxMessage;
  const Hdf5Id file = NewFile();
  Put(file.get(), "a", "abcd");
  WriteAll(MakeDataset(file.get(), "c", H5T_STD_U8LE, {4}, Chunked({2}).get()),
           H5T_STD_U8LE, "efgh");
  MakeDataset(file.get(), "o", H5T_UNIX_D32LE, {4});
  MakeDataset(file.get(), "wide", H5T_STD_U8LE, {2, hsize_t{600} << 20});
  const std::string image = ImageOf(file);
  ByHand process(image);
  const std::string nothing = "failed: no such request";
  CHECK(process.Ask(kRows, {0, 0, 1}) == nothing);
  CHECK(process.Ask(kChunks, {0, 0, 1}) == nothing);
  CHECK(process.Ask(kClose, {}) == "");
  CHECK(process.Ask(kOpen, {}) == "failed: no size");
  CHECK(process.Ask(kOpen, {image.size()}) == "");
  CHECK(process.Ask(kRows, {0, 0}) == nothing);
  for (const SandboxMessage kind :
       {kReadReply, kRead, kDone, kHeader, static_cast<SandboxMessage>(99)}) {
    CHECK(process.Ask(kind, {1, 0, 1}) == nothing);
  }
  CHECK(process.Ask(kRows, {0, 0, 4}) == "abcd");
  CHECK(process.Ask(kRows, {4, 0, 1}) == "failed: no such dataset");
  CHECK(process.Ask(kRows, {~0ULL, 0, 1}) == "failed: no such dataset");
  const std::string rows = "failed: no such rows";
  CHECK(process.Ask(kRows, {0, 0, 5}) == rows);
  CHECK(process.Ask(kRows, {0, 5, 0}) == rows);
  CHECK(process.Ask(kRows, {0, 2, ~0ULL}) == rows);
  CHECK(process.Ask(kRows, {2, 0, 1}) == rows);
  CHECK(process.Ask(kRows, {0, 4, 0}) == "");
  CHECK(process.Ask(kRows, {3, 0, 1}) == "cannot: a row too large to read");
  CHECK(process.Ask(kChunks, {0, 0, 1}) == "failed: no such chunks");
  CHECK(process.Ask(kChunks, {1, 0, 2}).size() == 32);
  // The count may not end beyond the last either.
  for (const auto& [first, count] :
       {std::pair{2ULL, 1ULL}, {0ULL, 3ULL}, {~0ULL, 1ULL}, {1ULL, ~0ULL}}) {
    CHECK(process.Ask(kChunks, {1, first, count}) == "failed: no such chunks");
  }
  CHECK(process.Ask(kChunks, {1, 2, 0}) == "");
  CHECK(process.Ask(kUnwritten, {}) == nothing);
  CHECK(process.Ask(kUnwritten, {4}) == "failed: no such dataset");
  CHECK(process.Ask(kUnwritten, {2}).size() == 16);
  // After all that it reads as before.
  CHECK(process.Ask(kRows, {1, 1, 2}) == "fg");
  CHECK(process.Ask(kClose, {}) == "");
  CHECK(process.Ask(kRows, {0, 0, 1}) == nothing);
}

TEST_CASE("A scalar is one row", "[hdf5][scanned]") {
  const Hdf5Id file = NewFile();
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id scalar(H5Dcreate2(file.get(), "s", H5T_STD_U32BE, space.get(),
                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
  const std::uint32_t value = 7;
  WriteAll(scalar, H5T_NATIVE_UINT32, &value);
  SandboxedFile scanned(ImageOf(file));
  REQUIRE(scanned.status().ok());
  const auto rows = scanned.Rows("s", 0, 1);
  REQUIRE(rows.ok());
  CHECK(LoadLe<std::uint32_t>(AsBytes(*rows).data()) == 7);
}

}  // namespace
}  // namespace shardine::scanned_file_test
