/**
 * A day of an operator in Chromium, from the link of the first start on: what a person does who hosts this and knows no command.
 * Each page on the way is looked at on a desk and a phone.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { newOperatorLink } from '../../src/console/acts/users.ts'
import { importAll } from '../../src/intake/import/import.ts'
import { temporaryDirectory } from '../helpers/command.ts'
import { CLEO } from '../helpers/fixtures.ts'
import { CHROMIUM, type Site, startSite } from './chromium.ts'
import { lookAt, TWO_LOOKS } from './looks.ts'
import { PASSWORD, signUp, startTravel, type Traveller } from './traveller.ts'

/** For what a process of its own does: it starts, on a machine that may be busy. */
const PATIENCE = { timeout: 120_000 }

let site: Site
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let operator: Traveller
/** Recovery codes, each good for one act that can't be undone. */
let codes: string[]

/** A file whose columns have names of their own, and two cells that can't be taken. */
const FILE = `Firma,Webseite,X,Notes
Day One Labs,dayone.example,dayone,new
Day Two Labs,no domain at all,daytwo,
Day Three Labs,daythree.example,not a handle,
`

const customer = { name: 'Ada Lovelace', email: 'ada@acme.example' }

beforeAll(async () => {
  if (!CHROMIUM) return
  // The link of the first start is for a service that has no operator.
  folder = await temporaryDirectory()
  site = await startSite({ BACKUP_DIR: folder.path })
  await customerComes()
  operator = await startTravel(site)
})

afterAll(async () => {
  await site?.stop()
  await folder?.remove()
})

/** Somebody signs up, orders a plan and credits, and makes two keys. */
async function customerComes() {
  const traveller = await startTravel(site)
  const { go, press, fill, close } = traveller
  await signUp(traveller, customer)
  for (const order of ['plan=pro', 'topUp=small']) {
    await go(`/credits/order?${order}`)
    await press(/^Send order/)
  }
  for (const label of ['laptop', 'leaked on a public page']) {
    await go('/keys')
    await fill('Label', label)
    await press('Create key')
  }
  await close()
}

const said = () => operator.page.textContent('.notice')
/** Desk in light and phone in dark: the other two are looked at page by page in `operator.test.ts`. */
const look = (what: string) => lookAt(operator.page, what, TWO_LOOKS)

/** On the page that asks once more: the password, and a code. */
async function prove() {
  await operator.fill('Your password', PASSWORD)
  await operator.fill('Code', codes.pop() ?? '')
}

describe.skipIf(!CHROMIUM)('a day of an operator', () => {
  test('the first sign-in: by the link of the first start, and in two steps', async () => {
    const { page, go, press, fill, download } = operator
    const link = await newOperatorLink(site.test.database)
    await go(`/first-operator?token=${link?.token}`)
    await signUp(operator, { name: 'Olga', email: 'olga@host.example' })
    await look('become the operator')
    await press('Become the operator')
    expect(await page.textContent('h1')).toBe('Two-step sign-in comes first')
    await press('Set up two-step sign-in', 'link')
    await fill('Your password', PASSWORD)
    await press('Set up')
    const secret = ((await page.locator('.code code').textContent()) ?? '').replaceAll(' ', '')
    await fill('Code', TOTP.generate({ secret: Secret.fromBase32(secret) }))
    await press('Turn on')
    const file = await download('Download as text', 'link')
    codes = file.match(/^(\w{4}-){3}\w{4}$/gm) ?? []
    expect(codes.length).toBe(10)
    await go('/operator')
    await look('home')
    expect(await page.textContent('main')).toContain(customer.name)
  })

  test('a file is imported: its columns get a meaning, two cells are corrected, and the report says what went in', async () => {
    const { page, go, press } = operator
    await go('/operator/imports')
    await page.locator('[name=kind][value=companies]').check()
    const file = { name: 'companies.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) }
    await page.locator('input[type=file]').setInputFiles(file)
    await look('import, a file')
    await press('Upload')
    await page.getByLabel('Field of “Firma”').selectOption('name')
    await page.getByLabel('Field of “Webseite”').selectOption('domain')
    await page.getByLabel('Field of “X”').selectOption('twitterHandle')
    await page.getByLabel('companyType of rows that have none').selectOption('project')
    await look('import, columns')
    await press('Check the file')
    await page.getByRole('button', { name: /^Import 3 rows/ }).waitFor(PATIENCE)
    await look('import, checked')
    await page.getByLabel('domain of row 2').fill('daytwo.example')
    await page.getByLabel('twitterHandle of row 3').fill('daythree')
    await press('Save and check again')
    await page.getByRole('button', { name: /^Import 3 rows/ }).waitFor(PATIENCE)
    await press(/^Import 3 rows/)
    await page.getByRole('link', { name: 'Undo this import' }).waitFor(PATIENCE)
    await look('import, done')
    const rows = await site.test.sql`
      select name, domain, twitter_handle as handle from companies where name like 'Day % Labs' order by domain`
    expect([...rows]).toEqual([
      { name: 'Day One Labs', domain: 'dayone.example', handle: 'dayone' },
      { name: 'Day Three Labs', domain: 'daythree.example', handle: 'daythree' },
      { name: 'Day Two Labs', domain: 'daytwo.example', handle: 'daytwo' },
    ])
  })

  test('orders are accepted, all at once', async () => {
    const { page, go, press } = operator
    await go('/operator/payments')
    await look('payments')
    for (const order of [/^Pro/, /^Small top-up/])
      await page.getByRole('checkbox', { name: order }).check()
    await press('Accept as paid')
    expect(await said()).toContain('2 orders were accepted')
    await look('payments, none waiting')
  })

  test('an account in trouble is found by its address, gets credits, loses a leaked key, and its owner a way back in', async () => {
    const { page, go, press, fill } = operator
    await go('/operator/accounts')
    await page.locator('main [name=q]').fill('acme.example')
    await press('Search')
    await look('accounts, one found')
    await page.getByRole('link', { name: customer.name }).click()
    await page.waitForLoadState()
    const account = page.url()
    await page.locator('summary', { hasText: 'Give credits' }).click()
    await fill('Credits', '250')
    await press('Give credits')
    expect(await said()).toContain('The credits are given.')
    await look('an account')
    await press('Revoke leaked on a public page', 'link')
    await look('revoke a key')
    await prove()
    await press('Revoke')
    expect(await said()).toContain('Revoked')
    await press(`Password link: ${customer.name}`, 'link')
    await prove()
    await press('Make the link')
    await look('a password link')
    const link = (await page.locator('code').first().textContent()) ?? ''
    await newPassword(link)
    await page.goto(account)
  })

  test('two records of one company are merged, and parted again', async () => {
    const { page, go, press } = operator
    await importAll(site.test.database, {
      companies: [
        { externalId: 'twin-1', name: 'Twin Labs', companyType: 'project', domain: 'twin.example' },
        {
          externalId: 'twin-2',
          name: 'Twin Laboratories',
          companyType: 'project',
          twitterHandle: 'twin',
        },
      ],
    })
    await find('twin')
    await look('records')
    await press('Twin Labs', 'link')
    await look('a record')
    await press('Merge with another', 'link')
    await page.locator('main [name=q]').fill('twin')
    await press('Search')
    await press('Compare with Twin Laboratories', 'link')
    await look('merge')
    await press('Merge')
    expect(await said()).toContain('The records are one now')
    await find('twin')
    expect(await page.getByRole('link', { name: /^Twin/ }).count()).toBe(1)
    await go('/operator/directory/journal')
    await look('journal')
    await page
      .getByRole('link', { name: /^Undo \d/ })
      .first()
      .click()
    await look('undo')
    await press('Undo')
    await find('twin')
    expect(await page.getByRole('link', { name: /^Twin/ }).count()).toBe(2)
  })

  test('somebody who asked for it is erased, and stays so', async () => {
    const name = `${CLEO.firstName} ${CLEO.lastName}`
    await askToBeErased(name)
    const { page, go, press } = operator
    await go('/operator/directory/requests')
    await look('requests')
    await page.locator('main table a').first().click()
    await look('a request')
    await press(`Erase ${name}`, 'link')
    await look('erase')
    await page.getByLabel('The request does not come from').check()
    await page.getByLabel('Send no mail: I tell them').check()
    await prove()
    await press('Erase')
    expect(await said()).toContain('The person is erased.')
    await look('erased')
    // Until the server has read the change.
    const isThere = async () => (await fetch(`${site.server.appUrl}/people/${CLEO.slug}`)).ok
    while (await isThere()) await Bun.sleep(50)
  })

  test('a backup is made now, and downloaded by whoever shows the password and a code once more', async () => {
    const { page, go, press } = operator
    await go('/operator/backups')
    await press('Back up now')
    const link = page.getByRole('link', { name: /^Download chainkin/ })
    while ((await link.count()) === 0) await page.reload()
    await look('backups')
    const name = (await link.first().getAttribute('aria-label'))?.replace('Download ', '') ?? ''
    await link.first().click()
    await look('download a backup')
    await prove()
    const begun = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download/ }).click()
    const { size } = await stat(await (await begun).path())
    expect(size).toBe((await stat(join(folder.path, name))).size)
  })

  test('all of it is in the audit log, in its order', async () => {
    const { page, go } = operator
    await go('/operator/audit')
    await look('audit log')
    const lines = await site.test.sql`
      select act from audit_log where via = 'page' and who = 'olga@host.example' order by sequence`
    expect(lines.map(({ act }) => act)).toEqual(DONE)
    expect(await page.textContent('main')).toContain('olga@host.example')
  })
})

/** Acts that the audit log must show at the end. */
const DONE = [
  'operator.begin',
  ...['import.add', 'import.run', 'directory.import'],
  ...['payment.accept', 'payment.accept'],
  ...['credits.grant', 'key.revoke', 'user.reset-link'],
  ...['directory.merge', 'directory.undo', 'directory.erase', 'privacy.close'],
  ...['backup.make', 'backup.download'],
]

/** A stranger writes to the service about their own data. */
async function askToBeErased(name: string) {
  const traveller = await startTravel(site)
  const { page, go, press, fill, close } = traveller
  await go('/privacy')
  await page.getByLabel('Remove').check()
  await fill('Your name, or the address of your page here', name)
  await fill('E-mail', 'somebody@elsewhere.example')
  await page.getByLabel('I am this person').check()
  await press('Send request')
  await close()
}

/** Searches the companies of the directory, as an operator does. */
async function find(text: string) {
  await operator.go('/operator/directory')
  await operator.page.locator('main [name=q]').fill(text)
  await operator.press('Search')
}

/** The customer sets a new password by a link, and finds the credits there. */
async function newPassword(link: string) {
  const traveller = await startTravel(site)
  const { page, go, press, fill, close } = traveller
  await page.goto(link)
  await fill('New password', `${PASSWORD} 2`)
  await press('Change password')
  await go('/sign-in')
  await fill('E-mail', customer.email)
  await fill('Password', `${PASSWORD} 2`)
  await press('Sign in')
  await go('/balance')
  // The trial's, the plan's, the top-up's, and what was given.
  expect(await page.textContent('main')).toContain('250')
  await go('/keys')
  expect(await page.textContent('main')).toMatch(/leaked on a public page.*Revoked/)
  await close()
}
