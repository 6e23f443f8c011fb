/** @jsxImportSource hono/jsx */
/** `/docs/errors`: every error code; `error.docs` links to the code's section (D7). */
import { ERRORS, type ErrorCode, type ErrorEntry } from '../../contract/errors.ts'
import { Code } from '../components/code.tsx'
import { Prose } from '../components/text.tsx'
import type { Document } from './document.tsx'

const ENTRIES = Object.entries(ERRORS) as [ErrorCode, ErrorEntry][]

export const errors: Document = {
  path: '/docs/errors',
  title: 'Errors',
  lead: 'A refused call costs nothing. Each error says what was charged, as far as that is known.',
  body: ({ site, href }) => (
    <>
      <p>
        The body says what happened to programs in <code>error.code</code>, to people in{' '}
        <code>error.message</code>, and leads here with <code>error.docs</code>.{' '}
        <code>error.charged</code> is 0 where nothing was charged. It is null where the call was
        sent to the database and its end is not known: repeat it with the same{' '}
        <a href={href('/docs/retries')}>Idempotency-Key</a>, or look into the{' '}
        <a href={href('/balance')}>ledger</a> first. Where they help, <code>parameter</code>,{' '}
        <code>allowed</code>, <code>creditsRequired</code>, <code>creditsBalance</code> and{' '}
        <code>retryAfter</code> (seconds) stand beside them.
      </p>
      <Code
        text={`{ "error": { "code": "missing_parameter", "message": "q is required.",
    "docs": "${site.appUrl}/docs/errors#missing_parameter", "charged": 0, "parameter": "q" } }`}
      />
      <nav class="index" aria-label="Codes">
        <ul>
          {ENTRIES.map(([code, { status }]) => (
            <li>
              <a href={`#${code}`}>
                <span>{status}</span> {code}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {ENTRIES.map(([code, { status, cause, cure }]) => (
        <section class="entry" id={code} aria-labelledby={`${code}-title`}>
          <h2 id={`${code}-title`}>
            <code>{code}</code> <span class="status">{status}</span>
          </h2>
          <p>
            <Prose text={cause} />
          </p>
          <p>
            <strong>What to do.</strong> <Prose text={cure} />
          </p>
        </section>
      ))}
    </>
  ),
}
