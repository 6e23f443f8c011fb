/** Answers and charges after imports of files whose ids and addresses are not what they seem. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { importFiles } from '../../src/intake/import/import.ts'
import type { KindName } from '../../src/intake/import/summary.ts'
import { postgresService, type TestService } from '../helpers/service.ts'

let service: TestService
beforeAll(async () => {
  service = await postgresService()
})
afterAll(() => service.stop())

/** Imports a file as an operator has it, and lets the service follow. */
async function imported(kind: KindName, text: string) {
  const { [kind]: done } = await importFiles(service.database, {
    [kind]: { stream: Readable.from([text]) },
  })
  await service.directory.refresh()
  return done
}

const VERA = '"firstName": "Vera", "lastName": "Quist", "email": "vera@quist.example"'
const SVEN = '"firstName": "Sven", "lastName": "Aldo", "email": "sven@aldo.example"'

const read = (slug: string) => `/v1/people/${slug}?include=private`

test('a contact stays whom an account paid for, whichever numbers a second file has for ids', async () => {
  await imported('people', `{"externalId": 1745678901234567890, ${VERA}}`)
  const caller = await service.account({ tier: 'pro', credits: 100 })
  const first = await caller.get(read('vera-quist'))
  expect(first.body.data.person.email).toBe('vera@quist.example')
  await imported('people', `{"externalId": 1745678901234567891, ${SVEN}}`)
  const again = await caller.get('/v1/people/vera-quist')
  expect(again.body.data.person).toMatchObject({ lastName: 'Quist', email: 'vera@quist.example' })
  const { person } = (await caller.get('/v1/people/sven-aldo')).body.data
  expect(person).toMatchObject({ isLocked: true, hasEmail: true, email: null })
})

test('nor does an id that is given to somebody else move what was paid for', async () => {
  await imported('people', `{"externalId": "crm:7", ${VERA.replaceAll('Vera', 'Wera')}}`)
  const caller = await service.account({ tier: 'pro', credits: 100 })
  await caller.get(read('wera-quist'))
  const done = await imported('people', `{"externalId": "crm:7", ${SVEN}}`)
  expect(done).toMatchObject({ refused: 1 })
  const { text } = await caller.get('/v1/people/wera-quist')
  expect(text).toContain('vera@quist.example')
  expect(text).not.toContain('sven@aldo.example')
})

test('a page of LinkedIn that is nobody’s profile is no channel, and is sold to nobody', async () => {
  const pages = ['in/', '', 'search/results/people/?keywords=x', 'authwall?trk=bf']
  const lines = pages.map((page, i) => `Ines,Falk ${i},https://www.linkedin.com/${page}`)
  const done = await imported('people', `First Name,Last Name,LinkedIn\n${lines.join('\n')}\n`)
  expect(done).toMatchObject({ created: 4, warned: 4 })
  const caller = await service.account({ tier: 'pro', credits: 100 })
  for (const i of pages.keys()) {
    const { person } = (await caller.get(read(`ines-falk-${i}`))).body.data
    expect(person).toMatchObject({ hasLinkedin: false, linkedinUrl: null })
  }
  expect((await service.sql`select from unlocks where account_id = ${caller.id}`).length).toBe(0)
})

test('an address at an internationalised host is sold as mail programs write it', async () => {
  await imported('people', 'First Name,Last Name,Email\nMira,Oldfen,mira@münzwerk.example\n')
  const caller = await service.account({ tier: 'pro', credits: 100 })
  const { person } = (await caller.get(read('mira-oldfen'))).body.data
  expect(person.email).toBe('mira@xn--mnzwerk-n2a.example')
})

test('a header in the middle of a file is nobody whom anyone can read', async () => {
  const done = await imported('people', 'Name,Title\nTom Ravel,CTO\nName,Title\nPaul Horn,CEO\n')
  expect(done).toMatchObject({ created: 2, refused: 1 })
  const caller = await service.account({ tier: 'pro', credits: 100 })
  expect((await caller.get('/v1/people/tom-ravel')).status).toBe(200)
  expect((await caller.get('/v1/people/name')).status).toBe(404)
})
