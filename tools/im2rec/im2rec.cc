#include "im2rec/im2rec.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/status_macros.h"
#include "cli/exit_code.h"
#include "im2rec/cpp_style.h"
#include "im2rec/python_arguments.h"
#include "im2rec/python_style.h"
#include "pipeline/worker_group.h"
#include "shardine/version.h"

namespace shardine {

namespace {

constexpr const char* kUsage =
    "usage: im2rec IMAGE.lst ROOT OUTPUT.rec [KEY=VALUE ...]\n"
    "       im2rec PREFIX ROOT --list [OPTION ...]\n"
    "       im2rec PREFIX ROOT [OPTION ...]\n";

constexpr const char* kKeysHelp =
    "\nKeys of the style IMAGE.lst ROOT OUTPUT.rec:\n"
    "  unchanged=1      store the files as they are\n"
    "  label_width=N    labels in each line (1)\n"
    "  pack_label=1     store all of them; needs label_width > 1\n"
    "  nsplit=N part=I  pack part I of N of the list, to OUTPUT.rec.partIII\n"
    "  resize=N         short side in pixels (-1: as it is)\n"
    "  center_crop=1    cut to the square in the middle, if there is a resize\n"
    "  inter_method=N   0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 lanczos,\n"
    "                   9 by the sizes, 10 drawn for each record (1)\n"
    "  color=N          1 color, 0 gray, -1 as it is (1)\n"
    "  encoding=EXT     .jpg or .png (.jpg)\n"
    "  quality=N        of JPEG, 1 to 100; level of PNG, 1 to 9 (95)\n"
    "  pixels=RULE      whose filters and gray: pillow, or opencv as the\n"
    "                   original (pillow)\n"
    "  on_bad=fail|skip an image that cannot be packed: fail, or leave it out\n"
    "                   and tell of it in OUTPUT.rec.rejected.jsonl (fail)\n"
    "\n";

bool IsOption(const std::string& word) { return word.starts_with("--"); }

bool Given(const std::vector<std::string>& arguments,
           std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    return std::ranges::find(words, argument) != words.end();
  });
}

// `code`, unless the output could not be written.
int Written(const Console& console, int code) {
  console.out.flush();
  const bool done = code == 0 || code == static_cast<int>(ExitCode::kRejected);
  if (console.out || !done) return code;
  console.err << "im2rec: standard output cannot be written\n";
  return static_cast<int>(ExitCode::kLocalIo);
}

Result<ExitCode> Run(const std::vector<std::string>& arguments,
                     Storage& storage, const Console& console) {
  if (arguments.size() < 2) {
    return Status(
        Code::kInvalidArgument,
        "IMAGE.lst ROOT OUTPUT.rec or PREFIX ROOT are needed; see --help");
  }
  if (arguments.size() > 2 &&
      std::none_of(arguments.begin(), arguments.end(), IsOption)) {
    SHARDINE_ASSIGN_OR_RETURN(const CppArguments parsed,
                              ParseCppArguments(arguments));
    return RunCppStyle(storage, parsed, console);
  }
  SHARDINE_ASSIGN_OR_RETURN(const PythonArguments parsed,
                            ParsePythonArguments(arguments));
  return RunPythonStyle(storage, parsed, console);
}

}  // namespace

int RunIm2rec(const std::vector<std::string>& arguments, Storage& storage,
              const Console& console) {
  if (Given(arguments, {"--help", "-h"})) {
    console.out << kUsage << kKeysHelp << PythonOptionsHelp();
    return Written(console, 0);
  }
  if (Given(arguments, {"--version", "-V"})) {
    console.out << "im2rec of shardine " << Version() << '\n';
    return Written(console, 0);
  }
  ExitCode code = ExitCode::kDone;
  const Status status = Guarded([&] {
    SHARDINE_ASSIGN_OR_RETURN(code, Run(arguments, storage, console));
    return Status();
  });
  if (!status.ok()) {
    console.err << "im2rec: " << status.ToString() << '\n';
    code = ExitCodeOf(status, Inputs::kSources);
  }
  return Written(console, static_cast<int>(code));
}

}  // namespace shardine
