// Where the executable that reads HDF5 files is.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROGRAM_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROGRAM_H_

#include <string>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// $SHARDINE_LIBEXEC_DIR/shardine-hdf5-scan, where that is set, whether there is
// such a file or not; else the first of SandboxProgramPlaces() that exists.
// kFailed naming the places if none does. Whether it runs and has this version
// shows when it is started.
Result<std::string> FindSandboxProgram();

// Where it may lie beside the program or the library that this code is part of,
// `own` being the folder of that: own/libexec/shardine, as in a wheel;
// own/../libexec/shardine, if `own` is a folder of programs ("bin") of an
// installation, which may have been moved; and the folder that shardine was
// configured to be installed to. No other folder above is searched, since other
// users may be able to write there.
std::vector<std::string> SandboxProgramPlaces(const std::string& own);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROGRAM_H_
