/** Every act of the table that a page has: its form or its confirmation, its line in the audit log, and who may not do it. */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { grantCredits } from '../../src/console/acts/accounts.ts'
import { type Act, pageOf } from '../../src/console/acts/act.ts'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { ACTS } from '../../src/console/acts/table.ts'
import { confirmPath } from '../../src/console/ui/confirm-link.tsx'
import { pathOf } from '../../src/console/ui/paths.ts'
import { type Example, examplesIn, NOBODY } from '../console/examples.ts'
import { sharedOperator } from './operators.ts'
import { csrfIn, sharedTown } from './visitor.ts'

const { service, town } = sharedTown()
const operator = sharedOperator(service, town)
const person = () => town.customer(0, 'free')
const EXAMPLES = examplesIn(() => service)

/** Acts of imports and backups, of Stripe and of the first operator have tests of their own, beside what they need. */
const ELSEWHERE = /^(backup|import|source|operator)\.|^payment.take-over$|^directory.unpin$/

const OWN = [...ACTS.values()].filter(({ name, button }) => button && !ELSEWHERE.test(name))
const ASKED = OWN.filter(({ ask }) => ask).map((act) => [act.name, act] as const)
const PROVED = ASKED.filter(([, { isUndoable }]) => !isUndoable)
const FORMS = OWN.filter(({ ask }) => !ask).map((act) => [act.name, act] as const)

const exampleOf = async ({ name }: Act): Promise<Example> =>
  (await EXAMPLES[name]?.()) ?? { on: '' }
const newest = async () => (await readAuditLog(service.database, { limit: 1 }))[0]
const pathIn = (act: Act, { on }: Example) => pathOf(pageOf(act), on)

/** The form of an act, as its page sends it. */
const formOf = ({ name }: Act, { fields }: Example) => ({
  action: name,
  idempotencyKey: crypto.randomUUID(),
  ...fields,
})

/** The confirmation of an act, as its page sends it. */
const answersOf = ({ name }: Act, { on, of = '', fields }: Example) => ({
  act: name,
  on,
  of,
  idempotencyKey: crypto.randomUUID(),
  ...fields,
})
const confirm = (act: Act, example: Example, proof: Record<string, string>) =>
  operator.submit(confirmPath(act.name, example.on, example.of), {
    ...answersOf(act, example),
    ...proof,
  })

function expectLine(line: Awaited<ReturnType<typeof newest>>, act: string) {
  expect(line).toMatchObject({
    act,
    via: 'page',
    who: operator.email,
    userId: operator.userId,
    address: expect.any(String),
  })
}

describe.each(FORMS)('the form of %s', (name, act) => {
  test('does it once, writes its line, and says so', async () => {
    const example = await exampleOf(act)
    const path = pathIn(act, example)
    const form = formOf(act, example)
    const answer = await operator.submit(path, form)
    expect(answer.status).toBe(303)
    const line = await newest()
    expectLine(line, example.line ?? name)
    const next = answer.headers.get('location') ?? ''
    expect(next).toStartWith(path)
    const message = typeof act.said === 'string' ? act.said : Object.values(act.said ?? {}).at(-2)
    expect(await operator.text(next)).toContain(message?.slice(0, 20) ?? '')
    const again = await operator.submit(path, form)
    if (act.isOnce) expect(again.headers.get('location')).toBe(`${path}?said=before`)
    if (act.isOnce || again.status === 404) expect(await newest()).toEqual(line)
  })

  test('does nothing without its token or key, for somebody else, and on another page', async () => {
    const example = await exampleOf(act)
    const path = pathIn(act, example)
    const form = formOf(act, example)
    const before = await newest()
    const stranger = await person()
    const isPayment = pageOf(act) === 'payment'
    const other = isPayment ? `/operator/accounts/${stranger.accountId}` : '/operator/payments'
    const csrf = csrfIn(await stranger.text('/settings'))
    const answers = [
      await operator.post(path, Object.entries(form)),
      await operator.post(path, Object.entries({ ...form, csrf: 'A'.repeat(43) })),
      await stranger.post(path, Object.entries({ ...form, csrf })),
      await operator.submit(other, form),
      ...(act.isOnce ? [await operator.submit(path, { ...form, idempotencyKey: 'x' })] : []),
    ]
    expect(answers.map(({ status }) => status)).toEqual(
      [403, 403, 404, 400, 400].slice(0, answers.length),
    )
    expect(await newest()).toEqual(before)
  })
})

describe.each(PROVED)('what can’t be undone: %s', (name, act) => {
  // Whoever guesses is slowed down.
  beforeEach(async () => {
    await service.sql`delete from turns`
  })

  test('asks for the password and a code, which does one act, and is done once', async () => {
    const example = await exampleOf(act)
    const before = await newest()
    const proof = operator.proof()
    const wrong = [{}, { password: proof.password }, { ...proof, password: 'wrong' }]
    for (const each of wrong) expect((await confirm(act, example, each)).status).toBe(422)
    expect(await newest()).toEqual(before)
    const done = await confirm(act, example, proof)
    expect(done.status).toBeOneOf([200, 303])
    const line = await newest()
    expectLine(line, example.line ?? name)
    const other = await exampleOf(act)
    const used = await newest()
    expect((await confirm(act, other, proof)).status).toBe(422)
    expect(await newest()).toEqual(used)
  })

  test('is no form of its page, whose forms ask for no code', async () => {
    const example = await exampleOf(act)
    const before = await newest()
    const page = pathIn(act, example)
    const form = { ...answersOf(act, example), ...formOf(act, example), id: example.of ?? '' }
    for (const path of [page, '/operator/payments', `/operator/accounts/${operator.accountId}`])
      expect((await operator.submit('/operator', form, path)).status).toBeOneOf([
        303, 400, 404, 405,
      ])
    expect(await newest()).toEqual(before)
  })
})

describe.each(ASKED)('%s', (name, act) => {
  test('is asked about by its button, and is no page for what is not there', async () => {
    const example = await exampleOf(act)
    const page = await operator.text(confirmPath(name, example.on, example.of))
    expect(page).toContain(`>${act.button}</button>`)
    for (const field of ['password', 'code'])
      expect([field, page.includes(`name="${field}"`)]).toEqual([field, !act.isUndoable])
    for (const on of [NOBODY, 'x', ''])
      expect([on, (await operator.get(confirmPath(name, on, example.of))).status]).toEqual([
        on,
        404,
      ])
    if (act.page)
      expect((await operator.get(confirmPath(name, example.on, NOBODY))).status).toBe(404)
  })
})

describe('a form', () => {
  let on = ''
  beforeAll(async () => {
    on = (await person()).accountId
  })

  test.each([
    [
      'credits.grant',
      { source: 'topup', amount: '' },
      'Write a whole number of credits from 1 to 1,000,000,000.',
    ],
    ['credits.grant', { source: 'topup', amount: '-5' }, 'a whole number of credits'],
    ['credits.grant', { source: 'topup', amount: '1.5' }, 'a whole number of credits'],
    ['credits.grant', { source: 'gift', amount: '5' }, 'One of plan, trial, topup, referral.'],
    ['credits.grant', { source: 'topup', amount: '5', expires: '8' }, 'Expected never, a duration'],
    [
      'credits.grant',
      { source: 'topup', amount: '5', expires: '2020-01-01' },
      'That lies in the past.',
    ],
    ...['2090-02-31', '2090-01-31T10:00'].map(
      (expires) =>
        ['credits.grant', { source: 'topup', amount: '5', expires }, 'Expected never,'] as const,
    ),
    ['plan.start', { plan: 'gold' }, 'One of essential, pro'],
    ['account.set', { tier: 'gold', tierWas: 'free' }, 'One of free, starter'],
    ['account.set', { name: ' ', nameWas: 'Ada' }, 'Please fill this in.'],
    ['account.suspend', { reason: '' }, 'Please fill this in.'],
    ['account.suspend', { reason: 'x'.repeat(501) }, 'At most 500 characters.'],
    ['account.suspend', { reason: 'a\nb' }, 'Only one line of text.'],
    ['account.note', { text: ' \n ' }, 'Please fill this in.'],
    ['account.note', { text: 'x'.repeat(2_001) }, 'At most 2000 characters.'],
  ] as const)(
    'of %s says beside the field what is wrong with %p',
    async (action, fields, problem) => {
      const path = `/operator/accounts/${on}`
      const sent = { action, idempotencyKey: crypto.randomUUID(), ...fields }
      const answer = await operator.submit(path, sent)
      expect(answer.status).toBe(422)
      const page = await answer.text()
      expect(page).toContain(problem)
      // The form that is refused is not folded away.
      expect(page).toMatch(
        new RegExp(
          `<details class="folded" open[^>]*><summary><h2 id="(${action.replace('.', '-')}|notes)"`,
        ),
      )
      expect(await readAuditLog(service.database, { account: on, limit: 9 })).toEqual([])
    },
  )

  test('that would make a balance larger than can be kept says so', async () => {
    const [{ accountId }, amount] = [await person(), '1000000000']
    await service.sql`update accounts set balance = 9223372036854775000 where id = ${accountId}`
    const fields = { action: grantCredits.name, amount, source: 'topup' }
    const path = `/operator/accounts/${accountId}`
    const answer = await operator.submit(path, { ...fields, idempotencyKey: crypto.randomUUID() })
    await service.sql`update accounts set balance = 250 where id = ${accountId}`
    expect([answer.status, await answer.text()]).toEqual([
      ...[422, expect.stringContaining('larger than can be kept')],
    ])
  })
})
