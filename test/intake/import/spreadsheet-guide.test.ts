/** The guide from a spreadsheet to the first call says true commands: all of them run here, in their order. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { get, PROJECT_ROOT, run, type Server, serve } from '../../helpers/command.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { formIn, tableIn, textIn } from '../../site/reading.ts'

const t = sharedDatabase()
const directory = sharedDirectory()

const GUIDE = readFileSync(join(PROJECT_ROOT, 'src/intake/import/FROM-A-SPREADSHEET.md'), 'utf8')
const CHAINKIN = 'npx bun src/main.ts '

type Fields = readonly (readonly [name: string, value: string])[]

/** The guide's blocks in their order: files, commands, and what a command prints. */
const BLOCKS = [...GUIDE.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
  ([, kind = '', name = '', text = '']) => ({ kind, name, text: text.trim() }),
)

/** Somebody with a browser that keeps cookies. */
function browser(server: Server) {
  const cookies = new Map<string, string>()
  async function ask(path: string, init: RequestInit = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: server.appUrl }
    const response = await fetch(server.appUrl + path, { ...init, headers, redirect: 'manual' })
    for (const given of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? []
      cookies.set(name, value)
    }
    const text = await response.text()
    if (response.status >= 400) throw new Error(`${path}: ${response.status} ${textIn(text)}`)
    return text
  }
  return {
    page: ask,
    async submit(path: string, fields: Fields) {
      const body = formIn(await ask(path), path)
      for (const [name, value] of fields) body?.append(name, value)
      return ask(path, { method: 'POST', body: body ?? null })
    },
  }
}

test('every command does what the guide says, up to the call on the Usage page', async () => {
  const env = { DATABASE_URL: t.url }
  let server: Server | undefined
  let visitor: ReturnType<typeof browser> | undefined
  let key = ''
  let said = ''
  try {
    for (const { kind, name, text } of BLOCKS) {
      if (kind === 'csv') writeFileSync(join(directory.path, name), `${text}\n`)
      else if (kind === 'text') expect(said).toContain(text)
      else if (kind === 'json') expect(JSON.parse(text).meta).toEqual(JSON.parse(said).meta)
      else if (text === `${CHAINKIN}serve`) server = await serve(env)
      else if (text.startsWith(CHAINKIN)) {
        const args = text.slice(CHAINKIN.length).split(' ')
        said = (await run(args, { env, cwd: directory.path })).stdout
      } else if (text.startsWith('perl ')) {
        expect(spawnSync('sh', ['-c', text], { cwd: directory.path }).status).toBe(0)
      } else if (text.startsWith('export API_KEY=')) {
        if (!server) throw new Error('nothing was started')
        visitor = browser(server)
        await visitor.submit('/sign-up', [
          ['name', 'Ada'],
          ['email', 'ada@scout.example'],
          ['password', 'correct horse battery staple'],
        ])
        const made = await visitor.submit('/keys', [
          ['label', 'first'],
          ['scopes', 'read:metadata'],
        ])
        key = /ck_live_\w+/.exec(made)?.[0] ?? ''
        if (key === '') throw new Error(`no key was made: ${textIn(made)}`)
      } else if (text.startsWith('curl ')) {
        const url = /"(http[^"]+)"$/.exec(text)?.[1] ?? ''
        const { status, text: answer } = await get(addressed(url), key)
        expect(status).toBe(200)
        said = answer
      } else expect(text).toBe('npx bun install')
    }
    if (!visitor) throw new Error('nobody signed up')
    const search = await visitor.page(pathOf('/search'))
    expect(textIn(search)).toContain('Ada Lovelace')
    const usage = await visitor.page(pathOf('/balance'))
    const [latest = []] = tableIn(usage, 'Transactions, newest first')
    expect(latest).toEqual(expect.arrayContaining(['−5', '245']))
  } finally {
    await server?.stop()
  }

  function addressed(url: string) {
    return url.replace('http://127.0.0.1:3000', server?.apiUrl ?? '')
  }
})

/** Path and query of a page as the guide links to it. */
const pathOf = (path: string) =>
  new RegExp(`<http://127\\.0\\.0\\.1:3001(${path}[^>]*)>`).exec(GUIDE)?.[1] ?? ''
