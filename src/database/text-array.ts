/** An array in PostgreSQL's text form: the driver would need to know its type. Cast it to `text` and then to the array. */
export function textArray(values: readonly (string | number | null)[]): string {
  const texts = values.map((value) =>
    value === null ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`,
  )
  return `{${texts.join()}}`
}
