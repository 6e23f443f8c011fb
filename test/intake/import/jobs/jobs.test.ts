/** A file that an operator gives: what its columns mean, a dry run, corrections, the import, and its undoing. */
import { beforeEach, expect, test } from 'bun:test'
import { ActRefused } from '../../../../src/console/acts/act.ts'
import { readAuditLog } from '../../../../src/console/acts/audit-log.ts'
import {
  cancelImport,
  deleteImport,
  endUpload,
  runImport,
  undoImport,
} from '../../../../src/console/acts/imports.ts'
import { perform } from '../../../../src/console/acts/perform.ts'
import { lockInPostgres } from '../../../../src/database/long-lock.ts'
import { setRecord, undoChange } from '../../../../src/intake/editing/edit.ts'
import { correct, readFindings, reportOf } from '../../../../src/intake/import/jobs/findings.ts'
import { readColumns, setMapping } from '../../../../src/intake/import/jobs/mapping.ts'
import {
  appendChunk,
  createJob,
  fileName,
  listJobs,
} from '../../../../src/intake/import/jobs/store.ts'
import {
  HIDDEN,
  type ImportJob,
  JobRefused,
  type JobSummary,
  MOST_FINDINGS,
} from '../../../../src/intake/import/jobs/types.ts'
import { askCheck, workOn } from '../../../../src/intake/import/jobs/work.ts'
import { rejection } from '../../../helpers/rejection.ts'
import { emptyDatabase } from '../sources.ts'
import { partsOf, rowOf, zipOf } from '../workbook.ts'
import { COMMAND, importing } from './jobs.ts'

const t = emptyDatabase()
const { options, added, current, checked, imported, undone } = importing(t)

beforeEach(async () => {
  await t.sql`truncate import_jobs cascade`
})

/** Why something is refused. */
const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'not refused',
    (error: unknown) => {
      if (error instanceof JobRefused || error instanceof ActRefused) return error.message
      throw error
    },
  )

const counted = (summary: JobSummary | null) => {
  const { read, created, updated, unchanged, refused, warned } = summary ?? {}
  return { read, created, updated, unchanged, refused, warned }
}

const COMPANIES = `Firma;Type;Website;Followers
Acme;project;acme.io;10
Beta;shop;beta.io;20
Gamma;investor;gamma.io;many
`

test('columns are shown with what they mean and some values; what the operator says of them counts, and a mistake is named', async () => {
  const job = await added('companies', COMPANIES)
  const found = await readColumns(t.database, job, job.settings)
  expect(found.columns).toMatchObject([
    { name: 'Firma', guess: null, field: null, values: ['Acme', 'Beta', 'Gamma'] },
    { name: 'Type', field: 'companyType', values: ['project', 'shop', 'investor'] },
    { name: 'Website', field: 'domain' },
    { name: 'Followers', field: 'followers', values: ['10', '20', 'many'] },
  ])
  expect(found).toMatchObject({ missing: ['name'], clashes: [], rows: 3 })

  const mapped = await setMapping(t.database, job, { map: { Firma: 'name' }, fill: {} })
  expect(mapped).toMatchObject({ missing: [] })
  const map = (given: Record<string, string | null>) =>
    refusal(setMapping(t.database, job, { map: given, fill: {} }))
  expect(await map({ Firma: 'domain', Website: 'domain' })).toBe(
    '"Firma" and "Website" both mean domain: choose another field for one, or leave it out',
  )
  expect(await map({ Firma: 'nam' })).toContain('(did you mean name?)')
  expect(await map({ Nobody: 'name' })).toBe('the file has no column "Nobody"')
  const fill = (given: Record<string, string>) =>
    refusal(setMapping(t.database, job, { map: {}, fill: given }))
  expect(await fill({ companyType: 'shop' })).toContain('companyType: not one of')
  expect(await fill({ slug: 'acme' })).toContain("can't be filled")
  const people = await added('people', 'fullName\nAda Ashford\n')
  const one = { map: {}, fill: { email: 'ada@example.com' } }
  expect(await refusal(setMapping(t.database, people, one))).toContain("single person's")
  expect((await current(job.id)).settings).toEqual({ map: { Firma: 'name' }, fill: {} })
})

test('a column’s unit is part of its meaning, and of what its cells are corrected to', async () => {
  await t.sql`
    insert into companies (id, name, slug, company_type) values (gen_random_uuid(), 'United', 'united', 'project')`
  const rounds = 'Firma,Art,Betrag\nUnited,Seed,2.5\nUnited,Series A,11\nUnited,Series B,many\n'
  const job = await added('rounds', rounds)
  const meant = (Betrag: string) => ({
    map: { Firma: 'company', Art: 'roundType', Betrag },
    fill: {},
  })
  const refused = (Betrag: string) => refusal(setMapping(t.database, job, meant(Betrag)))
  expect(await refused('company*1e6')).toBe(
    '"Betrag": company is not a number, so it takes no unit',
  )
  expect(await refused('amountUsd*x')).toContain('"Betrag": give the unit as a number above zero')
  const found = await setMapping(t.database, job, meant('amountUsd*1e6'))
  expect(found.columns[2]).toMatchObject({ name: 'Betrag', field: 'amountUsd', factor: 1e6 })

  const once = await checked(job)
  expect(once.preview).toMatchObject({ created: 3, warned: 1 })
  await correct(t.database, once, { row: 3, field: 'amountUsd', value: '40' })
  await imported(once)
  expect([
    ...(await t.sql`select amount_usd::float8 as amount from funding_rounds order by amount_usd`),
  ]).toEqual([{ amount: 2_500_000 }, { amount: 11_000_000 }, { amount: 40_000_000 }])
})

test('a key of JSON that comes first in a row further down is mapped once a check has named it', async () => {
  const rows = Array.from({ length: 1_100 }, (_, i) => ({
    name: `Late ${i}`,
    companyType: 'project',
  }))
  const last = { name: 'Late', companyType: 'project', Kürzel: 'LTE' }
  const content = [...rows, last].map((row) => JSON.stringify(row)).join('\n')
  const job = await added('companies', content, 'late.jsonl')
  const names = async ({ id }: Pick<ImportJob, 'id'>) => {
    const now = await current(id)
    return (await readColumns(t.database, now, now.settings)).columns.map(({ name }) => name)
  }
  expect(await names(job)).toEqual(['name', 'companyType'])
  const once = await checked(job)
  expect(await names(job)).toEqual(['name', 'companyType', 'Kürzel'])
  await setMapping(t.database, once, { map: { Kürzel: 'ticker' }, fill: {} })
  await checked(job)
  expect(await names(job)).toEqual(['name', 'companyType', 'Kürzel'])
  await imported(job)
  expect(await t.sql`select name from companies where ticker = 'LTE'`).toEqual([
    { name: 'Late' },
  ] as never)
})

test('where a company’s community meets is shown of a column that means it, and of no other', async () => {
  const content = 'name,Community,Chat\nAcme,https://t.me/acme,https://t.me/ada\n'
  const job = await added('companies', content)
  const { columns } = await readColumns(t.database, job, job.settings)
  expect(columns.map(({ values }) => values)).toEqual([['Acme'], ['https://t.me/acme'], [HIDDEN]])
})

test('a dry run changes nothing; its counts are those of the import, which takes what was corrected, and the file is gone then', async () => {
  const job = await added('companies', COMPANIES)
  await setMapping(t.database, job, { map: { Firma: 'name' }, fill: {} })
  const once = await checked(job)
  expect(once).toMatchObject({ state: 'checked', isPreviewCurrent: true, result: null })
  expect(counted(once.preview)).toMatchObject({ read: 3, created: 2, refused: 1, warned: 1 })
  expect(await t.sql`select from companies`).toHaveLength(0)
  expect(await readFindings(t.database, once, { limit: 10 })).toMatchObject([
    { row: 2, line: 3, severity: 'refused', field: 'companyType', value: 'shop', label: 'Beta' },
    { row: 3, severity: 'warning', field: 'followers', column: 'Followers', value: 'many' },
  ])

  const wrong = correct(t.database, once, { row: 2, field: 'companyType', value: 'market' })
  expect(await refusal(wrong)).toStartWith('companyType: not one of project')
  await correct(t.database, once, { row: 2, field: 'companyType', value: 'project' })
  expect(await current(job.id)).toMatchObject({ corrections: 1, isPreviewCurrent: false })
  expect(await readFindings(t.database, once, { limit: 1 })).toMatchObject([
    { corrections: { companyType: 'project' } },
  ])
  const twice = await checked(job)
  expect(counted(twice.preview)).toMatchObject({ created: 3, refused: 0, warned: 1 })

  const ended = await imported(job)
  expect(ended).toMatchObject({ state: 'ended', hasFile: false, change: expect.any(Number) })
  expect(counted(ended.result)).toEqual(counted(twice.preview))
  expect(await t.sql`select name from companies order by 1`).toEqual(
    ['Acme', 'Beta', 'Gamma'].map((name) => ({ name })) as never,
  )
  expect(await t.sql`select from import_job_chunks where job_id = ${job.id}`).toHaveLength(0)
  const report = (await Array.fromAsync(reportOf(t.database, ended))).join('')
  expect(report.split('\r\n')).toEqual([
    'file,line,column,field,value,severity,reason',
    'list.csv,4,Followers,followers,many,warning,not a number',
    '',
  ])
  expect(await refusal(askCheck(t.database, job.id))).toBe(
    'it was imported, and its file is gone: give the file again',
  )
})

test('a report says where it may lack findings, because no more of a severity were kept', async () => {
  const job = await checked(await added('companies', 'name,companyType\nBeta,shop\n'))
  const lastLine = async () => {
    const report = (await Array.fromAsync(reportOf(t.database, job))).join('')
    return report.trimEnd().split('\r\n').at(-1)
  }
  expect(await lastLine()).toContain('shop')
  await t.sql`
    insert into import_job_findings (job_id, place, row, severity, reason)
    select ${job.id}, n, n, 'warning', 'left out' from generate_series(2, ${MOST_FINDINGS + 1}::integer) n`
  expect(await lastLine()).toBe(
    `list.csv,,,,,warning,"the first ${MOST_FINDINGS} are listed, and there may be more"`,
  )
})

test('refused rows come before values that were left out, page by page', async () => {
  const rows = ['Acme,project,many', 'Beta,shop,1', 'Gamma,project,some', 'Delta,market,2']
  const job = await checked(
    await added('companies', ['name,companyType,followers', ...rows].join('\n')),
  )
  const pages: number[] = []
  let after = 0
  for (;;) {
    const [finding] = await readFindings(t.database, job, { after, limit: 1 })
    if (!finding) break
    after = finding.place
    pages.push(finding.row)
  }
  expect(pages).toEqual([2, 4, 1, 3])
})

test('all runs of a job are one change in the name of who asked for it, and are undone together', async () => {
  await t.sql`select user_sign_up('ada@example.com', 'Ada', 'scrypt:of-nothing', 0, interval '7 days', null)`
  const [row] = await t.sql`update users set operator_since = now() returning id`
  const by = {
    via: 'page',
    userId: row?.id,
    who: 'ada@example.com',
    address: '203.0.113.7',
  } as const
  const rows = Array.from({ length: 600 }, (_, i) => `Company ${i},project,c${i}`)
  const job = await added('companies', ['name,companyType,externalId', ...rows].join('\n'))
  const interrupted = new AbortController()
  const first = await imported(
    job,
    {
      isGentle: async () => true,
      signal: interrupted.signal,
      onProgress: () => interrupted.abort(),
    },
    by,
  )
  expect(first).toMatchObject({ state: 'stopped', stopped: { work: 'import' }, hasFile: true })
  const stored = await t.sql`select from companies`
  expect([stored.length > 0, stored.length < 600]).toEqual([true, true])

  const second = await imported(job, {}, by)
  expect(second).toMatchObject({ state: 'ended', runBy: 'ada@example.com' })
  expect(await t.sql`select from companies`).toHaveLength(600)
  const lines = await readAuditLog(t.database, { who: by.who, limit: 10 })
  expect(lines.map(({ act, via, address }) => [act, via, address])).toEqual([
    ['import.run', 'page', by.address],
    ['directory.import', 'page', by.address],
    ['import.run', 'page', by.address],
  ])

  expect(await undone(job, by)).toMatchObject({
    state: 'undone',
    stopped: null,
    endedAt: second.endedAt,
    undone: { change: expect.any(Number), who: by.who },
  })
  expect(await t.sql`select from companies`).toHaveLength(0)
  expect(await refusal(perform(t.database, by, undoImport, job.id))).toContain('undone already')
  const [last, asked] = await readAuditLog(t.database, { who: by.who, limit: 2 })
  expect([asked?.act, last?.act]).toEqual(['import.undo', 'directory.undo'])
})

test('an undo that a later change stands in the way of takes nothing back and says why, and can be asked for again', async () => {
  const job = await imported(
    await added('companies', 'name,companyType,externalId\nAcme,project,1\nBeta,project,2\n'),
  )
  const [one] = await t.sql`select id from companies where external_id = '1'`
  const { change } = await setRecord(t.database, 'company', one?.id, { name: 'Acme Labs' }, 'bea')
  expect(await undone(job)).toMatchObject({
    state: 'stopped',
    stopped: {
      work: 'undo',
      reason: `change ${change} touched the same record later: undo that one first`,
    },
    result: { created: 2 },
    undone: null,
  })
  expect(await t.sql`select from companies`).toHaveLength(2)
  await undoChange(t.database, change ?? 0, 'bea')
  expect(await undone(job)).toMatchObject({ state: 'undone' })
  expect(await t.sql`select from companies`).toHaveLength(0)
})

test('an undo is at work as an import is; one whose process is not heard of any more took nothing back', async () => {
  const row = 'name,companyType\nAcme,project\n'
  const [job, other] = [
    await imported(await added('companies', row)),
    await added('companies', row),
  ]
  await perform(t.database, COMMAND, undoImport, job.id)
  expect(await current(job.id)).toMatchObject({ state: 'undoing' })
  for (const asked of [
    askCheck(t.database, other.id),
    perform(t.database, COMMAND, undoImport, job.id),
  ])
    expect(await refusal(asked)).toMatch(/another import is at work|it is being undone/)
  await perform(t.database, COMMAND, cancelImport, job.id)
  expect(await current(job.id)).toMatchObject({ stopped: { work: 'undo', reason: 'cancelled' } })

  await perform(t.database, COMMAND, undoImport, job.id)
  const late = crypto.randomUUID()
  await t.sql`select import_job_claim(${job.id}, ${late})`
  expect(await refusal(perform(t.database, COMMAND, cancelImport, job.id))).toContain('all at once')
  await t.sql`update import_jobs set beat_at = beat_at - interval '31 seconds' where id = ${job.id}`
  expect(await current(job.id)).toMatchObject({ state: 'stopped', stopped: { work: 'undo' } })
  expect(await checked(other)).toMatchObject({ state: 'checked' })
  await perform(t.database, COMMAND, undoImport, job.id)
  // Whoever wakes up late has lost its place.
  expect(
    (await rejection(t.sql`select import_job_undo(${job.id}, ${late})`)) as Error,
  ).toMatchObject({
    code: 'CK409',
  })
  expect(await t.sql`select from companies`).toHaveLength(1)
  await workOn(t.database, job.id, options)
  expect(await current(job.id)).toMatchObject({ state: 'undone' })
  expect(await t.sql`select from companies`).toHaveLength(0)
})

test('one job is at work at a time; one whose process is not heard of any more has stopped and runs again', async () => {
  const [one, other] = [await added('companies', COMPANIES), await added('companies', COMPANIES)]
  await askCheck(t.database, one.id)
  expect(
    await refusal(perform(t.database, COMMAND, runImport, other.id, { checked: '' })),
  ).toContain('another import is at work (list.csv)')
  expect(await refusal(perform(t.database, COMMAND, deleteImport, one.id))).toContain('cancel it')
  await t.sql`update import_jobs set beat_at = beat_at - interval '31 seconds' where id = ${one.id}`
  expect(await current(one.id)).toMatchObject({ state: 'stopped', stopped: { work: 'check' } })
  // Too late: nobody is asked any more.
  expect(await workOn(t.database, one.id, options)).toBeUndefined()
  expect(await checked(one)).toMatchObject({ state: 'checked' })
  await askCheck(t.database, other.id)
  const busy = workOn(t.database, other.id, { ...options, takeLongLock: async () => undefined })
  expect(await refusal(busy)).toContain('another import is at work')
  await perform(t.database, COMMAND, cancelImport, other.id)
  expect(await current(other.id)).toMatchObject({ stopped: { work: 'check', reason: 'cancelled' } })
})

test('while an import is at work another file is given; asked for, it is refused at once', async () => {
  const [job, other] = [await added('companies', COMPANIES), await added('companies', COMPANIES)]
  const take = lockInPostgres({ url: t.url })
  const said: string[] = []
  const ended = await checked(job, {
    async takeLongLock(name) {
      const lock = await take(name)
      await added('companies', COMPANIES)
      said.push(await refusal(perform(t.database, COMMAND, runImport, other.id, { checked: '' })))
      return lock
    },
  })
  expect(ended).toMatchObject({ state: 'checked' })
  expect(said).toEqual([expect.stringContaining('another import is at work (list.csv)')])
})

test('a job that is cancelled stops after the batch in hand; what it stored is undone like a whole one', async () => {
  const rows = Array.from({ length: 10_000 }, (_, i) => `Company ${i},project,${i}`)
  const job = await added('companies', ['name,companyType,externalId', ...rows].join('\n'))
  const onProgress = () => perform(t.database, COMMAND, cancelImport, job.id).catch(() => {})
  const stopped = await imported(job, { isGentle: async () => true, onProgress, beatMs: 5 })
  expect(stopped).toMatchObject({ state: 'stopped', stopped: { reason: 'cancelled' } })
  expect(stopped.result?.created).toBeGreaterThan(0)
  await undone(job)
  expect(await t.sql`select from companies`).toHaveLength(0)
})

const SECRETS = ['ada.private@example.com', '+1 555 010 7788', 'ada_private_tg', 'in/ada-private']

test('no private channel is shown before the end of an import, and none is left in its tables behind it', async () => {
  const [email, phone, telegram, profile] = SECRETS
  const file = [
    'First,Last,E-mail,Phone,Telegram,Contact me,Profile,Handle',
    `Ada,Ashford,${email},${phone},${telegram},${phone},https://www.linkedin.com/${profile},ada`,
    `Bea,Blum,${email} or ${telegram},none of this is a number ${phone},${telegram} ${telegram},,,bea`,
    ',,,,,,,nobody',
  ].join('\n')
  const job = await added('people', file, `${email}.csv`)
  expect(job.file).toBe('file')
  const { columns } = await readColumns(t.database, job, job.settings)
  expect(columns.map(({ name, values }) => [name, values[0]])).toEqual([
    ['First', 'Ada'],
    ['Last', 'Ashford'],
    ['E-mail', HIDDEN],
    ['Phone', HIDDEN],
    ['Telegram', HIDDEN],
    ['Contact me', HIDDEN],
    ['Profile', HIDDEN],
    ['Handle', 'ada'],
  ])
  await setMapping(t.database, job, {
    map: { Profile: 'linkedinUrl', Handle: 'twitterHandle', 'E-mail': 'email' },
    fill: {},
  })
  const once = await checked(job)
  expect(once.preview).toMatchObject({ created: 2, refused: 1 })
  const secret = 'corrected.private@example.com'
  await correct(t.database, once, { row: 2, field: 'email', value: secret })
  const found = await readFindings(t.database, once, { limit: 10 })
  expect(found.find(({ row }) => row === 2)).toMatchObject({
    label: 'Bea Blum',
    value: null,
    isPrivate: true,
    corrections: { email: HIDDEN },
  })
  const shown = JSON.stringify([columns, once, found, await listJobs(t.database)])
  const ended = await imported(job)
  expect(ended.result).toMatchObject({ created: 2 })
  // Where the record's own channels are, and what they were before.
  const theirs = ['private_channels', 'journal_entries']
  const tables = await t.sql<{ name: string }[]>`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all (${theirs}::text[])`
  expect(tables.map(({ name }) => name)).toContain('import_job_chunks')
  const kept: string[] = []
  for (const { name } of tables) {
    kept.push(JSON.stringify(await t.sql`select to_jsonb(x)::text as row from ${t.sql(name)} x`))
  }
  const report = (await Array.fromAsync(reportOf(t.database, ended))).join('')
  for (const one of [...SECRETS, secret]) {
    expect([one, [shown, ...kept, report].filter((text) => text.includes(one))]).toEqual([one, []])
  }
  expect(await t.sql`select from private_channels where email = ${secret}`).toHaveLength(1)
})

test('a workbook is mapped, checked, corrected and imported by its first sheet; its private channels stay hidden', async () => {
  const rows = [
    rowOf(1, ['Scouting list']),
    rowOf(2, ['Name', 'Mail', 'Title', 'Twitter']),
    rowOf(3, ['Ada Ashford', 'ada@priv.example', 'CEO', 'no handle']),
    rowOf(4, ['Ben Birch', 'nonsense priv.example', 'CTO', '']),
  ]
  const file = zipOf(partsOf({ People: rows.join(''), Notes: rowOf(1, ['nothing']) }))
  const job = await added('people', file, 'people.xlsx')
  const { columns } = await setMapping(t.database, job, { map: { Mail: 'email' }, fill: {} })
  expect(columns.map(({ name, field, values }) => [name, field, values])).toEqual([
    ['Name', 'fullName', ['Ada Ashford', 'Ben Birch']],
    ['Mail', 'email', [HIDDEN, HIDDEN]],
    ['Title', 'jobTitle', ['CEO', 'CTO']],
    ['Twitter', 'twitterHandle', ['no handle']],
  ])
  const found = await checked(await current(job.id))
  const findings = await readFindings(t.database, found, { limit: 9 })
  expect(findings.map(({ line, field, label, value }) => [line, field, label, value])).toEqual([
    [3, 'twitterHandle', 'Ada Ashford', 'no handle'],
    [4, 'email', 'Ben Birch', null],
  ])
  await correct(t.database, found, { row: 1, field: 'twitterHandle', value: 'ada' })
  expect((await imported(found)).result).toMatchObject({ created: 2, warned: 1 })
  const [stored] = await t.sql`select twitter_handle from people where first_name = 'Ada'`
  expect(stored?.twitter_handle).toBe('ada')
})

test('the columns of a workbook are those of its first rows: the texts behind them are read by the check alone', async () => {
  const texts = ['name', 'Firm 1', ...Array.from({ length: 50_000 }, (_, i) => `Firm ${i + 2}`)]
  const written = texts.map((text) => `<si><t>${text}</t></si>`).join('')
  const shared = (row: number, text: number) =>
    rowOf(row, [`<c r="A${row}" t="s"><v>${text}</v></c>`, 'project'])
  const rows = [shared(1, 0), shared(2, 1), shared(3, 2), shared(4, 50_001)]
  const looked = async (end: string) => {
    const sharedStrings = `<sst>${written}${end}`
    const file = zipOf(partsOf({ Firms: rows.join('') }, { sharedStrings }))
    const job = await added('companies', file, 'firms.xlsx')
    return { job, columns: (await readColumns(t.database, job, job.settings)).columns }
  }
  const whole = await looked('</sst>')
  expect(whole.columns[0]).toMatchObject({
    name: 'name',
    values: ['Firm 1', 'Firm 2', 'Firm 50001'],
  })
  rows.pop()
  const broken = await looked('</oops>')
  expect(broken.columns[0]).toMatchObject({ name: 'name', values: ['Firm 1', 'Firm 2'] })
  expect((await checked(broken.job)).stopped?.reason).toContain('the workbook is damaged')
})

test('what is no table, is empty, too large, broke off or is too old is said, and a file that is too old is gone', async () => {
  const workbook = await added('companies', 'PK\u0003\u0004 and more', 'list.xlsx')
  const unreadable = await refusal(readColumns(t.database, workbook, workbook.settings))
  expect(unreadable).toContain('the workbook is damaged')
  expect(await checked(workbook)).toMatchObject({
    stopped: { work: 'check', reason: expect.stringContaining('the workbook is damaged') },
  })

  const empty = await createJob(t.database, { kind: 'companies', name: 'empty.csv', by: COMMAND })
  expect(await refusal(endUpload(t.database, COMMAND, empty))).toBe('the file is empty')
  await t.sql`update import_jobs set bytes = 104857600 where id = ${empty}`
  const more = appendChunk(t.database, empty, Buffer.from('x'))
  expect(await refusal(more)).toContain('larger than 100 MB')
  await t.sql`update import_jobs set beat_at = beat_at - interval '11 minutes' where id = ${empty}`
  await t.sql`update import_jobs set added_at = added_at - interval '8 days' where id = ${workbook.id}`
  await createJob(t.database, { kind: 'people', name: '../../x.csv', by: COMMAND })
  expect((await listJobs(t.database)).some(({ id }) => id === empty)).toBe(false)
  expect(await current(workbook.id)).toMatchObject({ hasFile: false })
  expect(await refusal(askCheck(t.database, workbook.id))).toContain('kept for 7 days')
})

test('a first row that is no header is refused as one, and so are more columns than a person would look at', async () => {
  const wordy = await added('companies', `name,${'word '.repeat(101)}\nAcme,x\n`)
  expect(await refusal(readColumns(t.database, wordy, wordy.settings))).toContain('a row of names')
  const wide = await added('companies', `name${',x'.repeat(500)}\nAcme\n`)
  expect(await refusal(readColumns(t.database, wide, wide.settings))).toContain('500 columns')
})

test('a file is called by its name alone', () => {
  expect(
    ['C:\\files\\a b.csv', '/x/y.json', 'a\u202eb\n.csv', '..', '', 'ada@example.com'].map(
      fileName,
    ),
  ).toEqual(['a b.csv', 'y.json', 'ab.csv', '..', 'file', 'file'])
})

test('a job whose process ended while the clock ran ahead has stopped once the clock is right, and holds up no other', async () => {
  const [one, other] = [await added('companies', COMPANIES), await added('companies', COMPANIES)]
  await askCheck(t.database, one.id)
  await t.sql`update import_jobs set beat_at = beat_at + interval '2 hours' where id = ${one.id}`
  expect(await current(one.id)).toMatchObject({ state: 'stopped', stopped: { work: 'check' } })
  expect(await checked(other)).toMatchObject({ state: 'checked' })
})
