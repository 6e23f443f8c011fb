/** Imported text is hostile: whatever a record or an address says, a page stays what it is. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { insertCompany, insertPerson } from '../directory/records/fixtures.ts'
import { type TestService, testService } from '../helpers/service.ts'
import { type Element, elementsIn, expectNoMarkup, MARKUP } from './elements.ts'
import { type TestSite, testSite } from './site.ts'

/** Hostile values of link fields, none of which may run or load anything. */
const LINKS = [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  '//evil.example/x',
  'https://ok.example/"onmouseover="alert(1)',
]
const TYPES = ['project', 'investor', 'service'] as const

let service: TestService
let site: TestSite
let profiles: string[]

beforeAll(async () => {
  profiles = []
  service = await testService((database) =>
    database.use(async ({ sql }) => {
      for (const [position, link] of LINKS.entries()) {
        const type = TYPES[position % TYPES.length] ?? 'project'
        const company = await insertCompany(sql, MARKUP, type)
        const person = await insertPerson(sql, MARKUP, company)
        await sql`
          update companies set ticker = ${MARKUP}, domain = ${MARKUP}, size = ${MARKUP},
            sectors = array[${MARKUP}], chains = array[${MARKUP}], logo_url = ${link},
            twitter_handle = ${MARKUP}, community_link = ${link}, discord_url = ${link},
            linkedin_url = ${link}, token_link = ${link}, ai_summary = ${MARKUP},
            handle_history = jsonb_build_array(jsonb_build_object('handle', ${MARKUP}::text,
              'seenAt', '2025-01-01T00:00:00.000Z')),
            twitter_risk = jsonb_build_object('level', 'high',
              'reasons', jsonb_build_array(${MARKUP}::text)),
            fund_type = ${MARKUP}, trust_tier = ${MARKUP}
          where id = ${company}`
        await sql`
          update people set last_name = ${MARKUP}, job_title = ${MARKUP}, avatar_url = ${link},
            twitter_handle = ${MARKUP}, roles = array[${MARKUP}], has_email = true
          where id = ${person}`
        profiles.push(`/${type}s/${company}`, `/people/${person}`)
      }
    }),
  )
  site = await testSite(service)
})
afterAll(() => service.stop())

const elementsOf = async (path: string) => elementsIn(await site.text(path))

const LISTS = ['/', '/people', '/projects', '/investors', '/services', '/search?q=script']
const ADDRESSES = [
  `/search?q=${encodeURIComponent(MARKUP)}`,
  `/people?q=${encodeURIComponent(MARKUP)}`,
  `/people?roles=${encodeURIComponent(MARKUP)}`,
  `/projects?sector=${encodeURIComponent(MARKUP)}`,
  `/investors?fundType=${encodeURIComponent(MARKUP)}&trustTier=${encodeURIComponent(MARKUP)}`,
  `/people?${encodeURIComponent(MARKUP)}=1`,
  `/people/${encodeURIComponent(MARKUP)}`,
  `/${encodeURIComponent(MARKUP)}`,
]

test('no record and no address brings an element, an attribute or a picture of its own', async () => {
  for (const path of [...profiles, ...LISTS, ...ADDRESSES]) {
    await expectNoMarkup(path, await site.text(path))
  }
})

test('links of records are http and https alone, lead out without a referrer, and are not followed by robots', async () => {
  const out: Element[] = []
  for (const path of [...profiles, ...LISTS]) {
    for (const element of await elementsOf(path)) {
      const href = element.attributes.find(([name]) => name === 'href')?.[1]
      if (element.tag !== 'a' || href === undefined || /^[#/?]/.test(href)) continue
      expect(href).toMatch(/^https:\/\//)
      expect(href).not.toContain('"')
      out.push(element)
    }
  }
  expect(out.length).toBeGreaterThan(profiles.length / 2)
  for (const { attributes } of out) {
    const rel = attributes.find(([name]) => name === 'rel')?.[1]?.split(' ')
    expect(rel).toEqual(expect.arrayContaining(['noopener', 'nofollow']))
  }
})
