#include <memory>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "cli/machine_report.h"
#include "shardine/machine.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kDoctorText[] =
    "Prints what a bug report needs: versions, processor, libraries, folders.\n"
    "This program does not see Python: shardine.doctor() there adds torch, "
    "tqdm,\n"
    "Pillow and NumPy. Writes nothing.\n";

constexpr char kPythonLine[] =
    "python        not seen by this program: "
    "python3 -c \"import shardine; print(shardine.doctor())\"\n";

class DoctorVerb : public Verb {
 public:
  Usage usage() const override { return {"", 0, 0, kDoctorText}; }

  ServerUse servers() const override { return ServerUse::kNone; }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>&, const Options&,
                       Output& output) override {
    const Machine machine = DescribeMachine();
    const Status written =
        output.Write(json_ ? JsonLine({{"machine", MachineJson(machine)}})
                           : MachineText(machine) + kPythonLine);
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeDoctorVerb() {
  return std::make_unique<DoctorVerb>();
}

}  // namespace shardine
