/** What benches over HTTP ask for, over the directory's first 5,000 people and companies. */
import type postgres from 'postgres'
import { CHANNELS, ROLES } from '../../src/contract/vocabulary.ts'
import { hashApiKey } from '../../src/money/accounts/api-key.ts'
import { Chance } from '../../src/server/demo/random.ts'
import type { LoadRequest } from './http-load.ts'

/** A path that the caller with this key asks for. */
type Draw = (chance: Chance, key: string) => string

export type RequestKinds = Readonly<
  Record<
    | 'me'
    | 'search'
    | 'misspelt'
    | 'peopleList'
    | 'anyPeopleList'
    | 'beginning'
    | 'projectList'
    | 'project'
    | 'person'
    | 'unlocked',
    Draw
  >
>

/** @param sql the database of `benchDatabase`, with the accounts of `makeAccounts` */
export async function requestKinds(sql: postgres.Sql): Promise<RequestKinds> {
  const people = await sql<{ name: string; id: string }[]>`
    select first_name || ' ' || last_name as name, id from people order by id limit 5000`
  const companies = await sql<{ name: string; slug: string; sector: string | null }[]>`
    select name, slug, sectors[1] as sector from companies order by id limit 5000`
  const unlocks = await sql<{ person: string; hash: string }[]>`
    select u.person_id as person, k.hash from unlocks u join api_keys k on k.account_id = u.account_id`
  const unlockedBy = new Map(unlocks.map(({ hash, person }) => [hash, person]))
  const person: Draw = (chance) => `/v1/people/${chance.pick(people).id}`
  return {
    me: () => '/v1/me',
    search: (chance) => {
      const { name } = chance.happens(0.5) ? chance.pick(people) : chance.pick(companies)
      return `/v1/search?q=${encodeURIComponent(name)}`
    },
    misspelt: (chance) => {
      const { name } = chance.pick(people)
      const place = chance.between(1, name.length - 2)
      return `/v1/search?q=${encodeURIComponent(name.slice(0, place) + name.slice(place + 1))}`
    },
    peopleList: (chance) => `/v1/people?roles=founder&channels=email&page=${chance.between(1, 20)}`,
    anyPeopleList: (chance) =>
      `/v1/people?roles=${chance.pick(ROLES)}&channels=${chance.pick(CHANNELS)}&page=${chance.between(1, 20)}`,
    beginning: (chance) =>
      `/v1/people?q=${encodeURIComponent(chance.pick(people).name.slice(0, 4))}`,
    projectList: (chance) => {
      const sector = encodeURIComponent(chance.pick(companies).sector ?? 'DeFi')
      return `/v1/projects?sector=${sector}&sort=name&page=${chance.between(1, 3)}`
    },
    project: (chance) => `/v1/projects/${chance.pick(companies).slug}`,
    person,
    unlocked: (chance, key) => {
      const id = unlockedBy.get(hashApiKey(key))
      return id ? `/v1/people/${id}` : person(chance, key)
    },
  }
}

/** The mix: 40 % search, 30 % lists with filters, 20 % single reads and 10 % reads of unlocked contacts. */
export function mixOf(kinds: RequestKinds): readonly Draw[] {
  const { search, peopleList, projectList, project, person, unlocked } = kinds
  return [
    ...[search, search, search, search],
    ...[peopleList, projectList, projectList],
    ...[project, person],
    unlocked,
  ]
}

/** So many requests, the keys in turn, each of a kind drawn from these. */
export function drawRequests(
  draws: readonly Draw[],
  keys: readonly string[],
  count: number,
): LoadRequest[] {
  const chance = new Chance(7)
  return Array.from({ length: count }, (_, number) => {
    const key = keys[number % keys.length] ?? ''
    const path = chance.pick(draws)(chance, key)
    return { method: 'GET', path, headers: { authorization: `Bearer ${key}` } }
  })
}

/** The mix, as one list of requests. */
export async function makeMix(
  sql: postgres.Sql,
  keys: readonly string[],
  count: number,
): Promise<LoadRequest[]> {
  return drawRequests(mixOf(await requestKinds(sql)), keys, count)
}
