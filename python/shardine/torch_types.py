"""Types that PyTorch looks for, without importing it before they are needed."""

from __future__ import annotations

import sys
import warnings
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Literal,
    NoReturn,
    Optional,
    Tuple,
    Union,
)

if TYPE_CHECKING:
    from .dataset import Dataset
    from .selection import Selection
    from .torch_samples import TorchSamples

Form = Literal["tuple", "dict"]

# Attributes that loops look for in torch's DataLoader.
_OF_DATA_LOADERS = frozenset("sampler batch_sampler collate_fn num_workers".split())
# Types that DLPack and torch 1.13 both have.
_SHARED = frozenset("f2 f4 f8 i1 i2 i4 i8 u1".split())


def tensors(pinned: bool = False) -> Callable[[Any], Any]:
    """The function that makes tensors of NumPy arrays, over their memory, or
    copies in pinned memory. An array without a torch type stays an array. ImportError
    where there is no torch; where it has no CUDA device to pin memory for, a
    UserWarning, as its DataLoader gives, and nothing is pinned."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(f'arrays="torch": {error}') from error
    if pinned and not torch.cuda.is_available():
        warnings.warn(
            "pin_memory: there is no CUDA device: memory is not pinned", stacklevel=5
        )
        pinned = False

    def pinned_tensor(array: Any) -> Any:
        shared = tensor(array)
        return shared.pin_memory() if isinstance(shared, torch.Tensor) else shared

    def tensor(array: Any) -> Any:
        kind = array.dtype.str[1:]
        if kind == "b1":  # which DLPack did not always have
            return torch.from_dlpack(array.view("u1")).view(torch.bool)
        return torch.from_dlpack(array) if kind in _SHARED else array

    return pinned_tensor if pinned else tensor


def torch_samples(
    called: str,
    samples: Union[Dataset, Selection],
    form: Any,
    transform: Any,
    fields: Any,
) -> TorchSamples:
    """The result of as_torch(). Imports torch, which was not needed before."""
    try:
        import torch as torch
    except ImportError as error:
        raise ImportError(f"{called}: needs PyTorch: {error}") from error
    from .torch_samples import TorchSamples

    return TorchSamples(samples, form, transform=transform, fields=fields)


class IterableWhereTorchIs:
    """An IterableDataset to isinstance(), from when torch.utils.data is there.

    Its class cannot derive from one that need not exist; isinstance() asks
    __class__, too.
    """

    @property  # type: ignore[misc]  # object has it as an attribute
    def __class__(self) -> type:
        own = type(self)
        torchs = _iterable_dataset()
        if torchs is None:
            return own
        if (own, torchs) not in _both:
            _both[own, torchs] = type(
                own.__name__, (own, torchs), {"__module__": own.__module__}
            )
        return _both[own, torchs]

    if not TYPE_CHECKING:  # a checker would accept any attribute

        def __getattr__(self, name: str) -> Any:
            if name in _OF_DATA_LOADERS:
                raise AttributeError(
                    f"a {type(self).__name__} has no {name}; torch.utils.data."
                    "DataLoader(loader, batch_size=None) is a DataLoader of its batches"
                )
            return object.__getattribute__(self, name)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} is not pickled: make one in each process; a "
            "DataLoader around it takes num_workers=0, as its threads are the "
            "workers"
        )


def _iterable_dataset() -> Optional[type]:
    # While torch is being imported it is there in parts.
    found = getattr(sys.modules.get("torch.utils.data"), "IterableDataset", None)
    return found if isinstance(found, type) else None


_both: Dict[Tuple[type, type], type] = {}
