#include "load/batch_layout.h"

#include <algorithm>
#include <limits>

#include "base/status_macros.h"
#include "shard/dtype.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

std::string NamesOf(const std::vector<IndexField>& fields) {
  std::string names;
  for (const IndexField& field : fields) {
    names += (names.empty() ? "" : ", ") + EscapeBytes(field.name);
  }
  return names.empty() ? "none" : names;
}

Result<FieldSpec> SpecOf(const std::string& name, const IndexEntry& sample) {
  const auto field = std::ranges::find(sample.fields, name, &IndexField::name);
  if (field == sample.fields.end()) {
    return Status(Code::kInvalidArgument, "fields: the first sample has no \"" +
                                              EscapeBytes(name) + "\" but " +
                                              NamesOf(sample.fields));
  }
  FieldSpec spec{name, field->dtype, field->shape, 0};
  if (spec.is_bytes()) return spec;
  const auto bytes = ArrayBytes(spec.dtype, spec.shape);
  // No batch, of 2^32 samples at most, has a size that wraps.
  if (!bytes || *bytes > std::numeric_limits<std::uint32_t>::max()) {
    return Status(Code::kUnsupported,
                  "fields: \"" + EscapeBytes(name) + "\" is " +
                      DescribeType(spec.dtype, spec.shape) +
                      " in the first sample; a batch has arrays below 4 GiB");
  }
  spec.bytes_each = static_cast<std::size_t>(*bytes);
  return spec;
}

}  // namespace

bool BatchLayout::keeps_payloads() const {
  return std::ranges::any_of(fields, &FieldSpec::is_bytes);
}

Result<std::vector<FieldSpec>> FieldSpecs(const std::vector<std::string>& names,
                                          const IndexEntry& sample) {
  std::vector<FieldSpec> specs;
  for (const std::string& name : names) {
    if (std::ranges::find(specs, name, &FieldSpec::name) != specs.end()) {
      return Status(Code::kInvalidArgument,
                    "fields: \"" + EscapeBytes(name) + "\" twice");
    }
    SHARDINE_ASSIGN_OR_RETURN(FieldSpec spec, SpecOf(name, sample));
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace shardine
