#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "shardine/image_words.h"
#include "shardine/loader_words.h"
#include "shardine/pack_words.h"
#include "shardine/status_words.h"
#include "shardine/verify_words.h"

namespace shardine::enum_words_test {
namespace {

template <typename Enum>
void CheckWords(std::size_t values) {
  std::set<std::string> words;
  // All values, which are numbered from 0.
  for (std::size_t i = 0; i < values; ++i) {
    const auto value = static_cast<Enum>(i);
    const std::string word = WordOf(value);
    CHECK_FALSE(word.empty());
    CHECK(EnumOf<Enum>(word) == value);
    words.insert(word);
  }
  CHECK(words.size() == values);
  CHECK(std::string(WordOf(static_cast<Enum>(values))).empty());
  for (const char* other : {"", "Keep", "keep ", "no such word"}) {
    CHECK_FALSE(EnumOf<Enum>(other));
  }
}

TEST_CASE("Every value of a public enum has one word, and each word one value",
          "[words]") {
  CheckWords<Filter>(6);
  CheckWords<ColorMode>(3);
  CheckWords<AugmentationKind>(15);
  CheckWords<AutoAugmentTable>(3);
  CheckWords<Interpolation>(2);
  CheckWords<Encoding>(2);
  CheckWords<Subsampling>(2);
  CheckWords<OnBad>(4);
  CheckWords<ImageCheckLevel>(3);
  CheckWords<EmptyClasses>(3);
  CheckWords<PixelOrder>(3);
  CheckWords<PassOrder>(2);
  CheckWords<EntryPoints>(2);
  CheckWords<MatchBy>(3);
  CheckWords<VerifyLevel>(3);
  CheckWords<DifferenceKind>(5);
  CheckWords<SampleOrder>(4);
  CheckWords<LastBatch>(4);
  CheckWords<OnBadSample>(3);
  CheckWords<EntryPointTrust>(3);
  CheckWords<PixelLayout>(2);
  CheckWords<PixelType>(3);
  CheckWords<Code>(11);
}

TEST_CASE("Words that lie in manifests are those of the first release",
          "[words]") {
  CHECK(WordOf(OnBad::kQuarantine) == std::string("quarantine"));
  CHECK(WordOf(ImageCheckLevel::kDecode) == std::string("decode"));
  CHECK(WordOf(EmptyClasses::kDrop) == std::string("drop"));
  CHECK(WordOf(ColorMode::kGray) == std::string("gray"));
  CHECK(WordOf(Encoding::kPng) == std::string("png"));
  CHECK(WordOf(Subsampling::k444) == std::string("444"));
  CHECK(WordOf(Filter::kLanczos) == std::string("lanczos"));
  CHECK(WordOf(PassOrder::kPillow12) == std::string("pillow12"));
  CHECK(WordOf(EntryPoints::kAuto) == std::string("auto"));
  CHECK(WordOf(MatchBy::kKey) == std::string("key"));
}

}  // namespace
}  // namespace shardine::enum_words_test
