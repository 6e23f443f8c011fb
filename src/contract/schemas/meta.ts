/** What every 200 says about its price. */
import { Type } from '@sinclair/typebox'
import { count, record, url } from './shapes.ts'

/** What a call took and left. */
export const billed = {
  creditsCharged: count('Credits that this call took.'),
  creditsBalance: Type.Integer({
    description: 'Balance after the call; below zero only where there is no ceiling.',
  }),
}

export const meta = record('Meta', 'What the call cost.', billed)

export const sampleMeta = record('SampleMeta', 'What the call would have cost.', {
  creditsCharged: Type.Literal(0, { description: 'A sample costs nothing.' }),
  creditsBalance: Type.Integer({ description: 'The current balance.' }),
  creditsRequired: count('Credits of the live call; less the balance, it is the top-up needed.'),
  sample: Type.Literal(true, { description: 'Marks a sample.' }),
  upgradeUrl: url('Where to get credits.'),
})
