/** What `bun start` prepares on an empty embedded database: a directory, an account on trial, a key. */
import { createAccount, createKey, grantCredits } from '../accounts/accounts.ts'
import type { Database } from '../database/client.ts'
import { seedDemo } from '../directory/demo.ts'
import { SCOPES } from '../metering/prices.ts'

const TRIAL_CREDITS = 250

/**
 * Makes the demo where there is neither an account nor a directory of somebody's own.
 * @returns what to tell the person once the API's address is known, or undefined where nothing was made.
 */
export async function makeDemo(
  database: Database,
): Promise<((apiUrl: string) => string) | undefined> {
  if (!(await isEmpty(database))) return undefined
  await seedDemo(database)
  // The account comes last: a start that was interrupted before it begins again.
  const id = await createAccount(database, {
    name: 'Demo',
    email: 'demo@example.com',
    tier: 'free',
  })
  await grantCredits(database, id, TRIAL_CREDITS, 'trial')
  const { key } = await createKey(database, id, 'demo', SCOPES)
  const { person, company } = await examples(database)
  return (apiUrl) => `
A demo directory of invented people and companies is ready. Your key, shown this once:

  ${key}

${TRIAL_CREDITS} credits for 7 days. Paste one of these:

  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/search?q=${encodeURIComponent(company)}"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/projects?sort=name&limit=3"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/people/${person}?include=private"
`
}

async function isEmpty(database: Database): Promise<boolean> {
  const [row] = await database.use(
    ({ sql }) => sql<{ empty: boolean }[]>`
      select not exists (select from accounts)
         and not exists (select from companies where external_id is null or external_id not like 'demo:%')
         and not exists (select from people where external_id is null or external_id not like 'demo:%') as empty`,
  )
  return row?.empty === true
}

/** A person with something to reveal and a company to search for. */
async function examples(database: Database): Promise<{ person: string; company: string }> {
  const [row] = await database.use(
    ({ sql }) => sql<{ person: string; company: string }[]>`
      select p.slug as person, lower(split_part(c.name, ' ', 1)) as company
        from people p join companies c on c.id = p.company_id
       where p.has_email and p.has_telegram and p.slug is not null
       order by c.followers desc nulls last, p.slug limit 1`,
  )
  if (!row) throw new Error('the demo directory has nobody to reveal')
  return row
}
