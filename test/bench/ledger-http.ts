/** What a server answers of one account, request by request. */
import postgres from 'postgres'
import { generateApiKey } from '../../src/money/accounts/api-key.ts'
import { newToken } from '../../src/people/users/tokens.ts'
import { serve } from '../helpers/command.ts'
import { timesOf } from './medians.ts'

/** Nobody else asks: no limit on pages is in the way. */
const NO_LIMITS = { PAGES_PER_MINUTE: '1000000', PAGES_PER_DAY: '1000000' }

const PAGES = [
  ...['/balance', '/balance?endpoint=/v1/search', '/balance?before=1000000'],
  ...['/credits', '/keys', '/overview'],
]
/** Of each, before any is measured: fewer in all than a minute allows an account. */
const WARM = 30

/**
 * Asks a server in a process of its own, one request after the other, for what calls, `/v1/me` and pages show of the account.
 * @returns how long answers took, in milliseconds, whole bodies included
 */
export async function askOverHttp(url: string, account: string, times: number) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const server = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error', ...NO_LIMITS })
  const headers = {
    authorization: `Bearer ${await keyOf(sql, account)}`,
    cookie: await cookieOf(sql, account),
  }
  const asks = (address: string) => async () => {
    const response = await fetch(address, { headers })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${address}: ${response.status}`)
  }
  // The window of the rate begins anew after a minute.
  const unlimited = () =>
    sql`update accounts set rate_count = -1000000, rate_started_at = now() where id = ${account}`
  const api = {
    'a charge': asks(`${server.apiUrl}/v1/people`),
    '/v1/me': asks(`${server.apiUrl}/v1/me`),
  }
  const pages = Object.fromEntries(PAGES.map((page) => [page, asks(server.appUrl + page)]))
  try {
    // Compilers and connections.
    await timesOf({ ...api, ...pages }, WARM)
    await unlimited()
    return { ...(await timesOf(api, times)), ...(await timesOf(pages, times)) }
  } finally {
    await server.stop()
    await sql.end()
  }
}

/** A new key of the account. */
async function keyOf(sql: postgres.Sql, account: string): Promise<string> {
  const { key, hash, prefix } = generateApiKey()
  await sql`insert into api_keys (account_id, hash, prefix, label, scopes) values (${account}, ${hash}, ${prefix}, 'bench', '{read:metadata}')`
  return key
}

/** A new session of somebody who owns the account. */
async function cookieOf(sql: postgres.Sql, account: string): Promise<string> {
  const { token, hash } = newToken()
  const user = crypto.randomUUID()
  await sql`
    with person as (
      insert into users (id, name, email, password) values (${user}, 'Ada', ${`${user}@example.com`}, 'never checked') returning id
    ), member as (
      insert into members (account_id, user_id, role, joined_at)
      select ${account}, id, (case when exists (select from members where account_id = ${account}) then 'member' else 'owner' end), now()
        from person returning user_id
    )
    insert into sessions (hash, user_id, account_id, created_at, used_at, ends_at)
    select ${hash}, user_id, ${account}, now(), now(), now() + interval '1 day' from member`
  return `ck_session=${token}`
}
