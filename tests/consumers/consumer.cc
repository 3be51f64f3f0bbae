// A program that knows shardine by its installed headers alone. It packs two
// files, verifies them, writes a sample of its own and reads one back, in the
// folder it is given; once in the default format, once in HDF5, which needs the
// program that reads it.
#include <shardine/dataset_writer.h>
#include <shardine/inspect.h>
#include <shardine/pack.h>
#include <shardine/status.h>
#include <shardine/verify.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#ifdef CARELESS
// Warned about under -Wconversion, which must not reach a user's code.
int Truncated(double value) {
  int whole = value;
  return whole;
}
#endif

namespace {

namespace fs = std::filesystem;

constexpr char kContent[] = "whatever a user calls an image";

void MakeTree(const fs::path& tree) {
  for (const char* name : {"cat", "dog"}) {
    fs::create_directories(tree / name);
    std::ofstream(tree / name / "1.jpg") << kContent;
  }
}

int Complain(const shardine::Status& status) {
  std::fprintf(stderr, "consumer: %s\n", status.ToString().c_str());
  return 1;
}

int Disagree(const char* what) {
  std::fprintf(stderr, "consumer: %s\n", what);
  return 1;
}

// A sample of the program's own.
shardine::Status Write(const std::string& output, const std::string& format) {
  const auto writer = shardine::DatasetWriter::Create(
      {.output = output,
       .format = format,
       .check = shardine::ImageCheckLevel::kNone});
  if (!writer.ok()) return writer.status();
  const shardine::FieldView image{.name = shardine::kImageField,
                                  .bytes = std::as_bytes(std::span(kContent))};
  const auto status = (*writer)->Append({.key = "one", .fields = {&image, 1}});
  if (!status.ok()) return status;
  return (*writer)->Finish().status();
}

int Run(const fs::path& folder, const std::string& format) {
  shardine::PackOptions options;
  options.source.folders = {{"train", (folder / "tree").string()}};
  options.output = (folder / format).string();
  options.format = format;
  options.check = shardine::ImageCheckLevel::kNone;
  const auto packed = shardine::Pack(options);
  if (!packed.ok()) return Complain(packed.status());
  if (packed->samples != 2) return Disagree("not two samples packed");

  shardine::VerifyOptions verify;
  verify.target = options.output;
  const auto verified = shardine::Verify(verify);
  if (!verified.ok()) return Complain(verified.status());
  if (!verified->findings.empty()) return Complain(verified->findings.front());
  if (verified->samples != 2) return Disagree("not two samples verified");

  const shardine::Status written =
      Write((folder / ("own-" + format)).string(), format);
  if (!written.ok()) return Complain(written);

  const auto image = shardine::ReadImage(options.output, "dog/1.jpg");
  if (!image.ok()) return Complain(image.status());
  return *image == kContent ? 0 : Disagree("other bytes came back");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return Disagree("usage: consumer FOLDER");
  const fs::path folder = argv[1];
  fs::remove_all(folder);
  MakeTree(folder / "tree");
#ifdef HDF5_SCAN_DIR
  setenv("SHARDINE_LIBEXEC_DIR", HDF5_SCAN_DIR, 1);
#endif
  const int result = Run(folder, "recordio");
  return result == 0 ? Run(folder, "hdf5") : result;
}
