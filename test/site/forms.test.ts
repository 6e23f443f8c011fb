/** Forms: what is read of a body, within which limits, and whose forms are taken. */
import { describe, expect, test } from 'bun:test'
import type { PaymentGateway } from '../../src/money/payments/gateway.ts'
import { MAX_FORM_BYTES, readForm } from '../../src/site/http/form.ts'
import { PageError } from '../../src/site/http/page-error.ts'
import { receiveStripe } from '../../src/site/pages/billing/stripe-webhook.ts'
import { rejection } from '../helpers/rejection.ts'

const FORM = 'application/x-www-form-urlencoded'

function post(body: BodyInit, type = FORM): Request {
  return new Request('http://app.test/', {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  })
}

/** What a body is refused with, or 'read'. */
async function outcomeOf(request: Request, maxBytes?: number): Promise<number | 'read'> {
  try {
    await readForm(request, { maxBytes })
    return 'read'
  } catch (error) {
    if (error instanceof PageError) return error.status
    throw error
  }
}

describe('the body of a form', () => {
  test('fields come in their order, decoded, also those that are there twice', async () => {
    const form = await readForm(
      post('name=Ada+Ashford&scope=a&scope=b&note=%E2%82%AC%26', `${FORM}; charset=utf-8`),
    )
    expect([...form]).toEqual([
      ['name', 'Ada Ashford'],
      ['scope', 'a'],
      ['scope', 'b'],
      ['note', '€&'],
    ])
  })

  test('another type is a 415, and none is too', async () => {
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', '']) {
      expect([type, await outcomeOf(post('a=1', type))]).toEqual([type, 415])
    }
  })

  test('as many bytes as allowed are read, one more is a 413', async () => {
    const full = `a=${'x'.repeat(MAX_FORM_BYTES - 2)}`
    expect(await outcomeOf(post(full))).toBe('read')
    expect(await outcomeOf(post(`${full}x`))).toBe(413)
    expect(await outcomeOf(post(`${full}x`), MAX_FORM_BYTES + 1)).toBe('read')
  })

  test('a body without an end is left alone at the limit', async () => {
    let pulled = 0
    const endless = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(1_024).fill(97))
      },
    })
    expect(await outcomeOf(post(endless))).toBe(413)
    expect(pulled).toBeLessThan(100)
  })

  test('more than 200 fields are a 413', async () => {
    expect(await outcomeOf(post(Array(200).fill('a=1').join('&')))).toBe('read')
    expect(await outcomeOf(post(Array(201).fill('a=1').join('&')))).toBe(413)
    // Of a form that may be twice as large twice as many.
    const twice = post(Array(400).fill('a=1').join('&'))
    expect(await outcomeOf(twice, 2 * MAX_FORM_BYTES)).toBe('read')
  })

  test('bytes that are no UTF-8 are a 400', async () => {
    expect(await outcomeOf(post(new Uint8Array([97, 61, 0xff, 0xfe])))).toBe(400)
  })

  test('an empty body is a form without fields', async () => {
    expect([...(await readForm(post('')))]).toEqual([])
  })
})

describe('/webhooks/stripe', () => {
  const SIGNATURE = `t=1,v1=${'a'.repeat(64)}`
  const SIGNED = { 'stripe-signature': SIGNATURE }
  const took = async (body: BodyInit, answer: 200 | 400 = 200, headers = {}) => {
    const seen: [string, string | null][] = []
    const payments: Pick<PaymentGateway, 'webhook'> = {
      webhook: async (text, signature) => {
        seen.push([text, signature])
        return answer
      },
    }
    const request = new Request('http://app.test/webhooks/stripe', {
      method: 'POST',
      body,
      headers,
    })
    const { status } = await receiveStripe(payments, request)
    return { seen, status, isRead: request.bodyUsed }
  }

  test('hands the body on as it came, with its signature, and answers with nothing but a status', async () => {
    const body = '{ "id": "evt_1",\n  "name": "Zo\u00eb € " }\n'
    const { seen, status } = await took(body, 200, SIGNED)
    expect([seen, status]).toEqual([[[body, SIGNATURE]], 200])
    expect((await took('x', 400, SIGNED)).status).toBe(400)
  })

  test('without the form of a signature no body is read', async () => {
    for (const signature of ['', 't=1,v1=00', `v1=${'a'.repeat(64)}`, 't=1', `${SIGNATURE} or 1`]) {
      const headers = signature && { 'stripe-signature': signature }
      expect(await took('x', 200, headers || {})).toEqual({ seen: [], status: 400, isRead: false })
    }
    const several = `v0=${'b'.repeat(64)},v1=${'c'.repeat(64)},${SIGNATURE}`
    expect((await took('x', 200, { 'stripe-signature': several })).status).toBe(200)
  })

  test('a body beyond 256 KB is refused: by its stated length before any of it is read, and as it comes', async () => {
    expect(await rejection(took('x'.repeat(256 * 1024 + 1), 200, SIGNED))).toMatchObject({
      status: 413,
    })
    const length = { 'content-length': String(256 * 1024 + 1) }
    let pulled = 0
    const unread = new ReadableStream(
      {
        pull() {
          pulled++
        },
      },
      { highWaterMark: 0 },
    )
    expect(await rejection(took(unread, 200, { ...SIGNED, ...length }))).toMatchObject({
      status: 413,
      headers: { connection: 'close' },
    })
    expect(pulled).toBe(0)
  })
})
