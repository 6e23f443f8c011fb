/** @jsxImportSource hono/jsx */
/** The facets of a list as boxes to tick, each with the number of records that it would leave. */
import { type FacetValue, VALUES_MAX } from '../../directory/records/facets.ts'
import { figure } from './text.tsx'

export interface FacetField {
  name: string
  legend: string
  /** The most frequent first. */
  values: readonly FacetValue[]
  chosen: readonly string[]
  /** Labels of values that don't speak for themselves. */
  labels?: ((value: string) => string) | undefined
  /** The order in which those that are shown stand; the most frequent first unless given. */
  order?: ((one: string, other: string) => number) | undefined
}

interface FacetFieldsProps {
  /** The id of the form that the boxes belong to. */
  form: string
  fields: readonly FacetField[]
  /** The facet of which more values are shown. */
  more: string | undefined
  /** The text that those values have. */
  within: string | undefined
  /** Returns the address at which more values of a facet are shown, or as few as at first. */
  moreHref(name: string | undefined): string
}

/** A facet with so many values shows them all; of one with more the most frequent are shown at once. */
const FEW = 12
const SHOWN = 7
/** Values of a facet that shows more than these are searched. */
const SEARCHED = 20
/** The address separates values by commas, so one that has a comma can't be chosen. */
export const canBeChosen = ({ value }: FacetValue) =>
  !value.includes(',') && value.length <= 100 && value !== '' && value === value.trim()

export function FacetFields({ form, fields, more, within, moreHref }: FacetFieldsProps) {
  return (
    <>
      {fields.map((field) => {
        const { name, legend, chosen } = field
        const isOpen = name === more
        const values = valuesOf(field, isOpen)
        const isSearched = isOpen && (within !== undefined || field.values.length > SEARCHED)
        if (values.shown.length === 0 && !isSearched) return null
        return (
          <fieldset class="facet" id={`facet-${name}`}>
            <legend>{legend}</legend>
            {isSearched ? (
              <input
                class="within"
                type="search"
                form={form}
                name="within"
                value={within}
                maxlength={100}
                placeholder="Search"
                aria-label={`Search within ${legend}`}
                autocomplete="off"
              />
            ) : null}
            {isSearched && field.values.length === 0 ? <p class="note">None has this.</p> : null}
            {values.shown.map(({ value, label, count }) => (
              <label>
                <input
                  type="checkbox"
                  form={form}
                  name={name}
                  value={value}
                  checked={isIn(chosen, value)}
                />
                <bdi>{label}</bdi> <span class="number">{figure(count)}</span>
              </label>
            ))}
            {values.left > 0 ? (
              <a href={`${moreHref(name)}#facet-${name}`}>
                More<span class="unseen"> of {legend}</span>
              </a>
            ) : isOpen && (isSearched || field.values.length > FEW) ? (
              <>
                {field.values.length >= VALUES_MAX ? (
                  <p class="note">
                    The {VALUES_MAX} most frequent are shown: a search finds the others.
                  </p>
                ) : null}
                <a href={`${moreHref(undefined)}#facet-${name}`}>
                  Fewer<span class="unseen"> of {legend}</span>
                </a>
              </>
            ) : null}
          </fieldset>
        )
      })}
    </>
  )
}

const isIn = (values: readonly string[], value: string) =>
  values.some((one) => one.toLowerCase() === value.toLowerCase())

/** Returns the values to show: selected ones always, so that a ticked box never disappears. A value without a count has no record. */
function valuesOf({ values, chosen, labels, order }: FacetField, isWhole: boolean) {
  const all = values.filter((it) => canBeChosen(it) || isIn(chosen, it.value))
  const shown =
    isWhole || all.length <= FEW ? all : all.filter((it, i) => i < SHOWN || isIn(chosen, it.value))
  const known = shown.map(({ value }) => value)
  const others = chosen
    .filter((value) => !isIn(known, value))
    .map((value) => ({ value, label: value, count: 0 }))
  const named = [...shown, ...others].map((it) => ({
    ...it,
    label: labels?.(it.value) ?? it.label,
  }))
  if (order) named.sort((one, other) => order(one.value, other.value))
  return { shown: named, left: all.length - shown.length }
}
