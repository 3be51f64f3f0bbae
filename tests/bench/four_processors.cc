// LD_PRELOAD of this makes OpenMP report four processors. MXNet decodes with no
// more threads than half of those that it reports: two processors, one thread.
extern "C" int omp_get_num_procs() { return 4; }
