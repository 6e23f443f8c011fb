/** An import in Chromium: a file is dragged in, mapped, corrected, imported by a process of its own, and undone. */
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { perform } from '../../src/console/acts/perform.ts'
import { giveOperator } from '../../src/console/acts/users.ts'
import { sharedDirectory } from '../helpers/shared.ts'
import { turnOnTwoSteps } from '../people/users/fixtures.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'
import { signUp, startTravel, type Traveller } from './traveller.ts'

const site = sharedSite()
const directory = sharedDirectory()
const NARROW = { width: 360, height: 740 }
/** For a process of the server's to begin and end. */
const PATIENCE = { timeout: 120_000 }
const COMPANIES = `Firma;Art;Website
Acme Drop;project;acme-drop.io
Beta Drop;shop;beta-drop.io
;investor;gamma-drop.io
`

/** Somebody signs up and is made an operator. */
async function becomeOperator(traveller: Traveller, email: string) {
  await signUp(traveller, { name: 'Olga', email })
  const [row] = await site.test.sql<{ id: string }[]>`select id from users where email = ${email}`
  const by = { via: 'command', userId: null, who: 'root', address: null } as const
  const id = row?.id ?? ''
  await perform(site.test.database, by, giveOperator, id)
  await turnOnTwoSteps(site.test.sql, id)
}

/** Drags a file over a page and lets it go. */
async function drop({ page }: Traveller, file: string) {
  const session = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [file], dragOperationsMask: 1 }
    await session.send('Input.dispatchDragEvent', { type, x: 200, y: 300, data })
  }
}

const imported = () =>
  site.test
    .sql`select name, company_type as type from companies where name like '% Drop' order by 1`

describe.skipIf(!CHROMIUM)('an import by the operator', () => {
  test('by dragging: columns, two corrections, a process of its own, its report and its undo', async () => {
    const traveller = await startTravel(site)
    const { page, wrongs, go, press, close } = traveller
    const look = async (what: string) => {
      await lookAt(page, `import, ${what}`)
      await page.setViewportSize(NARROW)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect([what, width]).toEqual([what, NARROW.width])
    }
    /** The script shows how far it is, until the page says what came of it. */
    const until = (button: RegExp) => page.getByRole('button', { name: button }).waitFor(PATIENCE)
    await becomeOperator(traveller, 'olga@example.com')
    await go('/operator/imports')
    await look('none')
    const file = join(directory.path, 'firms.csv')
    await writeFile(file, COMPANIES)
    await drop(traveller, file)
    await page.getByRole('radio', { name: /^Companies/ }).check()
    await press('Upload')
    await look('columns')
    await page.getByLabel('Field of “Firma”').selectOption('name')
    await page.getByLabel('Field of “Art”').selectOption('companyType')
    await press('Check the file')
    await until(/^Import 1 row$/)
    await look('preview')
    await page.getByLabel('companyType of row 2').fill('project')
    await page.getByLabel('name of row 3').fill('Gamma Drop')
    await press('Save and check again')
    await until(/^Import 3 rows$/)
    expect(await imported()).toHaveLength(0)
    await press('Import 3 rows')
    await page.getByRole('link', { name: 'Undo this import' }).waitFor(PATIENCE)
    await look('report')
    expect(await imported()).toEqual([
      { name: 'Acme Drop', type: 'project' },
      { name: 'Beta Drop', type: 'project' },
      { name: 'Gamma Drop', type: 'investor' },
    ] as never)
    await press('Undo this import', 'link')
    await look('undo')
    await press('Undo this import')
    expect(await page.textContent('.notice')).toContain('The import is undone')
    expect(await imported()).toHaveLength(0)
    await go('/operator/imports')
    await look('list')
    expect(wrongs).toEqual([])
    await close()
  })

  test('without script: the same forms, and a page that asks again by itself', async () => {
    const traveller = await startTravel(site, { javaScriptEnabled: false, viewport: NARROW })
    const { page, go, press, close } = traveller
    await becomeOperator(traveller, 'no-script@example.com')
    await go('/operator/imports')
    await page.getByRole('radio', { name: /^Companies/ }).check()
    const content = Buffer.from('name,companyType\nPlain Drop,project\n')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'plain.csv', mimeType: 'text/csv', buffer: content })
    await press('Upload')
    await press('Check the file')
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor(PATIENCE)
    await press('Import 1 row')
    await page.getByRole('link', { name: 'Undo this import' }).waitFor(PATIENCE)
    expect(await imported()).toHaveLength(1)
    await close()
  })
})
