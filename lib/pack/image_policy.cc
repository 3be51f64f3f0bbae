#include "pack/image_policy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "image/check_image.h"
#include "image/check_level.h"
#include "image/deep_image.h"
#include "image/image_decoder.h"
#include "image/image_encoder.h"
#include "image/probe.h"
#include "image/recoder.h"
#include "image/undecoded_kind.h"
#include "pixels/buffer_sink.h"
#include "shard/content_digest.h"
#include "shard/dtype.h"
#include "shard/image_array.h"
#include "shardine/option.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

// The payload of `source` with another image, of the same kind.
PreparedPayload AppendWithImage(const PreparedVariant& source,
                                const PreparedPayload& of,
                                const RecodedImage& image,
                                PreparedVariant& variant) {
  PreparedPayload payload;
  payload.offset = variant.bytes.size();
  payload.fields = of.fields;
  std::size_t number = 0;
  for (const FieldView& field : FieldsOf(source, of)) {
    const bool is_image = field.name == kImageField;
    variant.bytes.Append(is_image ? image.bytes.view() : field.bytes);
    if (is_image && payload.fields) {
      PreparedField& made = (*payload.fields)[number];
      made.size = image.bytes.size();
      if (!made.shape.empty()) {
        made.shape[0] = image.size.height;
        made.shape[1] = image.size.width;
      }
    }
    ++number;
  }
  payload.size = variant.bytes.size() - payload.offset;
  return payload;
}

// An image that takes the place of the one that was read.
struct NewImage {
  ByteView bytes;
  std::string_view dtype = kBytesDtype;
  std::vector<std::uint64_t> shape = {};
};

// `all` is memory that is kept. All fields are put together again, since the
// new image has another length and the fields after it move.
void PutImage(const NewImage& image, ByteBuffer& all, PreparedVariant& read,
              PreparedPayload& payload) {
  all.Resize(0);
  std::vector<PreparedField> fields;
  for (const FieldView& field : FieldsOf(read, payload)) {
    const bool is_image = field.name == kImageField;
    const ByteView bytes = is_image ? image.bytes : field.bytes;
    all.Append(bytes);
    fields.push_back({std::string(field.name),
                      std::string(field.dtype),
                      {field.shape.begin(), field.shape.end()},
                      bytes.size()});
    if (!is_image) continue;
    fields.back().dtype = image.dtype;
    fields.back().shape = image.shape;
  }
  payload.fields = std::move(fields);
  payload.size = all.size();
  read.bytes.Resize(payload.offset);
  read.bytes.Append(all.view());
}

}  // namespace

// The tools with which a thread makes the sizes of an image, and its new
// encoding.
struct ImagePolicy::Tools {
  explicit Tools(const Options& options)
      : recoder(options.image, options.short_sides),
        outputs(options.short_sides.size()) {
    if (options.recode.recode) {
      encoder.emplace(
          ImageEncoder::Options{.encoding = *options.recode.recode,
                                .quality = options.image.quality,
                                .to_8_bits = options.recode.to_8_bits});
    }
    if (!options.encode) return;
    array_encoder.emplace(
        ImageEncoder::Options{.encoding = options.encode->encoding,
                              .quality = options.image.quality,
                              .to_8_bits = options.encode->to_8_bits});
  }

  Recoder recoder;
  std::vector<RecodedImage> outputs;
  ImageDecoder decoder;
  PixelBuffer pixels;
  std::optional<ImageEncoder> encoder;
  std::optional<ImageEncoder> array_encoder;
  EncodedImage encoded;
  ByteBuffer array;
  ByteBuffer payload;
};

struct ImagePolicy::Finding {
  ImageFacts facts;
  std::string reason;  // empty: good
  std::string detail;
  std::uint64_t offset = 0;
  bool usable = true;  // it could be packed all the same
  std::string entry_points = {};
  bool damaged = false;     // they were not found, since its scan is not sound
  bool is_encoded = false;  // again: the image is Tools::encoded
  NewEncoding encoding = {};
};

ImagePolicy::ImagePolicy(const ShardPlan& plan, Options options)
    : plan_(plan),
      options_(std::move(options)),
      checkers_(
          {.level = options_.short_sides.empty() ? ToImageCheck(options_.check)
                                                 : ImageCheck::kNone,
           .find_entry_points = options_.entry_points == EntryPoints::kAuto}) {}
ImagePolicy::~ImagePolicy() = default;

// Decoders and buffers are kept for the next sample. There are never more of
// them than threads that were in Add() at a time.
std::unique_ptr<ImagePolicy::Tools> ImagePolicy::TakeTools() const {
  {
    const std::lock_guard lock(mutex_);
    if (!free_tools_.empty()) {
      std::unique_ptr<Tools> tools = std::move(free_tools_.back());
      free_tools_.pop_back();
      return tools;
    }
  }
  return std::make_unique<Tools>(options_);
}

void ImagePolicy::GiveBack(std::unique_ptr<Tools> tools) const {
  const std::lock_guard lock(mutex_);
  free_tools_.push_back(std::move(tools));
}

// The pixels come to tools.pixels.
Result<std::vector<DecodeWarning>> ImagePolicy::DecodePixels(
    ByteView image, Tools& tools) const {
  const bool gray = *options_.pixels == PixelOrder::kGray;
  SHARDINE_RETURN_IF_ERROR(tools.decoder.Open(
      image, {.color = gray ? ColorMode::kGray : ColorMode::kColor}));
  BufferSink sink(tools.pixels);
  return tools.decoder.Decode(sink);
}

Result<ImagePolicy::Finding> ImagePolicy::Look(const FieldView& image,
                                               Tools& tools) const {
  if (image.dtype == kBytesDtype) return LookAtEncoded(image.bytes, tools);
  return LookAtArray(image, tools);
}

// There is nothing to decode, and no pixel that could be wrong. An array that
// cannot take the wanted form is a fault of the options, not of one sample.
Result<ImagePolicy::Finding> ImagePolicy::LookAtArray(const FieldView& image,
                                                      Tools& tools) const {
  if (options_.encode) return EncodeArray(image, tools);
  const auto array = ImageArrayOf(image.dtype, image.shape);
  if (!array) return NotAnImage(image);
  if (options_.short_sides.empty() && options_.pixels) {
    return Status(Code::kUnsupported, "the image is an array already");
  }
  if (options_.short_sides.empty()) return Finding();
  if (array->channels == 4) {
    return Status(Code::kUnsupported,
                  "the image is an array of 4 channels, and what the fourth "
                  "means is not known: those of 1 and 3 are resized");
  }
  if (options_.image.color != ColorMode::kKeep) {
    return Status(Code::kUnsupported,
                  "the image is an array: those keep their channels");
  }
  SHARDINE_RETURN_IF_ERROR(
      CheckFieldType(image.name, image.dtype, image.shape, image.bytes.size()));
  RecodeResult recoded = tools.recoder.RecodeArray(
      {reinterpret_cast<const std::uint8_t*>(image.bytes.data()), array->size,
       array->channels, std::size_t{array->size.width} * array->channels},
      tools.outputs);
  Finding finding;
  finding.usable = recoded.made;
  finding.reason = std::move(recoded.verdict.reason);
  finding.detail = std::move(recoded.verdict.detail);
  return finding;
}

// With sizes or arrays to make, the one decode that makes them also checks.
Result<ImagePolicy::Finding> ImagePolicy::LookAtEncoded(ByteView image,
                                                        Tools& tools) const {
  Finding finding;
  ImageVerdict verdict;
  const bool decodes = makes_images();
  // Points of the original cost a scan of their own, which the decode that
  // makes the sizes is then given to use.
  if (!decodes || finds_in_source()) {
    CheckedImage checked = checkers_.Check(image);
    verdict = std::move(checked.verdict);
    finding.entry_points = std::move(checked.entry_points);
    finding.damaged = checked.damaged;
  }
  if (options_.pixels) {
    verdict = CheckImage(image, ImageCheck::kHeader);
    const auto decoded = DecodePixels(image, tools);
    if (verdict.good()) JudgeDecode(decoded, verdict);
    finding.usable = decoded.ok();
  } else if (!options_.short_sides.empty()) {
    RecodeResult recoded = tools.recoder.Recode(image, tools.outputs, {},
                                                AsBytes(finding.entry_points));
    verdict = std::move(recoded.verdict);
    finding.usable = recoded.made;
  }
  finding.facts = verdict.facts;
  if (options_.passes_undecoded && !UndecodedKind(finding.facts).empty()) {
    return finding;
  }
  if (RefusesKind(finding.facts.kind)) {
    finding.reason = ToString(ImageProblem::kUnsupported);
    finding.detail = std::string("a ") + ToString(finding.facts.kind) +
                     " image; the kinds are " + NamesText(options_.kinds);
    return finding;
  }
  finding.detail = std::move(verdict.detail);
  finding.offset = verdict.offset;
  // Without a check faults are let through, but an image that cannot be decoded
  // has no sizes and no array to pack.
  if (options_.check != ImageCheckLevel::kNone || !finding.usable) {
    finding.reason = std::move(verdict.reason);
  }
  SHARDINE_RETURN_IF_ERROR(EncodeAgain(image, tools, finding));
  return finding;
}

// An image that cannot be encoded is of no use, whatever the check found.
Status ImagePolicy::EncodeAgain(ByteView image, Tools& tools,
                                Finding& finding) const {
  const ImageFacts facts = finding.facts;
  if (!tools.encoder || !tools.encoder->Takes(facts)) return {};
  SHARDINE_RETURN_IF_ERROR(tools.encoder->CheckBits(facts.bits));
  ImageVerdict verdict = tools.encoder->Encode(image, facts, tools.encoded);
  finding.is_encoded = finding.usable = verdict.good();
  if (!verdict.good()) {
    if (!finding.reason.empty()) return {};
    finding.reason = std::move(verdict.reason);
    finding.detail = std::move(verdict.detail);
    finding.offset = verdict.offset;
    return {};
  }
  finding.facts = tools.encoded.facts;
  finding.encoding = {
      .from = ToString(facts.kind),
      .scaled = facts.bits == 16 && tools.encoded.facts.bits == 8,
      .dropped = facts.components == 2 || facts.components == 4};
  FindNewPoints(tools, finding);
  return {};
}

Result<ImagePolicy::Finding> ImagePolicy::EncodeArray(const FieldView& image,
                                                      Tools& tools) const {
  const ArrayLayout layout = options_.encode->layout;
  SHARDINE_RETURN_IF_ERROR(CheckEncodable(image, layout));
  SHARDINE_RETURN_IF_ERROR(
      CheckFieldType(image.name, image.dtype, image.shape, image.bytes.size()));
  const ImageArray array = *DeepArrayOf(image.dtype, image.shape, layout);
  SHARDINE_RETURN_IF_ERROR(tools.array_encoder->CheckBits(array.bits()));
  ArrangePixels(array, image.bytes, tools.array);
  const auto pixel =
      static_cast<std::uint8_t>(array.channels * (array.bits() / 8U));
  const PixelView pixels{
      reinterpret_cast<const std::uint8_t*>(tools.array.data()), array.size,
      pixel, std::size_t{array.size.width} * pixel};
  SHARDINE_RETURN_IF_ERROR(
      tools.array_encoder->EncodePixels(pixels, array.bits(), tools.encoded));
  Finding finding;
  finding.is_encoded = true;
  finding.facts = tools.encoded.facts;
  finding.encoding = {.from = "array",
                      .scaled = array.bits() == 16 && finding.facts.bits == 8};
  FindNewPoints(tools, finding);
  return finding;
}

void ImagePolicy::FindNewPoints(Tools& tools, Finding& finding) const {
  if (!finds_in_source()) return;
  CheckedImage checked = checkers_.Check(tools.encoded.bytes.view());
  finding.entry_points = std::move(checked.entry_points);
  finding.damaged = checked.damaged;
}

bool ImagePolicy::RefusesKind(ImageKind kind) const {
  return options_.check != ImageCheckLevel::kNone && !options_.kinds.empty() &&
         IsDecodedKind(kind) &&
         std::ranges::find(options_.kinds, ToString(kind)) ==
             options_.kinds.end();
}

// The other fields go into each record as they are.
void ImagePolicy::CheckSizes(const PreparedPayload& payload,
                             std::size_t image_bytes, const Tools& tools,
                             Finding& finding) const {
  const std::uint64_t others = payload.size - image_bytes;
  if (finding.is_encoded) {
    CheckMade(others + tools.encoded.bytes.size(), "encoded again", finding);
  }
  for (const RecodedImage& output : tools.outputs) {
    CheckMade(others + output.bytes.size(), "at another size", finding);
  }
}

void ImagePolicy::CheckMade(std::uint64_t bytes, const char* made,
                            Finding& finding) const {
  if (bytes <= options_.max_payload) return;
  finding.usable = false;
  if (!finding.reason.empty()) return;
  finding.reason = "too-large";
  finding.detail = std::to_string(bytes) + " bytes " + made +
                   "; a record of this format holds " +
                   std::to_string(options_.max_payload);
}

Status ImagePolicy::Add(std::size_t source, PreparedPayload payload,
                        const Where& where, PreparedBlock& block) const {
  PreparedVariant& read = block.variants[0];
  const auto image = ImageFieldOf(read, payload);
  if (!image && makes_images()) {
    return Status(Code::kUnsupported, "the sample has no image").At(where);
  }
  std::unique_ptr<Tools> tools = TakeTools();
  Finding finding;
  if (image) {
    auto looked = Look(*image, *tools);
    if (!looked.ok()) return std::move(looked).status().At(where);
    finding = *std::move(looked);
    if (finding.usable) {
      CheckSizes(payload, image->bytes.size(), *tools, finding);
    }
  }
  payload.facts = finding.facts;
  payload.deep = DeepImageOf(finding.facts);
  payload.entry_points = std::move(finding.entry_points);
  payload.damaged = finding.damaged;
  payload.encoding = finding.encoding;
  PreparedSample sample{.source = source};
  if (!finding.reason.empty()) {
    Where at = where;
    // In a file of its own the image's bytes are the file's.
    if (!at.record) at.offset = finding.offset;
    const Status why =
        Status(Code::kCorrupt, finding.reason + ": " + finding.detail).At(at);
    const Status dealt = DealWith(finding, why, image->bytes, sample);
    if (!dealt.ok()) {
      block.bad = std::move(sample.reject);
      return dealt;
    }
  }
  if (sample.packed) {
    if (options_.pixels) PutPixels(*tools, read, payload);
    if (finding.is_encoded) {
      PutImage({.bytes = tools->encoded.bytes.view()}, tools->payload, read,
               payload);
    }
    std::vector<Label> labels;
    plan_.source().samples.GetLabels(source, labels);
    payload.digest = ContentDigest(labels, FieldsOf(read, payload));
    read.payloads.push_back(std::move(payload));
    AddSizes(labels, *tools, block);
  } else {
    read.bytes.Resize(payload.offset);
    for (PreparedVariant& variant : block.variants) {
      variant.payloads.emplace_back();
    }
  }
  block.samples.push_back(std::move(sample));
  GiveBack(std::move(tools));
  return Status();
}

// The array in place of the encoded image.
void ImagePolicy::PutPixels(Tools& tools, PreparedVariant& read,
                            PreparedPayload& payload) const {
  const PixelView pixels = tools.pixels.view();
  tools.array.Resize(0);
  AppendPixelArray(pixels, *options_.pixels, tools.array);
  PutImage({.bytes = tools.array.view(),
            .dtype = kPixelDtype,
            .shape = PixelShape(*options_.pixels, pixels.size)},
           tools.payload, read, payload);
  payload.facts = {};
}

void ImagePolicy::AddSizes(const std::vector<Label>& labels, const Tools& tools,
                           PreparedBlock& block) const {
  const PreparedVariant& read = block.variants[0];
  for (std::size_t i = 0; i < tools.outputs.size(); ++i) {
    const RecodedImage& output = tools.outputs[i];
    PreparedVariant& variant = block.variants[1 + i];
    PreparedPayload payload =
        AppendWithImage(read, read.payloads.back(), output, variant);
    payload.facts = output.facts;
    payload.upscaled = output.upscaled;
    payload.kept = output.kept;
    if (finds_in_sizes() && ImageOf(variant, payload)) {
      CheckedImage checked = checkers_.Check(output.bytes.view());
      payload.entry_points = std::move(checked.entry_points);
      payload.damaged = checked.damaged;
    }
    payload.digest = ContentDigest(labels, FieldsOf(variant, payload));
    variant.payloads.push_back(std::move(payload));
  }
}

Status ImagePolicy::AddUnread(std::size_t source, std::string reason,
                              const Status& why, PreparedBlock& block) const {
  PreparedSample sample{.source = source};
  const Finding finding{.facts = {},
                        .reason = std::move(reason),
                        .detail = why.message(),
                        .usable = false};
  const Status dealt = DealWith(finding, why, std::nullopt, sample);
  if (!dealt.ok()) {
    block.bad = std::move(sample.reject);
    return dealt;
  }
  for (PreparedVariant& variant : block.variants) {
    variant.payloads.emplace_back();
  }
  block.samples.push_back(std::move(sample));
  return Status();
}

// Records the action in the sample; returns `why` if the action is to fail.
Status ImagePolicy::DealWith(const Finding& finding, const Status& why,
                             std::optional<ByteView> image,
                             PreparedSample& sample) const {
  Reject& reject = sample.reject.emplace(RejectOf(sample.source, finding));
  OnBad done = options_.on_bad;
  reject.action = WordOf(done);
  if (done == OnBad::kFail) return Status(why).At({.key = reject.key});
  // An unread image cannot be copied, and an unusable one cannot be kept.
  if (done == OnBad::kQuarantine && !image) done = OnBad::kSkip;
  if (done == OnBad::kKeep && !finding.usable) done = OnBad::kSkip;
  if (done == OnBad::kQuarantine) {
    SHARDINE_RETURN_IF_ERROR(
        Quarantine(options_.output, reject.split, reject.key, *image));
  }
  reject.action = WordOf(done);
  sample.packed = done == OnBad::kKeep;
  return Status();
}

Reject ImagePolicy::RejectOf(std::size_t source, const Finding& finding) const {
  const SourceList& list = plan_.source().samples;
  return {.split = plan_.source().splits[list.split(source)],
          .key = std::string(list.key(source)),
          .reason = finding.reason,
          .action = "",
          .detail = finding.detail};
}

}  // namespace shardine
