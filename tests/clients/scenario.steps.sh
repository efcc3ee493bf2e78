# The steps of scenario.json, for the two drivers in shell: sourced by them, once they have said what each step does.
# `steps` names the file.

declare -A acts=([upload]=upload [ready]=ready [prepare]=prepare [wait]=wait_for [read]=read_of [endpoint]=endpoint
    [refused]=refused [items]=items [used]=used)
kept='{}'
done_steps=0
while read -r raw; do
    step=$(jq -c --argjson kept "$kept" \
        'walk(if type == "string" and startswith("$") then $kept[.[1:]] else . end)' <<<"$raw")
    seen=$("${acts[$(jq -r .do <<<"$step")]}" "$step" | jq -c .)
    kept=$(jq -c --argjson step "$step" --argjson seen "$seen" \
        'if $step.as then .[$step.as] = $seen else . end' <<<"$kept")
    if ! jq -e --argjson seen "$seen" '(has("see") | not) or .see == $seen' <<<"$step" >/dev/null; then
        echo "$raw: saw $seen instead of $(jq -c .see <<<"$step")" >&2
        exit 1
    fi
    done_steps=$((done_steps + 1))
done < <(jq -c '.steps[]' "$steps")
echo "$done_steps"
