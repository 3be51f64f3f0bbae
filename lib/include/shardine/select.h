// The samples of a dataset that a condition holds of, as `shardine convert
// --where` has it: for LoaderOptions::positions.
#ifndef SHARDINE_SELECT_H_
#define SHARDINE_SELECT_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "shardine/dataset.h"
#include "shardine/status.h"

namespace shardine {

// Positions in ascending order. Reads the indexes alone, keys only where the
// condition names them. Widths and heights are those of images as stored.
// kInvalidArgument, with the place in the text: it is no condition; kCancelled.
Result<std::vector<std::uint64_t>> SelectWhere(
    const Dataset& dataset, const std::string& where,
    const std::stop_token& stop = {});

}  // namespace shardine

#endif  // SHARDINE_SELECT_H_
