"""Contents of the bucket `data` of a service, and of a folder that it is compared
with."""

import contextlib
import hashlib
import os
import pathlib
from collections.abc import Iterator, Mapping

import pytest

import s3_servers


@contextlib.contextmanager
def using(address: str) -> Iterator[None]:
    """The process has the environment of a user of that service."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        for name, text in s3_servers.environment(address).items():
            patch.setenv(name, text)
        yield


def there(
    address: str, prefix: str, known: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """All objects below it, as Amazon's library reads them. Objects that are those of
    `known`, as their ETag, the MD5, tells, are not read."""
    client = s3_servers.client(address)
    pages = client.get_paginator("list_objects_v2").paginate(Bucket="data", Prefix=prefix)

    def contents(name: str, etag: str) -> bytes:
        of_name = (known or {}).get(name)
        if of_name is not None and hashlib.md5(of_name).hexdigest() == etag.strip('"'):
            return of_name
        body: bytes = client.get_object(Bucket="data", Key=prefix + name)["Body"].read()
        return body

    names = {each["Key"].removeprefix(prefix): each["ETag"]
             for page in pages for each in page.get("Contents", [])}
    return {name: contents(name, etag) for name, etag in names.items()}


def here(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}
