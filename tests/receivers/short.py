

# Prints for each case of the vectors whether `verify` takes it.
import json, sys

for case in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
    header, body = case["headers"].get("Service-Signature", ""), case["body"].encode()
    print(str(any(verify(header, body, secret, case["now"]) for secret in case["secrets"])).lower())
