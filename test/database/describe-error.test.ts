/** Errors as people see them: enough to find the fault, nothing of what a statement was given. */
import { expect, test } from 'bun:test'
import { describeError } from '../../src/database/client.ts'

test('privacy: of an error neither the message nor the detail is told', () => {
  const refused = Object.assign(new Error('invalid input: "ada@private.example"'), {
    code: '22P02',
    detail: 'Failing row contains (ada@private.example).',
  })
  const wrapped = new Error('Failed query: insert … params: ada@private.example', {
    cause: refused,
  })
  for (const error of [refused, wrapped]) {
    const text = describeError(error)
    expect(text).toContain('22P02')
    expect(text).toContain('describe-error.test.ts')
    expect(text).not.toContain('private.example')
  }
})

test('what was thrown is told by its kind, even if it is no error', () => {
  expect(describeError(new TypeError('x is not a function'))).toStartWith('TypeError\n')
  expect(describeError('thrown text')).toBe('something that is no error was thrown: string')
})
