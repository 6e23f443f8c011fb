/**
 * `bun run looks --out DIR [--only TEXT]`
 *
 * Pictures of every kind of page at three widths, in light and dark, to look at: DIR/index.html sets the six of each beside each
 * other. The pages are those that `bun run bench pages` measures, on a small invented directory and an account that has all that
 * it may have. It says which pages are wider than their window. With `--only` the kinds alone whose name has this text.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { connect } from '../../src/database/client.ts'
import { benchDatabase } from '../bench/bench-database.ts'
import { prepareVisits } from '../bench/visited.ts'
import { type Server, serve } from '../helpers/command.ts'
import { drawPictures } from './drawn-pictures.ts'
import { indexOf, type Looked, nameOf } from './index-page.ts'

const PEOPLE = 2_500
const COMPANIES = 900
const WIDTHS = [360, 768, 1_440] as const
const COLOURS = ['light', 'dark'] as const
/** What is further down on a page is not in its picture. */
const MAX_HEIGHT = 8_000

const { values: options } = parseArgs({
  options: { out: { type: 'string' }, only: { type: 'string', default: '' } },
})
const { out, only } = options
if (!out) throw new Error('--out names the directory for the pictures')
await mkdir(out, { recursive: true })

const bench = await benchDatabase(PEOPLE, COMPANIES)
const database = connect({ url: bench.url, connections: 4 })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? Bun.which('chromium') ?? '',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
})
let server: Server | undefined
try {
  const { visited } = await prepareVisits(database, bench.sql, { companies: COMPANIES, readers: 2 })
  console.log(`${await drawPictures(database, bench.sql, browser)} records have a picture`)
  server = await serve({
    DATABASE_URL: bench.url,
    LOG_LEVEL: 'error',
    PAGES_PER_MINUTE: '1000000',
    PAGES_PER_DAY: '1000000',
  })
  const looked: Looked[] = []
  for (const { whose, kinds, headers } of visited) {
    const context = await browser.newContext()
    // As a browser has it: a header would be lost where a page leads on to another one.
    const [name = '', value] = headers.cookie?.split('=') ?? []
    if (value) await context.addCookies([{ name, value, url: server.appUrl }])
    const page = await context.newPage()
    for (const [kind, addressOf] of Object.entries(kinds)) {
      const what = kind + whose
      if (!what.includes(only)) continue
      const address = addressOf()
      const response = await page.goto(server.appUrl + address)
      if (!response?.ok()) console.log(`${what}: ${response?.status()} at ${address}`)
      await loadPictures(page)
      looked.push({ what, address, files: await lookAt(page, what) })
    }
    await context.close()
  }
  await writeFile(`${out}/index.html`, indexOf(looked))
  console.log(`${looked.length} kinds of pages: ${out}/index.html`)
} finally {
  await server?.stop()
  await browser.close()
  await database.close()
  await bench.close()
}

/** Runs in the browser. @returns the beginnings of the texts that are not wholly in a window of this width */
function textsBeyond(width: number): string {
  const texts: string[] = []
  const range = document.createRange()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    range.selectNodeContents(walker.currentNode)
    const text = range.toString().trim()
    if (text !== '' && range.getBoundingClientRect().right > width) texts.push(text.slice(0, 40))
  }
  return texts.join(', ')
}

/** Those too that a reader would have to scroll to. */
async function loadPictures(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const pictures = [...document.images]
    for (const picture of pictures) picture.loading = 'eager'
    await Promise.allSettled(pictures.map((picture) => picture.decode()))
  })
}

/** @returns the names of the files, narrow to wide, light before dark */
async function lookAt(page: Page, what: string): Promise<string[]> {
  const files: string[] = []
  for (const width of WIDTHS) {
    for (const colorScheme of COLOURS) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      const { scrollWidth, scrollHeight } = await page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement
        return { scrollWidth, scrollHeight }
      })
      if (scrollWidth > width) {
        const beyond = await page.evaluate(textsBeyond, width)
        console.log(`${what}: ${scrollWidth} pixels in a window of ${width}: ${beyond}`)
      }
      const height = Math.min(scrollHeight, MAX_HEIGHT)
      const file = `${nameOf(what)}-${width}-${colorScheme}.png`
      const clip = { x: 0, y: 0, width, height }
      await page.screenshot({ path: `${out}/${file}`, fullPage: true, clip })
      files.push(file)
    }
  }
  return files
}
