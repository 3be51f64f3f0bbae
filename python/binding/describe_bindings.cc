#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>

#include "binding/bindings.h"
#include "binding/option_reader.h"
#include "shardine/audit.h"
#include "shardine/card.h"
#include "shardine/convert.h"
#include "shardine/describe.h"
#include "shardine/doctor.h"
#include "shardine/extract.h"
#include "shardine/index.h"
#include "shardine/option_words.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/report.h"
#include "shardine/resize.h"
#include "shardine/scan.h"
#include "shardine/verify.h"

namespace shardine::binding {
namespace {

// (name, kind, words) of each option.
template <typename Asked>
nb::list Described() {
  Asked asked;
  nb::list listed;
  for (const Option& option : DescribeOptions(asked)) {
    listed.append(nb::make_tuple(PythonName(option.name),
                                 WordOf(option.value.kind),
                                 option.value.words));
  }
  return listed;
}

nb::dict DescribeVerbs() {
  nb::dict verbs;
  verbs["pack"] = Described<PackOptions>();
  verbs["resize"] = Described<ResizeRequest>();
  verbs["convert"] = Described<ConvertOptions>();
  verbs["merge"] = Described<MergeOptions>();
  verbs["relabel"] = Described<RelabelOptions>();
  verbs["index"] = Described<IndexOptions>();
  verbs["reindex"] = Described<ReindexOptions>();
  verbs["verify"] = Described<VerifyOptions>();
  verbs["audit"] = Described<AuditOptions>();
  verbs["report"] = Described<ReportOptions>();
  verbs["card"] = Described<CardOptions>();
  verbs["scan"] = Described<ScanOptions>();
  verbs["extract"] = Described<ExtractOptions>();
  verbs["doctor"] = Described<DoctorOptions>();
  return verbs;
}

}  // namespace

void RegisterDescriptions(nb::module_& module) {
  module.def("described_options", &DescribeVerbs);
}

}  // namespace shardine::binding
