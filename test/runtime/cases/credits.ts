/** Money: to the exact credit, whatever happens at the same time. */
import { expect } from 'bun:test'
import { many, pipeline, type Received } from '../http.ts'
import type { Stage } from '../stage.ts'

const statuses = (answers: readonly Received[]) =>
  answers.map(({ status }) => status).sort((a, b) => a - b)
const charged = (answers: readonly Received[]) =>
  answers.map(({ body }) => body.meta.creditsCharged).sort((a, b) => b - a)

export function creditCases(stage: Stage) {
  const REVEAL = '/v1/people/ada-ashford?include=private'

  stage.check(
    '100 calls, 35 at once, on 250 credits: exactly 50 live, 50 samples, and the ledger says 250',
    async () => {
      const caller = await stage.caller('free', 250)
      const answers = await many(100, () => stage.get('/v1/projects?limit=1', caller))
      expect(new Set(statuses(answers))).toEqual(new Set([200]))
      const live = answers.filter(({ headers }) => headers['service-sample'] === undefined)
      expect(live).toHaveLength(50)
      expect(live.every(({ body }) => body.meta.creditsCharged === 5 && !body.sample)).toBe(true)
      const balances = live.map(({ body }) => body.meta.creditsBalance).sort((a, b) => a - b)
      expect(balances).toEqual(Array.from({ length: 50 }, (_, n) => n * 5))
      expect(answers.filter(({ body }) => body.sample === true)).toHaveLength(50)
      expect(await stage.account(caller)).toEqual({ left: 0, spent: 250 })
    },
  )

  stage.check(
    'contract/Errors: 10 calls at once on a paid key’s last 15 credits: three answers, seven 402',
    async () => {
      const caller = await stage.caller('pro', 15)
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => stage.get('/v1/people', caller)),
      )
      expect(statuses(answers)).toEqual([...Array(3).fill(200), ...Array(7).fill(402)])
      const refused = answers.find(({ status }) => status === 402)
      expect(refused?.body.error).toMatchObject({ creditsRequired: 5, creditsBalance: 0 })
      expect(await stage.account(caller)).toEqual({ left: 0, spent: 15 })
    },
  )

  stage.check(
    'requests in one write are answered in order, or, on Bun, none of them is charged',
    async () => {
      const caller = await stage.caller('pro', 100)
      const paths = ['/v1/people?limit=1', '/v1/projects?limit=1', '/v1/investors?limit=1']
      const answered = await pipeline(stage.server.apiUrl, paths, caller.key)
      expect(answered).toEqual(stage.target.runtime === 'deno' ? [200, 200, 200] : [])
      const spent = 5 * answered.length
      expect(await stage.account(caller)).toEqual({ left: 100 - spent, spent })
    },
  )

  stage.check(
    'a first reveal costs 10, later ones 5, and then the channels show in plain reads',
    async () => {
      const caller = await stage.caller('pro', 100)
      const answers = await Promise.all(Array.from({ length: 8 }, () => stage.get(REVEAL, caller)))
      expect(charged(answers)).toEqual([10, ...Array(7).fill(5)])
      for (const { body } of answers) {
        expect(body.data.person).toMatchObject({
          isLocked: false,
          email: 'ada-sentinel@private.example',
          telegram: 'ada_sentinel_tg',
        })
      }
      const plain = await stage.get('/v1/people/ada-ashford', caller)
      expect([plain.body.meta.creditsCharged, plain.body.data.person.phone]).toEqual([
        5,
        '+1 202 555 0147',
      ])
      expect(await stage.account(caller)).toEqual({ left: 50, spent: 50 })
    },
  )

  stage.check('what one account unlocked stays locked for another, and null on lists', async () => {
    const [owner, other] = await Promise.all([stage.caller('pro', 100), stage.reader()])
    await stage.get(REVEAL, owner)
    const [list, foreign] = await Promise.all([
      stage.get('/v1/people?q=ada', owner),
      stage.get('/v1/people/ada-ashford', other),
    ])
    expect(list.body.data[0]).toMatchObject({ isLocked: false, email: null })
    expect(foreign.body.data.person).toMatchObject({ isLocked: true, email: null })
    expect(foreign.text).not.toContain('sentinel')
  })

  stage.check(
    'retries with one Idempotency-Key are charged once, also at the same time; on another path a 400',
    async () => {
      const caller = await stage.caller('pro', 100)
      const once = { 'Idempotency-Key': 'order-1' }
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => stage.get('/v1/projects?limit=1', caller, once)),
      )
      expect(charged(answers)).toEqual([5, 0, 0, 0, 0])
      const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
      expect(replayed).toHaveLength(4)
      const reused = await stage.get('/v1/people', caller, once)
      expect([reused.status, reused.body.error.code]).toEqual([400, 'idempotency_key_reused'])
      expect(await stage.account(caller)).toEqual({ left: 95, spent: 5 })
    },
  )

  stage.check('nothing but a live 200 is charged', async () => {
    const caller = await stage.caller('pro', 100)
    const paths = ['/v1/people?limt=1', '/v1/people/nobody', '/v1/search', '/v1/network', '/v1/me']
    const answers = await Promise.all(paths.map((path) => stage.get(path, caller)))
    expect(statuses(answers)).toEqual([200, 400, 400, 404, 404])
    const Authorization = `Bearer ${caller.key}`
    await stage.api('/v1/people', { method: 'HEAD', headers: { Authorization } })
    expect(await stage.account(caller)).toEqual({ left: 100, spent: 0 })
  })
}
