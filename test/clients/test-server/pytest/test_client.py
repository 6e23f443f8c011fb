"""A client's tests with pytest."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest


def call(server, path, key, **headers):
    headers["Authorization"] = f"Bearer {key}"
    with urlopen(Request(server.api_url + path, headers=headers)) as answer:
        return json.load(answer)


def test_a_free_account_gets_samples_and_real_data_once_it_has_credits(server):
    account = server.post("/accounts")
    assert call(server, "/v1/projects", account["key"])["sample"] is True
    server.post("/grants", {"account": account["id"], "credits": 5, "source": "trial"})
    live = call(server, "/v1/projects", account["key"])
    assert "sample" not in live and live["meta"]["creditsCharged"] == 5
    server.post("/clock", {"advance": "7d"})
    assert server.get(f"/accounts/{account['id']}")["creditsBalance"] == 0


def test_a_lost_answer_is_charged_once(server):
    account = server.post("/accounts", {"tier": "pro", "credits": 100})
    server.post("/faults", {"kind": "reset-after-charge", "path": "/v1/people/{id}", "count": 1})
    once = {"Idempotency-Key": "ada-1"}
    with pytest.raises(OSError):
        call(server, "/v1/people/ada-ashford", account["key"], **once)
    repeated = call(server, "/v1/people/ada-ashford", account["key"], **once)
    assert repeated["meta"] == {"creditsCharged": 0, "creditsBalance": 95}


def test_each_fourth_call_fails(server):
    account = server.post("/accounts", {"tier": "pro", "credits": 100})
    server.post("/faults", {"kind": "status", "status": 503, "share": 0.25})
    statuses = []
    for _ in range(8):
        try:
            call(server, "/v1/me", account["key"])
            statuses.append(200)
        except HTTPError as error:
            statuses.append(error.code)
    assert statuses == [200, 200, 200, 503, 200, 200, 200, 503]
