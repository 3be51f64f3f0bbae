// CommandOptions: all that a verb takes on its command line.
#ifndef SHARDINE_SHARDINE_COMMAND_OPTIONS_H_
#define SHARDINE_SHARDINE_COMMAND_OPTIONS_H_

#include <string>

#include "cli/options.h"
#include "cli/server_options.h"
#include "shardine/verb.h"

namespace shardine {

struct AlwaysOptions {
  bool quiet = false;
  std::string progress_file;
  bool version = false;
  bool help = false;
};

// Its own options, the options of servers, and the options of all verbs. The
// verb must outlive it.
class CommandOptions {
 public:
  explicit CommandOptions(Verb& verb);
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  Options& options() { return options_; }
  ServerOptions& servers() { return servers_; }
  const AlwaysOptions& always() const { return always_; }

 private:
  // Bound to the other two.
  AlwaysOptions always_;
  ServerOptions servers_;
  Options options_;
};

}  // namespace shardine

#endif  // SHARDINE_SHARDINE_COMMAND_OPTIONS_H_
