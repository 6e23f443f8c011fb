/** What `bun start` prepares on an empty embedded database: a directory, somebody who may sign in, a key. */
import { randomBytes } from 'node:crypto'
import { createKey } from '../accounts/keys.ts'
import type { Config } from '../config.ts'
import { SCOPES } from '../contract/endpoints.ts'
import { TRIAL_DAYS } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { DEMO_COMPANY, DEMO_PERSON, seedDemo } from '../demo/demo.ts'
import { createPasswords } from '../users/passwords.ts'
import { findUser, insertUser, ownAccountOf, setEmail } from '../users/repository.ts'

const EMAIL = 'demo@example.com'

/**
 * Makes the demo where there is neither an account nor a directory of somebody's own.
 * @returns what to tell the person once the addresses are known, or undefined where there is no demo.
 */
export async function makeDemo(
  database: Database,
  { trialCredits }: Pick<Config, 'trialCredits'>,
): Promise<((addresses: { apiUrl: string; appUrl: string }) => string) | undefined> {
  if (!(await isEmpty(database))) return (await findUser(database, EMAIL)) ? laterStart : undefined
  await seedDemo(database)
  // The person comes last: a start that was interrupted before it begins again.
  const password = randomBytes(9).toString('base64url')
  const stored = await createPasswords().hash(password)
  const user = await insertUser(database, {
    email: EMAIL,
    name: 'Demo',
    password: stored,
    trialCredits,
  })
  const account = user && (await ownAccountOf(database, user))
  if (!account) throw new Error('the demo was made twice at once')
  await setEmail(database, user, EMAIL, true)
  const { key } = await createKey(database, account, 'demo', SCOPES)
  return ({ apiUrl, appUrl }) => `
A demo directory of invented people and companies is ready. Sign in at ${appUrl}/sign-in

  ${EMAIL}
  ${password}

Your key, shown this once, with ${trialCredits} credits for ${TRIAL_DAYS} days:

  ${key}

Paste one of these:

  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/search?q=${DEMO_COMPANY.query}"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/projects?sort=name&limit=3"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/people/${DEMO_PERSON.slug}?include=private"
`
}

/** The password and the key were shown once, at the start that made them. */
function laterStart({ appUrl }: { appUrl: string }): string {
  return `
The demo directory is here already. Sign in at ${appUrl}/sign-in as ${EMAIL}
(a link for another password: user reset ${EMAIL})
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
