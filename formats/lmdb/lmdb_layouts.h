// The layouts of LMDB, and which of them a database has. FORMAT.md, "Layouts".
#ifndef SHARDINE_FORMATS_LMDB_LMDB_LAYOUTS_H_
#define SHARDINE_FORMATS_LMDB_LMDB_LAYOUTS_H_

#include <string_view>

#include "shard/format.h"

namespace shardine {

inline constexpr std::string_view kFolder2LmdbLayout = "folder2lmdb";
inline constexpr std::string_view kDatumLayout = "datum";
inline constexpr std::string_view kFieldsLayout = "fields";
inline constexpr std::string_view kTensorpackLayout = "tensorpack";
inline constexpr std::string_view kImagesLayout = "images";
inline constexpr std::string_view kPytorchLmdbLayout = "pytorch-lmdb";
inline constexpr std::string_view kStyleGan2Layout = "stylegan2";
inline constexpr std::string_view kOcrLayout = "ocr";

// The parameter of folder2lmdb: how its keys are written.
inline constexpr std::string_view kKeysParameter = "keys";
inline constexpr std::string_view kPaddedKeys = "%08d";
inline constexpr std::string_view kPlainKeys = "%d";
// The same of images: the sample's position and key, or its key alone.
inline constexpr std::string_view kNumberedKeys = "%08d_key";
inline constexpr std::string_view kOwnKeys = "key";

// The serialiser of the values of folder2lmdb and tensorpack.
inline constexpr std::string_view kValuesParameter = "values";
inline constexpr std::string_view kPickleValues = "pickle";
inline constexpr std::string_view kArrowValues = "arrow";
inline constexpr std::string_view kMsgpackValues = "msgpack";

// A parameter of folder2lmdb: is there an entry `__classes__`?
inline constexpr std::string_view kClassesParameter = "classes";
inline constexpr std::string_view kNoClasses = "none";
inline constexpr std::string_view kListedClasses = "list";

// The parameter of stylegan2: the prefix of its keys, pixels.
inline constexpr std::string_view kResolutionParameter = "resolution";

// The parameter of all of them: which named database of a file is read.
inline constexpr std::string_view kDatabaseParameter = "database";
inline constexpr std::string_view kMainDatabase = "*";
// The name of the one that `layout` asks for; empty: the main one.
std::string_view DatabaseOf(const LayoutChoice& layout);

// The first is the default.
extern const Layout kLmdbLayouts[8];

// By the value of the first sample. kUnsupported, with the values' form and a
// way out, if no layout fits them.
Result<LayoutChoice> DetectLmdbLayout(const RandomAccessFile& file);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_LMDB_LAYOUTS_H_
