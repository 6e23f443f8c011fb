/**
 * Packs the compiled client as a package by itself, for who takes it without the service: it has the name of the whole, so
 * that `import … from 'chainkin/sdk'` stays the same. `npm pack` runs this when it has compiled the client, and the whole
 * has the file in it.
 */
import { createWriteStream } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import whole from '../../package.json' with { type: 'json' }

const CLIENT = join(import.meta.dirname, '../../sdk')
const NAME = 'client.tgz'

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

// In the folder a manifest would be one that Node minds nothing of.
await rm(join(CLIENT, 'package.json'), { force: true })
const archive = pack()
const written = pipeline(archive, createGzip(), createWriteStream(join(CLIENT, NAME)))
archive.entry({ name: 'package/package.json' }, `${JSON.stringify(manifest, null, 2)}\n`)
const files = await readdir(CLIENT, { recursive: true })
for (const file of files.filter((each) => /\.(js|d\.ts)$/.test(each)).sort()) {
  archive.entry({ name: `package/${file}` }, await readFile(join(CLIENT, file)))
}
archive.finalize()
await written
