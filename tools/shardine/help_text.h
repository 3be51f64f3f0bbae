// The text of `shardine --help` and `shardine VERB --help`.
#ifndef SHARDINE_SHARDINE_HELP_TEXT_H_
#define SHARDINE_SHARDINE_HELP_TEXT_H_

#include <string>

#include "cli/options.h"
#include "shardine/verb.h"

namespace shardine {

std::string CommandHelp();
std::string VerbHelp(const VerbEntry& entry, const Usage& usage,
                     const Options& options);

// "usage: shardine cat [options] DATASET KEY..." without the first word.
std::string SynopsisOf(const VerbEntry& entry, const Usage& usage);

}  // namespace shardine

#endif  // SHARDINE_SHARDINE_HELP_TEXT_H_
