# Run on a bare machine with an older glibc, and without a Python that the wheel takes:
# uses the programs of the unpacked wheel.
photos=/srv/given/photos
. /srv/given/use_programs.sh
cd /srv/work
refuse cc gcc g++ clang cmake shardine
PATH=/srv/given/wheel/shardine/bin:$PATH
use_programs
read_addresses
