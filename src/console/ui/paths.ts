/** The paths of the operator's pages. */
import type { RecordKind } from '../../intake/editing/records.ts'

export const ACCOUNTS = '/operator/accounts'
export const accountPath = (id: string) => `${ACCOUNTS}/${id}`

export const PAYMENTS = '/operator/payments'
export const paymentPath = (id: string): string => `${PAYMENTS}/${id}`

export const BACKUPS = '/operator/backups'

export const IMPORTS = '/operator/imports'
export const importPath = (id: string) => `${IMPORTS}/${id}`
export const undoImportPath = (id: string) => `${IMPORTS}/undo?id=${id}`

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

/** The path of the page that asks before a record is deleted or merged. */
export const askPath = (
  act: 'delete' | 'merge',
  kind: RecordKind,
  id: string,
  more: Record<string, string> = {},
) => `${DIRECTORY}/${act}?${new URLSearchParams({ kind, id, ...more })}`

/** The journal's page with this change alone. */
export const changePath = (change: number) => `${JOURNAL}?change=${change}`
