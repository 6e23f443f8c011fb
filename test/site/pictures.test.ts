/** Pages show the pictures that are kept, from the application's own address, and nobody's that are gone. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { notePicture, versionOf } from '../../src/directory/pictures/store.ts'
import { erasePerson } from '../../src/intake/editing/data-subject.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { elementsIn } from './elements.ts'
import { sharedSite } from './site.ts'

const { service, site } = sharedSite()

const url = 'https://pictures.example/a'
const company = { id: randomUUID(), name: 'Pictured Labs', slug: 'pictured-labs' }
const person = { id: randomUUID(), firstName: 'Pia', lastName: 'Pictured', slug: 'pia-pictured' }
const bytes = (text: string) => new TextEncoder().encode(text)
const LOGO = bytes('RIFF the logo')
const AVATAR = bytes('RIFF the avatar')

async function note(id: string, picture: Uint8Array) {
  const end = { end: 'got', bytes: picture, etag: null, lastModified: null } as const
  expect(await notePicture(service.database, { id, url }, end)).toBe(true)
  await service.directory.refresh()
}

const addressOf = (id: string, picture: Uint8Array) => `/pictures/${id}?v=${versionOf(picture)}`
const LOGO_ADDRESS = addressOf(company.id, LOGO)
const AVATAR_ADDRESS = addressOf(person.id, AVATAR)

/** The pictures of records that a page loads. */
async function picturesOn(path: string): Promise<string[]> {
  const elements = await elementsIn(await site.text(path))
  return elements.flatMap(({ tag, attributes }) => {
    const { src = '', alt, class: name = '' } = Object.fromEntries(attributes)
    if (tag !== 'img' || !/^picture\b/.test(name)) return []
    expect(alt).toBe('')
    return [src.replaceAll('&amp;', '&')]
  })
}

beforeAll(async () => {
  await importRows(service.database, 'companies', [
    { ...company, companyType: 'project', logoUrl: url },
  ])
  await importRows(service.database, 'people', [
    { ...person, company: company.slug, avatarUrl: url },
  ])
  await service.directory.refresh()
  expect(await picturesOn('/projects?q=pictured')).toEqual([])
  await note(company.id, LOGO)
  await note(person.id, AVATAR)
})

describe('a record that has a picture', () => {
  test.each([
    ['its row in a list', '/projects?q=pictured', [LOGO_ADDRESS]],
    ['its row in a search', '/search?q=pictured', [LOGO_ADDRESS, AVATAR_ADDRESS]],
    ['its profile, and its team’s rows', '/projects/pictured-labs', [LOGO_ADDRESS, AVATAR_ADDRESS]],
    ['a person’s profile, and the career', '/people/pia-pictured', [AVATAR_ADDRESS, LOGO_ADDRESS]],
  ])('%s shows it', async (_, path, pictures) => {
    expect((await picturesOn(path)).sort()).toEqual([...pictures].sort())
  })

  test('is shown by previews of its profile, by its whole address', async () => {
    expect(await site.text('/projects/pictured-labs')).toContain(
      `<meta property="og:image" content="https://chainkin.example${LOGO_ADDRESS}"`,
    )
  })

  test('its address may be kept for ever by browsers, is no document, and is sent once', async () => {
    const sent = await site.get(LOGO_ADDRESS)
    expect([sent.status, await sent.text()]).toEqual([200, 'RIFF the logo'])
    expect(Object.fromEntries(sent.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(sent.headers.get('x-robots-tag')).toBeNull()
    const again = await site.get(LOGO_ADDRESS, {
      headers: { 'if-none-match': sent.headers.get('etag') ?? '' },
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await site.get(LOGO_ADDRESS, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await site.get(LOGO_ADDRESS, { method: 'POST' })).status).toBe(405)
  })

  test('an address of another version answers with the picture of now, not to be kept', async () => {
    const sent = await site.get(`/pictures/${company.id}?v=1`)
    expect([sent.headers.get('cache-control'), await sent.text()]).toEqual([
      'no-cache',
      'RIFF the logo',
    ])
  })

  test('another picture has another address, and pages show that one', async () => {
    const next = bytes('RIFF the next logo')
    await note(company.id, next)
    expect(await picturesOn('/projects?q=pictured')).toEqual([addressOf(company.id, next)])
    expect(await (await site.get(addressOf(company.id, next))).text()).toBe('RIFF the next logo')
    const photograph = Uint8Array.of(0xff, 0xd8, 0xff)
    await note(company.id, photograph)
    const sent = await site.get(addressOf(company.id, photograph))
    expect([sent.headers.get('content-type'), await sent.bytes()]).toEqual([
      'image/jpeg',
      photograph,
    ])
  })
})

test('what is no record, or has no picture, is a 404', async () => {
  for (const id of [randomUUID(), 'pictured-labs', '%00', '..%2f']) {
    expect((await site.get(`/pictures/${id}?v=1`)).status).toBe(404)
  }
})

test('the picture of a record that the server has not read yet is treated as an avatar', async () => {
  const id = randomUUID()
  await service.database.use(
    ({ sql }) => sql`
      insert into pictures (record_id, kind, url, bytes, version, tried_at)
      values (${id}, 'person', ${url}, 'RIFF', 7, now())`,
  )
  await service.directory.refresh()
  const sent = await site.get(`/pictures/${id}?v=7`)
  expect([sent.status, sent.headers.get('cache-control')]).toEqual([200, 'private, max-age=86400'])
})

test('an avatar may be kept for a day by its reader alone, and is gone with an erasure', async () => {
  const sent = await site.get(AVATAR_ADDRESS)
  expect([sent.headers.get('cache-control'), await sent.text()]).toEqual([
    'private, max-age=86400',
    'RIFF the avatar',
  ])
  // Nor is it for searches of pictures.
  expect(sent.headers.get('x-robots-tag')).toBe('noindex')
  await erasePerson(service.database, person.id, 'olga')
  expect((await site.get(AVATAR_ADDRESS)).status).toBe(404)
  await service.directory.refresh()
  expect((await site.get(AVATAR_ADDRESS)).status).toBe(404)
})
