/** Names of people, in two columns or in one. */
import { type Cleaner, holdsEmail, InvalidValue } from '../clean.ts'
import type { Values } from '../schema.ts'
import * as types from './types.ts'

/** What follows a last name and is none: `Jr.`, `III`, `PhD`; and what has no letters, like an emoji. */
const SUFFIX =
  /^(?:jr|sr|[js]nr|ii|iii|iv|ph\.?d|m\.?d|mba|m\.?sc|b\.?sc|llm|ll\.m|j\.?d|esq|cfa|cpa|caia|cissp|[^\p{L}]+)\.?$/iu

/** Programs show people without a name by their e-mail address, which must not become a public name. */
export const nameOf = (limit: number) => ({
  ...types.TEXT(limit),
  clean: (value: unknown) => {
    const written = types.TEXT(limit).clean(value) ?? null
    if (typeof written !== 'string' || !holdsEmail(written)) return written
    throw new InvalidValue('an e-mail address and no name')
  },
})

/** The last name before a comma. Behind several words stands more often a title. */
const INVERTED = /^([^ ,]+), ([^,]+)$/

/** A name in which the last name can't be told is refused: it would be half another one. */
export const fullName: Cleaner = (value) => {
  const written = nameOf(200).clean(value)
  if (typeof written !== 'string' || !written.includes(',')) return written ?? undefined
  const [, ...behind] = written.split(/, ?/)
  if (INVERTED.test(written) || behind.every((part) => SUFFIX.test(part))) return written
  throw new InvalidValue(
    'a comma may stand behind the last name or before a title: give firstName and lastName',
  )
}

/** Splits `fullName` where the row brings neither name. */
export function withNames({ fullName, ...others }: Values): Values {
  if (typeof fullName !== 'string') return others
  // Blank columns of names say nothing beside a full one.
  if (others.firstName || others.lastName) return others
  return { ...others, ...split(fullName) }
}

/** `Ada King Lovelace`, `Lovelace, Ada`, `Martin King Jr.`. */
function split(fullName: string): { firstName: string; lastName: string | null } {
  const inverted = INVERTED.exec(fullName)
  if (inverted && !SUFFIX.test(inverted[2] ?? '')) {
    const [, lastName = '', firstName = ''] = inverted
    return { firstName, lastName }
  }
  const words = fullName.split(' ')
  let last = words.length - 1
  while (last > 0 && SUFFIX.test((words[last] ?? '').replace(/,$/, ''))) last--
  if (last === 0) return { firstName: fullName, lastName: null }
  const lastName = words.slice(last).join(' ')
  return { firstName: words.slice(0, last).join(' '), lastName }
}
