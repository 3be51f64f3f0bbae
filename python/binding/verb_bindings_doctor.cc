#include <optional>
#include <string>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/describe.h"
#include "shardine/doctor.h"
#include "shardine/doctor_words.h"
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

nb::object StorageObject(const std::optional<StorageRates>& storage) {
  if (!storage) return nb::none();
  return MakeResult("StorageRates", "seeks"_a = storage->seeks,
                    "random_bytes"_a = storage->random_bytes,
                    "sequential"_a = storage->sequential,
                    "readers"_a = storage->readers,
                    "from_memory"_a = storage->from_memory);
}

nb::object ServerObject(const std::optional<ServerRates>& server) {
  if (!server) return nb::none();
  return MakeResult("ServerRates", "latency"_a = server->latency,
                    "bytes"_a = server->bytes, "requests"_a = server->requests);
}

nb::object ImagesObject(const ImageRates& images) {
  return MakeResult("ImageRates", "variant"_a = NameText(images.variant),
                    "estimated"_a = images.estimated, "bytes"_a = images.bytes,
                    "decoded"_a = images.decoded,
                    "decoded_packed"_a = images.decoded_packed);
}

nb::object EpochRowObject(const EpochRow& row) {
  return MakeResult("EpochRow", "reading"_a = WordOf(row.reading),
                    "variant"_a = NameText(row.variant),
                    "images_per_second"_a = row.images_per_second,
                    "hours"_a = row.hours, "limit"_a = WordOf(row.limit),
                    "estimated"_a = row.estimated);
}

nb::object RunDoctor(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  DoctorOptions doctor;
  given.Path("path", doctor.target);
  given.Read(DescribeOptions(doctor));
  given.Finish();
  const DoctorResult result =
      RunVerb(tell, [&](const Job& job) { return Doctor(doctor, job); });
  return MakeResult(
      "Epoch", "target"_a = NameText(result.target),
      "split"_a = NameText(result.split), "samples"_a = result.samples,
      "more_samples"_a = result.more_samples, "threads"_a = result.threads,
      "storage"_a = StorageObject(result.storage),
      "server"_a = ServerObject(result.server),
      "cache"_a = StorageObject(result.cache),
      "images"_a = TupleOf(result.images, &ImagesObject),
      "page_hours"_a = result.page_hours,
      "rows"_a = TupleOf(result.rows, &EpochRowObject), "now"_a = result.now,
      "then"_a = result.then, "change"_a = WordOf(result.change));
}

}  // namespace

void RegisterDoctorVerb(nb::module_& module) {
  module.def("doctor", &RunDoctor, "options"_a, "tell"_a.none());
  module.def("machine", &MachineObject);
}

}  // namespace shardine::binding
