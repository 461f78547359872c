#!/usr/bin/env bash
# Builds Rokade, searches its fixed bench positions, and prints the number of nodes and the speed; or measures how fast
# it counts move sequences.
set -euo pipefail

record=tests/data/bench.txt

usage() {
    cat <<'END'
usage: ./bench.sh [--check | --record | perft | --help]

Builds with `cargo build --release --locked`, runs `rokade bench` and prints
    Bench: <nodes>
    NPS: <nodes per second>

The number of nodes is the signature of the engine's behaviour: it is the same on
every machine and in every build, and changes exactly when a change alters the search.

  --check   also compare the nodes with tests/data/bench.txt, and with those of a portable
            build (in target/portable); fail if they differ
  --record  also write the nodes to tests/data/bench.txt
  perft     print instead, for three positions, how many million move sequences a second are
            counted by the code made for it (one thread, no hash table) and by the engine's own
            board and move generator
  --help    show this text
END
}

mode=${1:-run}
case $mode in
    run | --check | --record | perft) ;;
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

if [ "$mode" = perft ]; then
    # Lines like `start depth 6, counting: 119060324 nodes 800000000 nps`.
    cargo run --release --locked --quiet -- bench perft | awk '
        $(NF) == "nps" { key = $1 " " $2 " " $3; sub(/,$/, "", key); speed[$4, key] = $(NF - 1) / 1e6
                         if (!seen[key]++) keys[++n] = key }
        END { printf "%-18s %10s %10s\n", "million nodes/s", "counting", "engine"
              for (i = 1; i <= n; i++)
                  printf "%-18s %10.0f %10.0f\n", keys[i], speed["counting:", keys[i]], speed["engine:", keys[i]] }'
    exit
fi

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
