/** The tool `get_filter_values`: what filters of lists take, and how many records have it. Free. */
import { record, text } from '../contract/schemas/shapes.ts'
import { VALUES_TOOL } from './prices.ts'
import { answered, failed, spentIn } from './results.ts'
import { DocumentMissing } from './session.ts'
import type { Tool } from './tool.ts'

export const VALUES: Tool = {
  name: VALUES_TOOL,
  title: 'Values of filters',
  description:
    'What roles, channels, sector, fundType and trustTier take in each list, with how many records have each value. Look here before a filter whose values you would have to guess.',
  isReading: true,
  parameters: {},
  output: record('FilterValues', 'Values of filters.', { values: text('Tables in Markdown.') }),
  async run({ session, signal }) {
    try {
      const values = await session.document('values', signal)
      return answered(`Values of filters. ${spentIn(session)}`, { values })
    } catch (error) {
      if (!(error instanceof DocumentMissing)) throw error
      return failed(`${error.message} Nothing was charged.`)
    }
  },
}
