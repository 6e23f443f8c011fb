/** New passwords: which are taken, and why others are not. */
import { expect, test } from 'bun:test'
import { validNewPassword } from '../../../src/people/users/new-password.ts'

const OWNER = { email: 'grace.hopper@example.com', serviceName: 'Harbour Lists' }

/** What a password is refused with, or 'taken'. */
async function outcomeOf(password: string): Promise<string> {
  try {
    return (await validNewPassword('password', password, OWNER)) === password ? 'taken' : 'changed'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test.each([
  'correct horse battery',
  'tenletters',
  'alllowercaseandlong',
  '        . .       ',
  'пароль для проверки',
  'ñandú über straße',
  '🐙🐙🦑🦑🐠🐟🐡🦀🦞🦐',
  'nul\0 and\ttabs\nand lines',
  `${'x'.repeat(63)}y`,
  `${'correct horse '.repeat(14)}end`,
])('any characters make a password, without rules about them: %j', async (password) => {
  expect(await outcomeOf(password)).toBe('taken')
})

test.each([
  ['ninechars', 'At least 10 characters.'],
  // Ten in UTF-16, five characters.
  ['🐙🦑🐠🐟🐡', 'At least 10 characters.'],
  [`${'x'.repeat(199)}yz`, 'At most 200 characters.'],
])('its length is counted in characters: %j', async (password, message) => {
  expect(await outcomeOf(password)).toBe(message)
})

test.each([
  'qwertyuiop',
  'Password123',
  'PASSWORD123!',
  'iloveyou2026',
  'Administrator!',
  '1234567890',
  '9876543210',
  'abcdefghijkl',
  'aaaaaaaaaa',
  'abababababab',
  'dragondragon',
  // As another keyboard types it: full-width letters are the same letters.
  'ｑｗｅｒｔｙｕｉｏｐ',
])('what many people use is refused, however it is dressed up: %j', async (password) => {
  expect(await outcomeOf(password)).toStartWith('Many people use this password')
})

test.each([
  'grace.hopper@example.com',
  'Grace.Hopper@Example.COM',
  'grace.hopper',
  'Grace.Hopper1906!',
  'harbour lists',
  'Harbour Lists 1',
  'chainkin2026',
  'ChainkinChainkin',
])('one’s own address and the service’s names are refused: %j', async (password) => {
  expect(await outcomeOf(password)).toStartWith('This is your address or the name of this service.')
})
