/** Options that the index is built and asked with. */

/** Where a word stands in a record: bits, since it may stand in several places. */
export const FIELD = {
  name: 1,
  /** The whole ticker or the whole handle: exact matches of it come first. */
  key: 2,
  /** The whole domain, without `www.`. */
  domain: 4,
  /** A part of a handle or of a domain. */
  part: 8,
  /** A job title or a summary. */
  text: 16,
  /** The first word of the name, set beside `name`. */
  first: 32,
} as const

/** Bits of a posting that say where the word stands; the others are the record's slot. */
export const FIELD_BITS = 6
export const FIELD_MASK = (1 << FIELD_BITS) - 1
/** A posting is a positive 32-bit number, and ranking sorts by 25 bits of slot. */
export const SLOTS_MAX = 2 ** 25
