#include "hdf5/split_rows.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "hdf5/column.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

using Rows = std::vector<Hdf5Split>;
using Datasets = std::vector<Hdf5Dataset>;

// The images' dataset; null in files of groups, of which Fuel knows nothing.
const Hdf5Dataset* ImagesOf(const Datasets& datasets,
                            const Hdf5Content& content) {
  if (content.tables.size() != 1) return nullptr;
  for (const TableField& field : content.tables[0].fields) {
    const Hdf5Dataset& dataset = datasets[field.payload];
    if (field.name == kImageField && dataset.group.empty()) return &dataset;
  }
  return nullptr;
}

Result<std::size_t> FindIndices(const Datasets& datasets,
                                const std::string& path) {
  const auto at = std::ranges::find(datasets, path, &Hdf5Dataset::path);
  const bool numbers = at != datasets.end() && at->row == Hdf5Row::kFixed &&
                       (at->element.kind == 'i' || at->element.kind == 'u') &&
                       at->dims.size() == 1;
  if (numbers) return static_cast<std::size_t>(at - datasets.begin());
  return Status(Code::kUnsupported,
                "the attribute split lists rows in " + ShowName(path) +
                    ", which is no dataset of whole numbers in one row");
}

Result<std::uint64_t> CountRows(const Datasets& datasets,
                                const Hdf5Split& split, std::uint64_t rows) {
  if (!split.indices.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(const std::size_t indices,
                              FindIndices(datasets, split.indices));
    return datasets[indices].dims[0];
  }
  if (split.start < 0 || split.stop < split.start ||
      static_cast<std::uint64_t>(split.stop) > rows) {
    return Status(Code::kCorrupt, "the attribute split gives the rows " +
                                      std::to_string(split.start) + " to " +
                                      std::to_string(split.stop) + " to " +
                                      ShowName(split.split) + "; there are " +
                                      std::to_string(rows));
  }
  return static_cast<std::uint64_t>(split.stop - split.start);
}

Result<NamedSplits> NamedIn(const Rows& rows, const Datasets& datasets,
                            const Hdf5Content& content) {
  NamedSplits named;
  for (const SampleTable& table : content.tables) named.samples += table.rows;
  const Hdf5Dataset* const images = ImagesOf(datasets, content);
  if (images == nullptr) return named;
  for (const Hdf5Split& row : rows) {
    if (row.source != images->name || !row.available) continue;
    for (const NamedSplits::Split& other : named.splits) {
      if (other.name != row.split) continue;
      return Status(Code::kUnsupported,
                    "the attribute split names " + ShowName(row.split) +
                        " twice for " + ShowName(row.source));
    }
    SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t samples,
                              CountRows(datasets, row, named.samples));
    named.splits.push_back({row.split, samples});
  }
  return named;
}

Result<std::vector<std::uint64_t>> ReadIndices(const RandomAccessFile& file,
                                               SandboxSession& session,
                                               const Hdf5Split& split,
                                               std::uint64_t rows) {
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t dataset,
                            FindIndices(session.datasets(), split.indices));
  SHARDINE_ASSIGN_OR_RETURN(const auto column,
                            OpenColumn({file, session, dataset}));
  const std::uint64_t count = session.datasets()[dataset].dims[0];
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < count; ++i) {
    SHARDINE_ASSIGN_OR_RETURN(const Cell cell, column->Row(i));
    std::uint64_t index = 0;
    for (std::size_t at = cell.bytes.size(); at-- > 0;) {
      index = index << 8 | std::to_integer<std::uint64_t>(cell.bytes[at]);
    }
    // A number below zero counts from the end in numpy, and is large here.
    if (index >= rows) {
      return Status(Code::kUnsupported,
                    ShowName(split.indices) +
                        " lists a row that is none of the " +
                        std::to_string(rows))
          .At({.record = i});
    }
    indices.push_back(index);
  }
  std::ranges::sort(indices);
  const auto twice = std::ranges::adjacent_find(indices);
  if (twice == indices.end()) return indices;
  return Status(Code::kUnsupported, ShowName(split.indices) + " lists row " +
                                        std::to_string(*twice) + " twice");
}

// Removes the columns that the split does not have, and compares the rows of
// the rest with those of the images.
class Availability {
 public:
  Availability(const Datasets& datasets, const Rows& rows,
               const Hdf5Split& images)
      : datasets_(datasets), rows_(rows), images_(images) {}

  Status Apply(SampleTable& table) const {
    SHARDINE_RETURN_IF_ERROR(Apply(table.labels));
    SHARDINE_RETURN_IF_ERROR(Apply(table.keys));
    if (!table.keys) table.whole_keys.reset();
    std::vector<TableField> fields;
    for (TableField& field : table.fields) {
      std::optional<std::size_t> payload = field.payload;
      SHARDINE_RETURN_IF_ERROR(Apply(payload));
      if (payload) fields.push_back(std::move(field));
    }
    table.fields = std::move(fields);
    return {};
  }

 private:
  Status Apply(std::optional<std::size_t>& dataset) const {
    if (!dataset) return {};
    const std::string& name = datasets_[*dataset].name;
    for (const Hdf5Split& row : rows_) {
      if (row.split != images_.split || row.source != name) continue;
      if (!row.available) {
        dataset.reset();
        return {};
      }
      if (row.indices != images_.indices ||
          (row.indices.empty() &&
           (row.start != images_.start || row.stop != images_.stop))) {
        return Status(Code::kUnsupported, "the split " + ShowName(row.split) +
                                              " has other rows of " +
                                              ShowName(name) + " than of " +
                                              ShowName(images_.source));
      }
    }
    return {};
  }

  const Datasets& datasets_;
  const Rows& rows_;
  const Hdf5Split& images_;
};

constexpr std::string_view kSplitGroups[] = {"train", "val", "valid",
                                             "validation", "test"};

// Whether all samples lie in groups that are called as splits are. A file that
// has others beside them has groups of another meaning.
bool HasSplitGroups(const Hdf5Content& content) {
  return !content.tables.empty() &&
         std::ranges::all_of(content.tables, [](const SampleTable& table) {
           return std::ranges::find(kSplitGroups, table.group) !=
                  std::end(kSplitGroups);
         });
}

NamedSplits SplitsOfGroups(const Hdf5Content& content) {
  NamedSplits named;
  for (const SampleTable& table : content.tables) {
    named.samples += table.rows;
    auto known =
        std::ranges::find(named.splits, table.group, &NamedSplits::Split::name);
    if (known == named.splits.end()) {
      known = named.splits.insert(known, {table.group, 0});
    }
    known->samples += table.rows;
  }
  return named;
}

Status NoSuchSplit(std::string_view split, const NamedSplits& named) {
  std::string names;
  for (const NamedSplits::Split& other : named.splits) {
    names += (names.empty() ? "" : ", ") + ShowName(other.name);
  }
  return Status(Code::kInvalidArgument,
                "the file names no split " + ShowName(split) +
                    (names.empty() ? ", nor any other" : "; it has " + names));
}

}  // namespace

Result<NamedSplits> ReadNamedSplits(SandboxSession& session,
                                    const Hdf5Content& content) {
  if (HasSplitGroups(content)) return SplitsOfGroups(content);
  SHARDINE_ASSIGN_OR_RETURN(const Rows rows, session.ReadSplits());
  return NamedIn(rows, session.datasets(), content);
}

Result<std::optional<RowSelection>> SelectSplit(const RandomAccessFile& file,
                                                SandboxSession& session,
                                                std::string_view split,
                                                Hdf5Content& content) {
  if (HasSplitGroups(content)) {
    const NamedSplits groups = SplitsOfGroups(content);
    std::erase_if(content.tables, [&](const SampleTable& table) {
      return table.group != split;
    });
    if (content.tables.empty()) return NoSuchSplit(split, groups);
    return std::optional<RowSelection>();
  }
  SHARDINE_ASSIGN_OR_RETURN(const Rows rows, session.ReadSplits());
  const Datasets& datasets = session.datasets();
  // All of them are looked at, so that a damaged row of another split is not
  // passed over.
  SHARDINE_ASSIGN_OR_RETURN(const NamedSplits named,
                            NamedIn(rows, datasets, content));
  const Hdf5Dataset* const images = ImagesOf(datasets, content);
  const auto row = std::ranges::find_if(rows, [&](const Hdf5Split& each) {
    return images != nullptr && each.available && each.split == split &&
           each.source == images->name;
  });
  if (row == rows.end()) return NoSuchSplit(split, named);
  SHARDINE_RETURN_IF_ERROR(
      Availability(datasets, rows, *row).Apply(content.tables[0]));
  if (row->indices.empty()) {
    return std::optional(
        RowSelection(static_cast<std::uint64_t>(row->start),
                     static_cast<std::uint64_t>(row->stop - row->start)));
  }
  SHARDINE_ASSIGN_OR_RETURN(std::vector<std::uint64_t> indices,
                            ReadIndices(file, session, *row, named.samples));
  return std::optional(RowSelection(std::move(indices)));
}

}  // namespace shardine
