/** A reveal by a language model asks first, says the price, and is charged once. */
import { describe, expect, test } from 'bun:test'
import { shared } from '../../../test/helpers/shared.ts'
import { fixtures, startDirectory } from '../../testing/start.ts'
import { Confirmations } from '../confirmations.ts'
import { ERAS, httpServer, told } from './clients.ts'

const dir = shared(
  () => startDirectory({ listen: false }),
  (started) => started.stop(),
)
const { ada, ben } = fixtures.people
const { aurora } = fixtures.companies

/** Charges of an account by endpoint. */
async function bill(account: Awaited<ReturnType<typeof dir.account>>) {
  const charges = (await account.ledger()).filter(({ kind }) => kind === 'charge')
  return charges.map(({ endpoint, credits }) => [endpoint, -credits])
}

describe.each(ERAS)('protocol %s', (era) => {
  test('an agent finds, compares, asks before it reveals, and stops at its limit; bill and ledger agree', async () => {
    await using server = httpServer(dir, { maxCredits: 44 })
    const account = await dir.account({ tier: 'pro', credits: 500 })
    const agent = await server.connect(account.key, { era })

    const before = await told(agent, 'get_balance')
    expect(before.body).toMatchObject({
      creditsBalance: 500,
      canReveal: true,
      session: { creditsSpent: 0, maxCredits: 44 },
    })
    const found = await told(agent, 'search', { q: 'ember' })
    const [fund] = (await told(agent, 'list_investors', { q: 'ember' })).body.data
    const { portfolio } = (await told(agent, 'get_portfolio', { id: fund.slug })).body
    expect(found.body.people.length + portfolio.length).toBeGreaterThan(0)
    const leads = portfolio.filter((row: { isLead: boolean }) => row.isLead)
    const { team } = (await told(agent, 'get_team', { id: leads[0].company.slug })).body
    const chosen = team.find((member: { hasPhone?: boolean }) => member.hasPhone)
    expect([chosen.slug, chosen.hasEmail, chosen.email]).toEqual([ada.slug, true, undefined])

    const asked = await told(agent, 'reveal_contact', { id: chosen.slug })
    expect(asked.body).toMatchObject({ status: 'confirmation_required', credits: 10 })
    expect(asked.text).toContain('costs 10 credits, and the balance is 480')
    expect(asked.body.confirm).toStartWith('10-credits.')
    expect(await account.balance()).toBe(480)

    // Somebody agrees. The answer is lost on its way to the model, which calls again: both are charged once.
    const confirmed = { id: chosen.slug, confirm: asked.body.confirm }
    const [revealed, again] = [
      await told(agent, 'reveal_contact', confirmed),
      await told(agent, 'reveal_contact', confirmed),
    ]
    expect(revealed.body).toMatchObject({
      status: 'revealed',
      credits: 10,
      person: { email: ada.email },
    })
    expect(again.body).toMatchObject({ credits: 0, person: { telegram: ada.telegram } })

    expect((await told(agent, 'get_person', { id: ben.id })).isError).toBe(false)
    const next = await told(agent, 'reveal_contact', { id: ben.id })
    expect([next.isError, next.text]).toEqual([
      true,
      expect.stringContaining('credit_limit_reached'),
    ])
    expect((await told(agent, 'list_people', { roles: ['legal'] })).isError).toBe(false)
    const last = await told(agent, 'get_project', { id: aurora.id })
    expect([last.isError, last.text]).toEqual([
      true,
      expect.stringContaining('Nothing was charged'),
    ])

    const { body } = await told(agent, 'get_balance')
    expect(body).toMatchObject({
      creditsBalance: 460,
      session: { creditsSpent: 40, maxCredits: 44 },
    })
    expect(await bill(account)).toEqual([
      ['/v1/search', 5],
      ['/v1/investors', 5],
      ['/v1/investors/{slug}', 5],
      ['/v1/projects/{id}', 5],
      ['/v1/people/{id}', 10],
      ['/v1/people/{id}', 5],
      ['/v1/people', 5],
    ])
    expect(await account.balance()).toBe(500 - 40)
    await agent.close()
  })

  test('a confirmation is good for one person and one caller', async () => {
    await using server = httpServer(dir)
    const account = await dir.account({ tier: 'pro', credits: 100 })
    const other = await dir.account({ tier: 'pro', credits: 100 })
    const [client, theirs] = [
      await server.connect(account.key, { era }),
      await server.connect(other.key, { era }),
    ]
    const { confirm } = (await told(client, 'reveal_contact', { id: ada.id })).body
    for (const [caller, args] of [
      [client, { id: ben.id, confirm }],
      [theirs, { id: ada.id, confirm }],
      [client, { id: ada.id, confirm: confirm.replace('10-', '00-') }],
      [client, { id: ada.id, confirm: 'yes' }],
    ] as const) {
      const { text, isError } = await told(caller, 'reveal_contact', args)
      expect([isError, text]).toEqual([true, expect.stringContaining('Nothing was charged')])
    }
    expect([await account.balance(), await other.balance()]).toEqual([100, 100])
    await Promise.all([client.close(), theirs.close()])
  })
})

test.each(ERAS)(
  'protocol %s: where the client can ask, somebody is asked, and no word of the model takes their place',
  async (era) => {
    await using server = httpServer(dir)
    const account = await dir.account({ tier: 'pro', credits: 100 })
    const questions: string[] = []
    const answers = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { reveal: false } },
      { action: 'decline' },
      { action: 'accept', content: { reveal: true } },
    ] as const
    const client = await server.connect(account.key, {
      era,
      answers: (message) => {
        questions.push(message)
        return answers[questions.length - 1] ?? { action: 'cancel' }
      },
    })
    for (const _ of answers.slice(0, 3)) {
      const { body } = await told(client, 'reveal_contact', { id: ada.slug })
      expect(body).toEqual({ status: 'declined', credits: 0 })
    }
    // A confirmation that a client got which can't ask.
    const mute = await server.connect(account.key, { era })
    const { confirm } = (await told(mute, 'reveal_contact', { id: ada.slug })).body
    const unasked = await told(client, 'reveal_contact', { id: ada.slug, confirm })
    expect(unasked.body).toEqual({ status: 'declined', credits: 0 })
    await mute.close()
    expect(await account.balance()).toBe(100)
    const { body } = await told(client, 'reveal_contact', { id: ada.slug })
    expect(body).toMatchObject({ status: 'revealed', credits: 10, person: { phone: ada.phone } })
    expect(questions).toHaveLength(5)
    expect(questions[0]).toContain('costs 10 credits, and the balance is 100')
    expect(questions[0]).toContain(ada.slug)
    expect(await bill(account)).toEqual([['/v1/people/{id}', 10]])
    await client.close()
  },
)

test('a reveal that would be refused is refused before anybody is asked', async () => {
  await using server = httpServer(dir)
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const poor = await dir.account({ tier: 'pro', credits: 4 })
  const free = await dir.account({ tier: 'free', credits: 4 })
  const reading = await account.newKey({ scopes: ['read:metadata'] })
  const answers = () => {
    throw new Error('nobody is to be asked')
  }
  for (const [key, code, id] of [
    [reading, 'missing_scope', ada.id],
    [poor.key, 'insufficient_credits', ada.id],
    [free.key, 'insufficient_credits', ada.id],
  ] as const) {
    const client = await server.connect(key, { answers })
    const { text, isError } = await told(client, 'reveal_contact', { id })
    expect([isError, text]).toEqual([true, expect.stringContaining(code)])
    await client.close()
  }
})

test('a confirmation ends after ten minutes, and is good in every process of its key', () => {
  let now = Date.UTC(2026, 0, 1)
  const confirmations = new Confirmations('ck_live_a', () => now)
  const token = confirmations.issue(ada.id, 10)
  const agreed = confirmations.check(token, ada.id)
  expect(agreed).toEqual({
    credits: 10,
    idempotencyKey: expect.stringMatching(/^[A-Za-z0-9._-]{1,64}$/),
  })
  now += 599_000
  expect(confirmations.check(token, ada.id.toUpperCase())).toEqual(agreed)
  expect(new Confirmations('ck_live_a', () => now).check(token, ada.id)).toEqual(agreed)
  const other = new Confirmations('ck_live_b', () => now)
  expect(() => other.check(token, ada.id)).toThrow('not of this person and this API key')
  expect(() => confirmations.check(token, ben.id)).toThrow('not of this person')
  now += 1_000
  expect(() => confirmations.check(token, ada.id)).toThrow('older than 10 minutes')
})
