/** The control's operations on accounts and people. */
import type { GrantSource, PlanName, Tier } from '../../contract/tiers.ts'
import type { AccountOptions } from '../account.ts'
import type { KeyOptions } from '../keys.ts'
import { checkNames } from '../options.ts'
import type { TestDirectory } from '../test-directory.ts'
import type { UserOptions } from '../users.ts'
import * as schemas from './account-schemas.ts'
import type { Asked, Operation } from './operation.ts'

interface GrantBody {
  account?: string
  credits: number
  source?: GrantSource
  expires?: string
}

interface PlanBody {
  plan: PlanName
  renews?: boolean
}

const accountAt = (directory: TestDirectory, { params: { id = '' } }: Asked) =>
  directory.accountOf(id)

export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/accounts',
    operationId: 'createAccount',
    summary: 'Make an account with a key',
    body: schemas.newAccount,
    answer: schemas.madeAccount,
    status: 201,
    async run(directory, { body }) {
      const { id, key } = await directory.account(body as AccountOptions)
      return { id, key }
    },
  },
  {
    method: 'GET',
    path: '/accounts/:id',
    operationId: 'getAccount',
    summary: 'An account with its balance',
    answer: schemas.account,
    run: (directory, asked) => accountAt(directory, asked).show(),
  },
  {
    method: 'PATCH',
    path: '/accounts/:id',
    operationId: 'changeAccount',
    summary: 'Change the tier, from the next call on',
    body: schemas.accountChange,
    answer: schemas.account,
    async run(directory, asked) {
      checkNames('account', asked.body, ['tier'])
      const account = accountAt(directory, asked)
      await account.setTier((asked.body as { tier: Tier }).tier)
      return account.show()
    },
  },
  {
    method: 'GET',
    path: '/accounts/:id/ledger',
    operationId: 'getLedger',
    summary: 'Every movement of credits',
    answer: schemas.ledger,
    run: async (directory, asked) => ({ entries: await accountAt(directory, asked).ledger() }),
  },
  {
    method: 'POST',
    path: '/accounts/:id/keys',
    operationId: 'createKey',
    summary: 'Make another key of an account',
    body: schemas.newKey,
    answer: schemas.madeKey,
    status: 201,
    run: async (directory, asked) => ({
      key: await accountAt(directory, asked).newKey(asked.body as KeyOptions),
    }),
  },
  {
    method: 'DELETE',
    path: '/accounts/:id/keys/:key',
    operationId: 'revokeKey',
    summary: 'End a key: its next call is refused',
    run: (directory, asked) => accountAt(directory, asked).revoke(asked.params.key ?? ''),
  },
  {
    method: 'PUT',
    path: '/accounts/:id/plan',
    operationId: 'startPlan',
    summary: 'Begin a plan now',
    body: schemas.newPlan,
    answer: schemas.account,
    async run(directory, asked) {
      checkNames('plan', asked.body, ['plan', 'renews'])
      const { plan, ...options } = asked.body as PlanBody
      const account = accountAt(directory, asked)
      await account.startPlan(plan, options)
      return account.show()
    },
  },
  {
    method: 'DELETE',
    path: '/accounts/:id/plan',
    operationId: 'stopPlan',
    summary: 'End the plan now, with what is left of its credits',
    run: (directory, asked) => accountAt(directory, asked).stopPlan(),
  },
  {
    method: 'POST',
    path: '/grants',
    operationId: 'grantCredits',
    summary: 'Give credits',
    body: schemas.newGrant,
    answer: schemas.balance,
    status: 201,
    async run(directory, { body }) {
      checkNames('grants', body, ['account', 'credits', 'source', 'expires'])
      const { account = '', credits, source, expires } = body as GrantBody
      return { balance: await directory.accountOf(account).grant(credits, source, expires) }
    },
  },
  {
    method: 'POST',
    path: '/users',
    operationId: 'createUser',
    summary: 'Make somebody who can sign in to the application',
    body: schemas.newUser,
    answer: schemas.madeUser,
    status: 201,
    async run(directory, { body }) {
      const { account, ...user } = await directory.user(body as UserOptions)
      return { ...user, account: account.id }
    },
  },
]
