#include "cli/python_module.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "shardine/environment.h"

namespace shardine {
namespace {

// A file in the working directory is no part of the package. The first two
// arguments are the verb and the module.
constexpr char kStart[] =
    "import sys\n"
    "sys.path[:1] = [] if sys.path[0] == '' else sys.path[:1]\n"
    "verb, module = sys.argv[1:3]\n"
    "try:\n"
    "    __import__(module)\n"
    "except ImportError as error:\n"
    "    sys.exit(f'shardine: {verb} needs the Python package shardine: '\n"
    "             f'{sys.executable}: {error}; install it there, or let '\n"
    "             'SHARDINE_PYTHON name a Python that has it')\n"
    "import runpy\n"
    "del sys.argv[1:3]\n"
    "runpy.run_module(module, run_name='__main__', alter_sys=True)\n";

}  // namespace

Status BecomePython(const std::string& verb, const std::string& module,
                    const std::vector<std::string>& arguments) {
  const std::string named = Environment::Current().Of("SHARDINE_PYTHON");
  const std::string python = named.empty() ? "python3" : named;
  std::vector<std::string> words = {python, "-c", kStart, verb, module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(python.c_str(), pointers.data());
  return Status(Code::kFailed,
                "cannot start " + python + ": " +
                    Status::FromErrno(errno, verb, "").message() + "; " + verb +
                    " is done by Python: install it, or let "
                    "SHARDINE_PYTHON name it");
}

}  // namespace shardine
