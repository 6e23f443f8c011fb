/** A right that ends while an answer is sent: nothing more is charged or read for whoever had it, and the answer says so. */
import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/console/acts/accounts.ts'
import { perform } from '../../src/console/acts/perform.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { crowd, fixtures, PEOPLE } from '../helpers/fixtures.ts'
import { formIn, tableIn, textIn } from './reading.ts'
import { chargedTo, loadForm, type Person, sharedPostgresTown } from './visitor.ts'

const EXPORT = '/export/people'
const BULK = '/bulk-search'
/** Three charges' worth of an export: one pays for ten units of a hundred rows. */
const CROWD = 2_150
const ROWS = CROWD + PEOPLE.length
/** Three charges' worth of a bulk search: one pays for twenty lines. */
const LINES = Array.from({ length: 45 }, (_, i) => `Member ${String(i + 1).padStart(4, '0')}`)
const BY = { via: 'command', userId: null, who: 'root', address: null } as const

const { service, town } = sharedPostgresTown(
  async (database) => {
    await fixtures(database)
    await crowd(database, CROWD)
  },
  () => ({ trialCredits: 0 }),
)

async function workspace(): Promise<{ owner: Person; member: Person }> {
  const [owner, member] = await town.workspace(1_000)
  return { owner, member: { ...member, accountId: owner.accountId } }
}

/** Each way in which a right ends, who had it, and the words of the answer. */
const ENDS = {
  'the owner removes the member': {
    reader: 'member',
    end: async ({ owner, member }) => {
      const page = `/workspace/remove?id=${member.userId}`
      expect((await owner.submit(page, { id: member.userId })).status).toBe(303)
    },
    reason: 'you no longer have access to this account',
  },
  'a new password ends every session': {
    reader: 'owner',
    end: ({ owner }) => service.sql`select user_set_password(${owner.userId}, 'another')`,
    reason: 'ou were signed out',
  },
  'the plan has the feature no more': {
    reader: 'owner',
    end: ({ owner }) => setAccount(service.database, owner.accountId, { tier: 'free' }),
    reason: 'our plan no longer includes',
  },
  'the plan has no workspace any more': {
    reader: 'member',
    end: ({ owner }) => setAccount(service.database, owner.accountId, { tier: 'pro' }),
    reason: 'you no longer have access to this account',
  },
  'the plan ends with its period': {
    reader: 'owner',
    end: ({ owner }) => service.sql`
      update accounts set plan = 'pro', plan_credits = 0, plan_renews = false, plan_started_at = now() - interval '1 month',
                          plan_ends_at = now(), settle_at = now() where id = ${owner.accountId}`,
    reason: 'our plan no longer includes',
  },
  'an operator suspends the account': {
    reader: 'owner',
    end: ({ owner }) =>
      perform(service.database, BY, suspendAccount, owner.accountId, {
        reason: 'A card was refused.',
      }),
    reason: 'our account was suspended',
  },
} as const satisfies Record<
  string,
  {
    reader: 'owner' | 'member'
    end: (people: { owner: Person; member: Person }) => Promise<unknown>
    reason: string
  }
>
const WAYS = Object.entries(ENDS)

/** Reads `pieces` pieces of an answer, lets something happen, and reads the rest. */
async function readAround(
  response: Response,
  pieces: number,
  happens: () => Promise<unknown>,
): Promise<string> {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ''
  for (let read = 0; ; read++) {
    if (read === pieces) await happens()
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done) return text
    text += decoder.decode(value, { stream: true })
  }
}

const linesOf = (text: string) => text.trimEnd().split('\r\n')

test.each(WAYS)(
  '%s: an export charges no further batch, and its last line says why',
  async (_, { reader, end, reason }) => {
    const people = await workspace()
    const someone = people[reader]
    const response = await someone.post(EXPORT, await loadForm(someone, EXPORT))
    const lines = linesOf(await readAround(response, 3, () => end(people)))
    expect(lines).toHaveLength(1 + 1_000 + 1)
    expect(lines.at(-1)).toContain(`Stopped after 1000 of ${ROWS} rows`)
    expect(lines.at(-1)).toContain(reason)
    expect(lines.at(-1)).toContain('50 credits were charged for these rows')
    expect(await chargedTo(service, people.owner)).toBe(50)
  },
)

test('a bulk search charges no further batch once a right has ended, and the end of its page says why', async () => {
  const people = await workspace()
  const kept = await people.owner.submit(BULK, { lines: LINES.join('\n') })
  const search = kept.headers.get('location') ?? ''
  await people.owner.post(search, formIn(await people.owner.text(search), search) ?? [])
  // The plan goes with the first charge.
  await service.sql.unsafe(`
    create function drop_plan() returns trigger language plpgsql security definer as
      $$ begin update accounts set tier = 'free' where id = new.account_id; return null; end $$;
    create constraint trigger drop_plan after insert on ledger deferrable initially deferred
      for each row when (new.kind = 'charge') execute function drop_plan()`)
  const page = await people.owner.text(search)
  await service.sql`drop function drop_plan cascade`
  expect(tableIn(page, 'matches by line')).toHaveLength(20)
  expect(textIn(page)).toContain(ENDS['the plan has the feature no more'].reason)
  expect(textIn(page)).toContain('100 credits were charged.')
  expect(await chargedTo(service, people.owner)).toBe(100)
})

test('a member who acts for another account meanwhile gets the whole export of the first one', async () => {
  const { owner, member } = await workspace()
  const response = await member.post(EXPORT, await loadForm(member, EXPORT))
  const text = await readAround(
    response,
    3,
    () => service.sql`
      update sessions s set account_id = m.account_id from members m
       where s.user_id = ${member.userId} and m.user_id = s.user_id and m.role = 'owner'`,
  )
  expect(linesOf(text)).toHaveLength(1 + ROWS)
  expect(await chargedTo(service, owner)).toBe(Math.ceil(ROWS / 100) * 5)
})

describe('a free file of the account', () => {
  const INCOMPLETE =
    'This file is incomplete because you were signed out or no longer have access to it.'

  test('My contacts is read no further for a member who was removed', async () => {
    const { owner, member } = await workspace()
    await service.sql`
      insert into unlocks (account_id, person_id, at)
      select ${owner.accountId}, id, now() from people`
    await service.sql`
      update accounts a set unlock_count = (select count(*) from unlocks where account_id = a.id)
       where id = ${owner.accountId}`
    const { end } = ENDS['the owner removes the member']
    const all = linesOf(await member.text('/contacts/contacts.csv'))
    expect(all).toHaveLength(1 + ROWS)
    const response = await member.get('/contacts/contacts.csv')
    const lines = linesOf(await readAround(response, 2, () => end({ owner, member })))
    expect(lines.at(-1)).toBe(INCOMPLETE)
    expect(lines.length).toBeLessThan(all.length / 2)
  })

  test.each(['the owner removes the member', 'an operator suspends the account'] as const)(
    'a kept list is sent no further once %s',
    async (way) => {
      const people = await workspace()
      const { accountId } = people.owner
      const [list] = await service.sql`
        insert into record_lists (account_id, name, created_at) values (${accountId}, 'All', now()) returning id`
      await service.sql`
        insert into list_entries (list_id, record_id, kind, added_at)
        select ${list?.id}, id, 'person', now() from people limit 1000`
      const response = await people.member.get(`/lists/list.csv?id=${list?.id}`)
      const lines = linesOf(await readAround(response, 2, () => ENDS[way].end(people)))
      expect(lines.at(-1)).toBe(INCOMPLETE)
      expect(lines.length).toBeLessThan(900)
    },
  )

  test('the ledger is read no further once a new password has ended the session', async () => {
    const { owner, member } = await workspace()
    await service.sql`select meter_grant(${owner.accountId}, 'topup', 4000, null, null::timestamptz)`
    await service.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      select a.id, meter_now(), 'charge', -1, a.balance - n, '/v1/people', a.id
        from accounts a, generate_series(1, 4000) n where a.id = ${owner.accountId} order by n`
    await service.sql`
      update accounts set balance = balance - 4000, unallotted = unallotted + 4000 where id = ${owner.accountId}`
    const { end } = ENDS['a new password ends every session']
    const all = linesOf(await owner.text('/balance/ledger.csv'))
    const response = await owner.get('/balance/ledger.csv')
    const lines = linesOf(await readAround(response, 2, () => end({ owner, member })))
    expect(lines.at(-1)).toBe(INCOMPLETE)
    expect(lines.length).toBeLessThan(all.length - 1_000)
  })
})
