/** @jsxImportSource hono/jsx */
/** The field that sorts a list by one of the values of the API's `sort`. */
import { Select } from '../components/fields.tsx'

const LABELS = {
  recent: 'Newest',
  name: 'Name',
  portfolio: 'Largest portfolio',
  roi: 'Highest return',
} as const

interface SortFieldProps {
  choices: readonly (keyof typeof LABELS)[]
  values: { q?: string | undefined; sort?: string | undefined }
  /** The order that holds where none is chosen and nothing is searched for (D31). */
  fallback: keyof typeof LABELS
}

export function SortField({ choices, values: { q, sort }, fallback }: SortFieldProps) {
  const options = choices.map((value) => ({ value, label: LABELS[value] }))
  const none = q ? 'Best match' : LABELS[fallback]
  return <Select name="sort" label="Sort by" none={none} options={options} chosen={sort} />
}
