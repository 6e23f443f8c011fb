/** Operations of a test server's control. Each calls the kit, which checks the arguments. */

import type { GrantSource, PlanName, Tier } from '../../contract/tiers.ts'
import type { Rows } from '../../embed-testing.ts'
import type { AccountOptions } from '../account.ts'
import type { Fault, FaultOptions } from '../faults.ts'
import { fixtures } from '../fixtures.ts'
import type { KeyOptions } from '../keys.ts'
import { checkNames, NotThere, WrongOption } from '../options.ts'
import type { TestDirectory } from '../test-directory.ts'
import type { UserOptions } from '../users.ts'
import * as accountSchemas from './account-schemas.ts'
import type { Asked, Operation } from './operation.ts'
import * as schemas from './schemas.ts'

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

const ACCOUNT_OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/accounts',
    operationId: 'createAccount',
    summary: 'Make an account with a key',
    body: accountSchemas.newAccount,
    answer: accountSchemas.madeAccount,
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
    answer: accountSchemas.account,
    run: (directory, asked) => accountAt(directory, asked).show(),
  },
  {
    method: 'PATCH',
    path: '/accounts/:id',
    operationId: 'changeAccount',
    summary: 'Change the tier, from the next call on',
    body: accountSchemas.accountChange,
    answer: accountSchemas.account,
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
    answer: accountSchemas.ledger,
    run: async (directory, asked) => ({ entries: await accountAt(directory, asked).ledger() }),
  },
  {
    method: 'POST',
    path: '/accounts/:id/keys',
    operationId: 'createKey',
    summary: 'Make another key of an account',
    body: accountSchemas.newKey,
    answer: accountSchemas.madeKey,
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
    body: accountSchemas.newPlan,
    answer: accountSchemas.account,
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
    body: accountSchemas.newGrant,
    answer: accountSchemas.balance,
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
    body: accountSchemas.newUser,
    answer: accountSchemas.madeUser,
    status: 201,
    async run(directory, { body }) {
      const { account, ...user } = await directory.user(body as UserOptions)
      return { ...user, account: account.id }
    },
  },
]

const shown = ({ id, hits, options }: Fault) => ({ id, hits, options })

const DIRECTORY: readonly Operation[] = [
  {
    method: 'GET',
    path: '/fixtures',
    operationId: 'getFixtures',
    summary: 'The fixed records, which are there unless others were given at the start',
    answer: schemas.fixtures,
    run: () => fixtures,
  },
  {
    method: 'POST',
    path: '/records',
    operationId: 'addRecords',
    summary: 'Add or change records; the API shows them when this has answered',
    body: schemas.records,
    run: (directory, { body }) => directory.records(body as Rows),
  },
  {
    method: 'GET',
    path: '/clock',
    operationId: 'getClock',
    summary: "The directory's time",
    answer: schemas.clock,
    run: (directory) => ({ now: directory.now().toISOString() }),
  },
  {
    method: 'POST',
    path: '/clock',
    operationId: 'moveClock',
    summary: 'Move the clock on: windows end, credits expire',
    body: schemas.clockChange,
    answer: schemas.clock,
    async run(directory, { body }) {
      checkNames('clock', body, ['advance', 'now'])
      const { advance, now } = body as { advance?: string; now?: string }
      if ((advance === undefined) === (now === undefined)) {
        throw new WrongOption('clock: expected one of advance and now')
      }
      if (advance !== undefined) await directory.advance(advance)
      if (now !== undefined) await directory.setNow(now)
      return { now: directory.now().toISOString() }
    },
  },
  {
    method: 'POST',
    path: '/reset',
    operationId: 'reset',
    summary: 'No accounts, windows, faults and calls, and the first time; records stay',
    run: (directory) => directory.reset(),
  },
]

const FAULTS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/faults',
    operationId: 'createFault',
    summary: 'Hit calls with a fault from now on',
    body: schemas.newFault,
    answer: schemas.fault,
    status: 201,
    async run(directory, { body }) {
      const fault = directory.fault(body as FaultOptions)
      await fault.ready
      return shown(fault)
    },
  },
  {
    method: 'GET',
    path: '/faults',
    operationId: 'listFaults',
    summary: 'Faults that are not over',
    answer: schemas.faults,
    run: (directory) => ({ faults: directory.faults().map(shown) }),
  },
  {
    method: 'DELETE',
    path: '/faults',
    operationId: 'endFaults',
    summary: 'End every fault',
    run(directory) {
      for (const fault of directory.faults()) fault.end()
    },
  },
  {
    method: 'DELETE',
    path: '/faults/:id',
    operationId: 'endFault',
    summary: 'End one fault',
    run(directory, { params }) {
      const fault = directory.faults().find(({ id }) => String(id) === params.id)
      if (!fault) throw new NotThere(`there is no fault ${params.id}, or it is over`)
      fault.end()
    },
  },
  {
    method: 'POST',
    path: '/outage',
    operationId: 'startOutage',
    summary: 'Answer as without a database from now on: 503',
    body: schemas.newOutage,
    run(directory, { body }) {
      checkNames('outage', body, ['ms'])
      directory.outage((body as { ms: number }).ms)
    },
  },
  {
    method: 'GET',
    path: '/calls',
    operationId: 'listCalls',
    summary: 'The calls of the API that have ended, with what they were answered and charged',
    query: {
      account: 'Calls of this account alone: its id.',
      path: 'Calls of this path alone, without a query.',
    },
    answer: schemas.calls,
    run: (directory, { query }) => ({ calls: directory.calls(query) }),
  },
]

export const OPERATIONS: readonly Operation[] = [...ACCOUNT_OPERATIONS, ...DIRECTORY, ...FAULTS]
