/** The application's pages, which are built on the first request for one. */
import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import * as openapi from '../../../src/api/openapi/document.ts'
import * as sections from '../../../src/site/docs/search-sections.ts'
import { APP_URL } from '../../helpers/service.ts'
import { sharedService } from '../../helpers/shared.ts'

const service = sharedService()

afterEach(() => {
  mock.restore()
})

const get = async (path: string) => {
  const response = await service.web(new Request(`${APP_URL}${path}`))
  return { status: response.status, text: await response.text() }
}

test('however many wait for pages that could not be built, the log says so once', async () => {
  spyOn(openapi, 'openApiDocument').mockRejectedValueOnce(new Error('out of memory'))
  const answers = await Promise.all(Array.from({ length: 5 }, () => get('/docs')))
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  expect(service.logged.filter((line) => line.includes('could not be built'))).toHaveLength(1)
})

test('pages that could not be built are built by a later request, and meanwhile the answer says so', async () => {
  const build = spyOn(openapi, 'openApiDocument').mockRejectedValueOnce(new Error('out of memory'))
  expect(await get('/docs')).toEqual({
    status: 503,
    text: "The service can't answer right now. Try again in a few seconds.\n",
  })
  expect((await get('/health/live')).status).toBe(200)
  expect((await get('/about')).status).not.toBe(503)
  expect(build).toHaveBeenCalledTimes(2)
})

test('an index of the documentation that could not be built is built by a later request', async () => {
  spyOn(sections, 'sectionsOf').mockImplementationOnce(() => {
    throw new Error('no')
  })
  const statuses = [(await get('/docs')).status, (await get('/docs')).status]
  expect(statuses).toEqual([500, 200])
})
