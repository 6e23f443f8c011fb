/** Every command that an act of the table has, with the real process on a real PostgreSQL: what it prints, its line in the audit log, and whom it refuses. */
import { describe, expect, test } from 'bun:test'
import type { Act } from '../../../src/console/acts/act.ts'
import { readAuditLog } from '../../../src/console/acts/audit-log.ts'
import { ACTS } from '../../../src/console/acts/table.ts'
import { type Example, examplesIn, NOBODY } from '../../console/examples.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { commandsIn } from './cli.ts'

const t = sharedDatabase()
const { chainkin, done, refused } = commandsIn(() => ({ DATABASE_URL: t.url }))
const EXAMPLES = examplesIn(() => t)

/** Address of nobody. */
const NO_EMAIL = 'nobody@example.com'

const COMMANDS = [...ACTS.values()].filter(({ command }) => command)

/** The command line of an act, as its help describes it. */
function lineOf(act: Act, { on, of, fields = {} }: Example): string[] {
  const { command = '', subject, page, isNew, item, confirm } = act
  const id = page && of ? of : on
  const ids =
    subject === 'user'
      ? [fields.email ?? NO_EMAIL]
      : isNew
        ? page
          ? [on]
          : []
        : item
          ? [on, of ?? '']
          : [id]
  const given = Object.entries(act.fields).flatMap(([name, { option = '' }]) => {
    const value = fields[name]
    if (value === undefined || option === '') return []
    const [flag = ''] = option.split(' ')
    return [option.startsWith('<') ? [value] : [flag, value]]
  })
  const args = given.filter(({ length }) => length === 1).flat()
  const options = given.filter(({ length }) => length === 2).flat()
  const as = ['--as', `${subject} tester`]
  return [...command.split(' '), ...ids, ...args, ...options, ...(confirm ? ['--yes'] : []), ...as]
}

/** Output of each, beside the ids. An account is printed whole after an act on it. */
const PRINTED: Readonly<Record<string, object>> = {
  'account.create': { name: 'Eve', tier: 'free', organization: null, creditsBalance: 20 },
  'account.note': { text: 'Asked for an invoice.', who: expect.stringContaining('account tester') },
  'account.resume': { suspendedAt: null, suspensionReason: null },
  'account.set': { tier: 'team', name: 'Ada' },
  'account.suspend': { suspendedAt: expect.any(String), suspensionReason: 'Unpaid since May.' },
  'credits.grant': { granted: 7, source: 'topup', balance: 7 },
  'credits.take-back': { taken: 20, balance: 30 },
  'directory.erase': { records: 1, alike: [] },
  'import.cancel': { id: expect.any(String) },
  'import.delete': { id: expect.any(String) },
  'key.create': { label: 'laptop', scopes: ['read:metadata', 'read:contacts'] },
  'key.revoke': { revoked: true },
  'payment.accept': { state: 'accepted', kind: 'topup', item: 'small' },
  'payment.dismiss': { dismissed: true },
  'payment.refund': { refund: 'done', reversed: 'all' },
  'payment.refuse': { state: 'refused', refusedBy: 'operator' },
  'payment.take-over': { taken: [], failure: expect.stringContaining('PAYMENTS is not stripe') },
  'plan.start': { plan: 'pro', planRenews: false, creditsBalance: 6_000 },
  'plan.stop': { plan: null, subscriptionsEnded: [], warning: null },
  'privacy.done': { state: 'done', mailed: false, letter: { to: 'asks@people.example' } },
  'user.reset-link': { link: expect.stringContaining('/reset?token=') },
  'user.verify': { verified: true },
  'privacy.refuse': { state: 'refused', mailed: false, letter: { to: 'asks@people.example' } },
}

describe('the command of', () => {
  test('each act is known here', () => {
    expect(Object.keys(PRINTED).sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
  })

  test.each(COMMANDS.map((act) => [act.name, act] as const))(
    '%s does it, prints one object, and writes its line in the name of whoever typed it',
    async (name, act) => {
      const example = (await EXAMPLES[name]?.()) ?? { on: '' }
      // A payment that Stripe collects has tests of its own: here Stripe is not asked.
      if (name === 'payment.take-over') {
        const { code, json } = await chainkin([...lineOf(act, example), '--json'])
        expect([code, json()]).toMatchObject([1, PRINTED[name] ?? {}])
        return
      }
      expect(await done(...lineOf(act, example))).toMatchObject(PRINTED[name] ?? {})
      const [line] = await readAuditLog(t.database, { limit: 1 })
      expect(line).toMatchObject({
        act: example.line ?? name,
        via: 'command',
        userId: null,
        address: null,
        who: expect.stringContaining(`${act.subject} tester (`),
      })
    },
  )

  test.each(
    COMMANDS.filter(({ name }) => !/^account.create$|take-over$/.test(name)).map(
      (act) => [act.name, act] as const,
    ),
  )('%s is refused for what is not there, with a reason', async (name, act) => {
    const example = (await EXAMPLES[name]?.()) ?? { on: '' }
    const before = await readAuditLog(t.database, { limit: 1 })
    const line = lineOf(act, {
      ...example,
      on: NOBODY,
      of: NOBODY,
      fields: { ...example.fields, email: NO_EMAIL },
    })
    if (name === 'import.cancel') {
      // An import that has ended already is no mistake.
      expect(await done(...line)).toEqual({ id: NOBODY })
      return
    }
    expect(await refused(...line)).toMatch(
      new RegExp(
        `there is no .*${NOBODY}|there is no (open privacy request|such import)|nobody has signed up`,
      ),
    )
    expect(await readAuditLog(t.database, { limit: 1 })).toEqual(before)
  })

  test('an act that can’t be undone asks first, and does nothing where there is no terminal', async () => {
    const { on } = (await EXAMPLES['payment.refund']?.()) ?? { on: '' }
    expect(await refused('payments', 'refund', on)).toBe(
      'a refund can’t be undone: repeat it with --yes',
    )
  })
})
