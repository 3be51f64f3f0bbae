// folder2lmdb: takes the place of Efficient-PyTorch's tools/folder2lmdb.py.
// Accepted arguments and differences: README.md beside this file.
//
// The shard is made by Pack() in a folder beside its place, read back there,
// and renamed: that folder holds the state from which a later run resumes.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/advice.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress_reporter.h"
#include "shardine/escape.h"
#include "shardine/pack.h"
#include "shardine/version.h"

namespace shardine {
namespace {

namespace fs = std::filesystem;

constexpr char kUsage[] =
    "usage: folder2lmdb -f FOLDER [options]\n\n"
    "Packs the image tree FOLDER/SPLIT, one folder a class, into the LMDB "
    "file\n"
    "FOLDER/SPLIT.lmdb, as Efficient-PyTorch's folder2lmdb.py does: image "
    "files\n"
    "as they are, in ImageFolder's order, for its ImageFolderLMDB.\n\n";

struct Arguments {
  std::string folder;
  std::string split = "val";
  std::string out;
  std::uint64_t procs = 0;
  std::string values = "arrow";
  bool keep_bad = false;
  bool quiet = false;
  bool version = false;
  bool help = false;
};

void Declare(Options& options, Arguments& to) {
  options.BeginGroup("Options");
  options.Text("folder,f", "FOLDER", to.folder,
               "the folder that SPLIT is in, and SPLIT.lmdb will be");
  options.Text("split,s", "SPLIT", to.split,
               "name of the tree below it (default: val)");
  options.Text("out", "DIR", to.out, "no effect, as in the original");
  options.Number("procs,p", to.procs, {0, 1000},
                 "threads (default: 0, as many as there are processors)");
  options.Choice<std::string>(
      "values", {{"arrow", "arrow"}, {"pickle", "pickle"}}, to.values,
      "what the reader loads values with: pyarrow up to 10 (the default), or "
      "pickle, as forks do");
  options.Flag("keep-bad", to.keep_bad,
               "pack damaged images, too, as the original does");
  options.Flag("quiet,q", to.quiet, "no progress");
  options.Flag("version,V", to.version, "print which version this is");
  options.Flag("help,h", to.help, "print this");
}

struct Places {
  fs::path tree;
  fs::path work;    // ".val.lmdb.shardine"
  fs::path made;    // the shard in it
  fs::path target;  // "val.lmdb", or "val.lmdb/data.mdb" where that is a folder
};

Places PlacesOf(const Arguments& arguments) {
  const fs::path folder = arguments.folder;
  const std::string name = arguments.split + ".lmdb";
  Places places;
  places.tree = folder / arguments.split;
  places.work = folder / ("." + name + ".shardine");
  places.made = places.work / "train-00000-of-00001.lmdb";
  places.target = folder / name;
  // As the original, which takes the two forms of LMDB as it finds them.
  std::error_code error;
  if (fs::is_directory(places.target, error)) places.target /= "data.mdb";
  return places;
}

Status Check(const Arguments& arguments,
             const std::vector<std::string>& operands) {
  if (!operands.empty()) {
    return Status(Code::kInvalidArgument,
                  "unknown word \"" + EscapeBytes(operands.front()) + "\"");
  }
  if (arguments.folder.empty()) {
    return Status(Code::kInvalidArgument, "-f FOLDER is needed");
  }
  const std::string& split = arguments.split;
  if (split.empty() || split == "." || split == ".." ||
      split.find('/') != split.npos) {
    return Status(Code::kInvalidArgument,
                  "SPLIT is the name of a folder in FOLDER, not \"" +
                      EscapeBytes(split) + "\"");
  }
  return Status();
}

Status SystemError(const std::error_code& error, std::string_view action,
                   const fs::path& path) {
  return Status::FromErrno(error.value(), action, path.string());
}

Status SyncDirectoryOf(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return Status::FromErrno(errno, "open", folder.string());
  const int synced = fsync(descriptor);
  const int failure = errno;
  close(descriptor);
  return synced == 0 ? Status()
                     : Status::FromErrno(failure, "sync", folder.string());
}

// A run that was killed after it had moved the shard left a folder that says of
// a shard which is gone that it is finished.
Status ClearMoved(const Places& places) {
  std::error_code error;
  if (!fs::exists(places.work / "shardine.json", error) ||
      fs::exists(places.made, error)) {
    return Status();
  }
  fs::remove_all(places.work, error);
  return error ? SystemError(error, "remove", places.work) : Status();
}

Status Move(const Places& places) {
  std::error_code error;
  fs::rename(places.made, places.target, error);
  if (error) return SystemError(error, "rename to", places.target);
  if (Status synced = SyncDirectoryOf(places.target); !synced.ok()) {
    return synced;
  }
  fs::remove_all(places.work, error);
  return error ? SystemError(error, "remove", places.work) : Status();
}

Result<PackResult> PackTree(const Arguments& arguments, const Places& places,
                            const std::stop_token& stop) {
  PackOptions options;
  options.source.folders = {{"train", places.tree.string()}};
  options.output = places.work.string();
  options.format = "lmdb/folder2lmdb:keys=%d,values=" + arguments.values;
  options.shards = 1;
  options.shuffle = false;
  options.on_bad = arguments.keep_bad ? OnBad::kKeep : OnBad::kFail;
  options.entry_points = EntryPoints::kNone;
  options.threads = static_cast<unsigned>(arguments.procs);
  ProgressReporter progress(
      "scanning " + EscapeBytes(places.tree.string()) + " ...", "packing");
  auto packed = Pack(options, {.progress = progress.function(), .stop = stop});
  progress.Stop();
  return packed;
}

void Say(const std::string& text) {
  Output error(STDERR_FILENO);
  // Where standard error cannot be written to there is nowhere to say so.
  static_cast<void>(error.Write("folder2lmdb: " + text + "\n").ok());
  static_cast<void>(error.Flush().ok());
}

Status Run(const Arguments& arguments, Output& output) {
  const Places places = PlacesOf(arguments);
  const InterruptWatcher interrupt;
  if (!arguments.out.empty()) {
    Say("note: --out: no effect, as in the original: the file is " +
        EscapeBytes(places.target.string()));
  }
  if (Status cleared = ClearMoved(places); !cleared.ok()) return cleared;
  const auto packed = PackTree(arguments, places, interrupt.stop_token());
  if (!packed.ok()) return packed.status();
  for (const RejectedCount& ignored : packed->ignored) {
    Say("note: not packed: " + std::to_string(ignored.count) + ": " +
        ignored.reason);
  }
  if (Status moved = Move(places); !moved.ok()) return moved;
  return output.Write(EscapeBytes(places.target.string()) + ": " +
                      std::to_string(packed->samples) + " records, " +
                      std::to_string(packed->classes) + " classes\n");
}

int Fail(const Status& status) {
  if (status.code() == Code::kCancelled) {
    Say(kInterruptedMessage);
  } else if (status.code() == Code::kInvalidArgument &&
             status.where().path.empty()) {
    Say(status.ToString() + "; see folder2lmdb --help");
  } else if (status.code() == Code::kCorrupt && status.where().key) {
    Say(status.ToString() + "; --keep-bad packs it as it is");
  } else {
    const std::string advice = SystemAdvice(status);
    Say(status.ToString() + (advice.empty() ? "" : "; ") + advice);
  }
  return static_cast<int>(ExitCodeOf(status, Inputs::kSources));
}

Status RunArguments(const std::vector<std::string>& words, Output& output) {
  Options options;
  Arguments arguments;
  Declare(options, arguments);
  const auto operands = options.Parse(words);
  if (arguments.help) return output.Write(kUsage + options.Help());
  if (arguments.version) {
    return output.Write(std::string("folder2lmdb of shardine ") + Version() +
                        "\n");
  }
  if (!operands.ok()) return operands.status();
  if (Status fine = Check(arguments, *operands); !fine.ok()) return fine;
  if (arguments.quiet) SilenceProgress();
  return Run(arguments, output);
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  shardine::GuardStandardStreams();
  shardine::Output output(STDOUT_FILENO);
  shardine::Status status;
  try {
    status = shardine::RunArguments({argv + (argc > 0 ? 1 : 0), argv + argc},
                                    output);
  } catch (const std::exception& error) {
    // Memory that is not there; nothing is under the final name.
    status = shardine::Status(shardine::Code::kFailed, error.what());
  }
  if (status.ok()) status = output.Flush();
  return status.ok() ? 0 : shardine::Fail(status);
}
