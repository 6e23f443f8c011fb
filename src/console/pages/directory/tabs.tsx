/** @jsxImportSource hono/jsx */
/** The parts of the directory: each kind of record, the journal, and what people ask about their own data. */
import { RECORD_KINDS, type RecordKind } from '../../../intake/editing/records.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { DIRECTORY, JOURNAL, KIND_NAMES, REQUESTS } from '../../ui/paths.ts'

interface TabsProps {
  context: PageContext
  /** Selected tab. */
  current: RecordKind | 'journal' | 'requests'
  /** Search text for records of each kind. */
  text?: string
}

export function DirectoryTabs({ context, current, text = '' }: TabsProps) {
  const tabs = [
    ...RECORD_KINDS.map((kind) => ({
      name: kind,
      path: `${DIRECTORY}?${new URLSearchParams({ kind, ...(text && { q: text }) })}`,
      label: KIND_NAMES[kind].plural,
    })),
    { name: 'journal', path: JOURNAL, label: 'Journal' },
    { name: 'requests', path: REQUESTS, label: 'Privacy requests' },
  ]
  return (
    <nav class="kinds" aria-label="Parts of the directory">
      {tabs.map(({ name, path, label }) => (
        <a href={context.href(path)} aria-current={name === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  )
}
