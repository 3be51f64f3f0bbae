#include "resize/resize_sample.h"

#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "image/deep_image.h"
#include "io/atomic_file.h"
#include "shardine/pack_words.h"
#include "source/read_source.h"

namespace shardine {

// A file that is too large is not read.
SourceBatch SampleResizer::BatchOf(
    std::span<const std::uint32_t> samples) const {
  SourceBatch batch(sources_);
  for (const std::uint32_t sample : samples) {
    const std::string path = plan_.SourcePath(sample);
    const SourceFacts facts = plan_.source().samples.facts(sample);
    if (CheckSourceSize(path, facts.size).ok()) batch.Add(path, facts);
  }
  return batch;
}

Result<ResizedSample> SampleResizer::Resize(std::uint32_t sample,
                                            SourceBatch& batch,
                                            const std::vector<bool>& missing) {
  ResizedSample resized;
  resized.sample = sample;
  resized.files.resize(images_.size());
  const std::string path = plan_.SourcePath(sample);
  const Status fits =
      CheckSourceSize(path, plan_.source().samples.facts(sample).size);
  bytes_.Resize(0);
  const Status read = fits.ok() ? batch.ReadNext(bytes_) : fits;
  if (!read.ok()) {
    if (fits.ok() && !IsUnreadable(read)) return read;
    bytes_.Resize(0);
    resized.reject = plan_.RejectOf(
        sample, fits.ok() ? "unreadable" : "too-large", read.message());
    SHARDINE_RETURN_IF_ERROR(HandleBad(read, OnBad::kSkip, resized));
    return resized;
  }
  const RecodeResult result = recoder_.Recode(bytes_.view(), images_);
  const ImageVerdict& verdict = result.verdict;
  if (!verdict.good()) {
    resized.reject = plan_.RejectOf(sample, verdict.reason, verdict.detail);
    const Status why =
        Status(Code::kCorrupt, verdict.reason + ": " + verdict.detail)
            .At({.path = path, .offset = verdict.offset});
    SHARDINE_RETURN_IF_ERROR(HandleBad(
        why,
        result.made || options_.on_bad != OnBad::kKeep ? options_.on_bad
                                                       : OnBad::kSkip,
        resized));
    if (resized.reject->action != WordOf(OnBad::kKeep)) return resized;
  }
  resized.deep = DeepImageOf(verdict.facts);
  SHARDINE_RETURN_IF_ERROR(WriteFiles(missing, resized));
  return resized;
}

// `possible` is the action where the options do not say fail.
Status SampleResizer::HandleBad(const Status& why, OnBad possible,
                                ResizedSample& resized) const {
  Reject& reject = *resized.reject;
  if (options_.on_bad == OnBad::kFail) {
    return Status(why).At({.key = reject.key});
  }
  reject.action = WordOf(possible);
  if (possible != OnBad::kQuarantine) return Status();
  return Quarantine(output_, reject.split, reject.key, bytes_.view());
}

Status SampleResizer::WriteFiles(const std::vector<bool>& missing,
                                 ResizedSample& resized) {
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const RecodedImage& image = images_[i];
    if (image.bytes.size() > UINT32_MAX) {
      return Status(Code::kUnsupported, "would become a file of 4 GiB or more")
          .At({.path = plan_.SourcePath(resized.sample)});
    }
    resized.files[i] = {static_cast<std::uint32_t>(image.bytes.size()),
                        image.upscaled, image.kept,
                        Xxh3_64(image.bytes.view())};
    if (!missing[i]) continue;
    const std::string path =
        output_.PathOf(plan_.OutputName(resized.sample, i));
    SHARDINE_RETURN_IF_ERROR(WriteFile(path, image.bytes.view()));
    resized.written.push_back(path);
  }
  return Status();
}

Status SampleResizer::WriteFile(const std::string& path,
                                ByteView contents) const {
  SHARDINE_ASSIGN_OR_RETURN(const auto file,
                            output_.storage().Create(TemporaryName(path)));
  SHARDINE_RETURN_IF_ERROR(file->Append(contents));
  return file->Close();
}

}  // namespace shardine
