/** Who is mailed when an account's credits fall below an amount, and how often. */
import { describe, expect, test } from 'bun:test'
import { mailLowBalances, setThresholds } from '../../src/people/users/low-balance.ts'
import type { Mail } from '../../src/people/users/mail.ts'
import { createOutbox } from '../../src/people/users/mail-queue.ts'
import type { Session } from '../../src/people/users/sessions.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { expectRejection } from '../helpers/rejection.ts'
import { postgresService } from '../helpers/service.ts'
import { shared } from '../helpers/shared.ts'
import { type Person, startTown, type Town } from './visitor.ts'

const service = shared(
  () => postgresService(fixtures),
  ({ stop }) => stop(),
)
const town: Town = shared(() => startTown(service))
const sender = { serviceName: 'Chainkin', appUrl: 'https://chainkin.example' }

/** Mails of a sweep on several instances at once. */
async function sweep(instances = 1, sends = true): Promise<Mail[]> {
  const mails: Mail[] = []
  await Promise.all(
    Array.from({ length: instances }, () => sweepWith((mail) => void mails.push(mail), sends)),
  )
  return mails
}

function sweepWith(send: (mail: Mail) => void, sends = true): Promise<void> {
  const outbox = createOutbox(service.database, { sends, send: async (mail) => send(mail) })
  return mailLowBalances({ database: service.database, outbox, ...sender })
}

/** Sets the balance as a charge would leave it. */
const balanceOf = ({ accountId }: Person, balance: number) =>
  service.sql`update accounts set balance = ${balance} where id = ${accountId}`

const set = (person: Person, amounts: string[], members = '') =>
  person.submit('/balance/alerts', {
    ...Object.fromEntries(amounts.map((amount, i) => [`amount${i + 1}`, amount])),
    ...(members ? { members } : {}),
  })

describe('low-balance mails', () => {
  test('one mail for each crossing, over several instances too; armed again above the amount', async () => {
    const ada = await town.customer(1_000, 'pro')
    expect((await set(ada, ['500', '100', ''])).headers.get('location')).toContain('said=set')
    expect(await sweep()).toEqual([])
    await balanceOf(ada, 499)
    const mails = await sweep(4)
    expect(mails.map(({ to }) => to)).toEqual([ada.email])
    expect(mails[0]?.text).toContain('499 credits')
    expect(mails[0]?.text).toContain('below 500')
    expect(await sweep(4)).toEqual([])
    await balanceOf(ada, 500)
    expect(await sweep()).toEqual([])
    await balanceOf(ada, 50)
    // Both amounts are crossed: one mail, about the lower one.
    const both = await sweep(2)
    expect(both).toHaveLength(1)
    expect(both[0]?.text).toContain('below 100')
  })

  test('an amount above the balance waits for the next crossing; a mail server that is not there loses none', async () => {
    const ada = await town.customer(50, 'pro')
    const { balance } =
      (await service.sql`select balance::integer from accounts where id = ${ada.accountId}`)[0] ??
      {}
    await set(ada, [String(balance + 1)])
    expect(await sweep()).toEqual([])
    await balanceOf(ada, balance + 10)
    await sweep()
    await balanceOf(ada, 1)
    expect(await sweep(1, false)).toEqual([])
    expect(await sweep()).toHaveLength(1)
  })

  test('a sweep that breaks off loses the mails of one account at most', async () => {
    const people = await Promise.all([1, 2, 3].map(() => town.customer(1_000, 'pro')))
    for (const person of people) {
      await set(person, ['100'])
      await balanceOf(person, 10)
    }
    const broken = sweepWith(() => {
      throw new Error('away')
    })
    await expectRejection(broken, 'away')
    expect(await sweep()).toHaveLength(2)
  })

  test('an account without a credit ceiling is not mailed, and its page says so', async () => {
    const ada = await town.customer(1_000, 'enterprise')
    await set(ada, ['100'])
    await balanceOf(ada, -10)
    expect(await sweep()).toEqual([])
    expect(await ada.text('/balance/alerts')).toContain('Your plan has no credit limit')
  })

  test('the mail names the account, because its people may act for others; the page says why none comes yet', async () => {
    const ada = await town.customer(1_000_000, 'team')
    await service.sql`update accounts set organization = 'Ember Labs' where id = ${ada.accountId}`
    await set(ada, ['12,000'])
    await balanceOf(ada, 11_999)
    expect((await sweep())[0]?.text).toContain(
      'The account Ember Labs has 11,999 credits left. That is below 12,000,',
    )
    expect(await ada.text('/balance/alerts')).toContain('Your credits are below it already')
    await balanceOf(ada, 12_000)
    expect(await ada.text('/balance/alerts')).not.toContain('below it already')
    expect(await ada.text('/balance')).toContain('href="/balance/alerts"')
  })

  test('credits that expire are a crossing as well', async () => {
    const ada = await town.customer(0, 'pro')
    await service.sql`
      select meter_grant(${ada.accountId}, 'trial', 1000, null, meter_now() + interval '1 hour')`
    await set(ada, ['600'])
    await service.sql`update credit_grants set expires_at = meter_now() - interval '1 second' where account_id = ${ada.accountId} and amount = 1000`
    await service.sql`update accounts set settle_at = meter_now() where id = ${ada.accountId}`
    expect((await sweep()).map(({ to }) => to)).toEqual([ada.email])
  })

  test('the owner sets them; members are mailed where the owner says so', async () => {
    const [owner, ben] = [await town.customer(1_000, 'team'), await town.person('Ben')]
    await service.sql`
      insert into members (account_id, user_id, role, joined_at) values (${owner.accountId}, ${ben.userId}, 'member', now())`
    await set(owner, ['100'], 'yes')
    await balanceOf(owner, 10)
    expect((await sweep()).map(({ to }) => to)).toEqual([owner.email, ben.email])
    await service.sql`update sessions set account_id = ${owner.accountId} where user_id = ${ben.userId}`
    expect(await ben.text('/balance/alerts')).toContain('Only the owner')
    const csrf = await ben.submit('/keys', { amount1: '7' }, '/balance/alerts')
    expect(csrf.status).toBe(404)
    const [row] = await service.sql`
      select array_agg(credits) as amounts from balance_thresholds where account_id = ${owner.accountId}`
    expect(row?.amounts).toEqual([100])
  })

  test('an account has three amounts at most, set from however many tabs at once', async () => {
    const ada = await town.customer(1_000, 'pro')
    const session = { account: { id: ada.accountId }, user: { id: ada.userId } } as Session
    const tabs = Array.from({ length: 12 }, (_, tab) =>
      [1, 2, 3].map((amount) => (tab % 3) * 10 + (tab % 2 ? amount : 4 - amount)),
    )
    await Promise.all(
      tabs.map((amounts) =>
        setThresholds(service.database, session, { amounts, mailsMembers: false }),
      ),
    )
    const rows = await service.sql`
      select from balance_thresholds where account_id = ${ada.accountId}`
    expect(rows).toHaveLength(3)
  })

  test('what is no amount is said beside its field, and changes nothing', async () => {
    const ada = await town.customer(1_000, 'pro')
    for (const wrong of ['-1', '0', 'many', '1.5', '1,5', '10,00', '2000000000', '99999999999']) {
      const answer = await set(ada, [wrong])
      expect([wrong, answer.status]).toEqual([wrong, 422])
      expect(await answer.text()).toContain('a whole number of credits from 1 to 1,000,000,000')
    }
    expect(
      await service.sql`select from balance_thresholds where account_id = ${ada.accountId}`,
    ).toHaveLength(0)
    expect(await ada.text('/balance/alerts')).toContain('no mail server')
  })
})
