// The operands SOURCE... of verbs that read trees and lists.
#ifndef SHARDINE_CLI_SOURCE_OPERANDS_H_
#define SHARDINE_CLI_SOURCE_OPERANDS_H_

#include <string>
#include <vector>

#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

// The paragraph on SOURCE in a verb's help.
inline constexpr char kSourceHelp[] =
    "SOURCE is a folder tree with one folder per class, or several as "
    "NAME=DIR\n"
    "(train=DIR val=DIR): each is a split, and ids run on through them. With\n"
    "--list it is the folder that the files of the list lie in, from which "
    "its\n"
    "relative paths start, unless --list-root says from where. An archive "
    "(tar,\n"
    "tar.gz, tar.zst, zip) is the folder that it unpacks to; photos.tar/train "
    "is\n"
    "a folder in it, and a tar of class tars has the classes of their names.\n";

// `operands` are SOURCE... and OUT. kInvalidArgument quotes a wrong one.
Status TakeSourcesAndOutput(const std::vector<std::string>& operands,
                            SourceOptions& source, std::string& output);

// "scanning photos ..." or "scanning train=a, val=b ...", as the user wrote it.
std::string ScanningText(const std::vector<std::string>& sources);

}  // namespace shardine

#endif  // SHARDINE_CLI_SOURCE_OPERANDS_H_
