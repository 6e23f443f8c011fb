/** @jsxImportSource hono/jsx */
/** The parts of the directory: each kind of record, the journal, and what people ask about their own data. */
import { RECORD_KINDS, type RecordKind } from '../../../intake/editing/records.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { Tabs } from '../../ui/lists.tsx'
import { DIRECTORY, JOURNAL, KIND_NAMES, REQUESTS } from '../../ui/paths.ts'

interface TabsProps {
  context: PageContext
  /** Selected tab. */
  current: RecordKind | 'journal' | 'requests'
  /** Search text for records of each kind. */
  text?: string
}

export function DirectoryTabs({ context, current, text = '' }: TabsProps) {
  const pathOf = (kind: RecordKind) =>
    `${DIRECTORY}?${new URLSearchParams({ kind, ...(text && { q: text }) })}`
  const tabs = [
    ...RECORD_KINDS.map((kind) => [pathOf(kind), KIND_NAMES[kind].plural] as const),
    [JOURNAL, 'Journal'] as const,
    [REQUESTS, 'Privacy requests'] as const,
  ]
  const path = current === 'journal' ? JOURNAL : current === 'requests' ? REQUESTS : pathOf(current)
  return <Tabs context={context} label="Parts of the directory" tabs={tabs} current={path} />
}
