// A verb of the `shardine` command, and the table of all of them.
#ifndef SHARDINE_SHARDINE_VERB_H_
#define SHARDINE_SHARDINE_VERB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "shardine/status.h"

namespace shardine {

// The use that a verb makes of servers.
enum class ServerUse : std::uint8_t {
  kNone,
  kAsks,          // it takes addresses
  kReadsSamples,  // of datasets, which --cache keeps for the next time
};

struct Usage {
  std::string_view synopsis;  // operands: "SOURCE... OUT"
  std::size_t min_operands = 0;
  std::size_t max_operands = 0;
  std::string_view text;      // its work, lines of at most 80 columns
  std::string_view examples;  // two commands that work, a line each
};

// Made for one run. Options are bound to members.
class Verb {
 public:
  virtual ~Verb() = default;

  virtual Usage usage() const = 0;
  // The options that the library describes, bound to their struct; declared,
  // checked after parsing, and asked for the names of lists.
  virtual OptionList described() { return {}; }
  // The other ones.
  virtual void Declare(Options& options) = 0;
  // Called with as many operands as usage() allows. A failure is printed with
  // its exit code by the caller, which also flushes `output`.
  virtual Result<ExitCode> Run(const std::vector<std::string>& operands,
                               const Options& options, Output& output) = 0;
  virtual ServerUse servers() const { return ServerUse::kAsks; }
  // The inputs that a failure of Run() is about.
  virtual Inputs inputs() const { return Inputs::kDatasets; }
  // Whether a file is a list, or another text of the user's, that no option
  // names: one that does not parse is a mistake in it, and no damage.
  virtual bool IsList(const std::string& /*path*/) const { return false; }
  // Advice on the failure; empty where the message says all.
  virtual std::string AdviceOn(const Status&) const { return {}; }
};

struct VerbEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Verb> (*make)();
};

// In the order of `shardine --help`.
std::span<const VerbEntry> Verbs();

std::unique_ptr<Verb> MakePackVerb();
std::unique_ptr<Verb> MakePlanConvertVerb();
std::unique_ptr<Verb> MakePlanPackVerb();
std::unique_ptr<Verb> MakePlanResizeVerb();
std::unique_ptr<Verb> MakePlanVerifyVerb();
std::unique_ptr<Verb> MakeRunTaskVerb();
std::unique_ptr<Verb> MakeStatusVerb();
std::unique_ptr<Verb> MakeFinalizeVerb();
std::unique_ptr<Verb> MakeResizeVerb();
std::unique_ptr<Verb> MakeVerifyVerb();
std::unique_ptr<Verb> MakeIndexVerb();
std::unique_ptr<Verb> MakeReindexVerb();
std::unique_ptr<Verb> MakeCompletionVerb();
std::unique_ptr<Verb> MakeConvertVerb();
std::unique_ptr<Verb> MakeSplitVerb();
std::unique_ptr<Verb> MakeShuffleVerb();
std::unique_ptr<Verb> MakeMergeVerb();
std::unique_ptr<Verb> MakeRelabelVerb();
std::unique_ptr<Verb> MakeDiffVerb();
std::unique_ptr<Verb> MakeAuditVerb();
std::unique_ptr<Verb> MakeReportVerb();
std::unique_ptr<Verb> MakeViewVerb();
std::unique_ptr<Verb> MakeCardVerb();
std::unique_ptr<Verb> MakeBenchVerb();
std::unique_ptr<Verb> MakeSimulateVerb();
std::unique_ptr<Verb> MakeInfoVerb();
std::unique_ptr<Verb> MakeLsVerb();
std::unique_ptr<Verb> MakeCatVerb();
std::unique_ptr<Verb> MakeExtractVerb();
std::unique_ptr<Verb> MakeExportVerb();
std::unique_ptr<Verb> MakeListVerb();
std::unique_ptr<Verb> MakeScanVerb();
std::unique_ptr<Verb> MakeRunVerb();
std::unique_ptr<Verb> MakeCacheVerb();
std::unique_ptr<Verb> MakeDoctorVerb();
std::unique_ptr<Verb> MakeFormatsVerb();

}  // namespace shardine

#endif  // SHARDINE_SHARDINE_VERB_H_
