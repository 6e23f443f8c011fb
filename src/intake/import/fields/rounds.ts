/** The fields of funding rounds. */
import type { Fields, Investment, Values } from './types.ts'
import * as types from './types.ts'
import {
  asObject,
  type Cleaner,
  companiesIn,
  InvalidValue,
  leaveNothingOut,
  soundOf,
  uuid,
  yesOrNo,
} from './values.ts'

const MOST_INVESTORS = 200

/** Investors by name, or objects `{"investor", "isLead"}` in JSON. */
const investors: Cleaner = (value, warn) => investments(value, false, warn)
/** Lead investors by name. */
const leads: Cleaner = (value, warn) => investments(value, true, warn)

/** Leaves single entries out that can't be stored. */
function investments(value: unknown, isLead: boolean, warn = leaveNothingOut): Investment[] {
  const given = companiesIn(value)
  if (given.length > MOST_INVESTORS) throw new InvalidValue(`more than ${MOST_INVESTORS} items`)
  return soundOf(given, (one) => investmentOf(one, isLead), warn).filter((one) => one !== null)
}

function investmentOf(one: unknown, isLead: boolean): Investment | null {
  if (typeof one !== 'object' || one === null) {
    const investor = types.reference(one)
    return investor === null ? null : { investor, isLead }
  }
  const fields = asObject(one)
  const investor = types.reference(fields.investor)
  if (investor === null) throw new InvalidValue('investor missing')
  const id = uuid(fields.investmentId)
  return {
    investor,
    isLead: isLead || yesOrNo(fields.isLead) === true,
    ...(id !== null && { investmentId: id }),
  }
}

export const ROUND_FIELDS: Fields = {
  ...types.keys('rounds'),
  company: {
    ...types.needed(types.COMPANY),
    meaning: 'Who raised the money. Required.',
    example: 'uniswap.org',
    aliases: ['Company Name', 'Organization', 'Organization Name', 'Project', 'Project Name'],
  },
  roundType: {
    ...types.TEXT(60),
    meaning: 'Kind of round.',
    example: 'Series A',
    aliases: ['Round', 'Stage', 'Type', 'Funding Type', 'Funding Stage', 'Series'],
    isEssential: 'withoutKey',
  },
  roundEventName: {
    ...types.TEXT(200),
    meaning: 'Name of the round as it was announced.',
    example: 'Uniswap Labs Series A',
    aliases: ['Name', 'Round Name', 'Event', 'Event Name', 'Transaction Name'],
    isEssential: 'withoutKey',
  },
  amountUsd: {
    ...types.DOLLARS(1e15),
    meaning: 'Amount in US dollars.',
    example: '$11M',
    doubt: {
      isOdd: (value) => typeof value === 'number' && value > 0 && value < 10_000,
      oddity: 'amounts are below $10,000',
      hasUnit: true,
    },
    aliases: [
      'Amount',
      'Amount Raised',
      'Raised',
      'Money Raised in USD',
      'Round Size',
      'Raised USD',
    ],
  },
  announceDate: {
    ...types.DATE,
    meaning: 'When it was announced.',
    example: '2020-08-06',
    doubt: {
      isOdd: (value) => typeof value === 'string' && value < '2000',
      oddity: 'dates are before 2000',
    },
    aliases: [
      'Date',
      'Announced',
      'Announced Date',
      'Announcement Date',
      'Announced On',
      'Closed Date',
    ],
    isEssential: 'withoutKey',
  },
  investors: {
    clean: investors,
    type: 'list of companies',
    cleans: `Names between bars (\`|\`), else semicolons or line breaks, else commas or line breaks (\`Acme, Inc.\` is one name), or a JSON list of names or of \`{"investor", "isLead"}\`; \`investmentId\` beside them is the id of a new investment. Each is named as a person's company is. At most ${MOST_INVESTORS}.`,
    meaning:
      'All who invested. A round brings its whole list, in this field and `leadInvestors` together.',
    example: 'Paradigm|Union Square Ventures',
    aliases: ['Investor', 'Investor Names', 'Backers', 'All Investors', 'Other Investors'],
  },
  leadInvestors: {
    clean: leads,
    type: 'list of companies',
    cleans: 'As `investors`.',
    meaning: 'Who led the round. They need not stand in `investors` too.',
    example: 'Paradigm',
    aliases: ['Lead', 'Leads', 'Lead Investor', 'Lead Investor Names', 'Led By'],
  },
}

/** Adds the leads to the investors; an investor in both leads. */
export function withLeads({ leadInvestors, ...others }: Values): Values {
  if (leadInvestors === undefined) return others
  return { ...others, investors: [...(others.investors ?? []), ...leadInvestors] }
}
