"""Sources of credentials, and their expiry: against a service that checks each signature
with botocore, and against moto for the form of its answers."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

import s3_servers
from s3_servers import KEY, SECRET, Asked, Refusal, Service

pytest_plugins = ["own_cache", "places"]
SHARDINE = os.environ["SHARDINE"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
ROLE_KEY, ROLE_SECRET, TOKEN = "ASIAROLE", "role/secret+0", "a/token+of=a session"


@pytest.fixture
def service(root: pathlib.Path) -> Iterator[Service]:
    with s3_servers.service_of_ours(root) as service:
        service.secrets[ROLE_KEY] = ROLE_SECRET
        service.tokens[ROLE_KEY] = TOKEN
        yield service


def verify(
    service: str, home: pathlib.Path, target: str = "s3://data/set", **others: str
) -> subprocess.CompletedProcess[str]:
    environment = s3_servers.environment(service, HOME=str(home), **others)
    done = subprocess.run([SHARDINE, "verify", target], env=environment, text=True,
                          capture_output=True, timeout=60)
    for secret in (SECRET, ROLE_SECRET, TOKEN):
        assert secret not in done.stdout + done.stderr
    return done


def expect_sound(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    assert "sound" in done.stdout


# Instead of keys in variables.
NO_KEYS = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}


def answer(key: str = ROLE_KEY, secret: str = ROLE_SECRET, token: str = TOKEN,
           lasts: float = 3600, name: str = "Token") -> bytes:
    at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=lasts)
    return json.dumps({"AccessKeyId": key, "SecretAccessKey": secret, name: token,
                       "Expiration": at.strftime("%Y-%m-%dT%H:%M:%SZ")}).encode()


def profiles(home: pathlib.Path, **files: str) -> None:
    (home / ".aws").mkdir()
    for name, text in files.items():
        (home / ".aws" / name).write_text(text)


def test_keys_of_variables_with_and_without_a_token(
    service: Service, tmp_path: pathlib.Path
) -> None:
    expect_sound(verify(service.address, tmp_path))
    expect_sound(verify(service.address, tmp_path, AWS_ACCESS_KEY_ID=ROLE_KEY,
                        AWS_SECRET_ACCESS_KEY=ROLE_SECRET, AWS_SESSION_TOKEN=TOKEN))
    assert {asked.key_id for asked in service.asked} == {KEY, ROLE_KEY}


def test_keys_region_and_endpoint_of_a_profile(
    service: Service, tmp_path: pathlib.Path
) -> None:
    profiles(tmp_path,
             credentials=f"[work]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n",
             config="[profile work]\nregion = eu-north-1\nservices = own\n"
                    f"[services own]\ns3 =\n  endpoint_url = {service.address}\n")
    environment = NO_KEYS | {"AWS_ENDPOINT_URL_S3": "", "AWS_PROFILE": "work"}
    expect_sound(verify("", tmp_path, **environment))
    assert {asked.region for asked in service.asked} == {"eu-north-1"}
    done = verify("", tmp_path, **environment | {"AWS_PROFILE": "other"})
    assert done.returncode == 2
    assert "the profile other of AWS_PROFILE is in no file" in done.stderr


def test_a_program_gives_them(service: Service, tmp_path: pathlib.Path) -> None:
    (tmp_path / "answer.json").write_bytes(answer(name="SessionToken"))
    profiles(tmp_path, config="[default]\ncredential_process = "
                              f"cat '{tmp_path}/answer.json'\n")
    expect_sound(verify(service.address, tmp_path, **NO_KEYS))
    assert {asked.key_id for asked in service.asked} == {ROLE_KEY}
    (tmp_path / "answer.json").write_text('{"AccessKeyId": "' + SECRET + '"}')
    done = verify(service.address, tmp_path, **NO_KEYS)
    assert done.returncode == 6
    assert "gives no credentials" in done.stderr


def session(home: pathlib.Path, name: str, token: str, lasts: float = 3600) -> None:
    """The files that `aws sso login` leaves."""
    folder = home / ".aws" / "sso" / "cache"
    folder.mkdir(parents=True, exist_ok=True)
    at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=lasts)
    (folder / (hashlib.sha1(name.encode()).hexdigest() + ".json")).write_text(json.dumps(
        {"accessToken": token, "expiresAt": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
         "startUrl": "https://x.awsapps.com/start", "region": "eu-west-1"}))


@pytest.mark.parametrize("named", [True, False])
def test_a_session_of_who_signed_in_gives_them(
    service: Service, tmp_path: pathlib.Path, named: bool
) -> None:
    role = "sso_account_id = 123\nsso_role_name = read only\n"
    start = "sso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\n"
    profiles(tmp_path, config=(
        f"[default]\nsso_session = work\n{role}[sso-session work]\n{start}" if named
        else f"[default]\n{role}{start}"))
    name = "work" if named else "https://x.awsapps.com/start"
    own = NO_KEYS | {"AWS_ENDPOINT_URL_SSO": service.address}
    done = verify(service.address, tmp_path, **own)
    assert done.returncode == 2
    assert "was not begun: aws sso login" in done.stderr
    session(tmp_path, name, "sso secret token", lasts=-1)
    done = verify(service.address, tmp_path, **own)
    assert done.returncode == 2
    assert "is over: aws sso login" in done.stderr
    assert service.asked == []
    session(tmp_path, name, "evil\r\nx-evil: 1")
    assert verify(service.address, tmp_path, **own).returncode == 2
    session(tmp_path, name, "sso secret token")
    service.pages["/federation/credentials"] = json.dumps({"roleCredentials": {
        "accessKeyId": ROLE_KEY, "secretAccessKey": ROLE_SECRET, "sessionToken": TOKEN,
        "expiration": int((time.time() + 3600) * 1000)}}).encode()
    done = verify(service.address, tmp_path, **own)
    expect_sound(done)
    assert "sso secret token" not in done.stdout + done.stderr
    asked = [each for each in service.asked if each.path == "/federation/credentials"]
    assert [(each.query, each.headers["x-amz-sso_bearer_token"]) for each in asked] == [
        ({"account_id": "123", "role_name": "read only"}, "sso secret token")]
    assert {each.key_id for each in service.asked if each not in asked} == {ROLE_KEY}
    service.refuse = lambda asked: ((401, "UnauthorizedException", {})
                                    if asked.path == "/federation/credentials" else None)
    done = verify(service.address, tmp_path, **own)
    assert done.returncode == 2
    assert "is no longer valid: aws sso login" in done.stderr


LOOKING = """
import signal, shardine
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print(len(shardine.Dataset("s3://data/set")) > 0)
"""


def test_a_program_that_gives_them_may_be_unheard(
    service: Service, tmp_path: pathlib.Path
) -> None:
    """Concurrency review 14: its status is not there where SIGCHLD is ignored."""
    given = answer(name="SessionToken").decode()
    (tmp_path / "answer").write_text(given.replace("{", '{"Version": 1, ', 1))
    profiles(tmp_path, config="[default]\ncredential_process = "
             f"cat '{tmp_path / 'answer'}'\n")
    done = subprocess.run(
        [sys.executable, "-c", LOOKING], text=True, capture_output=True, timeout=60,
        env=s3_servers.environment(service.address, HOME=str(tmp_path), **NO_KEYS))
    assert done.stdout.strip() == "True", done.stderr


def test_the_agent_of_a_container_gives_them(
    service: Service, tmp_path: pathlib.Path
) -> None:
    service.pages["/agent"] = answer()
    (tmp_path / "proof").write_text("Bearer x\n")
    expect_sound(verify(
        service.address, tmp_path, **NO_KEYS,
        AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{service.address}/agent",
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=str(tmp_path / "proof")))
    agent = [asked for asked in service.asked if asked.path == "/agent"]
    assert [asked.headers["authorization"] for asked in agent] == ["Bearer x"]
    for host in ("elsewhere.example", "127.example", "127.0.0.1.example"):
        done = verify(service.address, tmp_path, **NO_KEYS,
                      AWS_CONTAINER_CREDENTIALS_FULL_URI=f"http://{host}/agent")
        assert done.returncode == 2
        assert "of https or of this machine" in done.stderr


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                                  "AWS_SESSION_TOKEN", "AWS_REGION"])
def test_nothing_that_is_set_adds_a_header(
    service: Service, tmp_path: pathlib.Path, name: str
) -> None:
    done = verify(service.address, tmp_path, **{name: "x\r\nx-evil: 1"})
    assert (done.returncode, service.asked) == (2, [])


def test_the_metadata_of_an_instance_gives_them(
    service: Service, tmp_path: pathlib.Path
) -> None:
    at = "/latest/meta-data/iam/security-credentials/"

    def proved(body: bytes) -> Callable[[Asked], bytes]:
        def give(asked: Asked) -> bytes:
            assert asked.headers["x-aws-ec2-metadata-token"] == "proof"
            return body
        return give

    service.pages = {"/latest/api/token": b"proof", at: proved(b"the-role\n"),
                     f"{at}the-role": proved(answer())}
    expect_sound(verify(service.address, tmp_path, **NO_KEYS,
                        AWS_EC2_METADATA_DISABLED="",
                        AWS_EC2_METADATA_SERVICE_ENDPOINT=service.address))
    token = next(asked for asked in service.asked if asked.path == "/latest/api/token")
    assert token.method == "PUT"


def role_page(asked: Asked) -> bytes:
    assert (asked.query | asked.form)["RoleArn"] == "arn:aws:iam::1:role/r"
    return (f"<AssumeRoleResponse><AssumeRoleResult><Credentials>"
            f"<AccessKeyId>{ROLE_KEY}</AccessKeyId>"
            f"<SecretAccessKey>{ROLE_SECRET}</SecretAccessKey>"
            f"<SessionToken>{TOKEN}</SessionToken>"
            f"<Expiration>2099-01-01T00:00:00Z</Expiration>"
            f"</Credentials></AssumeRoleResult></AssumeRoleResponse>").encode()


def test_a_role_is_taken_by_a_profile_or_by_a_token(
    service: Service, tmp_path: pathlib.Path
) -> None:
    service.pages["/"] = role_page
    profiles(tmp_path,
             credentials=f"[base]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n",
             config="[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n"
                    "external_id = a b\n")
    expect_sound(verify(service.address, tmp_path, **NO_KEYS,
                        AWS_ENDPOINT_URL_STS=service.address))
    taken = next(asked for asked in service.asked if asked.path == "/")
    assert (taken.key_id, taken.query["ExternalId"]) == (KEY, "a b")
    (tmp_path / "token").write_text("web token/+=\n")
    expect_sound(verify(service.address, tmp_path, **NO_KEYS,
                        AWS_ENDPOINT_URL_STS=service.address,
                        AWS_ROLE_ARN="arn:aws:iam::1:role/r",
                        AWS_WEB_IDENTITY_TOKEN_FILE=str(tmp_path / "token")))
    taken = [asked for asked in service.asked if asked.path == "/"][-1]
    assert (taken.method, taken.key_id, taken.query) == ("POST", "", {})
    assert taken.form["WebIdentityToken"] == "web token/+="


def test_a_role_of_moto(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    profiles(tmp_path,
             credentials=f"[base]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n",
             config="[default]\nrole_arn = arn:aws:iam::123456789012:role/r\n"
                    "source_profile = base\n")
    with s3_servers.moto(tmp_path / "moto") as address:
        s3_servers.upload(address, root / "set", "set/")
        expect_sound(verify(address, tmp_path, **NO_KEYS, AWS_ENDPOINT_URL_STS=address))


def test_nothing_is_signed_of_a_public_bucket(
    service: Service, tmp_path: pathlib.Path
) -> None:
    expect_sound(verify(service.address, tmp_path, **NO_KEYS, AWS_NO_SIGN_REQUEST="YES"))
    assert all("authorization" not in asked.headers for asked in service.asked)
    expect_sound(verify(service.address, tmp_path, AWS_REQUEST_PAYER="requester"))
    assert service.asked[-1].headers["x-amz-request-payer"] == "requester"


def test_who_may_not_list_reads_all_the_same(
    service: Service, tmp_path: pathlib.Path
) -> None:
    def refuse(asked: Asked) -> Refusal | None:
        is_there = (service.root / asked.path.removeprefix("/data/")).is_file()
        return None if is_there else (403, "AccessDenied", {})

    service.refuse = refuse
    done = verify(service.address, tmp_path)
    expect_sound(done)
    done = verify(service.address, tmp_path, "s3://data/none")
    assert (done.returncode, "403 AccessDenied" in done.stderr) == (6, True)


def test_a_bucket_of_another_region_is_asked_there(
    service: Service, tmp_path: pathlib.Path
) -> None:
    def refuse(asked: Asked) -> Refusal | None:
        if asked.region == "ap-south-2":
            return None
        return (301, "PermanentRedirect", {"x-amz-bucket-region": "ap-south-2"})

    service.refuse = refuse
    expect_sound(verify(service.address, tmp_path))
    assert sum(asked.region != "ap-south-2" for asked in service.asked) == 1


def test_a_region_that_is_no_name_is_not_gone_to(
    service: Service, tmp_path: pathlib.Path
) -> None:
    service.refuse = lambda _: (
        301, "PermanentRedirect", {"x-amz-bucket-region": "evil.example/"})
    done = verify(service.address, tmp_path)
    assert (done.returncode, "301 PermanentRedirect" in done.stderr) == (6, True)


def test_a_redirect_to_another_host_gets_no_signature(
    service: Service, root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with s3_servers.service_of_ours(root) as other:
        service.refuse = lambda asked: (
            307, "TemporaryRedirect", {"Location": other.address + asked.path})
        assert verify(service.address, tmp_path).returncode == 6
        assert other.asked == []


def test_a_clock_that_is_wrong_is_set_by_the_service(
    service: Service, tmp_path: pathlib.Path
) -> None:
    later = 7200.0

    def refuse(asked: Asked) -> Refusal | None:
        then = datetime.datetime.strptime(asked.headers["x-amz-date"], "%Y%m%dT%H%M%SZ")
        off = abs(then.replace(tzinfo=datetime.UTC).timestamp() - time.time() - later)
        if off < 900:
            return None
        return (403, "RequestTimeTooSkewed", {"Date": s3_servers.http_date(later)})

    service.refuse = refuse
    expect_sound(verify(service.address, tmp_path))
    assert len(service.asked) > 5


EPOCHS = """
import shardine, sys, time
dataset = shardine.Dataset("s3://data/set")
end = time.monotonic() + float(sys.argv[1])
ids = set()
while time.monotonic() < end:
    for batch in shardine.Loader(dataset, batch_size=4, raw=True):
        ids.add(tuple(sorted(batch.ids.tolist())))
print(len(ids) > 0)
"""


@pytest.mark.parametrize("announced", [True, False])
def test_credentials_that_expire_are_renewed_while_epochs_are_read(
    service: Service, tmp_path: pathlib.Path, announced: bool
) -> None:
    """Each pair is good for a second. `announced`: and says so; else the service is
    the one to say it."""
    given: dict[str, float] = {}

    def give(_: Asked) -> bytes:
        key = f"ASIA{len(given)}"
        given[key] = time.monotonic()
        service.secrets[key], service.tokens[key] = f"secret{key}", f"token{key}"
        return answer(key, f"secret{key}", f"token{key}", 60 if announced else 3600)

    def refuse(asked: Asked) -> Refusal | None:
        if asked.key_id and time.monotonic() - given[asked.key_id] > 1:
            return (400, "ExpiredToken", {})
        return None

    service.pages["/agent"] = give
    service.refuse = refuse
    done = subprocess.run(
        [sys.executable, "-c", EPOCHS, "6"], text=True, capture_output=True, timeout=60,
        env=s3_servers.environment(
            service.address, HOME=str(tmp_path), **NO_KEYS,
            AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{service.address}/agent"))
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert len(given) >= 3
    late = [asked for asked in service.asked if asked.key_id and
            re.fullmatch(r"ASIA\d+", asked.key_id)]
    assert len(late) > 20


def under_own_clock(offset: pathlib.Path) -> dict[str, str]:
    """The variables of a program whose wall clock is off by the seconds in that file,
    which may change; clocks that nobody sets go on."""
    offset.write_text("+0")
    library = subprocess.run(["faketime", "-f", "+0", "printenv", "LD_PRELOAD"], check=True,
                             capture_output=True, text=True).stdout.strip()
    return {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(offset),
            "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def test_a_clock_that_is_set_back_does_not_keep_what_expired(
    service: Service, tmp_path: pathlib.Path
) -> None:
    """Row 18 of the review of concurrency: credentials are not fetched twice in a
    second, however the wall clock goes."""
    offset = tmp_path / "offset"
    given: list[str] = []

    def give(_: Asked) -> bytes:
        given.append(f"ASIA{len(given)}")
        service.secrets[given[-1]], service.tokens[given[-1]] = "secret", "token"
        return answer(given[-1], "secret", "token", 24 * 3600)

    def refuse(asked: Asked) -> Refusal | None:
        if asked.key_id != "ASIA0" or "shard" not in asked.path:
            return None
        offset.write_text("-3600")
        return (400, "ExpiredToken", {})

    service.pages["/agent"] = give
    service.refuse = refuse
    expect_sound(verify(
        service.address, tmp_path, **NO_KEYS, **under_own_clock(offset),
        SHARDINE_REMOTE_PATIENCE="20",
        AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{service.address}/agent"))
    assert offset.read_text() == "-3600"
    assert given == ["ASIA0", "ASIA1"]


def test_keys_that_expired_for_good_are_an_error(
    service: Service, tmp_path: pathlib.Path
) -> None:
    service.refuse = lambda _: (400, "ExpiredToken", {})
    done = verify(service.address, tmp_path)
    assert (done.returncode, "400 ExpiredToken" in done.stderr) == (6, True)


def listed(inside: str) -> bytes:
    return f"<ListBucketResult>{inside}</ListBucketResult>".encode()


def content(key: str, size: str = "1") -> str:
    return (f"<Contents><Key>{key}</Key><Size>{size}</Size>"
            "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>")


LIES = {
    "no XML": b"\x00\xff<",
    "cut off": b"<ListBucketResult><Contents>",
    "entities": b'<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult/>',
    "the folder as its own": listed("<CommonPrefixes><Prefix>set/</Prefix></CommonPrefixes>"),
    "an empty prefix": listed("<CommonPrefixes><Prefix/></CommonPrefixes>"),
    "another folder": listed(content("elsewhere/a.jpg")),
    "above": listed(content("set/../../a.jpg")),
    "nothing between": listed(content("set//a.jpg")),
    "file and folder": listed(content("set/a.jpg") + content("set/a.jpg/b.jpg")),
    "a size that is none": listed(content("set/a.jpg", "-5")),
    "a size of 2^63": listed(content("set/c/a.jpg", str(2**63))),
    "for ever": listed(content("set/a.jpg") + "<IsTruncated>true</IsTruncated>"
                       "<NextContinuationToken>t</NextContinuationToken>"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_listing_that_lies_is_an_error(
    service: Service, tmp_path: pathlib.Path, lie: str
) -> None:
    service.pages["/data"] = LIES[lie]
    environment = s3_servers.environment(service.address, HOME=str(tmp_path))
    looks = "import shardine; shardine.Dataset('s3://data/set', variant='sz/160')"
    for command in ([SHARDINE, "pack", "s3://data/set", str(tmp_path / "out")],
                    [sys.executable, "-c", looks]):
        done = subprocess.run(command, env=environment, text=True, capture_output=True,
                              timeout=60)
        assert done.returncode > 0, (done.returncode, done.stdout, done.stderr)
        assert "s3://data/set" in done.stderr
    assert not (tmp_path / "out" / "shardine.json").exists()


def test_images_that_are_listed_and_not_there_are_an_error(
    service: Service, tmp_path: pathlib.Path
) -> None:
    image = sorted(PHOTOS.rglob("*.JPEG"))[0]
    service.pages["/data"] = listed("".join(
        content(f"tree/c/{number}.jpg", str(image.stat().st_size))
        for number in range(60)))
    done = subprocess.run(
        [SHARDINE, "pack", "s3://data/tree", tmp_path / "out"], text=True,
        capture_output=True, timeout=60,
        env=s3_servers.environment(service.address, HOME=str(tmp_path)))
    assert done.returncode == 7, done.stderr
    assert "changed or vanished" in done.stderr


@pytest.mark.parametrize("earlier", [-2, -1, 0, 1, 2])
def test_an_object_that_is_a_second_older_than_its_listing_is_the_same(
    service: Service, tmp_path: pathlib.Path, earlier: int
) -> None:
    """rclone notes the time of an object, and a moment later the time of its
    listing."""
    image = service.root / "aged" / "c" / "0.jpg"
    image.parent.mkdir(parents=True, exist_ok=True)
    image.write_bytes(sorted(PHOTOS.rglob("*.JPEG"))[0].read_bytes())
    service.earlier = earlier
    done = subprocess.run(
        [SHARDINE, "pack", "s3://data/aged", tmp_path / "out"], text=True,
        capture_output=True, timeout=60,
        env=s3_servers.environment(service.address, HOME=str(tmp_path)))
    assert done.returncode == (0 if abs(earlier) < 2 else 7), done.stderr
    assert ("changed or vanished" in done.stderr) == (abs(earlier) == 2)


OPENING = """
import os, shardine
dataset = shardine.Dataset("s3://data/set")
print("opened", flush=True)
input()
for batch in shardine.Loader(dataset, batch_size=4, raw=True, readers=32):
    pass
"""


def test_a_dataset_opens_with_two_requests_and_each_shard_once(
    service: Service, tmp_path: pathlib.Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OPENING], text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=s3_servers.environment(service.address, HOME=str(tmp_path)),
    ) as reader:
        assert reader.stdin is not None and reader.stdout is not None
        assert reader.stdout.readline() == "opened\n"
        opening = list(service.asked)
        reader.stdin.write("\n")
        reader.stdin.close()
        assert reader.wait(60) == 0
    assert len(opening) <= 2, opening
    heads = [asked.path for asked in service.asked
             if asked.headers.get("range") == "bytes=0-32767"]
    # Shard, sidecar and entry points; a late answer is asked for twice.
    assert len(heads) <= 1 + 3 * 3 + 2, sorted(heads)
