// Where a run speaks: results to one stream, notes and errors to the other.
#ifndef SHARDINE_IM2REC_CONSOLE_H_
#define SHARDINE_IM2REC_CONSOLE_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "im2rec/pack_list.h"
#include "io/storage.h"
#include "shardine/printable.h"

namespace shardine {

struct Console {
  std::ostream& out;
  std::ostream& err;
  // Whether standard error shows the progress of work of more than a second.
  bool progress = false;

  void Note(std::string_view text) const {
    err << "im2rec: note: " << PrintableLine(text) << '\n';
  }

  // "OPTION, OPTION: no effect WHEN", nothing if there are none.
  void NoteWithoutEffect(const std::vector<std::string>& options,
                         std::string_view when) const;

  // PackList(), with notes and progress said here; then "PATH: N records, N
  // bytes", and notes if some of them hold no image or lines were left out.
  // kRejected if so.
  Result<ExitCode> Pack(Storage& storage, ListPacking packing) const;
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_CONSOLE_H_
