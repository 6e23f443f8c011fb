/** People of a test directory, who can sign in to the application. */
import {
  createPasswords,
  type Database,
  insertUser,
  isEmail,
  OWN_PLACE,
  ownAccountOf,
  setEmail,
  storedEmail,
} from '../embed-testing.ts'
import { type AccountHandle, accountHandle } from './account.ts'
import { checkNames, checkText, isText, WrongOption } from './options.ts'

export interface UserOptions {
  /** `ada@example.com` unless said otherwise. */
  email?: string
  name?: string
  /** 8 characters or more; `a password of Ada` unless said otherwise. */
  password?: string
}

export const USER_OPTIONS = [
  'email',
  'name',
  'password',
] as const satisfies readonly (keyof UserOptions)[]

/** Somebody with a confirmed address, an account of their own with its trial, and no key. */
export interface TestUser {
  id: string
  email: string
  password: string
  account: AccountHandle
}

/** The least that scrypt takes: nobody attacks a test's passwords, and real ones take a third of a second, at each sign-in again. */
const QUICK = { cost: 2, block: 1, parallel: 1 }

/** Makes a user. @throws TypeError where the address is taken. @internal */
export async function newUser(
  database: Database,
  options: UserOptions,
  trialCredits: number,
  onChange: () => void,
): Promise<TestUser> {
  checkNames('user', options, USER_OPTIONS)
  const { name = 'Ada', password = 'a password of Ada' } = options
  const email = storedEmail(
    checkText('email', options.email ?? 'ada@example.com', 'an e-mail address', isEmail),
  )
  const isName = (text: string) => isText(text) && text.length <= 100
  checkText('name', name, '1 to 100 characters', isName)
  const isPassword = (text: string) => text.length >= 8 && text.length <= 200
  checkText('password', password, '8 to 200 characters', isPassword)
  const hash = await createPasswords({ settings: QUICK }).hash(password, OWN_PLACE)
  const id = await insertUser(database, { email, name, password: hash, trialCredits })
  const account = id && (await ownAccountOf(database, id))
  if (!id || !account) throw new WrongOption(`email: ${email} is taken`)
  await setEmail(database, id, email, true)
  return { id, email, password, account: accountHandle(database, account, onChange) }
}
