#include "shardine/role_options.h"

#include <utility>

namespace shardine {

OptionValue FieldsValue(std::optional<std::vector<std::string>>& fields) {
  return {.kind = OptionKind::kNames,
          .set =
              [&fields](const std::string& text) {
                fields.emplace();
                return text == "none" ? Status()
                                      : NamesValue(*fields).set(text);
              },
          .get =
              [&fields] {
                if (!fields) return std::string();
                return fields->empty() ? "none" : NamesText(*fields);
              }};
}

void AddRoleOptions(FieldRoles& roles, const std::string& group,
                    bool has_fields, OptionList& to) {
  const auto name = [&](const char* option, std::string& value,
                        const char* help) {
    to.push_back({.group = group,
                  .name = option,
                  .meta = "NAME",
                  .value = TextValue(value),
                  .help = help});
  };
  name("image", roles.image,
       "of shard files: the field that is the image: a feature, an extension "
       "(input.jpg), a dataset of HDF5 (train/x), a pattern of LMDB's keys "
       "(img-{n})");
  name("label", roles.label,
       "of shard files: the field that is the label; texts that are not all "
       "numbers become classes by name; {folder}: the folder in the key");
  name("key", roles.key, "of shard files: the field that is the key");
  to.push_back({.group = group,
                .name = "one-hot",
                .value = FlagValue(roles.one_hot),
                .help = "the label is a row of zeros with a single 1, and its "
                        "class the place of the 1",
                .rules = {{.kind = OptionRule::Kind::kNeeds,
                           .holds = !roles.label.empty(),
                           .option = "label"}}});
  if (!has_fields) return;
  to.push_back({.group = group,
                .name = "fields",
                .meta = "none|NAME[,...]",
                .value = FieldsValue(roles.fields),
                .help = "of shard files: the fields that are kept beside the "
                        "image (default: all)"});
}

}  // namespace shardine
