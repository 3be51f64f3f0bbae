// The options of a pack: the same for who packs and for who plans one.
#ifndef SHARDINE_CLI_PACK_OPTION_GROUP_H_
#define SHARDINE_CLI_PACK_OPTION_GROUP_H_

#include <string>
#include <vector>

#include "cli/image_option_group.h"
#include "cli/options.h"
#include "shardine/pack.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Must outlive the Options it is declared in.
class PackOptionGroup {
 public:
  void Declare(Options& options);

  // What was asked for, once `options` are parsed; `operands` are SOURCE... and
  // OUT. kInvalidArgument: options that exclude each other, or an operand that
  // is none.
  Status Take(const std::vector<std::string>& operands, const Options& options);
  PackOptions& pack() { return pack_; }
  const PackOptions& pack() const { return pack_; }

 private:
  void DeclareImages(Options& options);
  void DeclareVariants(Options& options);
  Status TakeVariants(const Options& options);

  PackOptions pack_;
  ImageOptionGroup image_;
  bool no_shuffle_ = false;
};

// "scanning photos ..." or "scanning train=a, val=b ...", as the user wrote it.
std::string ScanningText(const std::vector<std::string>& operands);

}  // namespace shardine

#endif  // SHARDINE_CLI_PACK_OPTION_GROUP_H_
