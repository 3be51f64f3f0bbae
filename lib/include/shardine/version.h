// Which shardine this is.
#ifndef SHARDINE_VERSION_H_
#define SHARDINE_VERSION_H_

namespace shardine {

// "0.1.0": the version of the project, as manifests name it.
const char* Version();

}  // namespace shardine

#endif  // SHARDINE_VERSION_H_
