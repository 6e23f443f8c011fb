/** The paths of the operator's pages. */
import { RECORD_KINDS, type RecordKind } from '../../intake/editing/records.ts'
import type { SubjectKind } from '../acts/act.ts'

export const AUDIT = '/operator/audit'

export const ACCOUNTS = '/operator/accounts'
export const accountPath = (id: string) => `${ACCOUNTS}/${id}`

export const PAYMENTS = '/operator/payments'
export const paymentPath = (id: string): string => `${PAYMENTS}/${id}`

export const BACKUPS = '/operator/backups'

export const IMPORTS = '/operator/imports'
export const importPath = (id: string) => `${IMPORTS}/${id}`
/** Columns of sources that changed. */
export const COLUMNS = `${IMPORTS}/columns`

export const DIRECTORY = '/operator/directory'
export const JOURNAL = `${DIRECTORY}/journal`
/** Privacy requests. */
export const REQUESTS = `${DIRECTORY}/requests`
/** The page of a record that is not there yet. */
export const ADD = `${DIRECTORY}/new`

export const KIND_NAMES: Readonly<Record<RecordKind, { plural: string; path: string }>> = {
  company: { plural: 'Companies', path: 'companies' },
  person: { plural: 'People', path: 'people' },
  round: { plural: 'Rounds', path: 'rounds' },
}

export const recordPath = (kind: RecordKind, id: string) =>
  `${DIRECTORY}/${KIND_NAMES[kind].path}/${id}`

/** The path of the page that compares a record with another before they are merged. */
export const mergePath = (kind: RecordKind, id: string, other = '') =>
  `${DIRECTORY}/merge?${new URLSearchParams({ kind, id, ...(other && { other }) })}`

/** The journal's page with this change alone. */
export const changePath = (change: number) => `${JOURNAL}?change=${change}`

const PAGES: Readonly<Record<SubjectKind, (id: string, of: string) => string>> = {
  account: (id) => (id ? accountPath(id) : ACCOUNTS),
  backup: () => BACKUPS,
  change: (id) => (id ? changePath(Number(id)) : JOURNAL),
  event: () => PAYMENTS,
  import: (id) => (id ? importPath(id) : IMPORTS),
  key: () => ACCOUNTS,
  payment: (id) => (id ? paymentPath(id) : PAYMENTS),
  record: (id, of) => {
    const kind = RECORD_KINDS.find((one) => one === of) ?? 'person'
    return id ? recordPath(kind, id) : `${DIRECTORY}?kind=${kind}`
  },
  request: (id) => (id ? `${REQUESTS}/${id}` : REQUESTS),
  source: () => COLUMNS,
  user: () => ACCOUNTS,
}

/** The page of what an act is done to; the list where there is no id. */
export const pathOf = (kind: SubjectKind, id: string, of = ''): string => PAGES[kind](id, of)
