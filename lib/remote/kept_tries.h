// The last tries of requests, for a timeline that shows slow reads
// (KeepRemoteTries() of shardine/remote_stats.h).
#ifndef SHARDINE_REMOTE_KEPT_TRIES_H_
#define SHARDINE_REMOTE_KEPT_TRIES_H_

#include "shardine/remote_stats.h"

namespace shardine {

// Whether tries are kept: costs one comparison where they are not.
bool KeepsRemoteTries();
void KeepRemoteTry(RemoteTry made);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_KEPT_TRIES_H_
