// Facts in plans: variants, how images are judged, and the plans themselves.
#include "pack/dataset_plan.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "shardine/pack_words.h"

namespace shardine::dataset_plan_test {
namespace {

constexpr OnBad kActions[] = {OnBad::kFail, OnBad::kSkip, OnBad::kQuarantine,
                              OnBad::kKeep};
constexpr ImageCheckLevel kLevels[] = {
    ImageCheckLevel::kNone, ImageCheckLevel::kHeader, ImageCheckLevel::kDecode};

std::vector<Judgement> AllJudgements() {
  std::vector<Judgement> all;
  for (const OnBad action : kActions) {
    for (const ImageCheckLevel level : kLevels) all.push_back({action, level});
  }
  return all;
}

ShardPlan PlanOf(std::size_t samples, const std::string& fingerprint = "f") {
  SourceSet source;
  source.splits = {"train"};
  for (std::size_t i = 0; i < samples; ++i) {
    source.samples.Add("k" + std::to_string(i), i, {}, 0);
  }
  ShardPlanOptions options;
  options.shards = 2;
  options.fingerprint = fingerprint;
  auto plan = ShardPlan::Make(std::move(source), options);
  REQUIRE(plan.ok());
  return *std::move(plan);
}

TEST_CASE("Samples hold under a weaker check only if none was rejected",
          "[pack][plan]") {
  for (const Judgement& then : AllJudgements()) {
    for (const Judgement& now : AllJudgements()) {
      INFO(WordOf(then.on_bad) << " " << WordOf(now.on_bad));
      CHECK(HoldsUnder(then, true, now) == (then == now));
      // An image set that passed all has no bad image: the action for bad ones
      // does not matter.
      const bool as_strict =
          static_cast<int>(then.check) >= static_cast<int>(now.check);
      CHECK(HoldsUnder(then, false, now) == (then == now || as_strict));
    }
  }
}

TEST_CASE("How images were judged is read as it was recorded", "[pack][plan]") {
  for (const Judgement& judged : AllJudgements()) {
    for (const Judgement& now : AllJudgements()) {
      for (const char* variants : {"", "original,sz/16"}) {
        Provenance made{.command = "pack", .sources = {}, .options = {}};
        if (*variants != '\0') made.options["variants"] = variants;
        RecordJudgement(judged, false, made);
        CHECK(RecordedJudgement(made, now) == judged);
      }
      for (const char* command : {"convert", "merge", "relabel"}) {
        Provenance made{.command = command, .sources = {}, .options = {}};
        RecordJudgement(judged, false, made);
        CHECK(made.options.contains("check") ==
              (judged.check != UnsaidCheck(judged.on_bad)));
        CHECK(RecordedJudgement(made, now) == judged);
      }
      // Where images are decoded there is one check.
      for (const char* command : {"convert", "resize"}) {
        Provenance made{.command = command, .sources = {}, .options = {}};
        made.options["pixels"] = "rgb";
        RecordJudgement(judged, false, made);
        CHECK_FALSE(made.options.contains("check"));
        CHECK(RecordedJudgement(made, now) ==
              Judgement{judged.on_bad, now.check});
      }
    }
  }
  // Images pass through a conversion unseen, unless bad ones are dealt with.
  CHECK(UnsaidCheck(OnBad::kFail) == ImageCheckLevel::kNone);
  CHECK(UnsaidCheck(OnBad::kKeep) == ImageCheckLevel::kHeader);
}

TEST_CASE("A judgement that is the default leaves no word in a manifest",
          "[pack][plan]") {
  Provenance made{.command = "pack", .sources = {}, .options = {}};
  RecordJudgement({OnBad::kFail, ImageCheckLevel::kHeader}, false, made);
  CHECK(made.options.empty());
  made.options["variants"] = "sz/16";
  RecordJudgement({OnBad::kFail, ImageCheckLevel::kDecode}, false, made);
  CHECK(made.options.size() == 1);
  RecordJudgement({OnBad::kKeep, ImageCheckLevel::kNone}, false, made);
  CHECK(made.options["on-bad"] == "keep");
  CHECK(made.options["check"] == "none");
  // Words of a version to come stand for nothing stricter than the default.
  made.options["on-bad"] = "mend";
  made.options["check"] = "thoroughly";
  CHECK(RecordedJudgement(made, {OnBad::kSkip, ImageCheckLevel::kNone}) ==
        Judgement{OnBad::kFail, ImageCheckLevel::kHeader});
}

TEST_CASE("A manifest records kinds where they decide its samples",
          "[pack][plan]") {
  const Judgement all = {OnBad::kFail, ImageCheckLevel::kHeader,
                         AllImageKinds()};
  const Provenance pack{.command = "pack", .sources = {}, .options = {}};
  const auto recorded = [&](const Judgement& judged, bool shows_kinds) {
    Provenance made = pack;
    RecordJudgement(judged, shows_kinds, made);
    return made.options["kinds"];
  };
  Judgement first = all;
  first.kinds = FirstImageKinds();
  Judgement two = all;
  two.kinds = {"png", "gif"};
  CHECK(recorded(all, false).empty());
  CHECK(recorded(all, true) == "jpeg,png,webp,gif,bmp,tiff");
  CHECK(recorded(first, true).empty());
  CHECK(recorded(two, false) == "png,gif");
  CHECK(RecordedJudgement(pack, all).kinds == FirstImageKinds());
  CHECK(RecordedJudgement(pack, {}).kinds.empty());
  Provenance made = pack;
  RecordJudgement(two, false, made);
  CHECK(RecordedJudgement(made, all).kinds == two.kinds);
}

TEST_CASE("Samples hold under more kinds where none was rejected",
          "[pack][plan]") {
  const Judgement all = {OnBad::kSkip, ImageCheckLevel::kHeader,
                         AllImageKinds()};
  Judgement first = all;
  first.kinds = FirstImageKinds();
  CHECK(HoldsUnder(first, false, all));
  CHECK_FALSE(HoldsUnder(first, true, all));
  CHECK_FALSE(HoldsUnder(all, false, first));
  // Notes of older programs have no kinds.
  CHECK(HoldsUnder({OnBad::kSkip, ImageCheckLevel::kHeader}, false, all));
  CHECK_FALSE(HoldsUnder({OnBad::kSkip, ImageCheckLevel::kHeader}, true, all));
}

TEST_CASE("Every dataset of a family has plan digests of its own",
          "[pack][plan]") {
  std::set<std::string> digests;
  std::size_t made = 0;
  for (const char* fingerprint : {"f", "g"}) {
    const ShardPlan plan = PlanOf(10, fingerprint);
    const auto variants = PlanVariants(
        plan, {.original = true, .short_sides = {16, 24, 160}, .image = {}});
    REQUIRE(variants.size() == 4);
    CHECK(variants[0].plan_digest == plan.digest());
    for (const PlannedVariant& variant : variants) {
      digests.insert(variant.plan_digest.ToHex());
      ++made;
      for (const PlannedShard& shard : plan.shards()) {
        digests.insert(variant.ShardDigest(shard).ToHex());
        ++made;
      }
    }
    for (const PlannedShard& shard : plan.shards()) {
      CHECK(variants[0].ShardDigest(shard) == shard.digest);
    }
  }
  CHECK(digests.size() == made);
}

TEST_CASE("Sizes are numbered by their sides with the original or without",
          "[pack][plan]") {
  const ShardPlan plan = PlanOf(4);
  for (const bool original : {true, false}) {
    const auto variants = PlanVariants(
        plan, {.original = original, .short_sides = {96, 160}, .image = {}});
    const std::size_t first = original ? 1 : 0;
    REQUIRE(variants.size() == first + 2);
    if (original) {
      CHECK(variants[0].folder.empty());
      CHECK_FALSE(variants[0].is_size());
      CHECK(variants[0].record == ManifestVariant());
    }
    for (const std::size_t i : {0u, 1u}) {
      const PlannedVariant& size = variants[first + i];
      CHECK(size.number == i + 1);
      CHECK(size.folder == (i == 0 ? "sz/96" : "sz/160"));
      CHECK(size.record.short_side == (i == 0 ? 96u : 160u));
      CHECK(size.record.quality == 90);
    }
    CHECK(variants[first].plan_digest ==
          PlanVariants(
              plan, {.original = !original, .short_sides = {96}, .image = {}})
              .back()
              .plan_digest);
  }
  // A quality that has no part in the bytes is not said.
  const auto png = PlanVariants(plan, {.original = false,
                                       .short_sides = {16},
                                       .image = {.encoding = Encoding::kPng}});
  CHECK(png[0].record.quality == 0);
}

TEST_CASE("Short sides are pixels, ascending, each once", "[pack][plan]") {
  const auto check = [](bool original, std::vector<std::uint32_t> sides) {
    return CheckVariants(
               {.original = original, .short_sides = sides, .image = {}})
        .code();
  };
  CHECK(check(true, {}) == Code::kOk);
  CHECK(check(false, {1}) == Code::kOk);
  CHECK(check(false, {1, 2, UINT32_MAX}) == Code::kOk);
  CHECK(check(false, {}) == Code::kInvalidArgument);
  CHECK(check(true, {0}) == Code::kInvalidArgument);
  CHECK(check(true, {16, 16}) == Code::kInvalidArgument);
  CHECK(check(true, {24, 16}) == Code::kInvalidArgument);
  CHECK(check(true, {16, 24, 16}) == Code::kInvalidArgument);
}

TEST_CASE("The space that sizes take is guessed from sides and encoding",
          "[pack][plan]") {
  const auto bytes = [](std::vector<std::uint32_t> sides, Encoding encoding,
                        std::uint32_t quality) {
    return EstimateSizes({.original = true,
                          .short_sides = sides,
                          .image = {.encoding = encoding, .quality = quality}});
  };
  CHECK(bytes({}, Encoding::kJpeg, 90) == 0);
  // A photo of 480 by 320 pixels.
  const std::uint64_t photo = bytes({320}, Encoding::kJpeg, 90);
  CHECK(photo > 480 * 320 / 4);
  CHECK(photo < 480 * 320);
  CHECK(bytes({320}, Encoding::kJpeg, 100) > photo);
  CHECK(bytes({320}, Encoding::kPng, 90) > bytes({320}, Encoding::kJpeg, 100));
  CHECK(bytes({160, 320}, Encoding::kJpeg, 90) ==
        photo + bytes({160}, Encoding::kJpeg, 90));
  // Sides near 2^32 do not wrap around to little.
  CHECK(bytes({40'000}, Encoding::kPng, 90) > std::uint64_t{4'000'000'000});
}

}  // namespace
}  // namespace shardine::dataset_plan_test
