#include "load/load_plan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/index_walk.h"
#include "dataset/undecoded_images.h"
#include "image/undecoded_kind.h"
#include "io/path_scheme.h"
#include "load/chosen_entries.h"
#include "load/crop_plan.h"
#include "load/follow_check.h"
#include "load/image_sizes.h"
#include "load/loader_check.h"
#include "load/node_order.h"
#include "load/still_fields.h"
#include "pipeline/processor_share.h"
#include "shard/dtype.h"
#include "shard/image_array.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Read at a time.
constexpr std::uint64_t kEntries = 4096;

// The bytes of the largest ragged array, by the first one of each field.
std::size_t MostBytes(const std::vector<FieldSpec>& fields) {
  std::uint64_t most = 0;
  for (const FieldSpec& field : fields) {
    if (!field.is_ragged_array()) continue;
    most = std::max(most, ArrayBytes(field.dtype, field.shape).value_or(0));
  }
  return static_cast<std::size_t>(most);
}

bool HasSomeLayout(const IndexField& image) {
  return ImageArrayOf(image.dtype, image.shape, ArrayLayout::kHwc) ||
         ImageArrayOf(image.dtype, image.shape, ArrayLayout::kChw);
}

Digest128 DigestOf(const SampleChoice& choice, const EpochSampling& sampling) {
  if (sampling.name().empty()) return choice.order_digest();
  Xxh3Stream stream;
  stream.UpdateLe(choice.order_digest().low);
  stream.UpdateLe(choice.order_digest().high);
  stream.Update(AsBytes(sampling.name()));
  sampling.AddTo(stream);
  return stream.Digest();
}

}  // namespace

LoadPlan::LoadPlan(const SampleSource& source, const LoaderOptions& options,
                   SampleChoice choice,
                   std::unique_ptr<const EpochSampling> sampling)
    : source_(source),
      options_(options),
      choice_(std::move(choice)),
      sampling_(std::move(sampling)),
      order_digest_(DigestOf(choice_, *sampling_)),
      steps_(sampling_->size(), options.batch_size, options.rank, options.world,
             options.last_batch, sampling_->dealing()) {}

// Fails at once, instead of training on nothing for ninety epochs.
Status LoadPlan::CheckHasSteps() const {
  if (steps_.StepsLeft(steps_.Begin(0)) > 0) return {};
  const std::uint64_t step =
      std::uint64_t{options_.world} * options_.batch_size;
  std::string each = std::to_string(step) + " samples";
  if (options_.world > 1) {
    each += " (" + std::to_string(options_.batch_size) + " on each of " +
            std::to_string(options_.world) + " ranks)";
  }
  return Status(Code::kInvalidArgument,
                "batch_size: no epoch has a batch: a step takes " + each +
                    ", there are " + std::to_string(sampling_->size()) +
                    ", and last_batch \"drop\" leaves out what fills no step");
}

Result<std::unique_ptr<LoadPlan>> LoadPlan::Make(const SampleSource& source,
                                                 const LoaderOptions& options,
                                                 const std::stop_token& stop) {
  const StopScope scope(stop);
  SHARDINE_RETURN_IF_ERROR(CheckLoaderOptions(options));
  SHARDINE_RETURN_IF_ERROR(
      SampleChoice::Check(options.positions, source.size()));
  SampleChoice choice(options.positions, source.size(), source.order_digest());
  if (choice.size() == 0) {
    return Status(Code::kInvalidArgument, "there are no samples in split \"" +
                                              EscapeBytes(source.split()) +
                                              "\"")
        .At({.path = source.path()});
  }
  SHARDINE_ASSIGN_OR_RETURN(auto sampling,
                            EpochSampling::Make(options, source, choice, stop));
  std::unique_ptr<LoadPlan> plan(
      new LoadPlan(source, options, std::move(choice), std::move(sampling)));
  if (options.buckets.empty()) {
    SHARDINE_RETURN_IF_ERROR(plan->CheckHasSteps());
  }
  SHARDINE_RETURN_IF_ERROR(plan->Prepare(stop));
  return plan;
}

Status LoadPlan::Prepare(const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(BatchLayout layout, MakeLayout(stop));
  layout_ = std::make_shared<const BatchLayout>(std::move(layout));
  for (const FieldSpec& spec : layout_->fields) {
    if (spec.view == 0) wanted_.push_back(spec.name);
  }
  if (options_.transform) wanted_.push_back(options_.image);
  // A field that needs a scan is known from the index. It is refused for the
  // whole run: as a bad sample, under a tolerant `on_bad`, it would be every
  // sample.
  SHARDINE_RETURN_IF_ERROR(source_.CheckStreams(wanted_));
  SHARDINE_RETURN_IF_ERROR(CheckKinds(stop));
  if (!options_.buckets.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(
        buckets_, BucketPlan::Make(source_, choice_, options_, stop));
  }
  return options_.order.order == SampleOrder::kRatio ? SortByRatio(stop)
                                                     : Status();
}

// The first sample, and of the fields that it is without, if they are ragged,
// the first that there are.
Result<IndexEntry> LoadPlan::FirstSample(const std::vector<std::string>& names,
                                         const std::stop_token& stop) const {
  SHARDINE_ASSIGN_OR_RETURN(IndexEntry known, source_.Entry(choice_(0)));
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(known.fields, name, &IndexField::name) !=
           known.fields.end();
  };
  std::vector<IndexEntry> entries;
  for (std::uint64_t next = 0; options_.ragged && next < choice_.size();
       next += entries.size()) {
    if (std::ranges::all_of(names, is_known)) break;
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_RETURN_IF_ERROR(
        ChosenEntries(source_, choice_, next,
                      std::min(kEntries, choice_.size() - next), entries));
    for (IndexEntry& entry : entries) {
      for (IndexField& field : entry.fields) {
        const bool is_wanted =
            std::ranges::find(names, field.name) != names.end();
        if (is_wanted && !is_known(field.name)) {
          known.fields.push_back(std::move(field));
        }
      }
    }
  }
  return known;
}

// A batch has one shape, so all samples have to have the labels and fields of
// the first one. Whichever has not is a bad sample when its turn comes.
Result<BatchLayout> LoadPlan::MakeLayout(const std::stop_token& stop) const {
  BatchLayout layout;
  layout.type = options_.pixels.type;
  layout.pixels = options_.pixels.layout;
  layout.mix = options_.mix;
  layout.one_hot = options_.one_hot;
  layout.image = options_.image;
  layout.has_pixels = options_.transform.has_value();
  for (const Transform& view : options_.more_views) {
    layout.more_views.push_back(TargetSize(view.geometry));
  }
  std::vector<std::string> names = options_.fields;
  if (!options_.transform && names.empty()) names = {options_.image};
  SHARDINE_ASSIGN_OR_RETURN(const IndexEntry first, FirstSample(names, stop));
  SHARDINE_RETURN_IF_ERROR(CheckFirstLabels(options_, first.labels));
  layout.first_labels = first.labels;
  auto specs = FieldSpecs(names, first, options_.ragged);
  // Images that no option named are bytes, unless the first one is an array.
  if (!specs.ok() && options_.fields.empty() && !names.empty() &&
      specs.status().code() == Code::kInvalidArgument) {
    specs = std::vector<FieldSpec>{
        {options_.image, std::string(kBytesDtype), {}, 0, options_.ragged}};
  }
  if (!specs.ok()) return std::move(specs).status();
  SHARDINE_ASSIGN_OR_RETURN(
      layout.fields,
      FollowedSpecs(source_, choice_(0), options_, *std::move(specs)));
  if (options_.transform && !options_.fields_stay && !options_.fields.empty()) {
    SHARDINE_RETURN_IF_ERROR(
        RefuseStillFields(source_, choice_(0), first, options_, layout.fields));
  }
  if (options_.synthetic) layout.zeros.resize(MostBytes(layout.fields));
  return layout;
}

// Undecoded kinds such as HEIC are reported before the first batch, even where
// damage is tolerated. Images that the manifest does not know of are found when
// their turn comes.
Status LoadPlan::CheckKinds(const std::stop_token& stop) const {
  if (!options_.transform || options_.synthetic ||
      options_.image != kImageField || source_.undecoded() == 0) {
    return {};
  }
  std::vector<ManifestKind> kinds;
  std::optional<std::uint64_t> position;
  std::string kind;
  std::vector<IndexEntry> entries;
  for (std::uint64_t first = 0; first < choice_.size();
       first += entries.size()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_RETURN_IF_ERROR(
        ChosenEntries(source_, choice_, first,
                      std::min(kEntries, choice_.size() - first), entries));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // A sidecar may be older than the decoder of its images' kind.
      if (IsDecodedKind(entries[i].facts.kind) &&
          entries[i].facts.kind != ImageKind::kJpeg) {
        continue;
      }
      const std::string_view found =
          UndecodedKindOf(entries[i], options_.image_layout);
      AddKind(found, 1, kinds);
      if (position || found.empty()) continue;
      position = choice_(first + i);
      kind = found;
      const IndexField* const image = ImageFieldOf(entries[i]);
      if (image != nullptr && image->dtype != kBytesDtype) {
        kind += " of " + DescribeType(image->dtype, image->shape);
        if (HasSomeLayout(*image)) kind += ", which another image_layout takes";
      }
    }
  }
  if (!position) return {};
  const std::uint64_t count = CountOf(kinds);
  const bool drops = options_.unsupported == OnUnsupported::kDrop;
  if (drops && count < choice_.size()) return {};
  return Status(Code::kUnsupported,
                std::to_string(count) + " of " +
                    std::to_string(choice_.size()) +
                    " samples have an image of a kind that is not decoded: " +
                    Describe(kinds) + "; the first is this " + kind +
                    (count == choice_.size()
                         ? ", and no sample is left"
                         : "; unsupported \"drop\" leaves them out"))
      .At(source_.WhereIs(*position));
}

Status LoadPlan::SortByRatio(const std::stop_token& stop) {
  std::vector<PixelSize> sizes;
  SHARDINE_RETURN_IF_ERROR(ForEachImageSize(
      source_, choice_, options_, "order: by ratio",
      [&](std::uint64_t, const IndexEntry&, PixelSize size) {
        sizes.push_back(size);
        return Status();
      },
      stop));
  rect_.emplace(sizes);
  return {};
}

PixelSize LoadPlan::TargetOf(const RankSlice& slice) const {
  if (!options_.transform) return {};
  const PixelSize target = TargetSize(options_.transform->geometry);
  if (!rect_) return target;
  const std::uint32_t size = target.width;
  // A rank can have no sample of a last short step, and no mean ratio then.
  if (slice.count == 0) return {size, size};
  return RectTarget(size, rect_->MeanRatio(slice.first.position, slice.count));
}

BatchShape LoadPlan::ShapeOf(const RankSlice& slice, PixelSize size) const {
  BatchShape shape{.samples = slice.count};
  if (!options_.transform) return shape;
  shape.width = size.width;
  shape.height = size.height;
  shape.channels = 3;
  return shape;
}

bool LoadPlan::of_server() const { return !SchemeOf(source_.path()).empty(); }

// They mostly wait; decoders are as many as processors.
std::size_t LoadPlan::readers() const {
  // Enough to keep 512 requests under way: at 100 ms each, 5,120 samples a
  // second.
  constexpr std::size_t kOfServers = 64;
  if (options_.readers > 0) return options_.readers;
  if (of_server()) return kOfServers;
  const std::size_t threads = ThreadCount(options_.threads);
  return options_.transform ? std::max<std::size_t>(threads / 4, 2) : threads;
}

EntryPointUse LoadPlan::point_use() const {
  const bool of_use = options_.transform &&
                      options_.entry_points != EntryPointTrust::kUnused &&
                      options_.image == kImageField;
  return of_use ? EntryPointUse::kRead : EntryPointUse::kSkip;
}

NodeSharing LoadPlan::SharingOf(std::uint64_t epoch) const {
  if (begun_ && epoch == begun_epoch_) return *begun_;
  const std::uint32_t nodes = options_.order.nodes;
  if (nodes == 1) return {};
  return {nodes, std::uint64_t{options_.world} / nodes * options_.batch_size};
}

void LoadPlan::ShareEpoch(std::uint64_t epoch,
                          std::optional<NodeSharing> sharing) {
  begun_epoch_ = epoch;
  begun_ = sharing;
}

// REQUIRES: buckets_.
Step LoadPlan::BucketStepAt(StreamPosition from) const {
  from = buckets_->Canonical(from);
  const BucketPlan::Part part = buckets_->PartAt(from);
  const Bucket& bucket = options_.buckets[part.bucket];
  return {from, buckets_->Behind(from), part.slice,
          ShapeOf(part.slice, {bucket.width, bucket.height}), part.bucket};
}

std::optional<Step> LoadPlan::StepAt(StreamPosition from) const {
  if (buckets_) return BucketStepAt(from);
  if (steps_.StepsLeft(from) == 0) {
    from = steps_.Next(from);
    // An epoch that is shorter than a step of kRoll may have no step beginning
    // in it.
    while (options_.last_batch == LastBatch::kRoll &&
           steps_.StepsLeft(from) == 0) {
      from = steps_.Next(from);
    }
    if (steps_.StepsLeft(from) == 0) return std::nullopt;
  }
  const RankSlice slice = steps_.Slice(from);
  return Step{from, steps_.Behind(from), slice,
              ShapeOf(slice, TargetOf(slice))};
}

// Where an epoch is shared by nodes, which no sampling but the plain one is.
void LoadPlan::PlaceOfNodes(std::span<const StreamPosition> places,
                            std::span<SampledPlace> sampled) const {
  std::optional<NodeOrder> order;
  std::uint64_t ordered = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const NodeSharing sharing = SharingOf(places[i].epoch);
    if (sharing.nodes == 1) continue;
    if (!order || ordered != places[i].epoch) {
      ordered = places[i].epoch;
      order.emplace(choice_.size(), options_.order, sharing, options_.seed,
                    ordered);
    }
    sampled[i].number = (*order)(places[i].position);
  }
}

void LoadPlan::BucketSlotsOf(const Step& step, std::uint32_t first,
                             std::span<Slot> slots) const {
  std::vector<StreamPosition> samples(slots.size());
  buckets_->SamplesOf({step.bucket, step.slice}, first, samples);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] = {.number = first++,
                .position = choice_(samples[i].position),
                .epoch = samples[i].epoch};
  }
}

void LoadPlan::SlotsOf(const Step& step, std::uint32_t first,
                       std::span<Slot> slots) const {
  if (buckets_) return BucketSlotsOf(step, first, slots);
  std::vector<StreamPosition> places;
  places.reserve(slots.size());
  for (Slot& slot : slots) {
    slot.number = first++;
    places.push_back(steps_.At(step.slice, slot.number));
    slot.epoch = places.back().epoch;
  }
  if (rect_) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].position = choice_((*rect_)(places[i].position));
    }
    return;
  }
  std::vector<SampledPlace> sampled(slots.size());
  sampling_->At(places, sampled);
  PlaceOfNodes(places, sampled);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].position = choice_(sampled[i].number);
    slots[i].repetition = sampled[i].repetition;
  }
}

}  // namespace shardine
