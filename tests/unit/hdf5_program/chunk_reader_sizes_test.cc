// Chunks whose sizes are out of all proportion.
#include <fcntl.h>
#include <unistd.h>

#include "hdf5/sandbox/program/lzf_filter.h"
#include "io/local_storage.h"
#include "support/sanitized.h"
#include "support/temp_directory.h"
#include "unit/hdf5_program/hdf5_maker.h"
#include "unit/hdf5_program/lzf_writer.h"
#include "unit/hdf5_program/sandboxed_file.h"

namespace shardine::chunk_reader_sizes_test {
namespace {

constexpr hsize_t kMiB = hsize_t{1} << 20;

// A file of one chunk that says it has `claimed` bytes, and holds these.
std::string Claiming(hsize_t claimed, const std::vector<H5Z_filter_t>& filters,
                     std::uint32_t mask, const std::string& bytes) {
  if (H5Zfilter_avail(kLzfFilter) > 0) H5Zunregister(kLzfFilter);
  const Hdf5Id file = NewFile();
  const Hdf5Id creation = Chunked({claimed});
  for (const H5Z_filter_t filter : filters) {
    const unsigned level = 6;
    REQUIRE(H5Pset_filter(creation.get(), filter, H5Z_FLAG_OPTIONAL,
                          filter == H5Z_FILTER_DEFLATE ? 1 : 0, &level) >= 0);
  }
  const Hdf5Id dataset =
      MakeDataset(file.get(), "d", H5T_STD_U8LE, {claimed}, creation.get());
  WriteChunk(dataset, {0}, mask, bytes);
  return ImageOf(file);
}

// Memory is lacking, not bytes of the file. Sanitizers need so much that the
// process has no limit there, and finds that the file has too few.
constexpr Code kTooMuch = kSanitized ? Code::kCorrupt : Code::kUnsupported;

TEST_CASE("A chunk that claims more memory than there is fails its file alone",
          "[hdf5][chunks]") {
  constexpr H5Z_filter_t kDeflate = H5Z_FILTER_DEFLATE;
  constexpr H5Z_filter_t kSum = H5Z_FILTER_FLETCHER32;
  // An empty stream: two bytes of a header, an empty block, a checksum.
  const std::string stream("\x78\x9c\x03\0\0\0\0\1", 8);
  const std::string image = Claiming(1024 * kMiB, {kDeflate}, 0, stream);
  const std::uint64_t started = SandboxedFile::Pool().started();
  const struct {
    std::vector<H5Z_filter_t> filters;
    std::uint32_t mask;
    std::string bytes;
    Code code;
  } cases[] = {{{kDeflate}, 0, stream, kTooMuch},
               {{kDeflate}, 1, "few bytes", Code::kCorrupt},
               {{H5Z_FILTER_SHUFFLE, kDeflate}, 0, stream, kTooMuch},
               {{kDeflate, kSum}, 0, std::string(4, '\0'), kTooMuch},
               {{kLzfFilter}, 0, LzfPack("few bytes"), kTooMuch},
               {{kSum}, 0, std::string(4, '\0'), Code::kCorrupt}};
  for (const auto& c : cases) {
    SandboxedFile file(Claiming(1024 * kMiB, c.filters, c.mask, c.bytes));
    REQUIRE(file.status().ToString() == "OK");
    const Status status = file.Rows("d", 0, 1).status();
    CHECK(status.code() == c.code);
    CHECK_THAT(status.message(),
               Catch::Contains("cannot read rows of \"d\": "));
    // The process is there for the next file.
    CHECK(file.session().answered());
  }
  SandboxedFile next(Claiming(4, {kSum}, 1, "good"));
  CHECK(*next.Rows("d", 0, 4) == "good");
  CHECK(SandboxedFile::Pool().started() <= started + 1);
}

TEST_CASE("Of a chunk that is too large to hold, as much is read as is wanted",
          "[hdf5][chunks]") {
  const TempDirectory folder;
  const std::string path = folder / "large.h5";
  {
    const Hdf5Id file(
        H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
        H5Fclose);
    // Its place is there, but nothing is written to it.
    const Hdf5Id creation = Chunked({300 * kMiB});
    H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
    MakeDataset(file.get(), "d", H5T_STD_U8LE, {300 * kMiB}, creation.get());
  }
  const auto file = LocalStorage().Open(path);
  auto process = SandboxedFile::Pool().Take();
  REQUIRE((file.ok() && process.ok()));
  SandboxSession session(**file, **process);
  REQUIRE(session.Open().ToString() == "OK");
  std::vector<Extent> places;
  REQUIRE(session.FindChunks(0, 0, 1, places).ok());
  REQUIRE(places[0].length == 300 * kMiB);
  const std::uint64_t row = 280 * kMiB;
  const int to = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(pwrite(to, "written", 7,
                 static_cast<off_t>(places[0].offset + row)) == 7);
  close(to);
  ByteBuffer rows;
  const Status status = session.ReadRows(0, row - 1, 9, 9, rows);
  REQUIRE(status.ToString() == "OK");
  CHECK(AsText(rows.view()) == std::string_view("\0written\0", 9));
  SandboxedFile::Pool().Return(*std::move(process));
}

TEST_CASE("Rows of many chunks are the bytes of each of them",
          "[hdf5][chunks]") {
  const Hdf5Id file = NewFile();
  const hsize_t width = 2000;
  const Hdf5Id creation = Chunked({2, 1});
  H5Pset_deflate(creation.get(), 1);
  const Hdf5Id dataset =
      MakeDataset(file.get(), "d", H5T_STD_U8LE, {3, width}, creation.get());
  const std::string data = Draws(1).Bytes(3 * width);
  WriteAll(dataset, H5T_STD_U8LE, data.data());
  SandboxedFile sandboxed(ImageOf(file));
  REQUIRE(sandboxed.status().ok());
  for (const std::uint64_t row : {0, 1, 2, 0}) {
    CHECK((*sandboxed.Rows("d", row, 1) == data.substr(row * width, width)));
  }
}

}  // namespace
}  // namespace shardine::chunk_reader_sizes_test
