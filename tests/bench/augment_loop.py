"""Shared by the scripts augment_NAME.py, beside load_loop.py: the parameters of the
pipelines, each after a random crop to SIZE and a flip:

  crop         nothing
  jitter       ColorJitter
  erasing      ColorJitter, RandomErasing
  randaugment  RandAugment of two operations of magnitude 9 of 31
"""
FACTORS = 0.4  # of brightness, contrast and saturation: 0.6 to 1.4
HUE = 0.1
ERASED = 0.25  # how often
SCALE = (0.02, 0.33)  # of the area
SHAPES = (0.3, 3.3)  # height / width
