/** The kit for test suites: what a directory is, and what it holds. */
import { afterEach, describe, expect, test } from 'bun:test'
import { expectRejection } from '../../../test/helpers/rejection.ts'
import { shared } from '../../../test/helpers/shared.ts'
import { fixtures, startDirectory, type TestDirectory } from '../start.ts'

const dir = shared(
  () => startDirectory(),
  (running) => running.stop(),
)
afterEach(() => dir.reset())

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

async function personOf({ account, fetch }: TestDirectory, slug: string) {
  const { key } = await account({ tier: 'pro', credits: 5 })
  return (await (await fetch(`/v1/people/${slug}`, bearer(key))).json()).data.person
}

describe('a directory', () => {
  test('answers at its own two addresses, over real sockets', async () => {
    const { key } = await dir.account({ tier: 'pro', credits: 10 })
    const answer = await fetch(`${dir.url}/v1/people/${fixtures.people.ada.slug}`, bearer(key))
    const { data, meta } = await answer.json()
    expect(data.person.id).toBe(fixtures.people.ada.id)
    expect(meta).toEqual({ creditsCharged: 5, creditsBalance: 5 })
    const document = await fetch(`${dir.appUrl}/openapi.json`)
    expect((await document.json()).servers[0].url).toBe(dir.url)
    expect((await fetch(`${dir.appUrl}/v1/me`)).status).toBe(404)
  })

  test('answers its own fetch without a port: paths, URLs and Requests', async () => {
    await using dir = await startDirectory({ listen: false })
    const { key } = await dir.account()
    const inputs = ['/v1/me', new URL('/v1/me', dir.url), new Request(`${dir.url}/v1/me`)]
    for (const input of inputs) {
      const answer = await dir.fetch(input, bearer(key))
      expect([answer.status, (await answer.json()).baseUrl]).toEqual([200, dir.url])
    }
    const page = await dir.fetch(`${dir.appUrl}/docs`)
    expect(page.headers.get('content-type')).toStartWith('text/html')
    await expectRejection(fetch(dir.url))
  })

  test('asks nothing for a client that has given up before', async () => {
    const account = await dir.account({ tier: 'pro', credits: 10 })
    const signal = AbortSignal.abort(new Error('too late'))
    await expectRejection(dir.fetch('/v1/projects', { ...bearer(account.key), signal }), 'too late')
    await (await dir.fetch('/v1/me', bearer(account.key))).text()
    expect([await account.balance(), dir.calls().length]).toEqual([10, 1])
  })

  test('lists the fixed directory, every record of which is a constant', async () => {
    const { key } = await dir.account({ tier: 'pro', credits: 100 })
    const people = await (await dir.fetch('/v1/people?limit=100', bearer(key))).json()
    const known = Object.values(fixtures.people)
    expect(new Set(people.data.map(({ id }: { id: string }) => id))).toEqual(
      new Set(known.map(({ id }) => id)),
    )
    for (const { slug, id, name } of Object.values(fixtures.companies)) {
      const { project } = await (await dir.fetch(`/v1/projects/${slug}`, bearer(key))).json()
      expect(project).toMatchObject({ id, name })
    }
  })

  test('holds the rows that it is given, stored by the real import, and nothing else', async () => {
    await using dir = await startDirectory({
      listen: false,
      companies: [{ slug: 'acme', name: 'Acme', companyType: 'project', ticker: '$ACM' }],
      people: [{ firstName: 'Zoe', lastName: 'Zimmer', jobTitle: 'CEO', company: 'acme' }],
    })
    const { key } = await dir.account({ tier: 'pro', credits: 20 })
    const { total, data } = await (await dir.fetch('/v1/projects', bearer(key))).json()
    expect([total, data[0].name, data[0].ticker]).toEqual([1, 'Acme', 'ACM'])
    const { person } = (await (await dir.fetch('/v1/people/zoe-zimmer', bearer(key))).json()).data
    expect([person.roles, person.company.slug]).toEqual([['executive'], 'acme'])
  })

  test('tells of records by its own clock: the fixed ones have constant times, those that it is given the time of now', async () => {
    const { ada } = fixtures.people
    const changed = await personOf(dir, ada.slug)
    expect([changed.createdAt, changed.updatedAt]).toEqual([ada.createdAt, ada.updatedAt])
    const now = '2026-01-31T10:00:00.000Z'
    const people = [{ firstName: 'Zoe', lastName: 'Zimmer', email: 'zoe@private.example' }]
    await using own = await startDirectory({ listen: false, now, people })
    const { createdAt, updatedAt } = await personOf(own, 'zoe-zimmer')
    expect([createdAt, updatedAt]).toEqual([now, now])
  })

  test('shares nothing with another one of the same process', async () => {
    await using other = await startDirectory({ listen: false })
    const { key } = await dir.account()
    expect((await dir.fetch('/v1/me', bearer(key))).status).toBe(200)
    expect((await other.fetch('/v1/me', bearer(key))).status).toBe(401)
  })

  test('keeps its records when another one, which shares the prepared files, changes or adds some', async () => {
    await using other = await startDirectory({ listen: false })
    const { aurora } = fixtures.companies
    await other.records({
      companies: [
        { ...aurora, name: 'Aurora Renamed' },
        { slug: 'zephyr', name: 'Zephyr', companyType: 'project' },
      ],
    })
    await using later = await startDirectory({ listen: false })
    const seen = [other, dir, later].map(async (each) => {
      const { key } = await each.account({ tier: 'pro', credits: 20 })
      const one = await each.fetch(`/v1/projects/${aurora.slug}`, bearer(key))
      const added = await each.fetch('/v1/projects/zephyr', bearer(key))
      return [(await one.json()).project.name, added.status]
    })
    expect(await Promise.all(seen)).toEqual([
      ['Aurora Renamed', 200],
      [aurora.name, 404],
      [aurora.name, 404],
    ])
  })

  test('after a reset is as it was at the start: no accounts, no windows, the records there', async () => {
    await using dir = await startDirectory({ listen: false, now: '2026-01-31T10:00:00.000Z' })
    const before = await dir.account({ tier: 'pro', credits: 100 })
    await dir.advance('1d')
    await dir.fetch(`/v1/people/${fixtures.people.ada.id}?include=private`, bearer(before.key))
    for (let call = 0; call < 21; call++) await dir.fetch('/v1/me', bearer('ck_live_wrong'))
    dir.outage(60_000)
    await dir.reset()

    expect((await dir.fetch('/v1/me', bearer('ck_live_wrong'))).status).toBe(401)
    expect((await dir.fetch('/v1/me', bearer(before.key))).status).toBe(401)
    await expectRejection(before.balance(), 'the account is gone')
    const { key } = await dir.account({ tier: 'pro', credits: 100 })
    const answer = await dir.fetch(`/v1/people/${fixtures.people.ada.id}`, bearer(key))
    expect(answer.headers.get('x-ratelimit-reset')).toBe(
      String(Date.parse('2026-01-31T10:01:00.000Z') / 1_000),
    )
    expect((await answer.json()).data.person).toMatchObject({ isLocked: true, email: null })
  })

  test('stops once, however often it is asked to, and its ports are free then', async () => {
    const dir = await startDirectory()
    await Promise.all([dir.stop(), dir.stop()])
    await dir.stop()
    await expectRejection(fetch(dir.url))
    await expectRejection(fetch(dir.appUrl))
  })

  test('takes the settings of the service by the names of its variables', async () => {
    await using dir = await startDirectory({
      listen: false,
      environment: { SERVICE_NAME: 'Acme', CORS_ORIGINS: 'https://app.example' },
    })
    const { key } = await dir.account()
    const answer = await dir.fetch('/v1/me', {
      headers: { ...bearer(key).headers, origin: 'https://app.example' },
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect((await answer.json()).organization).toBe('Acme')
  })
})

describe('wrong options', () => {
  test('are named, with what is allowed', async () => {
    // A caller without types can send these.
    const start = startDirectory as (options: object) => Promise<unknown>
    await expectRejection(
      start({ now: 'yesterday' }),
      'now: expected a Date or an ISO 8601 time, got "yesterday"',
    )
    await expectRejection(start({ environment: { CORS_ORIGINS: 'app' } }), 'CORS_ORIGINS')
    await expectRejection(start({ environment: { TRIAL_CREDIT: '5' } }), 'no setting TRIAL_CREDIT')
    await expectRejection(
      start({ environment: { DATA_DIR: '.' } }),
      'DATA_DIR is a setting of serve',
    )
    await expectRejection(
      start({ companies: [{ name: 'Acme', companyType: 'spaceship' }] }),
      'companies: 1 refused, the first of them row 1, companyType',
    )
    await expectRejection(
      start({ companies: [{ name: 'Acme', companyType: 'project', sector: 'DeFi' }] }),
      'companies: the import does not know sector',
    )
  })

  test('of an account and of the clock likewise', async () => {
    await expectRejection(
      dir.account({ tier: 'gold' as 'pro' }),
      'tier: expected one of free, starter, pro, team, enterprise, got "gold"',
    )
    await expectRejection(dir.account({ credits: -1 }), 'credits: expected a whole number')
    await expectRejection(dir.account({ name: 'a\0b' }), 'name: expected 1 to 200 characters')
    await expectRejection(dir.advance('soon'), 'advance: expected a duration like')
    await expectRejection(dir.setNow(null as never), 'setNow: expected a Date or an ISO 8601 time')
    const account = await dir.account()
    const wrongKeys: [object, string][] = [
      [{ cap: { credits: 5 } }, 'cap.period: expected one of day, month'],
      [{ cap: { credits: 0, period: 'day' } }, 'cap.credits: expected a whole number from 1'],
      [{ cap: { credit: 5, period: 'day' } }, 'cap: there is no option credit; there are credits,'],
      [{ expires: '2030-01-01' }, 'expires: expected a duration like'],
      [{ networks: [] }, 'networks: expected a list of up to 20 addresses'],
      [{ networks: ['10.0.0.0/33'] }, 'networks: expected a list of up to 20 addresses'],
      [{ networks: '10.0.0.0/8' }, 'networks: expected a list of up to 20 addresses'],
    ]
    for (const [options, message] of wrongKeys) {
      await expectRejection(account.newKey(options), message)
    }
    await expectRejection(account.grant(5, 'gift' as 'trial'), 'source: expected one of')
    await expectRejection(
      account.newKey({ scopes: ['write' as 'read:metadata'] }),
      'scopes: expected one of read:metadata, read:contacts',
    )
  })
})
