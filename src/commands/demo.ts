/** What `bun start` prepares on an empty embedded database: a directory, an account on trial, a key. */
import { createAccount, createKey, grantCredits } from '../accounts/accounts.ts'
import type { Database } from '../database/client.ts'
import { DEMO_COMPANY, DEMO_PERSON, seedDemo } from '../directory/demo.ts'
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
  return (apiUrl) => `
A demo directory of invented people and companies is ready. Your key, shown this once:

  ${key}

${TRIAL_CREDITS} credits for 7 days. Paste one of these:

  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/search?q=${DEMO_COMPANY.query}"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/projects?sort=name&limit=3"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/people/${DEMO_PERSON.slug}?include=private"
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
