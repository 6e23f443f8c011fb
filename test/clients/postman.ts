/** What an import by Postman makes of the OpenAPI document: a collection, all of whose requests newman sends as they are. */
import { deepEqual, equal } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDirectory } from '../../src/testing/start.ts'
import { EXAMPLE_RECORDS } from './examples.ts'
import { type Run, step } from './steps.ts'

/** What an import takes values of parameters from, by default and as Postman's settings have it too. */
const RESOLUTIONS = ['Schema', 'Example']

interface Execution {
  item: { name: string }
  request: { header: { key: string }[]; url: { query: { key: string }[] } }
  response: { code: number; stream: { data: number[] } }
}

/** @param folder where files are written. @param tool where a tool is */
export async function postmanSteps(folder: string, run: Run, tool: (name: string) => string) {
  for (const resolution of RESOLUTIONS) {
    const title = `a Postman import, values by ${resolution}: newman gets a 200 for each request, or a 404 for an id that is made up`
    await step(title, async () => {
      await using dir = await startDirectory(EXAMPLE_RECORDS)
      const { key } = await dir.account({ tier: 'pro', credits: 100 })
      // Its examples are records of the directory that serves it.
      const document = await (await fetch(`${dir.appUrl}/openapi.json`)).text()
      await writeFile(join(folder, 'imported.json'), document)
      await run(
        tool('openapi2postmanv2'),
        ...['-s', 'imported.json', '-o', 'collection.json'],
        ...['-O', `parametersResolution=${resolution}`],
      )
      await run(
        tool('newman'),
        ...['run', 'collection.json', '--reporters', 'json', '--reporter-json-export', 'run.json'],
        ...['--env-var', `baseUrl=${dir.url}`, '--env-var', `bearerToken=${key}`],
      )
      const { executions } = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')).run
      const statuses = executions.map(endOf)
      const { paths } = JSON.parse(document)
      equal(statuses.length, Object.keys(paths).length)
      const isMadeUp = resolution === 'Schema'
      deepEqual(
        statuses.filter((status: number) => status !== 200 && !(isMadeUp && status === 404)),
        [],
      )
    })
  }
}

/** The status of an answer, or what was sent that an import must not send by itself: one key for every call, a reveal. */
function endOf({ item, request, response }: Execution): number | string {
  const sent = [...request.header, ...request.url.query].map((it) => it.key)
  const unwanted = sent.filter((name) => name === 'Idempotency-Key' || name === 'include')
  if (unwanted.length > 0) return `${item.name}: ${unwanted.join()}`
  const { code, stream } = response
  if (code === 200 || code === 404) return code
  return `${item.name}: ${Buffer.from(stream.data)}`
}
