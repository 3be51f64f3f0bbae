#include "lmdb/value_codec.h"

#include "lmdb/datum_codec.h"
#include "lmdb/fields_codec.h"
#include "lmdb/folder2lmdb_codec.h"
#include "lmdb/images_codec.h"
#include "lmdb/lmdb_layouts.h"
#include "lmdb/numbered_images_codec.h"
#include "lmdb/pattern_codec.h"

namespace shardine {

namespace {

const ValueSerializer& SerializerOf(const LayoutChoice& layout) {
  const std::string_view values = layout.value(kValuesParameter);
  if (values == kArrowValues) return ArrowSerializer();
  if (values == kMsgpackValues) return MsgpackSerializer();
  return layout.layout->name == kTensorpackLayout ? PickledArraySerializer()
                                                  : PickleSerializer();
}

PairOptions PairOptionsOf(const LayoutChoice& layout) {
  const std::string_view name = layout.layout->name;
  if (name == kPytorchLmdbLayout) {
    return {.serializer = PickledBatchSerializer(),
            .padded = false,
            .classes = PairClasses::kBytesAndCount,
            .layout = name};
  }
  if (name == kTensorpackLayout) {
    return {.serializer = SerializerOf(layout),
            .has_length = false,
            .array_is_image = true,
            .layout = name};
  }
  return {.serializer = SerializerOf(layout),
          .padded = layout.value(kKeysParameter) == kPaddedKeys,
          .classes = layout.value(kClassesParameter) == kListedClasses
                         ? PairClasses::kTexts
                         : PairClasses::kNone,
          .layout = name};
}

}  // namespace

std::unique_ptr<ValueCodec> MakeValueCodec(const LayoutChoice& layout,
                                           std::uint64_t max_memory) {
  if (layout.layout->name == kDatumLayout) return MakeDatumCodec();
  if (layout.layout->name == kFieldsLayout) {
    if (IsKeyPattern(layout.roles.image)) return MakePatternCodec(layout.roles);
    return MakeFieldsCodec(max_memory, layout.roles.label.empty());
  }
  if (layout.layout->name == kImagesLayout) {
    return MakeImagesCodec(layout.value(kKeysParameter) == kNumberedKeys);
  }
  if (layout.layout->name == kStyleGan2Layout) {
    return MakeStyleGan2Codec(layout.value(kResolutionParameter));
  }
  if (layout.layout->name == kOcrLayout) return MakeOcrCodec();
  return MakeFolder2LmdbCodec(PairOptionsOf(layout), max_memory);
}

const FieldView* OnlyImage(const SampleView& sample) {
  return sample.fields.size() == 1 && sample.fields[0].name == kImageField
             ? &sample.fields[0]
             : nullptr;
}

}  // namespace shardine
