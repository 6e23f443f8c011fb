/** Compression of answers: who takes it, and a beginning that any end follows. */
import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { gzipBeginning, gzipWithEnd, takesGzip } from '../src/gzip.ts'

describe('Accept-Encoding', () => {
  const takes = (header: string | null) => {
    const headers = header === null ? {} : { 'accept-encoding': header }
    return takesGzip(new Request('http://x', { headers }))
  }

  test.each([
    'gzip',
    'GZIP',
    'x-gzip',
    'gzip, deflate, br, zstd',
    'br;q=1, gzip;q=0.001',
    'gzip; Q=0.5',
    'deflate , gzip ; q = 1',
    '*',
    '*;q=0.1',
    'br;q=0, *',
    'identity;q=0, *;q=0.5',
    'identity;q=0.5, gzip',
    'gzip, identity',
    'gzip;q=1, *;q=0',
  ])('%s takes gzip', (header) => expect(takes(header)).toBe(true))

  test.each([
    null,
    '',
    'identity',
    'br',
    'deflate, br, zstd',
    'gzip;q=0',
    'gzip;q=0.000, br',
    '*;q=0',
    'gzip;q=0, *',
    'br, *;q=0',
    'identity, gzip;q=0.5',
    'identity;q=0.9, *;q=0.8',
    'gzip;q=high',
    'gzip;q=',
    'gzippy',
    'not-gzip',
  ])('%s does not', (header) => expect(takes(header)).toBe(false))
})

test('a compressed beginning with an end is one member of gzip, which holds both', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((it) => it.repeat(500)),
  )
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1 }), (start, ends) => {
      const beginning = gzipBeginning(Buffer.from(start))
      for (const end of ends) {
        const sent = Buffer.concat(gzipWithEnd(beginning, end))
        expect(gunzipSync(sent).toString()).toBe(Buffer.from(start + end).toString())
        // The runtime's own reader stops at the first member's end.
        expect(new TextDecoder().decode(Bun.gunzipSync(sent))).toBe(gunzipSync(sent).toString())
      }
    }),
  )
})
