// OUT/.parts: a folder for each part of a dataset that several writers make.
#ifndef SHARDINE_PACK_PART_FOLDER_H_
#define SHARDINE_PACK_PART_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "shardine/digest.h"
#include "shardine/status.h"

namespace shardine {

// The folder of a part: "OUT/.parts/00003-of-00008".
OutputFolder PartFolder(const OutputFolder& output, std::uint32_t part,
                        std::uint32_t parts);
// The part's file, which is there when the part is finished.
std::string PartFilePath(const OutputFolder& part);

// The contents of OUT/.parts, by the names in it.
struct FoundParts {
  std::uint32_t parts = 0;             // of the dataset; 0: there are none
  std::vector<std::uint32_t> folders;  // numbers of those that have one
};
// kInvalidArgument: there are parts of two numbers of parts, or a link or file
// has the name of one.
Result<FoundParts> FindParts(const OutputFolder& output);

// kAlreadyExists where OUT holds anything but parts: files, a dataset, the
// unfinished work of another command. kInvalidArgument: parts of another number
// of parts than `parts`.
Status CheckPartsFolder(const OutputFolder& output, std::uint32_t parts);

// Removes the folder of a part with the files of its writers; a foreign file
// stays, and the folder with it. Fine if it is absent.
Status RemovePart(const OutputFolder& part);

// After all of them became the dataset of that content digest: a mark tells a
// run after a kill that the remaining parts may go.
Status RemoveParts(const OutputFolder& output, const Digest128& content);
bool AreJoined(const OutputFolder& output, const Digest128& content);

}  // namespace shardine

#endif  // SHARDINE_PACK_PART_FOLDER_H_
