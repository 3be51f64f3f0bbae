#include <charconv>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "cli/python_module.h"
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
    return BecomePython("run", "shardine.engines",
                        {JsonLine(Given(operands[0], options))});
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
