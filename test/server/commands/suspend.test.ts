/** `account suspend|resume|note|notes`, with the real process on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { sharedDatabase } from '../../helpers/shared.ts'
import { newAccount } from '../../money/charge/fixtures.ts'
import { commandsIn } from './cli.ts'

const NOBODY = '0190a000-0000-7000-8000-000000000999'

const database = sharedDatabase()
const { chainkin, done, refused } = commandsIn(() => ({ DATABASE_URL: database.url }))

test.concurrent('account suspend gives the account with reason and time, and resume takes both away', async () => {
  const { id } = await newAccount(database.sql)
  const suspended = await done('account', 'suspend', id, '--reason', 'Unpaid since May.')
  const account = { id, suspendedAt: expect.any(String), suspensionReason: 'Unpaid since May.' }
  expect(suspended).toMatchObject(account)
  const resumed = await done('account', 'resume', id)
  expect(resumed).toEqual({ ...suspended, suspendedAt: null, suspensionReason: null })
})

test.concurrent('account note gives the note with who wrote it, and notes lists it', async () => {
  const { id } = await newAccount(database.sql)
  const note = await done('account', 'note', id, 'Asked for an invoice.')
  expect(note).toMatchObject({ text: 'Asked for an invoice.', who: expect.any(String) })
  expect(await done('account', 'notes', id)).toEqual({ notes: [note] })
})

test.concurrent('they refuse an account of nobody, a reason of two lines and an empty note, and say why', async () => {
  const [suspended, noted, lines, empty] = await Promise.all([
    refused('account', 'suspend', NOBODY, '--reason', 'x'),
    refused('account', 'note', NOBODY, 'x'),
    chainkin(['account', 'suspend', NOBODY, '--reason', 'a\nb']),
    chainkin(['account', 'note', NOBODY, ' ']),
  ])
  expect([suspended, noted]).toEqual(Array(2).fill(`there is no account ${NOBODY}`))
  expect([lines.code, lines.stderr]).toEqual([2, expect.stringContaining('Only one line of text')])
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('Please fill this in')])
})
