/** Records that were merged into another: a read by their id or slug answers with that one (D47). */
import type { Database } from '../database/client.ts'

export interface Redirect {
  /** The id that is gone. */
  id: string
  kind: 'company' | 'person' | 'round'
  slug: string | null
  toId: string
}

export class Redirects {
  readonly #byId = new Map<string, Redirect>()
  /** By kind and slug. Of two that had one slug the later one counts. */
  readonly #bySlug = new Map<string, Redirect>()

  /** @param redirect null where it ended */
  put(id: string, redirect: Redirect | null): void {
    const before = this.#byId.get(id)
    if (before && this.#bySlug.get(slugKey(before)) === before) this.#bySlug.delete(slugKey(before))
    if (!redirect) {
      this.#byId.delete(id)
      return
    }
    this.#byId.set(id, redirect)
    if (redirect.slug) this.#bySlug.set(slugKey(redirect), redirect)
  }

  /** The id of the record that stayed; '' where nothing was merged by this name. One step: none leads to another. */
  idFor(kind: Redirect['kind'], idOrSlug: string): string {
    const byId = this.#byId.get(idOrSlug)
    const found = byId?.kind === kind ? byId : this.#bySlug.get(slugKey({ kind, slug: idOrSlug }))
    return found?.toId ?? ''
  }
}

const slugKey = ({ kind, slug }: Pick<Redirect, 'kind' | 'slug'>) => `${kind} ${slug}`

/** Reads the redirects of these ids, or all. */
export function readRedirects(
  database: Database,
  ids: readonly string[] | null,
): Promise<Redirect[]> {
  const asked = ids && `{${ids.join()}}`
  return database.use(
    ({ sql }) => sql<Redirect[]>`
      select id, kind, slug, to_id as "toId" from redirects
       where ${asked}::text is null or id = any (${asked}::text::uuid[])`,
    { deadlineMs: 30_000 },
  )
}
