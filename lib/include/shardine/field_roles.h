// FieldRoles: the fields of others' records that are image, label and key.
#ifndef SHARDINE_FIELD_ROLES_H_
#define SHARDINE_FIELD_ROLES_H_

#include <optional>
#include <string>
#include <vector>

namespace shardine {

// As FieldRoles::label: the name of the folder in the key, the last of several.
inline constexpr char kFolderLabel[] = "{folder}";

// Names as the records have them: a feature of TFRecord, the extension of a
// file in a tar ("input.jpg"), a dataset of HDF5 with its groups
// ("train/photos"), or one that each of its groups has, an item of a dict in
// LMDB, or a form of LMDB's keys ("image-{n}").
struct FieldRoles {
  std::string image;  // empty: as the format has it; so are the next two
  // Numbers, or a text: texts that are not all numbers become classes, in the
  // order of their bytes. kFolderLabel is such a text.
  std::string label;
  std::string key;  // a text or an integer
  // The label is a row of zeros with a single 1, and its class the place of
  // the 1, from 0.
  bool one_hot = false;
  // The fields that are kept beside the image; nullopt: all.
  std::optional<std::vector<std::string>> fields;

  bool empty() const {
    return image.empty() && label.empty() && key.empty() && !fields;
  }
  friend bool operator==(const FieldRoles&, const FieldRoles&) = default;
};

}  // namespace shardine

#endif  // SHARDINE_FIELD_ROLES_H_
