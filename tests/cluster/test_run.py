"""Chunks given to a cluster and taken back, with a client whose workers fail as they are told to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bridgespec.cluster.chunk_store import ChunkStore
from bridgespec.cluster.jobs import checked, versions
from bridgespec.cluster.run import AGAIN, AHEAD, Cluster, ClusterLost, ClusterTask, cluster
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy

if find_spec("distributed") is None:
    pytest.skip("the extra 'cluster' is not installed", allow_module_level=True)
distributed = Lazy("distributed")


def killed() -> Exception:
    """What a client raises for a job that ended its worker again and again."""
    error: Exception = distributed.KilledWorker("a task", None, 30)
    return error


class Future:
    """The outcome of one job."""

    def __init__(self, status: str, error: Exception | None, turns: int) -> None:
        self.status, self.error, self.turns = status, error, turns
        self.released = False

    def done(self) -> bool:
        self.turns -= 1
        return self.turns < 0

    def exception(self) -> Exception | None:
        return self.error

    def release(self) -> None:
        self.released = True


class Client:
    """Does each job at once, except those of the chunks that are to fail, so many times or for ever."""

    def __init__(self, workers: int = 1, **failing: tuple[int, str, Exception | None]) -> None:
        self.workers, self.failing = workers, failing
        self.status = "running"
        self.given: list[str] = []
        self.futures: list[Future] = []
        self.versions: dict[str, Any] = {"tcp://one": versions()}
        self.times: dict[str, int] = defaultdict(int)

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        return {"workers": dict.fromkeys(range(self.workers))}

    def run(self, function: Callable[[], Any], on_error: str) -> dict[str, Any]:
        return self.versions

    def submit(self, function: Callable[..., Any], *arguments: Any, key: str, retries: int) -> Future:
        name = key.removeprefix("bridgespec-")
        self.given.append(name)
        self.times[name] += 1
        times, status, error = self.failing.get(name, (0, "finished", None))
        if self.times[name] <= times:
            self.futures.append(Future(status, error, 0))
        else:
            function(*arguments)
            self.futures.append(Future("finished", None, int(name == "a")))
        return self.futures[-1]


def job(url: str, name: str, text: str) -> int:
    """Store a text."""
    ChunkStore(url).write(name, text.encode())
    return len(text)


def idle(url: str, name: str, text: str) -> int:
    """Store nothing where the client looks."""
    return 0


@pytest.fixture
def store(tmp_path: Path) -> ChunkStore:
    made = ChunkStore(str(tmp_path / "store"))
    made.prepare()
    return made


def chunks(store: ChunkStore, names: str, done: Callable[..., int] = job) -> Iterator[ClusterTask]:
    """A chunk for each letter, whose result is the letter three times."""
    for name in names:
        yield ClusterTask(name, done, (3 * name,), 10)


def test_results_come_in_order_and_are_counted(store: ChunkStore) -> None:
    """Each chunk is given out once, a few ahead of what is taken; each counts for its deals."""
    counted: list[int] = []
    client = Client(workers=2)
    taking = Cluster(client, store, counted.append).run(chunks(store, "abcdefghijkl"))
    assert next(taking) == b"aaa"
    assert client.given == list("abcdefghijkl")[: 2 * AHEAD + 1]
    assert [*taking] == [3 * name.encode() for name in "bcdefghijkl"]
    assert client.given == list("abcdefghijkl")
    assert counted == [10] * 12


def test_what_is_stored_is_not_done_again(store: ChunkStore) -> None:
    """Chunks of an earlier run are kept, and counted as kept; a damaged one is done again."""
    store.write("b", b"old")
    store.write("c", b"old")
    (damaged,) = Path(store.url).glob("c*")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    counted: list[int] = []
    client = Client()
    running = Cluster(client, store, counted.append)
    assert [*running.run(chunks(store, "abc"))] == [b"aaa", b"old", b"ccc"]
    assert client.given == ["a", "c"]
    assert (running.kept, running.lost, counted) == (1, 0, [10, 10, 10])


def test_a_chunk_whose_worker_is_lost_is_given_out_anew(store: ChunkStore) -> None:
    """As often as workers are lost, each of which is counted; its deals count once."""
    counted: list[int] = []
    client = Client(b=(AGAIN, "error", killed()))
    running = Cluster(client, store, counted.append)
    assert [*running.run(chunks(store, "ab"))] == [b"aaa", b"bbb"]
    assert (running.kept, running.lost, counted) == (0, AGAIN, [10, 10])
    assert client.given == ["a", *"b" * (AGAIN + 1)]


def test_a_chunk_that_no_worker_survives_ends_the_run(store: ChunkStore) -> None:
    """One loss more than is borne; what was given out is released."""
    client = Client(workers=3, a=(AGAIN + 1, "error", killed()))
    with pytest.raises(ClusterLost, match=f"{AGAIN} workers were lost"):
        [*Cluster(client, store, lambda count: None).run(chunks(store, "abc"))]
    assert client.given.count("a") == AGAIN + 1
    assert [future.released for future in client.futures[1:3]] == [True, True]


@pytest.mark.parametrize("status", ["cancelled", "lost"])
def test_a_scheduler_that_is_gone_ends_the_run(store: ChunkStore, status: str) -> None:
    """Its jobs are cancelled or lost."""
    client = Client(a=(1, status, None))
    with pytest.raises(ClusterLost, match="scheduler is gone"):
        [*Cluster(client, store, lambda count: None).run(chunks(store, "a"))]


def test_a_closed_connection_ends_the_run(store: ChunkStore) -> None:
    """A client that has lost its scheduler waits for nothing."""
    client = Client()
    client.status = "closed"
    with pytest.raises(ClusterLost, match="scheduler is gone"):
        [*Cluster(client, store, lambda count: None).run(chunks(store, "a"))]


def test_an_error_of_a_job_is_raised(store: ChunkStore) -> None:
    """As it was on the worker."""
    client = Client(b=(1, "error", UsageError("not there")))
    with pytest.raises(UsageError, match="not there"):
        [*Cluster(client, store, lambda count: None).run(chunks(store, "ab"))]


def test_workers_that_store_elsewhere_are_named(store: ChunkStore) -> None:
    """A job that ends well and leaves nothing in the store wrote to another place."""
    with pytest.raises(UsageError, match=r"the workers do not write to .*--store"):
        [*Cluster(Client(), store, lambda count: None).run(chunks(store, "a", idle))]


def test_versions_are_compared_before_anything_is_done(store: ChunkStore) -> None:
    """A worker with other versions, or that cannot tell them, is named."""
    client = Client()
    running = Cluster(client, store, lambda count: None)
    running.check_versions()
    client.versions["tcp://two"] = {**versions(), "numpy": "0.1"}
    with pytest.raises(UsageError, match=r"the worker tcp://two has other versions: numpy 0\.1 there"):
        running.check_versions()
    client.versions["tcp://two"] = ImportError("no bridgespec")
    with pytest.raises(UsageError, match=r"tcp://two cannot tell its versions, bridgespec .* is needed there: no bridgespec"):
        running.check_versions()


def test_a_worker_does_a_job_of_its_own_versions_only() -> None:
    """The job's count is returned; with other versions it is not done."""
    done: list[str] = []
    assert checked(versions(), lambda text: done.append(text) or len(text), "four") == 4
    with pytest.raises(UsageError, match="has other versions: Python"):
        checked({**versions(), "Python": "2.7"}, done.append, "five")
    assert done == ["four"]


def test_tls_is_passed_on_and_required(store: ChunkStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the options are Dask's, and nothing goes unencrypted; without them Dask's configuration decides."""
    asked: list[Any] = []

    def client(address: str, **options: Any) -> None:
        asked.append((address, options["security"]))
        raise OSError("nobody there")

    monkeypatch.setattr("bridgespec.cluster.run.distributed.Client", client)
    for tls in ({"tls_ca_file": "ca.pem", "tls_client_cert": "c.pem", "tls_client_key": "k.pem"}, None):
        with (
            pytest.raises(UsageError, match="no scheduler at tls://host:8786: nobody there"),
            cluster("tls://host:8786", store, None, lambda count: None, tls),
        ):
            raise AssertionError
    (address, security), (_, none) = asked
    assert address == "tls://host:8786"
    assert security.require_encryption is True
    assert security.get_tls_config_for_role("client")["ca_file"] == "ca.pem"
    assert none is None
