/** Parameters that several endpoints share. */
import type { IntegerParameter, ListParameter, TextParameter } from '../parameters.ts'

const MAX_QUERY_CHARACTERS = 200

export const q: TextParameter = {
  kind: 'text',
  maxLength: MAX_QUERY_CHARACTERS,
  description:
    'Search text: case, accents and a leading @ or $ are ignored; every word must match, the last one as a prefix, longer ones also with a typo.',
  example: 'uniswap',
}

/** A page past the end is empty and costs as much, so an upper bound is for arithmetic only. */
const page: IntegerParameter = {
  kind: 'integer',
  default: 1,
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  description: 'Page number, from 1. A page past the end is empty.',
}

const limit: IntegerParameter = {
  kind: 'integer',
  default: 30,
  min: 1,
  max: 100,
  description: 'Page size; clamped to 1..100. The response reports the size used.',
}

export const paging = { page, limit }

/** Of each group in a search; at most what its default is. */
export const searchLimit: IntegerParameter = {
  kind: 'integer',
  default: 12,
  min: 1,
  max: 12,
  description: 'Records of each group; clamped to 1..12.',
}

export const sector = {
  kind: 'list',
  repeatable: true,
  description: 'Sectors, OR-ed: repeated, comma-separated or as sector[]; case is ignored.',
  example: 'DeFi',
} as const satisfies ListParameter
