// SplitPromises: the groups of samples that lie in one split each, such as all
// photos of a patient or the copies of an image, as a manifest promises.
#ifndef SHARDINE_DATASET_SPLIT_PROMISES_H_
#define SHARDINE_DATASET_SPLIT_PROMISES_H_

#include <map>
#include <string>

#include "shardine/provenance.h"

namespace shardine {

inline constexpr char kGroupByPromise[] = "group-by";

// By the name of the option that cut so, with its value.
using SplitPromises = std::map<std::string, std::string>;

// The promises of a dataset: those of its own command, and those of its inputs
// that hold for it.
SplitPromises PromisesOf(const Provenance& made);
// The promises of its inputs that were dropped.
SplitPromises DroppedPromisesOf(const Provenance& made);

// Into the options, under names with a space, which no option has.
void RecordPromises(const SplitPromises& kept, const SplitPromises& dropped,
                    Provenance& made);
// Whether the name among the options names a kept or dropped promise.
bool IsPromise(const std::string& name);
// "samples of a group (folder:1)", "images of the same bytes".
std::string PromiseText(const std::string& name, const std::string& value);

}  // namespace shardine

#endif  // SHARDINE_DATASET_SPLIT_PROMISES_H_
