/** The real, dirty file beside the project: `../shared/data/companies.jsonl`, 10,387 rows. */
import { describe, expect, test } from 'bun:test'
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { importFiles } from '../../../src/intake/import/import.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const FILE = join(import.meta.dirname, '../../../../shared/data/companies.jsonl')
if (!existsSync(FILE)) console.warn('skipped: ../shared/data/companies.jsonl is not there')

describe.skipIf(!existsSync(FILE))('the real companies', () => {
  const t = sharedDatabase()

  const load = async () => {
    const summary = await importFiles(t.database, { companies: { stream: createReadStream(FILE) } })
    if (!summary.companies) throw new Error('no summary')
    return summary.companies
  }
  const slugs = async () =>
    JSON.stringify(await t.sql`select external_id, slug from companies order by 1`)

  test('all go in; what is left out are links that lead elsewhere', async () => {
    const { read, created, refused, warned, warnings, ignoredFields } = await load()
    expect({ read, created, refused, ignoredFields }).toEqual({
      read: 10_387,
      created: 10_387,
      refused: 0,
      ignoredFields: [],
    })
    expect(warned).toBeLessThan(24)
    expect(new Set(warnings.map(({ field }) => field))).toEqual(
      new Set(['twitterHandle', 'communityLink', 'logoUrl']),
    )
  })

  test('the same file again changes nothing', async () => {
    const before = await slugs()
    expect(await load()).toMatchObject({ created: 0, updated: 0, unchanged: 10_387, refused: 0 })
    expect(await slugs()).toBe(before)
  })

  test('what is stored is clean', async () => {
    const [dirt] = await t.sql`
      select count(*) filter (where twitter_handle !~ '^[A-Za-z0-9_]{1,15}$') as handles,
             count(*) filter (where ticker like '$%' or ticker in ('', '-')) as tickers,
             count(*) filter (where name <> trim(name) or name ~ E'[\\n\\r\\t\\u200b\\u00a0]|  ') as names,
             count(*) filter (where ai_summary ~ E'[\\n\\r\\t\\u200b\\u00a0]|  ') as summaries,
             count(*) filter (where concat(logo_url, community_link, discord_url, linkedin_url) ~ '\\s') as links
        from companies`
    expect(dirt).toMatchObject({
      handles: '0',
      tickers: '0',
      names: '0',
      summaries: '0',
      links: '0',
    })
  })
})
