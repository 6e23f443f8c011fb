/** @jsxImportSource hono/jsx */
/** `/docs/versions`: the API's versions and their changes (contract, Versioning). */
import { API_VERSION } from '../../contract/version.ts'
import { Prose } from '../components/text.tsx'
import type { Document } from './document.tsx'

/** Newest first, without versions that changed nothing for callers. */
const CHANGES: readonly { version: string; changes: readonly string[] }[] = [
  {
    version: '1.6.0',
    changes: [
      '`Idempotency-Key`: a repeat of a charged call is free.',
      '`unlimited` on `/v1/me`, where an account has no credit ceiling.',
      'Errors carry `charged`; and `parameter`, `allowed`, `creditsRequired`, `creditsBalance` and `retryAfter` where they help.',
    ],
  },
  {
    version: '1.5.0',
    changes: [
      '`companyType` was added.',
      '`GET /v1/projects/{id}` resolves a company of any kind.',
      '`GET /v1/investors/{slug}` answers 404 for a company that is not a fund.',
      'The services directory holds platforms and launchpads.',
    ],
  },
  {
    version: '1.2.0',
    changes: ['`ticker`, `chains`, `discordUrl`, `linkedinUrl` and `slug` are filled in.'],
  },
]

export const versions: Document = {
  path: '/docs/versions',
  title: 'Versions',
  lead: 'Fields are added, never taken away or given another meaning within /v1. Ignore those that you do not know.',
  body: () => (
    <>
      <p>
        This service answers with version <strong>{API_VERSION}</strong>. It stands in the headers{' '}
        <code>Service-API-Version</code> and <code>Product-API-Version</code> of every response, and
        in <code>apiVersion</code> on <code>/v1/me</code>. New fields raise the middle number.{' '}
        <code>baseUrl</code> and <code>docs</code> on <code>/v1/me</code> are what clients should
        read the addresses from.
      </p>
      {CHANGES.map(({ version, changes }) => (
        <section class="entry" id={`v${version}`} aria-labelledby={`v${version}-title`}>
          <h2 id={`v${version}-title`}>{version}</h2>
          <ul>
            {changes.map((change) => (
              <li>
                <Prose text={change} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  ),
}
