/**
 * The black-box suite: one description of what the program does, known by nothing but its command line
 * and its addresses. Run by `main.ts` for each target.
 */
import { afterAll, beforeAll, describe } from 'bun:test'
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'
import { applicationCases } from './cases/application.ts'
import { careCases } from './cases/care.ts'
import { commandCases } from './cases/commands.ts'
import { consoleCases } from './cases/console.ts'
import { creditCases } from './cases/credits.ts'
import { directoryCases } from './cases/directory.ts'
import { errorCases } from './cases/errors.ts'
import { instanceCases } from './cases/instances.ts'
import { modelCases } from './cases/models.ts'
import { pictureCases } from './cases/pictures.ts'
import { startCases } from './cases/start.ts'
import { stopCases } from './cases/stop.ts'
import { writeResult } from './results.ts'
import { Stage } from './stage.ts'
import { DATABASES, RUNTIMES, targetsOf } from './targets.ts'
import { type Transcript, transcriptOf } from './transcript.ts'

const { SUITE_RUNTIME, SUITE_DATABASE } = process.env
const [target] = targetsOf(
  RUNTIMES.filter((name) => name === SUITE_RUNTIME),
  DATABASES.filter((name) => name === SUITE_DATABASE),
)
if (!target) throw new Error('`bun run test:runtime` says which target this is')
const stage = new Stage(target)

let server: PostgresServer | undefined
let transcript: Transcript = {}

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
  commandCases(stage)
  stage.check('its answers are written down', async () => {
    transcript = await transcriptOf(stage)
  })
  directoryCases(stage)
  creditCases(stage)
  errorCases(stage)
  modelCases(stage)
  applicationCases(stage)
  consoleCases(stage)
  careCases(stage)
  instanceCases(stage)
  pictureCases(stage)
  stopCases(stage)
})
