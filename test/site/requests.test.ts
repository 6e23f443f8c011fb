/** The page of requests: what the log has, filtered and paged, errors with their cure. */
import { describe, expect, test } from 'bun:test'
import { ERRORS } from '../../src/contract/errors.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { tableIn, textIn } from './reading.ts'
import { sharedPostgresTown } from './visitor.ts'

const { service, town } = sharedPostgresTown(fixtures, ({ requests }) => ({
  application: { requests },
}))

describe('the page of requests', () => {
  test('shows each call with its end, and an error with its cure; filters and pages are exact', async () => {
    const ada = await town.person()
    expect(await ada.text('/requests')).toContain('No calls yet.')
    const keys = [
      await createKey(service.database, ada.accountId, 'nightly', ['read:metadata']),
      await createKey(service.database, ada.accountId, '<laptop>', ['read:metadata']),
    ]
    for (let call = 0; call < 60; call++) {
      const { key = '' } = keys[call % 2] ?? {}
      const path = call === 59 ? '/v1/search' : '/v1/me'
      await service.request(path, { headers: { authorization: `Bearer ${key}` } })
    }
    const first = await ada.text('/requests')
    const rows = tableIn(first, 'Requests')
    expect(rows).toHaveLength(50)
    expect(textIn(first)).toContain('60 calls')
    const [, call = '', ...rest] = rows[0] ?? []
    expect(call).toMatch(/^GET \/v1\/search ?[0-9a-f-]{36} missing_parameter /)
    expect(call).toEndWith(ERRORS.missing_parameter.cure.replaceAll('`', ''))
    expect(rest.slice(0, 2)).toEqual(['400', '0'])
    expect(first).toContain('/docs/errors#missing_parameter')
    expect(rows[0]?.[5]).toContain(keys[1]?.prefix)
    const sizes = async (query: string) =>
      tableIn(await ada.text(`/requests?${query}`), 'Requests').length
    expect(await sizes('page=2')).toBe(10)
    expect(await sizes('status=4xx')).toBe(1)
    expect(await sizes('status=5xx')).toBe(0)
    expect(await sizes(`status=2xx&key=${keys[1]?.id.toUpperCase()}`)).toBe(29)
    expect(await sizes('path=%2Fv1%2Fsearch&page=7')).toBe(1)
    expect(await sizes('status=nothing&page=-1')).toBe(50)
  })

  test('what to do about an error is said once a page, and every call that ended with it names it', async () => {
    const ada = await town.person()
    const { key } = await createKey(service.database, ada.accountId, 'mine', ['read:metadata'])
    for (const path of ['/v1/search', '/v1/people/nobody', '/v1/search']) {
      await service.request(path, { headers: { authorization: `Bearer ${key}` } })
    }
    const page = await ada.text('/requests')
    const calls = tableIn(page, 'Requests').map(([, call = '']) => call)
    expect(calls.map((call) => /missing_parameter|not_found/.exec(call)?.[0])).toEqual([
      'missing_parameter',
      'not_found',
      'missing_parameter',
    ])
    const cure = ERRORS.missing_parameter.cure.replaceAll('`', '')
    expect(calls.map((call) => call.endsWith(cure))).toEqual([true, false, false])
    expect(calls[1]).toEndWith(ERRORS.not_found.cure.replaceAll('`', ''))
  })

  test('shows nobody another account’s calls, and needs a session', async () => {
    const [ada, eve] = [await town.person(), await town.person('Eve')]
    const { key, id } = await createKey(service.database, ada.accountId, 'ada', ['read:metadata'])
    await service.request('/v1/me', { headers: { authorization: `Bearer ${key}` } })
    expect(tableIn(await ada.text('/requests'), 'Requests')).toHaveLength(1)
    expect(await eve.text(`/requests?key=${id}`)).toContain('No calls yet.')
    const stranger = await town.visitor().get('/requests')
    expect(stranger.headers.get('location')).toContain('/sign-in')
  })
})
