/** Schemas of `/v1/me` (contract), and of `meta`, which every 200 has. */
import { Type } from '@sinclair/typebox'
import { CALL_CREDITS, REVEAL_CREDITS, SCOPES } from '../endpoints.ts'
import { CAP_PERIODS } from '../keys.ts'
import { TIERS } from '../tiers.ts'
import {
  constant,
  count,
  enumeration,
  flag,
  integer,
  list,
  oneOf,
  record,
  text,
  time,
  url,
  uuid,
} from './shapes.ts'

const tier = enumeration('Tier', TIERS, 'Tier of an account.')
const scope = enumeration('Scope', SCOPES, 'What a key may do.')

/** The charge and the balance after it. */
export const billed = {
  creditsCharged: count('Credits that this call took.'),
  creditsBalance: integer('Balance after the call; below zero only where there is no ceiling.'),
}

export const meta = record('Meta', 'What the call cost.', billed)

export const sampleMeta = record('SampleMeta', 'What the call would have cost.', {
  creditsCharged: constant(0, 'A sample costs nothing.'),
  creditsBalance: integer('The current balance.'),
  creditsRequired: count('Credits of the live call; less the balance, it is the top-up needed.'),
  sample: constant(true, 'Marks a sample.'),
  upgradeUrl: url('Where to get credits.'),
})

const pricedEndpoint = record('PricedEndpoint', 'A live endpoint and its price.', {
  method: oneOf(['GET'], 'HTTP method.'),
  path: text('Path, with its parameter in braces.'),
  summary: text('What it answers.'),
  credits: count('Credits of a call.'),
})

export const keyCap = record('KeyCap', 'What the key may spend.', {
  credits: count('Credits that it may spend in each period.'),
  period: oneOf(CAP_PERIODS, 'The period: a day or a month of UTC.'),
  spent: count('Credits spent in this period, also by keys that it was rotated from or to.'),
  renewsAt: time('When the next period begins.'),
})

const apiKey = record('ApiKey', 'The key that the call was made with.', {
  label: text('Label given to the key.'),
  prefix: text('Its beginning, for display.'),
  scopes: list(scope, 'What the key may do.'),
  environment: text('Environment of the key, for example live.'),
  expiresAt: Type.Optional(time('Only of a key that has an end: when it stops.')),
  cap: Type.Optional(keyCap),
  networks: Type.Optional(
    list(Type.String(), 'Only of a key that has some: the networks that it may be used from.'),
  ),
})

const pricing = record('Pricing', 'The price list in short.', {
  currency: oneOf(['credits'], 'What is charged.'),
  basicCallCredits: constant(CALL_CREDITS, 'Credits of a data call.'),
  privateCallCredits: constant(REVEAL_CREDITS, 'Credits of the first reveal of a contact.'),
  note: text('The same in words.'),
})

export const account = record('Account', 'The account, its balance and the price list.', {
  apiVersion: text('The build that answers; the same as the header Service-API-Version.'),
  baseUrl: url('Where to send every other call.'),
  docs: url('Where the documentation is.'),
  endpoints: list(pricedEndpoint, 'Every live endpoint.'),
  id: uuid('Identifier of the account.'),
  name: text("The account holder's name."),
  email: text("The account holder's e-mail address."),
  tier,
  sampleMode: flag('Whether data calls are answered with samples: free tier and too few credits.'),
  organization: text("Name of the workspace, or the service's own name."),
  creditsBalance: integer('Credits available now; below zero only where there is no ceiling.'),
  unlimited: Type.Optional(constant(true, 'Only present where the account has no credit ceiling.')),
  apiKey,
  pricing,
  meta,
})
