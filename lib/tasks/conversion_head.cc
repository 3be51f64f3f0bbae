#include "tasks/conversion_head.h"

#include <type_traits>

#include "tasks/dataset_head.h"

namespace shardine {
namespace {

template <typename Fields, typename Facts>
void VisitFacts(Fields& fields, Facts& facts) {
  fields(facts.size);
  fields(facts.mtime_ns);
}

// A flag and an optional value. `each` gets the value.
template <typename Fields, typename Optional, typename Each>
void VisitOptional(Fields& fields, Optional& value, const Each& each) {
  bool there = value.has_value();
  fields.Flag(there);
  if constexpr (!std::is_const_v<Optional>) {
    if (there) value.emplace();
  }
  if (there) each(*value);
}

// Arrays that images become, or images that arrays become: a pixel order, or
// kEncodes and a bit for 8 bits, two for the layout, one for the encoding.
enum class NewArrays : std::uint8_t { kLast = 18 };
constexpr int kEncodes = 3;

int NumberOf(const ArrayEncoding& encode) {
  return kEncodes + (encode.to_8_bits ? 1 : 0) +
         2 * static_cast<int>(encode.layout) +
         8 * static_cast<int>(encode.encoding);
}

template <typename Fields, typename Input>
void VisitArrays(Fields& fields, Input& input) {
  bool there = input.pixels || input.encode;
  fields.Flag(there);
  if (!there) return;
  int number = input.pixels ? static_cast<int>(*input.pixels) : 0;
  if (input.encode) number = NumberOf(*input.encode);
  auto arrays = static_cast<NewArrays>(number);
  fields.Choice(arrays, NewArrays::kLast);
  if constexpr (!std::is_const_v<Input>) {
    number = static_cast<int>(arrays);
    if (number < kEncodes) {
      input.pixels = static_cast<PixelOrder>(number);
      return;
    }
    const int bits = number - kEncodes;
    input.encode = {static_cast<Encoding>(bits / 8),
                    static_cast<ArrayLayout>(bits / 2 % 4), bits % 2 == 1};
  }
}

template <typename Fields, typename Record>
void VisitRecord(Fields& fields, Record& record) {
  fields(record.name);
  fields(record.short_side);
  fields(record.filter);
  fields(record.quality);
  fields(record.parent_digest);
  fields(record.images);
  fields(record.upscaled);
  fields(record.kept);
}

template <typename Fields, typename Input>
void VisitInput(Fields& fields, Input& input) {
  fields(input.manifest);
  fields.List(input.shards, [&](auto& shard) {
    VisitFacts(fields, shard.shard);
    VisitFacts(fields, shard.sidecar);
    fields.Flag(shard.needs_scan);
  });
  VisitOptional(fields, input.fields, [&](auto& names) {
    fields.List(names, [&](auto& name) { fields(name); });
  });
  VisitArrays(fields, input);
  fields(input.fingerprint);
  VisitRecord(fields, input.record);
  VisitOptional(fields, input.bindings, [&](auto& digest) { fields(digest); });
}

// Whether this program may have written the plan.
bool IsSoundConversion(const PlanHead& head) {
  // One dataset is read, and no files beside it.
  if (head.roots.size() != 1 || head.has_boxes) return false;
  // Only a resize makes sizes, and it makes nothing else; only a conversion
  // makes arrays, and it makes no sizes.
  const bool sizes = !head.pack.variants.short_sides.empty();
  return head.kind == TaskKind::kResize
             ? sizes && !head.pack.variants.original && !head.input.pixels &&
                   !head.pack.recode.recode && !head.input.encode
             : !sizes && head.pack.variants.original;
}

}  // namespace

void WriteConversionHead(const PlanHead& head, FieldWriter& fields) {
  WriteDatasetHead(head, fields);
  VisitInput(fields, head.input);
}

bool ReadConversionHead(FieldReader& fields, PlanHead& head) {
  const bool sound = ReadDatasetHead(fields, head);
  VisitInput(fields, head.input);
  return sound && IsSoundConversion(head);
}

}  // namespace shardine
