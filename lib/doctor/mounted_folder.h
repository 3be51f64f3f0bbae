// MountedFolder: on which file system a folder is, and how much room it has.
#ifndef SHARDINE_DOCTOR_MOUNTED_FOLDER_H_
#define SHARDINE_DOCTOR_MOUNTED_FOLDER_H_

#include <string>

#include "shardine/machine.h"

namespace shardine {

// The type of the file system at `path`, by the lines of /proc/self/mountinfo:
// the longest mount point above it decides, of equal ones the last. Empty:
// there is none. REQUIRES: `path` is absolute, without links.
std::string FileSystemOf(const std::string& mountinfo, const std::string& path);

// `path`: absolute, or relative to the working folder. If the folder does not
// exist, the room is taken from the nearest one above it.
MachineFolder DescribeFolder(const std::string& use, const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_MOUNTED_FOLDER_H_
