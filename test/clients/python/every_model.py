"""
Models made from the OpenAPI document alone, in its version 3.1: `datamodel-code-generator` wrote `directory_models.py`, in
Pydantic. `python.ts` runs this beside it, with the arguments of `every_answer.py`. It fails where an answer is not what its
model says.
"""

import json
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import directory_models as models

base_url, paid, free, broke, person, project, fund, service = sys.argv[1:]


def answer(path, key=paid):
    request = Request(base_url + path, headers={"Authorization": f"Bearer {key}"})
    try:
        with urlopen(request) as response:
            return json.load(response)
    except HTTPError as error:
        return json.load(error)


two_roles = "/v1/people?roles=founder&roles=executive&channels=email"
for path, model in [
    ("/v1/me", models.Account),
    (two_roles, models.PersonPage),
    (f"/v1/people/{person}?include=private", models.PersonRead),
    ("/v1/projects?sector=Lending&sector=Wallet", models.ProjectPage),
    (f"/v1/projects/{project}", models.ProjectRead),
    ("/v1/investors?sort=roi", models.InvestorPage),
    (f"/v1/investors/{fund}", models.InvestorRead),
    ("/v1/services", models.ServicePage),
    (f"/v1/services/{service}", models.ServiceRead),
    (f"/v1/search?q={project}", models.SearchResult),
]:
    live = answer(path)
    # What the model writes is what was answered: it has every field, and reads none as another.
    assert json.loads(model.model_validate(live).model_dump_json(exclude_unset=True)).keys() == live.keys(), path

people = models.PersonPage.model_validate(answer(two_roles)).data
assert [(each.slug, each.email) for each in people] == [(person, None)]
reveal = models.PersonRead.model_validate(answer(f"/v1/people/{person}"))
assert models.Role.founder in reveal.data.person.roles

sample = models.ProjectPageSample.model_validate(answer("/v1/projects", free))
assert sample.sample.value is True and sample.notice.startswith("NOT REAL DATA")
for key, path, code in [
    (broke, "/v1/people", models.ErrorCode.insufficient_credits),
    (paid, f"/v1/investors/{project}", models.ErrorCode.not_found),
    (paid, "/v1/search", models.ErrorCode.missing_parameter),
]:
    error = models.Error.model_validate(answer(path, key)).error
    assert (error.code, error.charged) == (code, 0), error

# Null is a type: no class stands for it.
assert [name for name in dir(models) if name in ("Email", "Phone", "Telegram", "Lifecycle1")] == []
