"""What lies in the bucket `data` of a service, and in a folder that it is compared
with."""

import contextlib
import os
import pathlib
from collections.abc import Iterator

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


def there(address: str, prefix: str) -> dict[str, bytes]:
    """All objects below it, as Amazon's library reads them."""
    client = s3_servers.client(address)
    pages = client.get_paginator("list_objects_v2").paginate(Bucket="data", Prefix=prefix)
    keys = [each["Key"] for page in pages for each in page.get("Contents", [])]
    return {key.removeprefix(prefix): client.get_object(Bucket="data", Key=key)["Body"].read()
            for key in keys}


def here(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}
