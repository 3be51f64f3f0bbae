#include "shardine/verb.h"

namespace shardine {

std::span<const VerbEntry> Verbs() {
  static constexpr VerbEntry kVerbs[] = {
      {"pack", "pack a folder tree or list into shards", MakePackVerb},
      {"plan pack", "plan a pack as tasks for many processes",
       MakePlanPackVerb},
      {"plan convert", "plan a conversion as tasks for many processes",
       MakePlanConvertVerb},
      {"plan resize", "plan sizes in shards as tasks for many processes",
       MakePlanResizeVerb},
      {"plan verify", "plan a verification as tasks for many processes",
       MakePlanVerifyVerb},
      {"run-task", "do some tasks of a plan, anywhere and any number of times",
       MakeRunTaskVerb},
      {"status", "say which tasks of a plan are done, running and failed",
       MakeStatusVerb},
      {"finalize",
       "prove that all tasks are done, and make their dataset or report",
       MakeFinalizeVerb},
      {"resize", "make images anew in other sizes, as files or shards",
       MakeResizeVerb},
      {"verify", "find every changed bit of a dataset or shard",
       MakeVerifyVerb},
      {"index", "make a dataset of existing shards, in place", MakeIndexVerb},
      {"reindex", "add entry points to a dataset, or remove them",
       MakeReindexVerb},
      {"convert", "turn a dataset into another format or other shards",
       MakeConvertVerb},
      {"split", "cut a dataset into splits at random", MakeSplitVerb},
      {"shuffle", "give the samples of a dataset a new order", MakeShuffleVerb},
      {"merge", "make one dataset of several", MakeMergeVerb},
      {"relabel", "give the samples of a dataset other labels",
       MakeRelabelVerb},
      {"diff", "say what two datasets do not share", MakeDiffVerb},
      {"bench", "stream a dataset and print the rates", MakeBenchVerb},
      {"simulate", "say what reading at scale will take", MakeSimulateVerb},
      {"info", "say what a dataset holds", MakeInfoVerb},
      {"ls", "list the samples of a dataset", MakeLsVerb},
      {"cat", "write one image to standard output", MakeCatVerb},
      {"extract", "write all images back into a folder tree", MakeExtractVerb},
      {"list", "write a folder tree down as a .lst", MakeListVerb},
      {"scan", "say what the images of a folder tree are", MakeScanVerb},
      {"run",
       "do the tasks of a plan on an engine: Ray, Dask, Spark, Slurm, MPI",
       MakeRunVerb},
      {"cache", "look after what is kept of datasets on servers",
       MakeCacheVerb},
      {"doctor", "describe this machine, and say what limits an epoch on it",
       MakeDoctorVerb},
      {"formats", "list the formats and what their records can hold",
       MakeFormatsVerb},
  };
  return kVerbs;
}

}  // namespace shardine
