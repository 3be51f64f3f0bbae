#include "extract/stem_names.h"

#include "io/output_names.h"
#include "source/source_file.h"

namespace shardine {

Result<std::string> StemNames::Add(const std::string& folder,
                                   const std::string& name) {
  std::string stem = JoinPath(folder, std::string(StemOf(name)));
  if (stems_.insert(stem).second) return stem;
  return Status(Code::kAlreadyExists,
                "two images would have the annotations of one name; names that "
                "are ids differ");
}

}  // namespace shardine
