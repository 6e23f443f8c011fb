/** Requests of the benches over HTTP, drawn from the directory's first 5,000 people and companies. */
import type postgres from 'postgres'
import { hashApiKey } from '../../src/money/accounts/api-key.ts'
import { Chance } from '../../src/server/demo/random.ts'
import type { LoadRequest } from './load.ts'

/**
 * So many requests with the keys in turn: 40 % search, 30 % lists with filters, 20 % single records, 10 % unlocked contacts.
 * @param sql the database of `benchDatabase`, with the accounts of `makeAccounts`
 */
export async function makeMix(
  sql: postgres.Sql,
  keys: readonly string[],
  count: number,
): Promise<LoadRequest[]> {
  const people = await sql<{ name: string; id: string }[]>`
    select first_name || ' ' || last_name as name, id from people order by id limit 5000`
  const companies = await sql<{ name: string; slug: string; sector: string | null }[]>`
    select name, slug, sectors[1] as sector from companies order by id limit 5000`
  const unlocks = await sql<{ person: string; hash: string }[]>`
    select u.person_id as person, k.hash from unlocks u join api_keys k on k.account_id = u.account_id`
  const unlockedBy = new Map(unlocks.map(({ hash, person }) => [hash, person]))
  const chance = new Chance(7)
  const search = () => {
    const { name } = chance.happens(0.5) ? chance.pick(people) : chance.pick(companies)
    return `/v1/search?q=${encodeURIComponent(name)}`
  }
  const peopleList = () => `/v1/people?roles=founder&channels=email&page=${chance.between(1, 20)}`
  const projectList = () => {
    const sector = encodeURIComponent(chance.pick(companies).sector ?? 'DeFi')
    return `/v1/projects?sector=${sector}&sort=name&page=${chance.between(1, 3)}`
  }
  const project = () => `/v1/projects/${chance.pick(companies).slug}`
  const person = () => `/v1/people/${chance.pick(people).id}`
  const unlocked = (key: string) =>
    `/v1/people/${unlockedBy.get(hashApiKey(key)) ?? chance.pick(people).id}`
  const tenths = [
    ...[search, search, search, search],
    ...[peopleList, projectList, projectList],
    ...[project, person],
    unlocked,
  ]
  return Array.from({ length: count }, (_, number) => {
    const key = keys[number % keys.length] ?? ''
    const path = chance.pick(tenths)(key)
    return { method: 'GET', path, headers: { authorization: `Bearer ${key}` } }
  })
}
