/** @jsxImportSource hono/jsx */
/** Fields of forms, each with its label. */
import type { FormErrors } from '../http/form-errors.ts'
import { Problem, problemOf } from './form.tsx'
import { figure, humanize } from './text.tsx'

export interface Option {
  value: string
  label: string
}

interface SelectProps {
  name: string
  label: string
  none?: string
  options: readonly Option[]
  chosen: string | undefined
  errors?: FormErrors | undefined
}

/** A choice of one option, or of none. @param none the label of no choice, where that is allowed */
export function Select({ name, label, none, options, chosen, errors }: SelectProps) {
  const id = `field-${name}`
  const problem = problemOf(errors, name)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        aria-invalid={problem ? 'true' : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {options.map(({ value, label: text }) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
      <Problem name={name} errors={errors} />
    </div>
  )
}

interface TextFieldProps {
  name: string
  label: string
  value: string | undefined
  placeholder?: string | undefined
}

export function TextField({ name, label, value, placeholder }: TextFieldProps) {
  const id = `field-${name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="text" name={name} value={value} placeholder={placeholder} />
    </div>
  )
}

export interface Box {
  value: string
  label?: string
  count: number
}

interface CheckboxesProps {
  name: string
  legend: string
  boxes: readonly Box[]
  chosen: readonly string[]
}

/** Checkboxes, each with the number of records that match it (D27). */
export function Checkboxes({ name, legend, boxes, chosen }: CheckboxesProps) {
  return (
    <fieldset class="boxes">
      <legend>{legend}</legend>
      {boxes.map(({ value, label = humanize(value), count }) => (
        <label>
          <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
          {label} <span class="number">{figure(count)}</span>
        </label>
      ))}
    </fieldset>
  )
}

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
