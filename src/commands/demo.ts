/** The demo that `bun start` makes in an empty embedded database: a directory, a user and an API key. */
import { randomBytes } from 'node:crypto'
import { createKey } from '../accounts/keys.ts'
import type { Config } from '../config.ts'
import { SCOPES } from '../contract/endpoints.ts'
import { TRIAL_DAYS } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import type { OpenDatabase } from '../database/open.ts'
import { isTrue } from '../database/scalar.ts'
import { DEMO_COMPANY, DEMO_PERSON, seedDemo } from '../demo/demo.ts'
import { giveOperator } from '../operator/users.ts'
import { OWN_PLACE } from '../users/password-queue.ts'
import { createPasswords } from '../users/passwords.ts'
import { findUser, insertUser, ownAccountOf, setEmail } from '../users/repository.ts'
import { COMMAND_DEADLINE_MS } from './command.ts'
import { performed } from './performed.ts'

const EMAIL = 'demo@example.com'

type Greeting = (addresses: { apiUrl: string; appUrl: string }) => string

/**
 * Makes the demo in a database without accounts and records. Its statements have the time of a command's: what a call of
 * the API waits is too short for a first start on a busy machine.
 * @returns a function that words the greeting for the server's addresses; undefined where there is no demo.
 */
export async function makeDemo(
  { pool }: Pick<OpenDatabase, 'pool'>,
  config: Pick<Config, 'trialCredits'>,
): Promise<Greeting | undefined> {
  const database = pool(1, COMMAND_DEADLINE_MS)
  try {
    return await makeDemoIn(database, config)
  } finally {
    await database.close()
  }
}

async function makeDemoIn(
  database: Database,
  { trialCredits }: Pick<Config, 'trialCredits'>,
): Promise<Greeting | undefined> {
  if (!(await isEmpty(database))) return (await findUser(database, EMAIL)) ? laterStart : undefined
  await seedDemo(database)
  // The user comes last: a start that was interrupted before makes the demo again.
  const password = randomBytes(9).toString('base64url')
  const hash = await createPasswords().hash(password, OWN_PLACE)
  const given = { email: EMAIL, name: 'Demo', password: hash, trialCredits }
  const user = await insertUser(database, given)
  const account = user && (await ownAccountOf(database, user))
  if (!account) throw new Error('the demo was made twice at once')
  await setEmail(database, user, EMAIL, true)
  await performed(database, giveOperator({ id: user, email: EMAIL }))
  const { key } = await createKey(database, account, 'demo', SCOPES)
  return ({ apiUrl, appUrl }) => `
A demo directory of invented people and companies is ready. Sign in at ${appUrl}/sign-in

  ${EMAIL}
  ${password}

This is its operator too, at ${appUrl}/operator, which asks to set up two-step sign-in first.

Your key, shown this once, with ${trialCredits} credits for ${TRIAL_DAYS} days:

  ${key}

Paste one of these:

  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/search?q=${DEMO_COMPANY.query}"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/projects?sort=name&limit=3"
  curl -H "Authorization: Bearer ${key}" "${apiUrl}/v1/people/${DEMO_PERSON.slug}?include=private"
`
}

/** The greeting of later starts, without the password and the key, which were shown once. */
function laterStart({ appUrl }: { appUrl: string }): string {
  return `
The demo directory is here already. Sign in at ${appUrl}/sign-in as ${EMAIL}
(a link for another password: user reset ${EMAIL})
`
}

function isEmpty(database: Database): Promise<boolean> {
  return database.use(({ sql }) =>
    isTrue(sql`
      select not exists (select from accounts)
         and not exists (select from companies where external_id is null or external_id not like 'demo:%')
         and not exists (select from people where external_id is null or external_id not like 'demo:%')`),
  )
}
