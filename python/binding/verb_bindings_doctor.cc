#include "binding/verb_results.h"
#include "shardine/machine.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

nb::object FolderObject(const MachineFolder& folder) {
  return MakeResult("MachineFolder", "use"_a = NameText(folder.use),
                    "path"_a = NameText(folder.path),
                    "exists"_a = folder.exists,
                    "file_system"_a = NameText(folder.file_system),
                    "bytes"_a = folder.bytes, "free"_a = folder.free);
}

nb::object MachineObject() {
  const Machine machine = DescribeMachine();
  nb::object cgroup = nb::none();
  if (machine.cgroup_processors)
    cgroup = nb::float_(*machine.cgroup_processors);
  return MakeResult("Machine", "version"_a = MessageText(machine.version),
                    "system"_a = MessageText(machine.system),
                    "glibc"_a = MessageText(machine.glibc),
                    "processor"_a = MessageText(machine.processor),
                    "simd"_a = MessageText(machine.simd),
                    "processor_simd"_a = MessageText(machine.processor_simd),
                    "processors"_a = machine.processors,
                    "cgroup_processors"_a = cgroup,
                    "threads"_a = machine.threads,
                    "libraries"_a = MessageTuple(machine.libraries),
                    "tls"_a = MessageText(machine.tls),
                    "certificates"_a = NameText(machine.certificates),
                    "certificates_exist"_a = machine.certificates_exist,
                    "missing"_a = MessageTuple(machine.missing),
                    "gpus"_a = MessageTuple(machine.gpus),
                    "folders"_a = TupleOf(machine.folders, &FolderObject));
}

}  // namespace

void RegisterDoctorVerb(nb::module_& module) {
  module.def("machine", &MachineObject);
}

}  // namespace shardine::binding
