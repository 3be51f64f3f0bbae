// Suggestions for a word that is not known.
#ifndef SHARDINE_DID_YOU_MEAN_H_
#define SHARDINE_DID_YOU_MEAN_H_

#include <string>
#include <string_view>
#include <vector>

namespace shardine {

// " (did you mean WORD?)" with the one of `words` that is nearest to `typed`:
// by letters added, left out, replaced or exchanged with their neighbour,
// whatever their case, at most one in three. Empty if none is that near; the
// first of several.
std::string DidYouMean(std::string_view typed,
                       const std::vector<std::string>& words);

}  // namespace shardine

#endif  // SHARDINE_DID_YOU_MEAN_H_
