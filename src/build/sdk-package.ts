/**
 * Makes the compiled client's folder a package by itself, for who takes the client without the service: it has the name of the
 * whole, so that `import … from 'chainkin/sdk'` stays the same. `npm pack` runs this when it has compiled the client.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import whole from '../../package.json' with { type: 'json' }

const { name, version, license, type } = whole
const { types, default: module } = whole.exports['./sdk']
const inside = (path: string) => path.replace('/sdk/', '/')

const manifest = {
  ...{ name, version, license, type },
  description: 'The client of the API.',
  exports: { './sdk': { types: inside(types), default: inside(module) } },
  engines: { node: whole.engines.node, bun: '>=1', deno: '>=2' },
  sideEffects: false,
}

const file = join(import.meta.dirname, '../../sdk/package.json')
await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`)
