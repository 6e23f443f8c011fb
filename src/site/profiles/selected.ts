/** The records whose boxes were ticked, as a page's form or a link names them. */

import { isUuid } from '../../database/uuid.ts'
import type { Directory } from '../../directory/records/directory.ts'
import { BATCH_MAX } from '../../money/accounts/web-reveals.ts'
import { PageError } from '../http/page-error.ts'
import { type PersonRecord, personRecord } from './view-models.ts'

/**
 * Returns the ids of `ids`, each once, at most `BATCH_MAX`.
 * @param refusal heading of the page that refuses them @param name of the parameter that has them @throws PageError 400
 */
export function selectedIds(parameters: URLSearchParams, refusal: string, name = 'ids'): string[] {
  const sent = parameters.getAll(name).filter(Boolean)
  const ids = [...new Set(sent.map((id) => id.toLowerCase()))]
  if (ids.length <= BATCH_MAX && ids.every(isUuid)) return ids
  const most = `\`${name}\` names records by their ids, at most ${BATCH_MAX} at once; there were ${ids.length}.`
  throw new PageError(400, refusal, `${most} Nothing was charged.`)
}

/** The query by which a page is told of these, without its `?`. */
export const idsQuery = (ids: readonly string[]) =>
  String(new URLSearchParams(ids.map((id) => ['ids', id])))

/** The error of a page that was asked for without any. @param what one does with them: "reveal" */
export function nobodySelected(what: string): PageError {
  return new PageError(
    400,
    'Nobody is selected',
    `Go back, tick the boxes of those whom you want to ${what}, and press the button again.`,
  )
}

/** People as a page or a form names them, and how many of them are not in the directory. */
export interface SelectedPeople {
  people: PersonRecord[]
  gone: number
}

/** People whose records are read in one step: half a millisecond. */
const STEP_PEOPLE = 25

/** The people of these ids, each once. Read in steps (`one-moment.ts`). */
export function* selectedPeople(
  directory: Pick<Directory, 'person'>,
  ids: readonly string[],
): Generator<void, SelectedPeople> {
  const found = new Map<string, PersonRecord>()
  let gone = 0
  for (const [position, id] of ids.entries()) {
    if (position > 0 && position % STEP_PEOPLE === 0) yield
    const person = directory.person(id)
    if (person) found.set(person.id, personRecord(person))
    else gone++
  }
  return { people: [...found.values()], gone }
}
