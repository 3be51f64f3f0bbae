#include "shardine/command_options.h"

namespace shardine {

CommandOptions::CommandOptions(Verb& verb) {
  options_.Declare(verb.described());
  verb.Declare(options_);
  if (verb.servers() == ServerUse::kReadsSamples) {
    DeclareCacheOptions(options_, servers_.cache(), servers_.cache_bytes());
  }
  if (verb.servers() != ServerUse::kNone) servers_.Declare(options_);
  options_.BeginGroup("Always");
  options_.Flag("quiet,q", always_.quiet,
                "no progress: results and errors only");
  options_.Text("progress-json", "FILE", always_.progress_file,
                "append how far the work is: a JSON object a second, a line "
                "each");
  options_.Flag("version,V", always_.version, "print which version this is");
  options_.Flag("help,h", always_.help, "print this");
}

}  // namespace shardine
