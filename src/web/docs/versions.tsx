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
  lead: 'Within /v1, fields are added, never removed or changed in meaning. Ignore fields that you do not know.',
  body: () => (
    <>
      <p>
        This service has version <strong>{API_VERSION}</strong>, as the headers{' '}
        <code>Service-API-Version</code> and <code>Product-API-Version</code> of every response and{' '}
        <code>apiVersion</code> on <code>/v1/me</code> say. New fields raise the middle number.
        Clients should read the addresses from <code>baseUrl</code> and <code>docs</code> on{' '}
        <code>/v1/me</code>.
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
