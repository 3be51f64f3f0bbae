#include "cli/machine_report.h"

#include <vector>

#include "cli/columns.h"
#include "cli/number_text.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + EscapeBytes(word);
  }
  return text.empty() ? "none" : text;
}

std::string OrUnknown(const std::string& text) {
  return text.empty() ? "unknown" : EscapeBytes(text);
}

std::string SimdText(const Machine& machine) {
  if (machine.simd == machine.processor_simd) return machine.simd;
  return machine.simd + " (the processor has " + machine.processor_simd + ")";
}

// "4 for this process, 1.5 by its cgroup; 2 threads by default"
std::string CoresText(const Machine& machine) {
  return std::to_string(machine.processors) + " for this process, " +
         (machine.cgroup_processors
              ? FormatFixed(*machine.cgroup_processors, 1) + " by its cgroup"
              : "no limit by a cgroup") +
         "; " + FormatCount(machine.threads, "thread") + " by default";
}

std::string CertificatesText(const Machine& machine) {
  if (machine.certificates.empty()) return "unknown";
  return EscapeBytes(machine.certificates) +
         (machine.certificates_exist ? "" : " (cannot be read)");
}

std::string FolderText(const MachineFolder& folder) {
  return EscapeBytes(folder.path) + (folder.exists ? "" : " (does not exist)") +
         ": " + OrUnknown(folder.file_system) + ", " +
         FormatBytes(folder.free) + " of " + FormatBytes(folder.bytes) +
         " free";
}

Json FolderJson(const MachineFolder& folder) {
  return {
      {"use", folder.use},       {"path", JsonText(folder.path)},
      {"exists", folder.exists}, {"file_system", JsonText(folder.file_system)},
      {"bytes", folder.bytes},   {"free", folder.free}};
}

Json ListJson(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(JsonText(text));
  return list;
}

}  // namespace

std::string MachineText(const Machine& machine) {
  std::vector<Row> rows = {{"shardine", machine.version},
                           {"system", OrUnknown(machine.system)},
                           {"glibc", OrUnknown(machine.glibc)},
                           {"processor", OrUnknown(machine.processor)},
                           {"simd", SimdText(machine)},
                           {"cores", CoresText(machine)},
                           {"libraries", Joined(machine.libraries)},
                           {"tls", OrUnknown(machine.tls)},
                           {"certificates", CertificatesText(machine)},
                           {"gpu", Joined(machine.gpus)}};
  for (const std::string& missing : machine.missing) {
    rows.push_back({"missing", EscapeBytes(missing)});
  }
  for (const MachineFolder& folder : machine.folders) {
    rows.push_back({folder.use, FolderText(folder)});
  }
  return Aligned(rows);
}

Json MachineJson(const Machine& machine) {
  Json folders = Json::array();
  for (const MachineFolder& folder : machine.folders) {
    folders.push_back(FolderJson(folder));
  }
  return {{"version", machine.version},
          {"system", JsonText(machine.system)},
          {"glibc", JsonText(machine.glibc)},
          {"processor", JsonText(machine.processor)},
          {"simd", machine.simd},
          {"processor_simd", machine.processor_simd},
          {"processors", machine.processors},
          {"cgroup_processors", machine.cgroup_processors
                                    ? Json(*machine.cgroup_processors)
                                    : Json(nullptr)},
          {"threads", machine.threads},
          {"libraries", ListJson(machine.libraries)},
          {"tls", JsonText(machine.tls)},
          {"certificates", JsonText(machine.certificates)},
          {"certificates_exist", machine.certificates_exist},
          {"missing", ListJson(machine.missing)},
          {"gpus", ListJson(machine.gpus)},
          {"folders", std::move(folders)}};
}

}  // namespace shardine
