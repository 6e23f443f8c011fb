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
import whole from '../../../package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../../..')
const CLIENT = join(ROOT, 'sdk')
const NAME = 'client.tgz'
/** What npm puts into every package by itself: where each is taken from. */
const BESIDE = { LICENSE: 'LICENSE', 'README.md': 'src/sdk/README.md' }

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
/** Two packages of one commit are the same bytes: nothing tells when it was packed. */
const add = (file: string, content: string | Buffer) =>
  archive.entry({ name: `package/${file}`, mtime: new Date(0) }, content)
const written = pipeline(archive, createGzip(), createWriteStream(join(CLIENT, NAME)))
add('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
for (const [file, from] of Object.entries(BESIDE)) {
  add(file, await readFile(join(ROOT, from)))
}
const files = await readdir(CLIENT, { recursive: true })
for (const file of files.filter((each) => /\.(js|d\.ts)$/.test(each)).sort()) {
  add(file, await readFile(join(CLIENT, file)))
}
archive.finalize()
await written
