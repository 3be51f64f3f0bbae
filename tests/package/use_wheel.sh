# Run on a bare machine: installs the wheel and uses all of it.
photos=/srv/given/photos
. /srv/given/use_programs.sh
cd /srv/work
refuse cc gcc g++ clang cmake shardine
if [ "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ')" != lo ]; then
  echo "this machine has a network" >&2
  exit 1
fi
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --no-index \
  --find-links /srv/given shardine
PATH=$PWD/venv/bin:$PATH
use_package /srv/given/epoch.py --bare
read_addresses
