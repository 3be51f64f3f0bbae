"""Options and credentials of requests to servers, by the prefix of their addresses."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Dict, Literal, Mapping, TypedDict, cast

from . import _core
from .arguments import path as as_path
from .errors import ExistsError
from .verb_options import Path, Size

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["remote_options", "set_remote_options"]


class RemoteOptions(TypedDict, total=False):
    """As set_remote_options() takes them."""

    endpoint_url: str
    path_style: Literal["auto", "on", "off"]
    no_sign_request: bool
    region: str
    profile: str
    requester_pays: bool
    http_credentials: bool
    cache: Path
    cache_size: Size


def set_remote_options(prefix: Path = "", **options: Unpack[RemoteOptions]) -> None:
    """From now on, for all that this process does with addresses that are `prefix` or
    go on from it with a `/`: "s3://bucket", "s3://bucket/data"; "s3://" is all of that
    scheme, "" every address.

    Only the longest prefix that fits counts. Another call with the same prefix replaces
    its options; one without options takes it away. Open datasets keep their options.
    Forks inherit them; other processes do not, except for the options that a pickled
    Dataset takes along.

    endpoint_url: the service that s3:// and gs:// mean, "http://127.0.0.1:8333".
    path_style: whether buckets are in the path of an address ("on") or in its host's
    name ("off"); "auto": in the path but at Amazon. no_sign_request: send unsigned
    requests. region, profile (of ~/.aws; before keys of the environment),
    requester_pays and http_credentials (STS and SSO endpoints may be http://): of s3://
    alone. cache, cache_size: as Dataset has them, for the verbs, too. The environment
    gives the other options. Keys are given by profiles and the environment, and have no
    option.

    InvalidArgumentError: an invalid prefix, endpoint or region, or an option that the
    scheme does not have. ValueError, TypeError: other values.

    >>> shardine.set_remote_options("s3://lab", endpoint_url="http://127.0.0.1:8333")
    >>> shardine.remote_options("s3://lab/photos")
    {'endpoint_url': 'http://127.0.0.1:8333'}
    >>> shardine.remote_options("s3://laboratory")
    {}
    >>> shardine.set_remote_options("s3://lab")
    """
    _core.set_remote_options(as_path("prefix", prefix), dict(options))


def remote_options(path: Path) -> RemoteOptions:
    """The options that hold for an address, by any prefix; empty where none were set.

    >>> shardine.remote_options("https://host/data")
    {}
    """
    options = cast(RemoteOptions, _core.remote_options(as_path("path", path)))
    if "cache" in options:
        options["cache"] = os.fsdecode(options["cache"])
    return options


def _as_ours(options: Mapping[str, Any]) -> Dict[str, Any]:
    """With the names that s3fs has in the place of ours."""
    own = dict(options)
    for name in ("key", "secret", "token"):
        if name in own:
            raise TypeError(
                f"storage_options: {name}: keys are no option, since pickles hold "
                "options; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give a "
                'profile of ~/.aws: storage_options={"profile": "name"}'
            )
    if "anon" in own:
        own["no_sign_request"] = own.pop("anon")
    given = own.pop("client_kwargs", None)
    if not isinstance(given, (Mapping, type(None))):
        raise TypeError(
            "storage_options: client_kwargs is not a mapping of options like "
            '{"endpoint_url": "http://127.0.0.1:8333"}'
        )
    client = dict(given or {})
    if "region_name" in client:
        client["region"] = client.pop("region_name")
    return own | client


def set_storage_options(address: bytes, options: Mapping[str, Any]) -> bool:
    """Sets the options of one dataset's address, unless it has others, which would
    change the requests of their setter. False: it had the same ones before."""
    own = _as_ours(options)
    before = _core.remote_options(address)
    try:
        _core.add_remote_options(address, own)
    except ExistsError:
        raise ValueError(
            "storage_options: another Dataset has other ones for this address, or "
            "set_remote_options() was told others; shardine.set_remote_options() "
            "replaces them"
        ) from None
    return bool(_core.remote_options(address) != before)
