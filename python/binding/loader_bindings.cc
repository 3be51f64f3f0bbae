#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "binding/bindings.h"
#include "binding/held_batch.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

// How long Ctrl-C may have to wait.
constexpr std::chrono::milliseconds kSlice{100};

template <typename T>
T Choice(const char* option, const std::string& given,
         std::initializer_list<std::pair<const char*, T>> choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (given == name) return value;
    names += names.empty() ? "" : ", ";
    names += name;
  }
  const std::string message =
      std::string(option) + ": \"" + given + "\" is none of " + names;
  throw nb::value_error(message.c_str());
}

// What whoever moves a loader has, while it lets go of the interpreter's lock.
// A second one is refused, not made to wait.
class Turn {
 public:
  explicit Turn(bool& taken) : taken_(taken) {
    if (taken) {
      throw std::runtime_error(
          "another thread is waiting for this loader: it has one consumer");
    }
    taken_ = true;
  }
  ~Turn() { taken_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  bool& taken_;
};

// A loader and how its batches are shown.
class BoundLoader {
 public:
  BoundLoader(std::shared_ptr<const Dataset> dataset,
              const LoaderOptions& options, const BatchView& view)
      : dataset_(std::move(dataset)), view_(view) {
    auto loader = [&] {
      const nb::gil_scoped_release released;
      return Loader::Create(dataset_, options);
    }();
    loader_ = ValueOrRaise(std::move(loader));
  }

  // In a process forked off there are no threads to wait for.
  ~BoundLoader() {
    if (getpid() != process_) {
      static_cast<void>(loader_.release());
      return;
    }
    const nb::gil_scoped_release released;
    loader_.reset();
  }

  BoundLoader(const BoundLoader&) = delete;
  BoundLoader& operator=(const BoundLoader&) = delete;

  // nullptr at the end of the epoch.
  std::unique_ptr<HeldBatch> Next() {
    CheckProcess();
    const Turn turn(taken_);
    // An interruption of the wait must not cost the batch that came meanwhile.
    for (bool ready = false; !ready;) {
      ready = Wait();
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    // It is ready: with the lock held, nobody sees the place half changed.
    std::optional<Batch> taken = ValueOrRaise(loader_->Next());
    if (!taken) return nullptr;
    return ValueOrRaise(HeldBatch::Make(*std::move(taken), dataset_, view_));
  }

  void SetEpoch(std::uint64_t epoch) {
    CheckProcess();
    const Turn turn(taken_);
    const nb::gil_scoped_release released;
    loader_->SetEpoch(epoch);
  }

  void SetState(const std::string& order_digest, std::uint64_t seed,
                std::uint64_t epoch, std::uint64_t position) {
    CheckProcess();
    const Turn turn(taken_);
    const auto digest = Digest128::FromHex(order_digest);
    if (!digest) throw nb::value_error("order_digest: not 32 hex digits");
    const Status status = [&] {
      const nb::gil_scoped_release released;
      return loader_->SetState({*digest, seed, epoch, position});
    }();
    if (!status.ok()) Raise(status);
  }

  void Stop() {
    if (getpid() != process_) return;
    const nb::gil_scoped_release released;
    loader_->Stop();
  }

  const Loader& loader() const { return *loader_; }

 private:
  bool Wait() {
    const nb::gil_scoped_release released;
    return loader_->WaitFor(kSlice);
  }

  void CheckProcess() const {
    if (getpid() == process_) return;
    throw std::runtime_error(
        "this loader is of another process: make one in each");
  }

  std::shared_ptr<const Dataset> dataset_;
  BatchView view_;
  std::unique_ptr<Loader> loader_;
  bool taken_ = false;  // a Turn
  const pid_t process_ = getpid();
};

SampleOrder OrderOf(const std::string& name) {
  return Choice<SampleOrder>("order", name,
                             {{"shuffle", SampleOrder::kShuffle},
                              {"blocks", SampleOrder::kBlocks},
                              {"sequential", SampleOrder::kSequential}});
}

LastBatch LastBatchOf(const std::string& name) {
  return Choice<LastBatch>("last_batch", name,
                           {{"drop", LastBatch::kDrop},
                            {"short", LastBatch::kShort},
                            {"pad", LastBatch::kPad},
                            {"roll", LastBatch::kRoll}});
}

OnBadSample OnBadOf(const std::string& name) {
  return Choice<OnBadSample>("on_bad", name,
                             {{"fail", OnBadSample::kFail},
                              {"drop", OnBadSample::kDrop},
                              {"gray", OnBadSample::kGray}});
}

ImageLayout LayoutOf(const std::string& name) {
  return Choice<ImageLayout>("layout", name,
                             {{"channels_last", ImageLayout::kChannelsLast},
                              {"nhwc", ImageLayout::kNhwc},
                              {"nchw", ImageLayout::kNchw}});
}

PixelType PixelTypeOf(const std::string& name) {
  return Choice<PixelType>("dtype", name,
                           {{"uint8", PixelType::kUint8},
                            {"float32", PixelType::kFloat32},
                            {"float16", PixelType::kFloat16}});
}

LabelType LabelTypeOf(const std::string& name) {
  return Choice<LabelType>("label_dtype", name,
                           {{"int64", LabelType::kInt64},
                            {"float32", LabelType::kFloat32},
                            {"float64", LabelType::kFloat64}});
}

Filter FilterOf(const std::string& name) {
  return Choice<Filter>("filter", name,
                        {{"nearest", Filter::kNearest},
                         {"box", Filter::kBox},
                         {"bilinear", Filter::kBilinear},
                         {"hamming", Filter::kHamming},
                         {"bicubic", Filter::kBicubic},
                         {"lanczos", Filter::kLanczos}});
}

nb::dict StateOf(const BoundLoader& self) {
  const LoaderState state = self.loader().State();
  nb::dict dict;
  dict["order_digest"] = state.order_digest.ToHex();
  dict["seed"] = state.seed;
  dict["epoch"] = state.epoch;
  dict["position"] = state.position;
  return dict;
}

// Keyword arguments are what LoaderOptions and BatchView hold, words in place
// of enums.
void Construct(BoundLoader* self, const std::shared_ptr<Dataset>& dataset,
               std::uint32_t batch_size, const std::string& order,
               std::uint64_t block, std::uint64_t window, std::uint64_t seed,
               std::uint32_t rank, std::uint32_t world,
               const std::string& last_batch,
               const std::optional<Transform>& transform,
               const std::string& layout, const std::string& dtype,
               const std::array<float, 3>& mean,
               const std::array<float, 3>& std, const std::string& filter,
               bool apply_exif, const std::string& label_dtype,
               const std::string& on_bad, unsigned threads,
               std::uint32_t prefetch) {
  const BatchView view = {.layout = LayoutOf(layout),
                          .type = PixelTypeOf(dtype),
                          .labels = LabelTypeOf(label_dtype),
                          .raw = !transform};
  LoaderOptions options;
  options.batch_size = batch_size;
  options.order = {OrderOf(order), block, window};
  options.seed = seed;
  options.rank = rank;
  options.world = world;
  options.last_batch = LastBatchOf(last_batch);
  options.transform = transform;
  options.pixels.layout = view.layout == ImageLayout::kNchw
                              ? PixelLayout::kNchw
                              : PixelLayout::kNhwc;
  options.pixels.type = view.type;
  options.pixels.mean = mean;
  options.pixels.std = std;
  options.pixels.filter = FilterOf(filter);
  options.pixels.apply_exif = apply_exif;
  options.on_bad = OnBadOf(on_bad);
  options.threads = threads;
  options.prefetch = prefetch;
  new (self) BoundLoader(dataset, options, view);
}

}  // namespace

void RegisterLoader(nb::module_& module) {
  nb::class_<BoundLoader>(module, "Loader")
      .def("__init__", &Construct, "dataset"_a, nb::kw_only(), "batch_size"_a,
           "order"_a, "block"_a, "window"_a, "seed"_a, "rank"_a, "world"_a,
           "last_batch"_a, "transform"_a.none(), "layout"_a, "dtype"_a,
           "mean"_a, "std"_a, "filter"_a, "apply_exif"_a, "label_dtype"_a,
           "on_bad"_a, "threads"_a, "prefetch"_a)
      .def("next", &BoundLoader::Next,
           nb::sig("def next(self) -> Batch | None"))
      .def("set_epoch", &BoundLoader::SetEpoch, "epoch"_a)
      .def("set_state", &BoundLoader::SetState, "order_digest"_a, "seed"_a,
           "epoch"_a, "position"_a)
      .def("state", &StateOf)
      .def("stop", &BoundLoader::Stop)
      .def("stats",
           [](const BoundLoader& self) { return self.loader().stats(); })
      .def_prop_ro("steps_left",
                   [](const BoundLoader& self) { return self.loader().size(); })
      .def(
          "steps_of",
          [](const BoundLoader& self, std::uint64_t epoch) {
            return self.loader().StepsOf(epoch);
          },
          "epoch"_a)
      .def_prop_ro("epoch", [](const BoundLoader& self) {
        return self.loader().epoch();
      });
}

}  // namespace shardine::binding
