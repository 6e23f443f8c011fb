/** Kinds of requests, limits of their texts, and the lifetime of links. */

export const REQUEST_KINDS = ['show', 'correct', 'remove'] as const
export type RequestKind = (typeof REQUEST_KINDS)[number]

/** Characters of a name or an address of a page, and of what is to be corrected. */
export const MAX_PERSON = 300
export const MAX_DETAILS = 2_000
/** Length of the reason for a refusal. */
export const MAX_REASON = 1_000

/** How long the link of a mail is good for. */
export const LINK_LASTS_HOURS = 48
