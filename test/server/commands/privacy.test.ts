/** The operator's commands for privacy requests, each a process on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { readConfig } from '../../../src/config.ts'
import { endRequest, removeAsAsked } from '../../../src/console/acts/requests.ts'
import { lockInPostgres } from '../../../src/database/long-lock.ts'
import { deskOf } from '../../../src/server/commands/acts.ts'
import { COMMAND } from '../../console/doing.ts'
import { ADA, BEN, CLEO, DAN, FAY, fixtures } from '../../helpers/fixtures.ts'
import { listenForMail } from '../../helpers/smtp.ts'
import { REQUEST, sharedAskers } from '../../people/privacy/fixtures.ts'
import { commandsIn } from './cli.ts'

const askers = sharedAskers(({ database }) => fixtures(database))
const settings = () => ({ DATABASE_URL: askers.url, APP_URL: 'https://app.example' })
const { chainkin, done, refused } = commandsIn(settings)

/** The same where a mail server takes mails, or refuses them. */
async function withMail(refuse = false) {
  const smtp = await listenForMail(refuse)
  const environment = { ...settings(), SMTP_URL: smtp.url, MAIL_FROM: 'mail@example.com' }
  return { ...smtp, ...commandsIn(() => environment) }
}

const stateOf = async (id: string) =>
  (await askers.sql`select state, email, reason from privacy_requests where id = ${id}`)[0]

test.concurrent('privacy list and show: who waits, how long, and whom it may be about', async () => {
  const id = await askers.confirmed({
    person: `https://app.example/people/${ADA.slug}`,
    email: 'eve@example.com',
    details: 'Please.\n  Ada: found by page',
  })
  const { requests } = await done('privacy', 'list', '--state', 'open')
  expect(requests.find((request: { id: string }) => request.id === id)).toMatchObject({
    kind: 'remove',
    email: 'eve@example.com',
    deadlines: { eu: { daysLeft: 28 }, california: { daysLeft: 45 } },
  })
  const { stdout } = await chainkin(['privacy', 'show', id])
  expect(stdout).toContain('\n  > Please.\n  >   Ada: found by page')
  expect(stdout).toContain('EU: 28 days left, California: 45 days left')
  expect(stdout).toContain('is NOT the one on file')
  expect(stdout).toContain(`chainkin privacy done ${id} --erase ${ADA.id}`)
  expect(stdout).not.toContain(ADA.email)
  const typed = await askers.unmailed.ask(
    { ...REQUEST, email: ADA.email ?? '' },
    askers.newAddress(),
  )
  if (typed.outcome !== 'taken') throw new Error(typed.outcome)
  const shown = await chainkin(['privacy', 'show', typed.id])
  expect(shown.stdout).toContain('IS the one on file, but anybody may have typed it')
  expect(await refused('privacy', 'done', typed.id, '--erase', ADA.id ?? '')).toContain(
    'anybody may have asked',
  )
  expect(await refused('privacy', 'show', crypto.randomUUID())).toContain(
    'there is no privacy request',
  )
})

test.concurrent('privacy done mails the person, and then nothing says whose request it was', async () => {
  const { mails, stop, done } = await withMail()
  const id = await askers.confirmed({ person: ADA.id ?? '', email: 'happy@example.com' })
  expect(await done('privacy', 'done', id)).toEqual({
    id,
    kind: 'remove',
    state: 'done',
    mailed: true,
    stillListed: [ADA.id],
  })
  expect(mails.join()).toContain('To: happy@example.com')
  expect(mails.join()).toContain(id)
  expect(await stateOf(id)).toEqual({ state: 'done', email: null, reason: null })
  stop()
})

test.concurrent('privacy done --erase forgets the person and whose request it was, and nobody else', async () => {
  const { mails, stop, done, refused } = await withMail()
  const id = await askers.confirmed({ person: `/people/${BEN.slug}`, email: 'ben@example.com' })
  expect(await refused('privacy', 'done', id, '--erase', CLEO.id ?? '')).toContain(
    'leads to no person',
  )
  // An id is the same in capitals.
  const ben = BEN.id?.toUpperCase() ?? ''
  expect(await refused('privacy', 'done', id, '--erase', ben)).toContain('anybody may have asked')
  expect(await done('privacy', 'done', id.toUpperCase(), '--erase', ben, '--yes')).toMatchObject({
    state: 'done',
    mailed: true,
    stillListed: [],
    erased: { records: 1 },
  })
  expect(mails).toHaveLength(1)
  expect(await stateOf(id)).toEqual({ state: 'done', email: null, reason: null })
  const people =
    await askers.sql`select slug from people where id in (${BEN.id ?? ''}, ${CLEO.id ?? ''})`
  expect(people.map(({ slug }) => slug)).toEqual([CLEO.slug])
  const correction = await askers.confirmed({
    kind: 'correct',
    details: 'x',
    person: CLEO.id ?? '',
  })
  expect(await refused('privacy', 'done', correction, '--erase', CLEO.id ?? '')).toContain(
    'to remove somebody',
  )
  stop()
})

test.concurrent('of operators who close a request at once one alone mails', async () => {
  const { url, mails, stop } = await listenForMail()
  const id = await askers.confirmed({ person: DAN.id ?? '', email: 'single@example.com' })
  const environment = { ...settings(), SMTP_URL: url, MAIL_FROM: 'mail@example.com' }
  const context = {
    config: readConfig(environment),
    database: askers.database,
    takeLongLock: lockInPostgres({ url: askers.url }),
    isAlone: false,
  }
  const ends = await Promise.allSettled([
    ...[null, 'It is not yours.'].map((reason) =>
      endRequest(deskOf(context), COMMAND, id, { reason, mails: true }),
    ),
    removeAsAsked(deskOf(context), COMMAND, id, {
      person: DAN.id ?? '',
      isKnown: true,
      mails: true,
    }),
  ])
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(mails).toHaveLength(1)
  stop()
})

test.concurrent('where the mail is not taken the person is erased all the same, and the request stays open', async () => {
  const { stop, chainkin } = await withMail(true)
  const id = await askers.confirmed({ person: FAY.id ?? '', email: FAY.email ?? '' })
  const { code, json } = await chainkin(['privacy', 'done', id, '--erase', FAY.id ?? '', '--json'])
  expect([code, json()]).toEqual([
    1,
    {
      error: expect.stringContaining('stays open'),
      erased: expect.objectContaining({ records: 1 }),
    },
  ])
  expect(await stateOf(id)).toMatchObject({ state: 'open' })
  expect(await askers.sql`select from people where id = ${FAY.id ?? ''}`).toHaveLength(0)
  stop()
})

test.concurrent('a request whose mail is not taken stays open; --no-mail closes it and prints the mail', async () => {
  const { stop, done, refused } = await withMail(true)
  const id = await askers.confirmed({ kind: 'show', email: 'lost@example.com' })
  const reason = await refused('privacy', 'refuse', id, '--reason', 'It is not yours.')
  expect(reason).toContain('stays open')
  expect(reason).not.toContain('lost@')
  expect(await stateOf(id)).toMatchObject({ state: 'open', email: 'lost@example.com' })
  const closed = await done('privacy', 'refuse', id, '--reason', 'It is not yours.', '--no-mail')
  expect(closed).toMatchObject({
    state: 'refused',
    mailed: false,
    letter: { to: 'lost@example.com' },
  })
  expect(closed.letter.text).toContain('It is not yours.')
  expect(await stateOf(id)).toEqual({ state: 'refused', email: null, reason: 'It is not yours.' })
  expect(await refused('privacy', 'done', id)).toContain('there is no open privacy request')
  stop()
})

test.concurrent('person show --everything has the channels, and person show has none', async () => {
  const plain = await chainkin(['person', 'show', ADA.slug ?? '', '--json'])
  expect(plain.stdout).not.toContain(ADA.email)
  const everything = await done('person', 'show', ADA.slug ?? '', '--everything')
  expect(everything).toMatchObject({ id: ADA.id, channels: { email: ADA.email } })
  expect((await chainkin(['company', 'show', 'x', '--everything'])).code).toBe(2)
})
