#!/usr/bin/env bash
# Builds Rokade, searches its fixed bench positions, and prints the number of nodes and the speed.
set -euo pipefail

record=tests/data/bench.txt

usage() {
    cat <<'END'
usage: ./bench.sh [--check | --record | --help]

Builds with `cargo build --release --locked`, runs `rokade bench` and prints
    Bench: <nodes>
    NPS: <nodes per second>

The number of nodes is the signature of the engine's behaviour: it is the same on
every machine and in every build, and changes exactly when a change alters the search.

  --check   also compare the nodes with tests/data/bench.txt, and with those of a portable
            build (in target/portable); fail if they differ
  --record  also write the nodes to tests/data/bench.txt
  --help    show this text
END
}

mode=${1:-run}
case $mode in
    run | --check | --record) ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }

cd "$(dirname "${BASH_SOURCE[0]}")"

# Sets `nodes` and `nps` to what the bench of a build says, given the arguments for cargo.
bench() {
    local output last
    output=$(cargo run --release --locked --quiet "$@" -- bench)
    # The last line reads `<nodes> nodes <nps> nps`.
    last=${output##*$'\n'}
    if ! [[ $last =~ ^([0-9]+)\ nodes\ ([0-9]+)\ nps$ ]]; then
        echo "bench.sh: the last line of the bench is '$last', not '<nodes> nodes <nps> nps'" >&2
        exit 1
    fi
    nodes=${BASH_REMATCH[1]}
    nps=${BASH_REMATCH[2]}
}

# Fails if the nodes are not those on record.
compare() {
    local recorded
    recorded=$(cat "$record")
    if [ "$nodes" != "$recorded" ]; then
        echo "bench.sh: $1 counts $nodes nodes, but $record says $recorded" >&2
        exit 1
    fi
}

cargo build --release --locked
bench
echo "Bench: $nodes"
echo "NPS: $nps"

case $mode in
    --check)
        compare "the bench"
        # What the README says to build for other machines.
        case $(uname -m) in
            x86_64) portable=x86-64-v2 ;;
            *) portable=generic ;;
        esac
        RUSTFLAGS="-C target-cpu=$portable" bench --target-dir target/portable
        compare "a portable build"
        echo "bench.sh: as recorded"
        ;;
    --record)
        echo "$nodes" > "$record"
        ;;
esac
