/** Requests of people about their own data, on a database of their own, with a clock to set and a mailbox. */
import { createLog } from '../../../src/log.ts'
import {
  createPrivacy,
  type Privacy,
  type RequestFields,
} from '../../../src/people/privacy/requests.ts'
import type { Mail } from '../../../src/people/users/mail.ts'
import { type Clock, startClock } from '../../helpers/clock.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { shared } from '../../helpers/shared.ts'
import { APP_URL, AT_ONCE, linkIn, START } from '../users/fixtures.ts'

/** As somebody sends the form who wants to be removed. */
export const REQUEST: RequestFields = {
  kind: 'remove',
  email: 'Ada@Example.com',
  person: 'Ada Ashford',
  details: '',
  declared: 'yes',
}

export interface Askers extends TestDatabase {
  clock: Clock
  /** Where mails are sent, and where they are not. */
  mailed: Privacy
  unmailed: Privacy
  letters: Mail[]
  logged: string[]
  newAddress(): string
  /** Sends the form and opens the link of its mail. @returns the request's id */
  confirmed(form?: Partial<RequestFields>): Promise<string>
}

export function sharedAskers(fill = async (_askers: Askers) => {}): Askers {
  return shared(
    async () => {
      const askers = await startAskers()
      await fill(askers)
      return askers
    },
    ({ drop }) => drop(),
  )
}

async function startAskers(): Promise<Askers> {
  const test = await testDatabase()
  const clock = await startClock(test.sql, START)
  const letters: Mail[] = []
  const logged: string[] = []
  const privacyWith = (sends: boolean) =>
    createPrivacy({
      database: test.database,
      mailer: {
        sends,
        send: async (mail) => {
          letters.push(mail)
        },
      },
      background: AT_ONCE,
      log: createLog('debug', (line) => logged.push(line)),
      serviceName: 'Test',
      appUrl: APP_URL,
      contact: undefined,
      sources: undefined,
    })
  const mailed = privacyWith(true)
  let last = 0
  const newAddress = () => `198.51.${Math.floor(++last / 250)}.${last % 250}`

  return {
    ...test,
    clock,
    mailed,
    unmailed: privacyWith(false),
    letters,
    logged,
    newAddress,
    async confirmed(form = {}) {
      const asked = { ...REQUEST, email: `asker-${++last}@example.com`, ...form }
      await mailed.ask(asked, newAddress())
      const done = await mailed.confirm(linkIn(letters, asked.email), newAddress())
      if (done.outcome !== 'confirmed') throw new Error(done.outcome)
      return done.id
    },
  }
}
