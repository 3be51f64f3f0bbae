#include "im2rec/python_style.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "im2rec/image_recoder.h"
#include "im2rec/image_walk.h"
#include "im2rec/input_check.h"
#include "im2rec/list_maker.h"
#include "im2rec/pack_list.h"
#include "im2rec/python_path.h"
#include "im2rec/record_file.h"
#include "shardine/escape.h"

namespace shardine {

namespace {

constexpr std::string_view kListSuffix = ".lst";

Status MakeLists(Storage& storage, const PythonArguments& arguments,
                 const Console& console) {
  SHARDINE_ASSIGN_OR_RETURN(
      ImageWalk walk, WalkImages(storage, {.root = arguments.root,
                                           .recursive = arguments.recursive,
                                           .suffixes = arguments.suffixes}));
  for (const std::string& note : walk.notes) console.Note(note);
  // An empty list would pack to an empty file, and no error would show that the
  // folder was the wrong one.
  if (walk.images.empty()) {
    return Status(Code::kFailed,
                  arguments.recursive
                      ? "no images below this folder"
                      : "no images in this folder (--recursive looks below)")
        .At({.path = arguments.root});
  }
  for (std::size_t i = 0; i < walk.labelled.size(); ++i) {
    // im2rec.py prints the same lines: nothing else says which folder has which
    // number.
    console.out << EscapeBytes(walk.labelled[i]) << ' ' << std::to_string(i)
                << '\n';
  }
  if (walk.labelled == std::vector<std::string>{"."}) {
    console.Note(
        "all images lie in no folder of their class: each has the "
        "label 0");
  }
  const ListOptions& options = arguments.listing;
  if (options.train_ratio == 1.0 && options.test_ratio != 0) {
    console.Note("--test-ratio: no effect while --train-ratio is 1");
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const WrittenLists written,
      WriteLists(storage, options, std::move(walk.images)));
  if (written.left_over > 0) {
    console.Note(std::to_string(written.left_over) +
                 " images are in no list: the ratios round down");
  }
  return {};
}

Result<ExitCode> PackOne(Storage& storage, const PythonArguments& arguments,
                         const std::string& list, const Console& console) {
  const std::string stem = list.substr(0, list.size() - kListSuffix.size());
  const auto parse = [&](std::string_view line) {
    return ParsePythonLine(line, arguments.pack_label);
  };
  // As os.path.join: an absolute path of the list is taken as it is.
  const auto locate = [&](const std::string& path) {
    return PythonJoin(arguments.root, path);
  };
  return console.Pack(storage, {.list = list,
                                .parse = parse,
                                .locate = locate,
                                .rec = stem + ".rec",
                                .idx = stem + ".idx",
                                .work = RecoderWork(arguments.pixels),
                                .threads = arguments.threads,
                                .arguments = arguments.work,
                                .on_bad = arguments.on_bad,
                                .keep_journal = true});
}

Result<ExitCode> PackLists(Storage& storage, const PythonArguments& arguments,
                           const Console& console) {
  const std::string& prefix = arguments.listing.prefix;
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<std::string> lists,
                            FindLists(storage, prefix));
  if (lists.empty()) {
    return Status(Code::kInvalidArgument,
                  "no list (.lst) has a name that begins with this")
        .At({.path = prefix});
  }
  ExitCode result = ExitCode::kDone;
  for (const std::string& list : lists) {
    SHARDINE_ASSIGN_OR_RETURN(const ExitCode code,
                              PackOne(storage, arguments, list, console));
    if (code != ExitCode::kDone) result = code;
  }
  // Finished lists no longer count as a part of this run.
  for (const std::string& list : lists) {
    SHARDINE_RETURN_IF_ERROR(RemoveWorkJournal(
        storage, list.substr(0, list.size() - kListSuffix.size()) + ".rec"));
  }
  return result;
}

}  // namespace

Result<std::vector<std::string>> FindLists(ReadableStorage& storage,
                                           const std::string& prefix) {
  const Result<FileInfo> info = storage.Stat(prefix);
  const bool inside = info.ok() && info->kind == FileKind::kDirectory;
  const std::string folder = inside ? prefix : DirectoryOf(prefix);
  SHARDINE_RETURN_IF_ERROR(CheckInput(storage, folder, FileKind::kDirectory));
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<DirEntry> entries,
                            storage.List(folder));
  std::vector<std::string> lists;
  for (const DirEntry& entry : entries) {
    std::string path = PythonJoin(folder, entry.name);
    // The prefix is compared as text, as im2rec.py does, so that PREFIX takes
    // PREFIX_train.lst and PREFIX_val.lst, but PREFIX2.lst as well.
    if (!path.starts_with(prefix) || !path.ends_with(kListSuffix)) continue;
    const Result<FileInfo> file = storage.Stat(path);
    if (file.ok() && file->kind == FileKind::kRegular) {
      lists.push_back(std::move(path));
    } else if (!file.ok() && file.status().code() != Code::kNotFound) {
      return file.status();
    }
  }
  // The order of a directory is the file system's. Which list fails first must
  // not depend on it.
  std::sort(lists.begin(), lists.end());
  return lists;
}

Result<ExitCode> RunPythonStyle(Storage& storage,
                                const PythonArguments& arguments,
                                const Console& console) {
  SHARDINE_RETURN_IF_ERROR(
      CheckInput(storage, arguments.root, FileKind::kDirectory));
  console.NoteWithoutEffect(arguments.without_effect,
                            arguments.list     ? "with --list"
                            : arguments.pixels ? "without --list"
                                               : "with --pass-through");
  if (!arguments.list) return PackLists(storage, arguments, console);
  SHARDINE_RETURN_IF_ERROR(MakeLists(storage, arguments, console));
  return ExitCode::kDone;
}

}  // namespace shardine
