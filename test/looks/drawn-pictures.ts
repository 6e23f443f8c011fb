/** Logos and portraits for an invented directory, which has none: most of its records get one, the others show their initials. */
import type { Browser } from 'playwright-core'
import type postgres from 'postgres'
import type { Database } from '../../src/database/client.ts'
import { createResizer } from '../../src/directory/pictures/resize.ts'
import { duePictures, notePicture } from '../../src/directory/pictures/store.ts'

/** Shapes as logos have them: full-bleed, round, on white, dark, and almost as light as the page. */
const DRAWINGS = [
  '<rect width="64" height="64" fill="#ff007a"/><circle cx="32" cy="32" r="16" fill="#fff"/>',
  '<rect width="64" height="64" fill="#fff"/><path d="M32 6 54 34 32 58 10 34z" fill="#627eea"/>',
  '<rect width="64" height="64" fill="#0b0d12"/><path d="M14 44 32 14l18 30z" fill="#14f195"/>',
  '<rect width="64" height="64" fill="#f2f4f7"/><rect x="16" y="16" width="32" height="32" rx="8" fill="#98a2b3"/>',
  '<rect width="64" height="64" fill="#b45309"/><circle cx="32" cy="25" r="11" fill="#fde68a"/><path d="M10 60a22 20 0 0 1 44 0z" fill="#fde68a"/>',
  '<rect width="64" height="64" fill="#1e3a5f"/><circle cx="32" cy="25" r="11" fill="#cbd5e1"/><path d="M10 60a22 20 0 0 1 44 0z" fill="#cbd5e1"/>',
] as const

/** @returns how many records have a picture now */
export async function drawPictures(
  database: Database,
  sql: postgres.Sql,
  browser: Browser,
): Promise<number> {
  const address = 'https://pictures.example/'
  await sql`update companies set logo_url = ${address} where get_byte(uuid_send(id), 15) % 3 > 0`
  await sql`update people set avatar_url = ${address} where get_byte(uuid_send(id), 15) % 3 > 0`
  const drawings = await rasterize(browser)
  const due = await duePictures(database, { after: null, limit: 100_000, olderThan: 0 })
  for (const [number, record] of due.entries()) {
    const bytes = drawings[number % drawings.length] as Uint8Array
    await notePicture(database, record, { end: 'got', bytes, etag: null, lastModified: null })
  }
  return due.length
}

async function rasterize(browser: Browser): Promise<Uint8Array[]> {
  const page = await browser.newPage({ viewport: { width: 64, height: 64 } })
  const resizer = createResizer()
  const drawn: Uint8Array[] = []
  for (const drawing of DRAWINGS) {
    await page.setContent(
      `<body style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">${drawing}</svg>`,
    )
    const resized = await resizer.resize(new Uint8Array(await page.screenshot()))
    if ('refused' in resized) throw new Error(resized.refused)
    drawn.push(resized.bytes)
  }
  await resizer.close()
  await page.close()
  return drawn
}
