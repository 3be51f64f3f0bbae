#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/option_reader.h"
#include "binding/released_lock.h"
#include "binding/sample_listing.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/describe.h"
#include "shardine/extract.h"
#include "shardine/extract_words.h"
#include "shardine/inspect.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

nb::object SplitObject(const DatasetSplitInfo& split) {
  const auto shard = [](const DatasetShardInfo& each) {
    return MakeResult("ShardInfo", "path"_a = NameText(each.path),
                      "samples"_a = each.samples, "bytes"_a = each.bytes);
  };
  const auto number = [](std::uint64_t each) { return nb::int_(each); };
  const auto field = [number](const DatasetFieldInfo& each) {
    return MakeResult("FieldInfo", "name"_a = NameText(each.name),
                      "samples"_a = each.samples,
                      "dtype"_a = NameText(each.dtype),
                      "shape"_a = TupleOf(each.shape, number));
  };
  nb::dict lacking;
  for (const auto& [name, samples] : split.lacking) {
    lacking[NameText(name)] = samples;
  }
  nb::dict unsupported;
  for (const auto& [kind, count] : split.unsupported) {
    unsupported[NameText(kind)] = count;
  }
  return MakeResult("SplitInfo", "name"_a = NameText(split.name),
                    "samples"_a = split.samples,
                    "unlabelled"_a = split.unlabelled, "deep"_a = split.deep,
                    "lacking"_a = lacking, "unsupported"_a = unsupported,
                    "content_digest"_a = DigestText(split.content_digest),
                    "names_digest"_a = DigestText(split.names_digest),
                    "order_digest"_a = DigestText(split.order_digest),
                    "binding_digest"_a = DigestText(split.binding_digest),
                    "shards"_a = TupleOf(split.shards, shard),
                    "fields"_a = TupleOf(split.fields, field),
                    "class_counts"_a = TupleOf(split.class_counts, number));
}

nb::object ClassObject(const DatasetClassInfo& entry) {
  return MakeResult("ClassInfo", "name"_a = NameText(entry.name),
                    "label"_a = entry.label, "count"_a = entry.count);
}

nb::object CategoryObject(const DatasetCategoryInfo& category) {
  return MakeResult("CategoryInfo", "label"_a = category.label,
                    "id"_a = NameText(category.id),
                    "name"_a = NameText(category.name));
}

nb::object MadeObject(const Provenance& made) {
  nb::dict options;
  for (const auto& [name, value] : made.options) {
    options[NameText(name)] = NameText(value);
  }
  return MakeResult("Provenance", "command"_a = NameText(made.command),
                    "sources"_a = TupleOf(made.sources, &NameText),
                    "options"_a = options);
}

std::size_t ShardsOf(const DatasetInfo& info) {
  std::size_t shards = 0;
  for (const DatasetSplitInfo& split : info.splits) {
    shards += split.shards.size();
  }
  return shards;
}

nb::object InfoObject(const DatasetInfo& info) {
  return MakeResult("DatasetInfo", "format"_a = NameText(info.format),
                    "variant"_a = NameText(info.variant),
                    "images"_a = NameText(info.images),
                    "upscaled"_a = info.upscaled, "kept"_a = info.kept,
                    "parent_digest"_a = DigestText(info.parent_digest),
                    "samples"_a = info.samples, "bytes"_a = info.bytes,
                    "contents"_a = ContentsResult(info.contents),
                    "entry_points"_a = EntryPointResult(info.entry_points),
                    "entry_point_bytes"_a = info.entry_point_bytes,
                    "shards"_a = ShardsOf(info), "rejected"_a = info.rejected,
                    "ignored"_a = info.ignored,
                    "text_fields"_a = TupleOf(info.text_fields, &NameText),
                    "content_digest"_a = DigestText(info.content_digest),
                    "names_digest"_a = DigestText(info.names_digest),
                    "order_digest"_a = DigestText(info.order_digest),
                    "binding_digest"_a = DigestText(info.binding_digest),
                    "plan_digest"_a = DigestText(info.plan_digest),
                    "tool_version"_a = NameText(info.tool_version),
                    "schema"_a = info.schema, "made"_a = MadeObject(info.made),
                    "classes"_a = TupleOf(info.classes, &ClassObject),
                    "categories"_a = TupleOf(info.categories, &CategoryObject),
                    "splits"_a = TupleOf(info.splits, &SplitObject),
                    "variants"_a = TupleOf(info.variants, &NameText));
}

nb::object RunInfo(const nb::dict& options) {
  OptionReader given(options);
  std::string dataset;
  bool counts = false;
  given.Path("dataset", dataset);
  given.Flag("counts", counts);
  given.Finish();
  return InfoObject(RunVerb(nb::none(), [&](const Job& job) {
    return ReadDatasetInfo(dataset, job.stop, counts);
  }));
}

nb::object RowObject(const ListedRow& row) {
  const auto field = [](const ListedRow::Field& each) {
    return MakeResult(
        "ListedField", "name"_a = NameText(each.name),
        "dtype"_a = MessageText(each.dtype),
        "shape"_a = TupleOf(each.shape,
                            [](std::uint64_t side) { return nb::int_(side); }),
        "bytes"_a = each.bytes);
  };
  const auto extent = [](const auto& each) {
    return nb::make_tuple(each.first, each.second);
  };
  return MakeResult(
      "ListedSample", "id"_a = row.id, "split"_a = NameText(row.split),
      "labels"_a = LabelTuple(row.labels), "key"_a = NameText(row.key),
      "bytes"_a = row.bytes, "shard"_a = NameText(row.shard),
      "record"_a = row.record, "extents"_a = TupleOf(row.extents, extent),
      "fields"_a = TupleOf(row.fields, field));
}

// An iterator. Rows are handed out from the back of the list that was taken.
class ListedSamples {
 public:
  explicit ListedSamples(ListingOptions options)
      : listing_(std::move(options)) {}

  nb::object Next() {
    if (rows_.empty()) Refill();
    const nb::object row = RowObject(rows_.back());
    rows_.pop_back();
    return row;
  }

 private:
  void Refill() {
    if (!listing_.is_here()) {
      throw std::runtime_error(
          "ls: this iterator is of the process that was forked");
    }
    Status status;
    const auto take = [&] {
      const ReleasedLock released;
      return listing_.Take(rows_, status);
    };
    while (!is_over_ && !take()) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    std::ranges::reverse(rows_);
    is_over_ = is_over_ || rows_.empty();
    if (!status.ok()) Raise(status);
    if (is_over_) throw nb::stop_iteration();
  }

  SampleListing listing_;
  std::vector<ListedRow> rows_;
  bool is_over_ = false;
};

std::unique_ptr<ListedSamples> RunLs(const nb::dict& options) {
  OptionReader given(options);
  ListingOptions list;
  given.Path("dataset", list.dataset);
  given.Text("split", list.split);
  given.Text("class_name", list.class_name);
  given.Number("limit", list.limit);
  given.Finish();
  return std::make_unique<ListedSamples>(std::move(list));
}

nb::object RunExtract(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  ExtractOptions extract;
  given.Path("dataset", extract.dataset);
  given.Path("directory", extract.directory);
  if (given.has("form")) given.Word("form", extract.form.emplace());
  given.Read(DescribeOptions(extract));
  given.Finish();
  const ExtractResult result = RunVerb(
      tell, [&](const Job& job) { return ExtractDataset(extract, job); });
  return MakeResult(
      "ExtractResult", "directory"_a = NameText(extract.directory),
      "files"_a = result.files, "kept"_a = result.kept,
      "bytes"_a = result.bytes, "fields_left"_a = result.fields_left,
      "annotation_files"_a = result.annotation_files,
      "notes"_a = MessageTuple(result.notes),
      "rejected"_a = RejectedTuple(result.rejected));
}

nb::list RunCat(const nb::dict& options) {
  OptionReader given(options);
  ImageKeys wanted;
  given.Path("dataset", wanted.dataset);
  given.Paths("keys", wanted.keys);
  given.Text("split", wanted.split);
  given.Finish();
  std::vector<std::string> images;
  RunVerb(nb::none(), [&](const Job& job) -> Result<bool> {
    const Status read = ReadImages(
        wanted,
        [&](std::string_view image) {
          images.emplace_back(image);
          return Status();
        },
        job.stop);
    if (!read.ok()) return read;
    return true;
  });
  nb::list found;
  for (const std::string& image : images) {
    found.append(nb::bytes(image.data(), image.size()));
  }
  return found;
}

// The files that patterns name, in order.
nb::list RunExpand(const nb::dict& options) {
  OptionReader given(options);
  std::vector<std::string> files;
  std::vector<std::string> splits;
  ReadShards(given, "path_imgrec", files, splits);
  given.Finish();
  nb::list found;
  for (const std::string& file : files) {
    found.append(nb::bytes(file.data(), file.size()));
  }
  return found;
}

}  // namespace

void RegisterInspectVerbs(nb::module_& module) {
  module.def("extract", &RunExtract, "options"_a, "tell"_a.none());
  module.def("cat", &RunCat, "options"_a);
  module.def("expand", &RunExpand, "options"_a);
  nb::class_<ListedSamples>(module, "ListedSamples")
      .def("__iter__", [](const nb::object& self) { return self; })
      .def("__next__", &ListedSamples::Next);
  module.def("info", &RunInfo, "options"_a);
  module.def("ls", &RunLs, "options"_a);
}

}  // namespace shardine::binding
