// Path arithmetic as Python's os.path does it on POSIX, byte for byte, for the
// arguments that im2rec.py passes through it. Pure functions; thread-safe.
#ifndef SHARDINE_IM2REC_PYTHON_PATH_H_
#define SHARDINE_IM2REC_PYTHON_PATH_H_

#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

// os.path.join(directory, name) == name when `name` is absolute.
std::string PythonJoin(std::string_view directory, std::string_view name);

// os.path.normpath: without empty components, "." and "..", and without a
// trailing slash. Text only; links are not looked at.
std::string PythonNormPath(std::string_view path);

// os.path.abspath. Fails when the working directory is gone.
Result<std::string> PythonAbsPath(std::string_view path);

// os.path.splitext(name)[1].lower() for ASCII: ".jpg" of "a.b.JPG", empty for
// ".jpg" and "jpg".
std::string PythonSuffix(std::string_view file_name);

// The text without the ASCII characters that str.strip() removes at its ends.
std::string_view PythonStrip(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_PYTHON_PATH_H_
