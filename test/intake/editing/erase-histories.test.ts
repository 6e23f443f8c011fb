/**
 * Whatever became of people before: one who is erased leaves no trace in any table, the others keep all that is theirs,
 * and the books balance.
 */
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import {
  deleteRecord,
  mergeRecords,
  setRecord,
  undoChange,
} from '../../../src/intake/editing/edit.ts'
import { ChangeRefused } from '../../../src/intake/editing/records.ts'
import { importFiles } from '../../../src/intake/import/import.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { Chance } from '../../../src/server/demo/random.ts'
import { LIMIT_MS, PATIENCE_MS } from '../../helpers/limit.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { expectBooksToBalance, newAccount, revealOf } from '../../money/charge/fixtures.ts'
import { tablesHolding } from './traces.ts'

const t = sharedDatabase()
const RUNS = Number(process.env.ERASURE_RUNS ?? 4)
/** The test's name says it, so that a failure can be played again. */
const SEED = Number(process.env.ERASURE_SEED ?? Date.now() % 1_000_000)
const chance = new Chance(SEED)

interface Somebody {
  id: string
  mark: string
  row: Record<string, string>
}

function somebody(mark: string): Somebody {
  const id = randomUUID()
  const fields = {
    firstName: `First${mark}`,
    lastName: `Last${mark}`,
    jobTitle: `Chief ${mark}`,
    twitterHandle: `x${mark}`,
    email: `mail@${mark}.example`,
    telegram: `tg_${mark}`,
    linkedinUrl: `https://www.linkedin.com/in/li-${mark}`,
  }
  const given = Object.entries(fields).filter(
    ([field]) => field === 'firstName' || field === 'email' || chance.between(0, 2) > 0,
  )
  const createdAt = `20${chance.between(10, 24)}-01-01`
  return {
    id,
    mark,
    row: { id, externalId: `e-${mark}`, slug: mark, createdAt, ...Object.fromEntries(given) },
  }
}

async function sync(people: readonly Somebody[]) {
  const text = people.map(({ row }) => JSON.stringify(row)).join('\n')
  const limits = { mostRemoved: 100, mostRefused: 100 }
  const source = { name: 'crm', files: {}, isSync: true, areColumnsConfirmed: true, ...limits }
  const { people: done } = await importFiles(
    t.database,
    { people: { stream: Readable.from([Buffer.from(text)]) } },
    { source },
  )
  return done
}

async function history(run: number) {
  const people = [0, 1, 2, 3].map((n) => somebody(`t${run}n${n}z`))
  const [a, b] = [
    await newAccount(t.sql, { tier: 'pro', credits: 500 }),
    await newAccount(t.sql, { tier: 'pro', credits: 500 }),
  ]
  const meter = createMeter(t.database, { maxWaitMs: PATIENCE_MS })
  const changes: number[] = []
  const any = () => chance.pick(people)
  /** A change may be refused: somebody is gone, or another change came later. */
  const tried = async (work: Promise<{ change: number | null }>) => {
    const done = await work.catch((error: unknown) => {
      if (!(error instanceof ChangeRefused)) throw error
      return { change: null }
    })
    if (done.change !== null) changes.push(done.change)
  }
  const steps = [
    () => sync(people.filter((_, n) => n === 0 || chance.happens(0.8))),
    () => tried(setRecord(t.database, 'person', any().id, { jobTitle: 'Chair' }, 'o')),
    () => {
      const one = any()
      return tried(
        setRecord(t.database, 'person', one.id, { email: `new@${one.mark}.example` }, 'o'),
      )
    },
    () => tried(mergeRecords(t.database, 'person', [any().id, any().id], 'o')),
    () => tried(deleteRecord(t.database, 'person', any().id, 'o')),
    () => tried(undone(chance.between(0, 3))),
    () => meter.charge(revealOf(chance.pick([a, b]), any().id)),
  ]
  const undone = async (place: number) => {
    const change = changes.at(-1 - place) ?? 0
    return { change: await undoChange(t.database, change, 'o') }
  }
  await sync(people)
  for (let step = chance.between(3, 14); step > 0; step--) await chance.pick(steps)()

  const gone = any()
  const merged = await t.sql<{ id: string }[]>`
    with root as (select coalesce((select to_id from redirects where id = ${gone.id}), ${gone.id}::uuid) as id)
    select id from root union select r.id from redirects r join root on r.to_id = root.id`
  const ids = new Set(merged.map(({ id }) => id))
  const erased = people.filter(({ id }) => ids.has(id))
  const others = people.filter(({ id }) => !ids.has(id))
  const before = await rowsOf(others)
  const onFile = new Set(before.map(({ id }) => id))
  await erasePerson(t.database, gone.id, 'o')
  for (const { id, mark } of erased) {
    expect([mark, await tablesHolding(t.sql, mark)]).toEqual([mark, []])
    expect((await tablesHolding(t.sql, id)).filter((table) => table !== 'change_log')).toEqual([])
  }
  expect(await rowsOf(others)).toEqual(before)
  await expectBooksToBalance(t.sql)
  // Nothing that can still be undone brings them back, and no import does.
  for (const change of changes.toReversed())
    await tried(undoChange(t.database, change, 'o').then(() => ({ change: null })))
  const done = await sync(people)
  const refused = people.filter((_, n) => done?.refusals.some(({ row }) => row === n + 1))
  expect(refused).toEqual(expect.arrayContaining(erased))
  // Who was deleted before may go along; who was on file is somebody else.
  expect(refused.filter(({ id }) => onFile.has(id))).toEqual([])
  for (const { mark } of erased)
    expect([mark, await tablesHolding(t.sql, mark)]).toEqual([mark, []])
}

/** What others have, with their channels. */
async function rowsOf(people: readonly Somebody[]) {
  const ids = `{${people.map(({ id }) => id).join()}}`
  return t.sql<
    { id: string }[]
  >`select p.id, p::text as person, c::text as channels from people p left join private_channels c on c.person_id = p.id
    where p.id = any (${ids}::uuid[]) order by p.id`
}

test(
  `no history leaves a trace of who is erased, or takes anything from others (ERASURE_SEED=${SEED})`,
  async () => {
    for (let run = 0; run < RUNS; run++) await history(run)
  },
  LIMIT_MS * 2,
)
