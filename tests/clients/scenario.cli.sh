#!/usr/bin/env bash
# Runs scenario.json by the command line. Exit code 6 says "try again later" (contract §13), and that is all it takes:
# what makes something is asked for by `mws api` and `mws prepare`, which take a key.
#
# usage: scenario.cli.sh <file of steps> <folder of the files that are sent>
# `mws` is found in PATH; MWS_BASE_URL and MWS_API_KEY say where and as whom. Prints how many steps held; the first that
# does not ends it.
set -euo pipefail

steps=$1 folder=$2
input=$(mktemp) refusal=$(mktemp)
trap 'rm -f "$input" "$refusal"' EXIT

# A command, as often as it says that a later try may do. What is not found is printed as the command says it.
again() {
    local code printed
    for _ in 1 2 3 4 5 6 7 8; do
        code=0
        printed=$(mws "$@" --json 2>"$refusal") || code=$?
        [[ $code == 6 ]] || break
        sleep 0.2
    done
    case $code in
    0) printf '%s' "$printed" ;;
    4) cat "$refusal" ;;
    *) echo "mws $*: exit code $code, $(<"$refusal")" >&2 && return 1 ;;
    esac
}
# METHOD PATH BODY [KEY]
send() {
    printf '%s' "$3" >"$input"
    again api "$1" "$2" --input "$input" ${4:+-H "Idempotency-Key:$4"}
}

upload() {
    local file=$folder/$(jq -r .file <<<"$1") started
    started=$(send POST /uploads "$(jq -nc --arg name "$(basename "$file")" --argjson bytes "$(stat -c %s "$file")" \
        '{filename: $name, content_type: "audio/wav", bytes: $bytes}')" "$(jq -r .key <<<"$1")")
    curl --silent --retry 8 --retry-all-errors --retry-delay 1 --output "$input" -X PUT -H "Content-Type: audio/wav" \
        --data-binary "@$file" "$(jq -r .upload.url <<<"$started")"
    send POST "/uploads/$(jq -r .id <<<"$started")/complete" '{}' | jq .id
}
ready() {
    local item
    while item=$(again api GET "/library/items/$(jq -r .item <<<"$1")?wait_seconds=20"); do
        [[ $(jq -r .status <<<"$item") == processing ]] || break
    done
    jq .status <<<"$item"
}
prepare() {
    again prepare "$(jq -r .item <<<"$1")" --reads "$(jq -r '.reads | join(",")' <<<"$1")" \
        --idempotency-key "$(jq -r .key <<<"$1")" | jq .job_ids
}
wait_for() {
    local ids
    readarray -t ids < <(jq -r '.jobs[]' <<<"$1")
    again jobs watch "${ids[@]}" >/dev/null
    again jobs get "${ids[@]}" | jq '[.jobs[].status]'
}
read_of() { again reads show "$(jq -r .item <<<"$1")" "$(jq -r .read <<<"$1")" | jq .kind; }
endpoint() { send POST /webhooks "$(jq -c '{url}' <<<"$1")" "$(jq -r .key <<<"$1")" | jq .id; }
refused() { again items get "$(jq -r .item <<<"$1")" | jq .error.code; }
items() { again items list --all | jq '[.data[].id]'; }
used() { again balances | jq .used_minutes; }

# shellcheck source=tests/clients/scenario.steps.sh
source "$(dirname "$0")/scenario.steps.sh"
