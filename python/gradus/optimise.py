"""Studies on many machines: python3 -m gradus.optimise STUDY.toml --engine dask://HOST:8786

The search itself runs here; candidates are evaluated by an executor of `concurrent.futures`:

    threads             in this process
    processes           on the cores of this machine
    dask://HOST:PORT    the workers of a Dask scheduler (Debian: python3-distributed)
    mpi                 the other ranks of an MPI job: mpirun -n 8 python3 -m mpi4py.futures -m gradus.optimise STUDY.toml --engine mpi

All random numbers are drawn here and outcomes are told in the order of their candidates, so the result is the same, bit for
bit, for every engine and number of workers. A worker that dies costs its present candidate, which another one computes. Each
worker loads the study itself; its fingerprint (formulas, resolved scenes, version) must be that of the search.
"""
from __future__ import annotations

import argparse
import asyncio
import concurrent.futures
import contextlib
import os
import sys
import time
from typing import Any, Callable, Iterator, Sequence

from . import Study

Outcome = tuple  # objective, violation, rank, failed runs, why

_studies: dict[tuple[str, str], Study] = {}  # of this worker


def evaluate(file: str, fingerprint: str, candidate: Sequence[float]) -> Outcome:
    """One candidate, on a worker. The study is loaded once for each process."""
    key = (file, fingerprint)
    if key not in _studies:
        study = Study(file)
        if study.fingerprint != fingerprint:
            raise RuntimeError(f"{file}: this worker has another version of the study, its scenes or gradus "
                               f"({study.fingerprint}, not {fingerprint})")
        _studies[key] = study
    return _studies[key].evaluate(list(candidate))


class DaskEngine:
    """The workers of a Dask scheduler. Dask gives the work of a dead worker to another; a straggler's is given out twice."""

    def __init__(self, address: str, **security: Any):
        try:
            import distributed
        except ImportError as e:
            raise SystemExit("error: engine dask needs the Python package distributed (Debian: python3-distributed)") from e
        self._client = distributed.Client(address, timeout="30s", **security)

    def map(self, function: Callable, arguments: list[tuple]) -> list[Outcome]:
        # pure=False: a candidate that is asked for twice is computed twice. Nothing is kept on the scheduler.
        futures = [self._client.submit(function, *a, pure=False, retries=5) for a in arguments]
        answers: list[Any] = [None] * len(futures)
        number = {f.key: i for i, f in enumerate(futures)}
        twice: dict[str, Any] = {}
        times: list[float] = []
        start = time.monotonic()
        open_ = set(futures)
        while any(a is None for a in answers):
            self._wait(open_)
            done = {f for f in open_ if f.done()}
            open_ -= done
            for f in done:
                i = number[f.key]
                if answers[i] is None:
                    answers[i] = f.result()
                    times.append(time.monotonic() - start)
            # the last ones take three times as long as the middle one: somebody else may be faster
            if open_ and len(times) > len(futures) / 2 and time.monotonic() - start > 3 * sorted(times)[len(times) // 2] + 1:
                for f in list(open_):
                    i = number[f.key]
                    if str(i) not in twice:
                        second = self._client.submit(function, *arguments[i], pure=False, retries=5)
                        twice[str(i)] = second
                        number[second.key] = i
                        open_.add(second)
        for f in futures + list(twice.values()):
            if not f.done():
                f.cancel()
        return answers

    @staticmethod
    def _wait(futures: set) -> None:
        import distributed
        with contextlib.suppress(distributed.TimeoutError, TimeoutError):
            distributed.wait(list(futures), timeout=1, return_when="FIRST_COMPLETED")

    def close(self) -> None:
        self._client.close()


class PoolEngine:
    """Any executor of concurrent.futures."""

    def __init__(self, pool: concurrent.futures.Executor):
        self._pool = pool

    def map(self, function: Callable, arguments: list[tuple]) -> list[Outcome]:
        return [f.result() for f in [self._pool.submit(function, *a) for a in arguments]]

    def close(self) -> None:
        self._pool.shutdown()


def engine_of(name: str) -> Any:
    if name.startswith("dask://"):
        return DaskEngine("tcp://" + name[len("dask://"):])
    if name.startswith("tls://"):
        return DaskEngine(name)  # certificates as Dask's configuration names them
    if name == "mpi":
        try:
            from mpi4py.futures import MPIPoolExecutor
        except ImportError as e:
            raise SystemExit("error: engine mpi needs the Python package mpi4py (Debian: python3-mpi4py)") from e
        return PoolEngine(MPIPoolExecutor())
    if name == "processes":
        import multiprocessing
        return PoolEngine(concurrent.futures.ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")))
    if name == "threads":
        return PoolEngine(concurrent.futures.ThreadPoolExecutor(os.cpu_count()))
    raise SystemExit(f"error: there is no engine '{name}'; threads, processes, mpi, dask://HOST:PORT")


def run(study: Study, file: str, engine: Any, tell: Callable[[Study], None] = lambda study: None) -> Study:
    """Evaluates generation after generation until the budget is spent."""
    start = time.monotonic()
    while not study.done(time.monotonic() - start):
        arguments = [(file, study.fingerprint, x) for x in study.ask()]
        study.tell(engine.map(evaluate, arguments))
        tell(study)
    return study


@contextlib.contextmanager
def opened(name: str) -> Iterator[Any]:
    engine = engine_of(name)
    try:
        yield engine
    finally:
        engine.close()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m gradus.optimise", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", help="study file; every worker must see it, and what it names, under this path")
    parser.add_argument("-o", "--out", help="folder for result, log and checkpoint (default: out/NAME)")
    parser.add_argument("--engine", default="threads", help="threads, processes, mpi or dask://HOST:PORT")
    parser.add_argument("--resume", action="store_true", help="go on where it was stopped or killed")
    parser.add_argument("--evaluations", type=int, default=0, help="instead of the study's")
    parser.add_argument("--seed", type=int, default=-1, help="instead of the study's")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    o = parser.parse_args(words)
    file = os.path.abspath(o.study)
    out = o.out or os.path.join("out", os.path.splitext(os.path.basename(file))[0])
    try:
        study = Study(file, out, o.resume, o.evaluations, o.seed)
    except Exception as e:
        print(e, file=sys.stderr)
        return 1
    drawn = 0.0

    def tell(s: Study) -> None:
        nonlocal drawn
        if not o.quiet and time.monotonic() - drawn > 1:
            drawn = time.monotonic()
            print(f"{s.evaluations} of {s.budget} evaluations, generation {s.generation}, best {s.best_outcome[0]:.6g}", file=sys.stderr, flush=True)

    try:
        with opened(o.engine) as engine:
            run(study, file, engine, tell)
    except KeyboardInterrupt:
        print("stopped; --resume goes on", file=sys.stderr)
        return 1
    except (Exception, asyncio.CancelledError) as e:  # workers' own errors, a scheduler that died
        text = str(e) if isinstance(e, RuntimeError) else f"the engine {o.engine} was lost ({type(e).__name__})"
        print(f"error: {text}; --resume goes on with what was finished", file=sys.stderr)
        return 1
    objective, violation, _, failed, why = study.best_outcome
    print(f"{o.study}: {objective:.6g} after {study.evaluations} evaluations" + (f"; constraints missed by {violation:.4g}" if violation > 0 else "")
          + (f"; failed: {why}" if failed else ""))
    for path, value in study.best.items():
        print(f"  {path:40} {value:.6g}")
    print(f"{out}/best.toml: run a scene with --settings {out}/best.toml")
    return 1 if failed or violation > 0 else 0


if __name__ == "__main__":
    from gradus.optimise import main as main_  # workers must find the functions under the package's name, not __main__
    sys.exit(main_())
