/** Kinds of the operator's pages, and who may open them. */
import type postgres from 'postgres'
import { perform } from '../../src/console/acts/perform.ts'
import { giveOperator } from '../../src/console/acts/users.ts'
import type { Database } from '../../src/database/client.ts'
import { Chance } from '../../src/server/demo/random.ts'
import type { Reader } from './full-account.ts'
import type { Kinds } from './page-kinds.ts'

const chance = new Chance(11)

const COMMAND = { via: 'command', userId: null, who: 'bench', address: null } as const

/** Makes whoever owns this account an operator, who signed in in two steps. */
export async function makeOperator(
  database: Database,
  sql: postgres.Sql,
  { accountId }: Reader,
): Promise<void> {
  const [user] = await sql<{ id: string; email: string }[]>`
    select u.id, u.email from users u join members m on m.user_id = u.id where m.account_id = ${accountId}`
  if (!user) throw new Error('an account without an owner')
  await perform(database, COMMAND, giveOperator, user.id)
  await sql`
    insert into second_factors (user_id, secret, session_id, begun_at, on_since)
    values (${user.id}, 'never asked for', gen_random_uuid(), meter_now(), meter_now())`
}

/** Pages that an operator reads by the hour. @param accountId an account that `fillAccount` filled */
export async function operatorKinds(sql: postgres.Sql, accountId: string): Promise<Kinds> {
  const accounts = await sql<{ id: string }[]>`select id from accounts order by random() limit 50`
  const payments = await sql<{ id: string }[]>`select id from payments`
  const people = await sql<{ id: string; name: string }[]>`
    select id, first_name || ' ' || last_name as name from people order by random() limit 200`
  const companies = await sql<{ id: string }[]>`
    select id from companies order by random() limit 200`
  const browse = (query: Record<string, string>) =>
    `/operator/directory?${new URLSearchParams(query)}`
  return {
    home: () => '/operator',
    accounts: () => '/operator/accounts',
    'accounts, by mail': () => `/operator/accounts?q=reader-${chance.between(1, 9)}%40`,
    account: () => `/operator/accounts/${chance.pick(accounts).id}`,
    'account with all that there may be': () => `/operator/accounts/${accountId}`,
    payments: () => '/operator/payments',
    payment: () => `/operator/payments/${chance.pick(payments).id}`,
    'people of the directory': () => browse({ kind: 'person' }),
    'a person, searched': () => browse({ kind: 'person', q: chance.pick(people).name }),
    'person of the directory': () => `/operator/directory/people/${chance.pick(people).id}`,
    'company of the directory': () => `/operator/directory/companies/${chance.pick(companies).id}`,
    journal: () => '/operator/directory/journal',
    requests: () => '/operator/directory/requests',
    imports: () => '/operator/imports',
    backups: () => '/operator/backups',
    'audit log': () => '/operator/audit',
    configuration: () => '/operator/settings',
  }
}
