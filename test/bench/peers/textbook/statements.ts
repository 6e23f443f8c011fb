/** Statements that are prepared once for each connection, and conditions that are put together. */
import type pg from 'pg'

/** pg prepares a statement under its name: one for each text. */
const names = new Map<string, string>()

export async function query<Row extends pg.QueryResultRow>(
  client: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const name = names.get(text) ?? `statement ${names.size}`
  names.set(text, name)
  return (await client.query<Row>({ name, text, values: [...values] })).rows
}

/** Conditions, AND-ed, with the values that they name. */
export class Where {
  readonly values: unknown[]
  readonly #conditions: string[] = []

  /** @param first what the statement itself calls `$1`, `$2`, … */
  constructor(...first: unknown[]) {
    this.values = first
  }

  /** @param condition in which `?` stands for the value */
  add(condition: string, value?: unknown): this {
    if (value !== undefined) this.values.push(value)
    this.#conditions.push(condition.replaceAll('?', `$${this.values.length}`))
    return this
  }

  get text(): string {
    return this.#conditions.length > 0 ? `where ${this.#conditions.join(' and ')}` : ''
  }
}
