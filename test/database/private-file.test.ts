/** Files with secrets, or data of people: nobody but their owner reads what is written. */
import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { openPrivateFile, writePrivateFile } from '../../src/database/private-file.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { rejection } from '../helpers/rejection.ts'
import { sharedDirectory } from '../helpers/shared.ts'

const directory = sharedDirectory()

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

/** A file that everybody may read, opened by somebody who does. */
async function openedByOthers(name: string) {
  const path = join(directory.path, name)
  await writeFile(path, 'before')
  await chmod(path, 0o644)
  return { path, reader: await open(path) }
}

async function writeByHandle(path: string, text: string) {
  await using file = await openPrivateFile(path)
  await file.appendFile(text)
}

test.each([
  ['written whole', writePrivateFile],
  ['written piece by piece', writeByHandle],
])('a file %s is a new one that its owner alone reads, whatever was there', async (name, write) => {
  const { path, reader } = await openedByOthers(name)
  await write(path, 'secret')
  expect([await readFile(path, 'utf8'), await modeOf(path)]).toEqual(['secret', 0o600])
  expect(await reader.readFile('utf8')).toBe('before')
  await reader.close()
  const link = `${path} by a link`
  await symlink(path, link)
  await write(link, 'secret of a link')
  expect([await readlink(link), await readFile(path, 'utf8')]).toEqual([path, 'secret of a link'])
  expect(await modeOf(path)).toBe(0o600)
  await write(`${path} that is new`, 'secret')
  expect(await modeOf(`${path} that is new`)).toBe(0o600)
  await write('/dev/null', 'secret')
  expect(await rejection(write(directory.path, 'secret'))).toMatchObject({ code: 'EISDIR' })
  const beside = [...(await readdir(directory.path)), ...(await readdir(dirname(directory.path)))]
  const left = beside.filter((file) => file.endsWith('.partial'))
  expect(
    left.filter((file) => file.startsWith(name) || file.includes(basename(directory.path))),
  ).toEqual([])
})

test('a file that could not be written whole leaves the one that was there', async () => {
  const path = join(directory.path, 'kept')
  await writeFile(path, 'before')
  async function* broken() {
    yield 'half'
    throw new Error('no more')
  }
  expect(String(await rejection(writePrivateFile(path, broken())))).toBe('Error: no more')
  expect(await readFile(path, 'utf8')).toBe('before')
  const files = await readdir(directory.path)
  expect(files.filter((file) => file.startsWith('kept'))).toEqual(['kept'])
})

test('a file that a shell appends to keeps what it has', async () => {
  const path = join(directory.path, 'appended')
  await writeFile(path, 'before\n')
  await using file = await open(path, 'a')
  const module = join(PROJECT_ROOT, 'src/database/private-file.ts')
  const script = `const { writePrivateFile } = await import(${JSON.stringify(module)})
await writePrivateFile('/dev/stdout', 'after')`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', file.fd, 'inherit'] })
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await readFile(path, 'utf8')).toBe('before\nafter')
})
