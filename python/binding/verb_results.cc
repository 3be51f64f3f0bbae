#include "binding/verb_results.h"

#include "binding/verb_run.h"
#include "shardine/printable.h"

namespace shardine::binding {

using namespace nb::literals;

namespace {

nb::object SizeObject(const SizeResult& size) {
  return MakeResult("SizeResult", "path"_a = NameText(size.path),
                    "bytes"_a = size.bytes, "upscaled"_a = size.upscaled,
                    "kept"_a = size.kept,
                    "entry_points"_a = EntryPointResult(size.entry_points),
                    "content_digest"_a = DigestText(size.content_digest));
}

nb::object ListObject(const UsedList& list) {
  return MakeResult("UsedList", "path"_a = NameText(list.path),
                    "shard"_a = NameText(list.shard),
                    "by"_a = MessageText(list.by), "records"_a = list.records,
                    "matched"_a = list.matched, "labelled"_a = list.labelled);
}

nb::object FieldObject(const FieldLeft& field) {
  return MakeResult("FieldLeft", "name"_a = NameText(field.name),
                    "samples"_a = field.samples);
}

}  // namespace

void LatestProgress::Tell(const nb::object& tell) {
  std::optional<Progress> latest;
  {
    const std::lock_guard lock(mutex_);
    std::swap(latest, latest_);
  }
  if (!latest || tell.is_none()) return;
  tell(MakeResult(
      "Progress", "samples"_a = latest->samples,
      "samples_total"_a = latest->samples_total, "bytes"_a = latest->bytes,
      "bytes_total"_a = latest->bytes_total, "rejected"_a = latest->rejected));
}

nb::str MessageText(std::string_view message) {
  const std::string line = MessageLine(message);
  return nb::str(line.data(), line.size());
}

nb::str DigestText(const Digest128& digest) {
  const std::string hex = digest.ToHex();
  return nb::str(hex.data(), hex.size());
}

nb::object LabelObject(const Label& label) {
  if (label.is_integer()) return nb::int_(label.integer());
  return nb::float_(label.real());
}

nb::tuple LabelTuple(std::span<const Label> labels) {
  return TupleOf(labels, &LabelObject);
}

nb::object ContentsResult(const DatasetContents& contents) {
  nb::dict fields;
  for (const auto& [name, samples] : contents.fields) {
    fields[NameText(name)] = samples;
  }
  return MakeResult("Contents", "samples"_a = contents.samples,
                    "labelled"_a = contents.labelled, "deep"_a = contents.deep,
                    "fields"_a = fields,
                    "text"_a = MessageText(ToString(contents)));
}

nb::object EntryPointResult(const EntryPointCounts& counts) {
  return MakeResult("EntryPointCounts", "images"_a = counts.images,
                    "damaged"_a = counts.damaged);
}

nb::tuple MessageTuple(const std::vector<std::string>& messages) {
  return TupleOf(messages, &MessageText);
}

nb::tuple RejectedTuple(const std::vector<RejectedCount>& counts) {
  return TupleOf(counts, [](const RejectedCount& entry) {
    return MakeResult("RejectedCount", "reason"_a = MessageText(entry.reason),
                      "action"_a = MessageText(entry.action),
                      "count"_a = entry.count);
  });
}

nb::object SplitCopiesObject(const SplitCopies& copies) {
  return MakeResult("SplitCopies", "split"_a = NameText(copies.split),
                    "other"_a = NameText(copies.other),
                    "samples"_a = copies.samples, "copies"_a = copies.copies,
                    "conflicts"_a = copies.conflicts);
}

nb::object PackResultObject(const PackResult& result) {
  return MakeResult(
      "PackResult", "output"_a = NameText(result.output),
      "format"_a = MessageText(result.format), "samples"_a = result.samples,
      "classes"_a = result.classes, "shards"_a = result.shards,
      "shards_reused"_a = result.shards_reused, "bytes"_a = result.bytes,
      "nothing_to_do"_a = result.nothing_to_do,
      "contents_compared"_a = result.contents_compared,
      "content_digest"_a = DigestText(result.content_digest),
      "entry_points"_a = EntryPointResult(result.entry_points),
      "contents"_a = ContentsResult(result.contents),
      "sizes"_a = TupleOf(result.sizes, &SizeObject),
      "rejected"_a = RejectedTuple(result.rejected),
      "rejected_before"_a = RejectedTuple(result.rejected_before),
      "ignored"_a = RejectedTuple(result.ignored),
      "lists"_a = TupleOf(result.lists, &ListObject),
      "fields_left"_a = TupleOf(result.fields_left, &FieldObject),
      "replaced"_a = TupleOf(result.replaced, &NameText),
      "copies"_a = TupleOf(result.copies, &SplitCopiesObject),
      "warnings"_a = MessageTuple(result.warnings));
}

}  // namespace shardine::binding
