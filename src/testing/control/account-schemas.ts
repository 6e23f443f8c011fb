/** Schemas of accounts and people in the control. */
import { Type } from '@sinclair/typebox'
import { SCOPES } from '../../contract/endpoints.ts'
import { CAP_PERIODS } from '../../contract/keys.ts'
import { GRANT_SOURCES, PLANS, TIERS } from '../../contract/tiers.ts'
import { count, flag, id, list, named, oneOf, optional, orNull, text, time } from './shapes.ts'

const tier = oneOf(TIERS, 'What the account may do.')
const plan = oneOf(Object.keys(PLANS), 'What is bought: a tier, and credits for 30 days.')
export const newAccount = named(
  'NewAccount',
  optional({
    tier,
    credits: count('Credits that never expire; 0 unless given.'),
    organization: text('What `/v1/me` names as its organization.'),
    name: text('Who it is.'),
    email: text('Where to reach them.'),
  }),
  'An account to make; `free` and without credits unless given.',
)

export const madeAccount = named(
  'MadeAccount',
  { id: id('the account'), key: text('A key with all scopes.') },
  'An account that was made.',
)

export const account = named(
  'Account',
  {
    id: id('the account'),
    name: text('Who it is.'),
    email: text('Where to reach them.'),
    tier,
    organization: orNull(text('Its workspace.')),
    plan: orNull(plan),
    planRenews: flag('Whether another period follows.'),
    planEndsAt: orNull(time('When the period ends.')),
    createdAt: time('When it was made, in real time.'),
    creditsBalance: Type.Integer({ description: 'Credits available now.' }),
  },
  'An account, with what has expired gone from it.',
)

export const accountChange = named('AccountChange', { tier }, 'What to change of an account.')

export const newKey = named(
  'NewKey',
  optional({
    scopes: list(oneOf(SCOPES, 'A scope.'), 'All of them unless given.'),
    label: text('What the key is for.'),
    expires: text('After which time it ends: `90d`.'),
    cap: named(
      'NewKeyCap',
      {
        credits: count('The most that the key spends in a period.', 1),
        period: oneOf(CAP_PERIODS, 'Of UTC.'),
      },
      'A cap on the credits that the key spends.',
    ),
    networks: list(
      text('An address or a network like `203.0.113.0/24`.'),
      'Where it may be used from; a test on this machine comes from 127.0.0.1.',
    ),
  }),
  'A key to make.',
)

export const madeKey = named('MadeKey', { key: text('The key.') }, 'A key that was made.')

export const newPlan = named(
  'NewPlan',
  {
    plan,
    renews: Type.Optional(
      flag('Whether another period follows; else the tier falls back to free.'),
    ),
  },
  'A plan to begin now.',
)

export const newGrant = named(
  'NewGrant',
  {
    account: id('the account'),
    credits: count('How many.', 1),
    source: Type.Optional(oneOf(GRANT_SOURCES, 'Where they come from; `topup` unless given.')),
    expires: Type.Optional(
      text('A duration like `7d`, an ISO 8601 time, or `never`; by default as the source has it.'),
    ),
  },
  'Credits to give.',
)

export const balance = named(
  'Balance',
  { balance: Type.Integer({ description: 'Credits after the grant.' }) },
  'What the account has.',
)

export const ledger = named(
  'Ledger',
  {
    entries: list(
      named(
        'LedgerEntry',
        {
          at: time("When, by the directory's clock."),
          kind: oneOf(['grant', 'charge', 'expiry', 'reversal', 'carried'], 'What it is.'),
          credits: Type.Integer({ description: 'A charge is negative.' }),
          balanceAfter: Type.Integer(),
          requestId: orNull(text('`X-Request-Id` of the call.')),
          endpoint: orNull(text('Of the call, as `/v1/people/{id}`.')),
        },
        'One entry; the balance is the sum of all.',
      ),
      'The oldest first.',
    ),
  },
  'Every movement of credits.',
)

export const newUser = named(
  'NewUser',
  optional({
    email: text('`ada@example.com` unless given.'),
    name: text('Who it is.'),
    password: text('8 characters or more.'),
  }),
  'Somebody who can sign in to the application.',
)

export const madeUser = named(
  'MadeUser',
  {
    id: id('the user'),
    email: text('Confirmed.'),
    password: text('What they sign in with.'),
    account: id('their account'),
  },
  'Somebody who was made, with an account of their own and its trial.',
)
