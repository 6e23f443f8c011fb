/** The operator's pages of accounts: found, shown whole, and changed by the acts that commands do, each once. */
import { describe, expect, test } from 'bun:test'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { creditsOf, listGrants } from '../../src/money/accounts/credits.ts'
import { createKey, keysOf } from '../../src/money/accounts/keys.ts'
import { operatorIn, sharedOperator, twoSteps } from './operators.ts'
import { textIn } from './reading.ts'
import { csrfIn, type Person, sharedTown } from './visitor.ts'

const { service, town } = sharedTown()

const NOBODY = '0190a000-0000-7000-8000-000000000999'

const operator = sharedOperator(service, town)

const pathOf = ({ accountId }: Person) => `/operator/accounts/${accountId}`
const balanceOf = async ({ accountId }: Person) =>
  (await creditsOf(service.database, accountId))?.balance
const linesOf = ({ accountId }: Person) =>
  readAuditLog(service.database, { account: accountId, limit: 50 })
const once = () => crypto.randomUUID()

/** The address and the fields of the page that asks once more. */
function danger(act: string, { accountId }: Person, of = '') {
  const page = `/operator/confirm?${new URLSearchParams({ act, on: accountId, of })}`
  return { page, fields: { act, on: accountId, of } }
}

async function confirm(act: string, person: Person, of = '', more: Record<string, string> = {}) {
  const { page, fields } = danger(act, person, of)
  return operator.submit(page, { ...fields, ...more, ...operator.proof() })
}

describe('search', () => {
  test('finds an account by parts of names and addresses, by ids of what is its own, and by a key', async () => {
    const person = await town.customer(10, 'pro')
    const { accountId } = person
    await service.sql`
      update accounts set name = 'Zoë 100%_Sure', organization = 'Aurora Öl' where id = ${accountId}`
    const { id, key, prefix } = await createKey(service.database, accountId, 'x', [])
    const [grant] = (await listGrants(service.database, accountId)) ?? []
    const asked = [
      ...['zoë 100%_', 'ÖL', person.email.toUpperCase(), accountId.toUpperCase()],
      ...[person.userId, id, grant?.id ?? '', key, prefix, `${prefix}…`],
    ]
    for (const q of asked) {
      const page = await operator.text(`/operator/accounts?${new URLSearchParams({ q })}`)
      const found = [...page.matchAll(/\/operator\/accounts\/([0-9a-f-]{36})"/g)].map(
        ([, at]) => at,
      )
      expect([q, found]).toEqual([q, [accountId]])
    }
  })

  test('says where nothing is found, and what of an address is wrong', async () => {
    for (const q of ['nobody is called this', '100%%', NOBODY, 'ck_live_000000']) {
      const page = await operator.get(`/operator/accounts?${new URLSearchParams({ q })}`)
      expect([q, page.status]).toEqual([q, 200])
      expect(await page.text()).toContain('No account is found')
    }
    const none = textIn(await operator.text('/operator/accounts?q=nobody+at+all&show=paying'))
    expect(none).toContain('No account is found for “nobody at all” under Paying.')
    expect(none).not.toContain('0 accounts')
    for (const page of ['0', '-1', 'x', '1e2', '201', '99999999999']) {
      const answer = await operator.get(`/operator/accounts?page=${page}`)
      expect([page, answer.status]).toEqual([page, 400])
      expect(await answer.text()).toContain('page: expected a whole number from 1 to 200')
    }
    for (const id of [NOBODY, 'x', '%00']) {
      expect((await operator.get(`/operator/accounts/${id}`)).status).toBe(404)
    }
  })
})

test('an account is shown whole: balance, grants, plan, limits, keys, people, orders, ledger', async () => {
  const person = await town.customer(1_234, 'team')
  await createKey(service.database, person.accountId, 'laptop <b>', ['read:metadata'])
  const text = textIn(await operator.text(pathOf(person)))
  for (const said of [
    ...['1,484 credits', 'Top-up', '1,234 of 1,234', '250 of 250', 'Tier', 'Team'],
    ...['300 a minute', 'Unlocked', '0 contacts', 'laptop <b>', person.email, 'password alone'],
    ...['Nothing was ordered', '+1,234'],
  ]) {
    expect(text).toContain(said)
  }
})

describe('forms', () => {
  test('give credits once, however often the form is sent', async () => {
    const person = await town.customer(0, 'free')
    const csrf = csrfIn(await operator.text(pathOf(person)))
    const form: [string, string][] = [
      ...Object.entries({ csrf, action: 'grant', amount: '1,000', source: 'topup', ends: '30' }),
      ['idempotencyKey', once()],
    ]
    const answers = await Promise.all([1, 2, 3].map(() => operator.post(pathOf(person), form)))
    const led = answers.map(({ status, headers }) => [status, headers.get('location')]).sort()
    const [before, granted] = [`${pathOf(person)}?said=before`, `${pathOf(person)}?said=granted`]
    expect(led).toEqual([
      [303, before],
      [303, before],
      [303, granted],
    ])
    expect(await balanceOf(person)).toBe(1_250)
    const [line, ...others] = await linesOf(person)
    expect(others).toEqual([])
    expect(line).toMatchObject({
      ...{ act: 'credits.grant', via: 'page', who: operator.email, userId: operator.userId },
      ...{ address: expect.any(String), before: { balance: 250 }, after: { balance: 1_250 } },
    })
    expect(await operator.text(granted)).toContain('The credits are given.')
  })

  test('say beside the field what is wrong, and do nothing', async () => {
    const person = await town.customer(0, 'free')
    const sent = { action: 'grant', source: 'topup', idempotencyKey: once() }
    const wrong: readonly (readonly [Record<string, string>, problem: string])[] = [
      [{ ...sent, amount: '' }, 'Write how many credits.'],
      [{ ...sent, amount: '-5' }, 'a whole number of credits'],
      [{ ...sent, amount: '1.5' }, 'a whole number of credits'],
      [{ ...sent, amount: '5', source: 'gift' }, 'One of plan, trial, topup, referral.'],
      [{ ...sent, amount: '5', ends: '8' }, 'Never, as usual, or in 7, 30'],
      [{ action: 'plan', plan: 'gold', idempotencyKey: once() }, 'One of essential, pro'],
      [{ action: 'set', tier: 'gold', tierWas: 'free' }, 'One of free, starter'],
      [{ action: 'set', name: ' ', nameWas: 'Ada' }, 'Please fill this in.'],
    ]
    for (const [fields, problem] of wrong) {
      const answer = await operator.submit(pathOf(person), fields)
      expect([problem, answer.status]).toEqual([problem, 422])
      expect(await answer.text()).toContain(problem)
    }
    const noKey = await operator.submit(pathOf(person), {
      ...{ action: 'grant', amount: '5', source: 'topup' },
    })
    expect(noKey.status).toBe(400)
    expect(await linesOf(person)).toEqual([])
    expect(await balanceOf(person)).toBe(250)
  })

  test('start a plan once, stop its renewal, and set what was changed alone', async () => {
    const person = await town.customer(0, 'free')
    const plan = { action: 'plan', plan: 'pro', renews: 'yes', idempotencyKey: once() }
    await operator.submit(pathOf(person), plan)
    await operator.submit(pathOf(person), plan)
    expect(await balanceOf(person)).toBe(6_250)
    await operator.submit(pathOf(person), { action: 'end-plan' })
    // The form was shown before another operator named the account anew.
    await operator.submit(pathOf(person), {
      ...{ action: 'set', tier: 'team', tierWas: 'pro', name: 'Old', nameWas: 'Old' },
      ...{ organization: 'Acme', organizationWas: '' },
    })
    const acts = (await linesOf(person)).map(({ act }) => act)
    expect(acts).toEqual(['account.set', 'plan.stop', 'plan.start'])
    const [row] = await service.sql`
      select name, organization, tier, plan_renews from accounts where id = ${person.accountId}`
    expect(row).toEqual({ name: 'Ada', organization: 'Acme', tier: 'team', plan_renews: false })
  })
})

describe('what can’t be undone asks for the password and a code once more', () => {
  test('without either nothing is done, and a code does one act', async () => {
    const person = await town.customer(100, 'free')
    const { key, id } = await createKey(service.database, person.accountId, 'x', ['read:metadata'])
    expect(key).toBeString()
    const { page, fields } = danger('revoke-key', person, id)
    const proof = operator.proof()
    for (const wrong of [{}, { password: proof.password }, { ...proof, password: 'wrong' }]) {
      const answer = await operator.submit(page, { ...fields, ...wrong })
      expect(answer.status).toBe(422)
    }
    expect(await linesOf(person)).toEqual([])
    const [grant] = (await listGrants(service.database, person.accountId)) ?? []
    const taking = danger('take-back', person, grant?.id)
    // Refused before the code is looked at, so it is still good.
    const most = await operator.submit(taking.page, { ...taking.fields, ...proof, most: 'x' })
    expect([most.status, await most.text()]).toEqual([422, expect.stringContaining('whole number')])
    const revoked = await operator.submit(page, { ...fields, ...proof })
    expect(revoked.headers.get('location')).toBe(`${pathOf(person)}?said=revoked`)
    const again = await operator.submit(taking.page, { ...taking.fields, ...proof })
    expect(again.status).toBe(422)
    expect((await linesOf(person)).map(({ act }) => act)).toEqual(['key.revoke'])
    const gone = await operator.submit(page, { ...fields, ...operator.proof() })
    expect(gone.status).toBe(404)
  })

  test('credits are taken back, a plan is ended, every key is revoked', async () => {
    const person = await town.customer(100, 'free')
    for (const label of ['one', 'two'])
      await createKey(service.database, person.accountId, label, ['read:metadata'])
    const grants = (await listGrants(service.database, person.accountId)) ?? []
    const grant = grants.find(({ source }) => source === 'topup')
    await confirm('take-back', person, grant?.id, { most: '30' })
    expect(await balanceOf(person)).toBe(320)
    const start = { action: 'plan', plan: 'essential', idempotencyKey: once() }
    await operator.submit(pathOf(person), start)
    expect(textIn(await operator.text(pathOf(person)))).toContain('End Essential now')
    expect((await confirm('stop-plan', person)).headers.get('location')).toEndWith('said=stopped')
    expect((await creditsOf(service.database, person.accountId))?.plan).toBeNull()
    await confirm('revoke-keys', person)
    const keys = await keysOf(service.database, person.accountId)
    expect(keys.map(({ inForce }) => inForce)).toEqual([false, false])
    expect((await linesOf(person)).map(({ act }) => act)).toEqual([
      ...['key.revoke', 'key.revoke', 'plan.stop', 'plan.start', 'credits.take-back'],
    ])
  })

  test('somebody is signed out, gets a link for a password, and has two steps turned off', async () => {
    const person = await town.customer(0, 'free')
    await twoSteps(service, person)
    expect((await person.get('/settings')).status).toBe(200)
    await confirm('end-sessions', person, person.userId)
    expect((await person.get('/settings')).status).toBe(303)
    const shown = await (await confirm('reset-link', person, person.userId)).text()
    const [, link = ''] = /chainkin\.example(\/reset\?token=[\w-]{43})/.exec(shown) ?? []
    expect(await town.visitor().text(link)).toContain('New password')
    await confirm('factor-off', person, person.userId)
    const acts = (await linesOf(person)).map(({ act }) => act)
    expect(acts).toEqual(['user.second-factor-off', 'user.reset-link', 'user.end-sessions'])
    expect(await operator.text(pathOf(person))).not.toContain('act=factor-off')
  })

  test('how another operator signs in is no matter of these pages, nor is what another account has', async () => {
    const [colleague, person] = [await operatorIn(service, town), await town.customer(10, 'free')]
    for (const act of ['reset-link', 'factor-off']) {
      expect((await confirm(act, colleague, colleague.userId)).status).toBe(404)
    }
    const { id } = await createKey(service.database, colleague.accountId, 'x', [])
    const [grant] = (await listGrants(service.database, colleague.accountId)) ?? []
    for (const [act, of] of [
      ['revoke-key', id],
      ['take-back', grant?.id],
      ['end-sessions', colleague.userId],
      ['stop-plan', ''],
      ['revoke-keys', ''],
      ['constructor', ''],
    ] as const) {
      const { page } = danger(act, person, of)
      expect([act, (await operator.get(page)).status]).toEqual([act, 404])
      expect([act, (await confirm(act, person, of)).status]).toEqual([act, 404])
    }
    expect(await linesOf(person)).toEqual([])
  })
})
