/** Why an account has no trial credits, for the pages that say so. */
export const NO_TRIAL = {
  mailbox: 'There are no trial credits: another account of the same mailbox had them.',
  throwaway: 'There are no trial credits for addresses of throw-away mail services.',
} as const
