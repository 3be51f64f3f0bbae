"""`python -m shardine` is the program shardine."""

import _shardine_programs

_shardine_programs.shardine()
