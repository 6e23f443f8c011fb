/** The operator's pages of what people ask about their own data: shown, answered, closed, and people erased, in two steps. */
import { expect, test } from 'bun:test'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import type { RequestKind } from '../../src/people/privacy/rules.ts'
import { MailNotSent } from '../../src/people/users/mail.ts'
import { tablesHolding } from '../intake/editing/traces.ts'
import { newPerson, sharedOperator } from './operators.ts'
import { factIn, tableIn, textIn } from './reading.ts'
import { sharedTown } from './visitor.ts'

const { service, town } = sharedTown()
const REQUESTS = '/operator/directory/requests'

const operator = sharedOperator(service, town)

/** A request that waits, from an address that was confirmed or not. */
async function newRequest(kind: RequestKind, person: string, email: string, isConfirmed = true) {
  const [row] = await service.sql<{ id: string }[]>`
    insert into privacy_requests (kind, state, email, person, details, asked_at, confirmed_at)
    values (${kind}, 'open', ${email}, ${person}, '<b>Please</b>', now() - interval '40 days',
            case when ${isConfirmed} then now() end) returning id`
  return row?.id ?? ''
}

const confirmPath = (act: string, on: string, of = '') =>
  `/operator/confirm?${new URLSearchParams({ act, on, of })}`
const confirm = (act: string, on: string, of = '', more: Record<string, string> = {}) =>
  operator.submit(confirmPath(act, on, of), { act, on, of, ...more, ...operator.proof() })
const stateOf = async (id: string) =>
  (await service.sql`select state, email, reason from privacy_requests where id = ${id}`)[0]
const newestActs = async (limit: number) =>
  (await readAuditLog(service.database, { who: operator.email, limit })).map(({ act }) => act)

test('a person is erased everywhere, and the page says what is left to do', async () => {
  const { id, mark } = await newPerson(service)
  const page = `/operator/directory/people/${id}`
  expect(await operator.text(page)).toContain('act=directory.erase&amp;on=')
  expect(textIn(await operator.text(confirmPath('directory.erase', id)))).toContain(
    'They go from every table',
  )
  const erased = await confirm('directory.erase', id)
  expect(erased.status).toBe(200)
  const text = await erased.text()
  expect(factIn(text, 'Records')).toBe('1')
  expect(text).not.toContain(mark)
  expect(await tablesHolding(service.sql, mark)).toEqual([])
  expect((await operator.get(page)).status).toBe(404)
})

test('requests that wait come first, with the days left; one names whom it may be about, and no channel', async () => {
  const { id, mark, slug, email, phone } = await newPerson(service)
  const request = await newRequest('remove', `https://chainkin.example/people/${slug}`, email)
  const list = await operator.text(REQUESTS)
  expect(list).toContain(`${REQUESTS}/${request}`)
  expect(textIn(list)).toContain('days late, California: 4 days')
  const page = await operator.text(`${REQUESTS}/${request}`)
  expect(page).toContain('&lt;b&gt;Please&lt;/b&gt;')
  const [row] = tableIn(page, 'Whom it may be about')
  expect(row).toEqual([
    ...[`First${mark} Last${mark}`, '', 'page and email', 'the one on file', 'Erase'],
  ])
  expect(page).toContain(`act=privacy.erase&amp;on=${request}&amp;of=${id}`)
  for (const value of [phone, `tg_${mark}`, `li-${mark}`]) expect(page).not.toContain(value)
  for (const unknown of ['x', crypto.randomUUID()])
    expect((await operator.get(`${REQUESTS}/${unknown}`)).status).toBe(404)
})

test('whoever asks to be removed from the address on file is erased, the request closed, and its letter shown', async () => {
  const { id, mark, slug, email } = await newPerson(service)
  const request = await newRequest('remove', slug, email)
  const done = await confirm('privacy.erase', request, id)
  expect(done.status).toBe(200)
  expect(textIn(await done.text())).toContain('What you asked for is done: the record was removed')
  expect(await tablesHolding(service.sql, mark)).toEqual([])
  expect(await stateOf(request)).toEqual({ state: 'done', email: null, reason: null })
  expect(await newestActs(2)).toEqual(['privacy.close', 'directory.erase'])
  expect((await confirm('privacy.erase', request, id)).status).toBe(404)
})

test('an address that anybody may have typed erases nobody, unless the operator knows otherwise', async () => {
  const [{ id, slug, email, mark }, other] = [await newPerson(service), await newPerson(service)]
  const request = await newRequest('remove', slug, email, false)
  const refused = await confirm('privacy.erase', request, id)
  expect(refused.status).toBe(422)
  expect(textIn(await refused.text())).toContain('Ask back first')
  expect((await confirm('privacy.erase', request, other.id, { known: 'yes' })).status).toBe(404)
  expect(await tablesHolding(service.sql, mark)).not.toEqual([])
  expect((await confirm('privacy.erase', request, id, { known: 'yes' })).status).toBe(200)
  expect(await tablesHolding(service.sql, mark)).toEqual([])
})

test('a form that says that a request is done erases nobody, whatever fields it has', async () => {
  const { id, slug, email, mark } = await newPerson(service)
  const request = await newRequest('remove', slug, email)
  const done = await confirm('privacy.done', request, '', { erase: id, yes: 'yes' })
  expect(textIn(await done.text())).toContain('They are in the directory still')
  expect(await tablesHolding(service.sql, mark)).not.toEqual([])
})

test('all that is held is downloaded once more proved, for an open request to be shown it, and the audit log says so', async () => {
  const { id, slug, email, phone } = await newPerson(service)
  const request = await newRequest('show', slug, email)
  const page = await operator.text(confirmPath('privacy.answer', request, id))
  expect(page).not.toContain(phone)
  const answer = await confirm('privacy.answer', request, id)
  expect(answer.headers.get('content-disposition')).toContain('attachment')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await answer.json()).toMatchObject({ id, channels: { email, phone } })
  const removal = await newRequest('remove', slug, email)
  expect((await operator.get(confirmPath('privacy.answer', removal, id))).status).toBe(404)
})

test('a request is refused with a reason, once, and is forgotten; without a mail server the letter is shown', async () => {
  const request = await newRequest('correct', 'Nobody Known', 'asks@people.example')
  const refused = await confirm('privacy.refuse', request, '', { reason: 'Not you' })
  const text = textIn(await refused.text())
  expect(text).toContain('Send this to asks@people.example')
  expect(text).toContain('Not you')
  expect(await stateOf(request)).toEqual({ state: 'refused', email: null, reason: 'Not you' })
  expect((await confirm('privacy.done', request)).status).toBe(404)
  const list = await operator.text(REQUESTS)
  expect(list).not.toContain('asks@people.example')
  expect(tableIn(list, 'Closed, newest first')[0]?.slice(3)).toEqual(['refused', 'Not you'])
})

test('a request whose mail is not taken stays open; one that is closed by two at once is mailed once', async () => {
  const request = await newRequest('correct', 'Nobody Known', 'mail@people.example')
  const { desk } = town.site.console
  const { sendMail } = desk
  const sent: string[] = []
  try {
    desk.sendMail = () => Promise.reject(new MailNotSent('unreached', 'ECONNREFUSED'))
    const failed = await confirm('privacy.done', request)
    expect(failed.status).toBe(422)
    expect(textIn(await failed.text())).toContain('the request stays open')
    expect(await stateOf(request)).toMatchObject({ state: 'open' })
    desk.sendMail = async ({ to }) => sent.push(to) > 0
    const answers = await Promise.all([1, 2].map(() => confirm('privacy.done', request)))
    const led = answers.find(({ status }) => status === 303)?.headers.get('location')
    expect(led).toBe(`${REQUESTS}?said=privacy.done`)
    expect(answers.filter(({ status }) => status === 303).length).toBe(1)
  } finally {
    desk.sendMail = sendMail
  }
  expect(sent).toEqual(['mail@people.example'])
})
