// Registration by the files of the extension module, and the Python exceptions
// for failures of the library.
#ifndef SHARDINE_BINDING_BINDINGS_H_
#define SHARDINE_BINDING_BINDINGS_H_

#include <nanobind/nanobind.h>

#include "shardine/status.h"

namespace shardine::binding {

namespace nb = nanobind;

void RegisterTransforms(nb::module_& module);
void RegisterOperations(nb::module_& module);
void RegisterSamplings(nb::module_& module);
void RegisterImageRecord(nb::module_& module);
void RegisterRemote(nb::module_& module);
void RegisterStats(nb::module_& module);
void RegisterDataset(nb::module_& module);
void RegisterBatch(nb::module_& module);
void RegisterOptions(nb::module_& module);
void RegisterLoader(nb::module_& module);
void RegisterKeep(nb::module_& module);
void RegisterSchedule(nb::module_& module);
void RegisterWriter(nb::module_& module);
void RegisterPackVerbs(nb::module_& module);
void RegisterDescriptions(nb::module_& module);
void RegisterConvertVerbs(nb::module_& module);
void RegisterCheckVerbs(nb::module_& module);
void RegisterInspectVerbs(nb::module_& module);
void RegisterDoctorVerb(nb::module_& module);

// Raises the exception of shardine.errors for `status`. REQUIRES: the GIL is
// held, !status.ok().
[[noreturn]] void Raise(const Status& status);

// The value, or the exception.
template <typename T>
T ValueOrRaise(Result<T> result) {
  if (!result.ok()) Raise(result.status());
  return *std::move(result);
}

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_BINDINGS_H_
