/** @jsxImportSource hono/jsx */
/** The status of a call with its meaning, and the cure of an error. */

import { ERRORS, type ErrorCode } from '../../contract/errors.ts'
import { type RequestEntry, statusClassOf } from '../../money/accounts/requests.ts'
import type { PageContext } from '../http/page.ts'
import { Badge } from './badges.tsx'
import { Prose } from './text.tsx'

const ANSWERS: Readonly<Record<string, string>> = { sample: 'Sample', replayed: 'Repeat' }

/** The colours that classes of status have. */
export const TONES = { '2xx': 'good', '4xx': 'warn', '5xx': 'bad' } as const

export function StatusBadge({ entry }: { entry: RequestEntry }) {
  const { status, code } = entry
  const answer = status < 400 && code ? ANSWERS[code] : undefined
  return (
    <Badge tone={TONES[statusClassOf(entry)]}>
      {status}
      {answer ? ` ${answer}` : ''}
    </Badge>
  )
}

interface CureProps {
  context: PageContext
  code: ErrorCode
  /** Leaves the cure to the documentation. */
  isShort?: boolean
}

/** The error's code, which leads to its entry in the documentation, and its cure. */
export function Cure({ context, code, isShort = false }: CureProps) {
  return (
    <span class="cure">
      {' '}
      <a href={context.href(`/docs/errors#${code}`)}>
        <code>{code}</code>
      </a>{' '}
      {isShort ? null : (
        <span class="note">
          <Prose text={ERRORS[code].cure} />
        </span>
      )}
    </span>
  )
}
