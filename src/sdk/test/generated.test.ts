/** The client's generated files are those of the contract. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GENERATED, sdkFiles } from '../../server/build/sdk.ts'

test('src/sdk/generated is what `bun run sdk` writes', () => {
  const found = Object.fromEntries(
    readdirSync(GENERATED).map((name) => [name, readFileSync(join(GENERATED, name), 'utf8')]),
  )
  expect(found).toEqual(sdkFiles())
})
