/** What a saved view means now: filters that a later version refuses are left out, and named. */

import { ApiError } from '../../../contract/errors.ts'
import type { ListName } from '../../../contract/vocabulary.ts'
import type { SavedView } from '../../../people/contacts/saved-views.ts'
import { LIST_PARAMETERS } from '../../profiles/listed.ts'
import { queryOf, valuesOf } from '../../ui/list-query.ts'

export function isListName(name: string): name is ListName {
  return Object.hasOwn(LIST_PARAMETERS, name)
}

export interface OpenedView {
  /** The list's values, as its address gives them. */
  values: Readonly<Record<string, unknown>>
  /** What the list doesn't take any more: parameters with the value that is refused. */
  refused: { name: string; value: string }[]
}

/** The values that make a view: no page, no number of rows. */
const viewed = (values: Readonly<Record<string, unknown>>) => ({
  ...values,
  page: undefined,
  limit: undefined,
  more: undefined,
  within: undefined,
  view: undefined,
})

/** Filters and order of a list's page as a view keeps them; '' where nothing is chosen. */
export const viewQuery = (list: ListName, values: Readonly<Record<string, unknown>>): string =>
  queryOf(LIST_PARAMETERS[list], viewed(values)).slice(1)

export function openedView(list: ListName, { query }: Pick<SavedView, 'query'>): OpenedView {
  const parameters = LIST_PARAMETERS[list]
  const kept: string[] = []
  const refused: OpenedView['refused'] = []
  for (const [name, text] of new URLSearchParams(query)) {
    const isList = Object.entries(parameters).some(
      ([it, { kind }]) => it === name && kind === 'list',
    )
    for (const value of isList ? text.split(',') : [text]) {
      const pair = String(new URLSearchParams([[name, value]]))
      try {
        valuesOf(parameters, pair)
        kept.push(pair)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        refused.push({ name, value })
      }
    }
  }
  return { values: viewed(valuesOf(parameters, kept.join('&'))), refused }
}

/** The path of the list as the view shows it. */
export function viewPath(list: ListName, { id, query }: Pick<SavedView, 'id' | 'query'>): string {
  const { values } = openedView(list, { query })
  return `/${list}${queryOf(LIST_PARAMETERS[list], { ...values, view: id })}`
}
