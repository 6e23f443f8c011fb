/** An account that has all that it may have, and people who are signed in. */
import type postgres from 'postgres'
import type { Database } from '../../src/database/client.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { startPlan } from '../../src/money/accounts/credits.ts'
import { MAX_ENTRIES, MAX_LISTS } from '../../src/people/contacts/record-lists.ts'
import { MAX_VIEWS } from '../../src/people/contacts/saved-views.ts'
import { insertUser, ownAccountOf } from '../../src/people/users/repository.ts'
import { beginSignIn } from '../../src/people/users/second-factor-store.ts'
import { newToken } from '../../src/people/users/tokens.ts'

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
/** Orders that were paid. */
const ORDERS = 24

/** People on a plan that has everything, signed in. */
export async function makeReaders(database: Database, count: number): Promise<Reader[]> {
  const readers: Reader[] = []
  for (let number = 1; number <= count; number++) {
    const [email, password] = [`reader-${number}@example.com`, 'never checked']
    const user = { email, name: `Reader ${number}`, password, trialCredits: 250 }
    const id = (await insertUser(database, user)) ?? ''
    const accountId = (await ownAccountOf(database, id)) ?? ''
    await setAccount(database, accountId, { tier: 'team', organization: 'Bench' })
    const { token } = newToken()
    await beginSignIn(database, id, password, token)
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
  await fillOrders(sql, accountId)
  await sql`analyze`
}

/** Two years of a plan's payments, each with a receipt, and one order that waits. */
async function fillOrders(sql: postgres.Sql, accountId: string): Promise<void> {
  await sql`
    insert into payments (account_id, kind, item, credits, usd, state, created_at, decided_at)
    select ${accountId}, 'plan', 'team', 15000, 249, 'accepted', now() - make_interval(months => n), now() - make_interval(months => n)
      from generate_series(1, ${ORDERS}::integer) n`
  await sql`
    insert into payments (account_id, kind, item, credits, usd, state, created_at)
    values (${accountId}, 'topup', 'large', 10000, 170, 'open', now())`
}

/**
 * Opens the account's workspace: on a plan that renews, with one member, who acts for it, and an open invitation.
 * @returns the member, and the invitation's token
 */
export async function openWorkspace(
  database: Database,
  sql: postgres.Sql,
  accountId: string,
): Promise<{ member: Reader; invitation: string }> {
  await startPlan(database, accountId, 'team', true)
  const [email, password] = ['member@example.com', 'never checked']
  const id =
    (await insertUser(database, { email, name: 'Member', password, trialCredits: 0 })) ?? ''
  const { token: session } = newToken()
  await beginSignIn(database, id, password, session)
  await sql`
    insert into members (account_id, user_id, role, joined_at) values (${accountId}, ${id}, 'member', now())`
  await sql`update sessions set account_id = ${accountId} where user_id = ${id}`
  const { token, hash } = newToken()
  await sql`
    insert into invitations (hash, account_id, invited_by, label, created_at, ends_at)
    select ${hash}, account_id, user_id, 'Somebody', now(), now() + interval '7 days'
      from members where account_id = ${accountId} and role = 'owner'`
  return { member: { accountId, cookie: `ck_session=${session}` }, invitation: token }
}
