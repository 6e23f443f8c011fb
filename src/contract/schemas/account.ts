/** Schema of `/v1/me` (contract, D16). */
import { Type } from '@sinclair/typebox'
import { CALL_CREDITS, REVEAL_CREDITS, SCOPES } from '../endpoints.ts'
import { TIERS } from '../tiers.ts'
import { meta } from './meta.ts'
import { count, flag, oneOf, record, text, url, uuid } from './shapes.ts'

const pricedEndpoint = record('PricedEndpoint', 'A live endpoint and its price.', {
  method: oneOf(['GET'], { description: 'HTTP method.' }),
  path: text('Path, with its parameter in braces.'),
  summary: text('What it answers.'),
  credits: count('Credits of a call.'),
})

const apiKey = record('ApiKey', 'The key that the call was made with.', {
  label: text('Label given to the key.'),
  prefix: text('Its beginning, for display.'),
  scopes: Type.Array(oneOf(SCOPES), { description: 'What the key may do.' }),
  environment: text('Environment of the key, for example live.'),
})

const pricing = record('Pricing', 'The price list in short.', {
  currency: oneOf(['credits'], { description: 'What is charged.' }),
  basicCallCredits: Type.Literal(CALL_CREDITS, { description: 'Credits of a data call.' }),
  privateCallCredits: Type.Literal(REVEAL_CREDITS, {
    description: 'Credits of the first reveal of a contact.',
  }),
  note: text('The same in words.'),
})

export const account = record('Account', 'The account, its balance and the price list.', {
  apiVersion: text('The build that answers; the same as the header Service-API-Version.'),
  baseUrl: url('Where to send every other call.'),
  docs: url('Where the documentation is.'),
  endpoints: Type.Array(pricedEndpoint, { description: 'Every live endpoint.' }),
  id: uuid('Identifier of the account.'),
  name: text("The account holder's name."),
  email: text("The account holder's e-mail address."),
  tier: oneOf(TIERS, { description: 'Tier of the account.' }),
  sampleMode: flag('Whether data calls are answered with samples: free tier and too few credits.'),
  organization: text("Name of the workspace, or the service's own name."),
  creditsBalance: Type.Integer({
    description: 'Credits available now; below zero only where there is no ceiling.',
  }),
  unlimited: Type.Optional(
    Type.Literal(true, { description: 'Only present where the account has no credit ceiling.' }),
  ),
  apiKey,
  pricing,
  meta,
})
