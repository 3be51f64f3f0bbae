#include <exception>
#include <functional>

#include "binding/bindings.h"
#include "binding/released_lock.h"
#include "shardine/environment.h"
#include "shardine/version.h"

namespace shardine::binding {
namespace {

// os.environ changes with the interpreter's lock held alone.
void KeepEnvironment(const std::function<void()>& work) {
  if (Py_IsInitialized() == 0) return work();
  try {
    const TakenLock lock;
    work();
  } catch (...) {
    if (std::current_exception() != nullptr) throw;
    StandStill();
  }
}

}  // namespace
}  // namespace shardine::binding

NB_MODULE(_core, module) {
  using namespace shardine::binding;
  shardine::SetEnvironmentKeeper(KeepEnvironment);
  // An array that another library holds at exit, as from_dlpack() gives it, is
  // no leak of ours.
  nanobind::set_leak_warnings(false);
  // The unwinding of a daemon thread that Python ends in a call of ours is no
  // exception of C++, and has no pointer to one.
  nanobind::register_exception_translator(
      [](const std::exception_ptr& thrown, void*) {
        if (thrown == nullptr) StandStill();
        std::rethrow_exception(thrown);
      });
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
  RegisterKeep(module);
  RegisterSchedule(module);
  RegisterWriter(module);
  RegisterPackVerbs(module);
  RegisterDescriptions(module);
  RegisterConvertVerbs(module);
  RegisterCheckVerbs(module);
  RegisterInspectVerbs(module);
  RegisterDoctorVerb(module);
}
