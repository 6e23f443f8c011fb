/** Errors of a group: which ones may be tried again, and which would charge twice. */
import { describe, expect, test } from 'bun:test'
import {
  type Connection,
  type Database,
  DatabaseUnavailable,
} from '../../../src/database/client.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { plainRead } from './fixtures.ts'

/** A database that answers every statement with this error, and how many it was asked. */
function failing(error: Error): { database: Database; asked: () => number } {
  let asked = 0
  const sql = {
    unsafe: async () => {
      asked++
      throw error
    },
  }
  const database: Database = {
    use: (work) => work({ sql, db: {} } as unknown as Connection),
    listen: async () => ({ stop: async () => {} }),
    close: async () => {},
  }
  return { database, asked: () => asked }
}

function twoCalls(database: Database) {
  const meter = createMeter(database)
  return Promise.allSettled(
    [1, 2].map((number) =>
      meter.charge(
        plainRead({ id: `0190a000-0000-7000-8000-00000000000${number}`, key: crypto.randomUUID() }),
      ),
    ),
  )
}

describe('what may have been charged is never sent again', () => {
  test('an error of the driver itself ends the whole group as unavailable, after one statement', async () => {
    const { database, asked } = failing(new TypeError('null is not an object'))
    const results = await twoCalls(database)
    expect(asked()).toBe(1)
    for (const result of results) {
      expect(result.status).toBe('rejected')
      expect(result.status === 'rejected' && result.reason).toBeInstanceOf(DatabaseUnavailable)
      expect(result).toMatchObject({ reason: { isUnknown: true } })
    }
  })

  test('a statement that the server refused did nothing: each call is tried alone', async () => {
    const { database, asked } = failing(Object.assign(new Error('refused'), { code: '22P02' }))
    await twoCalls(database)
    expect(asked()).toBe(3)
  })

  test('a call with a character that can’t be sent reaches no statement', async () => {
    const { database, asked } = failing(new Error('not asked'))
    const meter = createMeter(database)
    const call = plainRead(
      { id: crypto.randomUUID(), key: crypto.randomUUID() },
      { request_id: 'a,b' },
    )
    await expectRejection(meter.charge(call), 'a call of the meter')
    expect(asked()).toBe(0)
  })
})
