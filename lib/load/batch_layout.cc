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

Status NoField(const std::string& name, const IndexEntry& sample, bool ragged) {
  const std::string none =
      " \"" + EscapeBytes(name) + "\" but " + NamesOf(sample.fields);
  return Status(Code::kInvalidArgument,
                ragged ? "fields: no sample has" + none + " in the first"
                       : "fields: the first sample has no" + none +
                             "; samples may be without a field that is ragged");
}

Result<FieldSpec> SpecOf(const std::string& name, const IndexEntry& sample,
                         bool ragged) {
  const auto field = std::ranges::find(sample.fields, name, &IndexField::name);
  if (field == sample.fields.end()) return NoField(name, sample, ragged);
  FieldSpec spec{name, field->dtype, field->shape, 0, ragged};
  if (spec.is_bytes()) return spec;
  const auto bytes = ArrayBytes(spec.dtype, spec.shape);
  // No batch, of 2^32 samples at most, has a size that wraps.
  if (!bytes || *bytes > std::numeric_limits<std::uint32_t>::max()) {
    return Status(Code::kUnsupported,
                  "fields: \"" + EscapeBytes(name) + "\" is " +
                      DescribeType(spec.dtype, spec.shape) +
                      " in the first sample; a batch has arrays below 4 GiB");
  }
  if (!ragged) {
    spec.bytes_each = static_cast<std::size_t>(*bytes);
  } else if (DtypeBytes(spec.dtype) == 0) {
    // Offsets count elements, and of these any number has no bytes.
    return Status(Code::kUnsupported, "fields: \"" + EscapeBytes(name) +
                                          "\" is ragged, and its elements (" +
                                          spec.dtype + ") have no bytes");
  }
  return spec;
}

}  // namespace

bool BatchLayout::has_bytes() const {
  return std::ranges::any_of(fields, &FieldSpec::is_bytes);
}

bool BatchLayout::has_ragged_arrays() const {
  return std::ranges::any_of(fields, &FieldSpec::is_ragged_array);
}

bool BatchLayout::keeps_payloads() const {
  return has_bytes() || (!has_pixels && has_ragged_arrays());
}

Result<std::vector<FieldSpec>> FieldSpecs(const std::vector<std::string>& names,
                                          const IndexEntry& sample,
                                          bool ragged) {
  std::vector<FieldSpec> specs;
  for (const std::string& name : names) {
    if (std::ranges::find(specs, name, &FieldSpec::name) != specs.end()) {
      return Status(Code::kInvalidArgument,
                    "fields: \"" + EscapeBytes(name) + "\" twice");
    }
    SHARDINE_ASSIGN_OR_RETURN(FieldSpec spec, SpecOf(name, sample, ragged));
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace shardine
