/** Kinds of pages, each with addresses drawn at random from a filled directory and a full account. */
import type postgres from 'postgres'
import { DIRECTORIES } from '../../src/contract/vocabulary.ts'
import { Chance } from '../../src/server/demo/random.ts'
import { DOCUMENTS } from '../../src/site/docs/documents.ts'
import { ROUTES } from '../../src/site/routes.ts'

/** Names of kinds, and what gives an address of each. */
export type Kinds = Readonly<Record<string, () => string>>

const chance = new Chance(7)

/** As long as one of a mail; a page asks for it and does not look whether it is good. */
const TOKEN = 'x'.repeat(43)

const DOCUMENT_KINDS: Kinds = Object.fromEntries(
  DOCUMENTS.map(({ path }) => [path.slice(1), () => path]),
)

/** Pages from which those who are signed in are led on. */
export const STRANGERS_KINDS: Kinds = {
  home: () => '/',
  'sign-in': () => '/sign-in',
  'second step': () => '/sign-in/code',
  'sign-up': () => '/sign-up',
  'forgotten password': () => '/forgotten',
  'reset a password': () => `/reset?token=${TOKEN}`,
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
    'confirm a request': () => `/privacy/confirm?token=${TOKEN}`,
    'confirm an address': () => `/confirm?token=${TOKEN}`,
    appearance: () => '/appearance',
    ...DOCUMENT_KINDS,
    'documentation, searched': () => '/docs/find?q=error',
    'search as one types': () => `/search?q=${begun()}`,
    suggestions: () => `/search/suggestions?q=${begun()}`,
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
    'all connections of a fund': () => `/connections/companies/${mostInvestments?.slug}`,
    'all connections of a person': () => `/connections/people/${oneOfMany?.slug}`,
    'company of most people': () => `/projects/${mostPeople?.slug}`,
    'person of the largest company': () => `/people/${oneOfMany?.slug}`,
  }
}

/**
 * Pages of somebody's own, drawn from an account that `fillAccount` filled; to others they are emptier.
 * @param invitation the token of `openWorkspace`
 */
export async function personalKinds(
  sql: postgres.Sql,
  accountId: string,
  invitation: string,
): Promise<Kinds> {
  const keys = await sql<
    { id: string }[]
  >`select id from api_keys where account_id = ${accountId} and environment <> 'web'`
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
  const receipts = await sql<{ id: string }[]>`
    select id from payments where account_id = ${accountId} and state = 'accepted'`
  const [member] = await sql<{ id: string }[]>`
    select user_id as id from members where account_id = ${accountId} and role = 'member'`
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
    '100 people revealed': () => `/reveal/done?batch=${crypto.randomUUID()}&${ids()}`,
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
    'open a view': () => `/views/${chance.pick(views).id}`,
    'projects, of a view': () => `/projects?view=${chance.pick(views).id}&sort=recent`,
    palette: () => '/palette',
    'low-balance mails': () => '/balance/alerts',
    'sign out': () => '/sign-out',
    'price of an export of companies': () => '/export/projects?sector=DeFi',
    keys: () => '/keys',
    'revoke a key': () => `/keys/revoke?id=${chance.pick(keys).id}`,
    'rotate a key': () => `/keys/rotate?id=${chance.pick(keys).id}`,
    order: () => '/credits/order?topUp=medium',
    'order of another plan': () => '/credits/order?plan=pro',
    receipt: () => `/credits/receipts/${chance.pick(receipts).id}`,
    'cancel the plan': () => '/balance/stop-plan',
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
    'remove a member': () => `/workspace/remove?id=${member?.id}`,
    invitation: () => `/invitation?token=${invitation}`,
    settings: () => '/settings',
    'two-step sign-in': () => '/settings/two-step',
    'new recovery codes': () => '/settings/two-step/codes',
    'turn off two-step sign-in': () => '/settings/two-step/off',
  }
}

/** Pages of whoever acts for an account that is somebody else's. */
export const MEMBERS_KINDS: Kinds = { 'leave the workspace': () => '/workspace/leave' }

/** Files: they are made while they are sent, so what is bounded is how long a piece takes, not their length. */
export async function fileKinds(sql: postgres.Sql, accountId: string): Promise<Kinds> {
  const lists = await sql<{ id: string }[]>`
    select id from record_lists where account_id = ${accountId}`
  return {
    'file of the ledger': () => '/balance/ledger.csv',
    'file of my contacts': () => '/contacts/contacts.csv',
    'file of a kept list': () => `/lists/list.csv?id=${chance.pick(lists).id}`,
  }
}

/** Routes whose addresses a form makes anew each time: of a form that was not sent, and of a search's price. */
const MADE_BY_FORMS: readonly string[] = ['/unsent', '/bulk-search/:id']

/** Paths of routes that none of the kinds lead to. */
export function routesWithout(kinds: Kinds): string[] {
  const asked = Object.values(kinds).map((addressOf) => addressOf().split('?')[0] ?? '')
  const paths = ROUTES.map(({ path }) => path).filter((path) => !MADE_BY_FORMS.includes(path))
  return paths.filter((path) => {
    const pattern = new RegExp(`^${path.replace(/:\w+/, '[^/]+')}$`)
    // A parameter's route also fits the paths of routes beside it.
    const others = ROUTES.map((route) => route.path).filter((other) => other !== path)
    return !asked.some((one) => pattern.test(one) && !others.includes(one as `/${string}`))
  })
}
