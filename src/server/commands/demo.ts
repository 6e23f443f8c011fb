/** The demo that `bun start` makes in an empty embedded database: a directory, a user and an API key. */
import { randomBytes } from 'node:crypto'
import { relative } from 'node:path'
import type { Config } from '../../config.ts'
import { perform } from '../../console/acts/perform.ts'
import { giveOperator } from '../../console/acts/users.ts'
import { SCOPES } from '../../contract/endpoints.ts'
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import type { Database } from '../../database/client.ts'
import { isTrue } from '../../database/scalar.ts'
import { createKey } from '../../money/accounts/keys.ts'
import { OWN_PLACE } from '../../people/users/password-queue.ts'
import { createPasswords } from '../../people/users/passwords.ts'
import { findUser, insertUser, ownAccountOf, setEmail } from '../../people/users/repository.ts'
import { programCommand } from '../../runtime.ts'
import { DEMO_COMPANY, DEMO_PERSON, seedDemo } from '../demo/demo.ts'
import { COMMAND_DEADLINE_MS, typist } from './command.ts'

const EMAIL = 'demo@example.com'

export type Greeting = (addresses: { apiUrl: string; appUrl: string }) => string

interface Opened {
  pool(connections: number, deadlineMs?: number): Database
}

/**
 * Puts the demo's records into an empty database before the service loads them. Statements have a command's deadline: a
 * call's is too short for a first start on a busy machine.
 */
export function seedEmpty(open: Opened): Promise<void> {
  return withPool(open, async (database) => {
    if (await isEmpty(database)) await seedDemo(database)
  })
}

/**
 * Makes the demo's user and key once the service answers, so that a start that fails before (on a taken port) leaves them to
 * the next one.
 * @returns the greeting, a function of the server's addresses; undefined where there is no demo
 */
export function greetDemo(
  open: Opened,
  config: Pick<Config, 'trialCredits'>,
): Promise<Greeting | undefined> {
  return withPool(open, async (database) => {
    if (await isEmpty(database)) return welcome(database, config)
    const user = await findUser(database, EMAIL)
    const account = user && (await ownAccountOf(database, user.id))
    return account ? laterStart(account) : undefined
  })
}

async function withPool<T>(open: Opened, work: (database: Database) => Promise<T>): Promise<T> {
  const database = open.pool(1, COMMAND_DEADLINE_MS)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function welcome(
  database: Database,
  { trialCredits }: Pick<Config, 'trialCredits'>,
): Promise<Greeting> {
  const password = randomBytes(9).toString('base64url')
  const hash = await createPasswords().hash(password, OWN_PLACE)
  const given = { email: EMAIL, name: 'Demo', password: hash, trialCredits }
  const user = await insertUser(database, given)
  const account = user && (await ownAccountOf(database, user))
  if (!account) throw new Error('the demo was made twice at once')
  await setEmail(database, user, EMAIL, true)
  await perform(database, typist(), giveOperator, user)
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

/** The greeting of later starts: password and key were shown once, and these commands make others. */
const laterStart =
  (account: string): Greeting =>
  ({ appUrl }) =>
    `
The demo directory is here already. Sign in at ${appUrl}/sign-in as ${EMAIL}

A link that sets another password:

  ${asTyped('user', 'reset', EMAIL)}

Another key:

  ${asTyped('key', 'create', account, '--label', 'another')}
`

/** A command line that works where this process was started, for pasting into the same shell. */
function asTyped(...args: readonly string[]): string {
  const { DATA_DIR } = process.env
  const [file, ...rest] = programCommand()
  // `npx bun start` runs a Bun that lies deep in node_modules; its short path is the one from here.
  const near = [file, ...rest].map((part) => (part.startsWith('/') ? relative('.', part) : part))
  const command = [...near, ...args].map(quoted).join(' ')
  return DATA_DIR ? `DATA_DIR=${quoted(DATA_DIR)} ${command}` : command
}

const quoted = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

function isEmpty(database: Database): Promise<boolean> {
  return database.use(({ sql }) =>
    isTrue(sql`
      select not exists (select from accounts)
         and not exists (select from companies where external_id is null or external_id not like 'demo:%')
         and not exists (select from people where external_id is null or external_id not like 'demo:%')`),
  )
}
