#!/usr/bin/env python3
"""Tunes the numbers of the search by games: simultaneous perturbation stochastic approximation (Spall, 1992).

    cargo build --release --features tune
    tests/spsa.py --engine target/release/rokade --fastchess fastchess --book openings.epd --out state.json

Each step moves all numbers a little up or down at random, lets both ends play a few games with fastchess, and moves the
numbers towards the winner. Several steps are played side by side, one on each core; each starts from what the numbers
are by then. The state is written after each step; with the same --out a run goes on where it stopped. The numbers,
their ranges and their steps are those of `rokade tune`.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys

ALPHA, GAMMA = 0.602, 0.101


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True, help="a build with the feature tune")
    parser.add_argument("--fastchess", required=True)
    parser.add_argument("--book", required=True, help="openings, EPD")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="where the state is kept (JSON)")
    parser.add_argument("--each", default="tc=inf nodes=12000 option.Hash=8", help="what fastchess is told of both ends")
    parser.add_argument("--steps", type=int, default=2_500, help="steps of the whole run")
    parser.add_argument("--pairs", type=int, default=1, help="pairs of games in a step")
    parser.add_argument("--concurrency", type=int, default=2, help="steps that are played side by side")
    parser.add_argument("--rate", type=float, default=0.004, help="learning rate at the end, in steps of each number")
    parser.add_argument("--only", default=".", help="a regular expression for the numbers to tune")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def tunables(engine, only):
    """Name -> value, least, greatest, step."""
    text = subprocess.run([engine, "tune"], check=True, capture_output=True, text=True).stdout
    rows = (line.split(", ") for line in text.splitlines())
    return {row[0]: tuple(map(float, row[2:6])) for row in rows if re.search(only, row[0])}


def play(args, ends, seed):
    """Games won by the first set of values minus those won by the second."""
    command = [args.fastchess]
    for name, options in zip(("plus", "minus"), ends):
        command += ["-engine", f"cmd={args.engine}", f"name={name}"]
        command += [f"option.{option}={value}" for option, value in options.items()]
    command += ["-each", *args.each.split(), "-openings", f"file={args.book}", "format=epd", "order=random"]
    command += ["-srand", str(seed), "-rounds", str(args.pairs), "-repeat", "-concurrency", "1"]
    command += ["-draw", "movenumber=40", "movecount=8", "score=10", "-resign", "movecount=4", "score=800"]
    output = subprocess.run(command, cwd=args.out.parent.resolve(), capture_output=True, text=True).stdout
    results = re.findall(r"Finished game \d+ \((\w+) vs \w+\): (1-0|0-1|1/2-1/2)", output)
    if len(results) != 2 * args.pairs:
        raise RuntimeError(f"a match failed:\n{output}")
    sign = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
    return sum(sign[result] * (1 if white == "plus" else -1) for white, result in results)


class Run:
    """The numbers as they are by now, and the steps that lead on from there."""

    def __init__(self, args):
        self.args = args
        self.numbers = tunables(args.engine, args.only)
        if args.out.exists():
            self.state = json.loads(args.out.read_text())
        else:
            self.state = {"step": 0, "values": {name: row[0] for name, row in self.numbers.items()}}

    def ends(self, flips, spread, generator):
        """The two sets of values that a step compares."""
        for side in (1, -1):
            end = {}
            for name, (_, low, high, step) in self.numbers.items():
                value = self.state["values"][name] + side * flips[name] * step * spread
                # Rounding at random keeps small steps from being lost.
                end[name] = min(int(high), int(max(low, value) + generator.random()))
            yield end

    def begin(self, k, pool):
        """Starts step k. Returns its games, to be waited for, and what `finish` needs."""
        generator = random.Random(self.args.seed * 1_000_003 + k)
        flips = {name: generator.choice((-1, 1)) for name in self.numbers}
        spread = (self.args.steps / k) ** GAMMA
        return pool.submit(play, self.args, list(self.ends(flips, spread, generator)), k), (flips, spread)

    def finish(self, result, flips, spread):
        """Moves the numbers towards the winner of a step."""
        self.state["step"] += 1
        k, steps = self.state["step"], self.args.steps
        stability = steps / 10
        rate = self.args.rate * ((stability + steps) / (stability + k)) ** ALPHA
        for name, (_, low, high, step) in self.numbers.items():
            value = self.state["values"][name] + rate * spread * step * result * flips[name]
            self.state["values"][name] = min(high, max(low, value))
        self.args.out.write_text(json.dumps(self.state, indent=1))
        if k % 50 == 0:
            moved = ((self.state["values"][name] - row[0]) / row[3] for name, row in self.numbers.items())
            print(f"step {k} of {steps}, farthest {max(moved, key=abs):+.2f} steps", flush=True)

    def play_all(self):
        """All steps that are left."""
        following, waiting = self.state["step"] + 1, {}
        with concurrent.futures.ThreadPoolExecutor(self.args.concurrency) as pool:
            while following <= self.args.steps or waiting:
                while following <= self.args.steps and len(waiting) < self.args.concurrency:
                    games, step = self.begin(following, pool)
                    waiting[games] = step
                    following += 1
                done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for games in done:
                    self.finish(games.result(), *waiting.pop(games))


def main():
    run = Run(arguments())
    run.play_all()
    for name, row in run.numbers.items():
        print(f"{name}: {row[0]:.0f} -> {run.state['values'][name]:.1f}")


if __name__ == "__main__":
    main()
