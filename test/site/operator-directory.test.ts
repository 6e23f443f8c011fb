/** The operator's pages of the directory: records found, changed, deleted, merged, and every change of it taken back. */
import { describe, expect, test } from 'bun:test'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { confirmPath } from '../../src/console/ui/confirm-link.tsx'
import { deleteRecord, NEVER_SET, setRecord } from '../../src/intake/editing/edit.ts'
import { readJournal } from '../../src/intake/editing/journal.ts'
import { pinnedFields, SCHEMAS, showRecord } from '../../src/intake/editing/records.ts'
import { importRows } from '../../src/intake/import/import.ts'
import {
  ADA,
  AURORA,
  AURORA_SEED,
  fixtures,
  PEOPLE,
  PRIVATE_VALUES,
  uuid,
} from '../helpers/fixtures.ts'
import { newPerson, sharedOperator } from './operators.ts'
import { factIn, formIn, tableIn, textIn } from './reading.ts'
import { sharedTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)
const NOBODY = uuid(999_999)
const NEWEST = 'Changes, newest first'

const operator = sharedOperator(service, town)

let made = 0
async function newCompany(more: object = {}) {
  const number = ++made
  const row = {
    id: uuid(700_000 + number),
    name: `Firm ${number}x`,
    companyType: 'project',
    ...more,
  }
  await importRows(service.database, 'companies', [row])
  return { ...row, path: `/operator/directory/companies/${row.id}` }
}

/** The form of a record's page as a browser sends it, with these fields typed. */
async function formOf(path: string, typed: Record<string, string> = {}) {
  const form = formIn(await operator.text(path), path) ?? new URLSearchParams()
  for (const [name, value] of Object.entries({ pin: 'yes', ...typed })) form.set(name, value)
  return form
}
const save = async (path: string, typed: Record<string, string>) =>
  operator.post(path, await formOf(path, typed))
const read = (kind: 'company' | 'person' | 'round', id: string) =>
  showRecord(service.database, kind, id)
const newestLine = async () => (await readAuditLog(service.database, { limit: 1 }))[0]
const leadsTo = ({ status, headers }: Response) => [status, headers.get('location')]

describe('browsing', () => {
  test('finds a record by part of its name and whole by each of its keys, those of a merged one too', async () => {
    const [one, gone] = [await newPerson(service), await newPerson(service)]
    await operator.submit(`/operator/directory/merge?kind=person&id=${one.id}&other=${gone.id}`, {
      kind: 'person',
      id: one.id,
      other: gone.id,
    })
    const { id, externalId, slug, twitterHandle, firstName, lastName } = one
    const keys = [id.toUpperCase(), externalId, slug, twitterHandle.toUpperCase()]
    const parts = [`${firstName} ${lastName}`.toLowerCase(), lastName.slice(2)]
    for (const q of [...keys, ...parts, gone.id, gone.slug, gone.externalId]) {
      const page = await operator.text(
        `/operator/directory?${new URLSearchParams({ kind: 'person', q })}`,
      )
      const found = [...page.matchAll(/\/operator\/directory\/people\/([0-9a-f-]{36})"/g)]
      expect([q, found.map(([, at]) => at)]).toEqual([q, [id]])
    }
  })

  test('shows what was changed last first, with domain, source and pinned fields; rounds by their company', async () => {
    const { id, name } = await newCompany({ domain: 'firm.example' })
    await setRecord(service.database, 'company', id, { ticker: 'FRM' }, 'olga')
    const rows = tableIn(await operator.text('/operator/directory'), 'Companies')
    // No record here has a source: a column that nothing fills is left out.
    expect(rows[0]).toEqual([name, 'firm.example', expect.any(String), '1'])
    const rounds = await operator.text(`/operator/directory?kind=round&q=${AURORA.slug}`)
    expect(rounds).toContain(`/operator/directory/rounds/${AURORA_SEED.id}`)
  })

  test('the row of its parts stands on each of them, and says which it is', async () => {
    for (const [path, label] of [
      ['?kind=person', 'People'],
      ['/journal', 'Journal'],
      ['/requests', 'Privacy requests'],
    ]) {
      const html = await operator.text(`/operator/directory${path}`)
      const [, tabs = ''] =
        /<nav[^>]*aria-label="Parts of the directory">(.*?)<\/nav>/s.exec(html) ?? []
      expect(textIn(tabs)).toBe('Companies People Rounds Journal Privacy requests')
      const [, current = ''] = /aria-current="page">(.*?)<\/a>/.exec(tabs) ?? []
      expect(current).toBe(label ?? '')
    }
  })

  test('says where nothing is found, and what of an address is wrong', async () => {
    for (const q of ['nobody is called this', '100%%', NOBODY, "'"]) {
      const page = await operator.get(`/operator/directory?${new URLSearchParams({ q })}`)
      expect([q, page.status]).toEqual([q, 200])
      expect(await page.text()).toContain('No record is found')
    }
    for (const [query, expected] of [
      ['kind=x', 'kind: expected one of company, person, round'],
      ['page=0', 'page: expected a whole number from 1 to 200'],
    ] as const) {
      const answer = await operator.get(`/operator/directory?${query}`)
      expect([query, answer.status]).toEqual([query, 400])
      expect(await answer.text()).toContain(expected)
    }
    for (const path of [`people/${NOBODY}`, 'companies/%00', `rounds/${ADA.id}`]) {
      expect((await operator.get(`/operator/directory/${path}`)).status).toBe(404)
    }
  })
})

describe('a record', () => {
  test('of each kind is shown with its fields, and saved as it was shown changes nothing', async () => {
    for (const [kind, path] of [
      ['company', `companies/${AURORA.id}`],
      ['person', `people/${ADA.id}`],
      ['round', `rounds/${AURORA_SEED.id}`],
    ] as const) {
      const before = await read(kind, path.split('/')[1] ?? '')
      const page = `/operator/directory/${path}`
      const form = await formOf(page)
      for (const [name, was] of [...form]) {
        if (name.startsWith('was-')) form.set(name.slice('was-'.length), was)
      }
      expect(form.size).toBeGreaterThan(10)
      expect(leadsTo(await operator.post(page, form))).toEqual([303, `${page}?said=same`])
      expect(await read(kind, before.id)).toEqual(before)
    }
    const round = await operator.text(`/operator/directory/rounds/${AURORA_SEED.id}`)
    expect(round).toMatch(/<(input|textarea)[^>]*name="leadInvestors"/)
  })

  test('is changed in the fields that were typed, pinned or not, and the audit log names the operator', async () => {
    const { id, path } = await newCompany({ sectors: ['DeFi'] })
    const typed = {
      sectors: 'DeFi|DEX',
      tokenLaunched: 'yes',
      followers: '12.5K',
      createdAt: '2024-03-05',
    }
    expect(leadsTo(await save(path, typed))).toEqual([303, `${path}?said=saved`])
    expect(await read('company', id)).toMatchObject({
      sectors: ['DeFi', 'DEX'],
      tokenLaunched: true,
      followers: 12_500,
      createdAt: expect.stringContaining('2024-03-05'),
    })
    expect(await pinnedFields(service.database, id)).toEqual(Object.keys(typed).sort())
    expect(await newestLine()).toMatchObject({
      act: 'directory.set',
      via: 'page',
      who: operator.email,
      userId: operator.userId,
      subjects: [id],
      address: expect.any(String),
    })
    const unpinned = await formOf(path, { ticker: 'FRM' })
    unpinned.delete('pin')
    await operator.post(path, unpinned)
    expect(await pinnedFields(service.database, id)).not.toContain('ticker')
    const [newest] = tableIn(await operator.text(path), NEWEST)
    expect(newest?.slice(1)).toEqual([
      ...[operator.email, expect.stringContaining('set'), 'Ticker: none → FRM', 'Undo'],
    ])
  })

  test('lists its pinned fields, and gives those that are ticked back to imports', async () => {
    const { id, path } = await newCompany()
    await save(path, { ticker: 'FRM', size: '1-10' })
    const page = await operator.text(path)
    expect<unknown>(page.match(/name="unpin" value="\w+"/g)).toEqual([
      ...['name="unpin" value="size"', 'name="unpin" value="ticker"'],
    ])
    const form = await formOf(path)
    const send = (...ticked: string[]) => {
      const fields = ticked.map((field): [string, string] => ['unpin', field])
      return operator.post(path, [...form, ['action', 'unpin'], ...fields])
    }
    expect(textIn(await (await send()).text())).toContain('Tick the fields')
    // One that somebody else has unpinned meanwhile is left as it is.
    expect(leadsTo(await send('ticker', 'domain'))).toEqual([303, `${path}?said=unpinned`])
    expect(await pinnedFields(service.database, id)).toEqual(['size'])
    expect(await newestLine()).toMatchObject({
      act: 'directory.unpin',
      via: 'page',
      who: operator.email,
      subjects: [id],
      before: { pins: ['size', 'ticker'] },
      after: { pins: ['size'] },
    })
    expect(await read('company', id)).toMatchObject({ ticker: 'FRM' })
    await send('size')
    expect(await operator.text(path)).not.toContain('id="pins"')
  })

  test('shows of private channels only whether they are on file; they are replaced and cleared unseen', async () => {
    const { id, path, email, phone, mark } = await newPerson(service)
    const page = await operator.text(path)
    for (const value of [email, phone, `tg_${mark}`, `li-${mark}`])
      expect(page).not.toContain(value)
    expect(textIn(page)).toContain('On file, never shown')
    await save(path, { email: 'new@people.example', 'clear-phone': 'yes' })
    const [row] =
      await service.sql`select email, phone from private_channels where person_id = ${id}`
    expect(row).toEqual({ email: 'new@people.example', phone: null })
    const after = await operator.text(path)
    expect(after).not.toContain('new@people.example')
    expect(textIn(after)).toContain('E-mail: changed')
    const wrong = await save(path, { email: 'x@people.example', 'clear-email': 'yes' })
    expect(wrong.status).toBe(422)
    const shown = await operator.text(`/operator/directory/people/${ADA.id}`)
    for (const value of PRIVATE_VALUES) expect(shown).not.toContain(value)
    expect(PEOPLE.length).toBeGreaterThan(1)
  })

  test('has each field once, in groups that are folded where nothing is wrong, and says how it is written', async () => {
    const { path } = await newCompany({ sectors: ['DeFi', 'DEX'] })
    const page = await operator.text(path)
    const names = [...page.matchAll(/<(?:input|select|textarea)[^>]* name="(\w+)"/g)].map(
      ([, it]) => it,
    )
    for (const name of Object.keys(SCHEMAS.company.fields)) {
      const isThere = !NEVER_SET.has(name)
      expect([name, names.filter((one) => one === name).length]).toEqual([name, isThere ? 1 : 0])
    }
    expect(page.match(/<details class="group" open/g)).toHaveLength(1)
    expect(page).toContain('value="DeFi | DEX"')
    expect(textIn(page)).toContain('Several with | between them, as DeFi | DEX.')
    expect(page).not.toMatch(/<p class="hint"[^>]*>[^<]*`/)
    const wrong = await (await save(path, { followers: 'many' })).text()
    expect(wrong.match(/<details class="group" open/g)).toHaveLength(2)
    expect(textIn(page)).not.toContain('none → none')
  })

  test('says beside each field what is wrong with it, keeps what was typed, and changes nothing', async () => {
    const { id, path } = await newCompany()
    const before = await read('company', id)
    const answer = await save(path, {
      name: '',
      followers: 'many',
      slug: 'Not A Slug!',
      ticker: 'TYPED',
    })
    expect(answer.status).toBe(422)
    const page = await answer.text()
    for (const field of ['name', 'followers', 'slug']) {
      expect(page).toContain(`id="field-${field}-problem"`)
    }
    expect(page).toMatch(/name="ticker" value="TYPED"/)
    const taken = await save(path, { slug: AURORA.slug })
    expect(await taken.text()).toContain('Belongs to another record.')
    expect(await read('company', id)).toEqual(before)
  })

  test('that somebody changed meanwhile says so: nothing typed is lost, and nothing of theirs', async () => {
    const { id, path } = await newCompany({ ticker: 'OLD', size: '1-10' })
    const form = await formOf(path, { ticker: 'MINE', chains: 'Base' })
    await setRecord(service.database, 'company', id, { ticker: 'THEIRS', size: '11-50' }, 'pat')
    const answer = await operator.post(path, form)
    expect(answer.status).toBe(422)
    const page = await answer.text()
    expect(textIn(page)).toContain('Somebody changed it meanwhile: “THEIRS” is stored now')
    expect(page).toMatch(/name="ticker" value="MINE"/)
    expect(page).toMatch(/name="chains" value="Base"/)
    expect(page).toMatch(/name="size" value="11-50"/)
    expect(await read('company', id)).toMatchObject({ ticker: 'THEIRS', chains: [] })
    const again = formIn(page, path) ?? new URLSearchParams()
    for (const [name, value] of [...form]) if (!name.startsWith('was-')) again.set(name, value)
    again.set('csrf', form.get('csrf') ?? '')
    again.set('size', again.get('was-size') ?? '')
    expect((await operator.post(path, again)).status).toBe(303)
    const stored = { ticker: 'MINE', chains: ['Base'], size: '11-50' }
    expect(await read('company', id)).toMatchObject(stored)
  })
})

describe('a record that is added', () => {
  const ADD = '/operator/directory/new'
  /** The form of a new one as a browser sends it, with these fields typed. */
  async function newForm(kind: string, typed: Record<string, string>, html?: string) {
    const form = formIn(html ?? (await operator.text(`${ADD}?kind=${kind}`)), ADD)
    for (const [name, value] of Object.entries({ pin: 'yes', ...typed })) form?.set(name, value)
    return form ?? new URLSearchParams()
  }

  test('is there once for a double click, pinned, with its line in the audit log', async () => {
    expect(await operator.text('/operator/directory?kind=company')).toContain(`${ADD}?kind=company`)
    const form = await newForm('company', { name: 'Added Labs', companyType: 'project', size: '' })
    const both = await Promise.all([operator.post(ADD, form), operator.post(ADD, form)])
    const id = form.get('idempotencyKey') ?? ''
    const path = `/operator/directory/companies/${id}?said=added`
    expect(both.map(leadsTo)).toEqual([
      [303, path],
      [303, path],
    ])
    expect(await read('company', id)).toMatchObject({ name: 'Added Labs', size: null })
    expect(await pinnedFields(service.database, id)).toEqual(['companyType', 'name'])
    const [newest] = tableIn(await operator.text(path), NEWEST)
    expect(newest?.[2]).toMatch(/^\d+: add$/)
    expect(await newestLine()).toMatchObject({
      act: 'directory.add',
      who: operator.email,
      subjects: [id],
    })
  })

  test('says beside each field what is wrong, and leads to a record of the same name before it makes another', async () => {
    const domain = `${crypto.randomUUID()}.example`
    const { id, name } = await newCompany({ domain })
    const empty = await operator.post(ADD, await newForm('company', { followers: 'many', name }))
    expect(empty.status).toBe(422)
    const page = await empty.text()
    expect(page).toContain('id="field-followers-problem"')
    expect(page).toContain(`name="name" value="${name}"`)
    const said = { name, companyType: 'investor' }
    const there = await operator.post(ADD, await newForm('company', said))
    expect(there.status).toBe(422)
    const asks = await there.text()
    expect(asks).toContain(`/operator/directory/companies/${id}`)
    expect(textIn(asks)).toContain(`has this name already: ${name} (${domain})`)
    const another = await newForm('company', { ...said, namesake: 'yes' }, asks)
    expect((await operator.post(ADD, another)).status).toBe(303)
    const [count] = await service.sql`select count(*)::int from companies where name = ${name}`
    expect(count).toEqual({ count: 2 })
  })

  test('of a person keeps private channels unseen; what it needs is named', async () => {
    const email = 'added@people.example'
    const form = await newForm('person', { firstName: 'Added', email })
    expect((await operator.post(ADD, form)).status).toBe(303)
    const path = `/operator/directory/people/${form.get('idempotencyKey')}`
    expect(await operator.text(path)).not.toContain(email)
    const round = await operator.post(ADD, await newForm('round', { company: 'nobody at all' }))
    expect(await round.text()).toContain('id="field-company-problem"')
    expect((await operator.get(`${ADD}?kind=shop`)).status).toBe(400)
  })
})

describe('deleting, merging, taking back', () => {
  test('a record is deleted once, after a page that says what goes along, and brought back by the journal', async () => {
    const { id, path, name } = await newCompany()
    const ask = confirmPath('directory.delete', id, 'company')
    expect(textIn(await operator.text(ask))).toContain('The company goes, with 0 rounds of its own')
    const fields = { act: 'directory.delete', on: id, of: 'company' }
    expect(leadsTo(await operator.submit(ask, fields))).toEqual([
      ...[303, '/operator/directory?kind=company&said=directory.delete'],
    ])
    expect((await operator.submit('/operator', fields, '/operator/confirm')).status).toBe(404)
    expect((await operator.get(path)).status).toBe(404)
    const [change] = await readJournal(service.database, { id, limit: 1 })
    const undo = confirmPath('directory.undo', String(change?.change))
    const sent = { act: 'directory.undo', on: String(change?.change) }
    expect(leadsTo(await operator.submit(undo, sent))).toEqual([303, `${path}?said=directory.undo`])
    expect(await read('company', id)).toMatchObject({ name })
    const twice = await operator.submit(undo, sent)
    expect(twice.status).toBe(422)
    expect(textIn(await twice.text())).toContain('was undone already')
    expect(await newestLine()).toMatchObject({ act: 'directory.undo', who: operator.email })
  })

  test('two records become one as the page that compares them says, and are parted again', async () => {
    const first = await newCompany({ ticker: 'AAA', createdAt: '2020-01-01T00:00:00.000Z' })
    const second = await newCompany({ ticker: 'BBB', size: '1-10' })
    const ask = `/operator/directory/merge?kind=company&id=${second.id}&other=${first.id}`
    const rows = tableIn(await operator.text(ask), 'Both records, field by field')
    expect(rows).toContainEqual(['Ticker', 'BBB', 'AAA', 'BBB'])
    expect(rows).toContainEqual(['Size', '1-10', '', '1-10'])
    const stays = rows.map(([field, , , value]) => [field, value])
    expect(stays).toContainEqual(['Slug', String((await read('company', first.id)).slug)])
    const sent = { kind: 'company', id: second.id, other: first.id }
    expect(leadsTo(await operator.submit(ask, sent))).toEqual([303, `${first.path}?said=merged`])
    expect(await read('company', first.id)).toMatchObject({ ticker: 'BBB', size: '1-10' })
    expect(leadsTo(await operator.get(second.path))).toEqual([303, first.path])
    const [change] = await readJournal(service.database, { id: first.id, limit: 1 })
    // Whose fields they were, and are.
    const page = await operator.text(`/operator/directory/journal?change=${change?.change}`)
    const [told] = tableIn(page, NEWEST)
    const [ofFirst, ofSecond] = [first, second].map(({ id }) =>
      (told?.[4] ?? '').indexOf(`Of company ${id}`),
    )
    const inOrder = [
      ofFirst,
      told?.[4]?.indexOf('Ticker: AAA → BBB'),
      ofSecond,
      told?.[4]?.indexOf('Ticker: BBB → '),
    ]
    expect(inOrder).not.toContain(-1)
    expect(inOrder).toEqual(inOrder.toSorted((a = 0, b = 0) => a - b))
    await operator.submit(confirmPath('directory.undo', String(change?.change)), {
      act: 'directory.undo',
      on: String(change?.change),
    })
    expect(await read('company', second.id)).toMatchObject({ ticker: 'BBB', name: second.name })
    const itself = `/operator/directory/merge?kind=company&id=${first.id}&other=${first.id}`
    expect(textIn(await operator.text(itself))).toContain('Both are the same record.')
  })

  test('the journal is found by record and by who, and an undo that can’t be says why', async () => {
    const { id, name } = await newCompany()
    const { change } = await setRecord(service.database, 'company', id, { ticker: 'A' }, 'quinn')
    await deleteRecord(service.database, 'company', id, 'quinn')
    const journal = '/operator/directory/journal'
    const byWho = tableIn(await operator.text(`${journal}?who=quinn`), NEWEST)
    expect(byWho.map(([, who]) => who)).toEqual(['quinn', 'quinn'])
    const ofRecord = tableIn(await operator.text(`${journal}?record=${id}`), NEWEST)
    expect(ofRecord.map(([, , what]) => what?.replace(/^\d+: /, ''))).toEqual([
      ...['delete', 'set', 'import'],
    ])
    const answer = await operator.submit(confirmPath('directory.undo', String(change)), {
      act: 'directory.undo',
      on: String(change),
    })
    expect(answer.status).toBe(422)
    expect(textIn(await answer.text())).toContain(
      'touched the same record later: undo that one first',
    )
    expect(factIn(await operator.text(confirmPath('directory.undo', String(change))), 'Who')).toBe(
      'quinn',
    )
    expect((await operator.get(confirmPath('directory.undo', '99999999'))).status).toBe(404)
    expect((await operator.get(`${journal}?record=x`)).status).toBe(400)
    expect(name).toBeTruthy()
  })

  test('the journal counts a thousand rows of a change and says so; the command counts all', async () => {
    const people = Array.from({ length: 1_200 }, (_, number) => ({
      externalId: `many-${number}`,
      firstName: 'Many',
    }))
    await importRows(service.database, 'people', people)
    const [newest] = tableIn(await operator.text('/operator/directory/journal'), NEWEST)
    expect(newest?.slice(3)).toEqual(['at least 1,000 records', '', 'Undo'])
    const [{ id } = { id: '' }] = await service.sql<{ id: string }[]>`
      select id from people where external_id = 'many-0'`
    const [own] = tableIn(await operator.text(`/operator/directory/people/${id}`), NEWEST)
    expect(own?.at(-1)).toBe('Undo the whole import')
    const [change] = await readJournal(service.database, { limit: 1 })
    expect(change).toMatchObject({ what: 'import', records: 1_200 })
    expect(change).not.toHaveProperty('isLowerBound')
  })
})
