/** @jsxImportSource hono/jsx */
/** A value that a log kept, as people read it. */
import { Moment, shortened } from '../../site/ui/text.tsx'

const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00(:00)?)$/

/** @param most characters of a text; all unless given */
export function Value({
  value,
  most = Number.POSITIVE_INFINITY,
}: {
  value: unknown
  most?: number
}) {
  if (isNone(value)) return <>none</>
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return <bdi>{shortened(value.join(' | '), most)}</bdi>
  if (typeof value !== 'string') return <bdi>{shortened(JSON.stringify(value), most)}</bdi>
  return MOMENT.test(value) ? <Moment at={value} /> : <bdi>{shortened(value, most)}</bdi>
}

/** True if a value is blank; an empty list is. */
export const isNone = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)
