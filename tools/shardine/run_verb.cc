#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "shardine/environment.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kRunExamples[] =
    "shardine run plan\n"
    "shardine run plan --engine local --workers 2\n";

constexpr char kRunText[] =
    "Does the tasks of PLAN that are not done yet, on an engine, and makes "
    "the\n"
    "dataset of them. Each task is run-task in a process of its own on a "
    "worker,\n"
    "which needs the plan, the sources and OUT under the same names. How often "
    "it\n"
    "is tried, and what becomes of machines that die, is the engine's; the "
    "same\n"
    "command does what is left. It is Python that speaks to engines, with the\n"
    "package shardine and that of the engine (ray; distributed; pyspark) or "
    "its\n"
    "programs (sbatch; mpirun).\n"
    "\n";

// A file in the working directory is no part of the package.
constexpr char kStart[] =
    "import sys\n"
    "sys.path[:1] = [] if sys.path[0] == '' else sys.path[:1]\n"
    "try:\n"
    "    import shardine.engines\n"
    "except ImportError as error:\n"
    "    sys.exit(f'shardine: run needs the Python package shardine: '\n"
    "             f'{sys.executable}: {error}; install it there, or let '\n"
    "             'SHARDINE_PYTHON name a Python that has it')\n"
    "import runpy\n"
    "runpy.run_module('shardine.engines', run_name='__main__', "
    "alter_sys=True)\n";

Status ParseSeconds(const std::string& text, double& seconds) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && at == end && seconds >= 0 && seconds <= 3600) {
    return Status();
  }
  return Status(Code::kInvalidArgument,
                "\"" + text + "\" is not a number of seconds up to 3600");
}

class RunVerb : public Verb {
 public:
  Usage usage() const override {
    return {"PLAN", 1, 1, kRunText, kRunExamples};
  }

  ServerUse servers() const override { return ServerUse::kNone; }

  void Declare(Options& options) override {
    options.BeginGroup("Engine");
    options.Text("engine", "NAME", engine_,
                 "local, ray, dask, spark, slurm or mpi (default: local)");
    options.Number("cpus", cpus_, {1, 1024},
                   "processors of a task (default: 1)");
    options.Number("workers", workers_, {1, 100000},
                   "tasks at a time; of mpi ranks; of ray, dask and spark of a "
                   "cluster that is started for this command alone");
    options.Number("retries", retries_, {0, 1000},
                   "how often a task is tried again (default: 3)");
    options.Number("window", window_, {1, 1000000},
                   "of ray and dask: tasks that are submitted and not ended");
    options.Text("address", "ADDRESS", address_,
                 "of ray, dask and spark: auto, tcp://HOST:PORT, "
                 "spark://HOST:PORT");
    options.Text("submit", "OPTIONS", submit_,
                 "of slurm and mpi: more options of sbatch or mpirun");
    options.Parsed(
        "stagger", "SECONDS",
        [this](const std::string& text) {
          return ParseSeconds(text, stagger_);
        },
        "of slurm: from one start to the next, of those that start first "
        "(default: 0.1)");
    options.Text("program", "FILE", program_,
                 "shardine as the workers have it (default: the package's)");
    options.BeginGroup("Run");
    options.Flag("no-finalize", no_finalize_,
                 "leave the shards as they are, for shardine finalize");
    options.Flag("detach", detach_,
                 "of slurm: submit all of it, and do not wait");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  // The program becomes Python: a return reports why it did not.
  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output&) override {
    const std::string named = Environment::Current().Of("SHARDINE_PYTHON");
    const std::string python = named.empty() ? "python3" : named;
    const std::string given = JsonLine(Given(operands[0], options));
    execlp(python.c_str(), python.c_str(), "-c", kStart, given.c_str(),
           static_cast<char*>(nullptr));
    return Status(Code::kFailed,
                  "cannot start " + python + ": " +
                      Status::FromErrno(errno, "run", "").message() +
                      "; it is Python that speaks to engines: install it, or "
                      "let SHARDINE_PYTHON name it");
  }

 private:
  Json Given(const std::string& plan, const Options& options) const {
    Json given = {{"plan", plan},
                  {"engine", engine_},
                  {"cpus", cpus_},
                  {"finalize", !no_finalize_},
                  {"detach", detach_},
                  {"program", program_},
                  {"quiet", options.given("quiet")},
                  {"json", json_}};
    // Options that an engine need not have.
    if (options.given("workers")) given["workers"] = workers_;
    if (options.given("retries")) given["retries"] = retries_;
    if (options.given("window")) given["window"] = window_;
    if (options.given("address")) given["address"] = address_;
    if (options.given("submit")) given["submit"] = submit_;
    if (options.given("stagger")) given["stagger"] = stagger_;
    return given;
  }

  std::string engine_ = "local";
  std::string address_;
  std::string submit_;
  std::string program_;
  double stagger_ = 0;
  std::uint64_t cpus_ = 1;
  std::uint64_t workers_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t window_ = 0;
  bool no_finalize_ = false;
  bool detach_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeRunVerb() { return std::make_unique<RunVerb>(); }

}  // namespace shardine
