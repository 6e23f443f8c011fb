/** The orders of each list: the values of the API's `sort` and their labels. */
const RECENT = { value: 'recent', label: 'Newest' }
const NAME = { value: 'name', label: 'Name' }

export const ORDERS = {
  people: [RECENT, NAME],
  projects: [RECENT, NAME],
  services: [RECENT, NAME],
  investors: [
    { value: 'portfolio', label: 'Largest portfolio' },
    { value: 'roi', label: 'Highest return' },
    NAME,
    RECENT,
  ],
} as const
