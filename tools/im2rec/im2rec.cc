#include "im2rec/im2rec.h"

#include <algorithm>

#include "base/status_macros.h"
#include "im2rec/cpp_style.h"
#include "im2rec/python_arguments.h"
#include "im2rec/python_style.h"
#include "pipeline/worker_group.h"

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
    "\n";

bool IsOption(const std::string& word) { return word.starts_with("--"); }

bool AsksForHelp(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const auto& word) {
    return word == "--help" || word == "-h";
  });
}

int ExitCode(const Status& status) {
  switch (status.code()) {
    case Code::kOk:
      return 0;
    case Code::kInvalidArgument:
      return 2;
    case Code::kIo:
      return 5;
    default:
      return 1;
  }
}

Status Run(const std::vector<std::string>& arguments, Storage& storage,
           const Console& console) {
  if (arguments.size() < 2) {
    return {Code::kInvalidArgument,
            "IMAGE.lst ROOT OUTPUT.rec or PREFIX ROOT are needed; see --help"};
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
  if (AsksForHelp(arguments)) {
    console.out << kUsage << kKeysHelp << PythonOptionsHelp();
    return 0;
  }
  const Status status =
      Guarded([&] { return Run(arguments, storage, console); });
  if (!status.ok()) console.err << "im2rec: " << status.ToString() << '\n';
  return ExitCode(status);
}

}  // namespace shardine
