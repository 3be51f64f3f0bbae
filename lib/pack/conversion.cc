#include "pack/conversion.h"

namespace shardine {

Judgement Conversion::judged() const {
  return images ? Judgement{images->on_bad, images->check} : Judgement();
}

ImageCheckLevel PassCheck(OnBad on_bad, std::optional<ImageCheckLevel> asked) {
  return asked.value_or(UnsaidCheck(on_bad));
}

std::optional<ImagePolicy::Options> ConversionPolicy(const OutputFolder& output,
                                                     const Judgement& judged,
                                                     EntryPoints entry_points,
                                                     const MadeImages& made) {
  ImagePolicy::Options policy{.output = output,
                              .on_bad = judged.on_bad,
                              .check = ImageCheckLevel::kDecode,
                              .max_payload = made.max_payload,
                              .short_sides = {},
                              .image = {},
                              .pixels = made.pixels};
  if (made.pixels) return policy;
  if (judged == Judgement() && !made.recode.recode && !made.encode) {
    return std::nullopt;
  }
  policy.check = judged.check;
  policy.image.quality = made.quality;
  policy.recode = made.recode;
  policy.encode = made.encode;
  policy.entry_points = entry_points;
  policy.passes_undecoded = true;
  return policy;
}

Result<PackResult> CarryOut(const Conversion& conversion,
                            const ConversionRun& run, const Job& job) {
  const PlannedConversion& planned = conversion.planned;
  MakeOptions make{.output = run.output,
                   .judged = conversion.judged(),
                   .threads = run.threads,
                   .check_space = run.check_space,
                   .replace = run.replace,
                   .command = run.command,
                   .dry_run = run.dry_run,
                   .made_per_sample = EstimateSizes(conversion.variants)};
  const ShardPlan& plan = planned.plan.plan;
  if (!conversion.images) {
    const DatasetBlockPreparer preparer(*planned.samples, plan,
                                        planned.plan.entry_points);
    return MakeDataset(planned.plan, preparer, make, job);
  }
  const ImagePolicy policy(plan, *conversion.images);
  const DatasetBlockPreparer preparer(*planned.samples, plan, policy);
  // After the first bad image the rest is looked at by a second policy, which
  // rejects instead of failing, so that one run names all bad images.
  ImagePolicy::Options judge = *conversion.images;
  judge.on_bad = OnBad::kSkip;
  const ImagePolicy rejecting(plan, judge);
  const DatasetBlockPreparer looker(*planned.samples, plan, rejecting);
  make.looker = &looker;
  return MakeDataset(planned.plan, preparer, make, job);
}

Status NoSuchClass(const Label& label, const std::string& key) {
  return Status(Code::kInvalidArgument, "label " + label.ToString() +
                                            " is none of the dataset's classes")
      .At({.key = key});
}

}  // namespace shardine
