/** The columns of the directory's lists, for the cells that `list-rows.tsx` makes. */
import type { ListName } from '../../contract/vocabulary.ts'
import type { ListColumn } from '../ui/list-table.tsx'

const NAME: ListColumn = { label: 'Name', order: 'name' }
const SECTORS: ListColumn = { label: 'Sectors', isExtra: true }
const FOLLOWERS: ListColumn = { label: 'Followers', order: 'followers', isNumber: true }
const RAISED: ListColumn = { label: 'Raised', order: 'raised', isNumber: true }
const LAST_ROUND: ListColumn = { label: 'Last round', order: 'last-round' }

export const COLUMNS: Readonly<Record<ListName, readonly ListColumn[]>> = {
  people: [NAME, { label: 'Company' }, { label: 'Channels on file' }, FOLLOWERS],
  projects: [
    NAME,
    SECTORS,
    RAISED,
    LAST_ROUND,
    { label: 'Investors', order: 'investors', isNumber: true },
    FOLLOWERS,
  ],
  investors: [
    NAME,
    { label: 'Kind' },
    { label: 'Investments', order: 'portfolio', isNumber: true },
    { label: 'Newest investment', isExtra: true },
    { label: 'Return', order: 'roi', isNumber: true },
    FOLLOWERS,
  ],
  services: [NAME, { label: 'Kind' }, SECTORS, RAISED, LAST_ROUND, FOLLOWERS],
}
