// The words for the options of extractions.
#ifndef SHARDINE_EXTRACT_WORDS_H_
#define SHARDINE_EXTRACT_WORDS_H_

#include "shardine/extract.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<ExtractNames> {
  static constexpr EnumWord<ExtractNames> kWords[] = {
      {ExtractNames::kKey, "key"},
      {ExtractNames::kId, "id"},
      {ExtractNames::kClassId, "class/id"}};
};

template <>
struct EnumWords<ExportForm> {
  static constexpr EnumWord<ExportForm> kWords[] = {{ExportForm::kCoco, "coco"},
                                                    {ExportForm::kVoc, "voc"},
                                                    {ExportForm::kYolo, "yolo"},
                                                    {ExportForm::kHub, "hf"}};
};

}  // namespace shardine

#endif  // SHARDINE_EXTRACT_WORDS_H_
