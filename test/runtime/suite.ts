/**
 * The black-box suite: one description of what the program does, known by nothing but its command line
 * and its addresses, for each target. Run by `main.ts`.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'
import { applicationCases } from './cases/application.ts'
import { careCases } from './cases/care.ts'
import { commandCases } from './cases/commands.ts'
import { creditCases } from './cases/credits.ts'
import { directoryCases } from './cases/directory.ts'
import { errorCases } from './cases/errors.ts'
import { instanceCases } from './cases/instances.ts'
import { startCases } from './cases/start.ts'
import { stopCases } from './cases/stop.ts'
import { Stage } from './stage.ts'
import { tableOf } from './table.ts'
import { DATABASES, RUNTIMES, targetsOf } from './targets.ts'
import { type Transcript, transcriptOf } from './transcript.ts'

setDefaultTimeout(60_000)

const { SUITE_RUNTIME, SUITE_DATABASE, SUITE_COMPLETE } = process.env
const targets = targetsOf(
  RUNTIMES.filter((name) => !SUITE_RUNTIME || name === SUITE_RUNTIME),
  DATABASES.filter((name) => !SUITE_DATABASE || name === SUITE_DATABASE),
)
const present = targets.filter(({ missing }) => !missing)
const stages = present.map((target) => new Stage(target))
const transcripts = new Map<string, Transcript>()

let server: PostgresServer | undefined

beforeAll(async () => {
  if (present.some(({ database }) => database === 'postgres')) server = await startPostgres()
})
afterAll(async () => {
  await server?.stop()
  console.log(tableOf(targets, stages))
})

async function newDatabase(): Promise<string> {
  if (!server) throw new Error('no PostgreSQL was started')
  const name = `runtime_${randomUUID().replaceAll('-', '')}`
  const admin = postgres(server.url('postgres'), { max: 1 })
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  return server.url(name)
}

for (const stage of stages) {
  describe(stage.target.name, () => {
    beforeAll(() => stage.open(newDatabase))
    afterAll(() => stage.close())

    startCases(stage)
    commandCases(stage)
    stage.check('its answers are written down', async () => {
      transcripts.set(stage.target.name, await transcriptOf(stage))
    })
    directoryCases(stage)
    creditCases(stage)
    errorCases(stage)
    applicationCases(stage)
    careCases(stage)
    instanceCases(stage)
    stopCases(stage)
  })
}

describe('every target', () => {
  test.if(SUITE_COMPLETE !== undefined)('is there', () => {
    expect(targets.flatMap(({ missing }) => missing ?? [])).toEqual([])
  })

  test.if(present.length > 1)('answers alike: status, headers and body of each request', () => {
    const [first, ...others] = present.map(({ name }) => transcripts.get(name))
    expect(Object.keys(first ?? {}).length).toBeGreaterThan(50)
    for (const other of others) expect(other).toEqual(first)
  })
})
