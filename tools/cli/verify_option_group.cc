#include "cli/verify_option_group.h"

#include "shardine/verify_words.h"

namespace shardine {

void DeclareVerifyOptions(Options& options, VerifyOptions& verify) {
  options.BeginGroup("Checks");
  options.Choice("level", verify.level,
                 "quick: manifest, sizes, sidecar headers; full: every byte "
                 "and checksum; deep: decodes every image, too (default: "
                 "full)");
  options.Text("against", "SOURCE", verify.against,
               "the images must equal the files of this tree byte for byte; "
               "of several: train=DIR,val=DIR");
  options.Text("list", "FILE", verify.list,
               "with --against: the .lst or JSON list that was packed, for "
               "keys that are no paths, as of files that it names twice");
  options.Text("list-root", "DIR", verify.list_root,
               "the --list-root that was given with it");
}

}  // namespace shardine
