/** Imports by the operator's pages: a file is given, its columns get a meaning, rows are corrected, and it goes in and out again. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { undoImport } from '../../src/console/acts/imports.ts'
import { perform } from '../../src/console/acts/perform.ts'
import { confirmPath } from '../../src/console/ui/confirm-link.tsx'
import { setRecord } from '../../src/intake/editing/edit.ts'
import { importFiles } from '../../src/intake/import/import.ts'
import { listJobs, readJob } from '../../src/intake/import/jobs/store.ts'
import { MOST_FILE_BYTES } from '../../src/intake/import/jobs/types.ts'
import { workOn } from '../../src/intake/import/jobs/work.ts'
import { shared, sharedPostgresService } from '../helpers/shared.ts'
import { COMMAND as BY, importing } from '../intake/import/jobs/jobs.ts'
import { partsOf, rowOf, zipOf } from '../intake/import/workbook.ts'
import { sharedOperator } from './operators.ts'
import { textIn } from './reading.ts'
import { csrfIn, startTown } from './visitor.ts'

const service = sharedPostgresService()
/** The job under way, which is a process of its own in production. */
let atWork: Promise<unknown> = Promise.resolve()
const town = shared(() =>
  startTown(service, {
    console: {
      imports: {
        begin(id) {
          atWork = workOn(service.database, id, importing(service).options)
        },
      },
    },
  }),
)

const IMPORTS = '/operator/imports'
const COMPANIES = `Firma;Website;Followers
Acme Imports;acme-imports.io;10
Beta Imports;no domain at all;20
Gamma Imports;gamma-imports.io;many
;delta-imports.io;4
`

const operator = sharedOperator(service, town)

beforeEach(async () => {
  await service.sql`delete from import_jobs`
  await service.sql`delete from companies where name like '% Imports'`
})

/** A form with a file, as the page's own would be sent. */
async function upload(content: string | Blob, name = 'companies.csv', kind = 'companies') {
  const form = new FormData()
  form.append('csrf', csrfIn(await operator.text(IMPORTS)))
  form.append('kind', kind)
  form.append('file', new Blob([content]), name)
  return operator.post(IMPORTS, form)
}

/** Gives a file. @returns the path of its page */
async function given(content: string, name?: string, kind?: string): Promise<string> {
  const answer = await upload(content, name, kind)
  expect(answer.status).toBe(303)
  return answer.headers.get('location') ?? ''
}

/** Sends one of a page's forms, and waits for what it begins. @returns the page that it leads to */
async function send(path: string, fields: Record<string, string>): Promise<string> {
  const answer = await operator.submit(path, fields, path.split('?')[0])
  expect([answer.status, fields]).toEqual([303, fields])
  await atWork
  return operator.text(answer.headers.get('location') ?? '')
}

/** Presses the button of a page that says what the import would do. */
const runAsShown = async (path: string) =>
  send(path, { action: 'import.run', checked: checkedIn(await operator.text(path)) })

const undoImportPath = (id: string) => confirmPath(undoImport.name, id)
const idIn = (path: string) => path.split('/').at(-1) ?? ''
const checkedIn = (page: string): string => /name="checked" value="([^"]+)"/.exec(page)?.[1] ?? ''

const MAPPED = {
  'column.0': 'name',
  'column.1': 'domain',
  'column.2': 'followers',
  'fill.companyType': 'project',
}

const named = async (): Promise<Record<string, unknown>[]> => [
  ...(await service.sql`
    select name, domain, followers from companies where name like '% Imports' order by name`),
]

describe('a file that an operator gives', () => {
  test('whose amounts are in millions is asked about, and has a unit to choose', async () => {
    const rounds =
      'Company,Round,Amount\nAcme Imports,Seed,2.16\nAcme Imports,Series A,11\nAcme Imports,Series B,40\n'
    await service.sql`
      insert into companies (id, name, slug, company_type)
      values (gen_random_uuid(), 'Acme Imports', 'acme-imports', 'project')`
    const path = await given(rounds, 'raises.csv', 'rounds')
    const mapped = { 'column.0': 'company', 'column.1': 'roundType', 'column.2': 'amountUsd' }
    const preview = await send(path, { action: 'map', ...mapped })
    expect(preview).toContain(
      'amountUsd: 3 of 3 amounts are below $10,000 (first: 2.16 in line 2).',
    )
    expect(preview).toContain('choose “amountUsd, in millions” under “What the columns mean”')

    const columns = await operator.text(`${path}?columns=1`)
    expect(columns).toContain('<option value="amountUsd*1e6">amountUsd, in millions</option>')
    const answered = await send(path, { action: 'map', ...mapped, 'column.2': 'amountUsd*1e6' })
    expect(answered).not.toContain('amounts are below')
    expect(await operator.text(`${path}?columns=1`)).toContain(
      '<option value="amountUsd*1e6" selected="">amountUsd, in millions</option>',
    )
  })

  test('is a workbook of several sheets: another one than the first is chosen', async () => {
    const sheets = {
      Cover: rowOf(1, [`A note. ${'About this book. '.repeat(40)}`]),
      Old: rowOf(1, ['name', 'website']) + rowOf(2, ['Omega Imports', 'omega-imports.io']),
      List: rowOf(1, ['Firma', 'website']) + rowOf(2, ['Acme Imports', 'acme-imports.io']),
      Secret: rowOf(1, ['name']),
    }
    const workbook = new Blob([new Uint8Array(zipOf(partsOf(sheets, { hidden: ['Secret'] })))])
    const answer = await upload(workbook, 'book.xlsx')
    const path = answer.headers.get('location') ?? ''
    const first = await operator.text(path)
    expect(textIn(first)).toContain('This sheet has no table: choose another.')
    expect(first).toContain('<option value="Cover" selected="">Cover</option>')
    expect(first).not.toContain('Secret')

    const none = await operator.submit(path, { action: 'sheet', sheet: 'None' })
    expect([none.status, textIn(await none.text())]).toEqual([
      422,
      expect.stringContaining('no sheet "None": it has "Cover", "Old"'),
    ])
    const list = await send(path, { action: 'sheet', sheet: 'List' })
    expect(list).toContain('<option value="List" selected="">List</option>')
    expect(list).toContain('<bdi>Firma</bdi>')
    const mapped = { 'column.0': 'name', 'column.1': 'domain', 'fill.companyType': 'project' }
    expect(await send(path, { action: 'map', ...mapped })).toContain('Import 1 row')
    await runAsShown(path)
    expect(await named()).toMatchObject([{ name: 'Acme Imports', domain: 'acme-imports.io' }])
  })

  test('is mapped, checked, corrected, imported and undone, by forms alone', async () => {
    const path = await given(COMPANIES)
    const columns = await operator.text(path)
    expect(columns).toContain('<option value="domain" selected="">domain (by its name)</option>')
    expect(columns).toContain('Acme Imports · Beta Imports · Gamma Imports')
    expect(columns).toContain('No column means name or companyType')

    const preview = await send(path, { action: 'map', ...MAPPED })
    expect(preview).toContain('Import 3 rows')
    expect(await named()).toEqual([])
    expect(preview).toContain('no domain at all')
    expect(preview).toContain('aria-label="name of row 4')

    const corrected = await send(path, {
      action: 'correct',
      after: '0',
      'cell.2.domain': 'beta-imports.io',
      'cell.3.followers': 'many',
      'cell.4.name': 'Delta Imports',
    })
    expect(corrected).toContain('Import 4 rows')
    expect(corrected).toContain('value="many"')
    expect(corrected).not.toContain('no domain at all')

    const done = await runAsShown(path)
    expect(done).toContain('Undo this import')
    const all = [
      { name: 'Acme Imports', domain: 'acme-imports.io', followers: 10 },
      { name: 'Beta Imports', domain: 'beta-imports.io', followers: 20 },
      { name: 'Delta Imports', domain: 'delta-imports.io', followers: 4 },
      { name: 'Gamma Imports', domain: 'gamma-imports.io', followers: null },
    ]
    expect(await named()).toEqual(all)
    const report = await operator.get(`${IMPORTS}/report.csv?id=${path.split('/').at(-1)}`)
    expect(await report.text()).toContain('followers,many,warning')

    expect(await operator.text(undoImportPath(idIn(path)))).toContain(
      '4 records that it made are deleted',
    )
    // The journal leads there too.
    const { change } = (await readJob(service.database, idIn(path))) ?? {}
    const journal = await operator.get(confirmPath('directory.undo', String(change)))
    expect(journal.headers.get('location')).toBe(undoImportPath(idIn(path)))
    const undone = await send(undoImportPath(idIn(path)), { act: undoImport.name, on: idIn(path) })
    expect(undone).toContain('The import is undone')
    expect(undone).toMatch(/\/operator\/directory\/journal\?change=\d+/)
    expect(await named()).toEqual([])

    const lines = await readAuditLog(service.database, { limit: 4 })
    expect(lines.map(({ act }) => act)).toContain('import.run')
    expect(new Set(lines.map(({ who }) => who))).toEqual(new Set([operator.email]))
    const audit = await operator.text('/operator/audit?act=import.run')
    expect(audit).toContain(`<a href="${path}"><bdi>companies.csv</bdi></a>`)
  })

  test('is undone by a process as it is imported: the page says so, and why it stopped where it did', async () => {
    const path = await given('name,companyType\nAcme Imports,project\n')
    await send(path, { action: 'check' })
    await runAsShown(path)
    const [row] = await service.sql`select id from companies where name = 'Acme Imports'`
    const { change } = await setRecord(
      service.database,
      'company',
      row?.id,
      { ticker: 'ACME' },
      'b',
    )
    const stopped = await send(undoImportPath(idIn(path)), { act: undoImport.name, on: idIn(path) })
    expect(stopped).toContain(`The undo stopped: Change ${change} touched the same record later`)
    expect(await named()).toHaveLength(1)

    await perform(service.database, BY, undoImport, idIn(path))
    const underWay = await operator.text(path)
    expect(underWay).toContain('1 record that it changed, at once')
    expect(underWay).not.toMatch(/value="import.(cancel|delete)"/)
    expect(await operator.text(undoImportPath(idIn(path)))).toContain('It is at work')
  })

  test('is refused where it is no table, with what to do, and nothing is kept of it', async () => {
    const png = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 1])])
    const xlsx = new Blob([new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 6, 0, 8, 0, 0, 0])])
    const wrong: [string | Blob, string, RegExp][] = [
      ['', 'empty.csv', /empty/i],
      [png, 'logo.png', /id="field-file-problem"/],
      [xlsx, 'companies.xlsx', /workbook|CSV/],
      ['<!doctype html><html><table></table></html>', 'page.html', /web page/],
    ]
    for (const [content, name, says] of wrong) {
      const answer = await upload(content, name)
      expect([name, answer.status]).toEqual([name, 422])
      expect(await answer.text()).toMatch(says)
    }
    expect(await listJobs(service.database)).toEqual([])
  })

  test('is refused before it is read where it is too large, where nobody chose one, and where its kind isn’t said', async () => {
    const csrf = csrfIn(await operator.text(IMPORTS))
    const large = await operator.post(IMPORTS, [['csrf', csrf]], {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(2 * MOST_FILE_BYTES),
    })
    expect(large.status).toBe(413)
    const none = await upload('', '')
    expect(await none.text()).toContain('Choose a file.')
    const kind = await upload('name\nx\n', 'x.csv', 'cats')
    expect(await kind.text()).toContain('Say what is in the file.')
    expect([none.status, kind.status]).toEqual([422, 422])
    expect(await listJobs(service.database)).toEqual([])
  })

  test('that breaks off on its way leaves nothing', async () => {
    const csrf = csrfIn(await operator.text(IMPORTS))
    const part = (name: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const body = `${part('csrf', csrf)}${part('kind', 'companies')}--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname\r\nAcme`
    const cookie = [...operator.cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await town.site.get(IMPORTS, {
      method: 'POST',
      body,
      headers: {
        cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'multipart/form-data; boundary=x',
      },
    })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('did not arrive whole')
    expect(await listJobs(service.database)).toEqual([])
  })

  test('is not taken in from a form without a token of ours, nor from who is no operator', async () => {
    const stranger = await town.person('Eve')
    const own = csrfIn(await stranger.text('/settings'))
    for (const [who, csrf, status] of [
      [operator, 'A'.repeat(43), 403],
      [stranger, own, 404],
    ] as const) {
      const form = new FormData()
      form.append('csrf', csrf)
      form.append('kind', 'companies')
      form.append('file', new Blob([COMPANIES]), 'companies.csv')
      expect((await who.post(IMPORTS, form)).status).toBe(status)
    }
    expect(await listJobs(service.database)).toEqual([])
  })
})

test('what is wrong with columns, filled values and cells is said beside them, and the others are kept', async () => {
  const path = await given(COMPANIES)
  const twice = await operator.submit(path, { action: 'map', ...MAPPED, 'column.2': 'domain' })
  expect(twice.status).toBe(422)
  expect(await twice.text()).toMatch(/id="field-column\.2-problem">[^<]*both mean domain/)
  const filled = await operator.submit(path, { action: 'map', ...MAPPED, 'fill.companyType': 'x' })
  expect(await filled.text()).toMatch(/id="field-fill\.companyType-problem"/)

  await send(path, { action: 'map', ...MAPPED })
  const cells = await operator.submit(path, {
    action: 'correct',
    after: '0',
    'cell.2.domain': 'still none',
    'cell.4.name': 'Delta Imports',
  })
  expect(cells.status).toBe(422)
  const text = await cells.text()
  expect(text).toMatch(/id="field-cell\.2\.domain-problem"/)
  expect(text).toContain('value="still none"')
  expect(await readJob(service.database, path.split('/').at(-1) ?? '')).toMatchObject({
    corrections: 1,
    isPreviewCurrent: false,
  })
  const early = await operator.submit(path, { action: 'import.run' })
  expect(await early.text()).toContain('Check it again before.')
})

test('a value that is not shown whole is no cell’s text, a row without a name is called by a key, and reasons speak of pages', async () => {
  const rows = [
    { name: 'Imports '.repeat(30), companyType: 'project' },
    { domain: 'nameless.example', companyType: 'project' },
    { name: 'Mail Imports', companyType: 'project', logoUrl: 'ada@acme.example' },
    { name: 'Day Imports', companyType: 'project', createdAt: '3/5/24' },
  ]
  const path = await given(rows.map((row) => JSON.stringify(row)).join('\n'), 'rows.jsonl')
  const page = await send(path, { action: 'map' })
  expect(page).toMatch(/<input name="cell\.1\.name" value="" placeholder="Imports [^"]*…"/)
  expect(page).toContain('aria-label="name of row 2, nameless.example"')
  expect(page).toContain('<input name="cell.3.logoUrl" value="" placeholder="(an e-mail address)"')
  expect(page).toContain('or say the order under “What the columns mean”')
  // A form's token may have two hyphens by chance.
  expect(page.replace(/name="csrf" value="[^"]*"/g, '')).not.toContain('--')
  const untouched = { 'cell.1.name': '', 'cell.2.name': '', 'cell.3.logoUrl': '' }
  const nothing = await operator.submit(path, { action: 'correct', after: '0', ...untouched })
  expect(await nothing.text()).toContain('Nothing was corrected.')
})

test('what is imported is what the page said that it would be: nobody else’s columns, and no cell that nobody touched', async () => {
  const path = await given('name,companyType,domain\nTwo Imports,project,"no\n  domain"\n')
  const preview = await send(path, { action: 'map', 'column.2': 'domain' })
  expect(preview).toContain('value="no domain"')
  const untouched = { action: 'correct', after: '0', 'cell.1.domain': 'no domain' }
  const nothing = await operator.submit(path, untouched)
  expect(await nothing.text()).toContain('Nothing was corrected.')
  // A second operator maps the columns differently.
  const other = await send(path, { action: 'map', 'column.2': 'communityLink' })
  const late = await operator.submit(path, { action: 'import.run', checked: checkedIn(preview) })
  expect([late.status, await late.text()]).toEqual([422, expect.stringContaining('checked again')])
  expect(checkedIn(other)).not.toBe(checkedIn(preview))
  await runAsShown(path)
  expect(await named()).toEqual([{ name: 'Two Imports', domain: null, followers: null }])
})

test('the columns of a wide file get their meaning by one form', async () => {
  const names = Array.from({ length: 480 }, (_, i) => `Column ${i}`)
  const path = await given(`${names.join(',')}\nWide Imports${','.repeat(479)}\n`)
  const fields = names.map((_, i) => [`column.${i}`, i === 0 ? 'name' : ''] as const)
  const preview = await send(path, {
    action: 'map',
    'fill.companyType': 'project',
    ...Object.fromEntries(fields),
  })
  expect(preview).toContain('Import 1 row')
})

test('a form of a page that is out of date says what to do, and does nothing', async () => {
  const path = await given('name,companyType\nLate Imports,project\n')
  await send(path, { action: 'map', 'column.0': 'name', 'column.1': 'companyType' })
  await runAsShown(path)
  const late = {
    'import.run': /file is gone/,
    map: /file is gone/,
    correct: /file is gone/,
  }
  for (const [action, says] of Object.entries(late)) {
    const answer = await operator.submit(path, { action })
    expect([action, answer.status]).toEqual([action, 422])
    expect(await answer.text()).toMatch(says)
  }
  await send(path, { action: 'import.delete' })
  expect((await operator.submit(IMPORTS, { action: 'import.run' }, path)).status).toBe(404)
  expect((await operator.get(path)).status).toBe(404)
  expect(await named()).toHaveLength(1)
})

test('no private channel is on any page of an import, whatever was corrected', async () => {
  const secret = 'very.private@person.example'
  const content = `fullName,email,phone\nAda Imports,${secret},+49 30 1234567\nBob Imports,not an address ${secret},x\n`
  const path = await given(content, 'people.csv', 'people')
  const pages = [await operator.text(path)]
  const mapped = { 'column.0': 'fullName', 'column.1': 'email', 'column.2': 'phone' }
  pages.push(await send(path, { action: 'map', ...mapped }))
  pages.push(await send(path, { action: 'correct', after: '0', 'cell.2.email': `new.${secret}` }))
  pages.push(await runAsShown(path))
  pages.push(await operator.text(`${IMPORTS}/report.csv?id=${path.split('/').at(-1)}`))
  for (const page of pages) {
    expect(page).not.toContain('very.private')
    expect(page).not.toContain('1234567')
  }
})

test('a page of many columns stays below 60 KB', async () => {
  const known = 'name,companyType,domain'.split(',')
  for (const count of [25, 120]) {
    const names = Array.from({ length: count }, (_, i) => known[i] ?? `Their own column ${i}`)
    const path = await given(`${names.join(',')}\n${names.map((_, i) => `value ${i}`).join(',')}\n`)
    const page = await operator.text(path)
    expect(page).toContain(`Field of “Their own column ${count - 1}”`)
    expect(Buffer.byteLength(page)).toBeLessThan(60_000)
  }
})

test('the report is read no further for somebody who is no operator any more', async () => {
  const rows = Array.from({ length: 4_000 }, (_, i) => `Many ${i} Imports,many`)
  const path = await given(`name,followers\n${rows.join('\n')}\n`)
  await send(path, {
    action: 'map',
    'column.0': 'name',
    'column.1': 'followers',
    'fill.companyType': 'project',
  })
  const response = await operator.get(`${IMPORTS}/report.csv?id=${idIn(path)}`)
  const reader = response.body?.getReader()
  let text = ''
  for (let pieces = 0; ; pieces++) {
    if (pieces === 2)
      await service.sql`update users set operator_since = null where id = ${operator.userId}`
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done) break
    text += new TextDecoder().decode(value)
  }
  await service.sql`update users set operator_since = now() where id = ${operator.userId}`
  const lines = text.trimEnd().split('\r\n')
  expect(lines.at(-1)).toContain('This file is incomplete')
  expect(lines.length).toBeLessThan(3_000)
})

test('where no process can be begun the page names the command', async () => {
  const lone = await startTown(service, { console: { imports: undefined } })
  const path = await given('name,companyType\nLone Imports,project\n')
  const cookie = [...operator.cookies].map((pair) => pair.join('=')).join('; ')
  const csrf = csrfIn(await operator.text(path))
  const answer = await lone.site.get(path, {
    method: 'POST',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ csrf, action: 'check' }),
  })
  expect(await answer.text()).toContain(`chainkin imports check ${path.split('/').at(-1)}`)
})

describe('columns of a source that changed', () => {
  const nightly = async (header: string, row: string) => {
    const source = { name: 'crm', files: {}, isSync: false, mostRemoved: 10, mostRefused: 5 }
    const stream = Readable.from([Buffer.from(`${header}\n${row}\n`)])
    return importFiles(service.database, { companies: { stream, format: 'csv' } }, { source }).then(
      ({ companies }) => (companies?.created ?? 0) + (companies?.updated ?? 0),
      ({ message }: Error) => message,
    )
  }
  const COLUMNS = `${IMPORTS}/columns`

  test('a refused file is on Home until an operator says what its new column means, and then it is taken', async () => {
    await service.sql`delete from import_sources`
    await nightly('externalId,name,companyType,Website', 'crm-1,Crm Imports,project,a.example')
    const row = 'crm-1,Crm Imports,project,b.example'
    expect(await nightly('externalId,name,companyType,Address', row)).toContain('"Address" is new')
    const said = 'companies: "Website" (domain) is missing, "Address" is new'
    for (const path of ['/operator', IMPORTS, COLUMNS])
      expect(textIn(await operator.text(path))).toContain(said.replace('companies: ', ''))
    expect(await operator.text('/operator')).toContain(`href="${COLUMNS}"`)
    const html = await operator.text(COLUMNS)
    const at = /name="at" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const form = { source: 'crm', at, 'companies.Address': 'emails' }
    const wrong = await operator.submit(COLUMNS, form)
    expect([wrong.status, textIn(await wrong.text())]).toEqual([
      422,
      expect.stringContaining('companies have no field "emails"'),
    ])
    const page = await send(COLUMNS, { ...form, 'companies.Address': 'domain' })
    expect(textIn(page)).toContain('the next file with these columns is imported')
    expect(textIn(await operator.text('/operator'))).not.toContain('is missing')
    expect(await nightly('externalId,name,companyType,Address', row)).toBe(1)
    expect(
      (await readAuditLog(service.database, { act: 'source.columns', limit: 1 }))[0],
    ).toMatchObject({
      who: operator.email,
      before: { source: 'crm' },
      after: { columns: { companies: { map: { Address: 'domain' } } } },
    })
    const late = await operator.submit(COLUMNS, { ...form, 'companies.Address': 'domain' })
    expect(late.status).toBe(404)
  })

  test('columns are confirmed as they are by the button alone', async () => {
    await service.sql`delete from import_sources`
    await nightly('externalId,name,companyType,Website', 'crm-2,Dcm Imports,project,c.example')
    expect(
      await nightly('externalId,name,companyType,Fax', 'crm-2,Dcm Imports,project,1'),
    ).toContain('"Fax" is new')
    const at = /name="at" value="([^"]+)"/.exec(await operator.text(COLUMNS))?.[1] ?? ''
    await send(COLUMNS, { source: 'crm', at, 'companies.Fax': '' })
    expect(await nightly('externalId,name,companyType,Fax', 'crm-2,Dcm Imports,project,1')).toBe(0)
  })
})
