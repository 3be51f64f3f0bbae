#include <memory>
#include <string>
#include <vector>

#include "cli/python_module.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kViewExamples[] =
    "shardine view out copy --port 8080\n"
    "shardine view out --terminal hounds/whippet.JPEG\n";

constexpr char kViewText[] =
    "Shows the samples of DATASET on a page for a browser of this machine, by\n"
    "split, class, key and finding of an audit: images with their boxes, masks "
    "and\n"
    "points, labels and fields. OTHER is shown beside it, sample by sample of "
    "the\n"
    "same keys. Prints the address, which has a secret, and serves it until\n"
    "Ctrl-C, on 127.0.0.1 alone; nothing is written. The Python package "
    "shardine\n"
    "does that, with Pillow.\n";

class ViewVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET [OTHER]", 1, 2, kViewText, kViewExamples};
  }

  ServerUse servers() const override { return ServerUse::kNone; }

  void Declare(Options& options) override {
    options.BeginGroup("Place");
    options.Number("port", port_, {0, 65535},
                   "of the page (default: 0, any that is free)");
    options.Text("terminal", "KEY", key_,
                 "draw the image of the sample KEY in this terminal instead, "
                 "which needs 24-bit colors");
  }

  // The program becomes Python: a return reports why it did not.
  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output&) override {
    if (options.given("terminal") &&
        (operands.size() > 1 || options.given("port") || key_.empty())) {
      return Status(Code::kInvalidArgument,
                    "--terminal draws one sample of one dataset, and has no "
                    "port");
    }
    std::vector<std::string> arguments = {std::to_string(port_), key_};
    arguments.insert(arguments.end(), operands.begin(), operands.end());
    return BecomePython("view", "shardine.viewer", arguments);
  }

 private:
  std::uint64_t port_ = 0;
  std::string key_;
};

}  // namespace

std::unique_ptr<Verb> MakeViewVerb() { return std::make_unique<ViewVerb>(); }

}  // namespace shardine
