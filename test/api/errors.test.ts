/** contract/Errors: the rows that no other file stands for, and what a failure says. */
import { describe, expect, spyOn, test } from 'bun:test'
import { ERRORS } from '../../src/contract/errors.ts'
import { AURORA, DORADO, JUNO, UNKNOWN_ID, UNKNOWN_SLUG } from '../helpers/fixtures.ts'
import { startApi } from './setup.ts'

const { service, caller } = await startApi({ credits: 1_000 })

async function refusal(path: string) {
  const before = await service.balance(caller.id)
  const { status, body } = await caller.get(path)
  expect(await service.balance(caller.id)).toBe(before)
  return [status, body.error.code]
}

describe('contract/Errors', () => {
  test('contract/Errors: 400 for include=private on GET /v1/people, with a message that says where to reveal', async () => {
    const { status, body } = await caller.get('/v1/people?include=private')
    expect([status, body.error.code, body.error.parameter]).toEqual([
      400,
      'invalid_parameter',
      'include',
    ])
    expect(body.error.message).toContain('/v1/people/{id}?include=private')
  })

  test('contract/Errors: 400 for a missing or empty q on GET /v1/search', async () => {
    for (const path of ['/v1/search', '/v1/search?q=', '/v1/search?q=%20', '/v1/search?limit=3']) {
      expect(await refusal(path)).toEqual([400, 'missing_parameter'])
    }
  })

  test('contract/Errors: 404 of GET /v1/investors/{slug} for a company that is not a fund, even if it has backed rounds', async () => {
    for (const { id, slug } of [AURORA, DORADO, JUNO]) {
      expect(await refusal(`/v1/investors/${slug}`)).toEqual([404, 'not_found'])
      expect(await refusal(`/v1/investors/${id}`)).toEqual([404, 'not_found'])
    }
  })

  test.each(['people', 'projects', 'investors', 'services'])(
    'gate 8: an unknown id or slug of %s is a 404 for 0 credits',
    async (directory) => {
      for (const id of [UNKNOWN_ID, UNKNOWN_SLUG, 'x', '..%2f..', '%20', 'a'.repeat(300)]) {
        expect(await refusal(`/v1/${directory}/${id}`)).toEqual([404, 'not_found'])
      }
    },
  )

  test('a list with a slash behind it is not the list: no credits for an empty id', async () => {
    for (const path of ['/v1/people/', '/v1/projects/', '/v1/investors/', '/v1/services/']) {
      expect(await refusal(path)).toEqual([404, 'not_found'])
    }
  })

  test('fields that a program can act on stand in the error object', async () => {
    const paid = await service.account({ tier: 'pro', credits: 3 })
    const { error } = (await paid.get('/v1/people')).body
    expect(Object.keys(error)).toEqual([
      'code',
      'message',
      'docs',
      'charged',
      'creditsRequired',
      'creditsBalance',
    ])
    const { error: wrong } = (await caller.get('/v1/people?sort=x')).body
    expect(Object.keys(wrong)).toEqual([
      'code',
      'message',
      'docs',
      'charged',
      'parameter',
      'allowed',
    ])
  })

  test('every code has its cause and its cure for the documentation', () => {
    for (const { status, cause, cure } of Object.values(ERRORS)) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect([cause, cure].every((text) => text.length > 10)).toBe(true)
    }
  })
})

describe('contract/Errors: 5xx', () => {
  test('contract/Errors: a failure is a 500 that says no internals and carries the request id', async () => {
    const broken = spyOn(service.directory, 'ready').mockImplementation(() => {
      throw new Error('connection to postgres://root:hunter2@10.0.0.5 refused')
    })
    const before = service.logged.length
    const { status, text, body, headers } = await caller.get('/v1/people', {
      'x-request-id': 'job-9',
    })
    broken.mockRestore()
    expect([status, body.error.code, body.error.charged]).toEqual([500, 'internal_error', 0])
    expect(body.error.message).toContain('job-9')
    expect(headers.get('x-request-id')).toBe('job-9')
    for (const secret of ['hunter2', '10.0.0.5', 'src/', '.ts', 'Error:']) {
      expect(text).not.toContain(secret)
    }
    // The log has the request id and the place, but not the message, which may hold anything.
    const logged = service.logged.slice(before).join('\n')
    expect(logged).toContain('job-9')
    expect(logged).not.toContain('hunter2')
  })

  test('a failure charges nothing, and the next call is answered', async () => {
    const before = await service.balance(caller.id)
    const broken = spyOn(service.directory, 'company').mockImplementation(() => {
      throw new TypeError('undefined is not a function')
    })
    expect(await refusal(`/v1/projects/${AURORA.slug}`)).toEqual([500, 'internal_error'])
    broken.mockRestore()
    const { status, body } = await caller.get(`/v1/projects/${AURORA.slug}`)
    expect([status, body.meta.creditsBalance]).toEqual([200, before - 5])
  })

  test('a thing thrown that is no Error is a 500 too', async () => {
    const broken = spyOn(service.directory, 'ready').mockImplementation(() => {
      throw 'a string'
    })
    expect(await refusal('/v1/search?q=a')).toEqual([500, 'internal_error'])
    broken.mockRestore()
  })
})
