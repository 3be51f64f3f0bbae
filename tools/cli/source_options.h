// The options that say where samples come from: the same for every verb that
// reads a tree or a list.
#ifndef SHARDINE_CLI_SOURCE_OPTIONS_H_
#define SHARDINE_CLI_SOURCE_OPTIONS_H_

#include "cli/options.h"
#include "shardine/source.h"

namespace shardine {

// `--seed` is not among them: who else needs one shares it.
void DeclareSourceOptions(Options& options, SourceOptions& source);

// The paragraph on SOURCE in a verb's help.
inline constexpr char kSourceHelp[] =
    "SOURCE is a folder tree with one folder per class, or several as "
    "NAME=DIR\n"
    "(train=DIR val=DIR): each is a split, and ids run on through them. With\n"
    "--list it is the folder that the files of the list lie in, from which "
    "its\n"
    "relative paths start, unless --list-root says from where.\n";

}  // namespace shardine

#endif  // SHARDINE_CLI_SOURCE_OPTIONS_H_
