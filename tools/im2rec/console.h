// Where a run speaks: results to one stream, notes and errors to the other.
#ifndef SHARDINE_IM2REC_CONSOLE_H_
#define SHARDINE_IM2REC_CONSOLE_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "im2rec/pack_list.h"
#include "shardine/printable.h"

namespace shardine {

struct Console {
  std::ostream& out;
  std::ostream& err;

  void Note(std::string_view text) const {
    err << "im2rec: note: " << PrintableLine(text) << '\n';
  }

  // "OPTION, OPTION: no effect WHEN", nothing if there are none.
  void NoteWithoutEffect(const std::vector<std::string>& options,
                         std::string_view when) const;

  // "PATH: N records, N bytes"; a note if some of them hold no image.
  void ReportPacked(const std::string& rec, const PackedList& packed) const;
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_CONSOLE_H_
