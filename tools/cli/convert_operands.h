// The operands IN... OUT of a conversion.
#ifndef SHARDINE_CLI_CONVERT_OPERANDS_H_
#define SHARDINE_CLI_CONVERT_OPERANDS_H_

#include <string>
#include <vector>

#include "shardine/convert.h"
#include "shardine/status.h"

namespace shardine {

// IN is one dataset, or shard files. kInvalidArgument: a wrong operand.
Status TakeInputsAndOutput(const std::vector<std::string>& operands,
                           ConvertOptions& convert);

// "reading the index of IN ...", before anything is known.
std::string ReadingText(const ConvertOptions& convert);

// The way out of a failure; empty where the message says all.
std::string ConvertAdvice(const Status& status);

}  // namespace shardine

#endif  // SHARDINE_CLI_CONVERT_OPERANDS_H_
