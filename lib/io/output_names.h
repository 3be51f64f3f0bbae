// The names of files that runs of shardine keep in a folder, besides shards.
#ifndef SHARDINE_IO_OUTPUT_NAMES_H_
#define SHARDINE_IO_OUTPUT_NAMES_H_

namespace shardine {

inline constexpr char kManifestName[] = "shardine.json";
// Where runs keep files until they are done: FOLDER/.pack/NAME.
inline constexpr char kWorkFolder[] = ".pack";
// OUT/.pack/replacement: the files of a dataset that gives way, and of the one
// that takes its place.
inline constexpr char kReplacementName[] = "replacement";
// The record of a resize to files, which stays.
inline constexpr char kResizeFolder[] = ".resize";

}  // namespace shardine

#endif  // SHARDINE_IO_OUTPUT_NAMES_H_
