// The options that give fields of others' records their roles.
#ifndef SHARDINE_ROLE_OPTIONS_H_
#define SHARDINE_ROLE_OPTIONS_H_

#include <string>

#include "shardine/field_roles.h"
#include "shardine/option.h"

namespace shardine {

// "none", or names with commas between them: NamesValue(). Empty text: nullopt.
OptionValue FieldsValue(std::optional<std::vector<std::string>>& fields);

// --image, --label, --key and --one-hot, and --fields with `has_fields`.
void AddRoleOptions(FieldRoles& roles, const std::string& group,
                    bool has_fields, OptionList& to);

}  // namespace shardine

#endif  // SHARDINE_ROLE_OPTIONS_H_
