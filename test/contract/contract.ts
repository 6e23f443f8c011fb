/** The whole suite of the public contract, by its parts. */
import { account } from './account.ts'
import { authentication } from './authentication.ts'
import { companies } from './companies.ts'
import { credits } from './credits.ts'
import { gates } from './gates.ts'
import { parameters } from './parameters.ts'
import { people } from './people.ts'
import { protocol } from './protocol.ts'
import { reveals } from './reveals.ts'
import { samples } from './samples.ts'
import { search } from './search.ts'
import type { Suite } from './suite.ts'

export function contract(suite: Suite): void {
  gates(suite)
  account(suite)
  authentication(suite)
  protocol(suite)
  people(suite)
  companies(suite)
  search(suite)
  parameters(suite)
  samples(suite)
  reveals(suite)
  credits(suite)
}
