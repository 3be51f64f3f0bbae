#include "binding/bindings.h"
#include "shardine/version.h"

NB_MODULE(_core, module) {
  using namespace shardine::binding;
  // An array that another library holds at exit, as from_dlpack() gives it, is
  // no leak of ours.
  nanobind::set_leak_warnings(false);
  module.doc() = "What shardine is made of; use the package shardine instead.";
  module.attr("version") = shardine::Version();
  RegisterTransforms(module);
  RegisterOperations(module);
  RegisterSamplings(module);
  RegisterImageRecord(module);
  RegisterRemote(module);
  RegisterStats(module);
  RegisterDataset(module);
  RegisterBatch(module);
  RegisterOptions(module);
  RegisterLoader(module);
  RegisterSchedule(module);
  RegisterWriter(module);
  RegisterPackVerbs(module);
  RegisterConvertVerbs(module);
  RegisterCheckVerbs(module);
  RegisterInspectVerbs(module);
}
