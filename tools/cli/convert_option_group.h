// The options of a conversion: the same for who converts and for who plans one.
#ifndef SHARDINE_CLI_CONVERT_OPTION_GROUP_H_
#define SHARDINE_CLI_CONVERT_OPTION_GROUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.h"
#include "shardine/convert.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Must outlive the Options it is declared in.
class ConvertOptionGroup {
 public:
  void Declare(Options& options);
  // Of inputs that are in no dataset, after Declare().
  void DeclareShardFiles(Options& options);

  // What was asked for, once `options` are parsed; `operands` are IN... and
  // OUT. kInvalidArgument: options that exclude each other, or an operand that
  // is none.
  Status Take(const std::vector<std::string>& operands, const Options& options);
  ConvertOptions& convert() { return convert_; }
  // Whether a file is one of the texts that options name.
  bool IsList(const std::string& path) const {
    return path == convert_.label_map || path == convert_.class_names;
  }
  // "reading the index of IN ...", before anything is known.
  const std::string& first() const { return first_; }

  // The way out of a failure; empty where the message says all.
  static std::string AdviceOn(const Status& status);

 private:
  void DeclareSamples(Options& options);
  void DeclareImages(Options& options);
  Status TakeSplits(const std::string& text);
  Status TakeInputs(const std::vector<std::string>& inputs);

  ConvertOptions convert_;
  std::string first_;
  PixelOrder pixels_ = PixelOrder::kRgb;
  std::uint64_t seed_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_CONVERT_OPTION_GROUP_H_
