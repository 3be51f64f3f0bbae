// Standard output, for results only: everything else goes to standard error.
#ifndef SHARDINE_CLI_OUTPUT_H_
#define SHARDINE_CLI_OUTPUT_H_

#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

// Opens those of the descriptors 0, 1 and 2 that the caller closed, so that
// every use fails: else the next file opened would take the number and the
// results. Makes writing to a pipe without a reader an error instead of a
// signal. Call it first.
void GuardStandardStreams();

// Buffered. Thread-compatible. Ends in Flush(): text that is not flushed is
// lost.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}

  // Text in lines. Characters that a terminal would act on are escaped
  // (shardine/printable.h). kIo with errno.
  Status Write(std::string_view text);
  // As they are: the bytes of an image, a file. kIo with errno.
  Status WriteBytes(std::string_view bytes);
  Status Flush();

  // True once the reader of a pipe is gone: nothing to tell the user.
  bool reader_gone() const { return reader_gone_; }

 private:
  Status WriteOut(std::string_view text);

  int descriptor_;
  std::string buffer_;
  bool reader_gone_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_OUTPUT_H_
