/** The tool `get_balance`: the account's credits, what calls cost, and what the session has spent. Free. */
import { Type } from '@sinclair/typebox'
import { SCOPES } from '../contract/endpoints.ts'
import { keyCap } from '../contract/schemas/account.ts'
import {
  count,
  flag,
  integer,
  list,
  oneOf,
  orNull,
  record,
  text,
} from '../contract/schemas/shapes.ts'
import { TIERS } from '../contract/tiers.ts'
import { BALANCE_TOOL, PRICES } from './prices.ts'
import { answered, spentIn } from './results.ts'
import type { Tool } from './tool.ts'

/** Without the holder's name and address: a model needs neither. */
const OUTPUT = record('Balance', 'Credits of the account and of this session.', {
  creditsBalance: integer('Credits available now; below zero only where there is no ceiling.'),
  unlimited: flag('Whether the account has no credit ceiling.'),
  tier: oneOf(TIERS, 'Tier of the account.'),
  sampleMode: flag('Whether calls are answered with samples now, for want of credits.'),
  canReveal: flag('Whether the key may reveal private channels.'),
  keyCap: Type.Optional(keyCap),
  session: record('SessionCredits', 'What this session may spend of them.', {
    creditsSpent: count('Credits that this session has spent.'),
    maxCredits: orNull(count('The most that it may spend; null: the balance alone limits it.')),
  }),
  prices: list(
    record('ToolPrice', 'What a call of a tool costs.', {
      tool: text('Name of the tool.'),
      credits: count('Credits of a call.'),
    }),
    'Of every tool.',
  ),
})

export const BALANCE: Tool = {
  name: BALANCE_TOOL,
  title: 'Credits and prices',
  description:
    'What the account has left, what this session has spent and may spend, what each tool costs, and whether the key may reveal private channels.',
  isReading: true,
  parameters: {},
  output: OUTPUT,
  async run({ session, signal }) {
    const account = await session.account(signal)
    const { creditsBalance, unlimited, tier, sampleMode, apiKey } = account
    const { creditsSpent, maxCredits } = session
    return answered(`${creditsBalance} credits left. ${spentIn(session)}`, {
      creditsBalance,
      unlimited: unlimited === true,
      tier,
      sampleMode,
      canReveal: SCOPES.every((scope) => apiKey.scopes.includes(scope)),
      ...(apiKey.cap && { keyCap: apiKey.cap }),
      session: { creditsSpent, maxCredits },
      prices: PRICES,
    })
  },
}
