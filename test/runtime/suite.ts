/**
 * The program from outside: the suite of the contract over the wire, and what its command line does. Run by `main.ts` for
 * each target.
 */
import { afterAll, beforeAll, describe } from 'bun:test'
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { contract } from '../contract/contract.ts'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'
import { applicationCases } from './cases/application.ts'
import { careCases } from './cases/care.ts'
import { commandCases, importCases } from './cases/commands.ts'
import { instanceCases } from './cases/instances.ts'
import { modelCases } from './cases/models.ts'
import { startCases, stopCases } from './cases/process.ts'
import { wireCases } from './cases/wire.ts'
import { writeResult } from './results.ts'
import { Stage } from './stage.ts'
import { DATABASES, RUNTIMES, targetsOf } from './targets.ts'
import { settled, type Transcript, writeTranscript } from './transcript.ts'

const { SUITE_RUNTIME, SUITE_DATABASE } = process.env
const [target] = targetsOf(
  RUNTIMES.filter((name) => name === SUITE_RUNTIME),
  DATABASES.filter((name) => name === SUITE_DATABASE),
)
if (!target) throw new Error('`bun run test:runtime` says which target this is')
const stage = new Stage(target)

let server: PostgresServer | undefined
const transcript: Transcript = {}

async function newDatabase(): Promise<string> {
  server ??= await startPostgres()
  const name = `runtime_${randomUUID().replaceAll('-', '')}`
  const admin = postgres(server.url('postgres'), { max: 1 })
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  return server.url(name)
}

describe(target.name, () => {
  beforeAll(() => stage.open(newDatabase))
  afterAll(async () => {
    const { cases, passed } = stage
    await writeResult(target, { cases, passed, transcript })
    await stage.close()
    await server?.stop()
  })

  startCases(stage)
  importCases(stage)
  contract({
    world: stage.world,
    check: (name, work) => stage.check(name, work),
    record: (name, answer, isHead) => {
      transcript[name] = settled(answer, stage, isHead)
    },
  })
  stage.check('pages and unusual requests are written down', () =>
    writeTranscript(stage, transcript),
  )
  wireCases(stage)
  commandCases(stage)
  modelCases(stage)
  applicationCases(stage)
  careCases(stage)
  instanceCases(stage)
  stopCases(stage)
})
