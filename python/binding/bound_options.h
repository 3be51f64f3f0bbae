// BoundOptions: the options of a loader as Python sets them, words in place of
// enums.
#ifndef SHARDINE_BINDING_BOUND_OPTIONS_H_
#define SHARDINE_BINDING_BOUND_OPTIONS_H_

#include <optional>
#include <vector>

#include "binding/python_batch.h"
#include "shardine/loader.h"

namespace shardine::binding {

struct BoundOptions {
  LoaderOptions Complete() const;
  // How batches are to be shown. Without a requested type, labels are int64
  // where all of the loader's samples have integers, else float32, or float64
  // where float32 does not hold the integers among them; the indexes decide.
  BatchView view(const Dataset& dataset) const;

  LoaderOptions loader;  // but for the transform and the layout of pixels
  std::optional<Geometry> geometry;
  std::vector<PixelOperation> operations;  // but for Normalize
  std::vector<Transform> more_views;       // the same
  bool has_views = false;  // batches are shown as views, be it one
  Normalize normalize;
  nanobind::object shown_as = nanobind::none();  // of a BatchView
  ImageLayout layout = ImageLayout::kChannelsLast;
  std::optional<LabelType> labels;
  std::optional<RaggedForm> ragged;  // none: fields are not
  std::vector<std::string> texts;    // fields that are text beside those that
                                     // the dataset says
};

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_BOUND_OPTIONS_H_
