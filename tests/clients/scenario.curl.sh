#!/usr/bin/env bash
# Runs scenario.json by curl alone: its own retries, which keep to Retry-After, and a key for what must not be made twice.
#
# usage: scenario.curl.sh <file of steps> <folder of the files that are sent>
# MWS_BASE_URL and MWS_API_KEY say where and as whom. Prints how many steps held; the first that does not ends it.
set -euo pipefail

steps=$1 folder=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
retries=(--silent --retry 8 --retry-all-errors --retry-delay 1 --output "$scratch/answer")

# A call: METHOD URL [more of curl's]. Its answer is printed, refusals too.
call() {
    curl "${retries[@]}" --request "$1" "$2" -H "Authorization: Bearer $MWS_API_KEY" "${@:3}" || return
    cat "$scratch/answer"
}
# The same with a JSON body, and a key if there is one: METHOD PATH BODY [KEY].
send() { call "$1" "$MWS_BASE_URL$2" -H "Content-Type: application/json" --data "$3" ${4:+-H "Idempotency-Key: $4"}; }

upload() {
    local file=$folder/$(jq -r .file <<<"$1") started
    started=$(send POST /uploads "$(jq -nc --arg name "$(basename "$file")" --argjson bytes "$(stat -c %s "$file")" \
        '{filename: $name, content_type: "audio/wav", bytes: $bytes}')" "$(jq -r .key <<<"$1")")
    # Bytes that are there already are refused, and whether they are is `complete`'s to say.
    curl "${retries[@]}" -X PUT -H "Content-Type: audio/wav" --data-binary "@$file" "$(jq -r .upload.url <<<"$started")"
    call POST "$MWS_BASE_URL/uploads/$(jq -r .id <<<"$started")/complete" | jq .id
}
ready() {
    local item
    while item=$(call GET "$MWS_BASE_URL/library/items/$(jq -r .item <<<"$1")?wait_seconds=20"); do
        [[ $(jq -r .status <<<"$item") == processing ]] || break
    done
    jq .status <<<"$item"
}
prepare() { send POST /tools/prepare_media "$(jq -c '{refs: [.item], reads}' <<<"$1")" "$(jq -r .key <<<"$1")" | jq .data.job_ids; }
wait_for() {
    local jobs
    while jobs=$(send POST /tools/get_jobs "$(jq -c '{job_ids: .jobs, wait_seconds: 20, wait_for: "all"}' <<<"$1")"); do
        jq -e '.data.jobs | all(.finished_at)' <<<"$jobs" >/dev/null && break
    done
    jq '[.data.jobs[].status]' <<<"$jobs"
}
read_of() { call GET "$MWS_BASE_URL/library/items/$(jq -r .item <<<"$1")/reads/$(jq -r .read <<<"$1")" | jq .kind; }
endpoint() { send POST /webhooks "$(jq -c '{url}' <<<"$1")" "$(jq -r .key <<<"$1")" | jq .id; }
refused() { send POST /tools/get_item "$(jq -c '{ref: .item}' <<<"$1")" | jq .error.code; }
items() { call GET "$MWS_BASE_URL/library/items?limit=100" | jq '[.data[].id]'; }
used() { call GET "$MWS_BASE_URL/balances" | jq .used_minutes; }

# shellcheck source=tests/clients/scenario.steps.sh
source "$(dirname "$0")/scenario.steps.sh"
