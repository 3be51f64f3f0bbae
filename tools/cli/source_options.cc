#include "cli/source_options.h"

#include <string>

#include "shardine/pack_words.h"

namespace shardine {

void DeclareSourceOptions(Options& options, SourceOptions& source) {
  options.BeginGroup("Source");
  options.Text("list", "FILE", source.list,
               "take the samples from this .lst or JSON list, not from a walk");
  options.Text("list-root", "DIR", source.list_root,
               "where the relative paths of the list start (default: SOURCE)");
  options.Text("label-map", "FILE", source.label_map,
               "class numbers: lines \"name number\", names in order, or JSON");
  options.Integer("label-offset", source.label_offset,
                  "add N to every class number");
  options.Text("blacklist", "FILE", source.blacklist,
               "leave out these keys, file names, or numbers of ImageNet's "
               "validation images, one a line");
  options.Text("val-labels", "FILE", source.val_labels,
               "labels of the images in a folder without class folders: lines "
               "\"file label\", or one label a line in the order of the files' "
               "names");
  options.Flag("unlabelled", source.unlabelled,
               "take images that have no label without one");
  options.Text("class-text", "FILE", source.class_text,
               "what classes are called for people: lines \"name, tab, text\"");
  options.Text("bounding-boxes", "FILE", source.bounding_boxes,
               "boxes, which become fields: lines "
               "\"file,xmin,ymin,xmax,ymax\", each of 0 to 1");
  options.Number(
      "min-per-class", source.min_per_class, {},
      "leave out classes of fewer samples, in a split that has some, "
      "and number the rest anew");
  options.Choice("empty-classes", source.empty_classes,
                 "class folders without images: an error, numbered as others, "
                 "or no classes (default: refuse)");
  options.Flag("unite-classes", source.unite_classes,
               "class names that differ in their Unicode form alone (NFC, NFD) "
               "are one class");
  options.Flag(
      "numbered-classes", source.numbered_classes,
      "class folders are whole numbers, and those are the labels "
      "(default: numbered in the order of names as text: 0, 1, 10, 2)");
  options.Number("hold-out", source.hold_out, {},
                 "put N samples of each class into split val");
  options.Parsed(
      "split", "train=0.9,val=0.1",
      [&source](const std::string& text) {
        auto shares = ParseSplitShares(text);
        if (!shares.ok()) return shares.status();
        source.split_shares = *std::move(shares);
        return Status();
      },
      "cut the samples at random into splits of these shares");
}

}  // namespace shardine
