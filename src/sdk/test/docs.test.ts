/** The programs of `/docs/client` do what the page says, with the client as the package has it. */
import { expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sharedDirectory } from '../../../test/helpers/shared.ts'
import { startDirectory } from '../../testing/start.ts'
import { compileClient } from './programs.ts'

const folder = sharedDirectory()
const run = promisify(execFile)

/** Invented, so that the programs find what they ask for. */
const RECORDS = {
  companies: [
    { name: 'Sample Protocol', slug: 'sample-protocol', companyType: 'project', sectors: ['DeFi'] },
  ],
  people: [
    { firstName: 'Alex', slug: 'alex-sample', company: 'sample-protocol', email: 'alex@a.example' },
  ],
}

test('each program of the page runs, with credits and without', async () => {
  await using dir = await startDirectory(RECORDS)
  const home = join(folder.path, 'node_modules/chainkin')
  await mkdir(home, { recursive: true })
  await compileClient(home)
  const exports = { './sdk': './chainkin.js' }
  await writeFile(
    join(home, 'package.json'),
    JSON.stringify({ name: 'chainkin', type: 'module', exports }),
  )
  const page = await (await fetch(`${dir.appUrl}/docs/client.md`)).text()
  const programs = [...page.matchAll(/```ts\n([\s\S]*?)\n```/g)].map(([, text = '']) => text)
  expect(programs).toHaveLength(4)

  const outputs = async (credits: number) => {
    const { key } = await dir.account({ credits })
    const saying = programs.map(async (program, n) => {
      const file = join(folder.path, `program-${n}-${credits}.ts`)
      await writeFile(file, program)
      const env = { ...process.env, API_KEY: key, NO_COLOR: '1' }
      // Bun takes the types off; the client that it runs is the compiled one.
      const said = await run(process.execPath, [file], { env }).catch((error) => error)
      return said.stdout + said.stderr
    })
    return Promise.all(saying)
  }
  const [first, pages, errors, samples] = await outputs(100)
  expect(first).toContain('of 1')
  expect(first).toContain('5 credits were charged')
  expect(pages).toContain('5 credits were spent')
  expect(errors).toContain('alex@a.example')
  expect(samples).toContain('Sample Protocol 1')
  const [refused, , without, sample] = await outputs(0)
  expect(refused).toContain('NOT REAL DATA')
  expect(without).toContain('sample_refused')
  expect(sample).toContain('Not real: NOT REAL DATA')
})
