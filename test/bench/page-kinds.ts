/** Kinds of pages, each with addresses drawn at random from a filled directory and a full account. */
import type postgres from 'postgres'
import { setAccount } from '../../src/accounts/accounts.ts'
import { MAX_ENTRIES, MAX_LISTS } from '../../src/contacts/record-lists.ts'
import { MAX_VIEWS } from '../../src/contacts/saved-views.ts'
import { DIRECTORIES } from '../../src/contract/vocabulary.ts'
import type { Database } from '../../src/database/client.ts'
import { Chance } from '../../src/demo/random.ts'
import { insertUser, ownAccountOf } from '../../src/users/repository.ts'
import { beginSession } from '../../src/users/sessions.ts'
import { DOCUMENTS } from '../../src/web/docs/documents.ts'

/** Names of kinds, and what gives an address of each. */
export type Kinds = Readonly<Record<string, () => string>>

export interface Reader {
  accountId: string
  /** As the browser sends it over plain http. */
  cookie: string
}

const LEDGER_LINES = 10_000
const KEYS = 20
const CONTACTS = 2_000
/** Rows of the log of requests, of twenty calls each. */
const CHUNKS = 60
const chance = new Chance(7)

/** People on a plan that has everything, signed in. */
export async function makeReaders(database: Database, count: number): Promise<Reader[]> {
  const readers: Reader[] = []
  for (let number = 1; number <= count; number++) {
    const [email, password] = [`reader-${number}@example.com`, 'never checked']
    const user = { email, name: `Reader ${number}`, password, trialCredits: 250 }
    const id = (await insertUser(database, user)) ?? ''
    const accountId = (await ownAccountOf(database, id)) ?? ''
    await setAccount(database, accountId, { tier: 'team', organization: 'Bench' })
    const token = await beginSession(database, id, password)
    readers.push({ accountId, cookie: `ck_session=${token}` })
  }
  return readers
}

/** Gives an account twenty keys, a ledger of 10,000 calls in the last fifty days, 2,000 contacts with notes, as many lists, entries and views as it may have, and the latest calls in its log. */
export async function fillAccount(sql: postgres.Sql, accountId: string): Promise<void> {
  await sql`select meter_grant(${accountId}, 'topup', ${LEDGER_LINES * 10}, null, null)`
  await sql`
    insert into api_keys (account_id, hash, prefix, label)
    select ${accountId}, gen_random_uuid()::text, 'ck_live_bench', 'key ' || n
      from generate_series(1, ${KEYS}::integer) n`
  await sql`
    with keys as (select array_agg(id) as ids from api_keys where account_id = ${accountId}),
         paths as (select array['/v1/people', '/v1/search', '/v1/people/{id}', '/v1/projects'] as names),
         charged as (
           insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
           select a.id, now() - make_interval(secs => (${LEDGER_LINES}::integer - n) * 432), 'charge', -5,
                  a.balance - 5 * n, gen_random_uuid()::text, paths.names[1 + n % 4], keys.ids[1 + n % ${KEYS}::integer]
             from accounts a, keys, paths, generate_series(1, ${LEDGER_LINES}::integer) n
            where a.id = ${accountId} order by n returning 1)
    update accounts set balance = balance - 5 * (select count(*) from charged) where id = ${accountId}`
  await sql`
    update credit_grants set remaining = remaining - ${LEDGER_LINES * 5}
     where account_id = ${accountId} and source = 'topup'`
  await sql`
    insert into unlocks (account_id, person_id, at)
    select ${accountId}, id, now() - random() * interval '90 days' from people order by id limit ${CONTACTS}`
  await sql`
    insert into contact_notes (account_id, person_id, note, tags, updated_at)
    select account_id, person_id, repeat('Met at a conference. ', 20), array['met', 'to write', 'warm'], at
      from unlocks where account_id = ${accountId}`
  await sql`
    insert into record_lists (account_id, name)
    select ${accountId}, 'Founders of lending protocols to write to before the conference, number ' || n
      from generate_series(1, ${MAX_LISTS}::integer) n`
  await sql`
    insert into list_entries (list_id, record_id, kind, added_at)
    select l.id, r.id, r.kind, now() - random() * interval '90 days'
      from record_lists l cross join (
        (select id, 'person' as kind from people order by id limit ${MAX_ENTRIES / 2}) union all
        (select id, 'company' from companies order by id limit ${MAX_ENTRIES / 2})) r
     where l.account_id = ${accountId}`
  await sql`
    insert into saved_views (account_id, list, name, query)
    select ${accountId}, case n % 2 when 0 then 'people' else 'projects' end,
           'What was funded in the last quarter, by what was raised, number ' || n, 'sort=recent'
      from generate_series(1, ${MAX_VIEWS}::integer) n`
  const line = `100 404 1.2 0 not_found ${crypto.randomUUID()} GET /v1/people/{id} include\n`
  await sql`
    insert into request_chunks (account_id, key_id, began_at, charged, free, refused, failed, calls)
    select ${accountId}, (select id from api_keys where account_id = ${accountId} limit 1),
           now() - make_interval(mins => ${CHUNKS}::integer - n), 0, 0, 20, 0, ${line.repeat(20)}
      from generate_series(1, ${CHUNKS}::integer) n`
  await sql`analyze`
}

const DOCUMENT_KINDS: Kinds = Object.fromEntries(
  DOCUMENTS.map(({ path }) => [path.slice(1), () => path]),
)

/** Pages from which those who are signed in are led on. */
export const STRANGERS_KINDS: Kinds = {
  home: () => '/',
  'sign-in': () => '/sign-in',
  'sign-up': () => '/sign-up',
  'forgotten password': () => '/forgotten',
}

/** Pages that everybody sees. */
export async function publicKinds(sql: postgres.Sql): Promise<Kinds> {
  const people = await sql<{ slug: string; name: string }[]>`
    select slug, last_name as name from people where slug is not null`
  const companies = await sql<{ slug: string; directory: string }[]>`
    select slug, case company_type when 'investor' then 'investors'
      when 'project' then 'projects' when 'institution' then 'projects' else 'services' end as directory
    from companies`
  const [mostRounds] = await sql`
    select c.slug from funding_rounds r join companies c on c.id = r.company_id
     where c.company_type = 'project' group by c.id order by count(*) desc, c.id limit 1`
  const [mostInvestments] = await sql`
    select c.slug from round_investors i join companies c on c.id = i.investor_id
     where c.company_type = 'investor' group by c.id order by count(*) desc, c.id limit 1`
  const [mostPeople] = await sql`
    select c.id, c.slug from people p join companies c on c.id = p.company_id
     where c.company_type = 'project' group by c.id order by count(*) desc, c.id limit 1`
  const [oneOfMany] = await sql`
    select slug from people where company_id = ${mostPeople?.id} order by id limit 1`
  const slugsOf = (directory: string) =>
    companies.filter((it) => it.directory === directory).map(({ slug }) => slug)
  const [projects, funds, services] = DIRECTORIES.map(slugsOf) as [string[], string[], string[]]
  const page = (pages: number) => chance.between(1, pages)
  const begun = () => encodeURIComponent(chance.pick(people).name.slice(0, chance.between(1, 5)))
  return {
    plans: () => '/credits',
    privacy: () => '/privacy',
    ...DOCUMENT_KINDS,
    'documentation, searched': () => '/docs/find?q=error',
    'search as one types': () => `/search?q=${begun()}`,
    'search, a whole name': () => `/search?q=${encodeURIComponent(chance.pick(people).name)}`,
    'people, the first page': () => '/people?limit=50',
    'people, all of a facet': () => '/people?more=company&limit=50',
    'people, any page': () => `/people?page=${page(1_000)}&limit=100`,
    'people, filtered': () =>
      `/people?roles=founder,legal&channels=email&sort=name&page=${page(50)}`,
    'people, searched': () => `/people?q=${begun()}`,
    'projects, the first page': () => '/projects?limit=50',
    'projects, all of a facet': () => '/projects?more=sector&limit=50',
    'services, any page': () => `/services?page=${page(50)}&limit=100`,
    'investors, the first page': () => '/investors?limit=50',
    'projects, any page': () => `/projects?page=${page(150)}&limit=100`,
    'investors by return': () => `/investors?sort=roi&limit=100&page=${page(30)}`,
    person: () => `/people/${chance.pick(people).slug}`,
    project: () => `/projects/${chance.pick(projects)}`,
    fund: () => `/investors/${chance.pick(funds)}`,
    service: () => `/services/${chance.pick(services)}`,
    'project of most rounds': () => `/projects/${mostRounds?.slug}`,
    'fund of most investments': () => `/investors/${mostInvestments?.slug}`,
    'fund of most investments, by name': () =>
      `/investors/${mostInvestments?.slug}?sort=name&page=${page(3)}`,
    'company of most people': () => `/projects/${mostPeople?.slug}`,
    'person of the largest company': () => `/people/${oneOfMany?.slug}`,
  }
}

/** Pages of somebody's own, drawn from an account that `fillAccount` filled; to others they are emptier. */
export async function personalKinds(sql: postgres.Sql, accountId: string): Promise<Kinds> {
  const keys = await sql<{ id: string }[]>`select id from api_keys where account_id = ${accountId}`
  const lines = await sql<{ sequence: string; day: string }[]>`
    select sequence, to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day
      from ledger where account_id = ${accountId}`
  const contacts = await sql<{ id: string }[]>`
    select person_id as id from unlocks where account_id = ${accountId} limit 500`
  const others = await sql<{ id: string }[]>`
    select id from people where has_email order by id desc limit 1000`
  const lists = await sql<{ id: string }[]>`
    select id from record_lists where account_id = ${accountId}`
  const views = await sql<{ id: string }[]>`
    select id from saved_views where account_id = ${accountId} and list = 'projects'`
  const listed = await sql<{ id: string }[]>`
    select record_id as id from list_entries where list_id = ${lists[0]?.id ?? null} limit 100`
  const list = () => chance.pick(lists).id
  const ids = () => Array.from({ length: 100 }, () => `ids=${chance.pick(others).id}`).join('&')
  return {
    overview: () => '/overview',
    requests: () => '/requests',
    'requests, filtered': () => '/requests?status=4xx',
    'my contacts': () => '/contacts',
    'my contacts, searched': () => '/contacts?q=con',
    'note on a contact': () => `/contacts/note?id=${chance.pick(contacts).id}`,
    'price of 100 reveals': () => `/reveal?${ids()}`,
    lists: () => `/lists?page=${chance.between(1, 5)}`,
    'kept list, any page': () => `/lists/${list()}?page=${chance.between(1, 13)}`,
    'kept list, by name': () => `/lists/${list()}?sort=name`,
    'kept list, companies by what was raised': () => `/lists/${list()}?of=projects&sort=raised`,
    '100 records to add': () => `/lists/add?${ids()}`,
    '100 records to remove': () =>
      `/lists/remove?list=${list()}&${listed.map(({ id }) => `ids=${id}`).join('&')}`,
    'rename a list': () => `/lists/rename?id=${list()}`,
    'delete a list': () => `/lists/delete?id=${list()}`,
    'save a view': () => '/views/new/projects?sector=DeFi&sort=raised',
    'change a view': () => `/views/change?id=${chance.pick(views).id}`,
    'projects, of a view': () => `/projects?view=${chance.pick(views).id}&sort=recent`,
    palette: () => '/palette',
    'low-balance mails': () => '/balance/alerts',
    'sign out': () => '/sign-out',
    'price of an export of companies': () => '/export/projects?sector=DeFi',
    keys: () => '/keys',
    balance: () => '/balance',
    'balance, any page': () => `/balance?before=${chance.pick(lines).sequence}`,
    'balance, of a key': () => `/balance?key=${chance.pick(keys).id}`,
    'balance, of an endpoint': () => '/balance?endpoint=%2Fv1%2Fsearch',
    'balance, of a day': () => `/balance?day=${chance.pick(lines).day}`,
    'price of an export': () => '/export/people',
    'price of a filtered export': () => '/export/people?roles=founder&channels=email',
    'bulk search': () => '/bulk-search',
    referral: () => '/referral',
    workspace: () => '/workspace',
    settings: () => '/settings',
  }
}
