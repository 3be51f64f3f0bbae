// ReadRoles: the roles of fields as a scan needs them, and their text in the
// name of a format.
#ifndef SHARDINE_SHARD_READ_ROLES_H_
#define SHARDINE_SHARD_READ_ROLES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "shardine/field_roles.h"
#include "shardine/status.h"

namespace shardine {

// The treatment of a label that is a text.
enum class TextLabel : std::uint8_t {
  kNumber,  // the number that it spells
  kClass,   // the label of its class
  kAsIs,    // no label: the text is the sample's class name
};

struct ReadRoles : FieldRoles {
  TextLabel text_label = TextLabel::kNumber;
  // The labels by name under TextLabel::kClass. No part of text(), since a
  // manifest names the classes.
  std::map<std::string, std::int64_t, std::less<>> classes = {};
  // A shard whose records all lack the label is an error; else other shards may
  // have it.
  bool needs_label = false;

  // "image=thumb,label=kind,fields=a+b"; empty where no field has a role.
  std::string text() const;
  // Sets "image=thumb"; false if the text sets no role.
  bool Set(std::string_view parameter);
  // kInvalidArgument: one field has two roles, or a role has no effect.
  Status Check() const;
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_READ_ROLES_H_
