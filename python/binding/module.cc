#include "binding/bindings.h"
#include "shardine/version.h"

NB_MODULE(_core, module) {
  using namespace shardine::binding;
  module.doc() = "What shardine is made of; use the package shardine instead.";
  module.attr("__version__") = shardine::Version();
  RegisterTransforms(module);
  RegisterStats(module);
  RegisterDataset(module);
  RegisterBatch(module);
  RegisterLoader(module);
}
