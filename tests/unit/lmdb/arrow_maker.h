// Values as pyarrow.serialize lays them out, made by hand: of any columns, and
// with offsets that it never writes.
#ifndef SHARDINE_TESTS_UNIT_LMDB_ARROW_MAKER_H_
#define SHARDINE_TESTS_UNIT_LMDB_ARROW_MAKER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace shardine {

template <typename T>
std::string PackedLe(const std::vector<T>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) AppendLe(value, bytes);
  return bytes;
}

// A table or a vector of a flatbuffer. https://flatbuffers.dev/internals/
class Flat {
 public:
  static Flat Vector(std::size_t count, std::string items) {
    Flat vector;
    vector.count_ = static_cast<std::uint32_t>(count);
    vector.bytes_ = std::move(items);
    return vector;
  }
  static Flat Text(const std::string& text) {
    return Vector(text.size(), text + '\0');
  }
  static Flat Tables(std::vector<Flat> tables) {
    Flat vector = Vector(tables.size(), "");
    vector.children_ = std::move(tables);
    return vector;
  }

  template <typename T>
  Flat& Number(std::size_t field, T value) {
    AppendLe(value, Field(field).bytes);
    return *this;
  }
  Flat& Struct(std::size_t field, const std::string& bytes) {
    Field(field).bytes = bytes;
    return *this;
  }
  Flat& Child(std::size_t field, Flat child) {
    Field(field).child = children_.size();
    children_.push_back(std::move(child));
    return *this;
  }

  // The table as a root.
  std::string Make() const {
    std::string bytes(4, '\0');
    Point(bytes, 0, Append(bytes));
    bytes.resize((bytes.size() + 7) / 8 * 8);
    return bytes;
  }

 private:
  struct Entry {
    std::string bytes;
    std::optional<std::size_t> child;
  };

  Entry& Field(std::size_t field) {
    if (fields_.size() <= field) fields_.resize(field + 1);
    return fields_[field];
  }
  static void Point(std::string& bytes, std::size_t from, std::size_t to) {
    StoreLe(static_cast<std::uint32_t>(to - from),
            std::as_writable_bytes(std::span(bytes)).data() + from);
  }

  // Returns where it begins.
  std::size_t Append(std::string& to) const {
    return count_ ? AppendVector(to) : AppendTable(to);
  }
  std::size_t AppendVector(std::string& to) const {
    const std::size_t at = to.size();
    AppendLe(*count_, to);
    to += bytes_;
    const std::size_t first = to.size();
    to.append(4 * children_.size(), '\0');
    for (std::size_t i = 0; i < children_.size(); ++i) {
      Point(to, first + 4 * i, children_[i].Append(to));
    }
    return at;
  }
  std::size_t AppendTable(std::string& to) const {
    const std::size_t vtable = to.size();
    std::string places;
    std::string own(4, '\0');
    for (const Entry& entry : fields_) {
      const bool absent = entry.bytes.empty() && !entry.child;
      AppendLe(static_cast<std::uint16_t>(absent ? 0 : own.size()), places);
      own += entry.child ? std::string(4, '\0') : entry.bytes;
    }
    AppendLe(static_cast<std::uint16_t>(4 + places.size()), to);
    AppendLe(static_cast<std::uint16_t>(own.size()), to);
    to += places;
    const std::size_t at = to.size();
    to += own;
    Point(to, at, 2 * at - vtable);
    std::size_t place = at + 4;
    for (const Entry& entry : fields_) {
      if (entry.child) Point(to, place, children_[*entry.child].Append(to));
      place += entry.child ? 4 : entry.bytes.size();
    }
    return at;
  }

  std::optional<std::uint32_t> count_;  // of a vector
  std::string bytes_;                   // of its items, but for tables
  std::vector<Entry> fields_;           // of a table
  std::vector<Flat> children_;
};

// A column of a batch. Its buffers are those after the one of validity.
struct ArrowMade {
  std::string name = {};
  std::uint8_t type = 0;  // as in Schema.fbs
  Flat type_table = {};
  std::int64_t rows = 0;
  std::vector<std::string> buffers = {};
  std::vector<ArrowMade> children = {};
};

inline ArrowMade ArrowNulls(std::int64_t rows) {
  return {.name = "0", .type = 1, .rows = rows};
}
inline ArrowMade ArrowInts(const std::vector<std::int64_t>& values) {
  return {.name = "2",
          .type = 2,
          .type_table =
              Flat().Number(0, std::int32_t{64}).Number(1, std::uint8_t{1}),
          .rows = static_cast<std::int64_t>(values.size()),
          .buffers = {PackedLe(values)}};
}
// Numbers of tensors.
inline ArrowMade ArrowTensors(const std::vector<std::int32_t>& values) {
  return {.name = "15",
          .type = 2,
          .type_table =
              Flat().Number(0, std::int32_t{32}).Number(1, std::uint8_t{1}),
          .rows = static_cast<std::int64_t>(values.size()),
          .buffers = {PackedLe(values)}};
}
// `ends`: where each begins, and where the last one ends.
inline ArrowMade ArrowTexts(const std::vector<std::int32_t>& ends,
                            const std::string& data, bool bytes = false) {
  return {.name = bytes ? "4" : "5",
          .type = static_cast<std::uint8_t>(bytes ? 4 : 5),
          .rows = static_cast<std::int64_t>(ends.size()) - 1,
          .buffers = {PackedLe(ends), data}};
}
inline ArrowMade ArrowList(const std::string& name,
                           const std::vector<std::int32_t>& ends,
                           ArrowMade items) {
  return {.name = name,
          .type = 12,
          .rows = static_cast<std::int64_t>(ends.size()) - 1,
          .buffers = {PackedLe(ends)},
          .children = {std::move(items)}};
}
// A dense union: of each item its child, and its row there. `ids`: of the
// children, where these are not their places.
inline ArrowMade ArrowUnion(const std::string& name, std::string kinds,
                            const std::vector<std::int32_t>& rows,
                            std::vector<ArrowMade> children,
                            const std::vector<std::int32_t>& ids = {}) {
  Flat type;
  type.Number(0, std::int16_t{1});
  if (!ids.empty()) type.Child(1, Flat::Vector(ids.size(), PackedLe(ids)));
  return {.name = name,
          .type = 14,
          .type_table = std::move(type),
          .rows = static_cast<std::int64_t>(rows.size()),
          .buffers = {std::move(kinds), PackedLe(rows)},
          .children = std::move(children)};
}
// The union of one item that holds `object`.
inline ArrowMade ArrowRoot(ArrowMade object) {
  return ArrowUnion("list", "\1", {0}, {ArrowNulls(0), std::move(object)});
}

inline std::string ArrowMessageOf(std::uint8_t type, Flat header,
                                  const std::string& body) {
  const std::string metadata =
      Flat()
          .Number(0, std::int16_t{4})
          .Number(1, type)
          .Child(2, std::move(header))
          .Number(3, static_cast<std::int64_t>(body.size()))
          .Make();
  std::string bytes(4, '\xff');
  AppendLe(static_cast<std::uint32_t>(metadata.size()), bytes);
  return bytes + metadata + body;
}

// A tensor of u8 of two sides, in Fortran's order unless `rows`.
inline std::string ArrowTensorOf(std::int64_t height, std::int64_t width,
                                 bool rows) {
  const auto side = [](std::int64_t size) { return Flat().Number(0, size); };
  const std::vector<std::int64_t> strides = {rows ? width : 1,
                                             rows ? 1 : height};
  const std::string data(static_cast<std::size_t>(height * width), 't');
  return ArrowMessageOf(
      4,
      Flat()
          .Number(0, std::uint8_t{2})
          .Child(1,
                 Flat().Number(0, std::int32_t{8}).Number(1, std::uint8_t{0}))
          .Child(2, Flat::Tables({side(height), side(width)}))
          .Child(3, Flat::Vector(2, PackedLe(strides)))
          .Struct(4, PackedLe<std::int64_t>({0, height * width})),
      data);
}

class ArrowValueMaker {
 public:
  // The bytes that pyarrow would have made of it, if it were so foolish.
  std::string Make(const ArrowMade& root,
                   const std::vector<std::string>& tensors = {}) {
    const Flat schema = Flat().Child(1, Flat::Tables({FieldOf(root)}));
    Add(root);
    const Flat batch =
        Flat()
            .Number(0, std::int64_t{1})
            .Child(1, Flat::Vector(nodes_.size() / 16, nodes_))
            .Child(2, Flat::Vector(places_.size() / 16, places_));
    std::string value = PackedLe<std::int32_t>(
        {0, 0, static_cast<std::int32_t>(tensors.size()), 0});
    value += ArrowMessageOf(1, schema, "") + ArrowMessageOf(3, batch, body_);
    value += PackedLe<std::uint32_t>({0xffffffff, 0});
    value.resize((value.size() + 63) / 64 * 64);
    for (const std::string& tensor : tensors) {
      value += tensor;
      value.resize((value.size() + 63) / 64 * 64);
    }
    return value;
  }

 private:
  static Flat FieldOf(const ArrowMade& column) {
    std::vector<Flat> children;
    for (const ArrowMade& child : column.children) {
      children.push_back(FieldOf(child));
    }
    return Flat()
        .Child(0, Flat::Text(column.name))
        .Number(2, column.type)
        .Child(3, column.type_table)
        .Child(5, Flat::Tables(std::move(children)));
  }
  void AddBuffer(const std::string& bytes) {
    places_ += PackedLe<std::uint64_t>({body_.size(), bytes.size()});
    body_ += bytes;
    body_.resize((body_.size() + 7) / 8 * 8);
  }
  void Add(const ArrowMade& column) {
    const std::int64_t nulls = column.type == 1 ? column.rows : 0;
    nodes_ += PackedLe<std::int64_t>({column.rows, nulls});
    // Neither nulls nor unions have a validity.
    if (column.type != 1 && column.type != 14) AddBuffer("");
    for (const std::string& buffer : column.buffers) AddBuffer(buffer);
    for (const ArrowMade& child : column.children) Add(child);
  }

  std::string nodes_;
  std::string places_;
  std::string body_;
};

inline std::string ArrowValue(const ArrowMade& root,
                              const std::vector<std::string>& tensors = {}) {
  return ArrowValueMaker().Make(root, tensors);
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_ARROW_MAKER_H_
