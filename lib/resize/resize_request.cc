#include "shardine/resize.h"

namespace shardine {

ResizeOptions TreeOptions(const ResizeRequest& request) {
  const ResizeShardsOptions& asked = request.resize;
  ResizeOptions tree{.source = asked.source,
                     .named = request.named,
                     .output = asked.output,
                     .short_sides = asked.short_sides,
                     .bare_sizes = request.preset.has_value(),
                     .image = asked.image,
                     .on_bad = asked.on_bad,
                     .threads = asked.threads};
  if (!request.preset) return tree;
  // Pillow makes gray images RGB there, and saves at 75 and 4:2:0.
  tree.image.quality = 75;
  tree.image.color = ColorMode::kColor;
  if (tree.short_sides.empty()) tree.short_sides = {160, 320};
  return tree;
}

}  // namespace shardine
