// A list of images in memory, packed to /out/a.rec.
#ifndef SHARDINE_UNIT_IM2REC_LIST_FIXTURE_H_
#define SHARDINE_UNIT_IM2REC_LIST_FIXTURE_H_

#include <string>
#include <string_view>

#include "im2rec/pack_list.h"
#include "im2rec/record_file.h"
#include "io/memory_storage.h"

namespace shardine {

inline ListPacking PackingOf(OnBad on_bad = OnBad::kFail) {
  return {.list = "/out/a.lst",
          .parse =
              [](std::string_view line) { return ParsePythonLine(line, true); },
          .locate = [](const std::string& path) { return "/in/" + path; },
          .rec = "/out/a.rec",
          .idx = "/out/a.idx",
          .arguments = "--some",
          .on_bad = on_bad,
          .mark_records = 1};
}

// /in/0 to /in/(n-1), and their list.
inline void PutImages(MemoryStorage& storage, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    storage.Put("/in/" + name, std::string(static_cast<std::size_t>(i), 'x'));
    list += name + "\t0\t" + name + "\n";
  }
  storage.Put("/out/a.lst", list);
}

struct Packed {
  std::string rec;
  std::string idx;
  std::string report;  // "" if there is none

  friend bool operator==(const Packed&, const Packed&) = default;
};

inline Packed PackedIn(MemoryStorage& storage) {
  const auto text = [&](const std::string& path) {
    const Result<std::string> found = storage.Get(path);
    return found.ok() ? *found : std::string();
  };
  return {text("/out/a.rec"), text("/out/a.idx"),
          text(ReportPath("/out/a.rec"))};
}

}  // namespace shardine

#endif  // SHARDINE_UNIT_IM2REC_LIST_FIXTURE_H_
