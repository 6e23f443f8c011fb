/**
 * Operators at work, in the process that `operators.ts` starts and ends: each goes by the pages as a browser would, and looks at
 * each for a while. Tells of each page, edit, import and backup, and of pages that were refused. SIGTERM ends it when what is in hand has ended, so that
 * nothing of it is left to the next round.
 * @throws where an answer is another than expected, which ends the process
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Chance } from '../../src/server/demo/random.ts'
import { formIn } from '../site/reading.ts'

/** What each of the three does. */
export type Task = 'accounts' | 'records' | 'imports'

/** What this is told once. */
export interface Work {
  appUrl: string
  /** Cookies of those who are at work, by what they do. */
  operators: Readonly<Partial<Record<Task, string>>>
  /** How long each looks at a page before going to another. */
  lookMs: number
  /** What is looked for among accounts, which are looked at, and which payments. */
  searches: readonly string[]
  accounts: readonly string[]
  payments: readonly string[]
  /** Records that are looked for, looked at and changed. */
  people: readonly { id: string; name: string }[]
  companies: readonly Company[]
  /** Of a file that is imported. */
  rows: number
}

/** A company on file. */
export interface Company {
  id: string
  externalId: string
  name: string
  companyType: string
}

/** Of an imported file's rows, those that the directory has not yet: one in so many. */
const NEW_EVERY = 10
/** How long until the page of what goes on, or one that was refused, is asked for again. */
const AGAIN_MS = 2_000

const chance = new Chance(13)
const over = new AbortController()
process.once('SIGTERM', () => over.abort())

process.once('message', async (work: Work) => {
  const tasks = { accounts: readAccounts, records: changeRecords, imports: importAndBackUp }
  const begun = Object.entries(work.operators) as [Task, string][]
  await Promise.all(
    begun.map(([task, cookie]) => untilOver(() => tasks[task](visitor(work, cookie), work))),
  )
  process.exit(0)
})

/** Does this again and again, until the round is over. */
async function untilOver(work: () => Promise<void>) {
  try {
    for (;;) await work()
  } catch (error) {
    if (!over.signal.aborted || (error as Error).name !== 'AbortError') throw error
  }
}

type Visitor = ReturnType<typeof visitor>

/** Somebody with a browser. */
function visitor({ appUrl, lookMs }: Work, cookie: string) {
  /** What a server that has too much to do refuses is asked for again. */
  async function ask(path: string, body?: FormData | URLSearchParams): Promise<Response> {
    const method = body ? 'POST' : 'GET'
    const headers = { cookie }
    const sent = { method, headers, body: body ?? null, redirect: 'manual' } as const
    const response = await fetch(appUrl + path, sent)
    if (response.status !== 503) return response
    await response.arrayBuffer()
    process.send?.('refused')
    await pause(AGAIN_MS)
    return ask(path, body)
  }
  /** A page, at once and without a look. */
  async function load(path: string): Promise<string> {
    const response = await ask(path)
    const html = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    process.send?.('pages')
    return html
  }
  return {
    load,
    /** Opens a page and looks at it. @throws AbortError where the round is over */
    async open(path: string): Promise<string> {
      over.signal.throwIfAborted()
      const html = await load(path)
      await pause(lookMs, undefined, { signal: over.signal })
      return html
    },
    /** Sends a form. @returns the path that it leads to */
    async send(path: string, form: FormData | URLSearchParams): Promise<string> {
      const response = await ask(path, form)
      const html = await response.text()
      if (response.status !== 303) throw new Error(`POST ${path}: ${response.status} ${html}`)
      return response.headers.get('location') ?? ''
    },
  }
}

/** A form of a page, to be filled in and sent. */
function formOf(html: string, action: string, fields: Readonly<Record<string, string>> = {}) {
  const form = formIn(html, action)
  if (!form) throw new Error(`no form for ${action}`)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

/** Looks for an account, reads it whole, and what was paid. */
async function readAccounts({ open }: Visitor, { searches, accounts, payments }: Work) {
  await open(`/operator/accounts?${new URLSearchParams({ q: chance.pick(searches) })}`)
  await open(`/operator/accounts/${chance.pick(accounts)}`)
  await open('/operator/payments')
  await open(`/operator/payments/${chance.pick(payments)}`)
}

/** Finds a record, changes it and reads what was done: of a person, then of a company. */
async function changeRecords(visitor: Visitor, { people, companies }: Work) {
  const now = () => new Date().toISOString()
  const [person, company] = [chance.pick(people), chance.pick(companies)]
  await change(visitor, 'person', person.name, `/operator/directory/people/${person.id}`, {
    jobTitle: `Advisor since ${now()}`,
  })
  await visitor.open('/operator/audit')
  await visitor.open('/operator')
  await change(visitor, 'company', company.name, `/operator/directory/companies/${company.id}`, {
    aiSummary: `Asked about itself and corrected, ${now()}.`,
  })
  await visitor.open(`/operator/directory/journal?record=${company.id}`)
}

async function change(
  { open, send }: Visitor,
  kind: string,
  name: string,
  path: string,
  fields: Record<string, string>,
) {
  await open(`/operator/directory?${new URLSearchParams({ kind, q: name })}`)
  const html = await open(path)
  const leadsTo = await send(path, formOf(html, path, fields))
  process.send?.('edits')
  await open(leadsTo)
}

/** Gives a file, sees what it would change, imports it, and makes a backup. The server does the work by processes of its own. */
async function importAndBackUp(visitor: Visitor, work: Work) {
  const { open, send } = visitor
  const form = new FormData()
  const imports = formOf(await open('/operator/imports'), '/operator/imports')
  form.set('csrf', imports.get('csrf') ?? '')
  form.set('kind', 'companies')
  form.set('file', new Blob([companiesFile(work)]), 'companies.jsonl')
  const path = await send('/operator/imports', form)
  await open(path)
  await endOf(visitor, path, 'check')
  await endOf(visitor, path, 'run')
  process.send?.('imports')
  await open(path)
  const backups = '/operator/backups'
  await send(backups, formOf(await open(backups), backups))
  const made = await ended(visitor, backups, 'A backup is being made')
  if (made.includes('was not made')) throw new Error(made)
  process.send?.('backups')
}

/** Begins a check or an import, and waits for its end. */
async function endOf(visitor: Visitor, path: string, action: 'check' | 'run') {
  over.signal.throwIfAborted()
  const form = formOf(await visitor.load(path), path, { action })
  await visitor.send(path, form)
  const html = await ended(visitor, path, 'id="progress"')
  if (!html.includes(action === 'check' ? 'value="run"' : 'Undo this import')) throw new Error(html)
}

/** The page, when it shows no longer that it goes on: also after the round, because nothing may be left to the next one. */
async function ended({ load }: Visitor, path: string, sign: string): Promise<string> {
  for (;;) {
    await pause(AGAIN_MS)
    const html = await load(path)
    if (!html.includes(sign)) return html
  }
}

/** Companies with other followers than they had, and some that are new. */
function companiesFile({ companies, rows }: Work): string {
  const lines = Array.from({ length: rows }, (_, number) => {
    const { id: _id, ...known } = companies[number % companies.length] as Company
    const isNew = number % NEW_EVERY === 0
    return {
      ...known,
      ...(isNew && { externalId: `bench:${randomUUID()}`, name: `Newcomer ${number}` }),
      // Another one in each round: the same rows again would change nothing.
      followers: Math.floor(Math.random() * 1e6),
    }
  })
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
