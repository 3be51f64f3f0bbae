// MatchBy: the fact by which the rows of a list of labels find their samples.
#ifndef SHARDINE_LIST_MATCH_H_
#define SHARDINE_LIST_MATCH_H_

#include <cstdint>

namespace shardine {

enum class MatchBy : std::uint8_t {
  // The key. The id where a sample has no key of its own, or where key and path
  // are the same from different folders on ("a/b.jpg" and "train/a/b.jpg").
  kKey,
  kId,  // the id, whatever the key
  // The id as a position from 0; of a list without ids the place of the row.
  kPosition,
};

}  // namespace shardine

#endif  // SHARDINE_LIST_MATCH_H_
