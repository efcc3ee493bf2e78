"""Checks what we sign with the library of Standard Webhooks from PyPI. Usage: standard_webhooks.py <deliveries.json>

The file is a list of {secret, headers, body, accept}. The library looks at its own clock, so they are made anew for each
run. It says what it found and exits with 0 only if each was judged as expected.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def is_accepted(delivery):
    try:
        Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
    except WebhookVerificationError:
        return False
    return True


with open(sys.argv[1], encoding="utf-8") as file:
    deliveries = json.load(file)
for number, delivery in enumerate(deliveries):
    if is_accepted(delivery) != delivery["accept"]:
        sys.exit(f"delivery {number}: expected accept = {delivery['accept']}")
print(f"{len(deliveries)} deliveries judged as expected")
