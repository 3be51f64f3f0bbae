# Run on a bare machine where the Debian packages were installed: uses the programs,
# and builds a C++ program with the library.
photos=/srv/given/photos
. /srv/given/use_programs.sh
cd /srv/work
# The programs alone bring no library of HDF5's remote drivers, and no headers.
grep -qx shardine /srv/brought
if grep -E '^(libcurl|libhdf5|libldap|libkrb5|.*-dev$)' /srv/brought; then
  echo "the programs depend on these" >&2
  exit 1
fi
use_programs
consumers=/srv/given/consumers
cmake -S "$consumers/find_package" -B found >cmake.txt
cmake --build found >>cmake.txt || { cat cmake.txt; exit 1; }
found/consumer data
sh "$consumers/pkg_config/build_and_run.sh" "" g++ "$PWD/by_pkg_config"
echo "the Debian packages work"
