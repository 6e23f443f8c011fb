/**
 * A stranger's whole way in Chromium, through the real service, the operator's commands beside it: from the
 * application's address to a first call, to a plan with all that comes with it, and to a key that is no more.
 */
import { describe, expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PLANS, TOP_UPS } from '../../src/contract/tiers.ts'
import { run, temporaryDirectory } from '../helpers/command.ts'
import { ADA } from '../helpers/fixtures.ts'
import { LIMIT_MS } from '../helpers/limit.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { signUp, startTravel, type Traveller } from './traveller.ts'

const site = sharedSite()

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test(
    'from the first page to the first answer: 4 clicks and 3 fields; then all the rest, to the key’s end',
    async () => {
      const owner = await startTravel(site, { permissions: ['clipboard-read', 'clipboard-write'] })
      const { page, press, fill, go, look, download, done } = owner
      await look('first page')
      await signUp(owner, { name: 'Grace Gray', email: 'grace@example.com' }, look)
      await look('overview, no key yet')
      await press('Create key')
      const line = await copied(owner)
      const first = await inShell(line)
      expect(done).toEqual({ clicks: 4, fields: 3 })
      expect(first).toMatchObject({ status: 200, body: { meta: { creditsBalance: 245 } } })
      await look('the key, shown once')
      const key = /ck_live_\w+/.exec(line)?.[0] ?? 'no key in the line'
      await page.reload()
      expect(await page.locator('tbody tr').count()).toBe(1)
      expect(await page.content()).not.toContain(key)

      await page.getByLabel('Search people and companies').fill('ada ash')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#results')
      await look('what was found')
      await press('Ada Ashford', 'link')
      await look('a person')
      expect(await page.content()).not.toContain(ADA.email)
      await press('Reveal contact 10 credits')
      expect(await page.textContent('.contact')).toContain(ADA.email)
      await look('a person, revealed')

      await go('/balance')
      await look('ledger')
      expect(await ledger(owner)).toEqual([
        ['/v1/people/{id}', '−10', '235', 'web', expect.any(String)],
        ['/v1/search', '−5', '245', 'My first key', first.requestId],
        ['Added: trial', '+250', '250', '', ''],
      ])

      await press('Top up', 'link')
      await look('plans')
      await press(/^Choose 500 credits/, 'link')
      await look('order of a top-up')
      await press(/^Send order/)
      await look('plans, a top-up requested')
      expect(await accepted()).toMatchObject({ kind: 'topup', item: 'small', state: 'accepted' })
      await go('/balance')
      expect(await balance(owner)).toBe(235 + TOP_UPS.small.credits)
      await press('View plans', 'link')
      await press(/^Choose Team/, 'link')
      await press(/^Send order/)
      expect(await accepted()).toMatchObject({ kind: 'plan', item: 'team', state: 'accepted' })
      await go('/credits')
      await look('plans, one started')
      const rich = 235 + TOP_UPS.small.credits + (PLANS.team.credits ?? 0)

      await press('People', 'link')
      await press('Export as CSV', 'link')
      await look('export, its price')
      const people = await download(/^Download 5 credits/)
      expect(people.trimEnd().split('\n').length).toBeGreaterThan(5)
      expect(people).toContain(ADA.slug)
      expect(people).not.toContain('@private.example')

      await go('/bulk-search')
      await look('bulk search')
      await fill('Lines', 'ada ashford\nember\nnobody of this name')
      await press('See price')
      await look('bulk search, its price')
      await press(/^Search 15 credits/)
      await look('bulk search, answered')
      expect(await page.textContent('main')).toContain('10 credits were charged')
      const matches = await download('Download as CSV', 'link')
      expect(matches).toContain(`/people/${ADA.slug}`)
      await press('View charges', 'link')
      await look('ledger of one bulk search')
      await go('/balance')
      expect(await balance(owner)).toBe(rich - 5 - 10)
      const entries = (await download('Download as CSV', 'link')).trimEnd().split('\n').slice(1)
      const credits = entries.map((entry) => Number(entry.split(',')[5]))
      expect(credits.reduce((sum, each) => sum + each, 0)).toBe(rich - 5 - 10)

      await go('/workspace')
      await fill('Name of the invitation', 'Ben')
      await press('Create invitation link')
      await look('invitation, made')
      const member = await startTravel(site)
      await member.go((await page.textContent('[data-copy] code')) ?? '')
      await member.look('invitation, not signed in')
      await signUp(member, { name: 'Ben Birch', email: 'ben@example.com' })
      await member.look('invitation')
      await member.press('Join')
      await member.look('workspace of a member')
      await member.go('/keys')
      expect(await member.page.textContent('main')).toContain('My first key')
      await member.go(`/people/${ADA.slug}`)
      // Contacts that the owner revealed cost the member nothing.
      expect(await member.page.textContent('.contact')).toContain(ADA.email)

      await go('/workspace')
      await look('workspace of the owner')
      expect(await page.textContent('main')).toContain('ben@example.com')
      await go('/keys')
      await look('keys')
      expect(await inShell(line)).toMatchObject({
        status: 200,
        body: { meta: { creditsCharged: 5 } },
      })
      await press('Revoke My first key', 'link')
      await look('revoke')
      await press('Revoke key')
      await look('keys, revoked')
      expect(await inShell(line)).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthorized' } },
      })
      await owner.close()
      await member.close()
    },
    LIMIT_MS * 2,
  )

  test('without script: sign up, key, call, reveal, ledger, top-up, revoke, sign out', async () => {
    const person = await startTravel(site, { javaScriptEnabled: false })
    const { page, press, go, wrongs } = person
    await signUp(person, { name: 'Plain Pat', email: 'pat@example.com' })
    await press('Create key')
    const line = (await page.locator('[data-copy] code').nth(1).textContent()) ?? ''
    expect(await inShell(line)).toMatchObject({
      status: 200,
      body: { meta: { creditsBalance: 245 } },
    })
    await press('Done', 'link')
    await go(`/people/${ADA.slug}`)
    await press('Reveal contact 10 credits')
    expect(await page.textContent('.contact')).toContain(ADA.email)
    await go('/credits')
    await press(/^Choose 500 credits/, 'link')
    await press(/^Send order/)
    await accepted()
    await go('/balance')
    expect(await balance(person)).toBe(235 + TOP_UPS.small.credits)
    expect((await ledger(person)).map(([what]) => what)).toEqual([
      'Added: top-up',
      '/v1/people/{id}',
      '/v1/search',
      'Added: trial',
    ])
    await go('/keys')
    await press('Revoke My first key', 'link')
    await press('Revoke key')
    expect(await page.textContent('[role=status]')).toContain('revoked')
    expect(await inShell(line)).toMatchObject({ status: 401 })
    await page.locator('details.account summary').click()
    await press('Sign out')
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBeGreaterThan(0)
    expect(wrongs).toEqual([])
    await person.close()
  })
})

/** The curl line, by its button. */
async function copied({ page, done }: Traveller): Promise<string> {
  const line = page.locator('[data-copy]').nth(1)
  done.clicks++
  await line.getByRole('button', { name: 'Copy' }).click()
  await line.getByRole('button', { name: 'Copied' }).waitFor()
  return page.evaluate(() => navigator.clipboard.readText())
}

/** Runs a line in a shell unchanged; curl's settings add the status and the request id. */
async function inShell(line: string) {
  const home = await temporaryDirectory()
  try {
    await writeFile(
      join(home.path, '.curlrc'),
      'silent\nwrite-out = "\\n%{http_code} %header{x-request-id}"\n',
    )
    const env = { PATH: process.env.PATH, HOME: home.path }
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { env })
    const [body = '', status = '', requestId = ''] =
      /^(.*)\n(\d+) (\S*)$/s.exec(stdout)?.slice(1) ?? []
    return { status: Number(status), requestId, body: JSON.parse(body) }
  } finally {
    await home.remove()
  }
}

/** The operator accepts the one payment that waits. */
async function accepted() {
  const env = { DATABASE_URL: site.test.url }
  const open = (await run(['payments', 'list', '--state', 'open', '--json'], { env })).json()
  expect(open.payments).toHaveLength(1)
  return (await run(['payments', 'accept', open.payments[0].id, '--json'], { env })).json()
}

async function balance({ page }: Traveller): Promise<number> {
  const figure = await page.locator('section[aria-labelledby=balance] .figure').textContent()
  return Number(figure?.replace(/\D/g, ''))
}

/** The lines of the ledger's page, without their time: what, credits, balance after, via, request. */
async function ledger({ page }: Traveller): Promise<string[][]> {
  const lines = page.locator('section[aria-labelledby=ledger] tbody tr').all()
  return Promise.all(
    (await lines).map(async (line) =>
      (await line.locator('td').allTextContents()).map((cell) => cell.trim()).slice(-5),
    ),
  )
}
