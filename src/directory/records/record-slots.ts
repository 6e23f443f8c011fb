/** The records of a collection by their slots, and the slots by ids and slugs. */
import { SLOTS_MAX } from '../../../index-build/options.ts'

/** Identity of a record. */
export interface Named {
  readonly id: string
  readonly slug: string | null
}

export class RecordSlots<R extends Named> {
  /** By slot; undefined where the slot is free. */
  readonly records: (R | undefined)[] = []
  readonly #free: number[] = []
  readonly #ids = new Map<string, number>()
  readonly #slugs = new Map<string, number>()

  /** How many records there are. */
  get size(): number {
    return this.#ids.size
  }

  slotOf(id: string): number | undefined {
    return this.#ids.get(id)
  }

  get(id: string): R | undefined {
    return this.#recordAt(this.slotOf(id))
  }

  bySlug(slug: string): R | undefined {
    return this.#recordAt(this.#slugs.get(slug))
  }

  #recordAt(slot: number | undefined): R | undefined {
    return slot === undefined ? undefined : this.records[slot]
  }

  /** Puts a record into its id's slot (`slotOf`), or into one of its own where it has none. @returns the slot. */
  put(record: R, known: number | undefined): number {
    const slot = known ?? this.#free.pop() ?? this.records.length
    if (slot >= SLOTS_MAX) throw new Error(`more than ${SLOTS_MAX} records of a kind`)
    this.records[slot] = record
    if (known === undefined) this.#ids.set(record.id, slot)
    return slot
  }

  /** Takes the record of this id out; its slug was released. */
  delete(id: string) {
    const slot = this.slotOf(id)
    if (slot === undefined) return
    this.#ids.delete(id)
    this.records[slot] = undefined
    this.#free.push(slot)
  }

  /** Has the slug name the record of this id, and no other that had it before. A row has its slug at hand, a record reads it from its page. */
  takeSlug({ id, slug }: Named) {
    const slot = this.slotOf(id)
    if (slug && slot !== undefined) this.#slugs.set(slug, slot)
  }

  /** Before the record changes or goes. Another one may have taken the slug since. */
  releaseSlug({ id, slug }: R) {
    if (slug && this.bySlug(slug)?.id === id) this.#slugs.delete(slug)
  }
}
