// The names of unfinished files, as TemporaryName() of io/atomic_file.h makes
// them: ".name.0123456789abcdef.tmp" beside "name". The digits are the XXH3-64
// of the name, so that no such file exists by accident: it is ours, and may be
// replaced and removed. The next run of the same work finds the files that a
// kill left. A name of more than 200 bytes is cut before the digits.
#ifndef SHARDINE_IO_TEMPORARY_NAME_H_
#define SHARDINE_IO_TEMPORARY_NAME_H_

#include <optional>
#include <string>
#include <string_view>

namespace shardine {

// The name that an unfinished file is for, both without directory; nullopt
// where the name was cut, or is not of an unfinished file.
std::optional<std::string> NameOfTemporary(std::string_view file_name);

}  // namespace shardine

#endif  // SHARDINE_IO_TEMPORARY_NAME_H_
