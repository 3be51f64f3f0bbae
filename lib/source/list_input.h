// Lists of samples and of names, which may be standard input.
#ifndef SHARDINE_SOURCE_LIST_INPUT_H_
#define SHARDINE_SOURCE_LIST_INPUT_H_

#include <memory>
#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Whether a path stands for standard input: "-".
bool IsStandardInput(const std::string& path);

// Opens a list. Standard input is read to its end, so that it opens once.
// kUnsupported: it has more than 4 GiB.
Result<std::unique_ptr<RandomAccessFile>> OpenList(ReadableStorage& storage,
                                                   const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LIST_INPUT_H_
