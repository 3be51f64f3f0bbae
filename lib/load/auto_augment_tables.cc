#include "load/auto_augment_tables.h"

namespace shardine {
namespace {

using Kind = AugmentationKind;
using Pair = LearnedPair;

constexpr Pair kImagenet[] = {
    {{{Kind::kPosterize, 0.4, 8}, {Kind::kRotate, 0.6, 9}}},
    {{{Kind::kSolarize, 0.6, 5}, {Kind::kAutoContrast, 0.6, 0}}},
    {{{Kind::kEqualize, 0.8, 0}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kPosterize, 0.6, 7}, {Kind::kPosterize, 0.6, 6}}},
    {{{Kind::kEqualize, 0.4, 0}, {Kind::kSolarize, 0.2, 4}}},
    {{{Kind::kEqualize, 0.4, 0}, {Kind::kRotate, 0.8, 8}}},
    {{{Kind::kSolarize, 0.6, 3}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kPosterize, 0.8, 5}, {Kind::kEqualize, 1, 0}}},
    {{{Kind::kRotate, 0.2, 3}, {Kind::kSolarize, 0.6, 8}}},
    {{{Kind::kEqualize, 0.6, 0}, {Kind::kPosterize, 0.4, 6}}},
    {{{Kind::kRotate, 0.8, 8}, {Kind::kColor, 0.4, 0}}},
    {{{Kind::kRotate, 0.4, 9}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kEqualize, 0, 0}, {Kind::kEqualize, 0.8, 0}}},
    {{{Kind::kInvert, 0.6, 0}, {Kind::kEqualize, 1, 0}}},
    {{{Kind::kColor, 0.6, 4}, {Kind::kContrast, 1, 8}}},
    {{{Kind::kRotate, 0.8, 8}, {Kind::kColor, 1, 2}}},
    {{{Kind::kColor, 0.8, 8}, {Kind::kSolarize, 0.8, 7}}},
    {{{Kind::kSharpness, 0.4, 7}, {Kind::kInvert, 0.6, 0}}},
    {{{Kind::kShearX, 0.6, 5}, {Kind::kEqualize, 1, 0}}},
    {{{Kind::kColor, 0.4, 0}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kEqualize, 0.4, 0}, {Kind::kSolarize, 0.2, 4}}},
    {{{Kind::kSolarize, 0.6, 5}, {Kind::kAutoContrast, 0.6, 0}}},
    {{{Kind::kInvert, 0.6, 0}, {Kind::kEqualize, 1, 0}}},
    {{{Kind::kColor, 0.6, 4}, {Kind::kContrast, 1, 8}}},
    {{{Kind::kEqualize, 0.8, 0}, {Kind::kEqualize, 0.6, 0}}},
};

constexpr Pair kCifar10[] = {
    {{{Kind::kInvert, 0.1, 0}, {Kind::kContrast, 0.2, 6}}},
    {{{Kind::kRotate, 0.7, 2}, {Kind::kTranslateX, 0.3, 9}}},
    {{{Kind::kSharpness, 0.8, 1}, {Kind::kSharpness, 0.9, 3}}},
    {{{Kind::kShearY, 0.5, 8}, {Kind::kTranslateY, 0.7, 9}}},
    {{{Kind::kAutoContrast, 0.5, 0}, {Kind::kEqualize, 0.9, 0}}},
    {{{Kind::kShearY, 0.2, 7}, {Kind::kPosterize, 0.3, 7}}},
    {{{Kind::kColor, 0.4, 3}, {Kind::kBrightness, 0.6, 7}}},
    {{{Kind::kSharpness, 0.3, 9}, {Kind::kBrightness, 0.7, 9}}},
    {{{Kind::kEqualize, 0.6, 0}, {Kind::kEqualize, 0.5, 0}}},
    {{{Kind::kContrast, 0.6, 7}, {Kind::kSharpness, 0.6, 5}}},
    {{{Kind::kColor, 0.7, 7}, {Kind::kTranslateX, 0.5, 8}}},
    {{{Kind::kEqualize, 0.3, 0}, {Kind::kAutoContrast, 0.4, 0}}},
    {{{Kind::kTranslateY, 0.4, 3}, {Kind::kSharpness, 0.2, 6}}},
    {{{Kind::kBrightness, 0.9, 6}, {Kind::kColor, 0.2, 8}}},
    {{{Kind::kSolarize, 0.5, 2}, {Kind::kInvert, 0, 0}}},
    {{{Kind::kEqualize, 0.2, 0}, {Kind::kAutoContrast, 0.6, 0}}},
    {{{Kind::kEqualize, 0.2, 0}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kColor, 0.9, 9}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kAutoContrast, 0.8, 0}, {Kind::kSolarize, 0.2, 8}}},
    {{{Kind::kBrightness, 0.1, 3}, {Kind::kColor, 0.7, 0}}},
    {{{Kind::kSolarize, 0.4, 5}, {Kind::kAutoContrast, 0.9, 0}}},
    {{{Kind::kTranslateY, 0.9, 9}, {Kind::kTranslateY, 0.7, 9}}},
    {{{Kind::kAutoContrast, 0.9, 0}, {Kind::kSolarize, 0.8, 3}}},
    {{{Kind::kEqualize, 0.8, 0}, {Kind::kInvert, 0.1, 0}}},
    {{{Kind::kTranslateY, 0.7, 9}, {Kind::kAutoContrast, 0.9, 0}}},
};

constexpr Pair kSvhn[] = {
    {{{Kind::kShearX, 0.9, 4}, {Kind::kInvert, 0.2, 0}}},
    {{{Kind::kShearY, 0.9, 8}, {Kind::kInvert, 0.7, 0}}},
    {{{Kind::kEqualize, 0.6, 0}, {Kind::kSolarize, 0.6, 6}}},
    {{{Kind::kInvert, 0.9, 0}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kEqualize, 0.6, 0}, {Kind::kRotate, 0.9, 3}}},
    {{{Kind::kShearX, 0.9, 4}, {Kind::kAutoContrast, 0.8, 0}}},
    {{{Kind::kShearY, 0.9, 8}, {Kind::kInvert, 0.4, 0}}},
    {{{Kind::kShearY, 0.9, 5}, {Kind::kSolarize, 0.2, 6}}},
    {{{Kind::kInvert, 0.9, 0}, {Kind::kAutoContrast, 0.8, 0}}},
    {{{Kind::kEqualize, 0.6, 0}, {Kind::kRotate, 0.9, 3}}},
    {{{Kind::kShearX, 0.9, 4}, {Kind::kSolarize, 0.3, 3}}},
    {{{Kind::kShearY, 0.8, 8}, {Kind::kInvert, 0.7, 0}}},
    {{{Kind::kEqualize, 0.9, 0}, {Kind::kTranslateY, 0.6, 6}}},
    {{{Kind::kInvert, 0.9, 0}, {Kind::kEqualize, 0.6, 0}}},
    {{{Kind::kContrast, 0.3, 3}, {Kind::kRotate, 0.8, 4}}},
    {{{Kind::kInvert, 0.8, 0}, {Kind::kTranslateY, 0, 2}}},
    {{{Kind::kShearY, 0.7, 6}, {Kind::kSolarize, 0.4, 8}}},
    {{{Kind::kInvert, 0.6, 0}, {Kind::kRotate, 0.8, 4}}},
    {{{Kind::kShearY, 0.3, 7}, {Kind::kTranslateX, 0.9, 3}}},
    {{{Kind::kShearX, 0.1, 6}, {Kind::kInvert, 0.6, 0}}},
    {{{Kind::kSolarize, 0.7, 2}, {Kind::kTranslateY, 0.6, 7}}},
    {{{Kind::kShearY, 0.8, 4}, {Kind::kInvert, 0.8, 0}}},
    {{{Kind::kShearX, 0.7, 9}, {Kind::kTranslateY, 0.8, 3}}},
    {{{Kind::kShearY, 0.8, 5}, {Kind::kAutoContrast, 0.7, 0}}},
    {{{Kind::kShearX, 0.7, 2}, {Kind::kInvert, 0.1, 0}}},
};

}  // namespace

std::span<const LearnedPair> PairsOf(AutoAugmentTable table) {
  switch (table) {
    case AutoAugmentTable::kImagenet:
      return kImagenet;
    case AutoAugmentTable::kCifar10:
      return kCifar10;
    case AutoAugmentTable::kSvhn:
      break;
  }
  return kSvhn;
}

}  // namespace shardine
