/** A NUL is no text and PostgreSQL stores none, so it is refused in every field and address before a page reads it. */
import { expect, test } from 'bun:test'
import { OPERATOR_ROUTES } from '../../src/console/routes.ts'
import { ROUTES } from '../../src/site/routes.ts'
import { ADA, AURORA, AURORA_SEED, fixtures } from '../helpers/fixtures.ts'
import { sharedOperator } from './operators.ts'
import { formsIn, textIn } from './reading.ts'
import { addressOf } from './site.ts'
import { csrfIn, sharedTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)
const operator = sharedOperator(service, town)

const ALL_ROUTES = [...ROUTES, ...OPERATOR_ROUTES]

const RECORDS: Readonly<Record<string, string>> = {
  '/operator/directory/companies/:id': AURORA.id,
  '/operator/directory/people/:id': ADA.id,
  '/operator/directory/rounds/:id': AURORA_SEED.id,
}

const recordIn = (path: string) => RECORDS[path] ?? operator.accountId
const addressIn = (route: (typeof ALL_ROUTES)[number]) =>
  addressOf(route).replace(/:\w+/, recordIn(route.path))

/** Parameters of addresses, of every page that has any. */
const PARAMETERS = `
  account act action alike at before by channels columns company contactType day done endpoint fields from fundType ids
  id import keep key kind limit list lines merge of on order own page person plan q query ref request returnUrl roles
  row said sector show sort state subject tab tag to token topUp trustTier v view who year`

/** Forms that a page shows once something waits. */
const WAITING: readonly [path: string, fields: Record<string, string>][] = [
  ['/operator/payments', { action: 'payment.dismiss', id: 'evt_1' }],
  ['/operator/confirm', { act: 'directory.undo', on: '1', of: '' }],
  ['/operator/directory/merge', { kind: 'person', id: ADA.id, with: ADA.id }],
  ['/contacts/note', { id: ADA.id, note: 'n', tags: 't' }],
  ['/lists/rename', { id: crypto.randomUUID(), name: 'n' }],
  ['/keys/revoke', { id: crypto.randomUUID() }],
  ['/invitation', { token: 't' }],
]

test('a NUL in a parameter of any address is refused by its name', async () => {
  for (const route of ALL_ROUTES) {
    const [path] = addressIn(route).split('?')
    for (const name of PARAMETERS.trim().split(/\s+/)) {
      const page = await operator.get(`${path}?${name}=x%00`)
      expect([path, name, page.status]).toEqual([path, name, 400])
      expect(await page.text()).toContain(`${name}: expected text without a NUL character`)
    }
  }
  const odd = await operator.get('/people?q=a&%00%22%3Cb%3E=1')
  expect([odd.status, await odd.text()]).toEqual([400, expect.not.stringContaining('<b>')])
})

test('a NUL in a path leads nowhere', async () => {
  const reader = town.visitor()
  for (const { path } of ALL_ROUTES) {
    for (const nul of ['%00', `${recordIn(path)}%00`]) {
      const address = path.includes(':') ? path.replace(/:\w+/, nul) : `${path}${nul}`
      const { status } = await reader.get(address)
      expect([address, status, [303, 400, 404].includes(status)]).toEqual([address, status, true])
    }
  }
  for (const { path } of OPERATOR_ROUTES.filter((route) => route.path.includes(':'))) {
    const page = await operator.get(path.replace(/:\w+/, '%00'))
    expect([path, page.status]).toEqual([path, 404])
  }
})

test('a NUL in a field of any form is refused by its name, and nothing is done', async () => {
  const csrf = csrfIn(await operator.text('/settings'))
  const forms: [path: string, fields: [string, string][]][] = WAITING.map(([path, fields]) => [
    path,
    [['csrf', csrf], ...Object.entries(fields)],
  ])
  for (const route of ALL_ROUTES) {
    const address = addressIn(route)
    for (const { action, fields } of formsIn(await operator.text(address))) {
      const { pathname } = new URL(action, `http://127.0.0.1${address}`)
      forms.push([pathname, fields])
    }
  }
  expect(forms.length).toBeGreaterThan(40)
  for (const [path, fields] of forms) {
    for (const [name] of fields.filter(([name]) => name !== 'csrf')) {
      const sent = fields.map(([each, value]): [string, string] => {
        if (each === 'csrf') return [each, csrf]
        return [each, each === name ? `${value}\0` : value]
      })
      const answer = await operator.post(path, sent)
      expect([path, name, answer.status]).toEqual([path, name, 400])
      expect(textIn(await answer.text())).toContain(`There is a NUL character in ${name}.`)
    }
  }
})

test('a NUL in a form with a file, or in the name of a field, is refused as well', async () => {
  const csrf = csrfIn(await operator.text('/settings'))
  const named = await operator.post('/keys', [
    ['csrf', csrf],
    ['la\0bel', 'x'],
  ])
  expect([named.status, textIn(await named.text())]).toEqual([
    400,
    expect.stringContaining('There is a NUL character in label.'),
  ])
  for (const path of ['/bulk-search', '/operator/imports']) {
    const form = new FormData()
    form.set('csrf', csrf)
    form.set('kind', 'people\0')
    form.set('file', new File(['Ada'], 'names.csv'))
    const answer = await operator.post(path, form)
    expect([path, answer.status]).toEqual([path, 400])
    expect(textIn(await answer.text())).toContain('There is a NUL character in kind.')
  }
  const lines = new FormData()
  lines.set('csrf', csrf)
  lines.set('file', new File(['Ada\r\nBen\0'], 'names.txt'))
  const answer = await operator.post('/bulk-search', lines)
  expect([answer.status, textIn(await answer.text())]).toEqual([
    400,
    expect.stringContaining('There is a NUL character in line 2 of file.'),
  ])
})
