/** Reasons of exit 1. */
import { expect, test } from 'bun:test'
import { DatabaseUnavailable } from '../../../src/database/client.ts'
import { reasonOf } from '../../../src/server/commands/command.ts'

test('a command whose end is not known does not claim that nothing was done', () => {
  const unsent = new DatabaseUnavailable('no connection')
  const unknown = new DatabaseUnavailable('no answer', { isUnknown: true })
  expect(reasonOf(unsent)).toBe('the database is unavailable: no connection')
  expect(reasonOf(unknown)).toBe(
    'the database is unavailable: no answer. What the command changes may be changed: look before you repeat it',
  )
})

test('privacy: an unforeseen error is told by its kind and place, never by its message', () => {
  const reason = reasonOf(new TypeError('email ann@example.com'))
  expect(reason).toStartWith('TypeError')
  expect(reason).not.toContain('ann@example.com')
})
