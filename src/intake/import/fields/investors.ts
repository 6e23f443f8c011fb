/** The fields of companies that speak of investors alone. */
import { ENTITY_KINDS } from '../../../contract/vocabulary.ts'
import type { Fields } from './field.ts'
import * as types from './types.ts'

export const INVESTOR_FIELDS: Fields = {
  fundType: {
    ...types.TEXT(60),
    meaning: 'Of an investor: what kind of fund it is.',
    example: 'venture',
    aliases: ['Investor Type', 'Fund Kind'],
  },
  entityKind: {
    ...types.ONE_OF(ENTITY_KINDS),
    meaning: 'Of an investor: a firm, or an angel.',
    example: 'organization',
    aliases: ['Entity', 'Entity Type'],
  },
  fundAllTimeRoiPct: {
    ...types.NUMBER(-100, 1e9),
    meaning: 'Of an investor: its return on investment of all time, in percent.',
    example: '340.5',
    aliases: ['ROI', 'All Time ROI', 'Fund ROI', 'ROI Percent'],
  },
  trustTier: {
    ...types.TEXT(60),
    meaning: 'Of an investor: how far it is trusted.',
    example: 'tier-1',
    aliases: ['Tier', 'Trust'],
  },
  trustTierRank: {
    ...types.COUNT,
    meaning: 'Of an investor: the same as a rank.',
    example: '1',
    aliases: ['Tier Rank', 'Trust Rank'],
  },
}
