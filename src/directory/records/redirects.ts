/** Records that were merged into another: a read by their id or slug answers with that one. */
import type { Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import { byId } from './names.ts'

export interface Redirect {
  /** The id that is gone. */
  id: string
  kind: 'company' | 'person' | 'round'
  slug: string | null
  toId: string
}

export class Redirects {
  readonly #byId = new Map<string, Redirect>()
  /** By kind and slug, in the order of ids. Of several that had one slug the last counts: on every instance the same. */
  readonly #bySlug = new Map<string, readonly Redirect[]>()
  readonly #onChange: () => void

  /** @param onChange called before each change: what an id means is part of the directory's moment */
  constructor(onChange = () => {}) {
    this.#onChange = onChange
  }

  /** @param redirect null where it ended */
  put(id: string, redirect: Redirect | null): void {
    this.#onChange()
    const before = this.#byId.get(id)
    if (before) this.#setOfSlug(before, (one) => one !== before)
    if (!redirect) {
      this.#byId.delete(id)
      return
    }
    this.#byId.set(id, redirect)
    if (redirect.slug) this.#setOfSlug(redirect, () => true, redirect)
  }

  #setOfSlug(named: Redirect, stays: (one: Redirect) => boolean, ...more: Redirect[]) {
    const known = this.#bySlug.get(slugKey(named)) ?? []
    const all = [...known.filter(stays), ...more].sort(byId)
    if (all.length > 0) this.#bySlug.set(slugKey(named), all)
    else this.#bySlug.delete(slugKey(named))
  }

  /** The id of the record that stayed; '' where nothing was merged by this name. One step: none leads to another. */
  idFor(kind: Redirect['kind'], idOrSlug: string): string {
    const own = this.#byId.get(idOrSlug)
    const found =
      own?.kind === kind ? own : this.#bySlug.get(slugKey({ kind, slug: idOrSlug }))?.at(-1)
    return found?.toId ?? ''
  }
}

const slugKey = ({ kind, slug }: Pick<Redirect, 'kind' | 'slug'>) => `${kind} ${slug}`

/** Reads the redirects of these ids, or all. */
export function readRedirects(
  database: Database,
  ids: readonly string[] | null,
): Promise<Redirect[]> {
  const asked = ids && textArray(ids)
  return database.use(
    ({ sql }) => sql<Redirect[]>`
      select id, kind, slug, to_id as "toId" from redirects
       where ${asked}::text is null or id = any (${asked}::text::uuid[])`,
    { deadlineMs: 30_000 },
  )
}
