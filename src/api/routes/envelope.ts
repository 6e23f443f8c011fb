/** The pagination envelope of lists, as JSON members. */
export function envelope(
  records: readonly string[],
  total: number,
  { page, limit }: { page: number; limit: number },
): string {
  const totalPages = Math.ceil(total / limit)
  return `"data":[${records.join(',')}],"total":${total},"page":${page},"limit":${limit},"totalPages":${totalPages}`
}

/** The same without `data` and `total`, which a sample says at its own place (D34). */
export function sampleEnvelope(
  total: number,
  { page, limit }: { page: number; limit: number },
): string {
  return `"page":${page},"limit":${limit},"totalPages":${Math.ceil(total / limit)}`
}
