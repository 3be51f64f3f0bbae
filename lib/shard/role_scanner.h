// RoleScanner: another scanner's samples, with image, label and key taken from
// the fields of chosen names.
#ifndef SHARDINE_SHARD_ROLE_SCANNER_H_
#define SHARDINE_SHARD_ROLE_SCANNER_H_

#include <memory>

#include "shard/format.h"
#include "shard/read_roles.h"

namespace shardine {

// A sample without one of the fields is without image or label, or has the
// key that the format gives it. kInvalidArgument, with the names that there
// are: no record of the shard has a field that was named; a label may be
// missing, unless ReadRoles::needs_label or one_hot is set. kUnsupported: a
// field cannot have its role. Warnings() counts the fields left out, and the
// records' own labels that another label replaces.
std::unique_ptr<ShardScanner> MakeRoleScanner(
    std::unique_ptr<ShardScanner> scanner, const ReadRoles& roles);

}  // namespace shardine

#endif  // SHARDINE_SHARD_ROLE_SCANNER_H_
