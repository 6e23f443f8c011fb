/** The documentation's console: the application sends calls to the API in its own process, whatever runtime that is. */
import { expect } from 'bun:test'
import { formIn } from '../../site/reading.ts'
import type { Received } from '../http.ts'
import type { Stage } from '../stage.ts'

const LIST = '/docs/reference/listPeople'
const CONSOLE = `${LIST}#answered`

export function consoleCases(stage: Stage) {
  stage.check('a call of the console is charged as any other, and once for its form', async () => {
    const { load, submit } = visitor(stage)
    const member = { name: 'Cora', email: 'cora@example.com', password: 'correct horse battery' }
    await submit('/sign-up', await load('/sign-up', member))
    const label = { label: 'console', scopes: 'read:metadata' }
    await submit('/keys', await load('/keys', label))
    const { text } = await submit(LIST)
    const [, keyId = ''] = /<option value="([^"]+)"[^>]*>console /.exec(text) ?? []
    const form = await load(LIST, { keyId, limit: '1' }, CONSOLE)
    expect((await submit(LIST, form)).text).toContain(
      '5 credits were charged. 245 credits are left.',
    )
    expect((await submit(LIST, form)).text).toContain('This was charged before; nothing more was.')
  })
}

/** Somebody with a browser's cookies. */
function visitor(stage: Stage) {
  const cookies = new Map<string, string>()

  async function submit(path: string, form?: URLSearchParams): Promise<Received> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const received = await stage.app(path, {
      headers: { ...(cookie && { Cookie: cookie }), ...(form && type) },
      ...(form && { method: 'POST', body: String(form) }),
    })
    const set = received.headers['set-cookie'] ?? ''
    for (const [, name = '', value = ''] of set.matchAll(/(\w*ck_\w+)=([^;,]*)/g))
      cookies.set(name, value)
    return received
  }

  /** A page's form with its hidden fields, filled in. */
  async function load(path: string, fields: Record<string, string>, action = path) {
    const form = formIn((await submit(path)).text, action)
    if (!form) throw new Error(`${path} has no form`)
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return form
  }

  return { load, submit }
}
