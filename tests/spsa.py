#!/usr/bin/env python3
"""Tunes the numbers of the search by games: simultaneous perturbation stochastic approximation (Spall, 1992).

    cargo build --release --features tune
    tests/spsa.py --engine target/release/rokade --fastchess fastchess --book openings.epd --out state.json

Each step moves all numbers a little up or down at random, lets both ends play a few games with fastchess, and moves the
numbers towards the winner. The state is written after each step; with the same --out a run goes on where it stopped.
The numbers, their ranges and their steps are those of `rokade tune`.
"""

import argparse
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
    parser.add_argument("--each", default="tc=inf nodes=5000", help="what fastchess is told of both ends")
    parser.add_argument("--steps", type=int, default=2_500, help="steps of the whole run")
    parser.add_argument("--pairs", type=int, default=2, help="pairs of games in a step")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0.004, help="learning rate at the end, in steps of each number")
    parser.add_argument("--only", default=".", help="a regular expression for the numbers to tune")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def tunables(engine, only):
    """Name -> value, least, greatest, step."""
    text = subprocess.run([engine, "tune"], check=True, capture_output=True, text=True).stdout
    rows = (line.split(", ") for line in text.splitlines())
    return {row[0]: tuple(map(float, row[2:6])) for row in rows if re.search(only, row[0])}


def play(args, values, seed):
    """Games won by the first set of values minus those won by the second."""
    command = [args.fastchess]
    for name, options in zip(("plus", "minus"), values):
        command += ["-engine", f"cmd={args.engine}", f"name={name}"]
        command += [f"option.{option}={value}" for option, value in options.items()]
    command += ["-each", *args.each.split(), "-openings", f"file={args.book}", "format=epd", "order=random"]
    command += ["-srand", str(seed), "-rounds", str(args.pairs), "-repeat", "-concurrency", str(args.concurrency)]
    command += ["-draw", "movenumber=40", "movecount=8", "score=10", "-resign", "movecount=4", "score=800"]
    output = subprocess.run(command, cwd=args.out.parent.resolve(), capture_output=True, text=True).stdout
    results = re.findall(r"Finished game \d+ \((\w+) vs \w+\): (1-0|0-1|1/2-1/2)", output)
    if len(results) != 2 * args.pairs:
        sys.exit(f"a match failed:\n{output}")
    sign = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
    return sum(sign[result] * (1 if white == "plus" else -1) for white, result in results)


def main():
    args = arguments()
    numbers = tunables(args.engine, args.only)
    if args.out.exists():
        state = json.loads(args.out.read_text())
    else:
        state = {"step": 0, "values": {name: row[0] for name, row in numbers.items()}}
    stability = args.steps / 10
    while state["step"] < args.steps:
        k = state["step"] + 1
        generator = random.Random(args.seed * 1_000_003 + k)
        spread = (args.steps / k) ** GAMMA
        rate = args.rate * ((stability + args.steps) / (stability + k)) ** ALPHA
        flips = {name: generator.choice((-1, 1)) for name in numbers}
        ends = []
        for side in (1, -1):
            end = {}
            for name, (_, low, high, step) in numbers.items():
                value = state["values"][name] + side * flips[name] * step * spread
                # Rounding at random keeps small steps from being lost.
                end[name] = int(min(high, max(low, value)) + generator.random())
                end[name] = int(min(high, end[name]))
            ends.append(end)
        result = play(args, ends, k)
        for name, (_, low, high, step) in numbers.items():
            value = state["values"][name] + rate * spread * step * result * flips[name]
            state["values"][name] = min(high, max(low, value))
        state["step"] = k
        args.out.write_text(json.dumps(state, indent=1))
        if k % 50 == 0:
            moved = ((state["values"][name] - row[0]) / row[3] for name, row in numbers.items())
            print(f"step {k} of {args.steps}, farthest {max(moved, key=abs):+.2f} steps", flush=True)
    for name, row in numbers.items():
        print(f"{name}: {row[0]:.0f} -> {state['values'][name]:.1f}")


if __name__ == "__main__":
    main()
