/** The fields of funding rounds. */
import { InvalidValue, type Stored } from '../clean.ts'
import { objectsIn } from '../structures.ts'
import * as values from '../values.ts'
import type { Fields } from './field.ts'
import * as types from './types.ts'

const MOST_INVESTORS = 200

/** `[{"investor", "isLead"}]`; one named twice is one, leading if either says so. */
const investors = (value: unknown) =>
  objectsIn(value, MOST_INVESTORS).map((fields): Stored => {
    const investor = types.reference(fields.investor)
    if (investor === null) throw new InvalidValue('investor missing')
    return { investor, isLead: values.yesOrNo(fields.isLead) ?? false }
  })

export const ROUND_FIELDS: Fields = {
  ...types.keys('rounds'),
  company: {
    ...types.needed(types.COMPANY),
    meaning: 'Who raised the money. Required.',
    example: 'uniswap-labs',
    aliases: ['Company Name', 'Organization', 'Organization Name', 'Project', 'Project Name'],
  },
  roundType: {
    ...types.TEXT(60),
    meaning: 'Kind of round.',
    example: 'Series A',
    aliases: ['Round', 'Stage', 'Type', 'Funding Type', 'Funding Stage', 'Series'],
  },
  roundEventName: {
    ...types.TEXT(200),
    meaning: 'Name of the round as it was announced.',
    example: 'Uniswap Labs Series A',
    aliases: ['Name', 'Round Name', 'Event', 'Event Name', 'Transaction Name'],
  },
  amountUsd: {
    ...types.NUMBER(0, 1e15),
    meaning: 'Amount in US dollars.',
    example: '11000000',
    aliases: ['Amount', 'Amount Raised', 'Raised', 'Money Raised', 'Round Size', 'Raised USD'],
  },
  announceDate: {
    ...types.DATE,
    meaning: 'When it was announced.',
    example: '2020-08-06',
    aliases: [
      'Date',
      'Announced',
      'Announced Date',
      'Announcement Date',
      'Announced On',
      'Closed Date',
    ],
  },
  investors: {
    clean: investors,
    type: 'JSON list of `{"investor", "isLead"}`',
    cleans: `Each investor as a company is named. At most ${MOST_INVESTORS}.`,
    meaning: 'All who invested. A round brings its whole list.',
    example: '[{"investor":"paradigm","isLead":true},{"investor":"usv"}]',
    aliases: ['Investor', 'Investor Names', 'Backers'],
  },
}
