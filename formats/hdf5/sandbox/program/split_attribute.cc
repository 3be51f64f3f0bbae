#include "hdf5/sandbox/program/split_attribute.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace shardine {
namespace {

// Closes the ids that it holds. After a failure the process may go on only if
// nothing of the file stays open.
class OpenObject {
 public:
  OpenObject(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  OpenObject(const OpenObject&) = delete;
  OpenObject& operator=(const OpenObject&) = delete;
  ~OpenObject() {
    if (id_ >= 0) close_(id_);
  }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

constexpr std::size_t kMaxPath = 4096;
enum Member { kSplit, kSource, kStart, kStop, kIndices, kAvailable };
constexpr std::array kNames = {"split", "source",  "start",
                               "stop",  "indices", "available"};

// One row in memory: the members above at their offsets, texts as long as they
// are in the file.
class Row {
 public:
  // False if the attribute has a member of another type than Fuel's.
  bool Make(hid_t in_file) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const int number = H5Tget_member_index(in_file, kNames[i]);
      if (number < 0) return false;
      const OpenObject own(
          H5Tget_member_type(in_file, static_cast<unsigned>(number)), H5Tclose);
      if (own.get() < 0 || !IsFuels(static_cast<Member>(i), own.get())) {
        return false;
      }
      offsets_[i] = size_;
      sizes_[i] = i == kStart || i == kStop ? 8 : H5Tget_size(own.get());
      size_ += sizes_[i];
    }
    return true;
  }

  std::size_t size() const { return size_; }
  std::size_t offset(Member member) const { return offsets_[member]; }

  // The type of a row in memory.
  hid_t MakeType(hid_t in_file) const {
    const hid_t type = H5Tcreate(H5T_COMPOUND, size_);
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const int number = H5Tget_member_index(in_file, kNames[i]);
      const OpenObject own(
          H5Tget_member_type(in_file, static_cast<unsigned>(number)), H5Tclose);
      const bool number_of_row = i == kStart || i == kStop;
      H5Tinsert(type, kNames[i], offsets_[i],
                number_of_row ? H5T_NATIVE_INT64 : own.get());
    }
    return type;
  }

  // Up to its first NUL, where there is one.
  std::string Text(const char* row, Member member) const {
    const char* const text = row + offsets_[member];
    return {text, strnlen(text, sizes_[member])};
  }

 private:
  static bool IsFuels(Member member, hid_t type) {
    switch (member) {
      case kSplit:
      case kSource:
        return H5Tget_class(type) == H5T_STRING &&
               H5Tis_variable_str(type) == 0;
      case kStart:
      case kStop:
        return H5Tget_class(type) == H5T_INTEGER;
      case kIndices:
        return H5Tequal(type, H5T_STD_REF_OBJ) > 0;
      default:
        return H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1;
    }
  }

  std::array<std::size_t, kNames.size()> offsets_ = {};
  std::array<std::size_t, kNames.size()> sizes_ = {};
  std::size_t size_ = 0;
};

bool ReadRow(hid_t file, const Row& row, const char* at, Hdf5Split& split) {
  split.split = row.Text(at, kSplit);
  split.source = row.Text(at, kSource);
  std::memcpy(&split.start, at + row.offset(kStart), 8);
  std::memcpy(&split.stop, at + row.offset(kStop), 8);
  split.available = at[row.offset(kAvailable)] != 0;
  hobj_ref_t reference = 0;
  std::memcpy(&reference, at + row.offset(kIndices), sizeof(reference));
  // A reference of zeros refers to nothing.
  if (reference == 0) return true;
  std::string path(kMaxPath, '\0');
  const ssize_t size =
      H5Rget_name(file, H5R_OBJECT, &reference, path.data(), path.size());
  if (size <= 1 || static_cast<std::size_t>(size) >= path.size()) return false;
  split.indices = path.substr(1, static_cast<std::size_t>(size) - 1);
  return true;
}

}  // namespace

std::optional<std::vector<Hdf5Split>> ReadSplitAttribute(hid_t file) {
  std::vector<Hdf5Split> splits;
  const htri_t there = H5Aexists(file, "split");
  if (there < 0) return std::nullopt;
  if (there == 0) return splits;
  const OpenObject attribute(H5Aopen(file, "split", H5P_DEFAULT), H5Aclose);
  const OpenObject in_file(H5Aget_type(attribute.get()), H5Tclose);
  const OpenObject space(H5Aget_space(attribute.get()), H5Sclose);
  if (attribute.get() < 0 || in_file.get() < 0 || space.get() < 0) {
    return std::nullopt;
  }
  // Other programs have attributes of this name, too.
  if (H5Tget_class(in_file.get()) != H5T_COMPOUND ||
      H5Tget_member_index(in_file.get(), "split") < 0 ||
      H5Tget_member_index(in_file.get(), "source") < 0) {
    return splits;
  }
  const hssize_t rows = H5Sget_simple_extent_npoints(space.get());
  Row row;
  if (rows < 0 || !row.Make(in_file.get())) return std::nullopt;
  if (static_cast<std::uint64_t>(rows) > kHdf5MostSplits / row.size()) {
    return std::nullopt;
  }
  const OpenObject type(row.MakeType(in_file.get()), H5Tclose);
  std::string bytes(static_cast<std::size_t>(rows) * row.size(), '\0');
  if (H5Aread(attribute.get(), type.get(), bytes.data()) < 0) {
    return std::nullopt;
  }
  for (std::size_t at = 0; at < bytes.size(); at += row.size()) {
    Hdf5Split split;
    if (!ReadRow(file, row, &bytes[at], split)) return std::nullopt;
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace shardine
