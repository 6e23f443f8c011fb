/** One of each act of the table: what it is done to is made first. Forms, commands and statements are tested with the same ones. */
import { startPlan, suspendAccount } from '../../src/console/acts/accounts.ts'
import { type Act, pageOf, readValues, targetOf } from '../../src/console/acts/act.ts'
import { endUpload, runImport } from '../../src/console/acts/imports.ts'
import { acceptPayment } from '../../src/console/acts/payments.ts'
import { perform } from '../../src/console/acts/perform.ts'
import { giveOperator, newOperatorLink } from '../../src/console/acts/users.ts'
import type { Connection, Database } from '../../src/database/client.ts'
import { setRecord } from '../../src/intake/editing/edit.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { appendChunk, createJob } from '../../src/intake/import/jobs/store.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { openPayment } from '../../src/money/payments/payments.ts'
import { beginSignIn } from '../../src/people/users/second-factor-store.ts'
import { somebody as somebodyOnFile } from '../intake/editing/traces.ts'
import { COMMAND } from './doing.ts'

export const NOBODY = '0190a000-0000-7000-8000-000000000999'
export const PASSWORD = 'scrypt:of-nothing'

export interface Example {
  /** Subject of the act's page, and a part of it. */
  on: string
  of?: string
  /** Texts of its form. */
  fields?: Readonly<Record<string, string>>
  /** Values that the program gives. */
  given?: Readonly<Record<string, unknown>>
  /** The act of the line, where it is another's. */
  line?: string
}

export interface Somebody {
  id: string
  email: string
  accountId: string
}

interface Place {
  database: Database
  sql: Connection['sql']
}

/** Somebody who signed up. */
export async function somebodyIn({ sql }: Place): Promise<Somebody> {
  const email = `somebody-${crypto.randomUUID()}@example.com`
  await sql`select user_sign_up(${email}, 'Somebody', ${PASSWORD}, 0, interval '7 days', null)`
  const [row] = await sql<Omit<Somebody, 'email'>[]>`
    select u.id, m.account_id as "accountId"
      from users u join members m on m.user_id = u.id where u.email = ${email}`
  return { id: '', accountId: '', ...row, email }
}

/** @returns the id of the one row that is made */
const made = async (rows: PromiseLike<readonly { id?: unknown }[]>) => String((await rows)[0]?.id)

/** @param place is asked for at each example: it may start after the tests are declared */
export function examplesIn(place: () => Place): Readonly<Record<string, () => Promise<Example>>> {
  const db = () => place().database
  const somebody = () => somebodyIn(place())
  const account = async (fields: Record<string, string> = {}) => ({
    on: await createAccount(db(), { name: 'Ada', email: 'ada@example.com' }),
    fields,
  })
  const user = async (prepare: (one: Somebody) => unknown = () => {}) => {
    const one = await somebody()
    await prepare(one)
    return { on: one.accountId, of: one.id, fields: { email: one.email } }
  }
  const key = async () => {
    const { on } = await account()
    const { id: of } = await createKey(db(), on, 'laptop', ['read:metadata'])
    return { on, of }
  }
  const planned = async () => {
    const { on } = await account()
    await perform(db(), COMMAND, startPlan, on, { plan: 'pro', renews: true })
    return { on, line: 'plan.stop' }
  }
  const order = async () => {
    const { accountId, id } = await somebody()
    return { on: (await openPayment(db(), accountId, id, { topUp: 'small' })) ?? '' }
  }
  const onFile = async () => {
    const { row } = somebodyOnFile()
    await importRows(db(), 'people', [row])
    return row
  }
  const request = async (kind: string, who = 'Nobody Known', email = 'asks@people.example') => ({
    on: await made(place().sql`
      insert into privacy_requests (kind, state, email, person, asked_at, confirmed_at)
      values (${kind}, 'open', ${email}, ${who}, now(), now()) returning id`),
    line: 'privacy.close',
  })
  const about = async (kind: string) => {
    const { id, slug, email } = await onFile()
    return { ...(await request(kind, slug, email)), of: id }
  }
  const uploading = async () => {
    await place().sql`delete from import_jobs`
    const on = await createJob(db(), { kind: 'companies', name: 'list.csv', by: COMMAND })
    await appendChunk(db(), on, Buffer.from('name\n'))
    return { on }
  }
  const uploaded = async () => {
    const { on } = await uploading()
    await endUpload(db(), COMMAND, on)
    return { on }
  }

  return {
    'account.create': async () => ({
      on: '',
      fields: { name: 'Eve', email: 'eve@example.com', tier: 'free', credits: '20' },
    }),
    'account.note': () => account({ text: 'Asked for an invoice.' }),
    'account.resume': async () => {
      const { on } = await account()
      await perform(db(), COMMAND, suspendAccount, on, { reason: 'Unpaid since May.' })
      return { on }
    },
    'account.set': () => account({ tier: 'team', tierWas: 'free' }),
    'account.suspend': () => account({ reason: 'Unpaid since May.' }),
    'backup.download': async () => ({ on: 'chainkin.tar' }),
    'backup.make': async () => ({ on: 'chainkin.tar' }),
    'credits.grant': () => account({ amount: '7', source: 'topup' }),
    'credits.take-back': async () => {
      const { on } = await account({})
      await grantCredits(db(), on, 50, 'topup')
      const of = await made(place().sql`select id from credit_grants where account_id = ${on}`)
      return { on, of, fields: { most: '20' } }
    },
    'directory.delete': async () => ({ on: (await onFile()).id, of: 'person' }),
    'directory.erase': async () => ({ on: (await onFile()).id }),
    'directory.undo': async () => {
      const { change } = await setRecord(
        ...([db(), 'person', (await onFile()).id, { jobTitle: 'Chair' }, 'root'] as const),
      )
      return { on: String(change) }
    },
    'directory.unpin': async () => {
      const { id } = await onFile()
      await setRecord(db(), 'person', id, { jobTitle: 'CTO', roles: '' }, 'olga')
      return { on: id, given: { fields: ['jobTitle'] } }
    },
    'import.add': uploading,
    'import.cancel': uploading,
    'import.delete': uploaded,
    'import.run': uploaded,
    'import.undo': async () => {
      const { on } = await uploaded()
      await perform(db(), COMMAND, runImport, on, { checked: '' })
      const { sql } = place()
      await sql`insert into journal (change, at, who, what) select change, now(), 'root', 'import' from import_jobs`
      await sql`update import_jobs set state = 'ended'`
      return { on }
    },
    'key.create': () => account({ label: 'laptop' }),
    'key.revoke': key,
    'key.revoke-all': async () => ({ on: (await key()).on, line: 'key.revoke' }),
    'operator.begin': async () => {
      await place().sql`update users set operator_since = null`
      await place().sql`delete from operator_link`
      const token = (await newOperatorLink(db()))?.token
      return { on: (await somebody()).id, given: { token } }
    },
    'operator.give': user,
    'operator.take-away': () => user(({ id }) => perform(db(), COMMAND, giveOperator, id)),
    'payment.accept': async () => ({ ...(await order()), given: { referralCredits: 0 } }),
    'payment.dismiss': async () => {
      const of = `evt_${crypto.randomUUID()}`
      await place().sql`
        insert into payment_events (id, kind, at, outcome, reason)
        values (${of}, 'charge.refunded', now(), 'waiting', 'Nobody has this payment.')`
      return { on: '', of, fields: { id: of } }
    },
    'payment.refund': async () => {
      const { on } = await order()
      const acceptance = { renews: false, referralCredits: 0 }
      await perform(db(), COMMAND, acceptPayment, on, acceptance)
      return { on, given: { atStripe: false } }
    },
    'payment.refuse': order,
    'payment.take-over': async () => {
      const { on } = await order()
      const event = (sql: Connection['sql']) =>
        sql`payment_event_topup('taken_1', 'checkout.session.completed', ${on}, 'pi_1', 0)`
      return { on, given: { event } }
    },
    'plan.start': () => account({ plan: 'pro' }),
    'plan.stop': planned,
    'plan.stop-renewal': planned,
    'privacy.answer': async () => ({ ...(await about('show')), line: 'privacy.answer' }),
    'privacy.close': async () => ({
      ...(await request('remove')),
      given: { reason: 'not on file' },
    }),
    'privacy.done': () => request('correct'),
    'privacy.erase': () => about('remove'),
    'privacy.refuse': async () => ({
      ...(await request('correct')),
      fields: { reason: 'Not you' },
    }),
    'source.columns': async () => {
      await place().sql`
        insert into import_sources (source, refused) values ('crm', '{"at": "now", "kinds": {}}')
        on conflict (source) do update set refused = excluded.refused`
      const columns = { people: { columns: { Mail: 'email' }, map: {} } }
      return { on: 'crm', given: { at: 'now', columns } }
    },
    'user.end-sessions': () =>
      user(({ id }) => beginSignIn(db(), id, PASSWORD, crypto.randomUUID())),
    'user.reset-link': user,
    'user.second-factor-off': () =>
      user(
        ({ id }) => place().sql`
        insert into second_factors (user_id, secret, session_id, begun_at, on_since)
        values (${id}, 'SECRET', ${NOBODY}, now(), now())`,
      ),
    'user.verify': user,
  }
}

/** Target and values of an act, as its form gives them. */
export function givenTo(act: Act, { on, of, fields = {}, given = {} }: Example) {
  const isTyped = (name: string) => !act.isPartial || fields[name] !== undefined
  const values = readValues(act, (name) => (isTyped(name) ? (fields[name] ?? '') : undefined))
  return { target: targetOf(act, on, of), values: { ...values, ...given }, page: pageOf(act) }
}
