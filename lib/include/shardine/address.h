// Addresses as people give them, before anything is said about them.
#ifndef SHARDINE_ADDRESS_H_
#define SHARDINE_ADDRESS_H_

#include <string>

#include "shardine/status.h"

namespace shardine {

// kInvalidArgument: an address of http://, https://, s3:// or gs:// that is
// none, or holds a user, a password, a query or a fragment, of which the status
// shows nothing: a path that passed can be printed without a secret. OK for a
// path of this machine; other schemes have failures of their own.
Status CheckAddress(const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_ADDRESS_H_
