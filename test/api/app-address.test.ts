/** contract/Errors 404 (HTML): the application address is not the API. */
import { expect, test } from 'bun:test'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { ADA } from '../helpers/fixtures.ts'
import { APP_URL } from '../helpers/service.ts'
import { startApi } from './setup.ts'

const { service, caller } = await startApi({ credits: 100 })

async function app(path: string, init: RequestInit = {}) {
  const response = await service.web(new Request(`${APP_URL}${path}`, init))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test.each([
  ...Object.values(ENDPOINTS).map(({ path }) => path.replace(/:\w+/, ADA.slug)),
  '/v1/people?q=ada',
  '/v1',
  '/no/such/page',
])(
  'contract/Errors: 404 (HTML): %s sent to the application address is an HTML 404, key or no key, for 0 credits',
  async (path) => {
    const headers = { authorization: `Bearer ${caller.key}`, accept: 'application/json' }
    for (const init of [{}, { headers }]) {
      const { status, headers: sent, text } = await app(path, init)
      expect(status).toBe(404)
      expect(sent.get('content-type')).toStartWith('text/html')
      expect(text).toStartWith('<!')
    }
    expect(await service.balance(caller.id)).toBe(100)
  },
)

test('/ and /docs are HTML pages', async () => {
  for (const path of ['/', '/docs']) {
    const { status, headers } = await app(path)
    expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, 'text/html'])
  }
})

test('where error.docs points there is a page with a section of that name', async () => {
  const codes = ['not_found', 'unauthorized', 'unknown_parameter', 'insufficient_credits']
  const { body } = await service.request('/nothing')
  const url = new URL(body.error.docs)
  const { status, text } = await app(url.pathname)
  expect([status, url.hash]).toEqual([200, '#not_found'])
  for (const code of codes) expect(text).toContain(`id="${code}"`)
})

test('contract/Sample responses: upgradeUrl and docs lead to pages that exist', async () => {
  const free = await service.account()
  const { upgradeUrl } = (await free.get('/v1/people')).body.meta
  const { docs } = (await free.get('/v1/me')).body
  for (const address of [upgradeUrl, docs]) {
    expect((await app(new URL(address).pathname)).status).toBe(200)
  }
})
