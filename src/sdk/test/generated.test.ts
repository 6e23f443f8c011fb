/** The client's generated files are those of the contract, and the client stands by itself. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../../../test/helpers/command.ts'
import { GENERATED, sdkFiles } from '../../server/build/sdk.ts'

const SDK = join(PROJECT_ROOT, 'src/sdk')

test('src/sdk/generated is what `bun run sdk` writes', () => {
  const found = Object.fromEntries(
    readdirSync(GENERATED).map((name) => [name, readFileSync(join(GENERATED, name), 'utf8')]),
  )
  expect(found).toEqual(sdkFiles())
})

test('the client imports nothing but itself', () => {
  const files = readdirSync(SDK, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(files.length).toBeGreaterThan(15)
  const outside = files.flatMap((name) => {
    const text = readFileSync(join(SDK, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    return [...text.matchAll(/\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'/g)]
      .map(([, from = '', dynamic = '']) => from || dynamic)
      .filter((to) => !join(SDK, name, '..', to).startsWith(`${SDK}/`) || !to.startsWith('.'))
      .map((to) => `${name} -> ${to}`)
  })
  expect(outside).toEqual([])
})
