/** What operators do, on a real PostgreSQL: each act with its line in the audit log, or neither. */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import * as accounts from '../../../src/console/acts/accounts.ts'
import type { Act } from '../../../src/console/acts/act.ts'
import { readAuditLog } from '../../../src/console/acts/audit-log.ts'
import * as payments from '../../../src/console/acts/payments.ts'
import { doAct, perform } from '../../../src/console/acts/perform.ts'
import { ACTS } from '../../../src/console/acts/table.ts'
import * as users from '../../../src/console/acts/users.ts'
import type { Actor } from '../../../src/database/actor.ts'
import { connect } from '../../../src/database/client.ts'
import { serveGrants } from '../../../src/database/grants.ts'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import {
  deleteRecord,
  mergeRecords,
  setRecord,
  undoChange,
} from '../../../src/intake/editing/edit.ts'
import { importFiles, importRows } from '../../../src/intake/import/import.ts'
import { createAccount as makeAccount } from '../../../src/money/accounts/accounts.ts'
import { listGrants } from '../../../src/money/accounts/credits.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { roleOn } from '../../helpers/roles.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { somebody as somebodyOnFile } from '../../intake/editing/traces.ts'
import {
  expectBooksToBalance,
  newAccount as moneyAccount,
  plainRead,
} from '../../money/charge/fixtures.ts'
import { COMMAND, resourcesWith } from '../doing.ts'
import { type Example, examplesIn, givenTo, NOBODY, PASSWORD, somebodyIn } from '../examples.ts'

/** A file of people. */
const fileOf = (rows: readonly object[]) => ({
  stream: Readable.from([rows.map((row) => `${JSON.stringify(row)}\n`).join('')]),
  format: 'jsonl' as const,
})

const started = sharedDatabase()
const { database, sql } = wrapped(started)

/** Read when it is asked for: the database starts after the tests are declared. */
function wrapped(test: ReturnType<typeof sharedDatabase>) {
  return {
    database: { use: (...args) => test.database.use(...args) } as typeof test.database,
    sql: ((...args: Parameters<typeof test.sql>) => test.sql(...args)) as typeof test.sql,
  }
}

const somebody = () => somebodyIn(started)

const newAccount = () => makeAccount(database, { name: 'Ada', email: 'ada@example.com' })

async function grantOf(account: string): Promise<string> {
  await grant(account, 50)
  return (await listGrants(database, account))?.[0]?.id ?? ''
}

const grant = (account: string, amount: number, by: Actor = COMMAND) =>
  perform(database, by, accounts.grantCredits, account, topUp(amount))
const topUp = (amount: number) => ({ amount, source: 'topup' as const, expires: undefined })
const KEY = {
  label: 'laptop',
  scopes: ['read:metadata' as const],
  expires: undefined,
  cap: undefined,
  capPeriod: undefined,
  networks: undefined,
}

const newestLine = async () => (await readAuditLog(database, { limit: 1 }))[0]

const EXAMPLES = examplesIn(() => started)
const exampleOf = async ({ name }: Pick<Act, 'name'>): Promise<Example> =>
  (await EXAMPLES[name]?.()) ?? { on: '' }

/** The acts that have a statement, each with its name. */
const STATEMENTS = [...ACTS.values()].filter(({ statement }) => statement)

/** Does an act's own statement. */
function performExample(by: Actor, act: Act, example: Example) {
  const { target, values } = givenTo(act, example)
  return perform(database, by, act, target, values)
}

/** State of each act's subject before and after. */
const CHANGES: Readonly<Record<string, readonly [before: unknown, after: unknown]>> = {
  'account.create': [null, { balance: 20, tier: 'free' }],
  'account.note': [{ notes: 0 }, { notes: 1 }],
  'account.resume': [
    { suspendedAt: expect.any(String), suspensionReason: 'Unpaid since May.' },
    { suspendedAt: null, suspensionReason: null },
  ],
  'account.set': [{ tier: 'free' }, { tier: 'team' }],
  'account.suspend': [
    { suspendedAt: null, suspensionReason: null },
    { suspendedAt: expect.any(String), suspensionReason: 'Unpaid since May.' },
  ],
  'backup.download': [{}, { backup: 'chainkin.tar' }],
  'backup.make': [{}, { backup: 'chainkin.tar' }],
  'credits.grant': [{ balance: 0 }, { balance: 7 }],
  'credits.take-back': [{ balance: 50 }, { balance: 30 }],
  'directory.unpin': [
    { kind: 'person', pins: ['jobTitle', 'roles'] },
    { kind: 'person', pins: ['roles'] },
  ],
  'import.add': [{ import: 'uploading', bytes: 5 }, { import: 'waiting' }],
  'import.cancel': [{ import: 'uploading' }, null],
  'import.delete': [{ import: 'waiting', file: 'list.csv' }, null],
  'import.run': [
    { import: 'waiting', change: null },
    { import: 'importing', change: expect.any(Number) },
  ],
  'import.undo': [{ import: 'ended' }, { import: 'undoing' }],
  'key.create': [null, { label: 'laptop', endsAt: null }],
  'key.revoke': [{ endsAt: null }, { endsAt: expect.any(String) }],
  'operator.begin': [{ operatorSince: null }, { operatorSince: expect.any(String) }],
  'operator.give': [{ operatorSince: null }, { operatorSince: expect.any(String) }],
  'operator.take-away': [{ operatorSince: expect.any(String) }, { operatorSince: null }],
  'payment.accept': [
    { payment: 'open', balance: 0 },
    { payment: 'accepted', balance: 500 },
  ],
  'payment.dismiss': [{ dismissedAt: null }, { dismissedAt: expect.any(String) }],
  'payment.refund': [
    { balance: 500, paidBack: null },
    { balance: 0, paidBack: 1_000 },
  ],
  'payment.refuse': [{ payment: 'open' }, { payment: 'refused' }],
  'payment.take-over': [
    { payment: 'open', balance: 0 },
    { payment: 'accepted', balance: 500 },
  ],
  'plan.start': [
    { plan: null, tier: 'free', balance: 0 },
    { plan: 'pro', tier: 'pro', balance: 6_000 },
  ],
  'plan.stop': [
    { plan: 'pro', balance: 6_000 },
    { plan: null, tier: 'free', balance: 0 },
  ],
  'privacy.answer': [
    { request: 'show', state: 'open' },
    { request: 'show', state: 'open' },
  ],
  'privacy.close': [
    { request: 'remove', state: 'open' },
    { request: 'remove', state: 'refused' },
  ],
  'source.columns': [
    { source: 'crm', columns: {} },
    { source: 'crm', columns: { people: { columns: { Mail: 'email' }, map: {} } } },
  ],
  'user.end-sessions': [{ sessions: 1 }, { sessions: 0 }],
  'user.reset-link': [{ emailVerifiedAt: null }, { emailVerifiedAt: null }],
  'user.second-factor-off': [
    { secondFactorSince: expect.any(String) },
    { secondFactorSince: null },
  ],
  'user.verify': [{ emailVerifiedAt: null }, { emailVerifiedAt: expect.any(String) }],
}

let operator: Actor
beforeAll(async () => {
  const { id, email } = await somebody()
  operator = { via: 'page', userId: id, who: email, address: '203.0.113.7' }
})
beforeEach(async () => {
  await sql`update users set operator_since = now() where id = ${operator.userId}`
})

describe('an act and its line in the audit log are one statement', () => {
  test('each has an example, and what it changes', () => {
    const names = STATEMENTS.map(({ name }) => name).sort()
    expect(Object.keys(EXAMPLES).sort()).toEqual([...ACTS.keys()].sort())
    expect(Object.keys(CHANGES).sort()).toEqual(names)
  })

  test.each(STATEMENTS.map((act) => [act.name, act] as const))(
    '%s is in the log with who, from where, to what, before and after',
    async (name, act) => {
      const example = await exampleOf(act)
      expect(await performExample(operator, act, example)).toBeDefined()
      const line = await newestLine()
      const [before, after] = CHANGES[name] ?? []
      expect(line).toMatchObject({
        via: 'page',
        userId: operator.userId,
        who: operator.who,
        address: '203.0.113.7',
        act: name,
        before,
        after,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      })
      const { subject, isNew } = act
      // Nobody says whose a backup, an event, a source, a record, a privacy request or an import is; the first three have no id of ours.
      const isNobodys = ['backup', 'event', 'import', 'record', 'request', 'source']
      expect(line?.accountId).toEqual(isNobodys.includes(subject) ? null : expect.any(String))
      const id = isNew ? expect.any(String) : givenTo(act, example).target.id
      const hasNone = ['account', 'backup', 'event', 'source'].includes(subject)
      expect(line?.subjects).toEqual(hasNone ? [] : [id])
      const found = line?.subjects[0] ?? line?.accountId ?? undefined
      if (found)
        expect(await readAuditLog(database, { subject: found, limit: 1 })).toEqual(
          line ? [line] : [],
        )
    },
  )

  test.each(
    STATEMENTS.filter(({ name }) => name !== 'operator.begin').map(
      (act) => [act.name, act] as const,
    ),
  )('%s is not done for somebody who is no operator any more', async (_, act) => {
    const example = await exampleOf(act)
    await sql`update users set operator_since = null where id = ${operator.userId}`
    const before = await newestLine()
    expect(await performExample(operator, act, example)).toBeUndefined()
    expect(await newestLine()).toEqual(before)
  })

  test.each(STATEMENTS.filter(({ isNew }) => !isNew).map((act) => [act.name, act] as const))(
    '%s is not done to what is not there, and no line says otherwise',
    async (name, act) => {
      // Backups are files, and the first operator has a test below.
      if (/^backup\.|begin$/.test(name)) return
      const example = { ...(await exampleOf(act)), on: NOBODY, of: NOBODY }
      const before = await newestLine()
      // A refusal throws its reason.
      const done = performExample(operator, act, example).catch(() => undefined)
      expect(await done).toBeUndefined()
      expect(await newestLine()).toEqual(before)
    },
  )

  test('what is done already, or can’t be, is left as it is, and no line says otherwise', async () => {
    const account = await newAccount()
    const grant = await grantOf(account)
    const one = await somebody()
    const before = await newestLine()
    const nothing: readonly (readonly [act: Act, Example])[] = [
      [accounts.resumeAccount, { on: account }],
      [accounts.takeBackCredits, { on: account, of: NOBODY }],
      [accounts.takeBackCredits, { on: await newAccount(), of: grant }],
      // Less than nothing would be given.
      [accounts.takeBackCredits, { on: account, of: grant, given: { most: -5 } }],
      [accounts.stopPlan, { on: account }],
      // The credential of the application's own calls is no key that somebody may end.
      [accounts.revokeKey, { on: account, of: account }],
      [payments.refund, { on: NOBODY, given: { atStripe: true } }],
      [users.takeOperatorAway, { on: one.id }],
      [users.beginOperator, { on: one.id, given: { token: 'no-such-token' } }],
    ]
    for (const [act, example] of nothing)
      expect([act.name, await performExample(COMMAND, act, example)]).toEqual([act.name, undefined])
    expect(await newestLine()).toEqual(before)
  })

  test('what is left of a grant is taken back, and nothing of what was spent', async () => {
    const account = await moneyAccount(started.sql, { credits: 50 })
    const [given] = (await listGrants(database, account.id)) ?? []
    const meter = createMeter(database, { maxWaitMs: PATIENCE_MS })
    for (let call = 0; call < 2; call++) await meter.charge(plainRead(account))
    const target = { on: account.id, of: given?.id ?? '', id: account.id }
    const take = (most?: number) =>
      perform(database, COMMAND, accounts.takeBackCredits, target, { most })
    expect([await take(30), await take(30), await take()]).toEqual([30, 10, undefined])
    await expectBooksToBalance(started.sql)
  })

  test('where the line can’t be written nothing is done, and what is refused writes no line', async () => {
    const account = await newAccount()
    const before = await newestLine()
    const nobody: Actor = { ...COMMAND, userId: operator.userId }
    await expectRejection(grant(account, 5, nobody), 'audit_log_user')
    const values = { ...topUp(5), expires: { at: new Date('2020-01-01') } }
    const past = perform(database, operator, accounts.grantCredits, account, values)
    await expectRejection(past, 'lies in the past')
    expect(await listGrants(database, account)).toEqual([])
    expect(await newestLine()).toEqual(before)
  })

  test('of acts that are asked at once with one key one is done, and where it was refused the next is', async () => {
    const account = await newAccount()
    const key = crypto.randomUUID()
    const give = (expires?: { at: Date }) => giveOnce(account, key, expires)
    await expectRejection(give({ at: new Date('2020-01-01') }), 'lies in the past')
    // The second one waits for the first, of which its statement can't see more than the count.
    const asked: ReturnType<typeof give>[] = []
    await started.sql.begin(async (held) => {
      await held`select from accounts where id = ${account} for update`
      asked.push(give(), give(), give())
      while ((await waiting()) < asked.length) await Bun.sleep(10)
    })
    const answers = await Promise.all(asked)
    expect(answers.filter(({ isRepeated }) => !isRepeated)).toEqual([
      { isRepeated: false, result: 5 },
    ])
    const lines = await readAuditLog(database, { account, limit: 10 })
    expect(lines.map(({ after }) => balanceIn(after))).toEqual([5])
  })

  test('a form that was sent while the clock ran ahead counts once when it is sent again by the right clock', async () => {
    const account = await newAccount()
    const key = crypto.randomUUID()
    const give = () => giveOnce(account, key)
    expect(await give()).toEqual({ isRepeated: false, result: 5 })
    await sql`
      update turns set started_at = started_at + interval '2 hours', ends_at = ends_at + interval '2 hours'
       where subject = ${`operator form ${key}`}`
    expect(await give()).toEqual({ isRepeated: true, result: undefined })
    expect(await give()).toEqual({ isRepeated: true, result: undefined })
    expect((await listGrants(database, account))?.length).toBe(1)
  })

  test('lines of acts at the same moment join: what one leaves, the next finds', async () => {
    const account = await newAccount()
    await Promise.all(Array.from({ length: 12 }, () => grant(account, 5, operator)))
    const lines = (await readAuditLog(database, { account, limit: 50 })).reverse()
    const balances = lines.map(({ before, after }) => [balanceIn(before), balanceIn(after)])
    expect(balances.sort(([a = 0], [b = 0]) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, place) => [place * 5, place * 5 + 5]),
    )
  })
})

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return row?.count ?? 0
}

/** A form with this key. */
const giveOnce = (account: string, key: string, expires?: { at: Date }) => {
  const resources = resourcesWith({ database, by: operator })
  return doAct(resources, accounts.grantCredits, account, { ...topUp(5), expires }, key)
}

function balanceIn(state: unknown): number {
  return state && typeof state === 'object' && 'balance' in state ? Number(state.balance) : -1
}

describe('the audit log', () => {
  test('has a line of each change of the directory by a command, found by its record, and none of statements by hand', async () => {
    const [one, other] = [somebodyOnFile().row, somebodyOnFile().row]
    await importRows(database, 'people', [one, other])
    await setRecord(database, 'person', one.id, { jobTitle: 'Chair' }, 'olga')
    const { change } = await deleteRecord(database, 'person', one.id, 'olga')
    const undone = await undoChange(database, change, 'pat')
    const ofOne = await readAuditLog(database, { subject: one.id, limit: 10 })
    expect(ofOne.map(({ act, who }) => [act, who])).toEqual([
      ['directory.undo', 'pat'],
      ['directory.delete', 'olga'],
      ['directory.set', 'olga'],
    ])
    expect(ofOne[0]).toMatchObject({ after: { change: undone, kind: 'person', undoes: change } })
    await mergeRecords(database, 'person', [one.id, other.id], 'olga')
    const newest = await newestLine()
    expect(newest).toMatchObject({ act: 'directory.merge', via: 'command', address: null })
    await sql`update people set job_title = 'By hand' where id = ${one.id}`
    expect(await newestLine()).toEqual(newest)
  })

  test('names the operator of a page who changes the directory, who must be one still when it is written', async () => {
    const [one, other] = [somebodyOnFile().row, somebodyOnFile().row]
    await importFiles(database, { people: fileOf([one, other]) }, { who: operator })
    await setRecord(database, 'person', one.id, { jobTitle: 'Chair' }, operator)
    const { change } = await deleteRecord(database, 'person', one.id, operator)
    await undoChange(database, change, operator)
    await mergeRecords(database, 'person', [one.id, other.id], operator)
    await erasePerson(database, one.id, operator)
    const lines = await readAuditLog(database, { who: operator.who, limit: 6 })
    expect(lines.map(({ act }) => act)).toEqual([
      'directory.erase',
      'directory.merge',
      'directory.undo',
      'directory.delete',
      'directory.set',
      'directory.import',
    ])
    for (const line of lines) expect(line).toMatchObject(operator)

    const stays = somebodyOnFile().row
    await importRows(database, 'people', [stays])
    const set = await setRecord(database, 'person', stays.id, { jobTitle: 'Chair' }, 'olga')
    const newest = await newestLine()
    await sql`update users set operator_since = null where id = ${operator.userId}`
    const changing = [
      () => setRecord(database, 'person', stays.id, { jobTitle: 'Thief' }, operator),
      () => deleteRecord(database, 'person', stays.id, operator),
      () => undoChange(database, set.change ?? 0, operator),
      () => erasePerson(database, stays.id, operator),
      () => importFiles(database, { people: fileOf([somebodyOnFile().row]) }, { who: operator }),
    ]
    for (const change of changing) await expectRejection(change(), 'no operator any more')
    const [row] = await sql`select job_title as "jobTitle" from people where id = ${stays.id}`
    expect(row).toEqual({ jobTitle: 'Chair' })
    expect(await newestLine()).toEqual(newest)
  })

  test('forgets the id of a person who is erased, and nothing else', async () => {
    const { row } = somebodyOnFile()
    await importRows(database, 'people', [row])
    await setRecord(database, 'person', row.id, { jobTitle: 'Chair' }, 'olga')
    const [set] = await readAuditLog(database, { subject: row.id, limit: 1 })
    const { number } = await erasePerson(database, row.id, 'olga')
    expect(await readAuditLog(database, { subject: row.id, limit: 1 })).toEqual([])
    const lines = await readAuditLog(database, { subject: number, limit: 10 })
    expect(lines.map(({ act }) => act)).toEqual(['directory.erase', 'directory.set'])
    expect(lines[1]).toEqual(set ? { ...set, subjects: [number] } : set)
    const forged = sql`
      update audit_log set who = 'somebody else'
        from (select set_config('chainkin.erasing', 'on', true)) as if_erasing where act like 'directory.%'`
    await expectRejection(forged, 'never changed')
  })

  test('nobody changes, deletes or empties it', async () => {
    await grant(await newAccount(), 1, operator)
    const before = await readAuditLog(database, { limit: 1_000 })
    for (const statement of [
      sql`update audit_log set who = 'somebody else'`,
      sql`delete from audit_log`,
      sql`truncate audit_log`,
    ]) {
      await expectRejection(statement, 'never changed')
    }
    expect(await readAuditLog(database, { limit: 1_000 })).toEqual(before)
  })

  test('the role that serves changes, deletes, merges and undoes for an operator; who erases is said where it may not', async () => {
    const serving = connect({
      url: await roleOn(started, 'serving_edits', serveGrants('serving_edits')),
      connections: 1,
      deadlineMs: PATIENCE_MS,
    })
    try {
      const [one, other] = [somebodyOnFile(), somebodyOnFile()]
      await importRows(database, 'people', [one.row, other.row])
      const by: Actor = { ...operator, userId: (await somebody()).id }
      await sql`update users set operator_since = now() where id = ${by.userId}`
      await setRecord(serving, 'person', one.row.id, { jobTitle: 'Chair' }, by)
      const { change } = await deleteRecord(serving, 'person', one.row.id, by)
      await undoChange(serving, change, by)
      await mergeRecords(serving, 'person', [one.row.id, other.row.id], by)
      const [line] = await readAuditLog(database, { limit: 1 })
      expect(line).toMatchObject({ act: 'directory.merge', userId: by.userId })
      await expectRejection(
        erasePerson(serving, one.row.id, by),
        'the owner of the tables does it, by "person erase"',
      )
      expect(await readAuditLog(database, { limit: 1 })).toEqual(line ? [line] : [])
    } finally {
      await serving.close()
    }
  })

  test('the role that serves writes lines, and may change none', async () => {
    const serving = connect({
      url: await roleOn(started, 'serving_acts', serveGrants('serving_acts')),
      connections: 1,
      deadlineMs: PATIENCE_MS,
    })
    try {
      const account = await newAccount()
      expect(await perform(serving, operator, accounts.grantCredits, account, topUp(5))).toBe(5)
      for (const statement of [
        'update audit_log set act = act',
        'delete from audit_log',
        'truncate audit_log',
        'alter table audit_log disable trigger all',
      ]) {
        const refused = serving.use(({ sql: own }) => own.unsafe(statement))
        await expectRejection(refused, 'lacks rights')
      }
      expect(await readAuditLog(serving, { account, limit: 10 })).toHaveLength(1)
    } finally {
      await serving.close()
    }
  })

  test('holds no key, no token, no hash, and no address of those whom it is about', async () => {
    const one = await somebody()
    const made = await perform(database, operator, accounts.createKey, one.accountId, KEY)
    const token = await perform(database, operator, users.resetLink, one.id, { email: one.email })
    const [rows] = await sql<{ text: string; hash: string }[]>`
      select (select string_agg(l::text, ' ') from audit_log l) as text,
             (select hash from api_keys where id = ${made?.id ?? ''}) as hash`
    expect(rows?.text).toContain(one.accountId)
    for (const secret of ['SECRET', made?.key, token, rows?.hash, one.email, PASSWORD]) {
      expect(secret).toBeString()
      expect(rows?.text).not.toContain(secret ?? '')
    }
  })

  test('is found by account, by what else was concerned, and by who did it, page by page', async () => {
    const account = await newAccount()
    for (const by of [operator, COMMAND, operator]) await grant(account, 1, by)
    const [newest, ...older] = await readAuditLog(database, { account, limit: 10 })
    expect(older).toHaveLength(2)
    const next = { account, before: newest?.sequence, limit: 10 }
    expect(await readAuditLog(database, next)).toEqual(older)
    const own = await readAuditLog(database, { account, who: operator.who, limit: 10 })
    expect(own.map(({ via }) => via)).toEqual(['page', 'page'])
  })
})

describe('the first operator', () => {
  test('is made by a link of which there is one, once; none is made where there are operators', async () => {
    await sql`update users set operator_since = null`
    await sql`delete from operator_link`
    const links = await Promise.all([1, 2, 3].map(() => users.newOperatorLink(database)))
    const [link, ...others] = links.filter((made) => made !== undefined)
    expect(others).toEqual([])
    const token = link?.token ?? ''
    expect(await users.holdsOperatorLink(database, token)).toBe(true)
    const two = [await somebody(), await somebody()]
    const done = await Promise.all(
      two.map((one) => perform(database, operator, users.beginOperator, one.id, { token })),
    )
    expect(done.filter(Boolean)).toHaveLength(1)
    expect(await users.listOperators(database)).toHaveLength(1)
    expect(await users.holdsOperatorLink(database, token)).toBe(false)
    await sql`update users set operator_since = null`
    expect(await users.newOperatorLink(database)).toBeUndefined()
  })

  test('gets another link when the one before has ended without being used', async () => {
    await sql`update users set operator_since = null`
    await sql`delete from operator_link`
    const first = await users.newOperatorLink(database)
    expect(await users.newOperatorLink(database)).toBeUndefined()
    await sql`update operator_link set ends_at = now() - interval '1 s'`
    expect(await users.holdsOperatorLink(database, first?.token ?? '')).toBe(false)
    expect(await users.newOperatorLink(database)).toMatchObject({ token: expect.any(String) })
  })
})
