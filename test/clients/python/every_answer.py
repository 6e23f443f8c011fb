"""
A client made from the OpenAPI document alone: `openapi-python-client` wrote the package `directory_client`.
`main.ts` runs this beside it with the API's address, the keys of a paid account, of a free one without credits and of
a paid one without, and the names of records. It fails where an answer is not what the client's types say.
"""

import sys
from pathlib import Path

from directory_client import AuthenticatedClient, models
from directory_client.api.account import get_account
from directory_client.api.investors import get_investor, list_investors
from directory_client.api.people import get_person, list_people
from directory_client.api.projects import get_project, list_projects
from directory_client.api.search import search
from directory_client.api.services import get_service, list_services

base_url, paid, free, broke, person, project, fund, service = sys.argv[1:]


def client_of(key):
    return AuthenticatedClient(base_url=base_url, token=key)


def live(answer, kind):
    assert type(answer) is kind, answer
    return answer


client = client_of(paid)
assert live(get_account.sync(client=client), models.Account).tier is models.Tier.PRO

people = list_people.sync(
    client=client, roles=[models.Role.FOUNDER, models.Role.EXECUTIVE], channels=[models.Channel.EMAIL], limit=2**60
)
assert [each.slug for each in live(people, models.PersonPage).data] == [person]
assert people.limit == 100
nobody = list_people.sync(client=client, roles=["astronaut"])
assert live(nobody, models.PersonPage).total == 0

read = get_person.sync(person, client=client, include=[models.GetPersonIncludeItem.PRIVATE])
assert "@" in live(read, models.PersonRead).data.person.email
assert models.Role.FOUNDER in read.data.person.roles
assert read.meta.credits_charged == 10

projects = live(list_projects.sync(client=client, sector=["Lending", "Wallet"]), models.ProjectPage)
assert projects.total == 2
assert all(each.lifecycle is None or type(each.lifecycle) is models.Lifecycle for each in projects.data)
one = live(get_project.sync(project, client=client), models.ProjectRead)
assert one.project.funding_rounds[0].amount_usd == 10_000_000
investors = live(list_investors.sync(client=client), models.InvestorPage)
assert all(type(each.entity_kind) is models.EntityKind for each in investors.data)
assert len(live(get_investor.sync(fund, client=client), models.InvestorRead).portfolio) == 2
assert live(list_services.sync(client=client), models.ServicePage).data
assert live(get_service.sync(service, client=client), models.ServiceRead).service.slug == service
found = live(search.sync(client=client, q=project), models.SearchResult)
assert found.projects[0].slug == project

# Samples are told apart by their type, and say so.
poor = client_of(free)
for sample, kind in [
    (list_people.sync(client=poor), models.PersonPageSample),
    (get_person.sync("anybody", client=poor), models.PersonReadSample),
    (list_projects.sync(client=poor), models.ProjectPageSample),
    (get_project.sync("any", client=poor), models.ProjectReadSample),
    (list_investors.sync(client=poor), models.InvestorPageSample),
    (get_investor.sync("any", client=poor), models.InvestorReadSample),
    (list_services.sync(client=poor), models.ServicePageSample),
    (get_service.sync("any", client=poor), models.ServiceReadSample),
    (search.sync(client=poor, q="any"), models.SearchResultSample),
]:
    assert live(sample, kind).sample is True and sample.meta.sample is True
    assert sample.notice.startswith("NOT REAL DATA")
    assert sample.meta.credits_charged == 0

# Errors have their status, their code and what they cost.
for answer, status, code in [
    (search.sync_detailed(client=client, q=""), 400, models.ErrorCode.MISSING_PARAMETER),
    (list_people.sync_detailed(client=client_of("ck_live_no")), 401, models.ErrorCode.UNAUTHORIZED),
    (list_people.sync_detailed(client=client_of(broke)), 402, models.ErrorCode.INSUFFICIENT_CREDITS),
    (get_investor.sync_detailed(project, client=client), 404, models.ErrorCode.NOT_FOUND),
    (list_people.sync_detailed(client=client, q="a" * 9000), 414, models.ErrorCode.URI_TOO_LONG),
]:
    detail = live(answer.parsed, models.Error).error
    assert (answer.status_code, detail.code, detail.charged) == (status, code, 0), answer

# No model is named after its place in a union.
names = [path.stem for path in Path(models.__file__).parent.glob("*.py")]
assert len(names) > 40
assert [name for name in names if "_type_" in name] == []
