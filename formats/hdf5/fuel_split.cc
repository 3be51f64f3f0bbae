#include "hdf5/fuel_split.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "hdf5/dtype_name.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxAttribute = 60'000;

Hdf5Id MakeText(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), size);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  return type;
}

// One row, packed: split, source, start, stop, indices, available, comment. An
// object reference of zeros refers to nothing, and "." is Fuel's empty comment.
struct RowLayout {
  RowLayout(const FuelSplit& fuel_split, std::size_t source_bytes)
      : split(fuel_split), source(source_bytes) {}

  const FuelSplit& split;
  std::size_t source;
  std::size_t start() const { return split.name.size() + source; }
  std::size_t size() const { return start() + 8 + 8 + 8 + 1 + 1; }

  Hdf5Id MakeType() const {
    Hdf5Id type(H5Tcreate(H5T_COMPOUND, size()), H5Tclose);
    const auto insert = [&](const char* name, std::size_t at, hid_t member) {
      H5Tinsert(type.get(), name, at, member);
    };
    insert("split", 0, MakeText(split.name.size()).get());
    insert("source", split.name.size(), MakeText(source).get());
    insert("start", start(), H5T_STD_I64LE);
    insert("stop", start() + 8, H5T_STD_I64LE);
    insert("indices", start() + 16, H5T_STD_REF_OBJ);
    insert("available", start() + 24, MakeHdf5Type({'b', 1}).get());
    insert("comment", start() + 25, MakeText(1).get());
    return type;
  }

  void Put(const std::string& name, std::string& table) const {
    table += split.name;
    table += name;
    table.append(source - name.size(), '\0');
    AppendLe(std::int64_t{0}, table);
    AppendLe(static_cast<std::int64_t>(split.rows), table);
    AppendLe(std::uint64_t{0}, table);
    table += '\1';
    table += '.';
  }
};

}  // namespace

Status WriteSplit(Hdf5Output& output, std::vector<std::string> sources,
                  const std::vector<std::string>& always,
                  const FuelSplit& split) {
  const auto longest = [&] {
    std::size_t bytes = 0;
    for (const std::string& name : sources)
      bytes = std::max(bytes, name.size());
    return bytes;
  };
  if (RowLayout(split, longest()).size() * sources.size() > kMaxAttribute) {
    sources = always;
  }
  std::sort(sources.begin(), sources.end());
  const RowLayout layout(split, longest());
  std::string table;
  for (const std::string& name : sources) layout.Put(name, table);
  const hsize_t count = sources.size();
  const Hdf5Id type = layout.MakeType();
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Id attribute(H5Acreate2(output.id(), "split", type.get(),
                                    space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const bool written = attribute.valid() &&
                       H5Awrite(attribute.get(), type.get(), table.data()) >= 0;
  return written ? Status() : output.Error("write the split");
}

}  // namespace shardine
