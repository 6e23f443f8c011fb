/** The operator's commands, beside the running server. */
import { expect } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CROWD } from '../../contract/world.ts'
import { linesOf } from '../../helpers/command.ts'
import { COMPANIES, crowdRows, PEOPLE, ROUNDS } from '../../helpers/fixtures.ts'
import { within } from '../../helpers/given-time.ts'
import type { Stage } from '../stage.ts'

const NOBODY = '0190b000-0000-7000-8000-000000000999'

/** How soon a change shows, in milliseconds. */
const VISIBLE_MS = 2_000

/** Looks until `path` has `total` records; fails when that takes longer than a change may take to show. */
async function untilTotal(stage: Stage, path: string, total: number) {
  const caller = await stage.reader()
  await within(VISIBLE_MS, async () => (await stage.get(path, caller)).body.total === total)
}

/** Fills the directory: the cases after it find what is imported here. */
export function importCases(stage: Stage) {
  const write = async (name: string, rows: readonly object[]) => {
    const path = join(stage.directory, `${name}.jsonl`)
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return [`--${name}`, path]
  }

  stage.check(
    'import: files of each kind, a bad row is refused by row and field, the rest shows within 2 s, and again nothing changes',
    async () => {
      const wrong = { name: 'Wrong', companyType: 'zebra' }
      const files = [
        ...(await write('companies', [...COMPANIES, wrong])),
        ...(await write('people', [...PEOPLE, ...crowdRows(CROWD)])),
        ...(await write('rounds', ROUNDS)),
      ]
      const total = PEOPLE.length + CROWD
      const { code, stdout, stderr } = await stage.command([
        'import',
        ...files,
        '--max-refused',
        '20',
        '--json',
      ])
      const { companies, people, rounds } = JSON.parse(stdout)
      expect([code, linesOf(stderr).length]).toEqual([0, 1])
      expect(stderr).toContain(`companies row ${COMPANIES.length + 1}: companyType`)
      expect([companies.created, companies.refused]).toEqual([COMPANIES.length, 1])
      expect([people.created, rounds.created]).toEqual([total, ROUNDS.length])
      await untilTotal(stage, '/v1/projects', 4)
      await untilTotal(stage, '/v1/people', total)
      const again = (await stage.command(['import', ...files, '--json'])).json()
      const unchanged = [again.companies, again.people, again.rounds].map((kind) => kind.unchanged)
      expect(unchanged).toEqual([COMPANIES.length, total, ROUNDS.length])
    },
  )
}

export function commandCases(stage: Stage) {
  stage.check('import: rows from stdin are cleaned, and show within 2 s', async () => {
    const row = {
      name: ' Koi\u200b Labs ',
      slug: 'koi-labs',
      companyType: 'service',
      ticker: '$KOI',
    }
    // No number of JavaScript holds all of these digits.
    const discord = '"discordUrl":597638925346930701'
    const { code, json } = await stage.command(['import', '--companies', '-', '--json'], {
      input: `${JSON.stringify(row).replace('}', `,${discord}}`)}\n`,
    })
    expect([code, json().companies.created]).toEqual([0, 1])
    await untilTotal(stage, '/v1/services?q=koi', 1)
    const { body } = await stage.get('/v1/services/koi-labs', await stage.reader())
    expect(body.service).toMatchObject({
      name: 'Koi Labs',
      ticker: 'KOI',
      discordUrl: 'https://discord.com/channels/597638925346930701',
    })
  })

  stage.check(
    'import: a file that is not there, and one that breaks half-way, are exit 1 with the reason',
    async () => {
      const broken = join(stage.directory, 'broken.csv')
      await writeFile(broken, 'name,companyType\nFirst,project\n"open quote,project\n')
      const [absent, half] = await Promise.all([
        stage.refused('import', '--people', join(stage.directory, 'nothing.csv')),
        stage.refused('import', '--companies', broken),
      ])
      expect([absent.code, half.code]).toEqual([1, 1])
      expect(absent.json().error).toContain('no such file')
      expect(half.json().error).toBeString()
    },
  )

  stage.check('account: create, set, show and list agree with /v1/me', async () => {
    const caller = await stage.caller('pro', 25)
    const { id } = caller
    await stage.done(
      'account',
      'set',
      id,
      '--tier',
      'team',
      '--name',
      'Grace',
      '--organization',
      'Navy',
    )
    const [shown, { accounts }, me] = await Promise.all([
      stage.done('account', 'show', id),
      stage.done('account', 'list'),
      stage.get('/v1/me', caller),
    ])
    expect(shown).toMatchObject({ name: 'Grace', tier: 'team', organization: 'Navy' })
    expect(accounts.find((one: { id: string }) => one.id === id)).toEqual(shown)
    expect(me.body).toMatchObject({ id, name: 'Grace', tier: 'team', organization: 'Navy' })
    expect([me.body.creditsBalance, shown.creditsBalance]).toEqual([25, 25])
  })

  stage.check(
    'key: made, listed without its secret, and refused at the first request after revoke',
    async () => {
      const caller = await stage.caller('pro', 100)
      const { keys } = await stage.done('key', 'list', caller.id)
      expect(keys).toHaveLength(1)
      expect(JSON.stringify(keys)).not.toContain(caller.key)
      expect((await stage.get('/v1/projects', caller)).status).toBe(200)
      expect((await stage.done('key', 'revoke', keys[0].id)).revoked).toBe(true)
      expect((await stage.get('/v1/projects', caller)).status).toBe(401)
      expect((await stage.refused('key', 'revoke', keys[0].id)).code).toBe(1)
    },
  )

  if (stage.target.runtime === 'binary') {
    stage.check('licenses: the binary prints those of the works in it', async () => {
      const { notices } = await stage.done('licenses')
      expect(notices).toMatch(/^drizzle-orm \d/m)
      expect(notices).toContain('PostgreSQL Global Development Group')
    })
  }

  stage.check(
    'credits: granted while the server runs, they can be spent at once, the soonest to expire first',
    async () => {
      const caller = await stage.caller('pro', 0)
      const { id } = caller
      expect((await stage.get('/v1/projects', caller)).status).toBe(402)
      await stage.done('credits', 'grant', id, '5', '--source', 'topup')
      await stage.done('credits', 'grant', id, '7', '--source', 'trial', '--expires', '3d')
      const { body } = await stage.get('/v1/projects', caller)
      expect(body.meta).toEqual({ creditsCharged: 5, creditsBalance: 7 })
      const { grants } = await stage.done('credits', 'list', id)
      const left = grants.map((grant: Record<string, unknown>) => [grant.source, grant.remaining])
      expect(left).toEqual([
        ['trial', 2],
        ['topup', 5],
      ])
    },
  )

  stage.check(
    'plan: start raises tier and credits, stop takes both away; list gives the price list',
    async () => {
      const caller = await stage.caller('free', 0)
      await stage.done('plan', 'start', caller.id, 'pro')
      const during = await stage.get('/v1/me', caller)
      expect([during.body.tier, during.body.creditsBalance]).toEqual(['pro', 6_000])
      await stage.done('plan', 'stop', caller.id)
      const after = await stage.get('/v1/me', caller)
      expect([after.body.tier, after.body.creditsBalance]).toEqual(['free', 0])
      const { plans } = await stage.done('plan', 'list')
      const prices = plans.map((plan: Record<string, unknown>) => [plan.name, plan.usdPerMonth])
      expect(prices).toEqual([
        ['essential', 49],
        ['pro', 99],
        ['team', 249],
        ['enterprise', null],
      ])
    },
  )

  stage.check('usage: by endpoint, and by key, what was charged and nothing else', async () => {
    const caller = await stage.caller('pro', 100)
    for (const path of ['/v1/projects', '/v1/projects', '/v1/search?q=a', '/v1/people?limt=1']) {
      await stage.get(path, caller)
    }
    const { usage } = await stage.done('usage', caller.id, '--by', 'endpoint')
    expect(usage).toEqual([
      { group: '/v1/projects', calls: 2, credits: 10 },
      { group: '/v1/search', calls: 1, credits: 5 },
    ])
    const byKey = await stage.done('usage', caller.id, '--by', 'key', '--since', '1h')
    expect(byKey.usage).toMatchObject([{ calls: 3, credits: 15 }])
  })

  stage.check('migrate says what there is; index build asks for a new index', async () => {
    const { migrations, newest } = await stage.done('migrate')
    expect(migrations).toBeGreaterThan(0)
    expect(newest).toBeString()
    expect(await stage.done('index', 'build')).toMatchObject({ requested: true })
  })

  stage.check(
    'exit 1 with the reason for what is refused, exit 2 for wrong usage, exit 0 for help',
    async () => {
      const [nobody, wrong, unknown, help] = await Promise.all([
        stage.refused('account', 'show', NOBODY),
        stage.command(['credits', 'grant', NOBODY, 'many', '--source', 'topup']),
        stage.command(['dance']),
        stage.command(['key', 'create', '--help']),
      ])
      expect([nobody.code, nobody.json()]).toEqual([1, { error: `there is no account ${NOBODY}` }])
      expect([wrong.code, unknown.code]).toEqual([2, 2])
      expect(wrong.stderr).toContain('Write a whole number of credits')
      expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('--scopes')])
    },
  )
}
