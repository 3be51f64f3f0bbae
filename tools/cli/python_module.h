// Programs that become Python: verbs whose work is in the Python package.
#ifndef SHARDINE_CLI_PYTHON_MODULE_H_
#define SHARDINE_CLI_PYTHON_MODULE_H_

#include <string>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// Replaces this process by Python, which runs `module` of the package
// ("shardine.engines") with these arguments. SHARDINE_PYTHON names the Python.
// Returns only if Python does not start. `verb` is named in that message, and
// in Python's where the package is missing.
Status BecomePython(const std::string& verb, const std::string& module,
                    const std::vector<std::string>& arguments);

}  // namespace shardine

#endif  // SHARDINE_CLI_PYTHON_MODULE_H_
