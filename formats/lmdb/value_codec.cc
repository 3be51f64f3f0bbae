#include "lmdb/value_codec.h"

#include "lmdb/datum_codec.h"
#include "lmdb/fields_codec.h"
#include "lmdb/folder2lmdb_codec.h"
#include "lmdb/images_codec.h"
#include "lmdb/lmdb_layouts.h"

namespace shardine {

namespace {

const ValueSerializer& SerializerOf(const LayoutChoice& layout) {
  const std::string_view values = layout.value(kValuesParameter);
  if (values == kArrowValues) return ArrowSerializer();
  if (values == kMsgpackValues) return MsgpackSerializer();
  return layout.layout->name == kTensorpackLayout ? PickledArraySerializer()
                                                  : PickleSerializer();
}

}  // namespace

std::unique_ptr<ValueCodec> MakeValueCodec(const LayoutChoice& layout,
                                           std::uint64_t max_memory) {
  if (layout.layout->name == kDatumLayout) return MakeDatumCodec();
  if (layout.layout->name == kFieldsLayout) return MakeFieldsCodec(max_memory);
  if (layout.layout->name == kImagesLayout) {
    return MakeImagesCodec(layout.value(kKeysParameter) == kNumberedKeys);
  }
  const bool tensorpack = layout.layout->name == kTensorpackLayout;
  return MakeFolder2LmdbCodec(
      {.serializer = SerializerOf(layout),
       .padded = tensorpack || layout.value(kKeysParameter) == kPaddedKeys,
       .has_length = !tensorpack,
       .array_is_image = tensorpack,
       .layout = layout.layout->name},
      max_memory);
}

const FieldView* OnlyImage(const SampleView& sample) {
  return sample.fields.size() == 1 && sample.fields[0].name == kImageField
             ? &sample.fields[0]
             : nullptr;
}

}  // namespace shardine
